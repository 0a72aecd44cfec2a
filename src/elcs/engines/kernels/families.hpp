// Scores of families (a variable and its parents), many in one trip. How a family is scored is for the classes derived
// from `Families` to say: by counts (counted.hpp), by correlations (blocks.hpp), or by a function of Python.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include "budget.hpp"
#include "cache.hpp"
#include "turns.hpp"

namespace elcs {

// Scores are rounded to a millionth of a nat. Sums of such numbers are exact, so that neither the order of the columns nor
// that of the moves can decide by rounding alone.
inline double rounded(double score) { return std::nearbyint(score * 1048576.0) / 1048576.0; }

class Families {
public:
    Families(size_t n_variables, int64_t work_of_one, size_t cache_size, std::function<void()> breathe)
        : n_variables_(n_variables), work_of_one_(work_of_one), cache_(cache_size), breathe_(std::move(breathe)) {}
    virtual ~Families() = default;

    int64_t asked = 0, computed = 0;
    std::shared_ptr<Budget> budget = std::make_shared<Budget>(std::nullopt, std::nullopt);
    Turns turns;  // for whoever asks from several threads

    size_t size() const { return n_variables_; }
    void clear_cache() { cache_.clear(); }

    // The score of a variable with these parents, which are sorted.
    double score(int child, const std::vector<int>& parents) {
        charge();
        const bool fits = cache_.enabled() && Question::fits(static_cast<int>(parents.size()) + 1, n_variables_);
        const Question key = fits ? key_of(child, parents) : Question();
        const Measure* const known = fits ? cache_.find(key) : nullptr;
        if (known != nullptr) return known->statistic;
        ++computed;
        const double score = compute(child, parents);
        if (fits) cache_.store(key, {score, 0});
        return score;
    }

    // The score with each of `others` as one parent more than `base`. What is asked for once is not remembered.
    void with_each(int child, const std::vector<int>& base, const std::vector<int>& others, bool remember,
                   std::vector<double>& scores) {
        if (!remember) {
            for (size_t i = 0; i < others.size(); ++i) charge();
            compute_each(child, base, others, scores);
            computed += static_cast<int64_t>(others.size());
            return;
        }
        scores.resize(others.size());
        missing_.clear();
        at_.clear();
        keys_.resize(others.size());
        const bool fits = cache_.enabled() && Question::fits(static_cast<int>(base.size()) + 2, n_variables_);
        for (size_t i = 0; i < others.size() && fits; ++i) {
            join(base, others[i], joined_);
            keys_[i] = key_of(child, joined_);
            cache_.fetch(keys_[i]);
        }
        for (size_t i = 0; i < others.size(); ++i) {
            charge();
            const Measure* const known = fits ? cache_.find(keys_[i]) : nullptr;
            if (known != nullptr) {
                scores[i] = known->statistic;
            } else {
                missing_.push_back(others[i]);
                at_.push_back(i);
            }
        }
        if (missing_.empty()) return;
        compute_each(child, base, missing_, found_);
        for (size_t i = 0; i < missing_.size(); ++i) {
            scores[at_[i]] = found_[i];
            ++computed;
            if (fits) cache_.store(keys_[at_[i]], {found_[i], 0});
        }
    }

    // To be called now and then by long work that asks for no scores.
    void rest(int64_t work) {
        work_ += work;
        if (work_ < work_between_breaths) return;
        work_ = 0;
        breathe_();
        budget->check_time();
    }

    // How many rows there are for each cell of the table of a family; more than enough if there is no table.
    virtual double rows_per_cell(int, const std::vector<int>&) const { return 1e300; }

protected:
    virtual double compute(int child, const std::vector<int>& parents) = 0;
    virtual void compute_each(int child, const std::vector<int>& base, const std::vector<int>& others,
                              std::vector<double>& scores) {
        scores.resize(others.size());
        for (size_t i = 0; i < others.size(); ++i) {
            join(base, others[i], joined_);
            scores[i] = compute(child, joined_);
        }
    }

    static void join(const std::vector<int>& base, int other, std::vector<int>& all) {
        all.assign(base.begin(), base.end());
        all.insert(std::upper_bound(all.begin(), all.end(), other), other);
    }

private:
    static constexpr int64_t work_between_breaths = 1 << 22;  // rows counted; some milliseconds

    void charge() {
        rest(work_of_one_);
        budget->spend();
        ++asked;
    }

    // A family too large for a key is not remembered.
    Question key_of(int child, const std::vector<int>& parents) {
        key_.assign(1, child);
        key_.insert(key_.end(), parents.begin(), parents.end());
        return Question(key_.data(), static_cast<int>(key_.size()));
    }

    size_t n_variables_;
    int64_t work_of_one_, work_ = 0;
    Cache cache_;
    std::function<void()> breathe_;

    // Scratch, kept between calls.
    std::vector<Question> keys_;
    std::vector<int> key_, joined_, missing_;
    std::vector<size_t> at_;
    std::vector<double> found_;
};

// Scored by a function of somebody else. It is told a variable, some parents and others, and returns the score with each of
// the others as one parent more, or with the parents alone if there are no others.
class ForeignFamilies : public Families {
public:
    using Scores = std::function<std::vector<double>(int, const std::vector<int>&, const std::vector<int>&)>;
    // If the scores rest on counts, there are so many levels of each variable and rows in all.
    ForeignFamilies(size_t n_variables, Scores scores, std::vector<double> levels, double total, size_t cache_size,
                    std::function<void()> breathe)
        : Families(n_variables, 1 << 16, cache_size, std::move(breathe)), scores_(std::move(scores)),
          levels_(std::move(levels)), total_(total) {}

    double rows_per_cell(int child, const std::vector<int>& parents) const override {
        if (levels_.empty()) return Families::rows_per_cell(child, parents);
        double cells = levels_[child];
        for (const int v : parents) cells *= levels_[v];
        return total_ / cells;
    }

protected:
    double compute(int child, const std::vector<int>& parents) override { return asked_for(child, parents, {}).front(); }
    void compute_each(int child, const std::vector<int>& base, const std::vector<int>& others,
                      std::vector<double>& scores) override {
        scores.clear();
        if (!others.empty()) scores = asked_for(child, base, others);
    }

private:
    std::vector<double> asked_for(int child, const std::vector<int>& base, const std::vector<int>& others) {
        std::vector<double> found = scores_(child, base, others);
        if (found.size() != std::max<size_t>(others.size(), 1)) throw std::invalid_argument("each family must have a score");
        return found;
    }

    Scores scores_;
    std::vector<double> levels_;
    double total_;
};

}  // namespace elcs
