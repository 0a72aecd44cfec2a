// Correlations over the rows that have certain variables.
//
// What a learner asks about is a small part of all sums of products, so each is computed when it is first needed.
#pragma once

#include <cmath>
#include <map>
#include <unordered_map>

#include "expanded.hpp"

namespace elcs {

// What is known of the sums of products of columns over certain rows.
class Sums {
public:
    // Where these columns are.
    const std::vector<int>& places(const std::vector<int>& columns) {
        places_.clear();
        for (const int column : columns) {
            if (static_cast<size_t>(column) >= place_of_.size()) place_of_.resize(column + 1, -1);
            if (place_of_[column] < 0) {
                place_of_[column] = n_columns_++;
                triangle_.resize(triangle_.size() + n_columns_, std::nan(""));
            }
            places_.push_back(place_of_[column]);
        }
        return places_;
    }
    // The sum for the columns at two places; NaN: not known yet.
    double& operator()(int place, int other) { return triangle_[triangular(place, other)]; }
    size_t size() const { return triangle_.size(); }

private:
    std::vector<int> place_of_;  // by column; -1: not asked about yet
    std::vector<int> places_;
    std::vector<double> triangle_;
    int n_columns_ = 0;
};

// Correlations over the rows that have all of some variables.
//
// A sum over these rows is that over all rows, less those over the rows that lack a variable, for each of them, plus, if
// many rows lack two, those over the rows that lack two, for each two of them. These are remembered. What is then left to
// correct are the rows that lack more than one or two, and there are few.
class Samples {
public:
    explicit Samples(const Expanded& table) : table_(table) {}

    // Forgets everything if too much is remembered, the numbers of products too. Tells whether it did.
    bool make_room() {
        if (remembered_ <= most_remembered) return false;
        number_of_.clear();
        factors_.clear();
        whole_ = {};
        lacking_.clear();
        remembered_ = 0;
        return true;
    }

    // The number of the product of two features.
    int product(int i, int j) {
        if (i > j) std::swap(i, j);
        const auto [at, made] = number_of_.try_emplace(static_cast<uint64_t>(i) << 32 | static_cast<uint32_t>(j),
                                                       table_.one() + 1 + static_cast<int>(factors_.size()));
        if (made) factors_.emplace_back(i, j);
        return at->second;
    }

    // How many rows, weights counted, have these variables, all of them incomplete and in ascending order.
    double total(const std::vector<int>& variables) {
        return variables.empty() ? table_.total() : having(variables).total;
    }

    // What a column is needed for; those that share no group are not needed together.
    static constexpr char tested = 1, raw = 2;

    // The correlations of these columns over the rows that have these variables, as a matrix, where they are needed.
    // Products come after the features they are made of. A column that does not vary is correlated with nothing.
    void correlations(const std::vector<int>& variables, const std::vector<int>& columns, const std::vector<char>& groups,
                      std::vector<double>& matrix) {
        columns_ = columns;
        columns_.push_back(table_.one());
        groups_ = groups;
        groups_.push_back(tested | raw);
        add_up(variables);
        const size_t n = columns.size();
        const double total = this->total(variables);
        const double* sums_of_ones = &sums_[n * (n + 1) / 2];
        spread_.resize(n);
        matrix.resize(n * n);
        for (size_t i = 0; i < n; ++i) {
            const double* sums = &sums_[i * (i + 1) / 2];
            const double mean = sums_of_ones[i] / total, variance = sums[i] / total - mean * mean;
            spread_[i] = variance > least_variance ? 1 / std::sqrt(variance) : 0.0;
            for (size_t j = 0; j < i; ++j) {
                const double covariance = sums[j] / total - mean * sums_of_ones[j] / total;
                matrix[i * n + j] = matrix[j * n + i] = std::clamp(covariance * spread_[i] * spread_[j], -1.0, 1.0);
            }
            matrix[i * n + i] = spread_[i] > 0;
        }
    }

private:
    static constexpr size_t most_sets = 1 << 16;
    static constexpr double most_at_once = 1 << 20;  // sums, eight bytes each
    static constexpr size_t most_remembered = 1 << 23;
    static constexpr int most_depth = 2;
    static constexpr size_t few_rows = 512;  // to go through them costs no more than to look up what is remembered

