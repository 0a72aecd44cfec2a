"""GES: its operators reach exactly the classes one edge away, and in the limit of many rows it finds the truth."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import chain, combinations
from math import log

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import all_dags, coded, datasets

import elcs
from elcs.graph.cpdag import cpdag
from elcs.learners.notes import Whole
from elcs.learners.steps.equivalence import EquivalenceClass, bits_of, cliques
from elcs.learners.whole.ges import ges
from elcs.scores import BIC, BDeu, Score

Network = tuple[int, ...]
Class = tuple[tuple[int, ...], tuple[int, ...]]


def network_of(graph: nx.DiGraph[str]) -> Network:
    at = {v: i for i, v in enumerate(graph)}
    return tuple(sum(1 << at[u] for u in graph.predecessors(v)) for v in graph)


def essential(network: Network) -> Class:
    """Return the edges with and without direction, by way of the rules of Meek instead of the labels of Chickering."""
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(map(str, range(len(network))))
    graph.add_edges_from((str(x), str(y)) for y, parents in enumerate(network) for x in bits_of(parents))
    found = cpdag(graph)
    parents = tuple(sum(1 << int(u) for u in found.parents(v)) for v in graph)
    return parents, tuple(sum(1 << int(u) for u in found.undirected(v)) for v in graph)


def as_class(found: EquivalenceClass) -> Class:
    return tuple(found.parents), tuple(found.beside)


@cache
def classes(n: int) -> dict[Class, list[Network]]:
    """Return all classes of networks of n variables, with their members."""
    found: dict[Class, list[Network]] = {}
    for graph in all_dags(n):
        network = network_of(graph)
        found.setdefault(essential(network), []).append(network)
    return found


def one_edge_away(members: list[Network], *, more: bool) -> set[Class]:
    """Return the classes of all networks that a member becomes by one edge more, or less."""
    known = {network: name for name, networks in classes(len(members[0])).items() for network in networks}
    found = set()
    for network in members:
        for y in range(len(network)):
            for x in range(len(network)):
                if x == y or (network[y] >> x & 1) == more:
                    continue
                other = (*network[:y], network[y] ^ 1 << x, *network[y + 1 :])
                if other in known:
                    found.add(known[other])
    return found


@pytest.mark.parametrize("n", [2, 3, 4])
def test_operators_reach_exactly_the_classes_one_edge_away(n: int) -> None:
    """Theorems 15 and 17 of the paper; 185 classes of four variables."""
    assert len(classes(n)) == {2: 2, 3: 11, 4: 185}[n]
    for members in classes(n).values():
        here = EquivalenceClass(members[0])
        inserted, deleted = set(), set()
        for y in range(n):
            for x in range(n):
                if x == y:
                    continue
                if here.near[y] >> x & 1:
                    if not here.children[y] >> x & 1:
                        for kept in cliques(here.beside[y] & here.near[x], here.near):
                            deleted.add(as_class(here.delete(x, y, kept)))
                    continue
                for kept in cliques(here.beside[y], here.near):
                    holds_common = not here.beside[y] & here.near[x] & ~kept
                    if holds_common and not here.connects(y, x, without=kept):
                        inserted.add(as_class(here.insert(x, y, kept)))
        assert inserted == one_edge_away(members, more=True)
        assert deleted == one_edge_away(members, more=False)


@pytest.mark.parametrize("n", [3, 4])
def test_members_with_arcs_that_somebody_knows(n: int) -> None:
    for name, members in classes(n).items():
        here = EquivalenceClass(members[0])
        assert as_class(here) == name
        for arcs in combinations([(x, y) for x in range(n) for y in range(n) if x != y], 2):
            able = [m for m in members if all(m[y] >> x & 1 or not here.near[y] >> x & 1 for x, y in arcs)]
            found = here.member(arcs)
            assert (found is None) == (not able)
            assert found is None or tuple(found) in able


class Limit(Score):
    """The BIC of a linear Gaussian model whose covariances are known, as if of a huge sample."""

    def __init__(self, graph: nx.DiGraph[str], rng: np.random.Generator) -> None:
        names = list(graph)
        super().__init__({name: [0.0, 1.0, 3.0] for name in names})
        n = len(names)
        weights = np.zeros((n, n))
        for a, b in graph.edges:
            weights[names.index(a), names.index(b)] = rng.choice([-1, 1]) * rng.uniform(0.5, 1.5)
        inverse = np.linalg.inv(np.eye(n) - weights)
        self.covariance = inverse.T @ np.diag(rng.uniform(0.5, 2.0, n)) @ inverse

    def is_clear(self, graph: nx.DiGraph[str]) -> bool:
        """Tell whether what is connected does not almost cancel out, whatever is held fixed."""
        names = list(graph)
        for i, j in combinations(range(len(names)), 2):
            rest = [v for v in range(len(names)) if v not in (i, j)]
            for held in chain.from_iterable(combinations(rest, size) for size in range(len(rest) + 1)):
                within = np.linalg.inv(self.covariance[np.ix_([i, j, *held], [i, j, *held])])
                weak = abs(within[0, 1]) < 0.02 * np.sqrt(within[0, 0] * within[1, 1])
                if weak and not nx.is_d_separator(graph, {names[i]}, {names[j]}, {names[v] for v in held}):
                    return False
        return True

    def measure(self, child: int, parents: list[int]) -> float:  # type: ignore[override]
        rows = 1e7
        within = self.covariance[np.ix_(parents, parents)]
        across = self.covariance[np.ix_(parents, [child])]
        left = self.covariance[child, child] - float((across.T @ np.linalg.solve(within, across)).sum())
        return -0.5 * rows * log(left) - 0.5 * log(rows) * len(parents)


def find(score: Score) -> elcs.CausalGraph:
    return elcs.learn_graph(score, method="ges")


def check_truth(graph: nx.DiGraph[str], score: Score) -> None:
    found, truth = find(score), cpdag(graph)
    assert set(found.directed) == {(u, v) for v in graph for u in truth.parents(v)}, sorted(graph.edges)
    assert {frozenset(edge) for edge in found.undirected} == {frozenset(edge) for edge in truth.undirected_edges()}


def test_in_the_limit_it_finds_every_network_of_four_variables() -> None:
    rng = np.random.default_rng(0)
    for graph in all_dags(4):
        score = Limit(graph, rng)
        while not score.is_clear(graph):
            score = Limit(graph, rng)
        check_truth(graph, score)


@pytest.mark.parametrize("seed", range(20))
def test_in_the_limit_it_finds_larger_networks(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(6, 13))
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(f"V{i}" for i in range(n))
    order = rng.permutation(n).tolist()
    for i, v in enumerate(order):
        for p in rng.permutation(order[:i])[: rng.integers(0, 4)]:
            graph.add_edge(f"V{p}", f"V{v}")
    check_truth(graph, Limit(graph, rng))


def best_by_hand(score: Score, n: int) -> Class:
    """Climb from class to class, scoring a member of each from scratch."""
    by_network = classes(n)

    def total(name: Class) -> float:
        member = by_network[name][0]
        names = score.variables
        return sum(score.local(names[y], [names[x] for x in bits_of(member[y])]) for y in range(n))

    here = essential((0,) * n)
    for more in (True, False):
        while True:
            around = one_edge_away(by_network[here], more=more)
            best = max(around, key=total, default=here)
            if total(best) <= total(here) + 1e-6:
                break
            here = best
    return here


@pytest.mark.parametrize("make", [BDeu, BIC])
@pytest.mark.parametrize("seed", range(15))
def test_it_climbs_as_one_that_scores_every_network(make: type[BDeu | BIC], seed: int) -> None:
    rng = np.random.default_rng(seed)
    columns: list[np.ndarray] = []
    for _ in range(4):
        push = rng.normal(size=150) + sum((rng.choice([0, 1.0, -1.0]) * c for c in columns), np.zeros(150))
        columns.append((push > np.median(push)).astype(int) + (push > np.quantile(push, 0.8)))
    score = make(coded(columns, [3] * 4))
    found = find(score)
    at = {name: i for i, name in enumerate(score.variables)}
    parents, beside = [0] * 4, [0] * 4
    for a, b in found.directed:
        parents[at[b]] |= 1 << at[a]
    for a, b in found.undirected:
        beside[at[a]] |= 1 << at[b]
        beside[at[b]] |= 1 << at[a]
    assert (tuple(parents), tuple(beside)) == best_by_hand(score, 4)


@settings(max_examples=30, deadline=None)
@given(datasets(300, 6, gaps=True), st.sampled_from([BDeu, BIC]), st.sampled_from([None, 1, 2]))
def test_any_table_gives_a_class(data: elcs.Table, make: type[BDeu | BIC], most: int | None) -> None:
    notes = Whole(data.names)
    score = make(data)
    ges(score, notes, max_parents=most)
    found = elcs.learn_graph(score, method="ges", options={"max_parents": most})
    graph = nx.DiGraph([(a, b) for b in data.names for a in notes.graph.parents(b)])
    assert nx.is_directed_acyclic_graph(graph)
    assert set(found.directed) == set(graph.edges)
    assert most is None or all(len(notes.graph.parents(v)) <= most for v in data.names)


def test_the_order_of_the_columns_makes_no_difference() -> None:
    table = elcs.networks.load("asia").sample(1500, random_state=3)
    first = elcs.learn_graph(table, method="ges")
    for seed in range(4):
        order = np.random.default_rng(seed).permutation(len(table.names))
        other = elcs.learn_graph(replace(table, columns=tuple(table.columns[i] for i in order)), method="ges")
        assert set(other.directed) == set(first.directed)
        assert {frozenset(e) for e in other.undirected} == {frozenset(e) for e in first.undirected}


def test_a_search_that_is_stopped_leaves_a_class_and_says_so() -> None:
    table = elcs.networks.load("asia").sample(1500, random_state=3)
    whole = elcs.learn_graph(table, method="ges")
    part = elcs.learn_graph(table, method="ges", max_tests=whole.n_tests // 2)
    assert whole.complete
    assert not part.complete
    assert 0 < len(part.directed) + len(part.undirected) <= len(whole.directed) + len(whole.undirected) + 2
    assert part.n_tests == whole.n_tests // 2


def test_gains_are_differences_of_scores() -> None:
    score = BDeu(elcs.data.SAMPLE)
    parents, others = ["outages", "contract"], ["age", "region", "satisfaction"]
    gains = score.gains("churn", parents, others)
    asked = score.n_asked
    for x, gain in zip(others, gains, strict=True):
        expected = score.local("churn", [*parents, x]) - score.local("churn", parents)
        assert gain == pytest.approx(expected, abs=1e-8)
    assert asked == len(others) + 1
    with pytest.raises(elcs.ElcsError, match="did you mean 'churn'"):
        score.gains("chrn", [], ["age"])
    with pytest.raises(elcs.ElcsError, match="twice"):
        score.gains("churn", ["age"], ["age"])


def test_it_says_why() -> None:
    result = elcs.learn(elcs.data.SAMPLE, "satisfaction", method="ges")
    assert "churn" in result.children
    assert "In the network that scores best among those tried" in result.explain("churn")
