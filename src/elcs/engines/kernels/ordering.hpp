// An order of variables, and the network in which each has the best parents among its candidates that come earlier.
//
// M. Teyssier and D. Koller (2005), Ordering-based search, UAI; with insertion moves as in M. Scanagatta, C. P. de Campos,
// G. Corani and M. Zaffalon (2015), Learning Bayesian networks with thousands of variables, NIPS 28.
#pragma once

#include "essential.hpp"
#include "parent_sets.hpp"

namespace elcs {

// Networks whose scores differ by less are taken to score the same.
inline constexpr double tie = 1e-4;

class Ordering {
public:
    struct State {
        std::vector<double> place;  // the lower, the earlier
        std::vector<uint64_t> earlier;  // which candidates of a variable come before it
        std::vector<double> score;  // of its best family
        double total = 0;
    };

    explicit Ordering(size_t n) : sets(n), banned(n, 0), queued_(n, 0) {
        state_.place.resize(n);
        state_.earlier.resize(n);
        state_.score.resize(n);
    }
    std::vector<ParentSets> sets;  // of each variable
    std::vector<uint64_t> banned;  // candidates that may not be parents for the time being

    size_t size() const { return sets.size(); }
    double total() const { return state_.total; }
    const State& state() const { return state_; }
    void restore(const State& state) { state_ = state; }

    std::vector<int> order() const {
        std::vector<int> order(size());
        for (size_t v = 0; v < size(); ++v) order[v] = static_cast<int>(v);
        std::sort(order.begin(), order.end(), [&](int a, int b) { return before(a, b); });
        return order;
    }
    void put(const std::vector<int>& order) {
        for (size_t i = 0; i < order.size(); ++i) state_.place[order[i]] = static_cast<double>(i);
        state_.total = 0;
        for (size_t v = 0; v < size(); ++v) {
            state_.earlier[v] = 0;
            for (size_t i = 0; i < sets[v].near.size(); ++i)
                if (state_.place[sets[v].near[i]] < state_.place[v]) state_.earlier[v] |= uint64_t{1} << i;
            state_.score[v] = value(static_cast<int>(v), state_.earlier[v]);
            state_.total += state_.score[v];
        }
    }
    // Looks a variable's score up again, after what may be its parents has changed.
    void refresh(int v) { set_score(v); }

    Network network() {
        Network found(size());
        for (size_t v = 0; v < size(); ++v)
            found[v] = sets[v].parents(sets[v].best(state_.earlier[v] & ~banned[v]).members);
        return found;
    }

    // Moves one variable after the other to the best slot among its candidates, until no move gains; these first, then
    // those whose surroundings changed. Returns how many slots were looked at.
    int64_t settle(const std::vector<int>& first) {
        int64_t looked_at = 0;
        queue_.assign(first.begin(), first.end());
        for (const int v : queue_) queued_[v] = 1;
        for (size_t next = 0; next < queue_.size(); ++next) {
            const int v = queue_[next];
            queued_[v] = 0;
            line_up(v);
            looked_at += static_cast<int64_t>(slots_.size());
            const int slot = best_slot(v);
            if (slot < 0) continue;
            moved_.clear();
            move(v, slot);
            for (const int y : moved_) {
                enqueue(y);
                for (const int z : sets[y].near) enqueue(z);
            }
        }
        return looked_at;
    }

    // Moves a variable to some slot, and notes in `moved` whose earlier candidates changed.
    void move_at_random(int v, Random& random, std::vector<int>& moved) {
        line_up(v);
        if (slots_.empty()) return;
        const int slot = random.below(slots_.size() + 1);
        if (slot == n_left_) return;
        moved_.clear();
        move(v, slot);
        moved.insert(moved.end(), moved_.begin(), moved_.end());
    }

private:
    // Two variables may have the same place if neither is a candidate of the other. Wherever they are put in order it must
    // be the same order, or a third could come between them in two ways, and close a circle.
    bool before(int a, int b) const {
        return state_.place[a] != state_.place[b] ? state_.place[a] < state_.place[b] : a < b;
    }

    double value(int v, uint64_t earlier) {
        return sets[v].best(earlier & ~banned[v]).score;
    }
    void set_score(int v) {
        const double score = value(v, state_.earlier[v]);
        state_.total += score - state_.score[v];
        state_.score[v] = score;
    }
    void enqueue(int v) {
        if (queued_[v]) return;
        queued_[v] = 1;
        queue_.push_back(v);
    }

    // slots_ = the candidates of v (by their bits) in their order, the first n_left_ of them before v.
    void line_up(int v) {
        const std::vector<int>& near = sets[v].near;
        slots_.resize(near.size());
        n_left_ = 0;
        for (size_t i = 0; i < near.size(); ++i) {
            size_t j = i;
            for (; j > 0 && before(near[i], near[slots_[j - 1]]); --j) slots_[j] = slots_[j - 1];
            slots_[j] = static_cast<int>(i);
            n_left_ += state_.place[near[i]] < state_.place[v];
        }
    }

    // The slot that gains most, or -1 if none gains anything.
    int best_slot(int v) {
        const ParentSets& own = sets[v];
        double best = tie, others = 0;
        int slot = -1;
        uint64_t earlier = state_.earlier[v];
        for (int k = n_left_ - 1; k >= 0; --k) {
            const int i = slots_[k], y = own.near[i];
            earlier &= ~(uint64_t{1} << i);
            others += value(y, state_.earlier[y] | uint64_t{1} << own.back[i]) - state_.score[y];
            const double gain = others + value(v, earlier) - state_.score[v];
            if (gain > best) {
                best = gain;
                slot = k;
            }
        }
        others = 0;
        earlier = state_.earlier[v];
        for (int k = n_left_; k < static_cast<int>(slots_.size()); ++k) {
            const int i = slots_[k], y = own.near[i];
            earlier |= uint64_t{1} << i;
            others += value(y, state_.earlier[y] & ~(uint64_t{1} << own.back[i])) - state_.score[y];
            const double gain = others + value(v, earlier) - state_.score[v];
            if (gain > best) {
                best = gain;
                slot = k + 1;
            }
        }
        return slot;
    }

    // Moves v before the candidate at a slot, or behind the last.
    void move(int v, int slot) {
        const ParentSets& own = sets[v];
        const int n = static_cast<int>(slots_.size());
        const auto place = [&](int k) { return state_.place[own.near[slots_[k]]]; };
        if (slot > 0 && slot < n && place(slot) - place(slot - 1) < 1e-6) spread_out();
        state_.place[v] = slot == 0   ? place(0) - 1
                          : slot == n ? place(n - 1) + 1
                                      : (place(slot - 1) + place(slot)) / 2;
        const int from = std::min(slot, n_left_), to = std::max(slot, n_left_);
        for (int k = from; k < to; ++k) {
            const int i = slots_[k], y = own.near[i];
            state_.earlier[v] ^= uint64_t{1} << i;
            state_.earlier[y] ^= uint64_t{1} << own.back[i];
            set_score(y);
            moved_.push_back(y);
        }
        set_score(v);
        moved_.push_back(v);
    }

    void spread_out() {
        const std::vector<int> all = order();
        for (size_t i = 0; i < all.size(); ++i) state_.place[all[i]] = static_cast<double>(i);
    }

    State state_;
    std::vector<char> queued_;

    // Scratch, kept between moves.
    int n_left_ = 0;
    std::vector<int> slots_, queue_, moved_;
};

}  // namespace elcs
