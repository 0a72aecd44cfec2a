// Tests on a Gram matrix: what is measured is small linear algebra on correlations, whatever the number of rows.
//
// Each variable is some columns of the matrix: those it stands for plainly, those it is expanded into where one side of a
// test may be, and those it is held fixed by. Both sides are regressed on the columns of the conditioning set, by a
// Cholesky factorisation of their correlations with pivots, so that collinear columns only lower the rank.
#pragma once

#include <algorithm>
#include <cmath>

#include "samples.hpp"
#include "tester.hpp"

namespace elcs {

// Probability of a chi-squared variable with k degrees of freedom above t. To compare two p-values with each other.
inline double chi2_tail(double t, int64_t k) {
    const double half = t / 2;
    double tail, term;
    if (k % 2 == 0) {
        tail = term = std::exp(-half);
        for (int64_t i = 1; i < k / 2; ++i) tail += term *= half / static_cast<double>(i);
        return tail;
    }
    tail = std::erfc(std::sqrt(half));
    term = std::exp(-half) * std::sqrt(half) / 0.88622692545275801365;  // Γ(3/2)
    for (int64_t i = 0; i < k / 2; ++i, term *= half / (static_cast<double>(i) + 0.5)) tail += term;
    return tail;
}

// A lower triangular factor of the correlations of some columns, of the independent ones among them.
class Factor {
public:
    // Factorises the n x n matrix a (row after row; it is destroyed) whose diagonal was 1 at first; a column of which less
    // than `least` is left counts as a combination of the others.
    void decompose(double* a, int n, double least = 1e-6) {
        n_ = n;
        order_.resize(n);
        for (int i = 0; i < n; ++i) order_[i] = i;
        for (rank_ = 0; rank_ < n; ++rank_) {
            int best = rank_;
            for (int i = rank_ + 1; i < n; ++i)
                if (a[i * n + i] > a[best * n + best]) best = i;
            if (a[best * n + best] < least) break;
            swap(a, rank_, best);
            const double pivot = std::sqrt(a[rank_ * n + rank_]);
            a[rank_ * n + rank_] = pivot;
            for (int i = rank_ + 1; i < n; ++i) a[i * n + rank_] /= pivot;
            for (int i = rank_ + 1; i < n; ++i) {
                const double by = a[i * n + rank_];
                for (int j = rank_ + 1; j <= i; ++j) a[i * n + j] -= by * a[j * n + rank_];
            }
        }
        lower_.assign(a, a + static_cast<size_t>(n) * n);
    }
    int rank() const { return rank_; }
    int column(int i) const { return order_[i]; }
    double diagonal(int i) const { return lower_[i * n_ + i]; }

    // Solves L w = v in place, where v[i] belongs to column(i).
    void solve(double* v) const {
        for (int i = 0; i < rank_; ++i) {
            double sum = v[i];
            for (int j = 0; j < i; ++j) sum -= lower_[i * n_ + j] * v[j];
            v[i] = sum / lower_[i * n_ + i];
        }
    }

private:
    // Exchanges rows and columns p < q of a matrix of which only the lower triangle counts.
    void swap(double* a, int p, int q) {
        if (p == q) return;
        const int n = n_;
        std::swap(order_[p], order_[q]);
        std::swap(a[p * n + p], a[q * n + q]);
        for (int j = 0; j < p; ++j) std::swap(a[p * n + j], a[q * n + j]);
        for (int i = p + 1; i < q; ++i) std::swap(a[i * n + p], a[q * n + i]);
        for (int i = q + 1; i < n; ++i) std::swap(a[i * n + p], a[i * n + q]);
    }

