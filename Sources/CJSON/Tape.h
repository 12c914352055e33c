#pragma once

#include <cstddef>
#include <cstdint>

/// A word of the tape, as CJSON.h says.
inline uint64_t word(char type, size_t count = 0, size_t place = 0) {
    return static_cast<uint64_t>(type) << 56 | static_cast<uint64_t>(count) << 32 | place;
}

inline char type(uint64_t word) { return static_cast<char>(word >> 56); }
inline size_t count(uint64_t word) { return word >> 32 & 0xFFFFFF; }
inline size_t place(uint64_t word) { return static_cast<uint32_t>(word); }
