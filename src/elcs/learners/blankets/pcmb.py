"""PCMB, parents and children based Markov boundary: GetPC for the target, then for each of its neighbours.

J. M. Pena, R. Nilsson, J. Bjorkegren and J. Tegner (2007), Towards scalable and data efficient learning of Markov
boundaries, International Journal of Approximate Reasoning 45(2).

Guarantee: the Markov blanket, given faithfulness, correct tests and no cap on the conditioning sets. A cap or a finite
sample voids it.
Cost: that of GetPCD, up to 2^|PCD| tests per variable, for all variables up to two edges away.
"""

from __future__ import annotations

from elcs.independence.base import CITest
from elcs.learners.notes import Blanket
from elcs.learners.pc.getpc import get_pc
from elcs.learners.steps.distinguish import recognise_children
from elcs.learners.steps.shared_effects import note_spouses_around

__all__ = ["pcmb"]


def pcmb(ci: CITest, notes: Blanket, *, max_cond_size: int | None = 3) -> None:
    """Learn the Markov blanket of ``notes.target``.

    Parameters
    ----------
    ci : CITest
        What answers the questions.
    notes : Blanket
        What to fill in.
    max_cond_size : int or None
        The largest conditioning set of a subset search.
    """
    # Step 1: add the true positives, the parents and children.
    get_pc(ci, notes, max_cond_size=max_cond_size)

    # Step 2: add more true positives, the spouses.
    note_spouses_around(ci, notes, get_pc, max_cond_size)
    recognise_children(notes)
    notes.done = True
