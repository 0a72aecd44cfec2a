// Conditional-independence questions: one, many, or a whole subset search. What a question is measured on, counts or a
// Gram matrix, is for the classes derived from `Tester` to say (counting.hpp, gram.hpp).
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>

#include "budget.hpp"
#include "cache.hpp"

namespace elcs {

enum class Verdict : int8_t { dependent = 0, independent = 1, unreliable = 2 };

struct Answer {
    Measure measure;
    Verdict verdict;
    int64_t rows;  // how many the test rests on
    int best_of;  // of how many tests this is the one with the least p-value; the p-value is multiplied by that
};

// The smallest statistic at which a test says dependent, by degrees of freedom; computed when first asked for.
class CriticalValues {
public:
    explicit CriticalValues(std::function<double(int64_t)> compute) : compute_(std::move(compute)), few_(tabled, -1.0) {}

    double operator()(int64_t dof) {
        if (dof >= static_cast<int64_t>(tabled)) {
            const auto known = many_.find(dof);
            return known != many_.end() ? known->second : many_[dof] = compute_(dof);
        }
        double& value = few_[static_cast<size_t>(dof)];
        if (value < 0) value = compute_(dof);
        return value;
    }

private:
    static constexpr size_t tabled = 1024;
    std::function<double(int64_t)> compute_;
    std::vector<double> few_;
    std::unordered_map<int64_t, double> many_;
};

class Tester {
public:
    Tester(size_t n_variables, size_t cache_size, std::function<void()> breathe)
        : n_variables_(n_variables), cache_(cache_size), breathe_(std::move(breathe)) {}
    virtual ~Tester() = default;

    std::atomic<int64_t> asked{0}, computed{0};  // read by other threads, for a display of progress
    std::atomic<int64_t> unreliable{0};  // how many questions of `independent` and `separator` could not be tested

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
        return {measure, verdict(measure), rows(), best_of()};
    }

    // Many questions, m variables each: x, y and the conditioning set, which ends in -1 where it is shorter. On
    // request, a test that is not reliable is not computed; its measure is then zero.
    template <class Take>
    void test_many(const int* questions, size_t n, int m, bool skip_unreliable, Take take) {
        const NothingSharedAfterwards however_it_ends{*this};
        for (size_t i = 0, alike = 0; i < n; ++i, --alike, questions += m) {
            const int* given = questions + 2;
            int k = 0;
            while (k + 2 < m && given[k] >= 0) ++k;
            if (alike == 0) {
                while (++alike < n - i && shares_work(questions, questions + alike * m, m)) {}
                share(questions[0], k, alike);
            }
            if (n - i > ahead && m == 2 && cache_.enabled()) {
                const int* later = questions + ahead * m;
                const int pair[] = {std::min(later[0], later[1]), std::max(later[0], later[1])};
                cache_.fetch(Question(pair, 2));
            }
            pose(questions[0], questions[1], given, k);
            const Measure measure = skip_unreliable && !reliable() ? Measure{} : look_up();
            take(Answer{measure, verdict(measure), rows(), best_of()});
        }
    }

    // An unreliable test never separates, so it is not computed.
    bool independent(int x, int y, const int* given, int k) {
        pose(x, y, given, k);
        const Verdict found = reliable() ? verdict(look_up()) : Verdict::unreliable;
        if (found == Verdict::unreliable) ++unreliable;
        return found == Verdict::independent;
    }

    // The partial correlation of two variables that are one number each; none for all others. It is not a test: neither
    // counted nor charged.
    std::optional<double> correlation(int x, int y, const int* given, int k) {
        put(x, y, given, k);
        posed();
        return correlate();
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

protected:
    // Called with every question, in its canonical form (`question_`): x < y, then the sorted conditioning set. Returns
    // how much work it is likely to be, in rows counted.
    virtual int64_t posed() = 0;
    // Whether the data suffice for the question that was posed, as far as that can be told without computing it.
    virtual bool reliable() const = 0;
    virtual Measure compute() = 0;
    virtual Verdict verdict(const Measure& measure) = 0;
    virtual int64_t rows() const = 0;
    virtual int best_of() const { return 1; }
    virtual std::optional<double> correlate() { return std::nullopt; }
    // What follows are so many questions with the same x and the same conditioning set of k variables; 0: no more.
    virtual void share(int /*x*/, int /*k*/, size_t /*alike*/) {}

    std::vector<int> question_;

private:
    // How many questions before it is looked up a question is fetched: the unconditional tests of 2,000 variables, 4
    // million, take 0.8 s instead of 1.4.
    static constexpr size_t ahead = 8;
    static constexpr int64_t work_between_breaths = 1 << 23;  // rows counted; some milliseconds

    struct NothingSharedAfterwards {
        Tester& tester;
        ~NothingSharedAfterwards() { tester.share(-1, 0, 0); }
    };

    static bool next_subset(std::vector<int>& subset, int m) {
        const int size = static_cast<int>(subset.size());
        int i = size - 1;
        while (i >= 0 && subset[i] == m - size + i) --i;
        if (i < 0) return false;
        for (++subset[i]; ++i < size;) subset[i] = subset[i - 1] + 1;
        return true;
    }

    static bool shares_work(const int* a, const int* b, int m) {
        return a[0] == b[0] && std::equal(a + 2, a + m, b + 2);
    }

    void pose(int x, int y, const int* given, int k) {
        put(x, y, given, k);
        work_ += posed();
        if (work_ >= work_between_breaths) breathe();
        budget_->spend();
        ++asked;
    }

    // Brings the question into its one canonical form (so that equal questions give equal answers to the last bit), and
    // checks it.
    void put(int x, int y, const int* given, int k) {
        question_.resize(k + 2);
        question_[0] = std::min(x, y);
        question_[1] = std::max(x, y);
        for (int i = 0; i < k; ++i) {  // insertion sort: k is small
            int j = i + 2;
            for (; j > 2 && question_[j - 1] > given[i]; --j) question_[j] = question_[j - 1];
            question_[j] = given[i];
        }
        bool doubled = x == y;
        for (int i = 0; i < k + 2; ++i) {
            const int v = question_[i];
            if (v < 0 || v >= static_cast<int>(n_variables_)) throw std::out_of_range("no such variable");
            if (i >= 2) doubled = doubled || v == x || v == y || (i > 2 && v == question_[i - 1]);
        }
        if (doubled) throw std::invalid_argument("a variable appears twice in one question");
    }

    void breathe() {
        work_ = 0;
        breathe_();
        budget_->check_time();
    }

    Measure look_up() {
        const int m = static_cast<int>(question_.size());
        if (!cache_.enabled() || !Question::fits(m, n_variables_)) return compute_counted();
        const Question key(question_.data(), m);
        if (const Measure* known = cache_.find(key)) return *known;
        const Measure measure = compute_counted();
        cache_.store(key, measure);
        return measure;
    }

    Measure compute_counted() {
        ++computed;
        return compute();
    }

    size_t n_variables_;
    Cache cache_;
    std::function<void()> breathe_;
    std::shared_ptr<Budget> budget_ = std::make_shared<Budget>(std::nullopt, std::nullopt);
    int64_t work_ = 0;
};

}  // namespace elcs
