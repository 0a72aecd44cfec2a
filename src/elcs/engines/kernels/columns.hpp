// A table of coded columns, and contingency tables of any few of them.
#pragma once

#include <algorithm>
#include <memory>
#include <new>
#include <numeric>
#include <thread>

#include "isa.hpp"

namespace elcs {

struct AlignedFree {
    void operator()(void* p) const { ::operator delete(p, std::align_val_t{64}); }
};
template <class T>
using Aligned = std::unique_ptr<T[], AlignedFree>;

template <class T>
Aligned<T> aligned_zeros(size_t n) {
    const size_t bytes = (std::max<size_t>(n, 1) * sizeof(T) + 63) / 64 * 64;
    void* p = ::operator new(bytes, std::align_val_t{64});
    std::memset(p, 0, bytes);
    return Aligned<T>(static_cast<T*>(p));
}

// One input column; the memory belongs to the caller.
struct Codes {
    const void* data;
    bool wide;  // two bytes a code instead of one
    uint32_t levels;
    bool gaps;  // the code after the last level means that the value is missing
};

// The rows of each non-empty cell of a table over some variables, in the order of the cells.
struct Split {
    static constexpr size_t most_words = 1 << 15;  // 256 KiB, half of an L2 cache
    std::vector<Part> parts, finer;
    Aligned<uint64_t> bitmaps[2];  // of the parts, and of those being split
    std::vector<uint32_t> lists;
    size_t n_unlisted = 0;
};

class Columns {
public:
    static constexpr uint32_t most_bitmap_levels = 64;  // more than any query that bitmaps win on (isa.hpp)
    static constexpr size_t rows_per_thread = 1 << 19;  // a thread costs 20 us to start, these rows 200 and more

    Columns(const std::vector<Codes>& codes, size_t n_rows, const int64_t* weights, int threads)
        : isa_(choose_isa()), n_rows_(n_rows), weights_(weights), total_(static_cast<int64_t>(n_rows)),
          threads_(threads) {
        if (weights != nullptr) {
            total_ = std::accumulate(weights, weights + n_rows, int64_t{0});
            weighted_ = std::any_of(weights, weights + n_rows, [](int64_t w) { return w < 0 || w > 1; });
            if (!weighted_) mask_.assign(weights, weights + n_rows);
        }
        for (size_t i = 0; i < mask_.size(); ++i)
            if (mask_[i]) kept_.push_back(static_cast<uint32_t>(i));
        words_ = (n_kept() + 511) / 512 * 8;
        for (const Codes& c : codes) c.wide ? add<uint16_t>(c) : add<uint8_t>(c);
        if (weighted_) return;
        all_ = aligned_zeros<uint64_t>(words_);
        for (int64_t i = 0; i < total_; ++i) all_[i / 64] |= uint64_t{1} << (i % 64);
    }

    size_t n_rows() const { return n_rows_; }
    int64_t total() const { return total_; }
    size_t size() const { return columns_.size(); }
    uint32_t levels(int v) const { return columns_[v].levels; }
    bool gaps(int v) const { return columns_[v].gaps; }
    bool any_gaps() const { return any_gaps_; }
    int64_t weight(size_t row) const { return weights_ == nullptr ? 1 : weights_[row]; }
    const char* isa() const { return isa_.name; }

    std::vector<Operand> operands(const int* variables, int m) const {
        std::vector<Operand> v(m);
        for (int i = 0; i < m; ++i) v[i] = columns_[variables[i]];
        return v;
    }

    // keys[i] = the cell of row i in the table over these operands; the caller knows that it fits in 64 bits. Of a row
    // with a gap there it says nothing.
    void keys(const std::vector<Operand>& v, uint64_t* keys) const {
        isa_.keys_of_rows(v.data(), static_cast<int>(v.size()), 0, n_rows_, keys, 0);
    }

    // The weight of each row; none for a row that lacks one of these variables.
    void weigh(const int* variables, int m, std::vector<int64_t>& weights) const {
        if (weights_ == nullptr) weights.assign(n_rows_, 1);
        else weights.assign(weights_, weights_ + n_rows_);
        isa_.mark_gaps(operands(variables, m).data(), m, n_rows_, weights.data(), 0);
    }

    // How many rows have all of these variables, which have gaps; weights counted.
    int64_t complete(const int* variables, int m, std::vector<int64_t>& scratch) const {
        if (m == 1) return std::accumulate(margins_[*variables].begin(), margins_[*variables].end(), int64_t{0});
        if (weighted_) {
            weigh(variables, m, scratch);
            return std::accumulate(scratch.begin(), scratch.end(), int64_t{0});
        }
        std::vector<const uint64_t*> present(m);
        for (int i = 0; i < m; ++i) present[i] = present_[variables[i]];
        return isa_.count_common(present.data(), m, words_);
    }

