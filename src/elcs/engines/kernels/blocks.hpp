// Scores on a Gram matrix: how much of the columns of a variable is left given those of its parents.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "gram.hpp"

namespace elcs {

// The columns of each variable, its block, as far as they are independent of each other. Not for several threads at once.
class Blocks {
public:
    // `correlations` is d x d, row after row, and must outlive the object.
    Blocks(const double* correlations, size_t d, std::vector<std::vector<int>> columns)
        : correlations_(correlations), d_(d), columns_(std::move(columns)) {
        for (std::vector<int>& block : columns_) {
            factorise(block);
            std::vector<int> kept;
            for (int i = 0; i < factor_.rank(); ++i) kept.push_back(block[factor_.column(i)]);
            std::sort(kept.begin(), kept.end());
            block = std::move(kept);
        }
    }

    size_t size() const { return columns_.size(); }
    int width(int variable) const { return static_cast<int>(columns_[variable].size()); }

    // ln det of the correlations that a variable's block has left, given the blocks of its parents.
    //
    // Taken as the difference of two volumes, each of which depends on a set alone: networks of one equivalence class then
    // are sums of the same volumes, whatever the columns, and score the same.
    double log_left(int child, const std::vector<int>& parents) {
        const double given = log_volume(parents);
        family_.assign(parents.begin(), parents.end());
        family_.push_back(child);
        return log_volume(family_) - given;
    }

private:
    // What is left of a column counts as no less than this, or else one that follows from others would be worth any price.
    static constexpr double least_left = 1e-6;

    // ln det of the correlations of all columns of some variables.
    double log_volume(const std::vector<int>& variables) {
        all_.clear();
        for (const int v : variables) all_.insert(all_.end(), columns_[v].begin(), columns_[v].end());
        std::sort(all_.begin(), all_.end());  // rounding must not depend on the order of the variables
        factorise(all_);
        double sum = (static_cast<double>(all_.size()) - factor_.rank()) * std::log(least_left);
        for (int i = 0; i < factor_.rank(); ++i) sum += 2 * std::log(factor_.diagonal(i));
        return sum;
    }

    void factorise(const std::vector<int>& columns) {
        const int n = static_cast<int>(columns.size());
        matrix_.resize(static_cast<size_t>(n) * n);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j <= i; ++j) matrix_[i * n + j] = correlations_[columns[i] * d_ + columns[j]];
        factor_.decompose(matrix_.data(), n, least_left);
    }

    const double* correlations_;
    size_t d_;
    std::vector<std::vector<int>> columns_;

    // Scratch, kept between questions.
    Factor factor_;
    std::vector<int> family_, all_;
    std::vector<double> matrix_;
};

}  // namespace elcs
