// What a test already measured, keyed by the exact question and bounded in size.
#pragma once

#include <cstring>

#include "statistic.hpp"

namespace elcs {

// x < y and the sorted conditioning set, 16 bits a variable. Longer questions, or a table of 65,535 columns and
// more, are not remembered: an exact key is worth more than a hash that may collide.
struct Question {
    static constexpr int most_variables = 8;
    uint64_t low = 0, high = 0;

    static bool fits(int m, size_t n_columns) { return m <= most_variables && n_columns < 65535; }
    Question() = default;
    Question(const int* variables, int m) {
        for (int i = 0; i < m; ++i) {
            const uint64_t id = static_cast<uint64_t>(variables[i]) + 1;
            if (i < 4) low |= id << (16 * i);
            else high |= id << (16 * (i - 4));
        }
    }
    bool operator==(const Question& other) const { return low == other.low && high == other.high; }
    size_t hash() const {
        uint64_t h = low * 0x9e3779b97f4a7c15u ^ (high + (low >> 32)) * 0xc2b2ae3d27d4eb4fu;
        return static_cast<size_t>(h ^ (h >> 29));
    }
};

// Open addressing, at most half full. It doubles up to its bound and then starts afresh.
class Cache {
public:
    explicit Cache(size_t most) : most_(most) { clear(); }

    void clear() {
        entries_.assign(most_ == 0 ? 0 : first_size, Entry{});
        used_ = 0;
    }
    bool enabled() const { return most_ > 0; }
    size_t size() const { return used_; }

    // Says that a question will be looked up soon. A full cache takes 64 MB: most questions have to be waited for.
    void fetch(const Question& q) const { __builtin_prefetch(&entries_[q.hash() & (entries_.size() - 1)]); }

    const Measure* find(const Question& q) const {
        const Entry& entry = entries_[slot(q)];
        return entry.question == q ? &entry.measure : nullptr;
    }
    void store(const Question& q, const Measure& measure) {
        if (used_ >= most_) clear();
        if (2 * (used_ + 1) > entries_.size()) grow();
        entries_[slot(q)] = {q, measure};
        ++used_;
    }

private:
    static constexpr size_t first_size = 1024;
    struct Entry {
        Question question;
        Measure measure{};
    };

    // Where q is, or the empty entry where it belongs; no question is all zeros.
    size_t slot(const Question& q) const {
        size_t i = q.hash() & (entries_.size() - 1);
        while (!(entries_[i].question == q) && !(entries_[i].question == Question{})) i = (i + 1) & (entries_.size() - 1);
        return i;
    }
    void grow() {
        std::vector<Entry> old(entries_.size() * 2);
        old.swap(entries_);
        for (const Entry& entry : old)
            if (!(entry.question == Question{})) entries_[slot(entry.question)] = entry;
    }

    size_t most_, used_ = 0;
    std::vector<Entry> entries_;
};

}  // namespace elcs
