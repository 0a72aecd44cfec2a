// The search for the best arrangement of some variables: a network whose score no move, kick or re-rooting improves.
#pragma once

#include <array>
#include <map>

#include "window.hpp"

namespace elcs {

class Arrangement {
public:
    using Pair = std::pair<int, int>;
    enum Arc : uint8_t { forbidden = 0, allowed = 1, required = 2 };

    // `variables` are positions in the table, and all others (of pairs, arcs, networks) places in `variables`. `pairs` are
    // the first candidates; `arcs` says, n x n, cause by effect, what may be and what must be; empty: anything may be.
    Arrangement(std::shared_ptr<Families> families, std::vector<int> variables, const std::vector<Pair>& pairs,
                const Prices& prices, std::vector<uint8_t> arcs, uint64_t seed)
        : families_(std::move(families)), variables_(std::move(variables)), prices_(prices), arcs_(std::move(arcs)),
          random_(seed), ordering_(variables_.size()) {
        begin(pairs);
    }
    size_t size() const { return variables_.size(); }
    const Network& network() const { return best_network_; }
    double total() const { return best_.total; }
    // The arrows, cause and effect, on which all networks of its equivalence class agree.
    std::vector<Pair> compelled_arcs() const {
        const auto labels = compelled(best_network_);
        std::vector<Pair> found;
        for (int y = 0; y < static_cast<int>(size()); ++y)
            for (size_t i = 0; i < best_network_[y].size(); ++i)
                if (labels.begin(y)[i]) found.push_back({best_network_[y][i], y});
        return found;
    }
    Families& families() { return *families_; }
    std::vector<Pair> pairs() const {
        std::vector<Pair> found;
        for (int a = 0; a < static_cast<int>(size()); ++a)
            for (const int b : ordering_.sets[a].candidates)
                if (a < b) found.push_back({a, b});
        return found;
    }

    // Kicks until `times` of them for each variable have found nothing better, and then what they have missed.
    void stir(int times) {
        std::vector<int> movable;
        for (size_t v = 0; v < size(); ++v)
            if (!ordering_.sets[v].near.empty()) movable.push_back(static_cast<int>(v));
        if (movable.empty()) return;
        kick_about(movable, times);
        while (reinsert()) kick_about(movable, times / 2);
        stand();
    }

    // Makes candidates of pairs that are none yet and of which an arrow, added or in the place of another, gains something in
    // some member of the class; of pairs that are far, only where there are no others. Returns how many. Members drawn at
    // random instead left the answer to chance: on 120 tables of five networks, 15 had another network with other random
    // numbers, worse by up to 100 nats.
    int expand() {
        std::map<Pair, double> found;
        go_to_best();
        look_for_arrows(false, found);
        if (found.empty()) look_for_arrows(true, found);
        std::vector<std::pair<double, Pair>> ranked;
        for (const auto& [pair, gain] : found) ranked.push_back({-gain, pair});
        std::sort(ranked.begin(), ranked.end());
        std::vector<Pair> pairs;
        for (const auto& [_, pair] : ranked) pairs.push_back(pair);
        return join(pairs);
    }

    // Tries sets of parents around those of the best network. Returns by how much that made it better.
    double deepen() {
        go_to_best();
        const double before = best_.total;
        bool found = false;
        for (size_t v = 0; v < size(); ++v) found |= ordering_.sets[v].try_around(best_network_[v]);
        if (found) arrange_anew();
        return best_.total - before;
    }

    // Makes candidates of the ends of all paths of two edges that hold one of `at`.
    int widen(const std::vector<int>& at) {
        go_to_best();
        std::vector<char> wanted(size(), 0);
        for (const int v : at) wanted[v] = 1;
        effort_ = {0, 100, 1.0};
        std::vector<std::vector<int>> adjacent(size());
        for (size_t y = 0; y < size(); ++y)
            for (const int x : best_network_[y]) {
                adjacent[x].push_back(static_cast<int>(y));
                adjacent[y].push_back(x);
            }
        std::map<Pair, double> found;
        for (size_t y = 0; y < size(); ++y)
            for (const int a : adjacent[y])
                for (const int b : adjacent[y])
                    if (a < b && (wanted[a] || wanted[b] || wanted[y]) && !candidates(a, b)) found[{a, b}] = 0;
        std::vector<Pair> pairs;
        for (const auto& [pair, _] : found) pairs.push_back(pair);
        return join(pairs);
    }

