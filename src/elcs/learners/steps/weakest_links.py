"""The max-min heuristic of MMPC and GetPCD: how weak the link between a candidate and the target can be made."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

from elcs.independence.base import CITest
from elcs.learners.notes import Blanket, sizes_up_to

__all__ = ["weakest_links"]


def weakest_links(
    ci: CITest, notes: Blanket, weakest: Mapping[str, float], newest: str, max_cond_size: int | None
) -> dict[str, float]:
    """Return the least association of each candidate with the target, now that `newest` is a neighbour.

    Only sets that hold the newest are tried, as `weakest` has the results of all others; all candidates in one trip for
    each size. A candidate that a set separates from the target is noted and left out, unless knowledge requires it.
    Tests that are not reliable do not count.
    """
    pools = {x: set(notes.knowledge.pool(notes.target, x, notes.pc)) for x in weakest}
    older = [x for x in notes.pc if x != newest]
    left = dict(weakest)
    for size in sizes_up_to(max_cond_size, notes.pc, first=1):
        sets = [(*subset, newest) for subset in combinations(older, size - 1)]
        queries = [(notes.target, x, given) for given in sets for x in left if pools[x].issuperset(given)]
        for (_, x, given), result in zip(queries, ci.test_many(queries, skip_unreliable=True), strict=True):
            if x in left and result.independent:
                notes.separators.setdefault(x, given)
                if not notes.requires(x):
                    del left[x]
            elif x in left and result.reliable:
                left[x] = min(left[x], result.statistic)
    return left
