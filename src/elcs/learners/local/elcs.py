"""ELCS: the direct causes and direct effects of a variable, learning one blanket after the other.

S. Yang, H. Wang, K. Yu, F. Cao and X. Wu (2022), Towards efficient local causal structure learning, IEEE
Transactions on Big Data 8(6), Algorithm 1. As in the authors' own program, the arrows from spouses into shared
children are drawn, a pair about which nothing is known counts as non-adjacent, and the first direction of an edge
stands.

Guarantee: none. Theorem 4 of the paper does not hold even with an exact blanket learner: for the graph
A>C D>C A>T D>T C>T, ELCS orients the reversible edge C - T. `elcs-exact` is exact.
Cost: that of EMB for each blanket learnt; at worst all of them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from elcs.graph.meek import apply_meek_rules
from elcs.independence.base import CITest
from elcs.learners.blankets.emb import emb
from elcs.learners.notes import Local
from elcs.learners.steps.arrows import orient_around

__all__ = ["elcs"]


def elcs(ci: CITest, notes: Local, *, max_cond_size: int | None = 3, blanket: Callable[..., None] = emb) -> None:
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
        The blanket learner.
    """
    graph = notes.graph
    graph.as_published = True
    queue = deque([notes.target])
    while queue:
        x = queue.popleft()
        if x not in graph.settled:
            found = notes.open(x)
            blanket(ci, found, max_cond_size=max_cond_size)
            orient_around(graph, found)
            queue.extend(found.undirected)
        apply_meek_rules(graph)
        if not graph.undirected(notes.target):
            break
