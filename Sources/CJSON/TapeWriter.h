#pragma once

#include "MemberName.h"
#include "Tape.h"

#include <rapidjson/reader.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>

/// Takes from RapidJSON what it reads, puts it on the tape, and stops it where SPEC 1 is narrower.
class tape_writer : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, tape_writer> {
public:
    /// Why reading was stopped.
    cjson_status failure = CJSON_OK;

    /// There must be room for one word more than the text has bytes: no byte makes more than one,
    /// but for a number the first. And for as many bytes of strings, and eight more to be read.
    tape_writer(uint64_t *words, uint8_t *strings, size_t depth_max)
        : words(words), strings(strings), depth_max(depth_max) {}

    bool Null() { return put(word('n')); }
    bool Bool(bool flag) { return put(word(flag ? 't' : 'f')); }

    bool StartObject() { return open('{'); }
    bool StartArray() { return open('['); }
    bool EndArray(rapidjson::SizeType elements) { return close(elements); }

    bool EndObject(rapidjson::SizeType members) {
        cjson_status status = check_names(members);
        return status == CJSON_OK ? close(members) : stop(status);
    }

    bool Key(const char *bytes, rapidjson::SizeType count, bool copy) {
        return String(bytes, count, copy);
    }

    bool String(const char *bytes, rapidjson::SizeType count, bool) {
        if (has_surrogate(bytes, count)) return stop(CJSON_STRING);
        std::memcpy(strings + strings_count, bytes, count);
        put(word('"', count, strings_count));
        strings_count += count;
        return true;
    }

    /// The number as it is written, with a NUL behind it: RapidJSON 1.1 rounds some wrongly.
    bool RawNumber(const char *text, rapidjson::SizeType count, bool) {
        bool is_negative = *text == '-';
        uint64_t number = 0;
        size_t at = is_negative;
        for (uint8_t digit; (digit = static_cast<uint8_t>(text[at] - '0')) <= 9; at++) {
            number = number * 10 + digit;
        }
        if (at < count) return real(text);
        if (at - is_negative > digits_max || number > integer_max) return stop(CJSON_NUMBER);
        put(word('l'));
        return put(is_negative ? 0 - number : number);
    }

    /// Numbers that RapidJSON has converted: it is not told to.
    bool Default() { return stop(CJSON_NUMBER); }

private:
    static constexpr uint64_t integer_max = (uint64_t{1} << 53) - 1;
    /// No integer that is allowed has more; of more the value may have overflowed.
    static constexpr size_t digits_max = 16;

    uint64_t *const words;
    uint8_t *const strings;
    const size_t depth_max;
    size_t words_count = 0;
    size_t strings_count = 0;
    size_t depth = 0;
    // The innermost object or array that is open; until it is closed, its word says which is the
    // one around it.
    size_t opened = 0;

    bool stop(cjson_status status) {
        failure = status;
        return false;
    }

    bool put(uint64_t word) {
        words[words_count++] = word;
        return true;
    }

    bool open(char type) {
        if (depth == depth_max) return stop(CJSON_TOO_DEEP);
        depth++;
        size_t outer = opened;
        opened = words_count;
        return put(word(type, 0, outer));
    }

    bool close(size_t count) {
        depth--;
        size_t outer = place(words[opened]);
        words[opened] = word(type(words[opened]), count, words_count);
        opened = outer;
        return true;
    }

    bool real(const char *text) {
        double number = std::strtod(text, nullptr);
        if (!std::isfinite(number)) return stop(CJSON_NUMBER);
        put(word('d'));
        uint64_t bits;
        std::memcpy(&bits, &number, sizeof bits);
        return put(bits);
    }

    /// True if an escape made half of a pair, which RapidJSON accepts if it is the second one.
    ///
    /// All else in the string is known to be UTF-8, in which these bytes do not follow each other.
    static bool has_surrogate(const char *bytes, size_t count) {
        const char *end = bytes + count;
        while ((bytes = static_cast<const char *>(
                    std::memchr(bytes, 0xED, static_cast<size_t>(end - bytes))))) {
            if (static_cast<uint8_t>(*++bytes) >= 0xA0) return true;
        }
        return false;
    }

    /// The index after the value at this one.
    size_t after(size_t index) const {
        switch (type(words[index])) {
        case '{':
        case '[': return place(words[index]);
        case 'l':
        case 'd': return index + 2;
        default: return index + 1;
        }
    }

    /// Whether the object that ends here has a name twice.
    cjson_status check_names(size_t members) const {
        std::array<member_name, pairwise_max> few;
        std::unique_ptr<member_name, decltype(&std::free)> many(nullptr, &std::free);
        if (members > few.size()) {
            many.reset(static_cast<member_name *>(std::malloc(members * sizeof(member_name))));
            if (many == nullptr) return CJSON_NO_MEMORY;
        }
        member_name *names = many ? many.get() : few.data(), *name = names;
        for (size_t at = opened + 1; at < words_count; at = after(at + 1)) {
            *name++ = member_name(
                strings + place(words[at]), static_cast<uint32_t>(count(words[at])));
        }
        return has_duplicate(names, members) ? CJSON_DUPLICATE_NAME : CJSON_OK;
    }
};
