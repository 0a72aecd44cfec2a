// Tests on a Gram matrix: what is measured is small linear algebra on correlations, whatever the number of rows.
//
// Each variable is some columns of the matrix: those it stands for plainly, those it is expanded into where one side of a
// test may be, and those it is held fixed by. Both sides are regressed on the columns of the conditioning set, by a
// Cholesky factorisation of their correlations with pivots, so that collinear columns only lower the rank.
#pragma once

#include <algorithm>
#include <cmath>

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

struct Columned {
    std::vector<int> plain, expanded, given;  // columns of the Gram matrix
    std::vector<int> raw;  // what it is before it is expanded, if that is something else
};

enum class Form { trace, likelihood, fisher };

class GramTester : public Tester {
public:
    // `correlations` is d x d, row after row, and must outlive the tester; `total` is the number of rows behind it.
    // `critical` is for tests of one kind, `critical_of_two` for the better of two.
    GramTester(const double* correlations, size_t d, std::vector<Columned> variables, double total, Form form,
               std::function<double(int64_t)> critical, std::function<double(int64_t)> critical_of_two, size_t cache_size,
               std::function<void()> breathe)
        : Tester(variables.size(), cache_size, std::move(breathe)), correlations_(correlations), d_(d),
          variables_(std::move(variables)), total_(total), form_(form), critical_(std::move(critical)),
          critical_of_two_(std::move(critical_of_two)) {}

protected:
    int64_t posed() override { return 1024; }

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
        factorise_given();
        if (determined(side(0).raw) || determined(side(1).raw)) return {0.0, 0};
        if (best_of() == 1) return measure(side(0).expanded, side(1).expanded);
        const Measure one = measure(side(0).expanded, side(1).plain), other = measure(side(0).plain, side(1).expanded);
        if (one.dof == 0 || other.dof == 0) return one.dof == 0 ? other : one;
        const double p = chi2_tail(one.statistic, one.dof), q = chi2_tail(other.statistic, other.dof);
        if (p == q) return one.statistic >= other.statistic ? one : other;
        return p < q ? one : other;
    }

    // Of two single columns the one entry of the canonical matrix is what is left of their correlation, sign included.
    std::optional<double> correlate() override {
        if (side(0).plain.size() != 1 || side(1).plain.size() != 1) return std::nullopt;
        factorise_given();
        if (determined(side(0).raw) || determined(side(1).raw)) return std::nullopt;
        if (measure(side(0).plain, side(1).plain).dof == 0) return std::nullopt;
        return std::clamp(canonical_[0], -1.0, 1.0);
    }

private:
    static constexpr double fewest_rows_left = 10;

    const Columned& side(int i) const { return variables_[question_[i]]; }
    double correlation(int i, int j) const { return correlations_[static_cast<size_t>(i) * d_ + j]; }

    // The columns of the conditioning set, factorised unless they are those of the question before.
    void factorise_given() {
        given_.clear();
        for (size_t i = 2; i < question_.size(); ++i) {
            const std::vector<int>& columns = variables_[question_[i]].given;
            given_.insert(given_.end(), columns.begin(), columns.end());
        }
        if (given_ == factorised_ && ready_) return;
        factorise(held_, given_);
        factorised_ = given_;
        raw_.clear();
        for (size_t i = 2; i < question_.size(); ++i) {
            const std::vector<int>& columns = variables_[question_[i]].raw;
            raw_.insert(raw_.end(), columns.begin(), columns.end());
        }
        factorise(raw_held_, raw_);
        ready_ = true;
    }

    void factorise(Factor& factor, const std::vector<int>& columns) {
        const int n = static_cast<int>(columns.size());
        matrix_.resize(static_cast<size_t>(n) * n);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j <= i; ++j) matrix_[i * n + j] = correlation(columns[i], columns[j]);
        factor.decompose(matrix_.data(), n);
    }

    // Whether a variable is a sum of what is held fixed. Ranks do not show that: what is left of them is noise, in which a
    // test would find no dependence, and a true neighbour would be lost.
    bool determined(const std::vector<int>& columns) {
        if (columns.empty() || raw_.empty()) return false;
        const int r = raw_held_.rank();
        scratch_.resize(std::max(r, 1));
        for (const int column : columns) {
            for (int j = 0; j < r; ++j) scratch_[j] = correlation(column, raw_[raw_held_.column(j)]);
            raw_held_.solve(scratch_.data());
            double left = correlation(column, column);
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
            double* v = &solved_[static_cast<size_t>(i) * r];
            for (int j = 0; j < r; ++j) v[j] = correlation(columns_[i], factorised_[held_.column(j)]);
            held_.solve(v);
        }
        residual_.resize(static_cast<size_t>(n) * n);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j <= i; ++j) {
                double sum = correlation(columns_[i], columns_[j]);
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

    const double* correlations_;
    size_t d_;
    std::vector<Columned> variables_;
    double total_;
    Form form_;
    CriticalValues critical_, critical_of_two_;

    std::vector<int> factorised_, raw_;
    bool ready_ = false;
    Factor held_, raw_held_, left_, right_;

    // Scratch, kept between questions.
    std::vector<int> given_, columns_;
    std::vector<double> matrix_, solved_, residual_, canonical_, scratch_;
};

}  // namespace elcs
