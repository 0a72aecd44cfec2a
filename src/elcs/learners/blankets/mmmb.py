"""MMMB, max-min Markov blanket: MMPC for the target, then for each of its neighbours.

I. Tsamardinos, C. F. Aliferis and A. Statnikov (2003), Time and sample efficient discovery of Markov blankets and
direct causal relations, KDD 9.

Guarantee: no member of the blanket is missed, given faithfulness, correct tests and no cap on the conditioning sets;
but there may be false ones, as J. M. Pena, J. Bjorkegren and J. Tegner (2005), Scalable, efficient and correct learning
of Markov boundaries under the faithfulness assumption, ECSQARU 8, showed. In T>K D>K D>I K>I, K and D separate I from
T, but D is independent of T and so never in a set that MMPC tries: I passes for a neighbour. With ``symmetric=True``, a
neighbour must find the target in turn, and the blanket is exact.
Cost: that of MMPC, up to 2^|PC| tests per variable, for the target and for each neighbour; with ``symmetric=True``,
also for the neighbours of neighbours.
"""

from __future__ import annotations

from functools import partial

from elcs.independence.base import CITest
from elcs.learners.notes import Blanket
from elcs.learners.pc.getpc import both_ways
from elcs.learners.pc.mmpc import mmpc
from elcs.learners.steps.distinguish import recognise_children
from elcs.learners.steps.shared_effects import note_spouses_around

__all__ = ["mmmb"]


def mmmb(ci: CITest, notes: Blanket, *, max_cond_size: int | None = 3, symmetric: bool = False) -> None:
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
    pc = partial(both_ways, pc=mmpc) if symmetric else mmpc

    # Phase 1: find the parents and children of the target.
    pc(ci, notes, max_cond_size=max_cond_size)

    # Phase 2: find its spouses among the parents and children of those.
    note_spouses_around(ci, notes, pc, max_cond_size)
    recognise_children(notes)
    notes.done = True
