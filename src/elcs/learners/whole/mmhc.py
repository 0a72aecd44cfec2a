"""MMHC, max-min hill-climbing: tests say which edges are possible, a score which of them exist and where they point.

I. Tsamardinos, L. E. Brown and C. F. Aliferis (2006), The max-min hill-climbing Bayesian network structure learning
algorithm, Machine Learning 65(1). Two variables may share an edge if MMPC finds each among the parents and children of
the other. From the network without edges, the climb adds, removes and turns such edges, as in the paper: it never
goes back to one of the last 100 networks, and ends after 15 steps without a new best one.

Guarantee: an acyclic network whose edges are all among those that MMPC permits, and which no single permitted step
improves: a local optimum, not the best network. No guarantee on the direction of reversible edges, which networks that
score the same turn either way: it depends on the names of the columns (`CausalGraph.cpdag` shows which edges these
are). With perfect tests and no cap on the conditioning sets, the permitted edges are exactly the true ones.
Cost: MMPC for each of n variables, up to n 2^|PC| tests each; then one score for each permitted edge and direction, and
as many again as the ends of the edges that change have permitted edges.
"""

from __future__ import annotations

from functools import partial

from elcs.independence.base import CITest
from elcs.learners.notes import Whole
from elcs.learners.pc.mmpc import mmpc
from elcs.learners.steps.climb import Parents, climb, note_network
from elcs.learners.steps.neighbourhoods import mutual_neighbours
from elcs.scores.score import Score

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
    n_jobs: int = 1,
) -> None:
    """Learn the whole graph.

    Parameters
    ----------
    ci : CITest
        What answers the questions.
    notes : Whole
        What to fill in.
    score : Score
        Says how good a family is.
    max_cond_size : int or None
        The largest conditioning set.
    max_parents : int, optional
        The largest number of parents; by default, no limit.
    tabu : int
        How many of the latest networks may not be visited again.
    patience : int
        How many steps in a row may lead to no new best network.
    n_jobs : int
        Number of processes for the first phase; -1 for one per processor.
    """
    # Phase 1: the possible edges.
    near = mutual_neighbours(ci, notes, partial(mmpc, max_cond_size=max_cond_size), n_jobs=n_jobs)

    # Phase 2: the network.
    known = notes.knowledge
    network: Parents = {y: frozenset(a for a, b in known.required if b == y) for y in near}
    try:
        climb(score, network, near, knowledge=known, max_parents=max_parents, tabu=tabu, patience=patience)
    finally:  # a climb that is stopped leaves the best network so far
        note_network(notes.graph, network)
    notes.graph.settled.update(ci.variables)
