"""Sets of parents and adjustment sets, held to all members of the class of graphs, one by one."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import combinations, product
from typing import Literal

import networkx as nx
import pytest

from elcs.graph.adjustment import (
    Adjustment,
    TooManySetsError,
    adjust_in_whole,
    adjust_locally,
    optimal_set,
    oriented,
    parent_sets,
)
from elcs.graph.cpdag import cpdag
from elcs.graph.knowledge import Knowledge
from elcs.graph.pdag import PDAG, Reason
from elcs.graph.rules import V_STRUCTURE


def random_dag(n: int, rng: random.Random) -> nx.DiGraph[str]:
    names = [f"v{i}" for i in range(n)]
    order = rng.sample(names, n)
    density = rng.choice([0.3, 0.5, 0.8])
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(names)
    pairs = [(a, b) for i, a in enumerate(order) for b in order[i + 1 :]]
    graph.add_edges_from(pair for pair in pairs if rng.random() < density)
    return graph


def v_structures(dag: nx.DiGraph[str]) -> set[tuple[frozenset[str], str]]:
    return {
        (frozenset((a, b)), v)
        for v in dag
        for a in dag.predecessors(v)
        for b in dag.predecessors(v)
        if a != b and not dag.has_edge(a, b) and not dag.has_edge(b, a)
    }


def members(dag: nx.DiGraph[str]) -> list[nx.DiGraph[str]]:
    """Return all graphs that imply the same independences, by trying every direction of every edge."""
    found = []
    truth = v_structures(dag)
    for turned in product((False, True), repeat=dag.number_of_edges()):
        other: nx.DiGraph[str] = nx.DiGraph()
        other.add_nodes_from(dag)
        other.add_edges_from((b, a) if turn else (a, b) for turn, (a, b) in zip(turned, dag.edges, strict=True))
        if nx.is_directed_acyclic_graph(other) and v_structures(other) == truth:
            found.append(other)
    return found


def common(dags: list[nx.DiGraph[str]]) -> PDAG:
    """Return what all graphs have in common."""
    graph = PDAG()
    for a, b in dags[0].edges:
        graph.add_edge(a, b)
    graph.settled.update(dags[0])
    for a, b in [edge for edge in dags[0].edges if all(dag.has_edge(*edge) for dag in dags)]:
        graph.orient(a, b, Reason(V_STRUCTURE))
    for a, b in [(b, a) for a, b in dags[0].edges if all(dag.has_edge(b, a) for dag in dags)]:
        graph.orient(a, b, Reason(V_STRUCTURE))
    return graph


class Oracle:
    """Perfect tests."""

    def __init__(self, dag: nx.DiGraph[str]) -> None:
        self.dag, self.variables = dag, list(dag)

    def told(self, a: str, b: str, given: Sequence[str]) -> Literal["independent", "dependent", "unknown"]:
        return "independent" if nx.is_d_separator(self.dag, {a}, {b}, set(given)) else "dependent"

    def direct_causes(self, y: str, among: Sequence[str]) -> Sequence[str]:
        subsets = [set(some) for k in range(len(among) + 1) for some in combinations(among, k)]
        return [v for v in among if not any(self.told(v, y, list(s)) == "independent" for s in subsets if v not in s)]


class Untested(Oracle):
    """No test at all."""

    def told(self, a: str, b: str, given: Sequence[str]) -> Literal["independent", "dependent", "unknown"]:
        return "unknown"

    def direct_causes(self, y: str, among: Sequence[str]) -> Sequence[str]:
        return ()


def optimal(found: list[Adjustment]) -> set[tuple[frozenset[str], frozenset[str]]]:
    """Return the set that is held fixed for each set of parents from which there is an effect."""
    return {
        (frozenset(parents), frozenset(one.adjusted_for))
        for one in found
        if one.kind in ("parents", "optimal")
        for parents in one.parents
    }


def sets_over(dags: list[nx.DiGraph[str]], x: str) -> set[frozenset[str]]:
    return {frozenset(dag.predecessors(x)) for dag in dags}


def valid(dag: nx.DiGraph[str], x: str, y: str, held: set[str]) -> bool:
    """Tell by the adjustment criterion whether a set suffices."""
    on_the_way = {v for v in nx.descendants(dag, x) if v == y or nx.has_path(dag, v, y)}
    forbidden = {w for v in on_the_way for w in (v, *nx.descendants(dag, v))}
    if held & (forbidden | {x, y}):
        return False
    back = dag.copy()
    back.remove_edges_from([(x, v) for v in dag.successors(x) if v in on_the_way])
    return bool(nx.is_d_separator(back, {x}, {y}, held))


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
def test_sets_of_parents_are_those_of_all_members(n: int) -> None:
    rng = random.Random(n)
    for _ in range(30 if n < 6 else 6):
        dag = random_dag(n, rng)
        if dag.number_of_edges() > 11:
            continue
        graph, dags = cpdag(dag), members(dag)
        for x in dag:
            found = parent_sets(graph, x)
            assert {frozenset(some) for some in found} == sets_over(dags, x)
            assert len(found) == len({frozenset(some) for some in found})


@pytest.mark.parametrize("n", [3, 4, 5])
def test_sets_of_parents_heed_what_is_known(n: int) -> None:
    rng = random.Random(10 + n)
    for _ in range(40):
        dag = random_dag(n, rng)
        known = [edge for edge in dag.edges if rng.random() < 0.3]
        dags = [other for other in members(dag) if all(other.has_edge(*edge) for edge in known)]
        graph = common(dags)
        for x in dag:
            assert {frozenset(some) for some in parent_sets(graph, x)} == sets_over(dags, x)


@pytest.mark.parametrize("n", [3, 4, 5])
def test_knowledge_narrows_adjustments_and_they_still_suffice(n: int) -> None:
    rng = random.Random(30 + n)
    for _ in range(25):
        dag = random_dag(n, rng)
        order = list(nx.topological_sort(dag))
        first = order[: rng.randint(1, n - 1)]
        known = Knowledge(tiers=[first, [v for v in order if v not in first]])
        dags = [
            member
            for member in members(dag)
            if not any(known.comes_before(effect, cause) for cause, effect in member.edges)
        ]
        graph = cpdag(dag, known)
        for x, y in [(x, y) for x in dag for y in dag if x != y]:
            for one in adjust_in_whole(graph, x, y):
                for member in [m for m in dags if set(m.predecessors(x)) in [set(p) for p in one.parents]]:
                    if nx.has_path(member, x, y):
                        assert valid(member, x, y, set(one.adjusted_for))
            assert known.comes_before(y, x) <= all(one.kind == "none" for one in adjust_in_whole(graph, x, y))


def test_edges_that_lean_may_be_part_of_a_v_structure() -> None:
    graph = PDAG()
    for end in "abc":
        graph.add_edge(end, "x")
    graph.settled.update("abcx")
    assert parent_sets(graph, "x") == [(), ("a",), ("b",), ("c",)]
    graph.leanings |= {("a", "x"): Reason(V_STRUCTURE), ("b", "x"): Reason(V_STRUCTURE)}
    found = {frozenset(some) for some in parent_sets(graph, "x")}
    assert frozenset("ab") in found
    assert frozenset() in found
    assert {one.kind for one in adjust_in_whole(graph, "x", "c")} == {"parents", "none"}


@pytest.mark.parametrize("n", [3, 4, 5])
def test_every_adjustment_suffices_in_the_members_it_stands_for(n: int) -> None:
    rng = random.Random(20 + n)
    for _ in range(25):
        dag = random_dag(n, rng)
        graph, dags = cpdag(dag), members(dag)
        for x, y in [(x, y) for x in dag for y in dag if x != y]:
            whole = adjust_in_whole(graph, x, y)
            local = adjust_locally(graph, x, y, Oracle(dag))
            assert optimal(local) == optimal(whole)
            for found in (whole, local):
                assert {frozenset(p) for one in found for p in one.parents} == sets_over(dags, x)
                for one in found:
                    for member in [m for m in dags if set(m.predecessors(x)) in [set(p) for p in one.parents]]:
                        assert nx.has_path(member, x, y) == (one.kind in ("parents", "optimal"))
                        assert not nx.has_path(member, x, y) or valid(member, x, y, set(one.adjusted_for))


def test_the_optimal_set_is_that_of_the_graph() -> None:
    dag = nx.DiGraph(
        [("region", "outages"), ("outages", "mood"), ("price", "mood"), ("mood", "churn"), ("fee", "churn")]
    )
    graph = cpdag(dag)
    supposed = oriented(graph, "outages", ["region"])
    assert optimal_set(supposed, "outages", "mood") == ("price",)
    assert optimal_set(supposed, "outages", "churn") == ("price", "fee")
    assert not graph.parents("outages")  # what was supposed stays there


def test_an_effect_that_is_the_same_whichever_edge_points_which_way_is_given_once() -> None:
    dag = nx.DiGraph([("region", "outages"), ("outages", "calls"), ("outages", "mood"), ("price", "mood")])
    graph = cpdag(dag)
    assert {frozenset(some) for some in parent_sets(graph, "outages")} == {
        frozenset(), frozenset({"region"}), frozenset({"calls"}),
    }  # fmt: skip
    (only,) = adjust_locally(graph, "outages", "mood", Oracle(dag))
    assert (only.kind, only.adjusted_for) == ("optimal", ("price",))
    assert len(only.parents) == 3
    assert len(adjust_locally(graph, "outages", "mood", Untested(dag))) == 3
    assert {one.kind for one in adjust_locally(graph, "outages", "calls", Oracle(dag))} == {"none", "parents"}


def test_what_cannot_be_tested_is_held_fixed_if_it_causes_the_cause_and_else_left_out() -> None:
    dag = nx.DiGraph([("a", "x"), ("b", "x"), ("x", "y"), ("c", "y")])
    (only,) = adjust_locally(cpdag(dag), "x", "y", Untested(dag))
    assert set(only.adjusted_for) == {"a", "b"}


class BlindTo(Oracle):
    """Perfect tests, but for one pair that they take for independent where the graph says otherwise."""

    def __init__(self, dag: nx.DiGraph[str], *pair: str) -> None:
        super().__init__(dag)
        self.pair = set(pair)

    def told(self, a: str, b: str, given: Sequence[str]) -> Literal["independent", "dependent", "unknown"]:
        return "independent" if {a, b} == self.pair else super().told(a, b, given)


def test_an_effect_of_the_effect_is_not_held_fixed_though_a_test_misses_that_it_depends_on_the_cause() -> None:
    dag = nx.DiGraph([("a", "x"), ("b", "x"), ("x", "y"), ("c", "y"), ("y", "late")])
    (only,) = adjust_locally(cpdag(dag), "x", "y", BlindTo(dag, "x", "late"))
    assert only.adjusted_for == ("c",)


class Credulous(Oracle):
    """Tests by which everything may be held fixed, and nothing is left out."""

    def __init__(self, dag: nx.DiGraph[str], y: str) -> None:
        super().__init__(dag)
        self.y = y

    def told(self, a: str, b: str, given: Sequence[str]) -> Literal["independent", "dependent", "unknown"]:
        return "dependent" if self.y in (a, b, *given) else "independent"

    def direct_causes(self, y: str, among: Sequence[str]) -> Sequence[str]:
        return among


@pytest.mark.parametrize("n", [3, 4, 5])
def test_whatever_tests_say_a_set_suffices_whichever_way_edges_point_that_only_lean(n: int) -> None:
    rng = random.Random(40 + n)
    n_sets = 0
    for _ in range(25):
        dag = random_dag(n, rng)
        graph = cpdag(dag)
        graph.leanings = {arc: graph.reasons.pop(arc) for arc in list(graph.reasons) if rng.random() < 0.5}
        open_edges = graph.undirected_edges()
        for x, y in [(x, y) for x in dag for y in dag if x != y]:
            found = adjust_locally(graph, x, y, Credulous(dag, y))
            for turned in product((False, True), repeat=len(open_edges)):
                member: nx.DiGraph[str] = nx.DiGraph(list(graph.reasons))
                member.add_nodes_from(dag)
                member.add_edges_from(
                    (b, a) if turn else (a, b) for turn, (a, b) in zip(turned, open_edges, strict=True)
                )
                if not nx.is_directed_acyclic_graph(member) or not nx.has_path(member, x, y):
                    continue
                for one in found:
                    if set(member.predecessors(x)) in [set(parents) for parents in one.parents]:
                        assert one.kind != "none"
                        assert valid(member, x, y, set(one.adjusted_for))
                        n_sets += 1
    assert n_sets > 100


def test_a_graph_that_contradicts_itself_gives_known_parents_and_no_optimal_set() -> None:
    graph = PDAG()
    for a, b in ("ab", "bc", "ca"):
        graph.add_edge(a, b)
        graph.orient(a, b, Reason(V_STRUCTURE))
    assert parent_sets(graph, "a") == [("c",)]
    assert optimal_set(graph, "a", "b") is None


def test_too_many_sets_are_refused() -> None:
    dag: nx.DiGraph[str] = nx.DiGraph()
    names = [f"v{i:02}" for i in range(14)]
    dag.add_edges_from((a, b) for i, a in enumerate(names) for b in names[i + 1 :])
    with pytest.raises(TooManySetsError, match="more than 1,000 sets"):
        parent_sets(cpdag(dag), "v03")
