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
    each size. A candidate that a set separates from the target is noted and left out. Tests that are not reliable do
    not count.
    """
    older = [x for x in notes.pc if x != newest]
    left = dict(weakest)
    for size in sizes_up_to(max_cond_size, notes.pc, first=1):
        queries = [(notes.target, x, (*subset, newest)) for subset in combinations(older, size - 1) for x in left]
        for (_, x, given), result in zip(queries, ci.test_many(queries, skip_unreliable=True), strict=True):
            if x in left and result.independent:
                notes.separators[x] = given
                del left[x]
            elif x in left and result.reliable:
                left[x] = min(left[x], result.statistic)
    return left
