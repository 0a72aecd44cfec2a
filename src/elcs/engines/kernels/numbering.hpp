// Gives equal keys equal numbers: 0, 1, 2, ... in order of first appearance.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "bits.hpp"

namespace elcs {

// Open addressing over slots of four bytes, so that clearing them stays cheap (std::unordered_map: 5x slower). It grows with
// the keys: with room for as many as there are rows, it missed the cache far more often.
class Numbering {
public:
    void start() {
        slots_.assign(16, 0);
        keys_.clear();
    }
    // What a key weighs is kept beside it, where it has been brought into the cache for the comparison.
    uint32_t operator()(uint64_t key, int64_t weight = 0) {
        size_t i = slot_of(key);
        while (slots_[i] != 0 && keys_[slots_[i] - 1].key != key) i = (i + 1) & (slots_.size() - 1);
        if (slots_[i] == 0) {
            keys_.push_back({key, 0});
            slots_[i] = static_cast<uint32_t>(keys_.size());
            if (2 * keys_.size() > slots_.size()) i = grow();
        }
        keys_[slots_[i] - 1].weight += weight;
        return slots_[i] - 1;
    }
    size_t size() const { return keys_.size(); }
    int64_t weight(size_t number) const { return keys_[number].weight; }

    // Puts numbers in the place of keys. What later ones need is brought into the cache meanwhile. With the weights beside the
    // keys, 20 columns of 6.4 million rows, a million combinations, take .17 s instead of .25; without that it gains nothing.
    void operator()(uint64_t* keys, const int64_t* weights, size_t n) {
        for (size_t i = 0; i < n; ++i) {
            if (i + 2 * ahead < n) prefetch(&slots_[slot_of(keys[i + 2 * ahead])]);
            if (i + ahead < n)
                if (const uint32_t number = slots_[slot_of(keys[i + ahead])]) prefetch(&keys_[number - 1]);
            keys[i] = (*this)(keys[i], weights[i]);
        }
    }

private:
    static constexpr size_t ahead = 16;

    struct Weighed {
        uint64_t key;
        int64_t weight;
    };

    size_t slot_of(uint64_t key) const {
        const uint64_t mixed = key * 0x9e3779b97f4a7c15u;
        return static_cast<size_t>(mixed ^ (mixed >> 32)) & (slots_.size() - 1);
    }
    // Returns the slot of the last key.
    size_t grow() {
        slots_.assign(4 * slots_.size(), 0);
        size_t i = 0;
        for (size_t n = 0; n < keys_.size(); ++n) {
            i = slot_of(keys_[n].key);
            while (slots_[i] != 0) i = (i + 1) & (slots_.size() - 1);
            slots_[i] = static_cast<uint32_t>(n + 1);
        }
        return i;
    }

    std::vector<uint32_t> slots_;  // 0: empty, else 1 + the number of the key
    std::vector<Weighed> keys_;
};

// A column of codes of one, two or four bytes, all of them less than `width`.
struct Coded {
    const void* data;
    int bytes;
    uint64_t width;

    // Makes room for this column in the keys of some rows, and adds its codes.
    template <class Key>
    void join(size_t first, size_t n, Key* keys) const {
        bytes == 1   ? joined(static_cast<const uint8_t*>(data) + first, n, keys)
        : bytes == 2 ? joined(static_cast<const uint16_t*>(data) + first, n, keys)
                     : joined(static_cast<const uint32_t*>(data) + first, n, keys);
    }

private:
    template <class Code, class Key>
    void joined(const Code* codes, size_t n, Key* keys) const {
        using Product = std::common_type_t<Key, unsigned>;  // of two numbers of 16 bits an int would be
        const auto times = static_cast<Product>(width);
        for (size_t i = 0; i < n; ++i) keys[i] = static_cast<Key>(keys[i] * times + codes[i]);
    }
};

// The first of the rows that have each combination of codes, and what they weigh together. Rows are gone through a block at a
// time, whose keys stay in the cache: 1.3 million rows of 10 columns take 12 ms instead of 24.
struct Distinct {
    std::vector<int64_t> rows, counts;

    Distinct(const std::vector<Coded>& columns, size_t n_rows, const int64_t* weights) {
        std::vector<uint64_t> keys(block);
        std::vector<size_t> ends;  // where keys would become too large, so that they are numbered
        uint64_t used = 1;
        for (size_t c = 0; c < columns.size(); ++c) {
            if (used > UINT64_MAX / columns[c].width) {
                ends.push_back(c);
                used = n_rows;
            }
            used *= columns[c].width;
        }
        ends.push_back(columns.size());
        std::vector<Numbering> numberings(ends.size());
        for (Numbering& number : numberings) number.start();
        for (size_t first = 0; first < n_rows; first += block) {
            const size_t n = std::min(block, n_rows - first);
            std::fill(keys.begin(), keys.end(), 0);
            for (size_t part = 0, c = 0; part < ends.size(); ++part) {
                join(columns, c, ends[part], first, n, keys.data());
                c = ends[part];
                numberings[part](keys.data(), weights + first, n);
            }
            for (size_t i = 0; i < n; ++i)
                if (keys[i] == rows.size()) rows.push_back(static_cast<int64_t>(first + i));
        }
        for (size_t number = 0; number < rows.size(); ++number) counts.push_back(numberings.back().weight(number));
    }

private:
    static constexpr size_t block = 2048;

    // Adds the codes of some columns to the keys of n rows. As long as they fit into 16 bits they are put together there, as
    // a register holds four times as many: 6.4 million rows of 20 columns take .12 s in all instead of .16.
    static void join(const std::vector<Coded>& columns, size_t from, size_t to, size_t first, size_t n, uint64_t* keys) {
        constexpr uint64_t widest = 1 << 16;
        uint16_t some[block];
        uint64_t width = 1;
        const auto flush = [&] {
            for (size_t i = 0; width > 1 && i < n; ++i) keys[i] = keys[i] * width + some[i];
            width = 1;
        };
        for (size_t c = from; c < to; ++c) {
            if (width * columns[c].width > widest) flush();
            if (columns[c].width > widest) {
                columns[c].join(first, n, keys);
                continue;
            }
            if (width == 1) std::fill(some, some + n, 0);
            columns[c].join(first, n, some);
            width *= columns[c].width;
        }
        flush();
    }
};

}  // namespace elcs
