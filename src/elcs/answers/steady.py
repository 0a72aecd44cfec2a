"""Directions that half-samples do not bear out are left open.

A method by tests alone may rest a direction on one test whose p-value happens to fall on the right side of alpha. On
half of the rows it then points the other way, or nowhere. Of the directions that `elcs-exact` claims on five networks
at 5,000 rows, 81 % are right; of those that come back in 70 % of the half-samples, 92 % (at 1,000 rows 53 and 59 %;
`benchmarks/stability.py --directions`). A method that weighs its directions itself, as `elcs-hybrid` does, needs no
such check.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from elcs.graph.pdag import PDAG, Edge, Reason
from elcs.graph.rules import HALF_SAMPLES as BY_HALF_SAMPLES
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
    "UNCHECKED",
    "needs_check",
    "only_steady",
    "only_steady_graph",
    "open_unsteady",
    "say_directions",
    "unchecked",
]

LEAST_SHARE = 0.7
"""A direction stands if it comes back in so many half-samples."""
HALF_SAMPLES, SECONDS = 100, 1.0
"""How many half-samples to count unasked, and how long at most."""
FEWEST_HALF_SAMPLES = 20
"""From fewer, no share can be told."""


UNCHECKED = "directions were not checked by half-samples"


def unchecked(result: MarkovBlanket | CausalGraph) -> bool:
    """Tell whether an answer claims directions by tests on data alone, which no half-samples have borne out."""
    by_tests = result.plan is not None and result.plan.learner.asks == "tests" and result.background is not None
    return by_tests and result.claims_directions and not result.half_samples


def needs_check(result: MarkovBlanket | CausalGraph) -> bool:
    """Tell whether half-samples can bear out directions that an answer claims by tests alone."""
    return result.divisible and unchecked(result)


def say_directions(result: MarkovBlanket | CausalGraph) -> list[str]:
    """Say in a line how directions were checked, or that they were not; in none if they need no check."""
    if result.half_samples:
        share = f"{LEAST_SHARE:.0%} of {result.half_samples:,} half-samples or more"
        return [f"directions are those that come back in {share}"]
    return [UNCHECKED] if unchecked(result) else []


def open_unsteady(graph: PDAG, shares: Mapping[Edge, tuple[float, float]], n_samples: int) -> PDAG:
    """Return the graph with those of some directions left open that come back in too few half-samples.

    `shares` says in how many each of them comes back, and in how many its opposite. The edge leans to the one that
    comes back more often, if chance does not explain that. What somebody said needs no half-samples.
    """
    opened = {
        arc: replace(graph.reasons[arc], share=forth, opposite=back)
        for arc, (forth, back) in shares.items()
        if forth < LEAST_SHARE and graph.reasons[arc].rule != KNOWLEDGE
    }
    leanings = {}
    for arc in opened:
        for side, (share, opposite) in ((arc, shares[arc]), (arc[::-1], shares[arc][::-1])):
            if _more_often(share, opposite, n_samples):
                leanings[side] = Reason(BY_HALF_SAMPLES, share=share, opposite=opposite)
    return replace(
        graph,
        reasons={arc: why for arc, why in graph.reasons.items() if arc not in opened},
        leanings=graph.leanings | leanings,
        taken_back=graph.taken_back | opened,
    )


def _more_often(share: float, opposite: float, n_samples: int) -> bool:
    """Tell whether a share is larger than another by two standard errors of their difference, or more."""
    difference = share - opposite
    error = math.sqrt((share + opposite - difference**2) / n_samples)
    return difference > 0 and difference >= 2 * error


def only_steady(result: Result, stability: Stability) -> Result:
    """Return the answer with the directions that come back in 70 % of the half-samples; the others at most lean.

    From too few half-samples nothing follows, and the answer is returned as it is.
    """
    records = result._records
    if records is None or stability.n_samples < FEWEST_HALF_SAMPLES:
        return result
    target, shares = result.target, stability.shares
    arcs = {(x, target): (shares[x].parent, shares[x].child) for x in result.parents}
    arcs |= {(target, x): (shares[x].child, shares[x].parent) for x in result.children}
    graph = open_unsteady(records.graph, arcs, stability.n_samples)
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
    """Return the graph with the directions that come back in 70 % of the half-samples; the others at most lean."""
    if graph._graph is None or stability.n_samples < FEWEST_HALF_SAMPLES:
        return graph
    found = {edge: stability.between(*edge) for edge in graph.directed}
    shares = {edge: (ways.forth, ways.back) for edge, ways in found.items()}
    opened = open_unsteady(graph._graph, shares, stability.n_samples)
    directed, undirected = opened.edges_among(graph.nodes)
    return replace(
        graph,
        directed=directed,
        undirected=undirected,
        leanings={edge: reason.margin for edge, reason in opened.leanings.items()},
        half_samples=stability.n_samples,
        _graph=opened,
    )
