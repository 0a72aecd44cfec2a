// Conditional-independence questions about the columns of a table: one, many, or a whole subset search.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>

#include "budget.hpp"
#include "cache.hpp"
#include "columns.hpp"
#include "numbering.hpp"
#include "statistic.hpp"

namespace elcs {

enum class Verdict : int8_t { dependent = 0, independent = 1, unreliable = 2 };

struct Answer {
    Measure measure;
    Verdict verdict;
};

struct Rule {
    bool pearson;           // Pearson's chi-squared instead of G2
    double rows_per_cell;   // fewer rows than this per cell of the full table: unreliable
    std::function<double(int64_t)> critical;  // the smallest statistic at which a test says dependent, by dof
};

class Tester {
public:
    Tester(const Columns& columns, Rule rule, size_t cache_size, std::function<void()> breathe)
        : columns_(columns), rule_(std::move(rule)), xlogx_(XLogX::of(columns.total())), cache_(cache_size),
          breathe_(std::move(breathe)), critical_(most_tabled_dof, -1.0) {}

    std::atomic<int64_t> asked{0}, computed{0};  // read by other threads, for a display of progress

    std::shared_ptr<Budget> budget() const { return budget_; }
    void set_budget(std::shared_ptr<Budget> budget) {
        budget_ = std::move(budget);
        if (budget_->timed()) work_ = work_between_breaths;  // look at the clock at the next question
    }
    void clear_cache() { cache_.clear(); }

    // The statistic is computed even where the verdict is `unreliable`.
    Answer test(int x, int y, const int* given, int k) {
        pose(x, y, given, k);
        const Measure measure = look_up();
        return {measure, verdict(measure)};
    }

    // Many questions, m variables each: x, y and the conditioning set, which ends in -1 where it is shorter. On
    // request, a test that is not reliable is not computed; its measure is then zero. Successive questions that share x
    // and the set share the split of the rows by these: all tests of IAMB on Alarm, 5,000 rows, fall from 14 to 6 ms.
    template <class Take>
    void test_many(const int* questions, size_t n, int m, bool skip_unreliable, Take take) {
        const NoSplitAfterwards however_it_ends{split_variable_};
        for (size_t i = 0, alike = 0; i < n; ++i, --alike, questions += m) {
            const int* given = questions + 2;
            int k = 0;
            while (k + 2 < m && given[k] >= 0) ++k;
            if (alike == 0) {
                while (++alike < n - i && same_split(questions, questions + alike * m, m)) {}
                split_ready_ = false;
                split_variable_ = k > 0 && alike >= fewest_to_split && !rule_.pearson ? questions[0] : -1;
            }
            pose(questions[0], questions[1], given, k);
            const Measure measure = skip_unreliable && !reliable() ? Measure{} : look_up();
            take(Answer{measure, verdict(measure)});
        }
    }

    // An unreliable test never separates, so it is not computed.
    bool independent(int x, int y, const int* given, int k) {
        pose(x, y, given, k);
        return reliable() && verdict(look_up()) == Verdict::independent;
    }

    // The statistic if the test finds dependence, else 0; an unreliable test finds none, so it is not computed.
    double association(int x, int y, const int* given, int k) {
        pose(x, y, given, k);
        if (!reliable()) return 0.0;
        const Measure measure = look_up();
        return verdict(measure) == Verdict::dependent ? measure.statistic : 0.0;
    }

    // The first subset of `among` that separates x and y, as positions in `among`: by size, then lexicographically;
    // with `required`, only subsets that hold at least one member marked there.
    std::optional<std::vector<int>> separator(int x, int y, const std::vector<int>& among, const std::vector<int>& sizes,
                                              const std::vector<char>& required) {
        const int m = static_cast<int>(among.size());
        std::vector<int> subset, given;
        for (const int size : sizes) {
            if (size < 0 || size > m) continue;
            subset.resize(size);
            given.resize(size);
            for (int i = 0; i < size; ++i) subset[i] = i;
            do {
                bool wanted = required.empty();
                for (int i = 0; i < size && !wanted; ++i) wanted = required[subset[i]];
                if (!wanted) continue;
                for (int i = 0; i < size; ++i) given[i] = among[subset[i]];
                if (independent(x, y, given.data(), size)) return subset;
            } while (next_subset(subset, m));
        }
        return std::nullopt;
    }

private:
    static constexpr size_t most_tabled_dof = 1024;
    static constexpr size_t fewest_to_split = 4;
    static constexpr int64_t work_between_breaths = 1 << 23;  // rows counted; some milliseconds

    static bool next_subset(std::vector<int>& subset, int m) {
        const int size = static_cast<int>(subset.size());
        int i = size - 1;
        while (i >= 0 && subset[i] == m - size + i) --i;
        if (i < 0) return false;
        for (++subset[i]; ++i < size;) subset[i] = subset[i - 1] + 1;
        return true;
    }

    struct NoSplitAfterwards {
        int& variable;
        ~NoSplitAfterwards() { variable = -1; }
    };

    static bool same_split(const int* a, const int* b, int m) {
        return a[0] == b[0] && std::equal(a + 2, a + m, b + 2);
    }

