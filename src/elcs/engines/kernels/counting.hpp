// Tests on contingency tables: what is measured is counted.
#pragma once

#include "columns.hpp"
#include "numbering.hpp"
#include "statistic.hpp"
#include "tester.hpp"

namespace elcs {

class CountingTester : public Tester {
public:
    // With `pearson` the statistic is Pearson's chi-squared instead of G2; with fewer rows than `rows_per_cell` per cell
    // of the full table a test is unreliable.
    CountingTester(const Columns& columns, bool pearson, double rows_per_cell, std::function<double(int64_t)> critical,
                   size_t cache_size, std::function<void()> breathe)
        : Tester(columns.size(), cache_size, std::move(breathe)), columns_(columns), pearson_(pearson),
          rows_per_cell_(rows_per_cell), critical_(std::move(critical)), rows_known_(most_rows_known) {
        scales_.push_back({XLogX::fewest_like(columns.total()), XLogX::of(columns.total())});
    }

protected:
    int64_t posed() override {
        cells_ = 1;
        for (const int v : question_) cells_ *= columns_.levels(v);
        rows_ = columns_.any_gaps() ? count_rows() : columns_.total();
        return 1024 + static_cast<int64_t>(columns_.n_rows());
    }

    bool reliable() const override { return static_cast<double>(rows_) >= rows_per_cell_ * cells_; }

    int64_t rows() const override { return rows_; }

    Verdict verdict(const Measure& measure) override {
        if (!reliable()) return Verdict::unreliable;
        if (measure.dof == 0 || measure.statistic < critical_(measure.dof)) return Verdict::independent;
        return Verdict::dependent;
    }

    // Successive questions that share x and the set share the split of the rows by these: all tests of IAMB on Alarm,
    // 5,000 rows, fall from 14 to 6 ms.
    void share(int x, int k, size_t alike) override {
        split_ready_ = false;
        split_variable_ = k > 0 && alike >= fewest_to_split && !pearson_ ? x : -1;
    }

    Measure compute() override {
        order_.assign(question_.begin() + 2, question_.end());
        order_.insert(order_.end(), {question_[0], question_[1]});
        Strata strata(xlogx(), pearson_, column_sums_);
        if (add_split(strata)) return strata.result();
        // A table larger than the data is mostly empty, and counting it would cost more than sorting the rows.
        const int64_t n = std::min(static_cast<int64_t>(columns_.n_rows()), rows_);
        if (cells_ <= std::max(4096.0, static_cast<double>(n))) add_dense(strata);
        else add_sparse(strata);
        return strata.result();
    }

private:
    static constexpr size_t fewest_to_split = 4;
    static constexpr size_t most_rows_known = 1 << 16;  // 4 MiB

    // How many rows have all variables of the question. That is looked at before the cache of answers, so it must not
    // cost a count each time.
    int64_t count_rows() {
        incomplete_.clear();
        for (const int v : question_)
            if (columns_.gaps(v)) incomplete_.push_back(v);
        const int m = static_cast<int>(incomplete_.size());
        if (m == 0) return columns_.total();
        if (m == 1) return columns_.complete(incomplete_.data(), m, weights_);
        std::sort(incomplete_.begin(), incomplete_.end());
        const bool fits = Question::fits(m, columns_.size());
        const Question key(incomplete_.data(), fits ? m : 0);
        if (fits)
            if (const Measure* known = rows_known_.find(key)) return known->dof;
        const int64_t rows = columns_.complete(incomplete_.data(), m, weights_);
        if (fits) rows_known_.store(key, {0, rows});
        return rows;
    }

    // What a table of just the rows of the question would use, so that the statistic is the same to the last bit.
    const XLogX& xlogx() {
        size_t at = 0;
        for (; rows_ < scales_[at].fewest; ++at)
            if (at + 1 == scales_.size()) scales_.push_back({XLogX::fewest_like(scales_[at].fewest - 1), nullptr});
        if (scales_[at].xlogx == nullptr) scales_[at].xlogx = XLogX::of(scales_[at - 1].fewest - 1);
        return *scales_[at].xlogx;
    }

    // Counts y within the split of the rows by the conditioning set and x; false if there is none, or it does not pay.
    // Which of the two variables is x makes no difference to the last bit: G2 is summed in integers.
    bool add_split(Strata& strata) {
        if (split_variable_ < 0) return false;
        const int x = split_variable_, y = question_[0] == x ? question_[1] : question_[0];
        if (!split_ready_) {
            std::vector<int> by(question_.begin() + 2, question_.end());
            by.push_back(x);
            split_ready_ = columns_.split(by.data(), static_cast<int>(by.size()), split_);
            if (!split_ready_) split_variable_ = -1;
        }
        if (!split_ready_ || !columns_.pays_to_count_in(split_, y)) return false;
        const uint32_t nx = columns_.levels(x), ny = columns_.levels(y);
        const auto count = columns_.counter_of(y);
        for (size_t p = 0; p < split_.parts.size();) {
            const size_t stratum = split_.parts[p].cell / nx;
            table_.assign(size_t{nx} * ny, 0);
            for (; p < split_.parts.size() && split_.parts[p].cell / nx == stratum; ++p)
                count(split_.parts[p], columns_.column(y), &table_[split_.parts[p].cell % nx * ny]);
            strata.add(table_.data(), nx, ny);
        }
        return true;
    }

