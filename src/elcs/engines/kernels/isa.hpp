// The instruction sets the counting loops are compiled for, and the choice among them at run time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "bits.hpp"

#if defined(__x86_64__) && ELCS_GNU
#define ELCS_X86 1
#include <immintrin.h>
#else
#define ELCS_X86 0
#endif

namespace elcs {

constexpr size_t block_words = 512;  // 4 KiB of each bitmap at a time: 9 bitmaps of a typical query fit in L1
constexpr size_t block_rows = 8192;  // 16 KiB of 16-bit keys at a time

// One column as the loops see it: codes of one or two bytes, and a bitmap per level (null: none was built). In a column
// with gaps the code after the last level means that the value is missing. Such a row is in no bitmap of a level, so
// intersections leave it out, and after these there is a bitmap of the rows that have a value.
struct Operand {
    const void* codes;
    const uint64_t* bitmaps;
    size_t words;  // of one bitmap, padded with zeros to a multiple of 8
    uint32_t levels;
    bool wide, gaps;
    const uint64_t* bitmap(uint32_t level) const { return bitmaps + level * words; }
    const uint64_t* present() const { return bitmap(levels); }
    // How many levels must be counted: the rest of the rows have the last one, unless there are gaps.
    uint32_t levels_to_count() const { return gaps ? levels : levels - 1; }
};

// A column of an expanded table, as a function of what a variable holds in a row; 0 where nothing is held.
struct Feature {
    const double* values;  // NaN: nothing; null: this is the indicator of a level, and `codes` counts
    double shift, scale;
    int power;  // 1: v = (value - shift) * scale; 2: v² - 1; 3: v³ - 3v
    const void* codes;
    int bytes;  // of a code: 1, 2 or 4
    uint32_t level;
};

// The rows in one cell of a table: as a bitmap and, where they are few, as a list too.
struct Part {
    const uint64_t* rows;
    const uint32_t* few;  // null: the bitmap is faster
    int64_t count;
    size_t cell;
};

// ELCS_LANES: how many numbers fit in a register. It also tells the sets apart; what the compiler defines for that, clang does
// not define for a part of a file.
#define ELCS_ISA baseline
#define ELCS_LANES 2
#include "hot.inc"
#undef ELCS_LANES
#undef ELCS_ISA

#if ELCS_X86
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,popcnt,bmi,bmi2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,popcnt,bmi,bmi2")
#endif
#define ELCS_ISA avx2
#define ELCS_LANES 4
#include "hot.inc"
#undef ELCS_LANES
#undef ELCS_ISA
#if defined(__clang__)
#pragma clang attribute pop
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512vl,avx512vpopcntdq,popcnt,bmi,bmi2"))), apply_to = function)
#pragma clang attribute push(__attribute__((min_vector_width(512))), apply_to = function)
#else
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512vpopcntdq,popcnt,bmi,bmi2,prefer-vector-width=512")
#endif
#define ELCS_ISA avx512
#define ELCS_LANES 8
#include "hot.inc"
#undef ELCS_LANES
#undef ELCS_ISA
#if defined(__clang__)
#pragma clang attribute pop
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif

struct Isa {
    const char* name;
    // Up to this many cells a table is counted by bitmaps, above by increments. By bitmaps a cell has a fixed cost per
    // 64 rows, by increments a row costs the same whatever the number of cells, so the crossing does not depend on
    // the number of rows. Zen 3, Alarm, |Z| = 2: 3.7 us by increments alone, 1.76 us with the crossing at 130-200.
    size_t bitmap_cells;
    decltype(&baseline::count_bitmaps) count_bitmaps;
    decltype(&baseline::count_increments) count_increments;
    decltype(&baseline::keys_of_rows) keys_of_rows;
    decltype(&baseline::mark_gaps) mark_gaps;
    decltype(&baseline::count_common) count_common;
    decltype(&baseline::split_parts) split_parts;
    decltype(&baseline::list_rows) list_rows;
    decltype(&baseline::count_in_part) count_in_part, count_present_in_part;
    decltype(&baseline::count_lacking) count_lacking;
    decltype(&baseline::look_up) look_up;
    decltype(&baseline::raise) raise;
    decltype(&baseline::indicate) indicate;
    decltype(&baseline::multiply) multiply;
    decltype(&baseline::dot_with_four) dot_with_four;
    decltype(&baseline::dot_four_by_four) dot_four_by_four;
};

#define ELCS_LOOPS(isa) \
    isa::count_bitmaps, isa::count_increments, isa::keys_of_rows, isa::mark_gaps, isa::count_common, \
    isa::split_parts, isa::list_rows, isa::count_in_part, isa::count_present_in_part, isa::count_lacking, \
    isa::look_up, isa::raise, isa::indicate, isa::multiply, isa::dot_with_four, isa::dot_four_by_four

// The instruction sets this processor has, slowest first.
inline std::vector<Isa> available_isas() {
    std::vector<Isa> isas;
    isas.push_back({"baseline", 32, ELCS_LOOPS(baseline)});
#if ELCS_X86
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2"))
        isas.push_back({"avx2", 160, ELCS_LOOPS(avx2)});
    if (__builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl"))
        isas.push_back({"avx512", 320, ELCS_LOOPS(avx512)});
#endif
    return isas;
}

struct UnknownCpu : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The best instruction set, or the one that the environment variable ELCS_CPU names.
inline Isa choose_isa() {
    const std::vector<Isa> isas = available_isas();
    const char* wanted = std::getenv("ELCS_CPU");
    if (wanted == nullptr || *wanted == '\0') return isas.back();
    std::string names;
    for (const Isa& isa : isas) {
        if (std::strcmp(isa.name, wanted) == 0) return isa;
        names += std::string(names.empty() ? "" : ", ") + isa.name;
    }
    throw UnknownCpu(std::string("ELCS_CPU is '") + wanted + "', but this processor offers: " + names);
}

}  // namespace elcs