    // Dense counts into table[cells], the last variable's level changing fastest. Rows with gaps are left out.
    void count(const int* variables, int m, std::vector<int64_t>& table, size_t cells) const {
        if (m == 1) {
            table = margins_[variables[0]];
            return;
        }
        std::vector<Operand> v = operands(variables, m);
        bool bitmaps = !weighted_ && cells <= isa_.bitmap_cells, gaps = false;
        for (const Operand& o : v) {
            bitmaps = bitmaps && o.bitmaps != nullptr;
            gaps = gaps || o.gaps;
        }
        if (bitmaps) {
            table.assign(cells, 0);
            return count_by_bitmaps(variables, v, table);
        }
        // The mask is one more variable, the first, of which one level is wanted. Rows with gaps get a cell of their own.
        const size_t unwanted = mask_.empty() ? 0 : cells;
        if (unwanted > 0) v.insert(v.begin(), {mask_.data(), nullptr, words_, 2, false, false});
        table.assign(unwanted + cells + gaps, 0);
        if (weighted_) count_weighted(v, table);
        else count_by_increments(v, table);
        table.erase(table.begin(), table.begin() + static_cast<ptrdiff_t>(unwanted));
        table.resize(cells);
    }

    // Splits the rows by these variables; false if there are no bitmaps, or those of the split would leave the cache.
    bool split(const int* variables, int m, Split& split) const {
        size_t words = words_;
        for (int i = 0; i < m; ++i) {
            const Operand& by = columns_[variables[i]];
            if (by.bitmaps == nullptr || (words *= by.levels) > Split::most_words) return false;
        }
        if (!split.bitmaps[0])
            for (auto& bitmaps : split.bitmaps) bitmaps = aligned_zeros<uint64_t>(Split::most_words);
        split.parts.assign(1, {all_.get(), nullptr, total_, 0});
        for (int i = 0; i < m; ++i) {
            const Operand& by = columns_[variables[i]];
            split.finer.resize(split.parts.size() * by.levels);
            split.finer.resize(isa_.split_parts(split.parts.data(), split.parts.size(), by, split.finer.data(),
                                                split.bitmaps[i % 2].get()));
            split.parts.swap(split.finer);
        }
        split.n_unlisted = split.parts.size();
        split.lists.resize(n_rows_);
        uint32_t* list = split.lists.data();
        for (Part& part : split.parts) {
            if (part.count > static_cast<int64_t>(words_ / 8)) continue;
            isa_.list_rows(part.rows, words_, list);
            part.few = list;
            for (const uint32_t* end = list + part.count; list < end; ++list) *list = static_cast<uint32_t>(kept(*list));
            --split.n_unlisted;
        }
        return true;
    }

    bool pays_to_count_in(const Split& split, int y) const {
        return columns_[y].bitmaps != nullptr && split.n_unlisted * columns_[y].levels_to_count() <= isa_.bitmap_cells;
    }
    const Operand& column(int v) const { return columns_[v]; }
    auto counter_of(int y) const { return gaps(y) ? isa_.count_present_in_part : isa_.count_in_part; }

private:
    size_t n_kept() const { return mask_.empty() ? n_rows_ : kept_.size(); }
    size_t kept(size_t i) const { return mask_.empty() ? i : kept_[i]; }

    template <class Code>
    void add(const Codes& c) {
        const Code* codes = static_cast<const Code*>(c.data);
        Code most = 0;
        for (size_t i = 0; i < n_rows_; ++i) most = std::max(most, codes[i]);
        if (most >= c.levels + c.gaps) throw std::invalid_argument("a code is not below its column's number of levels");
        Operand column{c.data, nullptr, words_, c.levels, c.wide, c.gaps};
        std::vector<int64_t> margin(c.levels + c.gaps, 0);
        uint64_t* bitmaps = nullptr;
        if (!weighted_ && c.levels <= most_bitmap_levels)
            column.bitmaps = bitmaps = bitmaps_.emplace_back(aligned_zeros<uint64_t>(words_ * margin.size())).get();
        for (size_t i = 0, n = n_kept(), words = words_; i < n; ++i) {
            const size_t row = kept(i);
            margin[codes[row]] += weight(row);
            if (bitmaps != nullptr) bitmaps[codes[row] * words + i / 64] |= uint64_t{1} << (i % 64);
        }
        margin.resize(c.levels);
        any_gaps_ = any_gaps_ || c.gaps;
        uint64_t* present = nullptr;
        if (c.gaps && !weighted_) {
            present = bitmaps != nullptr ? bitmaps + c.levels * words_
                                         : bitmaps_.emplace_back(aligned_zeros<uint64_t>(words_)).get();
            mark_present(codes, c.levels, present);
        }
        columns_.push_back(column);
        margins_.push_back(std::move(margin));
        present_.push_back(present);
    }

    template <class Code>
    void mark_present(const Code* codes, uint32_t levels, uint64_t* present) const {
        for (size_t first = 0, n = n_kept(); first < n; first += 64) {
            uint64_t bits = 0;
            for (size_t i = first; i < std::min(n, first + 64); ++i) bits |= uint64_t{codes[kept(i)] < levels} << (i - first);
            present[first / 64] = bits;
        }
    }

