// Scores of families by counts: BDeu and BIC.
#pragma once

#include <cmath>
#include <numeric>
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
    // BDeu with this equivalent sample size or, if it is 0, BIC at this price of a parameter. `ranks` are the places of the
    // variables in the order of their names, and `among` is how many there are where the columns come from.
    CountedFamilies(const Columns& columns, double ess, double price, std::vector<int> ranks, size_t among,
                    size_t cache_size, std::function<void()> breathe)
        : Families(columns.size(), 1024 + static_cast<int64_t>(columns.n_rows()), cache_size, std::move(breathe)),
          columns_(columns), ess_(ess), price_(price), ranks_(std::move(ranks)), among_(static_cast<double>(among)) {}

    double rows_per_cell(int child, const std::vector<int>& parents) const override {
        double cells = columns_.levels(child);
        for (const int v : parents) cells *= columns_.levels(v);
        return static_cast<double>(columns_.total()) / cells;
    }

protected:
    // Where values are missing, what `CountedScore` says.
    double compute(int child, const std::vector<int>& parents) override {
        left_.assign(parents.begin(), parents.end());
        double sum = 0;
        while (!left_.empty() && (columns_.gaps(child) || any_gaps(left_))) sum += take_off_weakest(child, left_);
        begin(child, left_);
        count(child, left_);
        return sum + added_up();
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
        uint32_t begun = 0;  // with so many levels of the last; most columns have as many as the one before
        for (size_t i = 0; i < others.size(); ++i) {
            const int x = others[i];
            join(base, x, parents_);
            if (columns_.levels(x) != begun) begin(child, parents_);
            begun = columns_.levels(x);
            if (columns_.gaps(x) || !columns_.pays_to_count_in(split_, x) || q_ * r_ > largest_dense()) {
                scores[i] = compute(child, parents_);
                begun = 0;  // where values are missing, another family was begun with
            } else {
                scores[i] = add_up_split(x) + constant_;
            }
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

    bool any_gaps(const std::vector<int>& variables) const {
        return std::any_of(variables.begin(), variables.end(), [&](int v) { return columns_.gaps(v); });
    }

    // cells_ and configurations_ = how many rows there are in each; empty ones may be left out.
    void count(int child, const std::vector<int>& parents) {
        by_.assign(parents.begin(), parents.end());
        by_.push_back(child);
        const int m = static_cast<int>(by_.size());
        if (q_ * r_ > largest_dense()) {
            columns_.weigh(by_.data(), m, weights_);
            return count_occurring();
        }
        columns_.count(by_.data(), m, cells_, static_cast<size_t>(q_ * r_));
        add_up_levels();
    }
    void add_up_levels() {
        const size_t r = static_cast<size_t>(r_);
        configurations_.assign(static_cast<size_t>(q_), 0);
        for (size_t at = 0, c = 0; at < cells_.size(); at += r, ++c)
            for (size_t i = 0; i < r; ++i) configurations_[c] += cells_[at + i];
    }

    // Of the rows that have a weight, by `by_`, in memory that grows with the rows and not with the table.
    void count_occurring() {
        const size_t n = columns_.n_rows();
        number_.assign(n, 0);
        keys_.resize(n);
        for (size_t i = 0; i < by_.size(); ++i) {
            if (i + 1 == by_.size()) tally(configurations_);
            columns_.keys(columns_.operands(&by_[i], 1), keys_.data());
            const uint64_t levels = columns_.levels(by_[i]);
            numbering_.start();
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

    // The score on the rows that were counted.
    double added_up() const {
        double sum = constant_;
        size_t i = 0;
        for (; i + 4 <= cells_.size(); i += 4) {  // most cells of large tables are empty; a look at each took 5 % of Alarm
            if ((cells_[i] | cells_[i + 1] | cells_[i + 2] | cells_[i + 3]) == 0) continue;
            for (size_t j = i; j < i + 4; ++j) sum += (*of_cells_)(cells_[j]);
        }
        for (; i < cells_.size(); ++i) sum += (*of_cells_)(cells_[i]);
        for (const int64_t n : configurations_) sum -= (*of_configurations_)(n);
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

    // Takes off the parent that adds least on the rows that have the whole family; returns what it adds, scaled up to all
    // rows of the table as `CountedScore` says.
    double take_off_weakest(int child, std::vector<int>& parents) {
        begin(child, parents);
        count(child, parents);
        const double all = added_up();
        const bool dense = q_ * r_ <= largest_dense();
        const int64_t rows = std::accumulate(configurations_.begin(), configurations_.end(), int64_t{0});
        whole_.swap(cells_);
        size_t weakest = 0;
        double least = 0, added = 0;
        for (size_t i = 0; i < parents.size(); ++i) {
            others_.assign(parents.begin(), parents.end());
            others_.erase(others_.begin() + static_cast<ptrdiff_t>(i));
            begin(child, others_);
            if (dense) {
                add_up_axis(parents, i);
            } else {
                by_.assign(others_.begin(), others_.end());
                by_.push_back(child);
                count_occurring();
            }
            const double adds = all - added_up(), gain = rounded(adds);
            if (i > 0 && (gain > least || (gain == least && ranks_[parents[i]] > ranks_[parents[weakest]]))) continue;
            weakest = i;
            least = gain;
            added = adds;
        }
        parents.erase(parents.begin() + static_cast<ptrdiff_t>(weakest));
        const double more = rows > 0 ? static_cast<double>(columns_.total()) / static_cast<double>(rows) - 1 : 0;
        return added + more * (added - std::log(among_));
    }

    // cells_ = the counts in whole_, whatever the level of one of the parents.
    void add_up_axis(const std::vector<int>& parents, size_t axis) {
        size_t inner = static_cast<size_t>(r_);
        for (size_t i = axis + 1; i < parents.size(); ++i) inner *= columns_.levels(parents[i]);
        const size_t outer = inner * columns_.levels(parents[axis]);
        cells_.assign(static_cast<size_t>(q_ * r_), 0);
        for (size_t at = 0, to = 0; at < whole_.size(); at += outer, to += inner)
            for (size_t i = 0; i < outer; ++i) cells_[to + i % inner] += whole_[at + i];
        add_up_levels();
    }

    const Columns& columns_;
    double ess_, price_;
    std::vector<int> ranks_;
    double among_;
    std::unordered_map<double, std::unique_ptr<Term>> terms_;

    // Scratch, kept between families.
    double q_ = 1, r_ = 1, constant_ = 0;
    Term *of_cells_ = nullptr, *of_configurations_ = nullptr;
    Split split_;
    std::vector<int> by_, parents_, left_, others_;
    std::vector<int64_t> cells_, configurations_, whole_, weights_;
    std::vector<uint64_t> keys_;
    std::vector<uint32_t> number_;
    Numbering numbering_;
};

}  // namespace elcs
