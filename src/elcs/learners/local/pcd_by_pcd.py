"""PCD-by-PCD: the edges at a variable, learning parents, children and some descendants of one variable after the other.

J. Yin, Y. Zhou, C. Wang, P. He, C. Zheng and Z. Geng (2008), Partial orientation and local structural learning of
causal networks for prediction, JMLR Workshop and Conference Proceedings 3, with MMPC for the PCD sets, as in the ELCS
paper. The waiting list, which may be kept in more than one way, holds the variables nearest to the target along edges
without direction.

Guarantee: exactly the edges at the target of the essential graph (CPDAG), given faithfulness, no hidden common
causes, correct tests and no cap on the conditioning sets. A cap or a finite sample voids it. It reports no spouses.
Cost: that of MMPC at least for the target and all its neighbours; at worst for all variables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

from elcs.graph.meek import apply_meek_rules
from elcs.graph.pdag import Question, Reason
from elcs.graph.rules import V_STRUCTURE
from elcs.independence.base import CITest
from elcs.learners.notes import Local
from elcs.learners.pc.mmpc import mmpc

__all__ = ["pcd_by_pcd"]


def pcd_by_pcd(
    ci: CITest,
    notes: Local,
    *,
    max_cond_size: int | None = 3,
    pc: Callable[..., None] = mmpc,
    confirm: bool = False,
) -> None:
    """Learn the edges at ``notes.target`` and their directions.

    Parameters
    ----------
    ci : CITest
        What answers the questions.
    notes : Local
        What to fill in.
    max_cond_size : int or None
        The largest conditioning set of a subset search.
    pc : callable
        The learner of PCD sets: all parents and children, and at most some descendants as well.
    confirm : bool
        Whether the ends of a v-structure must also be found dependent once its middle is held fixed. The paper does
        not ask for that, and with perfect tests it is always so. On data it leads to fewer wrong edges.
    """
    graph = notes.graph
    x: str | None = notes.target
    while x is not None:
        pc(ci, notes.open(x), max_cond_size=max_cond_size)
        add_edges(notes, x)
        find_v_structures(ci, notes, x, max_cond_size, confirm=confirm)

        # Variables learnt that have no edge with each other are known to be non-adjacent. But they may get edges with
        # variables to come, so they count as settled only while the rules are applied.
        graph.settled.update(notes.blankets)
        apply_meek_rules(graph)
        graph.settled.clear()
        x = next_to_learn(notes)


def add_edges(notes: Local, x: str) -> None:
    """Draw the edges of x with the variables learnt before it: each must be in the PCD of the other.

    With perfect tests what is wrong in a PCD is a descendant, and of two variables at most one descends from the other.
    """
    found = notes.blankets[x]
    for y, other in notes.blankets.items():
        if y in found.pc and x in other.pc:
            notes.graph.add_edge(x, y)
            if found.requires(y) and y in found.separators:
                notes.graph.dispute(x, y, found.separators[y])
        elif y in found.pc:
            found.pc.remove(y)
            found.separators[y] = other.separators[x]
        elif x in other.pc:
            other.pc.remove(x)
            other.separators[x] = found.separators[y]
    for known in notes.blankets.values():
        known.done = all(y in notes.blankets for y in known.pc)


def find_v_structures(ci: CITest, notes: Local, x: str, max_cond_size: int | None, *, confirm: bool) -> None:
    """Orient the v-structures that x is part of: what separates the ends does not hold the middle."""
    for a, middle, b in paths(notes, x):
        if notes.graph.adjacent(a, b) or not {a, b} <= notes.blankets.keys():
            continue
        sides = (notes.blankets[v].set_apart(ci, w, max_cond_size) for v, w in ((a, b), (b, a)))
        apart = next((found for found in sides if found is not None), None)
        if apart is None or middle in apart:
            continue
        tests: tuple[Question, ...] = ((a, b, apart),)
        if confirm:
            tests += ((a, b, (*apart, middle)),)
            if ci.independent(*tests[1]):
                continue
        denied = [v for v in (a, b) if notes.graph.denies(v, middle)]
        for cause, other in ((a, b), (b, a)):
            if cause in denied or not denied:  # of a v-structure that knowledge denies, only the conflict is noted
                notes.graph.orient(cause, middle, Reason(V_STRUCTURE, (other,), tests))


def paths(notes: Local, x: str) -> Iterator[tuple[str, str, str]]:
    """Yield the paths of two edges that x is part of."""
    near = notes.graph.neighbours(x)
    for a, b in combinations(near, 2):
        yield a, x, b
    for middle in near:
        for b in notes.graph.neighbours(middle):
            if b != x:
                yield x, middle, b


def next_to_learn(notes: Local) -> str | None:
    """Return the next variable of the waiting list, if there is one.

    It is in the PCD of the target or of a variable that edges without direction connect with the target; no other edge
    has a say in the directions at the target.
    """
    connected = [notes.target]
    for x in connected:  # grows on the way
        for y in notes.blankets[x].pc:
            if y not in notes.blankets:
                return y
        connected += [y for y in notes.graph.undirected(x) if y not in connected]
    return None
