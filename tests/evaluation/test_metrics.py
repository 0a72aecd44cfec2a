"""The metrics on cases worked out by hand, and the ceilings of known networks."""

from __future__ import annotations

import math

import networkx as nx
import pytest
from making import golden, graph_of

from elcs.evaluation import Neighbourhood, blanket_scores, ceiling, local_scores, neighbourhoods


def sides(parents: str = "", children: str = "", undirected: str = "") -> Neighbourhood:
    return Neighbourhood(frozenset(parents), frozenset(children), frozenset(undirected))


@pytest.mark.parametrize(
    ("truth", "found", "scores"),
    [
        (sides("ab", "c"), sides("ab", "c"), (1, 1, 0, 0)),
        (sides("ab", "c"), sides(), (0, 0, 3, 0)),
        (sides(), sides(), (1, 1, 0, 0)),
        (sides(), sides("a"), (0, 0, 1, 1)),
        (sides(), sides("", "", "a"), (0, 0, 1, 1)),
        (sides("a"), sides("", "a"), (0, 0, 1, 1)),  # reversed
        (sides("a"), sides("", "", "a"), (0, 0, 1, 0)),  # undirected: not right, not false
        (sides("ab", "c"), sides("a", "b", "c"), (1 / 2, 1 / 3, 2, 1 / 3)),
        (sides("ab"), sides("a", "", "x"), (1, 1 / 2, 2, 1 / 2)),  # one missing, one extra
        (sides("a", "b"), sides("ax", "by"), (1 / 2, 1, 2, 1 / 2)),
    ],
)
def test_edges_against_the_graph(truth: Neighbourhood, found: Neighbourhood, scores: tuple[float, ...]) -> None:
    assert local_scores(truth, found) == pytest.approx(scores)


@pytest.mark.parametrize(
    ("truth", "found", "scores"),
    [
        (sides("a", "", "b"), sides("a", "", "b"), (1, 1, 0, 0)),
        (sides("a", "", "b"), sides("ab"), (1 / 2, 1 / 2, 1, 1 / 2)),  # oriented a reversible edge
        (sides("a", "", "b"), sides("", "", "ab"), (1, 1 / 2, 1, 0)),  # left a compelled edge open
        (sides("", "", "ab"), sides("", "a", "b"), (1 / 2, 1 / 2, 1, 1 / 2)),
    ],
)
def test_edges_against_the_essential_graph(
    truth: Neighbourhood, found: Neighbourhood, scores: tuple[float, ...]
) -> None:
    assert local_scores(truth, found) == pytest.approx(scores)


@pytest.mark.parametrize(
    ("truth", "found", "scores"),
    [
        ("ab", "ab", (1, 1, 1, 0)),
        ("", "", (1, 1, 1, 0)),
        ("", "a", (0, 0, 0, math.sqrt(2))),
        ("ab", "", (0, 0, 0, math.sqrt(2))),
        ("abcd", "ab", (1, 1 / 2, 2 / 3, 1 / 2)),
        ("ab", "bcde", (1 / 4, 1 / 2, 1 / 3, math.hypot(3 / 4, 1 / 2))),
    ],
)
def test_blankets(truth: str, found: str, scores: tuple[float, ...]) -> None:
    assert blanket_scores(truth, found) == pytest.approx(scores)


@pytest.mark.parametrize(
    ("name", "recall", "precision", "shd"),
    [("alarm", 0.847, 0.892, 0.216), ("child", 0.530, 0.650, 1.200), ("insurance", 0.700, 0.852, 1.333)],
)
def test_ceilings(name: str, recall: float, precision: float, shd: float) -> None:
    best = ceiling(graph_of(golden("graphs")[name]))
    assert best.arrow_recall == pytest.approx(recall, abs=5e-4)
    assert best.arrow_precision == pytest.approx(precision, abs=5e-4)
    assert best.shd == pytest.approx(shd, abs=5e-4)


def test_the_essential_graph_scores_full_marks_against_itself() -> None:
    graph: nx.DiGraph[str] = graph_of(golden("graphs")["insurance"])
    best = neighbourhoods(graph, identifiable=True)
    assert all(local_scores(best[v], best[v]) == (1, 1, 0, 0) for v in graph)