    // By how much the best arrangement found without some arcs is worse than the best of all; nothing is kept of the search.
    // Kicks move the ends of the arcs and what is near them, and every other one is followed by a re-rooting. Kicks alone, of
    // all that is near the ends, took 60 % of the time and left twice as many margins too high (230 of 965 on 30 tables
    // of random networks, instead of 110, measured against 5,000 kicks), and four times as many that should be below 3 nats.
    double margin(const std::vector<Pair>& arcs, int kicks) {
        go_to_best();
        const double top = ordering_.total();
        std::vector<int> ends, region;
        for (const auto& [x, y] : arcs)
            for (const int v : {x, y}) {
                ends.push_back(v);
                region.push_back(v);
                const std::vector<int>& near = ordering_.sets[v].near;
                region.insert(region.end(), near.begin(), near.end());
            }
        std::sort(region.begin(), region.end());
        region.erase(std::unique(region.begin(), region.end()), region.end());
        ban(arcs);
        random_ = Random(0);  // the same answer whatever was asked before
        families_->rest(ordering_.settle(region));
        const int between = std::max(2, static_cast<int>(size() / 16));  // re-rooting takes the longer the more there are
        for (int k = 1; k <= kicks; ++k) {
            kick(ends);
            if (k % between == 0) reroot();
        }
        const double without = ordering_.total();
        go_to_best();
        return top - without;
    }

private:
    static constexpr size_t width_of_kick = 5, most_to_turn = 24;
    static constexpr size_t most_to_remember = 128;  // variables whose pairs all fit in a cache of families
    static constexpr int64_t work_of_a_slot = 64;  // in rows counted

    void begin(const std::vector<Pair>& pairs) {
        waiting_.assign(size(), 0);
        add(strongest(pairs));
        close_.resize(size());
        for (size_t v = 0; v < size(); ++v) {
            for (const int x : ordering_.sets[v].candidates)
                for (const int y : ordering_.sets[x].candidates) close_[v].push_back(y);
            std::sort(close_[v].begin(), close_[v].end());
            close_[v].erase(std::unique(close_[v].begin(), close_[v].end()), close_[v].end());
        }
        for (size_t v = 0; v < size(); ++v) enumerate(static_cast<int>(v));
        link();
        std::vector<int> order = everything();
        random_.shuffle(order);
        ordering_.put(order);
        settle_all();
        consider();
    }
    std::vector<int> everything() const {
        std::vector<int> all(size());
        for (size_t v = 0; v < size(); ++v) all[v] = static_cast<int>(v);
        return all;
    }
    Arc arc(int x, int y) const {
        return arcs_.empty() ? allowed : static_cast<Arc>(arcs_[static_cast<size_t>(x) * size() + y]);
    }
    bool candidates(int a, int b) const {
        const std::vector<int>& known = ordering_.sets[a].candidates;
        return std::find(known.begin(), known.end(), b) != known.end();
    }

    // The pairs without repeats and, if a variable has more candidates than a set can hold, the strongest first.
    std::vector<Pair> strongest(std::vector<Pair> pairs) {
        for (auto& [a, b] : pairs)
            if (a > b) std::swap(a, b);
        std::sort(pairs.begin(), pairs.end());
        pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
        std::vector<size_t> n_near(size(), 0);
        for (const auto& [a, b] : pairs)
            ++n_near[a], ++n_near[b];
        if (std::none_of(n_near.begin(), n_near.end(), [](size_t k) { return k > ParentSets::most_candidates; })) return pairs;
        std::vector<std::pair<double, Pair>> ranked;
        for (const auto& [a, b] : pairs) {
            const int x = variables_[a], y = variables_[b];
            ranked.push_back({rounded(families_->score(y, {}) - families_->score(y, {x})), {a, b}});
        }
        std::sort(ranked.begin(), ranked.end());
        for (size_t i = 0; i < pairs.size(); ++i) pairs[i] = ranked[i].second;
        return pairs;
    }