    struct Pair {
        int a, b;  // positions in `columns_`
        double sum;
    };

    // How many rows have some variables, weights counted and not, and how many lack more than none, one and two of them.
    struct Having {
        double total;
        size_t n, n_lacking_more_than[most_depth + 1];
    };

    // The rows that lack one or two variables. Their sums are found out one after the other, until that has cost as much as
    // to find out all those of features at once.
    struct Lacking {
        Sums some;
        std::vector<double> of_features;  // and of the column of ones; lower triangle; empty: not all are known
        double spent = 0;  // in products computed for each row
    };

    // sums_ = the sums of products of `columns_` over the rows that have these variables; lower triangle.
    void add_up(const std::vector<int>& variables) {
        has_products_ = std::any_of(columns_.begin(), columns_.end(), [&](int c) { return c > table_.one(); });
        sums_.resize(columns_.size() * (columns_.size() + 1) / 2);
        if (has_products_) {
            const std::vector<int>& at = find_out(whole_, true, [&] { table_.having({}, rows_); });
            each_pair([&](double& sum, int i, int j) {
                sum = known(i, j) ? table_.whole(columns_[i], columns_[j]) : whole_(at[i], at[j]);
            });
        } else {
            each_pair([&](double& sum, int i, int j) { sum = table_.whole(columns_[i], columns_[j]); });
        }
        if (variables.empty()) return;
        const Having& rows = having(variables);
        // Products are many, and each is seldom asked for again; their sums over few rows are not worth remembering.
        depth_ = has_products_ ? 0 : 1;
        while (depth_ < most_depth && rows.n_lacking_more_than[depth_] > few_rows) ++depth_;
        if (rows.n <= rows.n_lacking_more_than[depth_]) {
            ask_for_all();
            table_.having(variables, rows_);
            add_rows(rows_, nullptr);
            std::fill(sums_.begin(), sums_.end(), 0.0);
        } else {
            for (size_t i = 0; i < variables.size() && depth_ > 0; ++i)
                for (size_t j = depth_ == 1 ? i : 0; j <= i; ++j) correct(variables[j], variables[i]);
            pairs_.clear();
            if (rows.n_lacking_more_than[depth_] > 0) {
                ask_for_all();
                table_.lacking_more_than(depth_, variables, rows_);
                add_rows(rows_, &variables);
            }
        }
        for (const Pair& pair : pairs_) sums_[triangular(pair.a, pair.b)] += pair.sum;
    }

    // What is known of the rows that have these variables.
    const Having& having(const std::vector<int>& variables) {
        const auto found = having_.find(variables);
        if (found != having_.end()) return found->second;
        if (having_.size() == most_sets) having_.clear();
        Having made{};
        table_.count_lacking(filler_.isa(), variables, made.n_lacking_more_than);
        made.n = table_.n_counted() - made.n_lacking_more_than[0];
        made.total = static_cast<double>(made.n);
        if (table_.weighted()) {
            table_.having(variables, rows_);
            made.total = table_.weight_of(rows_);
        }
        return having_[variables] = made;
    }

    void ask_for_all() {
        pairs_.clear();
        for (int i = 0; i < static_cast<int>(columns_.size()); ++i)
            for (int j = 0; j <= i; ++j)
                if (groups_[i] & groups_[j]) pairs_.push_back({i, j, 0.0});
    }

    // Passes on the sum of each pair of `columns_` that are needed together, and their positions there.
    template <class Take>
    void each_pair(Take take) {
        double* sum = sums_.data();
        for (int i = 0; i < static_cast<int>(columns_.size()); ++i)
            for (int j = 0; j <= i; ++j, ++sum)
                if (groups_[i] & groups_[j]) take(*sum, i, j);
    }

