// Scores of families by counts: BDeu and BIC.
#pragma once

#include <cmath>
#include <unordered_map>

#include "columns.hpp"
#include "families.hpp"
#include "numbering.hpp"

namespace elcs {

// What a number of rows contributes to a score, looked up where it was computed before.
class Term {
public:
    // ln Γ(n + prior) - ln Γ(prior), or n ln n if there is no prior.
    Term(double prior, int64_t total)
        : prior_(prior), at_zero_(prior > 0 ? log_gamma(prior) : 0.0),
          known_(static_cast<size_t>(std::min(total + 1, most_known)), std::nan("")) {}

    double operator()(int64_t n) {
        if (n == 0) return 0.0;
        if (n >= static_cast<int64_t>(known_.size())) return exact(n);
        double& known = known_[static_cast<size_t>(n)];
        if (std::isnan(known)) known = exact(n);
        return known;
    }

private:
    // A table of all numbers of rows, as numpy would fill it, takes 150 us at 5,000 rows, and there is one for each size of
    // a family: on Alarm 25 ms in all, against 3 ms for the numbers that occur.
    static constexpr int64_t most_known = 1 << 12;

    static double log_gamma(double x) {
#if defined(_WIN32)
        return std::lgamma(x);
#else
        int sign;
        return lgamma_r(x, &sign);  // std::lgamma writes to a global variable
#endif
    }
    double exact(int64_t n) const {
        const double x = static_cast<double>(n);
        return prior_ > 0 ? log_gamma(x + prior_) - at_zero_ : x * std::log(x);
    }
    double prior_, at_zero_;
    std::vector<double> known_;
};

class CountedFamilies : public Families {
public:
    // BDeu with this equivalent sample size or, if it is 0, BIC at this price of a parameter.
    CountedFamilies(const Columns& columns, double ess, double price, size_t cache_size, std::function<void()> breathe)
        : Families(columns.size(), 1024 + static_cast<int64_t>(columns.n_rows()), cache_size, std::move(breathe)),
          columns_(columns), ess_(ess), price_(price) {}

    double rows_per_cell(int child, const std::vector<int>& parents) const override {
        double cells = columns_.levels(child);
        for (const int v : parents) cells *= columns_.levels(v);
        return static_cast<double>(columns_.total()) / cells;
    }

protected:
    double compute(int child, const std::vector<int>& parents) override {
        const bool gaps = std::any_of(parents.begin(), parents.end(), [&](int v) { return columns_.gaps(v); });
        begin(child, parents);
        count(child, parents);
        const double sum = add_up(cells_, configurations_, *of_cells_, *of_configurations_);
        return gaps ? compared(child, sum) : sum + constant_;
    }

    // The families share the split of the rows by the base and the child, as tests do: all pairs of 370 variables at 5,000
    // rows take 0.3 s instead of 1.1.
    void compute_each(int child, const std::vector<int>& base, const std::vector<int>& others,
                      std::vector<double>& scores) override {
        by_.assign(base.begin(), base.end());
        by_.push_back(child);
        bool shared = others.size() >= fewest_to_split;
        for (const int v : by_) shared = shared && !columns_.gaps(v);
        if (!shared || !columns_.split(by_.data(), static_cast<int>(by_.size()), split_))
            return Families::compute_each(child, base, others, scores);
        scores.resize(others.size());
        uint32_t levels = 0;  // that `begin` was called for; most columns have as many as the one before
        for (size_t i = 0; i < others.size(); ++i) {
            const int x = others[i];
            join(base, x, parents_);
            if (columns_.levels(x) != levels) begin(child, parents_);
            levels = columns_.levels(x);
            if (columns_.gaps(x) || !columns_.pays_to_count_in(split_, x) || q_ * r_ > largest_dense())
                scores[i] = compute(child, parents_);
            else
                scores[i] = add_up_split(x) + constant_;
        }
    }

private:
    static constexpr size_t fewest_to_split = 4, most_terms = 1 << 10;

    double largest_dense() const { return std::max(1024.0, static_cast<double>(columns_.n_rows())); }

    // Looks up what depends on the size of the family alone.
    void begin(int child, const std::vector<int>& parents) {
        r_ = columns_.levels(child);
        q_ = 1;
        for (const int v : parents) q_ *= columns_.levels(v);
        if (terms_.size() > most_terms) terms_.clear();
        of_cells_ = term(q_ * r_);
        of_configurations_ = term(q_);
        constant_ = constant(q_);
    }
    double constant(double q) const { return ess_ > 0 ? 0.0 : -price_ * q * (r_ - 1); }
    Term* term(double divisor) {
        const double prior = ess_ > 0 ? ess_ / divisor : 0.0;
        auto& found = terms_[prior];
        if (!found) found = std::make_unique<Term>(prior, columns_.total());
        return found.get();
    }