    // Notes pairs as candidates, as long as there is room; returns the variables that got any.
    std::vector<int> add(const std::vector<Pair>& pairs) {
        std::vector<int> changed;
        for (const auto& [a, b] : pairs) {
            ParentSets &one = ordering_.sets[a], &other = ordering_.sets[b];
            const size_t at_one = one.candidates.size(), at_other = other.candidates.size();
            if (std::max(at_one, at_other) >= ParentSets::most_candidates) continue;
            if (arc(a, b) == forbidden && arc(b, a) == forbidden) continue;
            one.candidates.push_back(b);
            other.candidates.push_back(a);
            one.allowed |= uint64_t{arc(b, a) != forbidden} << at_one;
            other.allowed |= uint64_t{arc(a, b) != forbidden} << at_other;
            one.required |= uint64_t{arc(b, a) == required} << at_one;
            other.required |= uint64_t{arc(a, b) == required} << at_other;
            const bool far = !close_.empty() && is_far(a, b);
            one.far |= uint64_t{far} << at_one;
            other.far |= uint64_t{far} << at_other;
            changed.insert(changed.end(), {a, b});
        }
        std::sort(changed.begin(), changed.end());
        changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
        return changed;
    }
    bool is_far(int a, int b) const { return !has(close_[a], b); }
    int join(const std::vector<Pair>& pairs) {
        size_t before = 0, after = 0;
        for (const ParentSets& sets : ordering_.sets) before += sets.candidates.size();
        const std::vector<int> changed = add(pairs);
        for (const int v : changed) enumerate(v);
        for (const ParentSets& sets : ordering_.sets) after += sets.candidates.size();
        arrange_anew();
        return static_cast<int>((after - before) / 2);
    }
    // Goes on from the best network with the sets of parents that there are now.
    void arrange_anew() {
        const std::vector<int> order = (go_to_best(), ordering_.order());
        link();
        ordering_.put(order);
        best_.total = top_ = -1e300;  // the same network has another state now
        settle_all();
        consider();
    }
    void link() {
        std::vector<std::vector<int>> near(size());
        for (int a = 0; a < static_cast<int>(size()); ++a) {
            const ParentSets& one = ordering_.sets[a];
            for (size_t i = 0; i < one.candidates.size(); ++i) {
                const int b = one.candidates[i];
                if (b < a) continue;
                const ParentSets& other = ordering_.sets[b];
                const auto at = std::find(other.candidates.begin(), other.candidates.end(), a);
                if (!one.uses(i) && !other.uses(static_cast<size_t>(at - other.candidates.begin()))) continue;
                near[a].push_back(b);
                near[b].push_back(a);
            }
        }
        for (std::vector<int>& of : near) std::sort(of.begin(), of.end());  // whatever order they joined in
        ordering_.link(std::move(near));
    }
    void enumerate(int v) { ordering_.sets[v].enumerate(*families_, variables_, v, prices_, effort_); }

    void settle_all() {
        std::vector<int> all = everything();
        random_.shuffle(all);
        families_->rest(work_of_a_slot * ordering_.settle(all));
    }

    // Kicks, with a re-rooting now and then. Of networks that score the same, each is considered and left at once if it
    // comes later by name, so that the first is found step by step. When they were passed through and only considered at a
    // re-rooting, 11 of 24 tables of Win95pts had another network with one of eight seeds; now none has.
    void kick_about(const std::vector<int>& movable, int times) {
        const size_t between = std::max<size_t>(size() / 4, 8);  // 8: a region has some 15 variables, and all take part
        double best = best_.total;
        for (size_t k = 0, quiet = 0; quiet < size() * static_cast<size_t>(times); ++k, ++quiet) {
            if (kick(movable, k % 2 == 0) && !consider()) ordering_.go_back();
            if (k % between == 0) {
                reroot();
                if (!consider()) ordering_.go_back();
            }
            if (best_.total <= best + tie) continue;
            best = best_.total;
            quiet = 0;
        }
        consider();
    }

    // Turns what leads to a variable, or moves a few that are near it at random; settles, and goes back if that is worse.
    // Returns whether that led to another network.
    bool kick(const std::vector<int>& among, bool turning = false) {
        ordering_.note();
        const int centre = among[random_.below(among.size())];
        touched_.clear();
        turning ? turn(centre) : shake(centre);
        queue_.clear();
        const auto enqueue = [&](int v) {
            if (waiting_[v]) return;
            waiting_[v] = 1;
            queue_.push_back(v);
        };
        for (const int v : touched_) {
            enqueue(v);
            for (const int z : ordering_.sets[v].near) enqueue(z);
        }
        for (const int v : queue_) waiting_[v] = 0;
        random_.shuffle(queue_);
        families_->rest(work_of_a_slot * (1 + ordering_.settle(queue_)));
        if (ordering_.total() >= ordering_.total_noted() - tie) return ordering_.differs();
        ordering_.go_back();
        return false;
    }

