#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A strict JSON reader; its memory is used again for each text.
typedef struct cjson_parser cjson_parser;

/// Why a text was not accepted.
typedef enum cjson_status {
    CJSON_OK = 0,
    CJSON_NO_MEMORY,
    CJSON_EMPTY,
    CJSON_SYNTAX,
    CJSON_STRING,
    CJSON_NOT_UTF8,
    CJSON_BOM,
    CJSON_TOO_DEEP,
    CJSON_NUMBER,
    CJSON_DUPLICATE_NAME,
} cjson_status;

/// A text that was accepted, value by value; valid as long as the text, and until the parser reads
/// the next one.
///
/// Each word has its type in the top 8 bits: '{' '[' '"', 'l' an integer and 'd' a double (the
/// value is the next word), 't' 'f' 'n'. The value of the text is at index 0; names and values of
/// an object, and the elements of an array, follow its word. Of '{' and '[' the low 32 bits are
/// the index after the last of them, and the 24 above their number. Of '"' they are the offset in
/// `strings`, and the number of bytes. Eight bytes from there can be read, whatever the number.
typedef struct cjson_tape {
    const uint64_t *words;
    const uint8_t *strings;
} cjson_tape;

/// Texts longer than this are refused for want of memory: their strings had no room on a tape.
#define CJSON_TEXT_BYTES_MAX 0xFFFFFF

/// A parser with room for texts of this many bytes (longer ones grow it) and this nesting.
///
/// A byte takes ten bytes of memory. Null if there is none.
cjson_parser *cjson_new(size_t capacity, size_t depth_max);

void cjson_free(cjson_parser *parser);

/// Reads one text: RFC 8259, UTF-8 without BOM, no lone surrogates, no member name twice in an
/// object, limited nesting, no integer outside ±(2^53−1), no number outside the doubles.
cjson_status cjson_read(
    cjson_parser *parser, const uint8_t *bytes, size_t count, cjson_tape *tape);

/// The index of the first such byte, or `count`.
size_t cjson_find(const uint8_t *bytes, size_t count, uint8_t byte);

/// Eight bytes, the first of them lowest.
static inline uint64_t cjson_load(const uint8_t *bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/// True if the first bytes here and there are the same.
static inline bool cjson_same(const uint8_t *bytes, const uint8_t *others, size_t count) {
    return count == 0 || memcmp(bytes, others, count) == 0;
}

/// The first seven bytes of a string and its length's low byte, in one number; eight bytes must be
/// readable, whatever the length.
static inline uint64_t cjson_key(const uint8_t *bytes, size_t count) {
    if (count == 0) return 0;
    return cjson_load(bytes) << 8 * (count < 7 ? 8 - count : 1) | (count & 0xFF);
}

/// True if a string, of which eight bytes must be readable, is this literal, of which its own bytes
/// are enough: for the compiler, to which the literal is known, a comparison of numbers.
static inline bool cjson_is(
    const uint8_t *bytes, size_t count, const uint8_t *literal, size_t literal_count) {
    if (count != literal_count) return false;
    uint64_t head = 0;
    size_t head_count = count < 7 ? count : 7;
    for (size_t i = 0; i < head_count; i++) {
        head |= (uint64_t)literal[i] << 8 * (8 - head_count + i);
    }
    if (cjson_key(bytes, count) >> 8 != head >> 8) return false;
    return count <= 7 || memcmp(bytes + 7, literal + 7, count - 7) == 0;
}

/// Writes an integer in decimal digits; returns how many bytes it takes. There must be room for 21.
static inline size_t cjson_put_decimal(uint8_t *to, int64_t integer) {
    size_t sign = integer < 0;
    if (sign) *to++ = '-';
    uint64_t number = sign ? 0 - (uint64_t)integer : (uint64_t)integer;
    // Two digits at a time; where they go is known once they are counted, by the number's bits,
    // of which a digit takes 3.32.
    static const char pairs[] =
        "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445"
        "46474849505152535455565758596061626364656667686970717273747576777879808182838485868788899091"
        "9293949596979899";
    static const uint64_t powers[] = {
        0, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000, 10000000000,
        100000000000, 1000000000000, 10000000000000, 100000000000000, 1000000000000000,
        10000000000000000, 100000000000000000, 1000000000000000000,
        10000000000000000000u};
    size_t bits = 64 - (size_t)__builtin_clzll(number | 1);
    size_t count = bits * 1233 >> 12;
    if (number >= powers[count]) count++;
    uint8_t *at = to + count;
    while (number >= 100) {
        at -= 2;
        memcpy(at, pairs + number % 100 * 2, 2);
        number /= 100;
    }
    if (number >= 10) {
        memcpy(to, pairs + number * 2, 2);
    } else {
        *to = (uint8_t)('0' + number);
    }
    return sign + count;
}

/// memcpy(), whose result Swift would have to be told to ignore.
static inline void cjson_copy(uint8_t *to, const uint8_t *from, size_t count) {
    memcpy(to, from, count);
}

#ifdef __cplusplus
}
#endif