    // Whether two columns are features or the column of ones.
    bool known(int i, int j) const { return std::max(columns_[i], columns_[j]) <= table_.one(); }

    // Finds out the sums that are not known yet, over the rows that `choose` marks in `rows_`; with `features_known` only
    // those of products of features. Returns the places of `columns_`.
    template <class Choose>
    const std::vector<int>& find_out(Sums& sums, bool features_known, Choose choose) {
        remembered_ -= sums.size();
        const std::vector<int>& at = sums.places(columns_);
        remembered_ += sums.size();
        pairs_.clear();
        each_pair([&](double&, int i, int j) {
            if (!(features_known && known(i, j)) && std::isnan(sums(at[i], at[j]))) pairs_.push_back({i, j, 0.0});
        });
        if (pairs_.empty()) return at;
        choose();
        add_rows(rows_, nullptr);
        for (const Pair& pair : pairs_) sums(at[pair.a], at[pair.b]) = pair.sum;
        return at;
    }

    // sums_ -= the sums over the rows that lack a variable, or += those over the rows that lack two.
    void correct(int variable, int other) {
        Lacking& rows = lacking_[static_cast<uint64_t>(variable) << 32 | static_cast<uint32_t>(other)];
        const double sign = variable == other ? -1 : 1;
        const double d = table_.one() + 1, price = d * d / 2 + 8 * d;
        if (rows.of_features.empty() && rows.spent >= price && price <= most_at_once)
            find_out_all([&] { table_.lacking(variable, other, rows_); }, rows);
        const bool features_known = !rows.of_features.empty();
        if (features_known && !has_products_) {
            const double* const sums = rows.of_features.data();
            each_pair([&](double& sum, int i, int j) { sum += sign * sums[triangular(columns_[i], columns_[j])]; });
            return;
        }
        const std::vector<int>& at = find_out(rows.some, features_known, [&] { table_.lacking(variable, other, rows_); });
        rows.spent += pairs_.empty() ? 0.0 : static_cast<double>(pairs_.size() + 8 * columns_.size());
        each_pair([&](double& sum, int i, int j) {
            const bool dense = features_known && known(i, j);
            sum += sign * (dense ? rows.of_features[triangular(columns_[i], columns_[j])] : rows.some(at[i], at[j]));
        });
    }

    template <class Choose>
    void find_out_all(Choose choose, Lacking& rows) {
        const std::vector<int> asked = columns_;
        const std::vector<char> asked_groups = groups_;
        columns_.resize(table_.one() + 1);
        for (int i = 0; i <= table_.one(); ++i) columns_[i] = i;
        groups_.assign(columns_.size(), tested);
        ask_for_all();
        choose();
        add_rows(rows_, nullptr);
        rows.of_features.resize(pairs_.size());
        for (size_t at = 0; at < pairs_.size(); ++at) rows.of_features[at] = pairs_[at].sum;
        remembered_ += rows.of_features.size() - rows.some.size();
        rows.some = {};
        columns_ = asked;
        groups_ = asked_groups;
    }