    void add_dense(Strata& strata) {
        const uint32_t nx = columns_.levels(question_[0]), ny = columns_.levels(question_[1]);
        columns_.count(order_.data(), static_cast<int>(order_.size()), table_, static_cast<size_t>(cells_));
        for (size_t at = 0; at < table_.size(); at += size_t{nx} * ny) strata.add(&table_[at], nx, ny);
    }

    // Numbers the strata that occur, brings the rows into their order, and counts one stratum after the other.
    void add_sparse(Strata& strata) {
        columns_.weigh(question_.data(), static_cast<int>(question_.size()), weights_);
        const size_t n = columns_.n_rows(), n_strata = number_strata();
        std::vector<size_t> ends(n_strata + 1, 0);
        for (size_t i = 0; i < n; ++i)
            if (weights_[i] != 0) ++ends[stratum_[i] + 1];
        for (size_t s = 0; s < n_strata; ++s) ends[s + 1] += ends[s];
        keys_.resize(n);
        columns_.keys(columns_.operands(question_.data(), 2), keys_.data());
        cells_by_stratum_.resize(n);
        for (size_t i = 0; i < n; ++i)
            if (weights_[i] != 0) cells_by_stratum_[ends[stratum_[i]]++] = {keys_[i], weights_[i]};
        for (size_t s = 0, first = 0; s < n_strata; first = ends[s++]) {  // ends[s] has moved from its begin to its end
            // A single row adds neither to the statistic nor to the degrees of freedom.
            if (ends[s] - first > 1) add_stratum(strata, &cells_by_stratum_[first], ends[s] - first);
        }
    }

    void add_stratum(Strata& strata, Cell* cells, size_t m) {
        const uint32_t nx = columns_.levels(question_[0]), ny = columns_.levels(question_[1]);
        if (size_t{nx} * ny <= 16 + 4 * m) {
            table_.assign(size_t{nx} * ny, 0);
            for (size_t c = 0; c < m; ++c) table_[cells[c].xy] += cells[c].count;
            return strata.add(table_.data(), nx, ny);
        }
        std::sort(cells, cells + m, [](const Cell& a, const Cell& b) { return a.xy < b.xy; });
        size_t last = 0;
        for (size_t c = 1; c < m; ++c) {
            if (cells[c].xy == cells[last].xy) cells[last].count += cells[c].count;
            else cells[++last] = cells[c];
        }
        strata.add_sparse(cells, last + 1, ny);
    }

    // stratum_[i] = the number of row i's combination of conditioning levels, in order of first appearance among the rows
    // that count. As many variables at a time as fit in a 64-bit key, with the number found so far as the first digit.
    size_t number_strata() {
        const size_t n = columns_.n_rows();
        stratum_.assign(n, 0);
        size_t n_strata = n > 0;
        for (size_t at = 2; at < question_.size();) {
            uint64_t span = 1;
            const size_t begin = at;
            while (at < question_.size() && span <= (uint64_t{1} << 31) / columns_.levels(question_[at]))
                span *= columns_.levels(question_[at++]);
            keys_.resize(n);
            columns_.keys(columns_.operands(&question_[begin], static_cast<int>(at - begin)), keys_.data());
            numbering_.start();
            for (size_t i = 0; i < n; ++i)
                if (weights_[i] != 0) stratum_[i] = numbering_(stratum_[i] * span + keys_[i]);
            n_strata = numbering_.size();
        }
        return n_strata;
    }

    const Columns& columns_;
    bool pearson_;
    double rows_per_cell_;
    CriticalValues critical_;
    struct Scale {
        int64_t fewest;  // rows that it is for
        std::shared_ptr<const XLogX> xlogx;  // null: not needed yet
    };
    std::vector<Scale> scales_;  // the finer, the fewer the rows
    Cache rows_known_;  // by the incomplete variables of a question

    // The split that the questions at hand share: by their conditioning set and this variable; -1: none.
    int split_variable_ = -1;
    bool split_ready_ = false;
    Split split_;

    // Scratch, kept between questions.
    double cells_ = 0;
    int64_t rows_ = 0;
    std::vector<int> order_, incomplete_;
    std::vector<int64_t> table_, column_sums_, weights_;
    std::vector<uint32_t> stratum_;
    std::vector<uint64_t> keys_;
    std::vector<Cell> cells_by_stratum_;
    Numbering numbering_;
};

}  // namespace elcs
