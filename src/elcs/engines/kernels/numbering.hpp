// Gives equal keys equal numbers: 0, 1, 2, ... in order of first appearance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace elcs {

// Open addressing over slots of four bytes, so that clearing them stays cheap (std::unordered_map: 5x slower).
class Numbering {
public:
    void start(size_t most_keys) {
        size_t size = 16;
        while (size < 2 * most_keys) size *= 2;
        slots_.assign(size, 0);
        keys_.clear();
    }
    uint32_t operator()(uint64_t key) {
        const uint64_t mixed = key * 0x9e3779b97f4a7c15u;
        size_t i = static_cast<size_t>(mixed ^ (mixed >> 32)) & (slots_.size() - 1);
        while (slots_[i] != 0 && keys_[slots_[i] - 1] != key) i = (i + 1) & (slots_.size() - 1);
        if (slots_[i] == 0) {
            keys_.push_back(key);
            slots_[i] = static_cast<uint32_t>(keys_.size());
        }
        return slots_[i] - 1;
    }
    size_t size() const { return keys_.size(); }

private:
    std::vector<uint32_t> slots_;  // 0: empty, else 1 + the number of the key
    std::vector<uint64_t> keys_;
};

// A column of codes of one, two or four bytes, all of them less than `width`.
struct Coded {
    const void* data;
    int bytes;
    uint64_t width;

    uint64_t operator[](size_t row) const {
        return bytes == 1   ? static_cast<const uint8_t*>(data)[row]
               : bytes == 2 ? static_cast<const uint16_t*>(data)[row]
                            : static_cast<const uint32_t*>(data)[row];
    }
};

// The first of the rows that have each combination of codes, and what they weigh together.
struct Distinct {
    std::vector<int64_t> rows, counts;

    Distinct(const std::vector<Coded>& columns, size_t n_rows, const int64_t* weights) {
        std::vector<uint64_t> keys(n_rows, 0);
        Numbering number;
        uint64_t used = 1;  // keys are less than this
        for (const Coded& column : columns) {
            if (used > UINT64_MAX / column.width) {  // they are numbered anew
                number.start(n_rows);
                for (uint64_t& key : keys) key = number(key);
                used = n_rows;
            }
            for (size_t row = 0; row < n_rows; ++row) keys[row] = keys[row] * column.width + column[row];
            used *= column.width;
        }
        number.start(n_rows);
        for (size_t row = 0; row < n_rows; ++row) {
            const uint32_t at = number(keys[row]);
            if (at == rows.size()) {
                rows.push_back(static_cast<int64_t>(row));
                counts.push_back(0);
            }
            counts[at] += weights[row];
        }
    }
};

}  // namespace elcs
