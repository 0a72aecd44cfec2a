// Equivalence classes of directed acyclic graphs: which edges all members share, and a member drawn at random.
//
// D. M. Chickering (1995), A transformational characterization of equivalent Bayesian network structures, UAI.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace elcs {

using Network = std::vector<std::vector<int>>;  // the parents of each variable, sorted

// Steele, Lea and Flood (2014), Fast splittable pseudorandom number generators, OOPSLA.
class Random {
public:
    explicit Random(uint64_t seed) : state_(seed) {}
    uint64_t operator()() {
        uint64_t z = state_ += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    int below(size_t n) { return static_cast<int>((*this)() % n); }
    template <class T>
    void shuffle(std::vector<T>& items) {
        for (size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
    }

private:
    uint64_t state_;
};

inline bool has(const std::vector<int>& sorted, int x) { return std::binary_search(sorted.begin(), sorted.end(), x); }

// Lists side by side, one for each variable: with a vector for each, a search on a region of Alarm, which goes to another
// member of its class every few steps, spends a tenth of its time on allocations.
template <class T>
struct Lists {
    std::vector<int> first;  // where each begins; the end of the last is the end of all
    std::vector<T> items;

    explicit Lists(size_t n) : first(n + 1, 0) {}
    T* begin(int v) { return items.data() + first[v]; }
    const T* begin(int v) const { return items.data() + first[v]; }
    // Makes room, if `first` holds at v + 1 how many v has.
    void allot(T blank) {
        for (size_t v = 1; v < first.size(); ++v) first[v] += first[v - 1];
        items.assign(static_cast<size_t>(first.back()), blank);
    }
};

// The variables in an order in which causes come first; those of `first` as early as that allows. `parent_at(v, i)` is the
// i-th parent of a variable, -1 if there is none at that place, or -2 behind the last.
template <class ParentAt>
std::vector<int> causes_first(size_t n, ParentAt parent_at, const std::vector<int>& first) {
    std::vector<int> order;
    order.reserve(n);
    std::vector<char> begun(n, 0);
    std::vector<std::pair<int, int>> stack;
    for (const int start : first) {
        if (begun[start]) continue;
        begun[start] = 1;
        stack.push_back({start, 0});
        while (!stack.empty()) {
            auto& [v, next] = stack.back();
            const int parent = parent_at(v, next++);
            if (parent == -2) {
                order.push_back(v);
                stack.pop_back();
            } else if (parent >= 0 && !begun[parent]) {
                begun[parent] = 1;
                stack.push_back({parent, 0});
            }
        }
    }
    return order;
}
inline std::vector<int> causes_first(const Network& network) {
    std::vector<int> all(network.size());
    for (size_t v = 0; v < all.size(); ++v) all[v] = static_cast<int>(v);
    const auto parent_at = [&](int v, int i) { return i < static_cast<int>(network[v].size()) ? network[v][i] : -2; };
    return causes_first(network.size(), parent_at, all);
}

// For each parent in a network, whether every member of the equivalence class has that edge the same way round.
inline Lists<char> compelled(const Network& network) {
    const int n = static_cast<int>(network.size());
    std::vector<int> place(n);
    const std::vector<int> order = causes_first(network);
    for (int i = 0; i < n; ++i) place[order[i]] = i;
    enum : char { reversible = 0, fixed = 1, unknown = 2 };
    Lists<char> labels(n);
    for (int v = 0; v < n; ++v) labels.first[v + 1] = static_cast<int>(network[v].size());
    labels.allot(unknown);
    std::vector<size_t> latest;
    for (const int y : order) {
        const std::vector<int>& parents = network[y];
        char* const label = labels.begin(y);
        latest.resize(parents.size());
        for (size_t i = 0; i < latest.size(); ++i) latest[i] = i;
        std::sort(latest.begin(), latest.end(), [&](size_t a, size_t b) { return place[parents[a]] > place[parents[b]]; });
        for (const size_t i : latest) {
            if (label[i] != unknown) continue;
            const int x = parents[i];
            bool all_fixed = false;
            for (size_t j = 0; j < network[x].size() && !all_fixed; ++j) {
                if (labels.begin(x)[j] != fixed) continue;
                const auto at = std::lower_bound(parents.begin(), parents.end(), network[x][j]);
                if (at == parents.end() || *at != network[x][j]) all_fixed = true;
                else label[at - parents.begin()] = fixed;
            }
            if (all_fixed) {
                std::fill(label, label + parents.size(), fixed);
                break;
            }
            const bool collider = std::any_of(parents.begin(), parents.end(),
                                              [&](int z) { return z != x && !has(network[x], z); });
            std::replace(label, label + parents.size(), char{unknown}, char{collider ? fixed : reversible});
        }
    }
    return labels;
}

// An equivalence class as a graph: edges that all members have the same way round, and reversible ones.
class Essential {
public:
    explicit Essential(const Network& network) : causes_(network.size()), effects_(network.size()), beside_(network.size()) {
        const Lists<char> labels = compelled(network);
        for (int y = 0; y < static_cast<int>(network.size()); ++y)
            for (size_t i = 0; i < network[y].size(); ++i) {
                const int x = network[y][i];
                (labels.begin(y)[i] ? causes_ : beside_)[y].push_back(x);
                (labels.begin(y)[i] ? effects_ : beside_)[x].push_back(y);
            }
        for (std::vector<int>& others : beside_) std::sort(others.begin(), others.end());
    }

    // The sets of parents, sorted, that a variable has in the members: the compelled ones with any of the others that are all
    // adjacent to each other. The small ones first; of a large clique, that would be too many, not all.
    Network parent_sets(int y) const {
        static constexpr size_t most = 64;
        Network sets(1, causes_[y]);
        std::vector<std::vector<int>> cliques(1);
        for (size_t i = 0; i < cliques.size() && sets.size() < most; ++i)
            for (const int x : beside_[y]) {
                const std::vector<int>& clique = cliques[i];
                const bool joins = std::all_of(clique.begin(), clique.end(),
                                               [&](int z) { return z < x && has(beside_[z], x); });
                if (!joins || sets.size() >= most) continue;
                std::vector<int> larger = clique, all = causes_[y];
                larger.push_back(x);
                all.insert(all.end(), larger.begin(), larger.end());
                std::sort(all.begin(), all.end());
                sets.push_back(std::move(all));
                cliques.push_back(std::move(larger));
            }
        return sets;
    }

    // Notes what may be below a variable in the members in which it has these parents.
    void reach(int y, const std::vector<int>& parents, std::vector<char>& below) const {
        below.assign(beside_.size(), 0);
        std::vector<int> found(1, y);
        for (size_t i = 0; i < found.size(); ++i)
            for (const auto* next : {&effects_[found[i]], &beside_[found[i]]})
                for (const int z : *next)
                    if (z != y && !below[z] && !has(parents, z)) {
                        below[z] = 1;
                        found.push_back(z);
                    }
    }

private:
    std::vector<std::vector<int>> causes_, effects_, beside_;  // of each variable
};

// Whether two networks are of one equivalence class: the same edges, and the same pairs of separate causes of one effect.
inline bool equivalent(const Network& one, const Network& other) {
    const auto adjacent = [](const Network& network, int a, int b) { return has(network[a], b) || has(network[b], a); };
    const auto holds = [&](const Network& network, const Network& within) {
        for (int y = 0; y < static_cast<int>(network.size()); ++y) {
            const std::vector<int>&parents = network[y], &others = within[y];
            if (parents == others) continue;
            for (const int x : parents) {
                if (!adjacent(within, x, y)) return false;
                for (const int z : parents)
                    if (x < z && !adjacent(network, x, z) && !(has(others, x) && has(others, z))) return false;
            }
        }
        return true;
    };
    return holds(one, other) && holds(other, one);
}

// An order of the variables in which a member of the equivalence class has causes first: in each part of the graph that
// reversible edges connect, edges are turned by a maximum cardinality search. The member is drawn at random or, if there are
// no random numbers, the one in which variables come as early as they can by their places, which depends on the class alone.
inline std::vector<int> member_of_class(const Network& network, Random* random) {
    const int n = static_cast<int>(network.size());
    const Lists<char> labels = compelled(network);
    struct End {
        int at;
        bool reversible;
    };
    Lists<End> ends(n);  // the compelled parents of a variable, and the other ends of its reversible edges
    for (int y = 0; y < n; ++y)
        for (size_t i = 0; i < network[y].size(); ++i) {
            ++ends.first[y + 1];
            if (!labels.begin(y)[i]) ++ends.first[network[y][i] + 1];
        }
    ends.allot({});
    std::vector<int> starts(n), beside(n, 0), front;
    std::vector<int> filled(ends.first.begin(), ends.first.end() - 1);
    for (int y = 0; y < n; ++y)
        for (size_t i = 0; i < network[y].size(); ++i) {
            const int x = network[y][i];
            const bool reversible = !labels.begin(y)[i];
            ends.items[filled[y]++] = {x, reversible};
            if (!reversible) continue;
            ends.items[filled[x]++] = {y, true};
            beside[x] = beside[y] = 1;
        }
    for (int v = 0; v < n; ++v) starts[v] = v;
    if (random != nullptr) random->shuffle(starts);
    else  // they were listed by the edges of this member
        for (int v = 0; v < n; ++v)
            std::sort(ends.begin(v), ends.begin(v + 1), [](const End& a, const End& b) { return a.at < b.at; });
    std::vector<int> turn(n, -1), n_before(n, 0);  // when a variable was taken; how many beside it were
    std::vector<char> waiting(n, 0);
    int n_taken = 0;
    for (const int start : starts) {
        if (turn[start] >= 0 || !beside[start]) continue;
        front.assign(1, start);
        waiting[start] = 1;
        while (!front.empty()) {
            size_t ties = 0, chosen = 0;
            for (size_t i = 0; i < front.size(); ++i) {
                const int more = n_before[front[i]] - n_before[front[chosen]];
                if (more > 0) ties = 0;
                if (more < 0) continue;
                ++ties;
                const bool taken = random != nullptr ? random->below(ties) == 0 : more > 0 || front[i] < front[chosen];
                if (taken) chosen = i;
            }
            const int v = front[chosen];
            front.erase(front.begin() + static_cast<std::ptrdiff_t>(chosen));
            turn[v] = n_taken++;
            for (const End* end = ends.begin(v); end != ends.begin(v + 1); ++end) {
                if (!end->reversible || turn[end->at] >= 0) continue;
                ++n_before[end->at];
                if (!waiting[end->at]) front.push_back(end->at);
                waiting[end->at] = 1;
            }
        }
    }
    if (random != nullptr) random->shuffle(starts);
    const auto parent_at = [&](int v, int i) {
        if (i == ends.first[v + 1] - ends.first[v]) return -2;
        const End end = ends.begin(v)[i];
        return end.reversible && turn[end.at] > turn[v] ? -1 : end.at;
    };
    return causes_first(network.size(), parent_at, starts);
}

}  // namespace elcs
