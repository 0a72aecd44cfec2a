// Families and arrangements, as Python sees them. Each call lets go of the interpreter, then waits its turn.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include "arrangement.hpp"
#include "names.hpp"

namespace elcs {

template <class Work>
auto locked(Families& families, Work work) {
    nb::gil_scoped_release release;
    const Turns::Turn turn(families.turns);
    return work();
}

inline void check_variables(const Families& families, const std::vector<int>& variables) {
    for (const int v : variables)
        if (v < 0 || static_cast<size_t>(v) >= families.size()) throw std::out_of_range("no such variable");
}

inline std::vector<double> scores(Families& families, int child, std::vector<std::vector<int>> parents) {
    check_variables(families, {child});
    for (auto& set : parents) {
        std::sort(set.begin(), set.end());
        check_variables(families, set);
        if (std::adjacent_find(set.begin(), set.end()) != set.end() || has(set, child))
            throw std::invalid_argument("a variable appears twice in one family");
    }
    return locked(families, [&] {
        std::vector<double> found;
        for (const auto& set : parents) found.push_back(families.score(child, set));
        return found;
    });
}

// The score of a variable with each of `others` as one parent more than `base`.
inline std::vector<double> with_each(Families& families, int child, std::vector<int> base, const std::vector<int>& others) {
    check_variables(families, {child});
    check_variables(families, base);
    check_variables(families, others);
    std::sort(base.begin(), base.end());
    bool twice = std::adjacent_find(base.begin(), base.end()) != base.end() || has(base, child);
    for (const int v : others) twice = twice || v == child || has(base, v);
    if (twice) throw std::invalid_argument("a variable appears twice in one family");
    return locked(families, [&] {
        std::vector<double> found;
        families.with_each(child, base, others, true, found);
        return found;
    });
}

// What each of them adds to the score with `base` alone.
inline std::vector<double> gains(Families& families, int child, const std::vector<int>& base, const std::vector<int>& others) {
    std::vector<double> found = with_each(families, child, base, others);
    const double without = scores(families, child, {base}).front();
    for (double& score : found) score -= without;
    return found;
}

// For each parent of each variable, whether every equivalent network has that edge the same way round.
inline std::vector<std::vector<bool>> compelled_edges(Network parents) {
    for (const auto& set : parents)
        for (const int v : set)
            if (v < 0 || static_cast<size_t>(v) >= parents.size()) throw std::out_of_range("no such variable");
    std::vector<std::vector<bool>> found;
    for (auto& set : parents)
        if (!std::is_sorted(set.begin(), set.end())) throw std::invalid_argument("parents must be sorted");
    const Lists<char> labels = compelled(parents);
    for (int v = 0; v < static_cast<int>(parents.size()); ++v) found.emplace_back(labels.begin(v), labels.begin(v + 1));
    return found;
}

inline void check_pairs(const std::vector<Arrangement::Pair>& pairs, size_t n) {
    for (const auto& [a, b] : pairs)
        if (std::min(a, b) < 0 || static_cast<size_t>(std::max(a, b)) >= n || a == b)
            throw std::out_of_range("no such pair");
}

inline std::unique_ptr<Arrangement> arrange(std::shared_ptr<Families> families, std::vector<int> variables,
                                            const std::vector<Arrangement::Pair>& pairs, double price, double price_far,
                                            std::vector<uint8_t> arcs, uint64_t seed) {
    check_variables(*families, variables);
    const size_t n = variables.size();
    check_pairs(pairs, n);
    if (!arcs.empty() && arcs.size() != n * n) throw std::invalid_argument("something must be said of each arc, or of none");
    Families& asked = *families;
    return locked(asked, [&] {
        return std::make_unique<Arrangement>(std::move(families), std::move(variables), pairs, Prices{price, price_far},
                                             std::move(arcs), seed);
    });
}

inline nb::class_<Families> bind_arranging(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<Families> families(m, "Families", "Scores of variables with sets of parents, with a cache and a budget.");
    families.def("scores", &scores, "child"_a, "parents"_a, "The scores of a variable with each of these sets of parents.")
        .def("with_each", &with_each, "child"_a, "base"_a, "others"_a, "The scores with each of the others as one parent more.")
        .def("gains", &gains, "child"_a, "base"_a, "others"_a, "What each of the others adds as one parent more.")
        .def_prop_ro("asked", [](const Families& f) { return f.asked; })
        .def_prop_ro("computed", [](const Families& f) { return f.computed; })
        .def_prop_rw("budget", [](const Families& f) { return f.budget; },
                     [](Families& f, std::shared_ptr<Budget> budget) {
                         locked(f, [&] { f.budget = std::move(budget); });
                     })
        .def("clear_cache", [](Families& f) { locked(f, [&] { f.clear_cache(); }); });

    m.def("compelled", &compelled_edges, "parents"_a,
          "For each of the sorted parents of each variable, whether all equivalent networks have that edge that way round.");

    nb::class_<Arrangement>(m, "Arrangement", "The search for the best network over some variables.")
        .def_static("of", &arrange, "families"_a, "variables"_a, "pairs"_a, nb::kw_only(), "price"_a, "price_far"_a,
                    "arcs"_a, "seed"_a, "Variables are positions in the table; pairs and arcs are of places in `variables`.")
        .def_prop_ro("network", &Arrangement::network, "The parents of each variable in the best network so far.")
        .def_prop_ro("compelled", &Arrangement::compelled_arcs, "The arrows on which all networks of its class agree.")
        .def_prop_ro("total", &Arrangement::total, "Its score, less the price of its parents.")
        .def_prop_ro("pairs", &Arrangement::pairs, "The pairs that are candidates by now.")
        .def("stir", [](Arrangement& a, int times) { locked(a.families(), [&] { a.stir(times); }); }, "times"_a,
             "Search on, until so many kicks for each variable have found nothing better.")
        .def("expand", [](Arrangement& a) { return locked(a.families(), [&] { return a.expand(); }); },
             "Make candidates of pairs that the score wants; return how many.")
        .def("deepen", [](Arrangement& a) { return locked(a.families(), [&] { return a.deepen(); }); },
             "Try sets of parents around those of the best network; return by how much that made it better.")
        .def("widen", [](Arrangement& a, const std::vector<int>& at) {
            for (const int v : at)
                if (v < 0 || static_cast<size_t>(v) >= a.size()) throw std::out_of_range("no such variable");
            return locked(a.families(), [&] { return a.widen(at); });
        }, "at"_a, "Make candidates of the ends of all paths of two edges that hold one of these; return how many.")
        .def("margin", [](Arrangement& a, const std::vector<Arrangement::Pair>& arcs, int kicks) {
            return locked(a.families(), [&] { return a.margin(arcs, kicks); });
        }, "arcs"_a, "kicks"_a, "By how much the best network found without these arcs is worse.");
    return families;
}

}  // namespace elcs