    // Brings the question into its one canonical form, z..., x, y (so that equal questions give equal answers to the
    // last bit), checks it, and counts it.
    void pose(int x, int y, const int* given, int k) {
        question_.resize(k + 2);
        question_[0] = std::min(x, y);
        question_[1] = std::max(x, y);
        for (int i = 0; i < k; ++i) {  // insertion sort: k is small
            int j = i + 2;
            for (; j > 2 && question_[j - 1] > given[i]; --j) question_[j] = question_[j - 1];
            question_[j] = given[i];
        }
        cells_ = 1;
        bool doubled = x == y;
        for (int i = 0; i < k + 2; ++i) {
            const int v = question_[i];
            if (v < 0 || v >= static_cast<int>(columns_.size())) throw std::out_of_range("no such variable");
            if (i >= 2) doubled = doubled || v == x || v == y || (i > 2 && v == question_[i - 1]);
            cells_ *= columns_.levels(v);
        }
        if (doubled) throw std::invalid_argument("a variable appears twice in one question");
        work_ += 1024 + static_cast<int64_t>(columns_.n_rows());
        if (work_ >= work_between_breaths) breathe();
        budget_->spend();
        ++asked;
    }

    void breathe() {
        work_ = 0;
        breathe_();
        budget_->check_time();
    }

    bool reliable() const { return static_cast<double>(columns_.total()) >= rule_.rows_per_cell * cells_; }

    Verdict verdict(const Measure& measure) {
        if (!reliable()) return Verdict::unreliable;
        if (measure.dof == 0 || measure.statistic < critical(measure.dof)) return Verdict::independent;
        return Verdict::dependent;
    }

    double critical(int64_t dof) {
        if (dof >= static_cast<int64_t>(most_tabled_dof)) {
            const auto known = large_critical_.find(dof);
            return known != large_critical_.end() ? known->second : large_critical_[dof] = rule_.critical(dof);
        }
        double& value = critical_[dof];
        if (value < 0) value = rule_.critical(dof);
        return value;
    }

    Measure look_up() {
        const int m = static_cast<int>(question_.size());
        if (!cache_.enabled() || !Question::fits(m, columns_.size())) return compute();
        const Question key(question_.data(), m);
        if (const Measure* known = cache_.find(key)) return *known;
        const Measure measure = compute();
        cache_.store(key, measure);
        return measure;
    }

    Measure compute() {
        ++computed;
        order_.assign(question_.begin() + 2, question_.end());
        order_.insert(order_.end(), {question_[0], question_[1]});
        Strata strata(*xlogx_, rule_.pearson, column_sums_);
        if (add_split(strata)) return strata.result();
        // A table larger than the data is mostly empty, and counting it would cost more than sorting the rows.
        if (cells_ <= std::max(4096.0, static_cast<double>(columns_.n_rows()))) add_dense(strata);
        else add_sparse(strata);
        return strata.result();
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
        for (size_t p = 0; p < split_.parts.size();) {
            const size_t stratum = split_.parts[p].cell / nx;
            table_.assign(size_t{nx} * ny, 0);
            for (; p < split_.parts.size() && split_.parts[p].cell / nx == stratum; ++p)
                columns_.count_in(split_.parts[p], y, &table_[split_.parts[p].cell % nx * ny]);
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
        const size_t n = columns_.n_rows(), n_strata = number_strata();
        std::vector<size_t> ends(n_strata + 1, 0);
        for (size_t i = 0; i < n; ++i) ends[stratum_[i] + 1] += columns_.weight(i) != 0;
        for (size_t s = 0; s < n_strata; ++s) ends[s + 1] += ends[s];
        keys_.resize(n);
        columns_.keys(columns_.operands(question_.data(), 2), keys_.data());
        cells_by_stratum_.resize(n);
        for (size_t i = 0; i < n; ++i)
            if (const int64_t weight = columns_.weight(i)) cells_by_stratum_[ends[stratum_[i]]++] = {keys_[i], weight};
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

    // stratum_[i] = the number of row i's combination of conditioning levels, in order of first appearance. As many
    // variables at a time as fit in a 64-bit key, with the number found so far as the first digit.
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
            numbering_.start(n);
            for (size_t i = 0; i < n; ++i) stratum_[i] = numbering_(stratum_[i] * span + keys_[i]);
            n_strata = numbering_.size();
        }
        return n_strata;
    }

    const Columns& columns_;
    Rule rule_;
    std::shared_ptr<const XLogX> xlogx_;
    Cache cache_;
    std::function<void()> breathe_;
    std::vector<double> critical_;
    std::unordered_map<int64_t, double> large_critical_;
    std::shared_ptr<Budget> budget_ = std::make_shared<Budget>(std::nullopt, std::nullopt);
    int64_t work_ = 0;

    // The split that the questions at hand share: by their conditioning set and this variable; -1: none.
    int split_variable_ = -1;
    bool split_ready_ = false;
    Split split_;

    // Scratch, kept between questions.
    double cells_ = 0;
    std::vector<int> question_, order_;
    std::vector<int64_t> table_, column_sums_;
    std::vector<uint32_t> stratum_;
    std::vector<uint64_t> keys_;
    std::vector<Cell> cells_by_stratum_;
    Numbering numbering_;
};

}  // namespace elcs
