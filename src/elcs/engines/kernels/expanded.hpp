// A table expanded into columns of numbers, and the sums of products of these.
#pragma once

#include <algorithm>
#include <cmath>
#include <thread>

#include "isa.hpp"

namespace elcs {

constexpr double least_variance = 1e-24;  // a column that varies by less is constant but for rounding

inline size_t triangular(int i, int j) {
    return static_cast<size_t>(std::max(i, j)) * (std::max(i, j) + 1) / 2 + std::min(i, j);
}

// Looks up columns in some rows.
class Filler {
public:
    static constexpr size_t most_rows = 256;  // twenty columns of so many rows fit in the L1 cache
    static size_t rounded(size_t n) { return (n + 7) / 8 * 8; }  // what the loops take

    const Isa& isa() const { return isa_; }

    void start(const uint32_t* rows, size_t n) {
        rows_ = rows;
        n_ = n;
        looked_up_ = nullptr;
    }

    // Powers and indicators of a variable follow each other; what it holds is looked up once.
    void fill(const Feature& feature, double* to) {
        if (looked_up_ != feature.codes) isa_.look_up(feature, rows_, n_, values_);
        looked_up_ = feature.codes;
        if (feature.values == nullptr) isa_.indicate(values_, feature.level, n_, to);
        else isa_.raise(values_, feature.power, n_, to);
    }

private:
    Isa isa_ = choose_isa();
    const uint32_t* rows_ = nullptr;
    size_t n_ = 0;
    const void* looked_up_ = nullptr;  // what `values_` are from
    double values_[most_rows];
};

// The expanded table. Columns are known by number: first the features, then one that is 1 in every row; `Samples` adds
// products of two features.
class Expanded {
public:
    // `missing` has for each variable a mark for each row without a value, or null.
    Expanded(std::vector<Feature> features, size_t n_rows, const int64_t* weights,
             const std::vector<const uint8_t*>& missing, int threads)
        : features_(std::move(features)), weights_(weights) {
        words_ = (n_rows + 63) / 64;
        counted_.assign(words_, 0);
        for (size_t i = 0; i < n_rows; ++i) {
            const int64_t weight = weights == nullptr ? 1 : weights[i];
            weighted_ = weighted_ || (weight != 0 && weight != 1);
            total_ += static_cast<double>(weight);
            if (weight == 0) continue;
            counted_[i / 64] |= uint64_t{1} << (i % 64);
            ++n_counted_;
        }
        for (const uint8_t* marks : missing) {
            present_.emplace_back(marks == nullptr ? 0 : words_, ~uint64_t{0});
            for (size_t i = 0; marks != nullptr && i < n_rows; ++i)
                if (marks[i]) present_.back()[i / 64] &= ~(uint64_t{1} << (i % 64));
        }
        add_up(threads);
    }

    int one() const { return static_cast<int>(features_.size()); }
    double total() const { return total_; }
    bool incomplete(int variable) const { return !present_[variable].empty(); }
    const Feature& feature(int i) const { return features_[i]; }
    bool weighted() const { return weighted_; }
    size_t n_counted() const { return n_counted_; }  // rows with a weight
    double weight(size_t row) const { return weights_ == nullptr ? 1.0 : static_cast<double>(weights_[row]); }

    // The sum of the products of two features, or of a feature and 1, over all rows.
    double whole(int i, int j) const { return sums_[triangular(i, j)]; }
    // The correlations of all features, row after row, over all rows.
    std::vector<double> correlations() const {
        const int d = one();
        std::vector<double> spread(d), matrix(static_cast<size_t>(d) * d);
        for (int i = 0; i < d; ++i) {
            const double mean = whole(i, d) / total_, variance = whole(i, i) / total_ - mean * mean;
            spread[i] = variance > least_variance ? std::sqrt(variance) : 0.0;
            for (int j = 0; j <= i; ++j) {
                const double covariance = whole(i, j) / total_ - mean * whole(j, d) / total_;
                const double r = i == j ? 1.0 : std::clamp(covariance / (spread[i] * spread[j]), -1.0, 1.0);
                matrix[static_cast<size_t>(i) * d + j] = matrix[static_cast<size_t>(j) * d + i] =
                    spread[i] > 0 && spread[j] > 0 ? r : 0.0;
            }
        }
        return matrix;
    }

