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
    struct Spot {
        double place = 0;  // the lower, the earlier
        uint64_t earlier = 0;  // which candidates of the variable come before it
        double score = 0;  // of its best family
        uint64_t banned = 0;  // candidates that may not be parents for the time being
    };
    struct State {
        std::vector<Spot> of;  // each variable; side by side, as they are looked up at random
        double total = 0;
    };

    explicit Ordering(size_t n) : sets(n), queued_(n, 0), noted_(n, 0), shares_(n) {
        state_.of.resize(n);
        for (size_t v = 0; v < n; ++v) shares_[v] = 0.45 + 0.1 * std::fmod(0.6180339887498949 * static_cast<double>(v), 1.0);
    }
    std::vector<ParentSets> sets;  // of each variable

    size_t size() const { return sets.size(); }
    double total() const { return state_.total; }
    const State& state() const { return state_; }
    void restore(const State& state) { state_ = state; }

    // Notes where everything is, so that `go_back` can undo what follows. Only what changes is copied: of 2,000 variables
    // a kick moves some tens, and with a copy of all it takes 9 % longer.
    void note() {
        changed_.clear();
        total_noted_ = state_.total;
        ++notes_;
    }
    double total_noted() const { return total_noted_; }
    void go_back() {
        for (const auto& [v, spot] : changed_) state_.of[v] = spot;
        state_.total = total_noted_;
    }

    // Whether the network is another one than then. Only what changed is looked at.
    bool differs() {
        return std::any_of(changed_.begin(), changed_.end(), [&](const auto& then) {
            const auto& [v, before] = then;
            return parents(v, before) != parents(v, state_.of[v]);
        });
    }

    std::vector<int> order() const {
        std::vector<int> order(size());
        for (size_t v = 0; v < size(); ++v) order[v] = static_cast<int>(v);
        std::sort(order.begin(), order.end(), [&](int a, int b) { return before(a, b); });
        return order;
    }
    void put(const std::vector<int>& order) {
        for (size_t i = 0; i < order.size(); ++i) changing(order[i]).place = static_cast<double>(i);
        state_.total = 0;
        for (size_t v = 0; v < size(); ++v) {
            Spot& spot = state_.of[v];
            spot.earlier = 0;
            for (size_t i = 0; i < sets[v].near.size(); ++i)
                if (state_.of[sets[v].near[i]].place < spot.place) spot.earlier |= uint64_t{1} << i;
            spot.score = value(static_cast<int>(v), spot.earlier);
            state_.total += spot.score;
        }
    }
    // Takes candidates away from a variable, until the state from before is restored.
    void ban(int v, uint64_t candidates) {
        changing(v).banned |= candidates;
        set_score(v);
    }
    // Takes note of the candidates of each variable that matter, after sets have changed.
    void link(std::vector<std::vector<int>> near) {
        for (size_t v = 0; v < size(); ++v) sets[v].link(std::move(near[v]));
        for (ParentSets& own : sets) own.back.assign(own.near.size(), 0);
        for (size_t v = 0; v < size(); ++v)
            for (size_t i = 0; i < sets[v].near.size(); ++i) {
                ParentSets& other = sets[sets[v].near[i]];
                const auto at = std::find(other.near.begin(), other.near.end(), static_cast<int>(v));
                other.back[at - other.near.begin()] = static_cast<int>(i);
            }
    }

    // The network of this order; where it was written before, so that its lists need not be allotted again and again.
    const Network& network() {
        network_.resize(size());
        for (size_t v = 0; v < size(); ++v) {
            sets[v].parents(parents(static_cast<int>(v), state_.of[v]), network_[v]);
        }
        return network_;
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

    // Moves a variable right behind one of its candidates if it comes before that, and notes the same.
    void move_behind(int v, int other, std::vector<int>& moved) {
        line_up(v);
        int slot = n_left_;
        while (slot < static_cast<int>(slots_.size()) && sets[v].near[slots_[slot]] != other) ++slot;
        if (slot == static_cast<int>(slots_.size())) return;
        moved_.clear();
        move(v, slot + 1);
        moved.insert(moved.end(), moved_.begin(), moved_.end());
    }
    void parents(int v, std::vector<int>& found) { sets[v].parents(parents(v, state_.of[v]), found); }

    // Two variables may have the same place if neither is a candidate of the other. Wherever they are put in order it must
    // be the same order, or a third could come between them in two ways, and close a circle.
    bool before(int a, int b) const {
        const double one = state_.of[a].place, other = state_.of[b].place;
        return one != other ? one < other : a < b;
    }
    // The score of the best family of a variable with these of its candidates before it.
    double value(int v, uint64_t earlier) {
        return sets[v].best(earlier & ~state_.of[v].banned).score;
    }

private:
    // The best parents of a variable at a spot, as bits.
    uint64_t parents(int v, const Spot& spot) { return sets[v].best(spot.earlier & ~spot.banned).members; }
    void set_score(int v) {
        Spot& spot = changing(v);
        const double score = value(v, spot.earlier);
        state_.total += score - spot.score;
        spot.score = score;
    }
    // Where a variable is, about to be changed.
    Spot& changing(int v) {
        Spot& spot = state_.of[v];
        if (noted_[v] != notes_) changed_.push_back({v, spot});
        noted_[v] = notes_;
        return spot;
    }
    void enqueue(int v) {
        if (queued_[v]) return;
        queued_[v] = 1;
        queue_.push_back(v);
    }

    // slots_ = the candidates of v (by their bits) in their order, the first n_left_ of them before v.
    void line_up(int v) {
        const std::vector<int>& near = sets[v].near;
        const double here = state_.of[v].place;
        slots_.resize(near.size());
        places_.resize(near.size());
        n_left_ = 0;
        for (size_t i = 0; i < near.size(); ++i) {
            const double place = state_.of[near[i]].place;
            size_t j = i;
            for (; j > 0 && !(places_[j - 1] < place); --j) {
                if (places_[j - 1] == place && near[slots_[j - 1]] < near[i]) break;
                slots_[j] = slots_[j - 1];
                places_[j] = places_[j - 1];
            }
            slots_[j] = static_cast<int>(i);
            places_[j] = place;
            n_left_ += place < here;
        }
    }

    // The slot that gains most, or -1 if none gains anything.
    int best_slot(int v) {
        const ParentSets& own = sets[v];
        const Spot& here = state_.of[v];
        double best = tie, others = 0;
        int slot = -1;
        uint64_t earlier = here.earlier;
        for (int k = n_left_ - 1; k >= 0; --k) {
            const int i = slots_[k], y = own.near[i];
            earlier &= ~(uint64_t{1} << i);
            const Spot& there = state_.of[y];
            others += value(y, there.earlier | uint64_t{1} << own.back[i]) - there.score;
            const double gain = others + value(v, earlier) - here.score;
            if (gain > best) {
                best = gain;
                slot = k;
            }
        }
        others = 0;
        earlier = here.earlier;
        for (int k = n_left_; k < static_cast<int>(slots_.size()); ++k) {
            const int i = slots_[k], y = own.near[i];
            earlier |= uint64_t{1} << i;
            const Spot& there = state_.of[y];
            others += value(y, there.earlier & ~(uint64_t{1} << own.back[i])) - there.score;
            const double gain = others + value(v, earlier) - here.score;
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
        const auto place = [&](int k) { return state_.of[own.near[slots_[k]]].place; };
        const double share = shares_[v];
        const auto between = [&] { return place(slot - 1) + share * (place(slot) - place(slot - 1)); };
        if (slot > 0 && slot < n && !(place(slot - 1) < between() && between() < place(slot))) spread_out();
        Spot& here = changing(v);
        here.place = slot == 0 ? place(0) - share : slot == n ? place(n - 1) + share : between();
        const int from = std::min(slot, n_left_), to = std::max(slot, n_left_);
        for (int k = from; k < to; ++k) {
            const int i = slots_[k], y = own.near[i];
            here.earlier ^= uint64_t{1} << i;
            changing(y).earlier ^= uint64_t{1} << own.back[i];
            set_score(y);
            moved_.push_back(y);
        }
        set_score(v);
        moved_.push_back(v);
    }

    void spread_out() {
        const std::vector<int> all = order();
        for (size_t i = 0; i < all.size(); ++i) changing(all[i]).place = static_cast<double>(i);
    }

    State state_;
    std::vector<char> queued_;
    std::vector<std::pair<int, Spot>> changed_;  // what has changed since `note`, as it was
    std::vector<uint64_t> noted_;  // the note since which that is known of a variable
    uint64_t notes_ = 1;
    double total_noted_ = 0;
    // How far a variable goes from one place towards the next: each a little differently, so that no two end in one place.
    // With halves, every ninth kick on 2,000 columns had to spread all places out: 9 % of the whole run.
    std::vector<double> shares_;

    // Scratch, kept between moves.
    Network network_;
    int n_left_ = 0;
    std::vector<int> slots_, queue_, moved_;
    std::vector<double> places_;  // of the slots
};

}  // namespace elcs
