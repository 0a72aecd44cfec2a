"""GSBN: the whole graph, from the Grow-Shrink blankets of all variables.

D. Margaritis (2003), Learning Bayesian network model structure from data, PhD thesis, Carnegie Mellon University, after
D. Margaritis and S. Thrun (1999), NIPS 12. Two variables are neighbours if each is in the other's blanket and no subset
of the smaller blanket separates them. Where the original looks for directions with a search of its own, we use the
separating sets found on the way; for a pair that is not in each other's blankets, that set is the blanket itself.

Guarantee: the essential graph (CPDAG), given faithfulness, no hidden common causes, correct tests and no cap on the
conditioning sets. A cap or a finite sample voids it; large blankets soon leave too few rows for a test.
Cost: that of Grow-Shrink for each of n variables, and O(n |MB| 2^|MB|) tests.
"""

from __future__ import annotations

from functools import partial
from itertools import combinations

from elcs.independence.base import CITest
from elcs.learners.blankets.grow_shrink import grow_shrink
from elcs.learners.notes import Whole, sizes_up_to
from elcs.learners.steps.colliders import orient_skeleton
from elcs.learners.steps.neighbourhoods import learn_each

__all__ = ["gsbn"]


def gsbn(ci: CITest, notes: Whole, *, max_cond_size: int | None = 3, n_jobs: int = 1) -> None:
    """Learn the whole graph.

    Parameters
    ----------
    ci : CITest
        What answers the questions.
    notes : Whole
        What to fill in.
    max_cond_size : int or None
        The largest conditioning set of a subset search; the blankets are learnt without such a limit.
    n_jobs : int
        Number of processes; -1 for one per processor.
    """
    # Step 1: the Markov blankets.
    learn = partial(grow_shrink, max_cond_size=max_cond_size)
    blankets = {own.target: own.members for own in learn_each(ci, learn, notes.knowledge, n_jobs=n_jobs)}

    # Step 2: the neighbours.
    for x, y in combinations(ci.variables, 2):
        if y not in blankets[x] or x not in blankets[y]:
            outside, other = (x, y) if y not in blankets[x] else (y, x)
            notes.separators[frozenset((x, y))] = tuple(v for v in blankets[outside] if v != other)
            continue
        among = min(([v for v in blankets[a] if v != b] for a, b in ((x, y), (y, x))), key=len)
        if notes.knowledge.apart(x, y):
            continue
        among = notes.knowledge.pool(x, y, among)
        apart = ci.separator(x, y, among, sizes=sizes_up_to(max_cond_size, among))
        if apart is None:
            notes.graph.add_edge(x, y)
        else:
            notes.separators[frozenset((x, y))] = apart

    # Steps 3 to 6: the directions.
    orient_skeleton(ci, notes, max_cond_size=max_cond_size)
