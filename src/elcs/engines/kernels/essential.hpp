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

// The variables in an order in which causes come first; those of `first` as early as that allows.
inline std::vector<int> causes_first(const Network& network, const std::vector<int>& first) {
    std::vector<int> order;
    std::vector<char> begun(network.size(), 0);
    std::vector<std::pair<int, size_t>> stack;
    for (const int start : first) {
        if (begun[start]) continue;
        begun[start] = 1;
        stack.push_back({start, 0});
        while (!stack.empty()) {
            auto& [v, next] = stack.back();
            if (next == network[v].size()) {
                order.push_back(v);
                stack.pop_back();
                continue;
            }
            const int parent = network[v][next++];
            if (begun[parent]) continue;
            begun[parent] = 1;
            stack.push_back({parent, 0});
        }
    }
    return order;
}

// For each parent in a network, whether every member of the equivalence class has that edge the same way round.
inline std::vector<std::vector<char>> compelled(const Network& network) {
    const int n = static_cast<int>(network.size());
    std::vector<int> all(n), place(n);
    for (int v = 0; v < n; ++v) all[v] = v;
    const std::vector<int> order = causes_first(network, all);
    for (int i = 0; i < n; ++i) place[order[i]] = i;
    enum : char { reversible = 0, fixed = 1, unknown = 2 };
    std::vector<std::vector<char>> label(n);
    for (int v = 0; v < n; ++v) label[v].assign(network[v].size(), unknown);
    std::vector<size_t> latest;
    for (const int y : order) {
        const std::vector<int>& parents = network[y];
        latest.resize(parents.size());
        for (size_t i = 0; i < latest.size(); ++i) latest[i] = i;
        std::sort(latest.begin(), latest.end(), [&](size_t a, size_t b) { return place[parents[a]] > place[parents[b]]; });
        for (const size_t i : latest) {
            if (label[y][i] != unknown) continue;
            const int x = parents[i];
            bool all_fixed = false;
            for (size_t j = 0; j < network[x].size() && !all_fixed; ++j) {
                if (label[x][j] != fixed) continue;
                const auto at = std::lower_bound(parents.begin(), parents.end(), network[x][j]);
                if (at == parents.end() || *at != network[x][j]) all_fixed = true;
                else label[y][static_cast<size_t>(at - parents.begin())] = fixed;
            }
            if (all_fixed) {
                std::fill(label[y].begin(), label[y].end(), fixed);
                break;
            }
            const bool collider = std::any_of(parents.begin(), parents.end(),
                                              [&](int z) { return z != x && !has(network[x], z); });
            for (char& mark : label[y])
                if (mark == unknown) mark = collider ? fixed : reversible;
        }
    }
    return label;
}

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

// An order of the variables in which a member of the equivalence class, drawn at random, has causes first: in each part of
// the graph that reversible edges connect, edges are turned by a maximum cardinality search.
inline std::vector<int> random_member(const Network& network, Random& random) {
    const int n = static_cast<int>(network.size());
    const auto labels = compelled(network);
    Network member(n), beside(n);
    for (int y = 0; y < n; ++y)
        for (size_t i = 0; i < network[y].size(); ++i) {
            const int x = network[y][i];
            if (labels[y][i]) {
                member[y].push_back(x);
            } else {
                beside[x].push_back(y);
                beside[y].push_back(x);
            }
        }
    std::vector<int> starts(n), seen_beside(n, 0), front;
    for (int v = 0; v < n; ++v) starts[v] = v;
    random.shuffle(starts);
    std::vector<char> seen(n, 0), waiting(n, 0);
    for (const int start : starts) {
        if (seen[start] || beside[start].empty()) continue;
        front.assign(1, start);
        waiting[start] = 1;
        while (!front.empty()) {
            int most = -1;
            size_t ties = 0, chosen = 0;
            for (size_t i = 0; i < front.size(); ++i) {
                const int joined = seen_beside[front[i]];
                if (joined > most) ties = 0;
                most = std::max(most, joined);
                if (joined == most && random.below(++ties) == 0) chosen = i;
            }
            const int v = front[chosen];
            front.erase(front.begin() + static_cast<std::ptrdiff_t>(chosen));
            for (const int u : beside[v]) {
                if (seen[u]) {
                    member[v].push_back(u);
                    continue;
                }
                ++seen_beside[u];
                if (!waiting[u]) front.push_back(u);
                waiting[u] = 1;
            }
            seen[v] = 1;
        }
    }
    random.shuffle(starts);
    return causes_first(member, starts);
}

}  // namespace elcs
