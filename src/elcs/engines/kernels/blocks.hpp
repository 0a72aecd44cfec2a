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
    // `correlations` is d x d, row after row, and must outlive the object. `shares` has for each column of each variable the
    // share of the `rows` that it tells of.
    Blocks(const double* correlations, size_t d, std::vector<std::vector<int>> columns,
           const std::vector<std::vector<double>>& shares, double rows)
        : correlations_(correlations), d_(d), columns_(std::move(columns)), log_shares_(columns_.size()), rows_(rows) {
        for (size_t v = 0; v < columns_.size(); ++v) {
            std::vector<int>& block = columns_[v];
            factorise(block);
            std::vector<int> kept;
            for (int i = 0; i < factor_.rank(); ++i) kept.push_back(factor_.column(i));
            std::sort(kept.begin(), kept.end());
            for (int& column : kept) {
                log_shares_[v].push_back(std::log(shares[v][column]));
                column = block[column];
            }
            block = std::move(kept);
        }
    }

    size_t size() const { return columns_.size(); }
    double rows() const { return rows_; }

    // The logarithms of the numbers of rows that tell of each parameter, added: one for each column of a variable and each
    // of those of its parents.
    double log_rows(int child, const std::vector<int>& parents) const {
        const double all = std::log(std::max(rows_, least_rows)), least = std::log(least_rows);
        double sum = 0;
        for (const int v : parents)
            for (const double a : log_shares_[v])
                for (const double b : log_shares_[child]) sum += std::max(all + a + b, least);
        return sum;
    }

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

    // A parameter of which fewer rows tell costs as if these did. Without that, columns of 10 to 40 levels that are
    // independent of everything got 0.5 to 6 false edges at 200 and 500 rows; with it, fewer than 0.1.
    static constexpr double least_rows = 10;

    // ln det of the correlations of all columns of some variables, which are sorted. It is remembered: each variable of a set
    // may be the child of the others, and the set the parents of many. On 28 columns of six levels all scores take half the
    // time.
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
    std::vector<std::vector<double>> log_shares_;
    double rows_;

    // Scratch, kept between questions.
    Factor factor_;
    std::vector<int> family_, all_;
    std::vector<double> matrix_;
};

// Families scored by what their blocks leave of each other, at a price for each parameter and for each parent.
class BlockFamilies : public Families {
public:
    // A parameter costs `price` for each unit of the logarithm of the rows that tell of it.
    BlockFamilies(Blocks& blocks, double price, double price_of_parent, size_t cache_size, std::function<void()> breathe)
        : Families(blocks.size(), 4096, cache_size, std::move(breathe)), blocks_(blocks), price_(price),
          price_of_parent_(price_of_parent) {}

protected:
    double compute(int child, const std::vector<int>& parents) override {
        const double cost =
            price_ * blocks_.log_rows(child, parents) + price_of_parent_ * static_cast<double>(parents.size());
        return -blocks_.rows() / 2 * blocks_.log_left(child, parents) - cost;
    }

private:
    Blocks& blocks_;
    double price_, price_of_parent_;
};

}  // namespace elcs
