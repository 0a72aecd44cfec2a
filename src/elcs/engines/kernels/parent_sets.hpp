// The sets of parents that a variable may have, the best first.
#pragma once

#include <array>
#include <unordered_map>

#include "bits.hpp"
#include "families.hpp"

namespace elcs {

// What each parent costs, and what it costs on top of that if it is far: neither one of the first candidates nor a first
// candidate of one of these.
struct Prices {
    double parent = 0, far = 0;
};

struct ParentSet {
    uint64_t members;  // a bit for each candidate, or for each of those that matter
    double score;
};

// The candidates of one variable, and the sets of them that are better than all their subsets: no other set is ever worth
// having. Candidates join at the end, so that sets stay what they are.
class ParentSets {
public:
    static constexpr size_t most_candidates = 64;
    static constexpr int most_parents = 8;

    // How many sets are tried. A wider search, in which a variable of Alarm has up to 15 candidates, takes a third of the time
    // if it tries fewer, and 18 ms instead of 23 if it tries none with more cells than rows. With still fewer (30 of a size, 8
    // ms) it overlooks alternatives: on twenty random networks at 5,000 rows, a quarter more of the decided directions are wrong.
    // Half as many of each further size take 10 ms instead of 17, and the same networks were found on 120 random tables.
    struct Effort {
        int few_candidates = 14;  // with no more than these, all sets of three are tried
        size_t most_grown = 1000;  // of the first size beyond, half as many of each further one; the best sets grow first
        double rows_per_cell = 0;  // that a family beyond must have at least
    };

    std::vector<int> candidates;
    uint64_t allowed = 0, required = 0, far = 0;  // of them

    // The candidates that matter: those that are in a set worth having, of this variable or of their own. No best network
    // has an edge between two others, so the order of these two makes no difference, and the search need not look at it. On
    // 2,000 columns 3.4 of 4.8 candidates matter, and 5.1 of 14 in the wider search. With this, and with places that do not
    // coincide (ordering.hpp), kicks take 2 s instead of 10, and all margins 0.4 s instead of 5.5.
    std::vector<int> near;
    std::vector<int> back;  // which bit this variable is to each of them

    // Scores the sets; `variables` are the positions in the table. All sets of up to three candidates (two if there are
    // many) are tried, and larger ones by adding to a set that was worth keeping.
    void enumerate(Families& families, const std::vector<int>& variables, int child, const Prices& prices,
                   const Effort& effort) {
        families_ = &families;
        variables_ = &variables;
        child_ = child;
        prices_ = prices;
        const std::vector<ParentSet> before = std::move(kept_);
        kept_.clear();
        best_below_.clear();
        take(required, families.score(variables[child], members(required)));
        const uint64_t open = allowed & ~required;
        const int free = count_ones(open) <= effort.few_candidates ? 3 : 2;
        std::vector<uint64_t> bases(1, required), made;
        const int most = std::min(most_parents - count_ones(required), count_ones(open));
        for (int size = 1; size <= most && !bases.empty(); ++size) {
            made.clear();
            const size_t first_kept = kept_.size();
            const bool grown = size > free;
            for (const uint64_t base : bases) {
                const uint64_t own = base & ~required;
                const uint64_t later = own == 0 ? open : open & ~((uint64_t{2} << (highest_one(own))) - 1);
                add_each(base, grown ? open & ~base : later, grown ? effort.rows_per_cell : 0, made);
                if (grown && made.size() >= effort.most_grown >> (size - free - 1)) break;
            }
            if (size < free) {
                bases.swap(made);
                continue;
            }
            const auto from = kept_.begin() + static_cast<ptrdiff_t>(first_kept);
            std::sort(from, kept_.end(), better);
            bases.clear();
            for (auto set = from; set != kept_.end(); ++set) bases.push_back(set->members);
        }
        for (const ParentSet& set : before)  // what was found among fewer candidates
            if (best_below_.find(set.members) == best_below_.end()) kept_.push_back(set);
        renew();
    }

    // Tries the sets that differ from this one by a member less, more or other, and those with two more. Returns whether
    // one of them is worth keeping.
    //
    // Sets that grow from those worth keeping miss some: two causes may show only together, and a member may have become
    // idle once others joined. Around a set of one there are only small ones, which have been tried.
    bool try_around(const std::vector<int>& parents) {
        uint64_t set = 0;
        for (const int p : parents) set |= bit_of(p);
        const uint64_t own = set & ~required, open = allowed & ~set;
        const int size = count_ones(set);
        if (count_ones(own) < 2) return false;
        const size_t n_kept = kept_.size();
        std::vector<uint64_t> made;
        if (size < most_parents) add_each(set, open, 0, made);  // first: where counts are fetched, they serve for the rest
        for (uint64_t left = own; left != 0; left &= left - 1) {
            const uint64_t rest = set ^ (left & -left), last = rest & ~required & -(rest & ~required);
            add_each(rest ^ last, last, 0, made);
            add_each(rest, open, 0, made);
        }
        for (uint64_t left = size + 2 <= most_parents ? open : 0; left != 0; left &= left - 1)
            add_each(set | (left & -left), left & (left - 1), 1, made);
        if (kept_.size() == n_kept) return false;
        renew();
        return true;
    }

