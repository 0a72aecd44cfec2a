"""ELCS-exact: the direct causes and effects of a variable, exactly as far as observations determine them.

Ours. It differs from ELCS in three points: the blanket learner is `emb-exact`; a pair is non-adjacent for Meek's
rules only if one of the two had its blanket learnt; and the next blanket is that of the variable nearest to the
target along undirected edges. `elcs-cautious` also derives no direction against the sets that separate variables
(`graph/meek.py`).

Guarantee: exactly the edges at the target of the essential graph (CPDAG), given faithfulness, no hidden common
causes, correct tests and no cap on the conditioning sets. With knowledge that is true, those of the MPDAG. A cap or a
finite sample voids it. With a `depth`, the same holds for all edges among the variables up to so many steps away.
Cost: that of EMB-exact for each blanket learnt; at worst all of them. `elcs-cautious` learns more blankets, as fewer
edges get a direction: up to a quarter more on Alarm, Child and Insurance, but nine times as many on 800 variables at
1,000 rows.
"""

from __future__ import annotations

from collections.abc import Callable

from elcs.graph.meek import apply_meek_rules, note_doubts
from elcs.graph.pdag import PDAG
from elcs.independence.base import CITest
from elcs.learners.blankets.emb_exact import emb_exact
from elcs.learners.notes import Local
from elcs.learners.steps.arrows import orient_around

__all__ = ["elcs_exact", "next_within"]


def elcs_exact(
    ci: CITest,
    notes: Local,
    *,
    max_cond_size: int | None = 3,
    blanket: Callable[..., None] = emb_exact,
    cautious: bool = False,
    depth: int | None = None,
) -> None:
    """Learn the edges at ``notes.target`` and their directions.

    Takes what `elcs` takes; if `cautious`, no direction is derived against the sets that separate variables. If a
    `depth` is given, all edges among the variables up to so many steps away are learnt.
    """
    graph = notes.graph
    x: str | None = notes.target
    while x is not None:
        found = notes.open(x)
        blanket(ci, found, max_cond_size=max_cond_size)
        orient_around(graph, found)
        if cautious:
            graph.separators.update({(x, y): apart for y, apart in found.separators.items()})
        apply_meek_rules(graph)
        x = graph.nearest_unsettled(notes.target) if depth is None else next_within(graph, notes.target, depth)
    note_doubts(graph)


def next_within(graph: PDAG, target: str, depth: int) -> str | None:
    """Return the variable whose blanket is needed next for all edges up to so many steps from the target.

    First those of the part itself, the nearest first; then what edges without direction connect with one of them.
    """
    part = graph.within(target, depth)
    unsettled = (x for x in part if x not in graph.settled)
    return next(unsettled, next((y for x in part if (y := graph.nearest_unsettled(x)) is not None), None))
