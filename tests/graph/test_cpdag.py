"""The essential graph against its definition: the directions on which all equivalent graphs agree."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations

import networkx as nx
import pytest
from making import all_dags, graph_of

from elcs.graph.cpdag import cpdag
from elcs.graph.meek import apply_meek_rules, note_doubts
from elcs.graph.pdag import PDAG, Reason
from elcs.graph.rules import V_STRUCTURE


def signature(graph: nx.DiGraph[str]) -> tuple[frozenset[frozenset[str]], frozenset[tuple[str, str, str]]]:
    """Return the edges without direction and the v-structures, which together make an equivalence class."""
    colliders = [
        (a, v, b)
        for v in graph
        for a, b in combinations(sorted(graph.predecessors(v)), 2)
        if not graph.has_edge(a, b) and not graph.has_edge(b, a)
    ]
    return frozenset(map(frozenset, graph.edges)), frozenset(colliders)


def test_agrees_with_all_equivalent_graphs() -> None:
    classes = defaultdict(list)
    for n in (2, 3, 4):
        for graph in all_dags(n):
            classes[n, signature(graph)].append(graph)
    for members in classes.values():
        common = set.intersection(*(set(graph.edges) for graph in members))
        for graph in members:
            essential = cpdag(graph)
            assert set(essential.reasons) == common
            assert {v for v in graph if essential.neighbours(v)} == {v for v in graph if graph.degree(v)}
            assert not essential.conflicts


def test_rules_wait_for_what_is_unknown() -> None:
    # a -> b - c: whether a and c are adjacent is not known unless one of them is settled.
    for as_published, settled, oriented in [(False, set(), False), (False, {"c"}, True), (True, set(), True)]:
        graph = PDAG(as_published=as_published)
        graph.orient("a", "b", Reason(V_STRUCTURE))
        graph.add_edge("b", "c")
        graph.settled |= settled
        apply_meek_rules(graph)
        assert (graph.children("b") == ["c"]) == oriented


def test_a_direction_forced_both_ways_is_a_conflict() -> None:
    def contradictory(as_published: bool) -> PDAG:
        graph = PDAG(as_published=as_published)
        graph.orient("a", "b", Reason(V_STRUCTURE))
        graph.orient("d", "c", Reason(V_STRUCTURE))
        graph.add_edge("b", "c")
        graph.settled |= {"a", "b", "c", "d"}
        apply_meek_rules(graph)
        return graph

    graph = contradictory(as_published=False)
    assert graph.undirected("b") == ["c"]
    assert [(c.edge, c.followed) for c in graph.conflicts] == [(("b", "c"), False)]
    graph = contradictory(as_published=True)
    assert graph.children("b") == ["c"]
    assert [(c.edge, c.followed) for c in graph.conflicts] == [(("b", "c"), True)]


@pytest.mark.parametrize(
    ("separators", "oriented"),
    [
        ({}, True),
        ({("a", "c"): ("b",)}, True),
        ({("a", "c"): ()}, False),
        ({("c", "a"): ("d",)}, False),
        ({("a", "c"): ("b",), ("c", "a"): ()}, False),
    ],
)
def test_no_rule_overrides_what_separates_its_ends(
    separators: dict[tuple[str, str], tuple[str, ...]], oriented: bool
) -> None:
    # a -> b - c - d: if a set without b separates a and c, then c may be a cause of b.
    graph = PDAG(separators=separators)
    graph.orient("a", "b", Reason(V_STRUCTURE))
    graph.add_edge("b", "c")
    graph.add_edge("c", "d")
    graph.settled |= {"a", "b", "c"}
    apply_meek_rules(graph)
    assert (graph.children("b") == ["c"]) == oriented
    assert graph.nearest_unsettled("c") == (None if oriented else "d")
    assert graph.nearest_unsettled("b") is None
    note_doubts(graph)
    found = [(conflict.edge, conflict.first.rule, conflict.second.rule) for conflict in graph.conflicts]
    assert found == ([] if oriented else [(("b", "c"), "Meek 1", "v-structure")])


@pytest.mark.parametrize(
    ("separators", "adjacent", "oriented"),
    [
        ({}, False, True),
        ({("d", "e"): ("b",)}, False, True),
        ({("d", "e"): ()}, False, False),
        ({("e", "d"): ("c",)}, False, False),
        ({}, True, False),
    ],
)
def test_the_third_rule_needs_causes_that_are_apart(
    separators: dict[tuple[str, str], tuple[str, ...]], adjacent: bool, oriented: bool
) -> None:
    # b - d -> c and b - e -> c: if d and e are adjacent, or both causes of b, then b - c may point either way.
    graph = PDAG(separators=separators)
    for x in "cde":
        graph.add_edge("b", x)
    for x in "de":
        graph.orient(x, "c", Reason(V_STRUCTURE))
    if adjacent:
        graph.add_edge("d", "e")
    graph.settled |= set("bcde")
    apply_meek_rules(graph)
    assert graph.children("b") == (["c"] if oriented else [])


@pytest.mark.parametrize(("separators", "adjacent"), [({}, False), ({("a", "c"): ()}, True)])
def test_a_doubt_needs_a_set_that_separates_and_no_edge(
    separators: dict[tuple[str, str], tuple[str, ...]], adjacent: bool
) -> None:
    graph = PDAG(separators=separators)
    graph.orient("a", "b", Reason(V_STRUCTURE))
    graph.add_edge("b", "c")
    if adjacent:
        graph.add_edge("a", "c")
    graph.settled |= {"a", "b", "c"}
    note_doubts(graph)
    assert not graph.conflicts


def test_a_settled_variable_gets_no_further_edge() -> None:
    graph = PDAG()
    graph.add_edge("a", "b")
    graph.settled.add("a")
    graph.add_edge("c", "a")
    graph.orient("c", "a", Reason(V_STRUCTURE))
    assert graph.neighbours("a") == ["b"]
    assert not graph.reasons


def test_order_of_edges_does_not_matter() -> None:
    edges = "A>B B>C C>D A>D D>E F>E"
    one = cpdag(graph_of(edges))
    other = cpdag(graph_of(" ".join(reversed(edges.split()))))
    assert set(one.reasons) == set(other.reasons)