    // What a candidate costs as a parent.
    double price(int candidate) const { return prices_.parent + ((far & bit_of(candidate)) != 0 ? prices_.far : 0); }

    // Whether a set worth having holds this candidate.
    bool uses(size_t candidate) const { return in_use_ >> candidate & 1; }

    // Takes note of which candidates matter.
    void link(std::vector<int> mattering) {
        if (!renewed_ && mattering == near) return;
        renewed_ = false;
        near = std::move(mattering);
        std::array<uint64_t, most_candidates> bit{};
        for (size_t i = 0; i < near.size(); ++i) bit[lowest_one(bit_of(near[i]))] = uint64_t{1} << i;
        sets_.clear();
        for (const ParentSet& set : kept_) {
            uint64_t members = 0;
            for (uint64_t left = set.members; left != 0; left &= left - 1) members |= bit[lowest_one(left)];
            sets_.push_back({members, set.score});
        }
        sets_.push_back({0, -1e9});  // where a required one is missing
        known_.assign(near.size() <= tabled ? size_t{1} << near.size() : 0, unknown);
        latest_.assign(near.size() <= tabled ? 0 : 1024, {0, unknown});
    }

    // The best set among these candidates that matter; required ones that are not among them cost more than anything is worth.
    const ParentSet& best(uint64_t among) {
        if (!known_.empty()) {
            int32_t& known = known_[among];
            if (known == unknown) known = best_of_all(among);
            return sets_[known];
        }
        auto& [asked, latest] = latest_[(among * 0x9e3779b97f4a7c15u) >> 54];
        if (latest == unknown || asked != among) {
            asked = among;
            latest = best_of_all(among);
        }
        return sets_[latest];
    }

    // The variables of a set of candidates that matter, sorted.
    void parents(uint64_t set, std::vector<int>& found) const {
        found.clear();
        for (; set != 0; set &= set - 1) found.push_back(near[lowest_one(set)]);
    }

private:
    static constexpr size_t tabled = 14;  // so many candidates have a table of all sets, 64 KiB
    static constexpr int32_t unknown = -1;

    static bool better(const ParentSet& a, const ParentSet& b) {
        return a.score != b.score ? a.score > b.score : a.members < b.members;
    }

    uint64_t bit_of(int candidate) const {
        return uint64_t{1} << (std::find(candidates.begin(), candidates.end(), candidate) - candidates.begin());
    }
    void renew() {
        std::sort(kept_.begin(), kept_.end(), better);
        in_use_ = 0;
        for (const ParentSet& set : kept_) in_use_ |= set.members;
        renewed_ = true;
    }

    std::vector<int> members(uint64_t set) const {
        std::vector<int> found;
        for (; set != 0; set &= set - 1) found.push_back((*variables_)[candidates[lowest_one(set)]]);
        std::sort(found.begin(), found.end());
        return found;
    }

    void add_each(uint64_t base, uint64_t bits, double rows_per_cell, std::vector<uint64_t>& made) {
        others_.clear();
        bits_.clear();
        for (uint64_t left = bits; left != 0; left &= left - 1) {
            const uint64_t bit = left & -left;
            if (best_below_.find(base | bit) != best_below_.end()) continue;
            if (rows_per_cell > 0 &&
                families_->rows_per_cell((*variables_)[child_], members(base | bit)) < rows_per_cell)
                continue;
            bits_.push_back(bit);
            others_.push_back((*variables_)[candidates[lowest_one(bit)]]);
        }
        if (others_.empty()) return;
        families_->with_each((*variables_)[child_], members(base), others_, true, scores_);
        for (size_t i = 0; i < bits_.size(); ++i) {
            take(base | bits_[i], scores_[i]);
            made.push_back(base | bits_[i]);
        }
    }

    // Keeps a set unless one of its subsets is as good.
    void take(uint64_t set, double score) {
        score = rounded(score - prices_.parent * count_ones(set) - prices_.far * count_ones(set & far));
        bool beaten = false;
        double best = score;
        for (uint64_t left = set & ~required; left != 0; left &= left - 1) {
            const auto below = best_below_.find(set ^ (left & -left));
            if (below == best_below_.end()) continue;
            beaten = beaten || below->second >= score;
            best = std::max(best, below->second);
        }
        best_below_[set] = best;
        if (!beaten) kept_.push_back({set, score});
    }

    int32_t best_of_all(uint64_t among) const {
        int32_t first = 0;
        while ((sets_[first].members & ~among) != 0) ++first;
        return first;
    }

    Families* families_ = nullptr;
    const std::vector<int>* variables_ = nullptr;
    int child_ = 0;
    Prices prices_;
    std::vector<ParentSet> kept_, sets_;  // the best first; members are candidates, or those that matter
    uint64_t in_use_ = 0;
    bool renewed_ = false;
    std::vector<int32_t> known_;  // which set is the best among these candidates, if it is known
    std::vector<std::pair<uint64_t, int32_t>> latest_;  // the same for the latest questions, if there are too many for all
    std::unordered_map<uint64_t, double> best_below_;  // the best score of a set and of its subsets, where scored

    // Scratch, kept between calls.
    std::vector<int> others_;
    std::vector<uint64_t> bits_;
    std::vector<double> scores_;
};

}  // namespace elcs
