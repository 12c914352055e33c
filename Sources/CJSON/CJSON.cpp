#include "CJSON.h"
#include "PlainReader.h"
#include "TapeWriter.h"

#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <cstdlib>
#include <cstring>
#include <new>

namespace {

/// Where RapidJSON keeps the string or number that it is in, and what is open around it: memory
/// that is there, as much as it can ever want at once.
class given_memory {
public:
    /// Nothing by default, which is never used: RapidJSON could make one of its own.
    given_memory(void *bytes = nullptr, size_t count = 0) : bytes(bytes), count(count) {}

    void *Malloc(size_t wanted) { return wanted <= count ? bytes : nullptr; }
    void *Realloc(void *, size_t, size_t wanted) { return Malloc(wanted); }
    static void Free(void *) {}

private:
    void *bytes;
    size_t count;
};

using reader = rapidjson::GenericReader<rapidjson::UTF8<>, rapidjson::UTF8<>, given_memory>;

/// Iterative: no text makes it use more of the C stack.
constexpr unsigned flags = rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag
    | rapidjson::kParseNumbersAsStringsFlag;

cjson_status status(rapidjson::ParseErrorCode error) {
    switch (error) {
    case rapidjson::kParseErrorNone: return CJSON_OK;
    case rapidjson::kParseErrorDocumentEmpty: return CJSON_EMPTY;
    case rapidjson::kParseErrorStringInvalidEncoding: return CJSON_NOT_UTF8;
    case rapidjson::kParseErrorStringUnicodeEscapeInvalidHex:
    case rapidjson::kParseErrorStringUnicodeSurrogateInvalid:
    case rapidjson::kParseErrorStringEscapeInvalid:
    case rapidjson::kParseErrorStringMissQuotationMark: return CJSON_STRING;
    case rapidjson::kParseErrorNumberTooBig:
    case rapidjson::kParseErrorNumberMissFraction:
    case rapidjson::kParseErrorNumberMissExponent: return CJSON_NUMBER;
    default: return CJSON_SYNTAX;
    }
}

/// True if so many bytes behind the text can be read.
bool is_readable_behind(const uint8_t *bytes, size_t count, size_t padding) {
#if defined(__SANITIZE_ADDRESS__)
    return false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
    return false;
#endif
#endif
    // No page is smaller than this, and what is on the page of the last byte can be read.
    constexpr uintptr_t page = 4096;
    return (reinterpret_cast<uintptr_t>(bytes + count - 1) & (page - 1)) + padding < page;
}

} // namespace

struct cjson_parser {
    plain_reader plain;
    size_t depth_max;
    /// One piece of memory, for texts of so many bytes: words, then RapidJSON's own, then strings.
    uint8_t *memory = nullptr;
    size_t capacity = 0;

    ~cjson_parser() { std::free(memory); }

    bool reserve(size_t count) {
        if (memory != nullptr && count <= capacity) return true;
        std::free(memory);
        capacity = count;
        memory = static_cast<uint8_t *>(
            std::malloc(words_bytes() + own_bytes() + strings_bytes()));
        return memory != nullptr;
    }

    // How much the texts need, as tape_writer says.
    size_t words_bytes() const { return (capacity + 1) * sizeof(uint64_t); }
    /// Two numbers for each level, and behind them a string or number that may be nearly all of the
    /// text: with a NUL after it, or with up to three of them where a scalar is cut off.
    size_t own_bytes() const { return (depth_max + 1) * 8 + capacity + 4; }
    size_t strings_bytes() const { return capacity + 8; }

    cjson_status read(const uint8_t *bytes, size_t count, cjson_tape *tape) {
        if (count == 0) return CJSON_EMPTY;
        if (count >= 3 && std::memcmp(bytes, "\xEF\xBB\xBF", 3) == 0) return CJSON_BOM;
        if (is_readable_behind(bytes, count, plain_reader::padding)
            && plain.read(bytes, count, tape)) {
            return CJSON_OK;
        }
        if (count > CJSON_TEXT_BYTES_MAX || !reserve(count)) return CJSON_NO_MEMORY;
        auto *words = reinterpret_cast<uint64_t *>(memory);
        given_memory own(memory + words_bytes(), own_bytes());
        uint8_t *strings = memory + words_bytes() + own_bytes();
        *tape = {words, strings};
        return read(bytes, count, tape_writer(words, strings, depth_max), own);
    }

    cjson_status read(
        const uint8_t *bytes, size_t count, tape_writer writer, given_memory own) const {
        reader reader(&own, own_bytes());
        rapidjson::MemoryStream text(reinterpret_cast<const char *>(bytes), count);
        rapidjson::ParseErrorCode error = reader.Parse<flags>(text, writer).Code();
        if (error == rapidjson::kParseErrorTermination) return writer.failure;
        // RapidJSON takes a NUL between values for the end.
        bool is_at_end = error == rapidjson::kParseErrorNone
            || error == rapidjson::kParseErrorDocumentEmpty;
        return is_at_end && text.Tell() != count ? CJSON_SYNTAX : status(error);
    }
};

cjson_parser *cjson_new(size_t capacity, size_t depth_max) {
    auto *parser = new (std::nothrow) cjson_parser();
    if (parser == nullptr) return nullptr;
    parser->depth_max = depth_max;
    if (!parser->reserve(capacity)) {
        delete parser;
        return nullptr;
    }
    return parser;
}

void cjson_free(cjson_parser *parser) { delete parser; }

cjson_status cjson_read(
    cjson_parser *parser, const uint8_t *bytes, size_t count, cjson_tape *tape) {
    return parser->read(bytes, count, tape);
}

size_t cjson_find(const uint8_t *bytes, size_t count, uint8_t byte) {
    if (count == 0) return 0;
    const void *found = std::memchr(bytes, byte, count);
    return found == nullptr ? count : static_cast<const uint8_t *>(found) - bytes;
}