    int n_ = 0, rank_ = 0;
    std::vector<int> order_;
    std::vector<double> lower_;
};

// The columns of the expanded table that a variable becomes.
struct Columned {
    std::vector<int> plain, expanded, given;  // `plain` are some of `expanded`
    std::vector<int> raw;  // what it is before it is expanded, if that is something else
    std::vector<int> first;  // those of `given` that products are made of
};

enum class Form { trace, likelihood, fisher };

// Correlations of columns with each other, row after row.
struct Correlations {
    const double* matrix;
    size_t stride;
    double operator()(int i, int j) const { return matrix[static_cast<size_t>(i) * stride + j]; }
};

class GramTester : public Tester {
public:
    // `correlations` are those of the features of the table, and must outlive the tester, as must the table. With
    // `products`, what is held fixed is held fixed in combination too. `critical` is for tests of one kind,
    // `critical_of_two` for the better of two.
    GramTester(const Expanded& table, Correlations correlations, std::vector<Columned> variables, Form form,
               bool products, std::function<double(int64_t)> critical, std::function<double(int64_t)> critical_of_two,
               size_t cache_size, std::function<void()> breathe)
        : Tester(variables.size(), cache_size, std::move(breathe)), table_(table), samples_(table),
          correlations_(correlations), variables_(std::move(variables)), form_(form), products_(products),
          critical_(std::move(critical)), critical_of_two_(std::move(critical_of_two)) {}

protected:
    int64_t posed() override {
        incomplete_.clear();
        for (const int v : question_)
            if (table_.incomplete(v)) incomplete_.push_back(v);
        std::sort(incomplete_.begin(), incomplete_.end());
        total_ = samples_.total(incomplete_);
        const bool goes_through_rows = !incomplete_.empty() || (products_ && question_.size() > 3);
        return 1024 + (goes_through_rows ? static_cast<int64_t>(table_.n_counted()) : 0);
    }

    bool reliable() const override {
        double used = side(0).expanded.size() + side(1).expanded.size();
        for (size_t i = 2; i < question_.size(); ++i) used += variables_[question_[i]].given.size();
        return total_ - used >= fewest_rows_left;
    }

    int64_t rows() const override { return static_cast<int64_t>(total_); }

    // Where nothing is left to test, as where one side is a combination of the conditioning set, there is no telling.
    Verdict verdict(const Measure& measure) override {
        if (!reliable() || measure.dof == 0) return Verdict::unreliable;
        const double least = best_of() == 2 ? critical_of_two_(measure.dof) : critical_(measure.dof);
        return measure.statistic < least ? Verdict::independent : Verdict::dependent;
    }

    // Both sides can be expanded: one at a time, as expanding both at once leaves products of the conditioning set in
    // the residuals of both.
    int best_of() const override {
        return side(0).plain.size() < side(0).expanded.size() && side(1).plain.size() < side(1).expanded.size() ? 2 : 1;
    }

    Measure compute() override {
        if (total_ <= 0) return {0.0, 0};
        prepare();
        if (determined(sides_[0].raw) || determined(sides_[1].raw)) return {0.0, 0};
        if (best_of() == 1) return measure(sides_[0].expanded, sides_[1].expanded);
        const Measure one = measure(sides_[0].expanded, sides_[1].plain);
        const Measure other = measure(sides_[0].plain, sides_[1].expanded);
        if (one.dof == 0 || other.dof == 0) return one.dof == 0 ? other : one;
        const double p = chi2_tail(one.statistic, one.dof), q = chi2_tail(other.statistic, other.dof);
        if (p == q) return one.statistic >= other.statistic ? one : other;
        return p < q ? one : other;
    }

    // Of two single columns the one entry of the canonical matrix is what is left of their correlation, sign included.
    std::optional<double> correlate() override {
        if (side(0).plain.size() != 1 || side(1).plain.size() != 1 || total_ <= 0) return std::nullopt;
        prepare();
        if (determined(sides_[0].raw) || determined(sides_[1].raw)) return std::nullopt;
        if (measure(sides_[0].plain, sides_[1].plain).dof == 0) return std::nullopt;
        return std::clamp(canonical_[0], -1.0, 1.0);
    }

private:
    static constexpr double fewest_rows_left = 10;
    static constexpr double rows_per_column = 10;  // with fewer, products are not held fixed
    // Nor more columns than this: 100 of them take twice as long, and of pairs of six levels that three such variables
    // separate 3.0 % instead of 2.8 % have p < 0.01.
    static constexpr double most_held = 64;
    static constexpr size_t most_of_a_pair = 25;

    const Columned& side(int i) const { return variables_[question_[i]]; }