    // Marks the rows that count and have these variables.
    void having(const std::vector<int>& variables, std::vector<uint64_t>& rows) const {
        rows = counted_;
        for (const int v : variables)
            for (size_t w = 0; w < words_; ++w) rows[w] &= present_[v][w];
    }
    // Marks the rows that count and lack both variables, which may be the same.
    void lacking(int variable, int other, std::vector<uint64_t>& rows) const {
        rows = counted_;
        for (size_t w = 0; w < words_; ++w) rows[w] &= ~(present_[variable][w] | present_[other][w]);
    }
    // Marks the rows that count and lack more than so many of these variables, at most two.
    void lacking_more_than(int few, const std::vector<int>& variables, std::vector<uint64_t>& rows) const {
        rows.assign(words_, 0);
        for (size_t w = 0; w < words_; ++w) {
            uint64_t once = 0, twice = 0;
            for (const int v : variables) {
                const uint64_t gaps = counted_[w] & ~present_[v][w];
                rows[w] |= (few == 0 ? ~uint64_t{0} : few == 1 ? once : twice) & gaps;
                twice |= once & gaps;
                once |= gaps;
            }
        }
    }
    int n_lacking(const std::vector<int>& variables, size_t row) const {
        int n = 0;
        for (const int v : variables) n += !(present_[v][row / 64] >> (row % 64) & 1);
        return n;
    }
    // Counts the rows that count and lack more than none, one and two of these variables.
    void count_lacking(const Isa& isa, const std::vector<int>& variables, size_t* counts) const {
        std::vector<const uint64_t*> present;
        for (const int v : variables) present.push_back(present_[v].data());
        isa.count_lacking(counted_.data(), present.data(), present.size(), words_, counts);
    }

    double weight_of(const std::vector<uint64_t>& rows) const {
        double sum = 0;
        for_each_row(rows, [&](size_t row) { sum += weight(row); });
        return sum;
    }

    template <class Take>
    void for_each_row(const std::vector<uint64_t>& rows, Take take) const {
        for (size_t w = 0; w < words_; ++w)
            for (uint64_t left = rows[w]; left != 0; left &= left - 1) take(64 * w + lowest_one(left));
    }

private:
    static constexpr size_t words_per_thread = 1 << 9;  // a thread costs 20 us to start

    // sums_ = the sums of products of features and the column of ones over all rows.
    //
    // BLAS is no faster, and its threads wait for each other in a loop: 50 columns of 2,000 rows took 55 ms on two busy
    // cores.
    void add_up(int threads) {
        const int pieces = std::max(1, std::min<int>(threads, static_cast<int>(words_ / words_per_thread)));
        std::vector<std::vector<double>> sums(pieces);
        std::vector<std::thread> others;
        const size_t size = words_ / pieces + 1;
        const auto piece = [&](int t) { add_words(std::min(words_, t * size), std::min(words_, (t + 1) * size), sums[t]); };
        for (int t = 1; t < pieces; ++t) others.emplace_back(piece, t);
        piece(0);
        for (std::thread& other : others) other.join();
        sums_ = std::move(sums[0]);
        for (int t = 1; t < pieces; ++t)
            for (size_t i = 0; i < sums_.size(); ++i) sums_[i] += sums[t][i];
    }

    void add_words(size_t first, size_t last, std::vector<double>& sums) const {
        const int n_columns = one() + 1, padded = (n_columns + 3) / 4 * 4;
        sums.assign(triangular(n_columns, 0), 0.0);
        Filler filler;
        std::vector<uint32_t> list;
        std::vector<double> columns(Filler::most_rows * padded), weighted(weighted_ ? columns.size() : 0);
        const auto add = [&] {
            const size_t n = list.size(), rows = Filler::rounded(n);
            std::fill(columns.begin(), columns.end(), 0.0);
            filler.start(list.data(), n);
            for (int c = 0; c < one(); ++c) filler.fill(features_[c], &columns[c * Filler::most_rows]);
            std::fill_n(&columns[one() * Filler::most_rows], n, 1.0);
            for (int c = 0; weighted_ && c < n_columns; ++c)
                for (size_t k = 0; k < n; ++k)
                    weighted[c * Filler::most_rows + k] = columns[c * Filler::most_rows + k] * weight(list[k]);
            const double* left = weighted_ ? weighted.data() : columns.data();
            for (int i = 0; i < padded; i += 4)
                for (int j = 0; j <= i; j += 4) {
                    double tile[16];
                    filler.isa().dot_four_by_four(left + i * Filler::most_rows, &columns[j * Filler::most_rows],
                                                  Filler::most_rows, rows, tile);
                    for (int a = i; a < std::min(i + 4, n_columns); ++a)
                        for (int b = j; b < j + 4 && b <= a; ++b) sums[triangular(a, b)] += tile[(a - i) * 4 + b - j];
                }
            list.clear();
        };
        for (size_t w = first; w < last; ++w)
            for (uint64_t left = counted_[w]; left != 0; left &= left - 1) {
                list.push_back(static_cast<uint32_t>(64 * w + lowest_one(left)));
                if (list.size() == Filler::most_rows) add();
            }
        if (!list.empty()) add();
    }

    std::vector<Feature> features_;
    std::vector<double> sums_;  // lower triangle
    size_t words_ = 0;
    const int64_t* weights_;
    bool weighted_ = false;  // by weights other than 0 and 1
    double total_ = 0;
    size_t n_counted_ = 0;
    std::vector<uint64_t> counted_;  // rows with a weight
    std::vector<std::vector<uint64_t>> present_;
};


}  // namespace elcs
