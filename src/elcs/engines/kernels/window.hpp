// The best places for a few variables at once, among others that stay in their order.
#pragma once

#include <array>

#include "ordering.hpp"

namespace elcs {

// All ways of putting them in are compared, by dynamic programming: what comes next depends on how many of the others are
// in place, and on which of the few, but not on the order of these. Only variables near one of the few are looked at.
class Window {
public:
    // With 5 of them, 11 of 20,000 searches on small tables still gain, and with 8 15 do; either way no seed makes a difference
    // there. On Alarm 5 take 0.6 ms in all. On Win95pts a whole run takes 0.22 s with 5, and 0.44 with 8.
    static constexpr size_t most = 5;

    // Puts them into their best places if that gains anything, and returns whether it does.
    bool put_best(Ordering& ordering, const std::vector<int>& few) {
        gather(ordering, few);
        const size_t n_sets = size_t{1} << few.size();
        choices_.assign((others_.size() + 1) * n_sets, none);
        totals_.assign(n_sets, -1e300);
        totals_[0] = 0;
        double before = 0;
        for (const int v : few) before += score(ordering, v);
        std::array<uint64_t, most> earlier{};  // which of the others come before each of the few
        for (size_t j = 0; j <= others_.size(); ++j) {
            if (j > 0) {
                const Other& other = others_[j - 1];
                before += score(ordering, other.v);
                add_up(other.few, few.size(), masks_);
                for (size_t set = 0; set < n_sets; ++set)
                    totals_[set] += ordering.value(other.v, other.earlier | masks_[set]);
                for (size_t i = 0; i < few.size(); ++i) earlier[i] |= other.own[i];
            }
            for (size_t set = 1; set < n_sets; ++set)
                for (size_t i = 0; i < few.size(); ++i) {
                    if ((set >> i & 1) == 0) continue;
                    const size_t rest = set ^ (size_t{1} << i);
                    const double total = totals_[rest] + ordering.value(few[i], earlier[i] | among_[i][rest]);
                    if (total <= totals_[set] + tie / 2) continue;
                    totals_[set] = total;
                    choices_[j * n_sets + set] = static_cast<int8_t>(i);
                }
        }
        looked_at_ = static_cast<int64_t>((others_.size() + 1) * n_sets * (few.size() + 2) / 2);
        if (totals_[n_sets - 1] <= before + tie) return false;
        ordering.put(order(ordering, few, n_sets));
        return true;
    }
    int64_t looked_at() const { return looked_at_; }

private:
    static constexpr int8_t none = -1;
    struct Other {
        int v;
        uint64_t earlier = 0;  // those of the others that come before it
        std::array<uint64_t, most> few{}, own{};  // the bit of each of the few among its candidates, and its own among theirs
    };

    static double score(const Ordering& ordering, int v) { return ordering.state().of[v].score; }

    // others_ = what is near one of the few, in their order; among_ = the few, as candidates of each other.
    void gather(const Ordering& ordering, const std::vector<int>& few) {
        others_.clear();
        for (size_t i = 0; i < few.size(); ++i) {
            const ParentSets& sets = ordering.sets[few[i]];
            std::array<uint64_t, most> of_few{};
            for (size_t b = 0; b < sets.near.size(); ++b) {
                const int v = sets.near[b];
                const size_t k = static_cast<size_t>(std::find(few.begin(), few.end(), v) - few.begin());
                if (k < few.size()) {
                    of_few[k] = uint64_t{1} << b;
                    continue;
                }
                auto at = std::find_if(others_.begin(), others_.end(), [&](const Other& other) { return other.v == v; });
                if (at == others_.end()) {
                    others_.push_back({v, ordering.state().of[v].earlier});
                    at = others_.end() - 1;
                }
                at->few[i] = uint64_t{1} << sets.back[b];
                at->own[i] = uint64_t{1} << b;
                at->earlier &= ~at->few[i];
            }
            add_up(of_few, few.size(), among_[i]);
        }
        std::sort(others_.begin(), others_.end(),
                  [&](const Other& a, const Other& b) { return ordering.before(a.v, b.v); });
    }
    // The bits of each subset of the few.
    static void add_up(const std::array<uint64_t, most>& bits, size_t n, std::array<uint64_t, 1 << most>& of_sets) {
        of_sets[0] = 0;
        for (size_t set = 1; set < size_t{1} << n; ++set) of_sets[set] = of_sets[set & (set - 1)] | bits[lowest_one(set)];
    }

    // All variables, with the few where they were chosen to be.
    std::vector<int> order(const Ordering& ordering, const std::vector<int>& few, size_t n_sets) const {
        std::vector<std::vector<int>> after(others_.size() + 1);  // the last of the few first
        size_t set = n_sets - 1;
        for (size_t j = others_.size() + 1; j-- > 0;)
            while (choices_[j * n_sets + set] != none) {
                const int i = choices_[j * n_sets + set];
                after[j].push_back(few[i]);
                set ^= size_t{1} << i;
            }
        std::vector<int> made;
        size_t j = 0;
        const auto add_few = [&] { made.insert(made.end(), after[j].rbegin(), after[j].rend()); };
        add_few();
        for (const int v : ordering.order()) {
            if (std::find(few.begin(), few.end(), v) != few.end()) continue;
            made.push_back(v);
            if (j == others_.size() || others_[j].v != v) continue;
            ++j;
            add_few();
        }
        return made;
    }

    std::vector<Other> others_;
    std::array<std::array<uint64_t, 1 << most>, most> among_{};
    std::array<uint64_t, 1 << most> masks_{};
    std::vector<double> totals_;
    std::vector<int8_t> choices_;
    int64_t looked_at_ = 0;
};

}  // namespace elcs