    // Finds the correlations that the question is about, `gram_`, and in them the columns of the conditioning set,
    // factorised unless they are those of the question before, and of both sides.
    void prepare() {
        if (samples_.make_room()) ready_ = false;
        given_.clear();
        raw_.clear();
        for (size_t i = 2; i < question_.size(); ++i) {
            const Columned& z = variables_[question_[i]];
            given_.insert(given_.end(), z.given.begin(), z.given.end());
            raw_.insert(raw_.end(), z.raw.begin(), z.raw.end());
        }
        if (products_) hold_products();
        const bool laid_out = incomplete_.empty() && (given_.empty() || given_.back() < table_.one());
        const bool same = ready_ && given_ == factorised_ && incomplete_.empty();
        if (laid_out) {
            gram_ = correlations_;
            for (int i = 0; i < 2; ++i) {
                sides_[i].plain = side(i).plain;
                sides_[i].expanded = side(i).expanded;
                sides_[i].raw = side(i).raw;
            }
            at_given_ = given_;
            at_raw_ = raw_;
        } else {
            columns_.clear();
            groups_.clear();
            place(given_, Samples::tested, at_given_);
            for (int i = 0; i < 2; ++i) place(side(i).expanded, Samples::tested, sides_[i].expanded);
            for (int i = 0; i < 2; ++i) place(side(i).plain, Samples::tested, sides_[i].plain);
            place(raw_, Samples::raw, at_raw_);
            for (int i = 0; i < 2; ++i) place(side(i).raw, Samples::raw, sides_[i].raw);
            samples_.correlations(incomplete_, columns_, groups_, matrix_of_question_);
            gram_ = {matrix_of_question_.data(), columns_.size()};
        }
        if (same) return;
        factorise(held_, at_given_);
        factorise(raw_held_, at_raw_);
        factorised_ = given_;
        ready_ = incomplete_.empty();
    }

    // Adds to the conditioning set the products of two of its variables: of those with the fewest columns first, as long as
    // there is room, and of pairs with as many columns of all or none, so that the order of columns does not matter.
    void hold_products() {
        pairs_.clear();
        for (size_t i = 2; i < question_.size(); ++i)
            for (size_t j = 2; j < i; ++j)
                pairs_.push_back({variables_[question_[i]].first.size() * variables_[question_[j]].first.size(), i, j});
        std::sort(pairs_.begin(), pairs_.end());
        double room = std::min(total_ / rows_per_column, most_held) - static_cast<double>(given_.size());
        for (auto from = pairs_.begin(), to = from; from != pairs_.end(); from = to) {
            to = std::find_if(from, pairs_.end(), [&](const auto& pair) { return pair.n_columns != from->n_columns; });
            room -= static_cast<double>(from->n_columns) * static_cast<double>(to - from);
            if (room < 0 || from->n_columns > most_of_a_pair) return;
            for (auto pair = from; pair != to; ++pair)
                for (const int a : variables_[question_[pair->i]].first)
                    for (const int b : variables_[question_[pair->j]].first) given_.push_back(samples_.product(a, b));
        }
    }

    // Adds columns to `columns_`, unless they are there; `at` tells where they are.
    void place(const std::vector<int>& columns, char group, std::vector<int>& at) {
        at.clear();
        for (const int column : columns) {
            const size_t i = static_cast<size_t>(std::find(columns_.begin(), columns_.end(), column) - columns_.begin());
            if (i == columns_.size()) {
                columns_.push_back(column);
                groups_.push_back(0);
            }
            groups_[i] |= group;
            at.push_back(static_cast<int>(i));
        }
    }

    void factorise(Factor& factor, const std::vector<int>& columns) {
        const int n = static_cast<int>(columns.size());
        matrix_.resize(static_cast<size_t>(n) * n);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j <= i; ++j) matrix_[i * n + j] = gram_(columns[i], columns[j]);
        factor.decompose(matrix_.data(), n);
    }

    // Whether a variable is a sum of what is held fixed. Ranks do not show that: what is left of them is noise, in which a
    // test would find no dependence, and a true neighbour would be lost.
    bool determined(const std::vector<int>& columns) {
        if (columns.empty() || at_raw_.empty()) return false;
        const int r = raw_held_.rank();
        scratch_.resize(std::max(r, 1));
        for (const int column : columns) {
            for (int j = 0; j < r; ++j) scratch_[j] = gram_(column, at_raw_[raw_held_.column(j)]);
            raw_held_.solve(scratch_.data());
            double left = gram_(column, column);
            for (int j = 0; j < r; ++j) left -= scratch_[j] * scratch_[j];
            if (left >= 1e-6) return false;
        }
        return true;
    }

