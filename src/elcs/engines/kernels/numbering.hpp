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

}  // namespace elcs
