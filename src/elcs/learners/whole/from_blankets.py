"""SLL+C and SLL+G: the whole graph from the neighbourhoods of all variables, which scores have found.

T. Niinimäki and P. Parviainen (2012), Local structure discovery in Bayesian networks, UAI. SLL finds the neighbours and
the spouses of every variable. An edge is one that both its ends have found. Then there are two ways:

- *C*, by constraints: two variables that are not adjacent, one of which found the other to be a spouse through a
  neighbour that both have, are causes of that neighbour; Meek's rules give the directions that follow.
- *G*, by greedy search: hill-climbing among the networks that have no other edges, as in MMHC.

`s2tmb-c` and `s2tmb-g` put the blankets of S2TMB (Gao and Ji 2017) together in the same way.

Where the claims of C contradict each other, which the paper leaves open, the one is followed that gains most: by how
much the second cause, on top of the first, raises the score of the effect.

Guarantee: that of the blanket learner, in the limit of many rows: if its neighbours and spouses are right, C returns
the essential graph (CPDAG). G returns an acyclic network that no single permitted step improves, a local optimum; its
reversible edges point either way.
Cost: the blankets of all variables. SLL's searches around one variable serve all others that need them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from elcs.graph.knowledge import Knowledge
from elcs.graph.meek import apply_meek_rules
from elcs.graph.rules import BEST_SCORE
from elcs.learners.blankets.s2tmb import s2tmb
from elcs.learners.blankets.sll import Search, sll
from elcs.learners.notes import Blanket, Whole
from elcs.learners.steps.climb import Parents, climb, note_network
from elcs.learners.steps.colliders import orient_v_structure
from elcs.scores.score import Score

__all__ = ["s2tmb_c", "s2tmb_g", "sll_c", "sll_g"]

Found = dict[str, Blanket]
"""The notes on each variable, by name."""


def sll_c(score: Score, notes: Whole, *, max_cond_size: int | None = 3) -> None:
    """Learn the whole graph by SLL, and by constraints.

    Parameters
    ----------
    score : Score
        Says how good a family is.
    notes : Whole
        What to fill in.
    max_cond_size : int or None
        The largest set of parents.
    """
    by_constraints(score, notes, _all_by_sll(score, notes.knowledge, max_cond_size))


def sll_g(score: Score, notes: Whole, *, max_cond_size: int | None = 3) -> None:
    """Learn the whole graph by SLL, and by greedy search; takes what `sll_c` takes."""
    by_greedy_search(score, notes, _all_by_sll(score, notes.knowledge, max_cond_size), max_cond_size)


def s2tmb_c(score: Score, notes: Whole, *, max_cond_size: int | None = 3) -> None:
    """Learn the whole graph by S2TMB, and by constraints; takes what `sll_c` takes."""
    by_constraints(score, notes, _all_by(partial(s2tmb, max_cond_size=max_cond_size), score, notes.knowledge))


def s2tmb_g(score: Score, notes: Whole, *, max_cond_size: int | None = 3) -> None:
    """Learn the whole graph by S2TMB, and by greedy search; takes what `sll_c` takes."""
    found = _all_by(partial(s2tmb, max_cond_size=max_cond_size), score, notes.knowledge)
    by_greedy_search(score, notes, found, max_cond_size)


def by_constraints(score: Score, notes: Whole, found: Found) -> None:
    """Draw the edges that both ends found, turn those of v-structures, and derive the rest."""
    graph = notes.graph
    for x, others in mutual(found).items():
        for y in others:
            graph.add_edge(x, y)
    graph.settled.update(notes.variables)
    claims = {(*sorted((x, z)), y) for x, own in found.items() for y, spouses in own.spouses.items() for z in spouses}
    shown = [(a, b, y) for a, b, y in claims if graph.adjacent(a, y) and graph.adjacent(b, y)]
    shown = [(a, b, y) for a, b, y in shown if not graph.adjacent(a, b)]
    gains = {(a, b, y): round(score.gains(y, [a], [b])[0], 6) for a, b, y in shown}
    for a, b, y in sorted(shown, key=lambda claim: (-gains[claim], claim)):
        orient_v_structure(graph, a, b, y, BEST_SCORE)
    apply_meek_rules(graph)


def by_greedy_search(score: Score, notes: Whole, found: Found, max_parents: int | None) -> None:
    """Climb among the networks within the edges that both ends found."""
    near, known = mutual(found), notes.knowledge
    network: Parents = {y: frozenset(a for a, b in known.required if b == y) for y in near}
    try:
        climb(score, network, near, knowledge=known, max_parents=max_parents, tabu=100, patience=15)
    finally:  # a climb that is stopped leaves the best network so far
        note_network(notes.graph, network)
    notes.graph.settled.update(notes.variables)


def mutual(found: Found) -> dict[str, list[str]]:
    """Return for each variable the neighbours that found it, as it found them; all in the order of the names."""
    return {x: [y for y in sorted(found[x].pc) if x in found[y].pc] for x in sorted(found)}


def _all_by(learn: Callable[[Score, Blanket], None], score: Score, knowledge: Knowledge) -> Found:
    found = {x: Blanket(x, knowledge) for x in score.variables}
    for notes in found.values():
        learn(score, notes)
    return found


def _all_by_sll(score: Score, knowledge: Knowledge, max_cond_size: int | None) -> Found:
    search = Search(score, max_cond_size, knowledge)
    return _all_by(partial(sll, max_cond_size=max_cond_size, search=search), score, knowledge)