    // Runs part(first, last, t) over [0, n) in pieces, each a multiple of `step`, on as many threads as pay.
    template <class Part>
    void in_parallel(size_t n, size_t step, Part part) const {
        const int pieces = pieces_for_rows();
        if (pieces == 1) return part(size_t{0}, n, 0);
        const size_t size = (n / pieces / step + 1) * step;
        std::vector<std::thread> others;
        for (int t = 1; t < pieces; ++t)
            others.emplace_back([=] { part(std::min(n, t * size), std::min(n, (t + 1) * size), t); });
        part(size_t{0}, std::min(n, size), 0);
        for (std::thread& other : others) other.join();
    }

    int pieces_for_rows() const {
        return std::max(1, std::min<int>(threads_, static_cast<int>(n_rows_ / rows_per_thread)));
    }

    void count_by_bitmaps(const int* variables, const std::vector<Operand>& v, std::vector<int64_t>& table) const {
        const int m = static_cast<int>(v.size()), pieces = pieces_for_rows();
        const size_t cells = table.size(), scratch_words = block_words * (m - 1);
        if (pieces == 1) {
            alignas(64) uint64_t few[block_words * 4];
            Aligned<uint64_t> many;
            if (m > 5) many = aligned_zeros<uint64_t>(scratch_words);
            isa_.count_bitmaps(v.data(), m, 0, words_, table.data(), cells, m > 5 ? many.get() : few);
        } else {
            Aligned<uint64_t> scratch = aligned_zeros<uint64_t>(scratch_words * pieces);
            std::vector<int64_t> tables(cells * pieces, 0);
            in_parallel(words_, 8, [&](size_t first, size_t last, int t) {
                isa_.count_bitmaps(v.data(), m, first, last, &tables[cells * t], cells,
                                   scratch.get() + scratch_words * t);
            });
            for (size_t i = 0; i < tables.size(); ++i) table[i % cells] += tables[i];
        }
        if (m == 2) complete_margins(variables[0], variables[1], table);
    }

    // The loop over bitmaps leaves the last row and column of an unconditional table to their known sums: all rows that
    // have x are in a table with a y that has no gaps.
    void complete_margins(int x, int y, std::vector<int64_t>& table) const {
        const std::vector<int64_t>&row = margins_[x], &column = margins_[y];
        const size_t nx = row.size(), ny = column.size();
        for (size_t i = 0; !gaps(y) && i < columns_[x].levels_to_count(); ++i) {
            int64_t rest = row[i];
            for (size_t j = 0; j + 1 < ny; ++j) rest -= table[i * ny + j];
            table[i * ny + ny - 1] = rest;
        }
        for (size_t j = 0; !gaps(x) && j < ny; ++j) {
            int64_t rest = column[j];
            for (size_t i = 0; i + 1 < nx; ++i) rest -= table[i * ny + j];
            table[(nx - 1) * ny + j] = rest;
        }
    }

    void count_by_increments(const std::vector<Operand>& v, std::vector<int64_t>& table) const {
        const int m = static_cast<int>(v.size()), pieces = pieces_for_rows();
        const size_t cells = table.size();
        const bool interleaved = 4 * cells <= n_rows_;  // else clearing four tables costs more than the waits
        const size_t lanes = interleaved ? 4 : 1;
        std::vector<uint32_t> tables(cells * lanes * pieces, 0);
        in_parallel(n_rows_, 64, [&](size_t first, size_t last, int t) {
            alignas(64) uint32_t keys[block_rows];
            isa_.count_increments(v.data(), m, first, last, &tables[cells * lanes * t], cells, interleaved, keys);
        });
        const uint32_t* from = tables.data();
        for (size_t lane = 0; lane < lanes * pieces; ++lane, from += cells)
            for (size_t cell = 0; cell < cells; ++cell) table[cell] += from[cell];
    }

    void count_weighted(const std::vector<Operand>& v, std::vector<int64_t>& table) const {
        uint64_t keys[block_rows / 4];
        for (size_t first = 0; first < n_rows_; first += block_rows / 4) {
            const size_t n = std::min(n_rows_ - first, block_rows / 4);
            isa_.keys_of_rows(v.data(), static_cast<int>(v.size()), first, n, keys, table.size() - 1);
            for (size_t i = 0; i < n; ++i) table[keys[i]] += weights_[first + i];
        }
    }

    Isa isa_;
    size_t n_rows_, words_ = 0;
    const int64_t* weights_;
    bool weighted_ = false;  // by weights other than 0 and 1
    // Weights of 0 and 1 choose rows. A bitmap has a bit for each row kept, not for each row: half of the rows of Alarm
    // take 0.22 ms to prepare instead of 0.60.
    std::vector<uint8_t> mask_;
    std::vector<uint32_t> kept_;
    int64_t total_;
    int threads_;
    std::vector<Operand> columns_;
    std::vector<std::vector<int64_t>> margins_;
    std::vector<Aligned<uint64_t>> bitmaps_;
    std::vector<const uint64_t*> present_;  // of columns with gaps, the bitmap of the rows that have a value
    bool any_gaps_ = false;
    Aligned<uint64_t> all_;
};

}  // namespace elcs
