#pragma once

#include "CJSON.h"

#include <algorithm>
#include <cstring>

/// The name of a member; most differ in their keys, so that their text is not looked at.
struct member_name {
    uint64_t key;
    const uint8_t *bytes;
    uint32_t count;

    member_name() = default;
    /// Eight bytes must be readable, whatever the length.
    member_name(const uint8_t *bytes, uint32_t count)
        : key(cjson_key(bytes, count)), bytes(bytes), count(count) {}

    bool operator==(const member_name &other) const {
        return key == other.key && count == other.count
            && std::memcmp(bytes, other.bytes, count) == 0;
    }
    bool operator<(const member_name &other) const {
        if (key != other.key) return key < other.key;
        if (count != other.count) return count < other.count;
        return std::memcmp(bytes, other.bytes, count) < 0;
    }
};

/// Objects up to this size are checked pair by pair, larger ones by sorting.
constexpr size_t pairwise_max = 8;

/// True if a name comes twice; they may change their order.
inline bool has_duplicate(member_name *names, size_t count) {
    if (count > pairwise_max) {
        std::sort(names, names + count);
        return std::adjacent_find(names, names + count) != names + count;
    }
    for (size_t i = 1; i < count; i++) {
        if (std::find(names, names + i, names[i]) != names + i) return true;
    }
    return false;
}
