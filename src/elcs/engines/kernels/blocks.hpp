// Scores on a Gram matrix: how much of the columns of a variable is left given those of its parents.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "cache.hpp"
#include "families.hpp"
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
        family_.insert(std::upper_bound(family_.begin(), family_.end(), child), child);
        return log_volume(family_) - given;
    }

private:
    // What is left of a column counts as no less than this, or else one that follows from others would be worth any price.
    static constexpr double least_left = 1e-6;

    // ln det of the correlations of all columns of some variables, which are sorted. It is remembered: each variable of a set
    // may be the child of the others, and the set the parents of many. On 28
    // columns of six levels all scores take half the time.
    double log_volume(const std::vector<int>& variables) {
        const int m = static_cast<int>(variables.size());
        if (!Question::fits(m, columns_.size())) return computed_volume(variables);
        const Question set(variables.data(), m);
        if (const Measure* const known = volumes_.find(set)) return known->statistic;
        const double volume = computed_volume(variables);
        if (m > 0) volumes_.store(set, {volume, 0});
        return volume;
    }
    double computed_volume(const std::vector<int>& variables) {
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
    Cache volumes_{1 << 18};  // 16 MB at most

    // Scratch, kept between questions.
    Factor factor_;
    std::vector<int> family_, all_;
    std::vector<double> matrix_;
};

// Families scored by what their blocks leave of each other, at a price for each parameter and for each parent.
class BlockFamilies : public Families {
public:
    BlockFamilies(Blocks& blocks, double rows, double price_of_parameter, double price_of_parent, size_t cache_size,
                  std::function<void()> breathe)
        : Families(blocks.size(), 4096, cache_size, std::move(breathe)), blocks_(blocks), rows_(rows),
          price_of_parameter_(price_of_parameter), price_of_parent_(price_of_parent) {}

protected:
    double compute(int child, const std::vector<int>& parents) override {
        int width = 0;
        for (const int v : parents) width += blocks_.width(v);
        const double cost = price_of_parameter_ * blocks_.width(child) * width +
                            price_of_parent_ * static_cast<double>(parents.size());
        return -rows_ / 2 * blocks_.log_left(child, parents) - cost;
    }

private:
    Blocks& blocks_;
    double rows_, price_of_parameter_, price_of_parent_;
};

}  // namespace elcs
