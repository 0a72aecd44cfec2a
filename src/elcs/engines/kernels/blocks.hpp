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
    using Shares = std::vector<std::vector<double>>;

    // `correlations` are those of the features of the table over all rows; both must outlive the object. `columns` are those of
    // each variable, and `shares` what share of the rows each tells of. `ranks` are the places of the variables in the order
    // of their names.
    Blocks(const Expanded& table, const double* correlations, std::vector<std::vector<int>> columns, const Shares& shares,
           std::vector<int> ranks, double few_rows, double price_of_parent)
        : table_(table), samples_(table), correlations_(correlations), columns_(std::move(columns)),
          log_shares_(columns_.size()), ranks_(std::move(ranks)), few_rows_(few_rows), price_of_parent_(price_of_parent) {
        for (size_t v = 0; v < columns_.size(); ++v) {
            std::vector<int>& block = columns_[v];
            look_at({static_cast<int>(v)});
            factorise({static_cast<int>(v)}, 0);
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
    // What a score costs, in rows gone through.
    int64_t work() const { return 4096 + (any_gaps_ ? static_cast<int64_t>(table_.n_counted()) : 0); }

    // The log-likelihood of a variable given its parents, which are sorted, less what they cost.
    //
    // Where values are missing, families rest on different rows. So parents are taken off one by one, the weakest first. What
    // each adds is measured on the rows that have it and all that are left, and scaled up to all rows.
    double score(int child, const std::vector<int>& parents) {
        if (!any_gaps_) return measured(child, parents);
        std::vector<int> key(1, child);
        key.insert(key.end(), parents.begin(), parents.end());
        const int m = static_cast<int>(key.size());
        const bool fits = Question::fits(m, columns_.size());
        if (fits)
            if (const Measure* const known = scores_.find({key.data(), m})) return known->statistic;
        const double score = !parents.empty() && lacks_values(key) ? taken_off(child, parents) : measured(child, parents);
        if (fits) scores_.store({key.data(), m}, {score, 0});
        return score;
    }

private:
    // So much noise is added to each column, or else one that follows from others would be worth any price. Had we instead
    // bounded what is left of it, the volume would depend on which of the columns are taken to follow from the others: a coin
    // beside x, y and x + y then changed it by up to 229 nats, and was a decided effect on 2 of 60 tables.
    static constexpr double noise = 1e-6;

    // A parameter of which fewer rows tell costs as if these did. Without that, columns of 10 to 40 levels that are
    // independent of everything got 0.5 to 6 false edges at 200 and 500 rows; with it, fewer than 0.1.
    static constexpr double least_rows = 10;

    // A family that lacks values must have so many rows more than columns; if it has fewer, it is worth nothing. With 10, as
    // tests must have, 24 independent columns of 150 rows that lack up to four fifths of them got 2 to 10 edges, with 30
    // none to 6.
    static constexpr double fewest_rows_left = 30, nothing = -1e6;

    bool lacks_values(const std::vector<int>& variables) const {
        return std::any_of(variables.begin(), variables.end(), [&](int v) { return table_.incomplete(v); });
    }

    // The score on all rows, or if only the child lacks values and has no parents, on those that have it.
    double measured(int child, const std::vector<int>& parents) {
        double cost = 0;
        for (const int v : parents) cost += cost_of(child, v, table_.total());
        return -table_.total() / 2 * log_left(child, parents) - cost;
    }

    // What a parent costs if there are so many rows: for each column of the child and of the parent the logarithm of the
    // number of rows that tell of both.
    double cost_of(int child, int parent, double rows) const {
        const double all = std::log(std::max(rows, least_rows)), least = std::log(least_rows);
        double sum = 0;
        for (const double a : log_shares_[parent])
            for (const double b : log_shares_[child]) sum += std::max(all + a + b, least);
        return std::max(1.0, std::sqrt(rows / few_rows_)) / 2 * sum + price_of_parent_;
    }

    double taken_off(int child, const std::vector<int>& parents) {
        std::vector<int> family = joined(parents, child), rest;
        const double rows = look_at(family);
        if (rows - static_cast<double>(at_.back()) < fewest_rows_left) return nothing * static_cast<double>(parents.size());
        const double left = volume_of(family) - volume_of(parents);
        double least = 0, gain = 0;
        int weakest = -1;
        for (const int v : parents) {
            rest = without(parents, v);
            const double left_without = volume_of(joined(rest, child)) - volume_of(rest);
            const double added = rows / 2 * (left_without - left) - cost_of(child, v, rows), to_compare = rounded(added);
            if (weakest >= 0 && (to_compare > least || (to_compare == least && ranks_[v] > ranks_[weakest]))) continue;
            weakest = v;
            least = to_compare;
            gain = added;
        }
        rest = without(parents, weakest);
        return table_.total() / rows * gain + score(child, rest);
    }
    static std::vector<int> without(std::vector<int> sorted, int v) {
        sorted.erase(std::find(sorted.begin(), sorted.end(), v));
        return sorted;
    }
    static std::vector<int> joined(std::vector<int> sorted, int v) {
        sorted.insert(std::upper_bound(sorted.begin(), sorted.end(), v), v);
        return sorted;
    }

    // ln det of the correlations that a variable's block has left, given the blocks of its parents.
    //
    // Taken as the difference of two volumes, each of which depends on a set alone: networks of one equivalence class then
    // are sums of the same volumes, whatever the columns, and score the same.
    double log_left(int child, const std::vector<int>& parents) {
        return log_volume(joined(parents, child)) - log_volume(parents);
    }

    // The volume of some variables, which are sorted. It is remembered: each variable of a set may be the child of the others,
    // and the set the parents of many. On 28 columns of six levels all scores take half the time.
    double log_volume(const std::vector<int>& variables) {
        const int m = static_cast<int>(variables.size());
        const bool fits = Question::fits(m, columns_.size());
        const Question set(variables.data(), fits ? m : 0);
        if (fits)
            if (const Measure* const known = volumes_.find(set)) return known->statistic;
        look_at(variables);
        const double volume = volume_of(variables);
        if (fits && m > 0) volumes_.store(set, {volume, 0});
        return volume;
    }

    // Turns to the rows that have some variables, which are sorted, and returns how many they are.
    double look_at(const std::vector<int>& variables) {
        incomplete_.clear();
        for (const int v : variables)
            if (table_.incomplete(v)) incomplete_.push_back(v);
        any_gaps_ = any_gaps_ || !incomplete_.empty();
        place_.resize(columns_.size());
        looked_at_.clear();
        at_.assign(1, 0);
        for (size_t i = 0; i < variables.size(); ++i) {
            const std::vector<int>& block = columns_[variables[i]];
            place_[variables[i]] = static_cast<int>(i);
            looked_at_.insert(looked_at_.end(), block.begin(), block.end());
            at_.push_back(static_cast<int>(looked_at_.size()));
        }
        if (incomplete_.empty()) return table_.total();
        samples_.make_room();
        groups_.assign(looked_at_.size(), Samples::tested);
        samples_.correlations(incomplete_, looked_at_, groups_, over_rows_);
        return samples_.total(incomplete_);
    }

    // ln det of the correlations of all columns of some of the variables that were looked at.
    double volume_of(const std::vector<int>& variables) {
        const int n = factorise(variables, noise);
        double sum = (n - factor_.rank()) * std::log(noise);  // by rounding there may be less left than was added
        for (int i = 0; i < factor_.rank(); ++i) sum += 2 * std::log(factor_.diagonal(i));
        return sum;
    }

    int factorise(const std::vector<int>& variables, double added) {
        chosen_.clear();
        for (const int v : variables)
            for (int i = at_[place_[v]]; i < at_[place_[v] + 1]; ++i) chosen_.push_back(i);
        const int n = static_cast<int>(chosen_.size());
        const size_t d = table_.one(), m = looked_at_.size();
        matrix_.resize(static_cast<size_t>(n) * n);
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j <= i; ++j)
                matrix_[i * n + j] = incomplete_.empty() ? correlations_[looked_at_[chosen_[i]] * d + looked_at_[chosen_[j]]]
                                                         : over_rows_[chosen_[i] * m + chosen_[j]];
            matrix_[i * n + i] += added;
        }
        factor_.decompose(matrix_.data(), n, added > 0 ? added / 2 : noise);
        return n;
    }

    const Expanded& table_;
    Samples samples_;
    const double* correlations_;
    std::vector<std::vector<int>> columns_;
    std::vector<std::vector<double>> log_shares_;
    std::vector<int> ranks_;
    double few_rows_, price_of_parent_;
    bool any_gaps_ = false;
    Cache volumes_{1 << 18}, scores_{1 << 18};  // 16 MB each at most

    // What was looked at last: incomplete variables, columns, where those of each variable begin, and their correlations if
    // there are incomplete ones.
    std::vector<int> incomplete_, looked_at_, place_, at_;
    std::vector<double> over_rows_;

    // Scratch, kept between questions.
    Factor factor_;
    std::vector<int> chosen_;
    std::vector<char> groups_;
    std::vector<double> matrix_;
};

// Families scored by what their blocks leave of each other.
class BlockFamilies : public Families {
public:
    BlockFamilies(Blocks& blocks, size_t cache_size, std::function<void()> breathe)
        : Families(blocks.size(), blocks.work(), cache_size, std::move(breathe)), blocks_(blocks) {}

protected:
    double compute(int child, const std::vector<int>& parents) override { return blocks_.score(child, parents); }

private:
    Blocks& blocks_;
};

}  // namespace elcs
