"""MMHC, max-min hill-climbing: tests say which edges there may be, a score which there are and where they point.

I. Tsamardinos, L. E. Brown and C. F. Aliferis (2006), The max-min hill-climbing Bayesian network structure learning
algorithm, Machine Learning 65(1). Two variables may share an edge if MMPC finds each among the parents and children of
the other. From the network without edges, the climb adds, removes and turns such edges, as the paper has it: it never
goes back to one of the last 100 networks, and ends after 15 steps without a new best one.

Guarantee: an acyclic network whose edges are all among those that MMPC permits, and which no single permitted step
improves: a local optimum, not the best network. None on the direction of reversible edges, which networks that score
the same turn either way: it may depend on the order of the columns (`CausalGraph.cpdag` tells which edges these are).
With perfect tests and no cap on the conditioning sets, the permitted edges are just those of the truth.
Cost: MMPC for each of n variables, up to n 2^|PC| tests each; then one score for each permitted edge and direction, and
as many again as the ends of the edges that change have permitted edges.
"""

from __future__ import annotations

from elcs.graph.cpdag import essential_graph
from elcs.graph.pdag import PDAG, Reason
from elcs.independence.base import CITest
from elcs.learners.climb import Parents, climb
from elcs.learners.notes import Blanket, Whole
from elcs.learners.pc.mmpc import mmpc
from elcs.scores.base import Score

__all__ = ["mmhc"]


def mmhc(
    ci: CITest,
    notes: Whole,
    *,
    score: Score,
    max_cond_size: int | None = 3,
    max_parents: int | None = None,
    tabu: int = 100,
    patience: int = 15,
) -> None:
    """Learn the whole graph.

    Parameters
    ----------
    ci : CITest
        What answers the questions.
    notes : Whole
        What to fill in.
    score : Score
        What tells how good a family is.
    max_cond_size : int or None
        The largest conditioning set.
    max_parents : int, optional
        The largest number of parents; by default, no limit.
    tabu : int
        How many of the latest networks not to go back to.
    patience : int
        How many steps in a row may lead to no new best network.
    """
    # Phase 1: the edges there may be.
    near = _permitted(ci, notes, max_cond_size)

    # Phase 2: the network.
    network: Parents = {x: frozenset() for x in ci.variables}
    try:
        climb(score, network, near, max_parents=max_parents, tabu=tabu, patience=patience)
    finally:  # a climb that is stopped leaves the best network so far
        _note(notes.graph, network)
    notes.graph.settled.update(ci.variables)


def _permitted(ci: CITest, notes: Whole, max_cond_size: int | None) -> dict[str, list[str]]:
    """Return, for each variable, those that MMPC finds near it and it near them; note what separates the others."""
    found: dict[str, list[str]] = {}
    for x in ci.variables:
        own = Blanket(x)
        mmpc(ci, own, max_cond_size=max_cond_size)
        found[x] = own.pc
        for y, apart in own.separators.items():
            notes.separators.setdefault(frozenset((x, y)), apart)
    place = {x: i for i, x in enumerate(ci.variables)}
    return {y: sorted((x for x in pc if y in found[x]), key=place.__getitem__) for y, pc in found.items()}


def _note(graph: PDAG, network: Parents) -> None:
    """Note the edges, each with what keeps equivalent networks from turning it, if anything does."""
    families = {effect: sorted(causes) for effect, causes in network.items()}
    essential = essential_graph(families, rule="climb")
    for effect, causes in families.items():
        for cause in causes:
            graph.orient(cause, effect, essential.reasons.get((cause, effect), Reason("climb")))