    // Residual correlations of the columns of both sides, left first, as far as the conditioning set leaves any.
    Measure measure(const std::vector<int>& left, const std::vector<int>& right) {
        const int a = static_cast<int>(left.size()), b = static_cast<int>(right.size()), n = a + b, r = held_.rank();
        columns_.assign(left.begin(), left.end());
        columns_.insert(columns_.end(), right.begin(), right.end());
        solved_.resize(static_cast<size_t>(n) * r);
        for (int i = 0; i < n; ++i) {
            double* v = solved_.data() + static_cast<size_t>(i) * r;  // which is empty if nothing is held fixed
            for (int j = 0; j < r; ++j) v[j] = gram_(columns_[i], at_given_[held_.column(j)]);
            held_.solve(v);
        }
        residual_.resize(static_cast<size_t>(n) * n);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j <= i; ++j) {
                double sum = gram_(columns_[i], columns_[j]);
                for (int k = 0; k < r; ++k) sum -= solved_[i * r + k] * solved_[j * r + k];
                residual_[i * n + j] = residual_[j * n + i] = sum;
            }
        decompose_part(left_, 0, a, n);
        decompose_part(right_, a, b, n);
        const int p = left_.rank(), q = right_.rank();
        if (p == 0 || q == 0) return {0.0, 0};
        // canonical = L⁻¹ S R⁻ᵀ: its squared norm is the sum of the squared canonical correlations.
        canonical_.resize(static_cast<size_t>(p) * q);
        scratch_.resize(std::max(p, q));
        for (int j = 0; j < q; ++j) {
            for (int i = 0; i < p; ++i) scratch_[i] = residual_[left_.column(i) * n + a + right_.column(j)];
            left_.solve(scratch_.data());
            for (int i = 0; i < p; ++i) canonical_[i * q + j] = scratch_[i];
        }
        for (int i = 0; i < p; ++i) right_.solve(&canonical_[static_cast<size_t>(i) * q]);
        return {statistic(p, q, r), static_cast<int64_t>(p) * q};
    }

    void decompose_part(Factor& factor, int first, int n, int stride) {
        matrix_.resize(static_cast<size_t>(n) * n);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j <= i; ++j) matrix_[i * n + j] = residual_[(first + i) * stride + first + j];
        factor.decompose(matrix_.data(), n);
    }

    double statistic(int p, int q, int r) {
        if (form_ == Form::likelihood) return total_ * -log_det(p, q);
        double sum = 0;
        for (const double c : canonical_) sum += c * c;
        if (form_ == Form::trace) return std::max(total_ - 1 - r, 0.0) * sum;
        const double z = std::atanh(std::sqrt(std::min(sum, 1 - 1e-15)));
        return std::max(total_ - r - 3, 0.0) * z * z;
    }

    // ln det(I - C Cᵀ) of the canonical correlations C.
    double log_det(int p, int q) {
        matrix_.resize(static_cast<size_t>(p) * p);
        for (int i = 0; i < p; ++i)
            for (int j = 0; j <= i; ++j) {
                double sum = i == j;
                for (int k = 0; k < q; ++k) sum -= canonical_[i * q + k] * canonical_[j * q + k];
                matrix_[i * p + j] = sum;
            }
        double sum = 0;
        for (int k = 0; k < p; ++k) {
            const double pivot = std::max(matrix_[k * p + k], 1e-15);
            sum += std::log(pivot);
            for (int i = k + 1; i < p; ++i)
                for (int j = k + 1; j <= i; ++j) matrix_[i * p + j] -= matrix_[i * p + k] * matrix_[j * p + k] / pivot;
        }
        return sum;
    }

    const Expanded& table_;
    Samples samples_;
    Correlations correlations_;
    std::vector<Columned> variables_;
    Form form_;
    bool products_;
    CriticalValues critical_, critical_of_two_;

    // The question: how many rows it is about, and where to find its correlations.
    struct Side {
        std::vector<int> plain, expanded, raw;
    };
    struct Product {
        size_t n_columns, i, j;  // of variables `i` and `j` of the question
        bool operator<(const Product& other) const { return n_columns < other.n_columns; }
    };
    std::vector<Product> pairs_;
    std::vector<int> incomplete_;
    double total_ = 0;
    Correlations gram_{};
    std::vector<int> given_, raw_, at_given_, at_raw_;  // the columns of the conditioning set, and where they are
    Side sides_[2];

    std::vector<int> factorised_;  // what is held fixed by `held_`, for all rows
    bool ready_ = false;
    Factor held_, raw_held_, left_, right_;

    // Scratch, kept between questions.
    std::vector<int> columns_;
    std::vector<char> groups_;
    std::vector<double> matrix_, matrix_of_question_, solved_, residual_, canonical_, scratch_;
};

}  // namespace elcs
