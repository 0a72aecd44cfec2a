"""PC-stable: the whole graph, by removing edges with larger and larger conditioning sets.

D. Colombo and M. H. Maathuis (2014), Order-independent constraint-based causal structure learning, Journal of Machine
Learning Research 15, after P. Spirtes and C. Glymour (1991). Within one size of sets, the neighbours that sets are
taken from stay as they were, so that the order of the columns does not affect the skeleton. Which of several sets that
separate two variables is found first does affect the directions; ours looks in the order of the names.

Guarantee: the essential graph (CPDAG), given faithfulness, no hidden common causes, correct tests and no cap on the
conditioning sets; with knowledge that is true, the MPDAG. A cap or a finite sample voids it.
Cost: O(n² 2^d) tests for n variables, none of which keeps more than d neighbours after the first round.
"""

from __future__ import annotations

from itertools import combinations

from elcs.independence.base import CITest
from elcs.learners.notes import Whole
from elcs.learners.steps.colliders import orient_skeleton

__all__ = ["pc_stable"]


def pc_stable(ci: CITest, notes: Whole, *, max_cond_size: int | None = 3, confirm: bool = False) -> None:
    """Learn the whole graph.

    Parameters
    ----------
    ci : CITest
        What answers the questions.
    notes : Whole
        What to fill in.
    max_cond_size : int or None
        The largest conditioning set.
    confirm : bool
        Orient only v-structures whose ends depend on each other given the middle, which PC does not require.
    """
    known, variables = notes.knowledge, sorted(ci.variables)
    adjacent: dict[str, list[str]] = {x: [] for x in variables}
    for i, x in enumerate(variables):  # size 0, in few trips to the engine: on 800 variables, 1 s instead of 20
        others = [y for y in variables[i + 1 :] if not known.apart(x, y)]
        for y, test in zip(others, ci.test_many([(x, y, ()) for y in others]), strict=True):
            if test.independent:
                notes.separators[frozenset((x, y))] = ()
            if not test.independent or known.joined(x, y):
                adjacent[x].append(y)
                adjacent[y].append(x)
    size = 1
    while max_cond_size is None or size <= max_cond_size:
        before = {x: tuple(near) for x, near in adjacent.items()}
        if all(len(near) <= size for near in before.values()):
            break
        for x, y in combinations(variables, 2):
            if y not in adjacent[x] or frozenset((x, y)) in notes.separators:
                continue
            for a, b in ((x, y), (y, x)):
                apart = ci.separator(a, b, known.pool(a, b, (z for z in before[a] if z != b)), sizes=(size,))
                if apart is not None:
                    notes.separators[frozenset((x, y))] = apart
                    if not known.joined(x, y):
                        adjacent[x].remove(y)
                        adjacent[y].remove(x)
                    break
        size += 1
    for x, near in adjacent.items():
        for y in near:
            notes.graph.add_edge(x, y)
    orient_skeleton(ci, notes, max_cond_size=max_cond_size, confirm=confirm)
