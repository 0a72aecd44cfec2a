// From counts to a statistic and its degrees of freedom, stratum by stratum.
//
// Degrees of freedom are counted over the levels that occur in the stratum: (rows - 1) * (columns - 1).
#pragma once

#include <cfloat>
#include <cmath>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace elcs {

struct Measure {
    double statistic;
    int64_t dof;
};

// n * ln(n) as a 64-bit fixed-point number. G2 is a small difference of large sums of such terms; in integers the
// sums are exact, whatever their order, and the terms carry more bits than a double could (at n = 100,000 the
// error of a statistic is 1e-12, against 1e-9 in double). It is also the faster choice: a load and an add per cell.
class XLogX {
public:
    static constexpr int64_t most_entries = 1 << 16;

    // The table for this many rows, made once for all testers of a table and of its half-samples: at 5,000 rows it takes
    // 0.26 ms, as long as IAMB takes for a variable of Alarm. The latest few are kept, half a megabyte each at most.
    static std::shared_ptr<const XLogX> of(int64_t total) {
        static std::mutex mutex;
        static std::deque<std::pair<int64_t, std::shared_ptr<const XLogX>>> latest;
        const std::lock_guard<std::mutex> lock(mutex);
        for (const auto& [rows, table] : latest)
            if (rows == total) return table;
        if (latest.size() == 8) latest.pop_front();
        return latest.emplace_back(total, std::make_shared<const XLogX>(total)).second;
    }

    explicit XLogX(int64_t total) : bits_(bits_for(total)) {
        table_.resize(static_cast<size_t>(total < most_entries ? total + 1 : most_entries));
        for (size_t n = 0; n < table_.size(); ++n) table_[n] = exact(static_cast<int64_t>(n));
    }
    int64_t operator()(int64_t n) const {
        return n < static_cast<int64_t>(table_.size()) ? table_[static_cast<size_t>(n)] : exact(n);
    }
    double to_double(int64_t fixed) const { return std::ldexp(static_cast<double>(fixed), -bits_); }

    // The least number of rows whose table has as many bits after the point.
    static int64_t fewest_like(int64_t total) {
        int64_t fewest = 0;
        for (int64_t like = total; fewest < like;) {
            const int64_t middle = fewest + (like - fewest) / 2;
            if (bits_for(middle) == bits_for(total)) like = middle;
            else fewest = middle + 1;
        }
        return fewest;
    }

private:
    // How many bits after the point leave room for the sums.
    static int bits_for(int64_t total) {
        const double largest = 4.0 * static_cast<double>(total) * std::log(static_cast<double>(total) + 2.0) + 4.0;
        return 62 - static_cast<int>(std::ceil(std::log2(largest)));
    }
    int64_t exact(int64_t n) const {
        if (n < 2) return 0;
#if LDBL_MANT_DIG > DBL_MANT_DIG && !defined(ELCS_PORTABLE)
        const long double x = static_cast<long double>(n);
        return std::llround(std::ldexp(x * std::log(x), bits_));
#else  // MSVC and Apple on ARM have nothing beyond a double: two of them make up for it
        int power;
        const double x = static_cast<double>(n), small = std::log(std::frexp(x, &power));
        const double coarse = power * 6.93147180369123816490e-01;  // ln 2 to 32 bits, so that this is exact; below, the rest
        const double high = coarse + small, low = small - (high - coarse) + power * 1.90821492927058770002e-10;
        const double product = x * high, rest = std::fma(x, high, -product) + x * low;
        return std::llround(std::ldexp(product, bits_)) + std::llround(std::ldexp(rest, bits_));
#endif
    }
    int bits_;
    std::vector<int64_t> table_;
};

struct Cell {
    uint64_t xy;  // x * levels(y) + y
    int64_t count;
};

