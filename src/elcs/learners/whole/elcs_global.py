"""ELCS-global: the whole graph, from the neighbourhoods of all variables.

Ours; the ELCS paper names the extension to the whole graph as future work. The parents and children of every variable
are found as by `elcs-exact`, with one cache for all, so that what one variable asks another need not compute. An edge
is one that both its ends have found. V-structures come from the sets that separate the others, the strongest first.

Guarantee: the essential graph (CPDAG), given faithfulness, no hidden common causes, correct tests and no cap on the
conditioning sets; with knowledge that is true, the MPDAG. A cap or a finite sample voids it.
Cost: that of the learner of parents and children for each variable.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from elcs.independence.base import CITest
from elcs.learners.notes import Whole
from elcs.learners.pc.hiton_pc import hiton_pc
from elcs.learners.steps.colliders import orient_skeleton
from elcs.learners.steps.neighbourhoods import mutual_neighbours

__all__ = ["elcs_global"]


def elcs_global(
    ci: CITest, notes: Whole, *, max_cond_size: int | None = 3, pc: Callable[..., None] = hiton_pc, n_jobs: int = 1
) -> None:
    """Learn the whole graph.

    Parameters
    ----------
    ci : CITest
        What answers the questions.
    notes : Whole
        What to fill in.
    max_cond_size : int or None
        The largest conditioning set of a subset search.
    pc : callable
        The learner of parents and children.
    n_jobs : int
        Number of processes; -1 for one per processor. More than one pays off from a few hundred variables.
    """
    near = mutual_neighbours(ci, notes, partial(pc, max_cond_size=max_cond_size), n_jobs=n_jobs)
    for x, others in near.items():
        for y in others:
            notes.graph.add_edge(x, y)
    orient_skeleton(ci, notes, max_cond_size=max_cond_size)