    void shake(int centre) {
        ball_ = ordering_.sets[centre].near;
        ball_.push_back(centre);
        for (size_t i = 0; i < std::min(width_of_kick, ball_.size()); ++i) {
            std::swap(ball_[i], ball_[i + random_.below(ball_.size() - i)]);
            ordering_.move_at_random(ball_[i], random_, touched_);
        }
    }
    // Turns what leads to a variable away from it: some of its causes come right behind it, theirs behind these, and so on.
    // Where two optima differ by a chain of arrows that is turned as a whole, each step between them is worse than both.
    void turn(int centre) {
        const size_t most = 1 + static_cast<size_t>(random_.below(most_to_turn));
        ball_.assign(1, centre);
        for (size_t i = 0; i < ball_.size(); ++i) {
            ordering_.parents(ball_[i], causes_);
            random_.shuffle(causes_);
            for (const int cause : causes_) {
                if (ball_.size() > most) return;
                if (std::find(ball_.begin(), ball_.end(), cause) != ball_.end()) continue;
                ordering_.move_behind(cause, ball_[i], touched_);
                ball_.push_back(cause);
            }
        }
    }

    // Puts each variable and a few near it into the best of all places at once, until that gains nothing more. Returns whether
    // it gained anything: kicks alone left one of 200 random tables with two networks, 1.8 nats apart, depending on the seed.
    bool reinsert() {
        go_to_best();
        bool better = false;
        for (size_t centre = 0, tried = 0; tried < size(); centre = (centre + 1) % size(), ++tried) {
            window_.assign(1, static_cast<int>(centre));
            for (size_t i = 0; i < window_.size() && window_.size() < Window::most; ++i)
                for (const int y : ordering_.sets[window_[i]].near)
                    if (window_.size() < Window::most && std::find(window_.begin(), window_.end(), y) == window_.end())
                        window_.push_back(y);
            if (window_.size() < 2) continue;
            const bool moved = few_.put_best(ordering_, window_);
            families_->rest(work_of_a_slot * few_.looked_at());
            if (!moved) continue;
            settle_all();
            consider();
            better = true;
            tried = 0;
        }
        return better;
    }

    // Goes to a random member of the equivalence class, and settles. A score that is not quite the same for all members, as
    // with gaps, may end lower; then it goes back.
    void reroot() {
        ordering_.note();
        ordering_.put(member_of_class(ordering_.network(), &random_));
        settle_all();
        if (ordering_.total() < ordering_.total_noted() - tie) ordering_.go_back();
    }

    // Keeps the network if it is the best so far. Of those that score the same, the one is kept whose edges, by their
    // places, come first: a rule that knows neither the order of the columns nor the path of the search. Returns whether it is
    // kept, or of the same class as the best.
    bool consider() {
        const double total = ordering_.total();
        if (total < top_ - tie) return false;
        top_ = std::max(top_, total);
        const Network& network = ordering_.network();
        if (total <= best_.total + tie) {
            if (equivalent(network, best_network_)) return true;
            std::vector<int> name = name_of_class(network);
            if (best_name_.empty()) best_name_ = name_of_class(best_network_);
            if (name >= best_name_) return false;
            best_name_ = std::move(name);
        } else {
            best_name_.clear();
        }
        best_ = ordering_.state();
        best_network_ = network;
        return true;
    }
    void go_to_best() { ordering_.restore(best_); }

    // Goes from the best network to the member of its class that depends on the class alone, so that what is asked of it next
    // does not depend on the path of the search: on twenty tables of five networks, eight had other decided directions with
    // other random numbers. What people know may not fit that member.
    void stand() {
        if (!arcs_.empty()) return;
        ordering_.put(member_of_class(best_network_, nullptr));
        if (ordering_.total() < best_.total - tie) return;
        best_ = ordering_.state();
        best_network_ = ordering_.network();
        top_ = std::max(top_, best_.total);
        best_name_.clear();
    }

    // The same for all members of an equivalence class, and for no others.
    static std::vector<int> name_of_class(const Network& network) {
        const auto labels = compelled(network);
        std::vector<std::array<int, 3>> edges;
        for (int y = 0; y < static_cast<int>(network.size()); ++y)
            for (size_t i = 0; i < network[y].size(); ++i) {
                const int x = network[y][i];
                edges.push_back({std::min(x, y), std::max(x, y), !labels.begin(y)[i] ? 0 : x < y ? 1 : 2});
            }
        std::sort(edges.begin(), edges.end());
        std::vector<int> name(1, static_cast<int>(edges.size()));
        for (const auto& edge : edges) name.insert(name.end(), edge.begin(), edge.end());
        return name;
    }

