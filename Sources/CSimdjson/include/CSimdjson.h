#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A strict JSON reader over simdjson; its memory is used again for each text.
typedef struct csimdjson_parser csimdjson_parser;

/// Why a text was not accepted.
typedef enum csimdjson_status {
    CSIMDJSON_OK = 0,
    CSIMDJSON_NO_MEMORY,
    CSIMDJSON_EMPTY,
    CSIMDJSON_SYNTAX,
    CSIMDJSON_STRING,
    CSIMDJSON_NOT_UTF8,
    CSIMDJSON_BOM,
    CSIMDJSON_TOO_DEEP,
    CSIMDJSON_NUMBER,
    CSIMDJSON_DUPLICATE_NAME,
} csimdjson_status;

/// A text that was accepted, as simdjson's tape; valid until the parser reads the next one.
///
/// Each word has its type in the top 8 bits: 'r' root, '{' '}' '[' ']', '"', 'l' 'u' 'd' (the
/// value is the next word), 't' 'f' 'n'. Of '{' and '[' the low 32 bits are the index after the
/// closing word and the 24 above them the number of members or elements, at most 0xFFFFFF. Of '"'
/// they are the offset in `strings` of a 32-bit length followed by the bytes. The value of the
/// text is at index 1.
typedef struct csimdjson_tape {
    const uint64_t *words;
    const uint8_t *strings;
} csimdjson_tape;

/// A parser with room for texts of this many bytes (longer ones grow it) and this nesting.
///
/// Null if there is no memory.
csimdjson_parser *csimdjson_new(size_t capacity, size_t depth_max);

void csimdjson_free(csimdjson_parser *parser);

/// Reads one text: RFC 8259, UTF-8 without BOM, no lone surrogates, no member name twice in an
/// object, limited nesting, no integer outside ±(2^53−1), no number outside the doubles.
csimdjson_status csimdjson_read(
    csimdjson_parser *parser, const uint8_t *bytes, size_t count, csimdjson_tape *tape);

/// The index of the first such byte, or `count`.
size_t csimdjson_find(const uint8_t *bytes, size_t count, uint8_t byte);

/// True if the two have the same bytes.
static inline bool csimdjson_equal(const uint8_t *left, const uint8_t *right, size_t count) {
    return memcmp(left, right, count) == 0;
}

#ifdef __cplusplus
}
#endif
