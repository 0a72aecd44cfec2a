"""S2TMB, score-based simultaneous Markov blanket discovery: neighbours and spouses at once.

T. Gao and Q. Ji (2017), Efficient score-based Markov blanket discovery, International Journal of Approximate
Reasoning 80. For one variable after the other, the network over the target, what was found so far and this variable is
learnt: first to find neighbours, then to find spouses and, in the same networks, to drop the neighbours that a spouse
shows to be false. No other variable's surroundings need be learnt to confirm what was found.

The paper leaves open in which order variables are tried. Here the strongest come first: those that go best with the
target in step 1, with one of its neighbours in step 2.

Guarantee: with unlimited data from a faithful distribution, a consistent score and no cap on the parents, the blanket
misses nothing: a member depends on the target whatever else is in the network. That it holds nothing else rests on a
conjecture of the paper. A cap, a finite sample, or a set too large for an exact search (`best_network`) voids both.
Cost: about two networks over the blanket and one or two more variables for each variable, each of O(2^|MB|).
"""

from __future__ import annotations

from elcs.learners.notes import Blanket
from elcs.learners.steps.best_network import (
    Parents,
    best_network,
    neighbours_in,
    orient_by,
    spouses_in,
    strongest_first,
)
from elcs.scores.score import Score

__all__ = ["s2tmb"]


def s2tmb(score: Score, notes: Blanket, *, max_cond_size: int | None = 3) -> None:
    """Learn the Markov blanket of ``notes.target``.

    Parameters
    ----------
    score : Score
        Says how good a family is.
    notes : Blanket
        What to fill in.
    max_cond_size : int or None
        The largest set of parents.
    """
    target, known = notes.target, notes.knowledge
    network: Parents = {target: frozenset()}
    others = [x for x in score.variables if x != target]

    # Step 1: find its parents and children, and maybe some descendants.
    for x in strongest_first(score, others, [target]):
        network = best_network(score, [target, *notes.pc, x], network, max_parents=max_cond_size, knowledge=known)
        notes.pc[:] = neighbours_in(network, target)

    # Step 2: find its spouses, and drop the descendants that they separate from it.
    outside = [x for x in others if x not in notes.pc]
    for x in strongest_first(score, outside, notes.pc):
        members = dict.fromkeys((target, *notes.pc, *notes.all_spouses, x))
        network = best_network(score, list(members), network, max_parents=max_cond_size, knowledge=known)
        notes.pc[:] = neighbours_in(network, target)
        notes.spouses = spouses_in(network, target)

    # Step 3: tell parents from children.
    orient_by(notes, network)
    notes.done = True
