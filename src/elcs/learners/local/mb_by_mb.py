"""MB-by-MB: the edges at a variable, from local structures over one Markov blanket after the other.

C. Wang, Y. Zhou, Q. Zhao and Z. Geng (2014), Discovering and orienting the edges connected to a target variable in a
DAG via a sequential local learning approach, Computational Statistics and Data Analysis 77. The local structure of x
is learnt from x and its blanket alone, as if there were no other variables. Some of its edges are then wrong, but those
at x are right, and so are the v-structures that x is part of; we look for these alone, with all subsets of the
blanket. Where the paper leaves a choice, we decide as follows. The waiting list holds the variables nearest to the
target along edges without direction. Two neighbours of x that only a set with x separates are known from then on not to
be adjacent. And the ends of a v-structure must depend on each other once its middle is held fixed.

Guarantee: exactly the edges at the target of the essential graph (CPDAG), given an exact blanket learner,
faithfulness, no hidden common causes, correct tests and no cap on the conditioning sets. A cap or a finite sample
voids it. So does a blanket learner that is not exact: `emb` misses I in T>K D>K D>I K>I I>Y T>Y, and D passes for a
cause of Y.
Cost: that of the blanket learner, and O(|MB|^2 2^|MB|) tests, for each blanket learnt; at worst all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

from elcs.graph.pdag import Reason
from elcs.graph.rules import V_STRUCTURE
from elcs.independence.base import CITest
from elcs.learners.blankets.emb_exact import emb_exact
from elcs.learners.notes import Blanket, Local, sizes_up_to
from elcs.learners.steps.arrows import Chain, orient_around, resolve
from elcs.learners.steps.distinguish import recognise_children

__all__ = ["mb_by_mb"]


def mb_by_mb(
    ci: CITest, notes: Local, *, max_cond_size: int | None = 3, blanket: Callable[..., None] = emb_exact
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
    blanket : callable
        The blanket learner; what it says about parents, children and spouses is not used.
    """
    graph = notes.graph
    chains: list[Chain] = []
    x: str | None = notes.target
    while x is not None:
        found = notes.open(x)
        blanket(ci, found, max_cond_size=max_cond_size)
        found.done = False
        chains += local_structure(ci, found, max_cond_size)
        found.done = True
        orient_around(graph, found)
        resolve(graph, chains)
        x = graph.nearest_unsettled(notes.target)


def local_structure(ci: CITest, found: Blanket, max_cond_size: int | None) -> list[Chain]:
    """Learn, from a variable and its blanket alone, the edges and v-structures that the variable is part of."""
    members = list(dict.fromkeys((*found.pc, *found.all_spouses, *found.members)))
    found.parents, found.children, found.spouses = {}, {}, {}
    find_edges(ci, found, members, max_cond_size)
    find_spouses(ci, found, members, max_cond_size)
    found.note_known()
    recognise_children(found)
    found.members = [u for u in members if u not in found.pc and u not in found.all_spouses]
    return find_causes(ci, found, members, max_cond_size)


def find_edges(ci: CITest, found: Blanket, members: list[str], max_cond_size: int | None) -> None:
    """Keep as neighbours those members of the blanket that no others separate from the variable."""
    found.pc = list(members)
    for u in members:
        found.separators.pop(u, None)
        among = [v for v in members if v != u]
        if not found.separate(ci, u, among, sizes_up_to(max_cond_size, among)) and found.keeps_apart(u):
            found.pc.remove(u)


def find_spouses(ci: CITest, found: Blanket, members: list[str], max_cond_size: int | None) -> None:
    """Find the v-structures with the variable at an end."""
    x = found.target
    for c in found.pc:
        for u in members:
            apart = found.separators.get(u)
            if u in found.pc or apart is None or c in apart or ci.independent(u, x, (*apart, c)):
                continue
            among = found.knowledge.pool(c, u, [x, *(v for v in members if v not in (c, u))])
            if ci.separator(c, u, among, sizes=sizes_up_to(max_cond_size, among)) is None:
                found.spouses.setdefault(c, []).append(u)


def find_causes(ci: CITest, found: Blanket, members: list[str], max_cond_size: int | None) -> list[Chain]:
    """Find the v-structures with the variable in the middle; return the paths through it that are not v-structures."""
    x, chains = found.target, []
    for a, b in combinations(found.pc, 2):
        among = found.knowledge.pool(a, b, [x, *(v for v in members if v not in (a, b))])
        apart = ci.separator(a, b, among, sizes=sizes_up_to(max_cond_size, among))
        if apart is None:
            continue
        if x in apart:
            chains.append((a, x, b, apart))
        elif a not in found.children and b not in found.children and not ci.independent(a, b, (*apart, x)):
            tests = ((a, b, apart), (a, b, (*apart, x)))
            found.parents.setdefault(a, Reason(V_STRUCTURE, (b,), tests))
            found.parents.setdefault(b, Reason(V_STRUCTURE, (a,), tests))
    return chains