// Adds up the strata of one test, each given as a dense or as a sparse table of counts, x by y.
class Strata {
public:
    Strata(const XLogX& xlogx, bool pearson, std::vector<int64_t>& column_sums)
        : xlogx_(xlogx), pearson_(pearson), column_sums_(column_sums) {}

    void add(const int64_t* table, uint32_t nx, uint32_t ny) {
        column_sums_.assign(ny, 0);
        int64_t n = 0, terms = 0, rows = 0, columns = 0;
        for (uint32_t i = 0; i < nx; ++i) {
            int64_t row = 0;
            for (uint32_t j = 0; j < ny; ++j) {
                const int64_t count = table[i * ny + j];
                terms += xlogx_(count);
                row += count;
                column_sums_[j] += count;
            }
            terms -= xlogx_(row);
            rows += row > 0;
            n += row;
        }
        for (const int64_t sum : column_sums_) {
            terms -= xlogx_(sum);
            columns += sum > 0;
        }
        finish(n, terms, rows, columns);
        if (pearson_)
            for (uint32_t i = 0; i < nx; ++i) add_pearson_row(table + i * ny, ny, n);
    }

    // The cells are sorted and none is empty; their order makes each row a run.
    void add_sparse(const Cell* cells, size_t m, uint32_t ny) {
        if (column_sums_.size() < ny) column_sums_.resize(ny);
        int64_t n = 0, terms = 0, rows = 0, columns = 0;
        for (size_t c = 0; c < m; ++c) column_sums_[cells[c].xy % ny] = 0;
        for (size_t c = 0; c < m; ++c) {
            columns += column_sums_[cells[c].xy % ny] == 0;
            column_sums_[cells[c].xy % ny] += cells[c].count;
            terms += xlogx_(cells[c].count);
            n += cells[c].count;
        }
        for (size_t first = 0, last; first < m; first = last, ++rows) {
            int64_t row = 0;
            for (last = first; last < m && cells[last].xy / ny == cells[first].xy / ny; ++last) row += cells[last].count;
            terms -= xlogx_(row);
            for (size_t c = first; pearson_ && c < last; ++c) {
                const double expected = product(row, column_sums_[cells[c].xy % ny]) / static_cast<double>(n);
                pearson_sum_ += squared_residual(cells[c].count, expected) - expected;
            }
        }
        if (pearson_) pearson_sum_ += static_cast<double>(n);  // what the empty cells would have added
        for (size_t c = 0; c < m; ++c) {
            terms -= xlogx_(column_sums_[cells[c].xy % ny]);
            column_sums_[cells[c].xy % ny] = 0;
        }
        finish(n, terms, rows, columns);
    }

    Measure result() const {
        const double statistic = pearson_ ? pearson_sum_ : 2.0 * xlogx_.to_double(terms_);
        return {dof_ > 0 && statistic > 0.0 ? statistic : 0.0, dof_};
    }

private:
    static double product(int64_t a, int64_t b) { return static_cast<double>(a) * static_cast<double>(b); }
    static double squared_residual(int64_t count, double expected) {
        const double off = static_cast<double>(count) - expected;
        return off * off / expected;
    }

    void finish(int64_t n, int64_t terms, int64_t rows, int64_t columns) {
        if (n == 0) return;
        dof_ += (rows - 1) * (columns - 1);
        terms_ += terms + xlogx_(n);
    }

    void add_pearson_row(const int64_t* row, uint32_t ny, int64_t n) {
        int64_t sum = 0;
        for (uint32_t j = 0; j < ny; ++j) sum += row[j];
        for (uint32_t j = 0; j < ny; ++j)
            if (sum > 0 && column_sums_[j] > 0)
                pearson_sum_ += squared_residual(row[j], product(sum, column_sums_[j]) / static_cast<double>(n));
    }

    const XLogX& xlogx_;
    bool pearson_;
    std::vector<int64_t>& column_sums_;
    int64_t terms_ = 0, dof_ = 0;
    double pearson_sum_ = 0.0;
};

}  // namespace elcs
