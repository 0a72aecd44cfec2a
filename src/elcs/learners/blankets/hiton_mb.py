"""HITON-MB: HITON-PC for the target, then for each of its neighbours.

C. F. Aliferis, I. Tsamardinos and A. Statnikov (2003), HITON: a novel Markov blanket algorithm for optimal variable
selection, AMIA Annual Symposium; in the form of C. F. Aliferis, A. Statnikov, I. Tsamardinos, S. Mani and X. D.
Koutsoukos (2010), Local causal and Markov blanket induction for causal discovery and feature selection, part I, Journal
of Machine Learning Research 11, without the final selection of features for a classifier.

Guarantee: no member of the blanket is missed, given faithfulness, correct tests and no cap on the conditioning sets;
but there may be false ones: in T>K D>K D>I K>I, I passes for a neighbour of T, as D, which helps to separate the two,
is never in a set that HITON-PC tries. With ``symmetric=True``, a neighbour must find the target in turn, and the
blanket is exact.
Cost: that of HITON-PC, up to 2^|PC| tests per variable, for the target and for each neighbour; with ``symmetric=True``,
also for the neighbours of neighbours.
"""

from __future__ import annotations

from functools import partial

from elcs.independence.base import CITest
from elcs.learners.notes import Blanket
from elcs.learners.pc.getpc import both_ways
from elcs.learners.pc.hiton_pc import hiton_pc
from elcs.learners.steps.distinguish import recognise_children
from elcs.learners.steps.shared_effects import note_spouses_around

__all__ = ["hiton_mb"]


def hiton_mb(ci: CITest, notes: Blanket, *, max_cond_size: int | None = 3, symmetric: bool = False) -> None:
    """Learn the Markov blanket of ``notes.target``.

    Parameters
    ----------
    ci : CITest
        What answers the questions.
    notes : Blanket
        What to fill in.
    max_cond_size : int or None
        The largest conditioning set of a subset search.
    symmetric : bool
        Whether two variables must find each other to count as neighbours.
    """
    pc = partial(both_ways, pc=hiton_pc) if symmetric else hiton_pc

    # Step 1: find the parents and children of the target.
    pc(ci, notes, max_cond_size=max_cond_size)

    # Step 2: find its spouses among the parents and children of those.
    note_spouses_around(ci, notes, pc, max_cond_size)
    recognise_children(notes)
    notes.done = True
