"""Directions that half-samples do not bear out are left open.

A method by tests alone may rest a direction on one test whose p-value happens to fall on the right side of alpha. On
half of the rows it then points the other way, or nowhere. Of the directions that `elcs-exact` claims on five networks
at 5,000 rows, 81 % are right; of those that come back in 70 % of the half-samples, 92 % (at 1,000 rows 53 and 59 %;
`benchmarks/stability.py --directions`). A method that weighs its directions itself, as `elcs-hybrid` does, needs no
such check.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from elcs.graph.pdag import PDAG, Edge
from elcs.graph.rules import KNOWLEDGE

if TYPE_CHECKING:
    from elcs.answers.blanket import MarkovBlanket
    from elcs.answers.graph import CausalGraph
    from elcs.answers.graph_stability import GraphStability
    from elcs.answers.stability import Stability

    Result = TypeVar("Result", bound=MarkovBlanket)

__all__ = [
    "FEWEST_HALF_SAMPLES",
    "HALF_SAMPLES",
    "SECONDS",
    "needs_check",
    "only_steady",
    "only_steady_graph",
    "open_unsteady",
    "say_steady",
]

LEAST_SHARE = 0.7
"""A direction stands if it comes back in so many half-samples."""
HALF_SAMPLES, SECONDS = 100, 1.0
"""How many half-samples to count unasked, and how long at most."""
FEWEST_HALF_SAMPLES = 20
"""From fewer, no share can be told."""


def needs_check(result: MarkovBlanket | CausalGraph) -> bool:
    """Tell whether an answer claims directions by tests alone."""
    by_tests = result.plan is not None and result.plan.learner.asks == "tests"
    return by_tests and result.divisible and result.claims_directions


def say_steady(half_samples: int) -> str:
    """Say which directions an answer has."""
    return f"directions are those that come back in {LEAST_SHARE:.0%} of {half_samples:,} half-samples or more"


def open_unsteady(graph: PDAG, shares: Mapping[Edge, float]) -> PDAG:
    """Return the graph with those of some directions left open that come back in too few half-samples: they only lean.

    What somebody said needs no half-samples.
    """
    opened = {
        arc: replace(graph.reasons[arc], share=share)
        for arc, share in shares.items()
        if share < LEAST_SHARE and graph.reasons[arc].rule != KNOWLEDGE
    }
    reasons = {arc: why for arc, why in graph.reasons.items() if arc not in opened}
    return replace(graph, reasons=reasons, leanings={**graph.leanings, **opened})


def only_steady(result: Result, stability: Stability) -> Result:
    """Return the answer with the directions that come back in 70 % of the half-samples; the others only lean.

    From too few half-samples nothing follows, and the answer is returned as it is.
    """
    records = result._records
    if records is None or stability.n_samples < FEWEST_HALF_SAMPLES:
        return result
    target, shares = result.target, stability.shares
    arcs = {(x, target): shares[x].parent for x in result.parents}
    arcs |= {(target, x): shares[x].child for x in result.children}
    graph = open_unsteady(records.graph, arcs)
    opened = {x for arc in arcs if arc not in graph.reasons for x in arc} - {target}
    spouses = {y: names for y, names in result.spouses.items() if y not in opened}
    still = {x for names in spouses.values() for x in names}
    lost = {x for y in opened for x in result.spouses.get(y, ())} - still
    return replace(
        result,
        parents=tuple(x for x in result.parents if x not in opened),
        children=tuple(x for x in result.children if x not in opened),
        undirected=tuple(x for x in records.variables if x in opened or x in result.undirected),
        spouses=spouses,
        members=tuple(x for x in records.variables if x in lost or x in result.members),
        half_samples=stability.n_samples,
        _records=replace(records, graph=graph),
    )


def only_steady_graph(graph: CausalGraph, stability: GraphStability) -> CausalGraph:
    """Return the graph with the directions that come back in 70 % of the half-samples; the others only lean."""
    if graph._graph is None or stability.n_samples < FEWEST_HALF_SAMPLES:
        return graph
    opened = open_unsteady(graph._graph, {(a, b): stability.between(a, b).forth for a, b in graph.directed})
    directed, undirected = opened.edges_among(graph.nodes)
    return replace(
        graph,
        directed=directed,
        undirected=undirected,
        leanings={edge: reason.margin for edge, reason in opened.leanings.items()},
        half_samples=stability.n_samples,
        _graph=opened,
    )