    void ban(const std::vector<Pair>& arcs) {
        for (const auto& [x, y] : arcs) {
            const std::vector<int>& near = ordering_.sets[y].near;
            const size_t bit = static_cast<size_t>(std::find(near.begin(), near.end(), x) - near.begin());
            if (bit < near.size()) ordering_.ban(y, uint64_t{1} << bit);
        }
    }

    void look_for_arrows(bool far, std::map<Pair, double>& found) {
        const Essential essential(best_network_);
        std::vector<char> below;
        for (int y = 0; y < static_cast<int>(size()); ++y)
            for (const std::vector<int>& parents : essential.parent_sets(y)) {
                if (!permitted(y, parents)) continue;
                essential.reach(y, parents, below);
                for (const auto& [x, gain] : wanted(y, parents, far)) {
                    if (below[x] || candidates(x, y) || arc(x, y) == forbidden) continue;
                    double& best = found.insert({{std::min(x, y), std::max(x, y)}, gain}).first->second;
                    best = std::max(best, gain);
                }
            }
    }
    bool permitted(int y, const std::vector<int>& parents) const {
        if (arcs_.empty()) return true;
        for (int x = 0; x < static_cast<int>(size()); ++x)
            if (has(parents, x) ? arc(x, y) == forbidden : arc(x, y) == required) return false;
        return true;
    }

    // The variables, far or not, that are no candidates and would gain something as a parent of y, added or in the place of
    // one, and how much. Remembered, as most families stay the same from round to round, and from search to search: on 2,000
    // columns 16 million scores instead of 46.
    const std::vector<std::pair<int, double>>& wanted(int y, const std::vector<int>& parents, bool far) {
        std::vector<int> key = {y, far};
        key.insert(key.end(), parents.begin(), parents.end());
        const auto known = wanted_.find(key);
        if (known != wanted_.end()) return known->second;
        others_.clear();
        asked_.clear();
        for (int x = 0; x < static_cast<int>(size()); ++x) {
            if (x == y || is_far(x, y) != far || candidates(x, y)) continue;
            others_.push_back(x);
            asked_.push_back(variables_[x]);
        }
        std::vector<std::pair<int, double>> gains;
        if (!others_.empty()) weigh(y, parents, prices_.parent + (far ? prices_.far : 0), gains);
        return wanted_[std::move(key)] = std::move(gains);
    }
    // The gains of others_, each at a price.
    void weigh(int y, const std::vector<int>& parents, double price, std::vector<std::pair<int, double>>& gains) {
        const bool remember = size() <= most_to_remember;  // for other searches: a fifth of the time on Alarm
        std::vector<int> base;
        double cost = 0;
        for (const int p : parents) {
            base.push_back(variables_[p]);
            cost += ordering_.sets[y].price(p);
        }
        std::sort(base.begin(), base.end());
        const double now = rounded(families_->score(variables_[y], base) - cost);
        const auto weigh_with = [&](const std::vector<int>& with, double paid) {
            families_->with_each(variables_[y], with, asked_, remember, scores_);
            for (size_t i = 0; i < others_.size(); ++i) {
                const double gain = rounded(scores_[i] - paid - price) - now;
                if (gain > tie) gains.push_back({others_[i], gain});
            }
        };
        if (static_cast<int>(parents.size()) < ParentSets::most_parents) weigh_with(base, cost);
        for (const int p : parents) {
            if (arc(p, y) == required) continue;
            std::vector<int> others = base;
            others.erase(std::find(others.begin(), others.end(), variables_[p]));
            weigh_with(others, cost - ordering_.sets[y].price(p));
        }
    }

    std::shared_ptr<Families> families_;
    std::vector<int> variables_;
    Prices prices_;
    std::vector<uint8_t> arcs_;
    std::vector<std::vector<int>> close_;  // those with which a variable has a first candidate in common
    std::map<std::vector<int>, std::vector<std::pair<int, double>>> wanted_;  // by a variable and its parents
    Random random_;
    ParentSets::Effort effort_;
    Ordering ordering_;
    Ordering::State best_{{}, -1e300};
    double top_ = -1e300;  // the best total; that of `best_` may be a tie below it
    Network best_network_;
    std::vector<int> best_name_;  // of its equivalence class; empty: not needed yet

    // Scratch, kept between kicks.
    std::vector<int> ball_, causes_, touched_, queue_, others_, asked_, window_;
    Window few_;
    std::vector<char> waiting_;  // whether a variable is in the queue
    std::vector<double> scores_;
};

}  // namespace elcs
