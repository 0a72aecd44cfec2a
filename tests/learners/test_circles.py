"""No graph has a circle of arrows, however much the claims that it is put together from contradict each other."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

import elcs
from elcs.graph.circles import open_circles
from elcs.graph.pdag import PDAG, Reason
from elcs.graph.rules import BEST_SCORE, KNOWLEDGE, MEEK_1

WHOLE = [m.name for m in elcs.methods() if m.kind == "whole" and m.asks != "numbers" and not m.needs]
WITH_DEPTH = [m.name for m in elcs.methods() if m.kind == "local" and "depth" in m.keywords]
# Of every ten such tables, tests make circles on two (pc-stable) to seven (psl).
TABLES = range(8)


def dense(seed: int) -> dict[str, list[int]]:
    """Sample a table in which most columns are causes of most later ones."""
    rng = np.random.default_rng(seed)
    columns: list[list[int]] = []
    for _ in range(8):
        causes = [np.asarray(column) for column in columns if rng.random() < 0.7]
        pull = sum((2 * column - 1 for column in causes), start=np.zeros(1000))
        columns.append((pull + rng.normal(size=1000) > 0).astype(int).tolist())
    return dict(zip("abcdefgh", columns, strict=True))


def obeys(graph: elcs.CausalGraph, known: elcs.Knowledge) -> bool:
    arrows = set(graph.directed)
    required = {arrow for arrow in known.required if set(arrow) <= set(graph.nodes)}
    return required <= arrows and not any(known.forbids(*arrow) for arrow in arrows)


SAID = [elcs.Knowledge(), elcs.Knowledge(required=[("h", "a"), ("g", "b")], forbidden=[("c", "d"), ("e", "f")])]


@pytest.mark.parametrize("known", SAID, ids=["nothing known", "knowledge"])
@pytest.mark.parametrize("method", WHOLE)
def test_whole_graphs_have_no_circle(method: str, known: elcs.Knowledge) -> None:
    for seed in TABLES:
        graph = elcs.learn_graph(dense(seed), method=method, knowledge=known)
        assert nx.is_directed_acyclic_graph(nx.DiGraph(graph.directed))
        assert obeys(graph, known)
        at_a = elcs.learn(dense(seed), "a", method=method, knowledge=known)
        assert set(at_a.parents) == set(graph.parents("a"))


@pytest.mark.parametrize("known", SAID, ids=["nothing known", "knowledge"])
@pytest.mark.parametrize("method", WITH_DEPTH)
def test_parts_of_graphs_have_no_circle(method: str, known: elcs.Knowledge) -> None:
    for seed in TABLES:
        found = elcs.learn(dense(seed), "a", method=method, depth=3, knowledge=known)
        assert found.part is not None
        assert nx.is_directed_acyclic_graph(nx.DiGraph(found.part.directed))
        assert obeys(found.part, known)
        assert set(found.parents) == set(found.part.parents("a"))


def test_a_circle_is_told() -> None:
    graph = next(g for g in (elcs.learn_graph(dense(seed), method="pc-stable") for seed in range(40)) if circles(g))
    (a, b), *_ = circles(graph)
    assert b in graph.undecided(a)
    assert "Two rules disagree here" in graph.explain(a, b)


def circles(graph: elcs.CausalGraph) -> list[tuple[str, str]]:
    """Return the edges that have no direction because they would close a circle."""
    return [c.edge for c in graph.conflicts if not c.followed and len(c.second.premises) > 1]


def test_the_latest_direction_of_a_circle_is_taken_back() -> None:
    graph = PDAG()
    for cause, effect in ("ab", "bc", "cd"):
        graph.orient(cause, effect, Reason(BEST_SCORE, ("x",)))
    graph.orient("d", "a", Reason(MEEK_1, ("c",), premises=(("c", "d"),)))
    graph.orient("a", "z", Reason(MEEK_1, ("d",), premises=(("d", "a"),)))
    open_circles(graph)
    assert set(graph.reasons) == {("a", "b"), ("b", "c"), ("c", "d")}
    assert graph.undirected("a") == ["d", "z"]
    (conflict,) = graph.conflicts
    assert conflict.edge == ("d", "a")
    assert not conflict.followed
    assert conflict.second.premises == (("a", "b"), ("b", "c"), ("c", "d"))


def test_what_somebody_said_is_not_taken_back() -> None:
    graph = PDAG()
    for cause, effect in ("ab", "bc"):
        graph.orient(cause, effect, Reason(BEST_SCORE))
    graph.orient("c", "a", Reason(KNOWLEDGE, said="c causes a"))
    open_circles(graph)
    assert set(graph.reasons) == {("a", "b"), ("c", "a")}