    // cells_ and configurations_ = how many rows there are in each; empty ones may be left out.
    void count(int child, const std::vector<int>& parents) {
        by_.assign(parents.begin(), parents.end());
        by_.push_back(child);
        const int m = static_cast<int>(by_.size());
        if (q_ * r_ > largest_dense()) return count_occurring(m);
        columns_.count(by_.data(), m, cells_, static_cast<size_t>(q_ * r_));
        const size_t r = static_cast<size_t>(r_);
        configurations_.assign(static_cast<size_t>(q_), 0);
        child_.assign(r, 0);
        for (size_t at = 0, c = 0; at < cells_.size(); at += r, ++c)
            for (size_t i = 0; i < r; ++i) {
                configurations_[c] += cells_[at + i];
                child_[i] += cells_[at + i];
            }
    }

    // In memory that grows with the rows and not with the table.
    void count_occurring(int m) {
        const size_t n = columns_.n_rows();
        columns_.weigh(by_.data(), m, weights_);
        number_.assign(n, 0);
        keys_.resize(n);
        for (int i = 0; i < m; ++i) {
            if (i == m - 1) tally(configurations_);
            columns_.keys(columns_.operands(&by_[i], 1), keys_.data());
            if (i == m - 1) {
                child_.assign(static_cast<size_t>(r_), 0);
                for (size_t row = 0; row < n; ++row)
                    if (weights_[row] != 0) child_[keys_[row]] += weights_[row];
            }
            const uint64_t levels = columns_.levels(by_[i]);
            numbering_.start(n);
            for (size_t row = 0; row < n; ++row)
                if (weights_[row] != 0) number_[row] = numbering_(number_[row] * levels + keys_[row]);
        }
        tally(cells_);
    }
    void tally(std::vector<int64_t>& counts) {
        counts.clear();
        for (size_t row = 0; row < number_.size(); ++row) {
            if (weights_[row] == 0) continue;
            if (number_[row] >= counts.size()) counts.resize(number_[row] + 1, 0);
            counts[number_[row]] += weights_[row];
        }
    }

    static double add_up(const std::vector<int64_t>& cells, const std::vector<int64_t>& configurations, Term& of_cells,
                         Term& of_configurations) {
        double sum = 0;
        for (const int64_t n : cells) sum += of_cells(n);
        for (const int64_t n : configurations) sum -= of_configurations(n);
        return sum;
    }

    double add_up_split(int x) {
        const size_t r = static_cast<size_t>(r_), nx = columns_.levels(x);
        const auto count = columns_.counter_of(x);
        double sum = 0;
        for (size_t p = 0; p < split_.parts.size();) {
            const size_t configuration = split_.parts[p].cell / r;
            cells_.assign(r * nx, 0);
            for (; p < split_.parts.size() && split_.parts[p].cell / r == configuration; ++p)
                count(split_.parts[p], columns_.column(x), &cells_[split_.parts[p].cell % r * nx]);
            for (size_t level = 0; level < nx; ++level) {
                int64_t n = 0;
                for (size_t at = level; at < cells_.size(); at += nx) {
                    sum += (*of_cells_)(cells_[at]);
                    n += cells_[at];
                }
                sum -= (*of_configurations_)(n);
            }
        }
        return sum;
    }

    // Families that rest on different rows are compared as `CountedScore` says: with the child alone on the same rows, the
    // difference scaled up to the rows that have the child.
    double compared(int child, double sum) {
        Term& of_child = *term(r_);
        Term& of_all = *term(1);
        int64_t rows = 0;
        for (const int64_t n : child_) rows += n;
        configurations_.assign(1, rows);
        const double gained = sum - add_up(child_, configurations_, of_child, of_all);
        columns_.count(&child, 1, child_, static_cast<size_t>(r_));
        int64_t all = 0;
        for (const int64_t n : child_) all += n;
        configurations_.assign(1, all);
        const double alone = add_up(child_, configurations_, of_child, of_all);
        const double scale = rows > 0 ? static_cast<double>(all) / static_cast<double>(rows) : 0.0;
        return alone + scale * gained + constant_;
    }

    const Columns& columns_;
    double ess_, price_;
    std::unordered_map<double, std::unique_ptr<Term>> terms_;

    // Scratch, kept between families.
    double q_ = 1, r_ = 1, constant_ = 0;
    Term *of_cells_ = nullptr, *of_configurations_ = nullptr;
    Split split_;
    std::vector<int> by_, parents_;
    std::vector<int64_t> cells_, configurations_, child_, weights_;
    std::vector<uint64_t> keys_;
    std::vector<uint32_t> number_;
    Numbering numbering_;
};

}  // namespace elcs