    // Adds up the products of `pairs_` over some rows; pairs with the same `a` follow each other. With `lacked`, a row that
    // lacks m of these variables makes up for the 1, 1 - m or 1 - m + m (m - 1) / 2 times that it has been counted.
    void add_rows(const std::vector<uint64_t>& rows, const std::vector<int>* lacked) {
        lacked_ = lacked;
        wanted_.assign(columns_.size(), 0);
        for (const Pair& pair : pairs_) wanted_[pair.a] = wanted_[pair.b] = 1;
        place_.resize(table_.one());
        for (size_t c = 0; c < columns_.size(); ++c)
            if (columns_[c] < table_.one()) place_[columns_[c]] = c;
        for (size_t c = 0; c < columns_.size(); ++c)
            if (wanted_[c] && columns_[c] > table_.one()) {
                const auto& [i, j] = factors_[columns_[c] - table_.one() - 1];
                wanted_[place_[i]] = wanted_[place_[j]] = 1;
            }
        buffer_.resize((columns_.size() + 1) * Filler::most_rows);
        weights_.resize(Filler::most_rows);
        list_.clear();
        table_.for_each_row(rows, [&](size_t row) {
            list_.push_back(static_cast<uint32_t>(row));
            if (list_.size() == Filler::most_rows) add_listed();
        });
        if (!list_.empty()) add_listed();
    }

    void add_listed() {
        const size_t n = list_.size(), padded = Filler::rounded(n);
        filler_.start(list_.data(), n);
        for (size_t c = 0; c < columns_.size(); ++c) {
            if (!wanted_[c]) continue;
            double* to = &buffer_[c * Filler::most_rows];
            if (columns_[c] < table_.one()) filler_.fill(table_.feature(columns_[c]), to);
            else if (columns_[c] == table_.one()) std::fill(to, to + n, 1.0);
            else {
                const auto& [i, j] = factors_[columns_[c] - table_.one() - 1];
                filler_.isa().multiply(&buffer_[place_[i] * Filler::most_rows], &buffer_[place_[j] * Filler::most_rows], n, to);
            }
            std::fill(to + n, to + padded, 0.0);
        }
        const bool weighted = lacked_ != nullptr || table_.weighted();
        for (size_t i = 0; weighted && i < n; ++i)
            weights_[i] = table_.weight(list_[i]) * (lacked_ == nullptr ? 1 : made_up_for(table_.n_lacking(*lacked_, list_[i])));
        double* const scratch = &buffer_[columns_.size() * Filler::most_rows];
        for (size_t p = 0; p < pairs_.size();) {
            const int a = pairs_[p].a;
            const double* left = &buffer_[a * Filler::most_rows];
            if (weighted) {
                filler_.isa().multiply(left, weights_.data(), n, scratch);
                std::fill(scratch + n, scratch + padded, 0.0);
                left = scratch;
            }
            while (p < pairs_.size() && pairs_[p].a == a) {
                const double* right[4];
                double sums[4];
                size_t m = 0;
                for (; m < 4 && p + m < pairs_.size() && pairs_[p + m].a == a; ++m)
                    right[m] = &buffer_[pairs_[p + m].b * Filler::most_rows];
                for (size_t k = m; k < 4; ++k) right[k] = right[0];
                filler_.isa().dot_with_four(left, right, padded, sums);
                for (size_t k = 0; k < m; ++k) pairs_[p++].sum += sums[k];
            }
        }
        list_.clear();
    }

    int made_up_for(int m) const { return depth_ == 0 ? -1 : depth_ == 1 ? m - 1 : -(m - 1) * (m - 2) / 2; }

    const Expanded& table_;
    std::unordered_map<uint64_t, int> number_of_;  // of products
    std::vector<std::pair<int, int>> factors_;
    Sums whole_;
    std::unordered_map<uint64_t, Lacking> lacking_;  // by variables
    size_t remembered_ = 0;  // sums in `whole_` and `lacking_`
    std::map<std::vector<int>, Having> having_;

    // Scratch, kept between calls.
    std::vector<int> columns_;
    std::vector<char> groups_, wanted_;
    std::vector<size_t> place_;  // of features in `columns_`
    std::vector<Pair> pairs_;
    std::vector<uint64_t> rows_;
    int depth_ = 1;  // how many lacking variables are corrected for by what is remembered
    const std::vector<int>* lacked_ = nullptr;
    std::vector<uint32_t> list_;
    Filler filler_;
    bool has_products_ = false;
    std::vector<double> buffer_, weights_, sums_, spread_;
};

}  // namespace elcs
