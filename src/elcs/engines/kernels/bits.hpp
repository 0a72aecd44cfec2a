// What every compiler has, but C++17 has not: the bits of a word, and several numbers at once.
#pragma once

#include <cstddef>
#include <cstdint>

// gcc and clang have these built in. MSVC gets plain C++; -DELCS_PORTABLE compiles that by the others too, to try it.
#if defined(__GNUC__) && !defined(ELCS_PORTABLE)
#define ELCS_GNU 1
#else
#define ELCS_GNU 0
#endif

namespace elcs {

inline int count_ones(uint64_t v) {
    v -= (v >> 1) & 0x5555555555555555u;
    v = (v & 0x3333333333333333u) + ((v >> 2) & 0x3333333333333333u);
    return static_cast<int>((((v + (v >> 4)) & 0x0f0f0f0f0f0f0f0fu) * 0x0101010101010101u) >> 56);
}

// The place of the lowest bit that is set; there must be one.
inline int lowest_one(uint64_t v) {
#if ELCS_GNU
    return __builtin_ctzll(v);
#else
    return count_ones(~v & (v - 1));
#endif
}

// The place of the highest bit that is set; there must be one.
inline int highest_one(uint64_t v) {
    int place = 0;
    for (int half = 32; half > 0; half /= 2)
        if (v >> half != 0) {
            v >>= half;
            place += half;
        }
    return place;
}

// Numbers that are added and multiplied side by side; gcc and clang have types for them.
template <int N>
struct Several {
    double number[N];
    double operator[](size_t i) const { return number[i]; }
    Several operator*(const Several& other) const {
        Several product;
        for (int i = 0; i < N; ++i) product.number[i] = number[i] * other.number[i];
        return product;
    }
    void operator+=(const Several& other) {
        for (int i = 0; i < N; ++i) number[i] += other.number[i];
    }
};

// Has some memory brought into the cache, without waiting for it.
inline void prefetch(const void* address) {
#if ELCS_GNU
    __builtin_prefetch(address);
#else
    (void)address;
#endif
}

}  // namespace elcs
