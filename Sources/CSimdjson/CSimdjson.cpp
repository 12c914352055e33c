#include "CSimdjson.h"
#include "PlainReader.h"

#include <simdjson.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <vector>

namespace {

constexpr int64_t integer_max = (int64_t{1} << 53) - 1;

uint8_t type(uint64_t word) { return static_cast<uint8_t>(word >> 56); }
size_t payload(uint64_t word) { return static_cast<uint32_t>(word); }

/// The index after the value at this index.
size_t after(const uint64_t *tape, size_t index) {
    switch (type(tape[index])) {
    case '{':
    case '[': return payload(tape[index]);
    case 'l':
    case 'u':
    case 'd': return index + 2;
    default: return index + 1;
    }
}

/// The name at a word of simdjson's tape, whose buffer for strings goes on for its padding.
member_name name(const uint8_t *strings, uint64_t word) {
    const uint8_t *bytes = strings + payload(word);
    uint32_t count;
    std::memcpy(&count, bytes, sizeof count);
    return member_name(bytes + sizeof count, count);
}

/// True if the bytes behind the text that simdjson may read (and ignore) can be read.
bool is_readable_behind(const uint8_t *bytes, size_t count) {
#if defined(__SANITIZE_ADDRESS__)
    return false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
    return false;
#endif
#endif
    // No page is smaller than this, and what is on the page of the last byte can be read.
    constexpr uintptr_t page = 4096;
    return (reinterpret_cast<uintptr_t>(bytes + count - 1) & (page - 1))
        + simdjson::SIMDJSON_PADDING < page;
}

csimdjson_status status(simdjson::error_code error) {
    switch (error) {
    case simdjson::SUCCESS: return CSIMDJSON_OK;
    case simdjson::MEMALLOC:
    case simdjson::CAPACITY: return CSIMDJSON_NO_MEMORY;
    case simdjson::EMPTY: return CSIMDJSON_EMPTY;
    case simdjson::UTF8_ERROR: return CSIMDJSON_NOT_UTF8;
    case simdjson::DEPTH_ERROR: return CSIMDJSON_TOO_DEEP;
    case simdjson::UNCLOSED_STRING:
    case simdjson::UNESCAPED_CHARS:
    case simdjson::STRING_ERROR: return CSIMDJSON_STRING;
    case simdjson::NUMBER_ERROR:
    case simdjson::NUMBER_OUT_OF_RANGE: return CSIMDJSON_NUMBER;
    default: return CSIMDJSON_SYNTAX;
    }
}

} // namespace

struct csimdjson_parser {
    simdjson::dom::parser parser;
    size_t depth_max;
    plain_reader plain;
    std::vector<member_name> names;

    bool has_duplicate(const uint64_t *tape, const uint8_t *strings, size_t object) {
        size_t end = payload(tape[object]) - 1;
        size_t members = tape[object] >> 32 & 0xFFFFFF;
        if (members > pairwise_max) return has_duplicate_among_many(tape, strings, object, end);
        member_name few[pairwise_max];
        size_t count = 0;
        for (size_t at = object + 1; at < end; at = after(tape, at + 1)) {
            few[count] = name(strings, tape[at]);
            for (size_t i = 0; i < count; i++) {
                if (few[i] == few[count]) return true;
            }
            count++;
        }
        return false;
    }

    bool has_duplicate_among_many(
        const uint64_t *tape, const uint8_t *strings, size_t object, size_t end) {
        names.clear();
        for (size_t at = object + 1; at < end; at = after(tape, at + 1)) {
            names.push_back(name(strings, tape[at]));
        }
        std::sort(names.begin(), names.end());
        return std::adjacent_find(names.begin(), names.end()) != names.end();
    }

    /// What simdjson accepts and SPEC 1 does not.
    csimdjson_status check(const uint64_t *tape, const uint8_t *strings) {
        size_t end = payload(tape[0]);
        size_t depth = 0;
        for (size_t at = 1; at < end; at++) {
            switch (type(tape[at])) {
            case '}':
            case ']': depth--; break;
            case '[':
                if (++depth > depth_max) return CSIMDJSON_TOO_DEEP;
                break;
            case '{':
                if (++depth > depth_max) return CSIMDJSON_TOO_DEEP;
                if (has_duplicate(tape, strings, at)) return CSIMDJSON_DUPLICATE_NAME;
                break;
            case 'l': {
                int64_t value = static_cast<int64_t>(tape[++at]);
                if (value < -integer_max || value > integer_max) return CSIMDJSON_NUMBER;
                break;
            }
            case 'u': return CSIMDJSON_NUMBER;
            case 'd': at++; break;
            }
        }
        return CSIMDJSON_OK;
    }

    csimdjson_status read(const uint8_t *bytes, size_t count, csimdjson_tape *tape) {
        if (count == 0) return CSIMDJSON_EMPTY;
        if (count >= 3 && std::memcmp(bytes, "\xEF\xBB\xBF", 3) == 0) return CSIMDJSON_BOM;
        bool copies = !is_readable_behind(bytes, count);
        if (!copies && plain.read(bytes, count, tape)) return CSIMDJSON_OK;
        if (auto error = parser.parse(bytes, count, copies).error()) return status(error);
        tape->words = parser.doc.tape.get();
        tape->strings = parser.doc.string_buf.get();
        return check(tape->words, tape->strings);
    }
};

csimdjson_parser *csimdjson_new(size_t capacity, size_t depth_max) {
    auto *parser = new (std::nothrow) csimdjson_parser();
    if (parser == nullptr) return nullptr;
    parser->depth_max = depth_max;
    // simdjson's own limit includes the text as a whole but not what is empty: check() is exact.
    if (parser->parser.allocate(capacity, depth_max + 1)) {
        delete parser;
        return nullptr;
    }
    return parser;
}

void csimdjson_free(csimdjson_parser *parser) { delete parser; }

csimdjson_status csimdjson_read(
    csimdjson_parser *parser, const uint8_t *bytes, size_t count, csimdjson_tape *tape) {
    try {
        return parser->read(bytes, count, tape);
    } catch (const std::bad_alloc &) {
        return CSIMDJSON_NO_MEMORY;
    }
}

size_t csimdjson_find(const uint8_t *bytes, size_t count, uint8_t byte) {
    if (count == 0) return 0;
    const void *found = std::memchr(bytes, byte, count);
    return found == nullptr ? count : static_cast<const uint8_t *>(found) - bytes;
}
