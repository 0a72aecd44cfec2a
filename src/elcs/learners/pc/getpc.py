"""GetPC: the parents and children of a variable, each confirmed from its own side.

J. M. Pena, R. Nilsson, J. Bjorkegren and J. Tegner (2007), Towards scalable and data efficient learning of Markov
boundaries, International Journal of Approximate Reasoning 45(2). GetPCD finds the parents and children and maybe some
descendants; GetPC keeps those for which GetPCD finds the target in turn.

Guarantee: the parents and children, given faithfulness, correct tests and no cap on the conditioning sets. What GetPCD
finds in excess are descendants; each of these is separated from the target by its own parents, all of which GetPCD
finds from its side.
Cost: that of GetPCD, up to 2^|PCD| tests per variable, for the target and for each neighbour it finds.
"""

from __future__ import annotations

from collections.abc import Callable

from elcs.independence.base import CITest
from elcs.learners.notes import Blanket, sizes_up_to
from elcs.learners.pc.hiton_pc import candidates
from elcs.learners.steps.weakest_links import weakest_links

__all__ = ["both_ways", "get_pc", "get_pcd"]


def get_pc(ci: CITest, notes: Blanket, *, max_cond_size: int | None = 3) -> None:
    """Find the parents and children of ``notes.target``, with a separating set for every other variable."""
    both_ways(ci, notes, max_cond_size=max_cond_size, pc=get_pcd)


def get_pcd(ci: CITest, notes: Blanket, *, max_cond_size: int | None = 3) -> None:
    """Find the parents and children of ``notes.target``, and maybe some descendants.

    A weak link once found counts, even when the set that showed it has lost a member since.
    """
    weakest = {x: notes.marginal[x].statistic for x in candidates(ci, notes)}
    while weakest:
        # Step 2: add the best candidate.
        newest = max(weakest, key=weakest.__getitem__)
        del weakest[newest]
        notes.pc.append(newest)

        # Step 3: remove false positives; all are tried before one is removed.
        before = tuple(notes.pc)
        for y in before:
            others = [x for x in before if x != y]
            notes.separate(ci, y, others, sizes_up_to(max_cond_size, others))

        # Step 1 of the next round: remove candidates that a set separates from the target.
        if newest in notes.pc:
            weakest = weakest_links(ci, notes, weakest, newest, max_cond_size)


def both_ways(ci: CITest, notes: Blanket, *, max_cond_size: int | None = 3, pc: Callable[..., None]) -> None:
    """Find parents and children by the learner `pc`, and keep those for which it finds the target (the AND rule)."""
    pc(ci, notes, max_cond_size=max_cond_size)
    for y in tuple(notes.pc):
        found = notes.beside(y)
        pc(ci, found, max_cond_size=max_cond_size)
        if notes.target not in found.pc:
            notes.pc.remove(y)
            notes.separators[y] = found.separators[notes.target]
