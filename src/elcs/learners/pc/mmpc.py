"""MMPC, max-min parents and children: the parents and children of a variable.

I. Tsamardinos, L. E. Brown and C. F. Aliferis (2006), The max-min hill-climbing Bayesian network structure learning
algorithm, Machine Learning 65(1), without the final symmetry check.

Guarantee: with perfect tests and no cap on the conditioning sets, all parents and children are found; some of
their descendants may be found as well.
Cost: up to 2^|PC| tests per variable.
"""

from __future__ import annotations

from elcs.independence.base import CITest
from elcs.learners.notes import Blanket, sizes_up_to
from elcs.learners.pc.hiton_pc import candidates
from elcs.learners.steps.weakest_links import weakest_links

__all__ = ["mmpc"]


def mmpc(ci: CITest, notes: Blanket, *, max_cond_size: int | None = 3) -> None:
    """Find the parents and children of ``notes.target``, with a separating set for every other variable."""
    # Phase 1: add the variable whose weakest link with the target, over all subsets of those chosen, is strongest.
    weakest = {x: notes.marginal[x].statistic for x in candidates(ci, notes)}
    while weakest:
        newest = max(weakest, key=weakest.__getitem__)
        del weakest[newest]
        notes.pc.append(newest)
        weakest = weakest_links(ci, notes, weakest, newest, max_cond_size)

    # Phase 2: remove those that a subset of the others separates from the target.
    for y in tuple(notes.pc):
        others = [x for x in notes.pc if x != y]
        notes.separate(ci, y, others, sizes_up_to(max_cond_size, others))
