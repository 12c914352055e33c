#pragma once

#include "MemberName.h"
#include "Tape.h"

#include <array>
#include <cstring>

/// Reads the texts that nearly all lines are: short, one object, whose values are strings of ASCII
/// without escapes, natural numbers, literals and such objects again. In a quarter of the time.
///
/// To everything else, right or wrong, it says no: that is RapidJSON's to judge.
class plain_reader {
public:
    static constexpr size_t bytes_max = 512;

    /// So many bytes after the text must be readable.
    static constexpr size_t padding = 16;

    bool read(const uint8_t *bytes, size_t count, cjson_tape *tape) {
        if (count > bytes_max || bytes[0] != '{') return false;
        text = bytes;
        end = bytes + count;
        uint64_t *out = words.data();
        if (object(bytes + 1, out, 1) != end) return false;
        *tape = {words.data(), text};
        return true;
    }

private:
    static constexpr size_t depth_max = 4;
    /// So many digits are below 2^53 whatever they are.
    static constexpr int digits_max = 15;

    // No character makes more than one word, but for a number the first one, which has a colon
    // before it that makes none.
    std::array<uint64_t, bytes_max> words;
    const uint8_t *text;
    const uint8_t *end;

    // Each of the following is handed where its text begins and where its words go, which it moves
    // on, and returns where the text goes on: null if it is not plain. The few bytes that may be
    // looked at behind the end can be read; nothing that has them in it is taken for good, since
    // strings and objects end before.

    const uint8_t *skip(const uint8_t *at) {
        while (at < end && *at == ' ') at++;
        return at;
    }

    /// What follows an opening brace.
    const uint8_t *object(const uint8_t *at, uint64_t *&out, size_t depth) {
        uint64_t *opening = out++;
        std::array<member_name, pairwise_max> names;
        size_t members = 0;
        at = skip(at);
        if (*at != '}') {
            while (true) {
                if (*at != '"' || members == pairwise_max) return nullptr;
                const uint8_t *name = at + 1;
                if (!(at = string(name, out))) return nullptr;
                names[members] = member_name(name, static_cast<uint32_t>(at - 1 - name));
                for (size_t i = 0; i < members; i++) {
                    if (names[i] == names[members]) return nullptr;
                }
                members++;
                at = skip(at);
                if (*at != ':' || !(at = value(skip(at + 1), out, depth))) return nullptr;
                at = skip(at);
                if (*at != ',') break;
                at = skip(at + 1);
            }
            if (*at != '}') return nullptr;
        }
        if (at >= end) return nullptr;
        *opening = word('{', members, static_cast<size_t>(out - words.data()));
        return at + 1;
    }

    const uint8_t *value(const uint8_t *at, uint64_t *&out, size_t depth) {
        switch (*at) {
        case '"': return string(at + 1, out);
        case '{': return depth < depth_max ? object(at + 1, out, depth + 1) : nullptr;
        case 't': return literal(at, "true", 4, out);
        case 'f': return literal(at, "false", 5, out);
        case 'n': return literal(at, "null", 4, out);
        default: return number(at, out);
        }
    }

    /// What follows an opening quote, eight bytes at a time.
    const uint8_t *string(const uint8_t *start, uint64_t *&out) {
        constexpr uint64_t ones = 0x0101010101010101, highs = 0x8080808080808080;
        const uint8_t *at = start;
        uint64_t special;
        while (true) {
            if (at >= end) return nullptr;
            uint64_t bytes = cjson_load(at);
            uint64_t quotes = bytes ^ ones * '"', slashes = bytes ^ ones * '\\';
            // The lowest bit that is set belongs to the first byte that is not plain.
            special = (((bytes - ones * ' ') & ~bytes) | ((quotes - ones) & ~quotes)
                       | ((slashes - ones) & ~slashes) | bytes) & highs;
            if (special != 0) break;
            at += 8;
        }
        at += __builtin_ctzll(special) / 8;
        if (*at != '"' || at >= end) return nullptr;
        *out++ = word('"', static_cast<size_t>(at - start), static_cast<size_t>(start - text));
        return at + 1;
    }

    const uint8_t *literal(const uint8_t *at, const char *name, size_t count, uint64_t *&out) {
        if (std::memcmp(at, name, count) != 0) return nullptr;
        *out++ = word(*name);
        return at + count;
    }

    /// A fraction or an exponent is not read, and so ends the reading.
    const uint8_t *number(const uint8_t *start, uint64_t *&out) {
        uint64_t number = 0;
        const uint8_t *at = start;
        for (uint8_t digit; (digit = static_cast<uint8_t>(*at - '0')) <= 9; at++) {
            if (at - start == digits_max) return nullptr;
            number = number * 10 + digit;
        }
        if (at == start || (*start == '0' && at - start > 1)) return nullptr;
        *out++ = word('l');
        *out++ = number;
        return at;
    }
};
