"""CCMB, cross-check and complement: a blanket learner that distrusts tests which contradict each other.

X. Wu, B. Jiang, K. Yu, C. Miao and H. Chen (2020), Accurate Markov boundary discovery for causal feature selection,
IEEE Transactions on Cybernetics 50(12). On few rows, two neighbours that say the same about the target mask each
other: each is independent of the target given the other (PCMasking), and one is lost. With correct tests this
cannot happen, so it shows that a test was wrong.

The paper's idea is worked out here so that it stays sound. Neighbours must find each other, as in PCMB (cross-check);
but a separation that comes from masking does not count, so that the other side decides (complement).

Guarantee: the Markov blanket, given faithfulness, correct tests and no cap on the conditioning sets; nothing is then
ever masked, and CCMB is HITON-MB with ``symmetric=True``.
Cost: that of HITON-PC, up to 2^|PC| tests per variable, for all variables up to two edges away and for masked ones.
"""

from __future__ import annotations

from elcs.independence.base import CITest
from elcs.learners.notes import Blanket
from elcs.learners.pc.hiton_pc import hiton_pc
from elcs.learners.steps.distinguish import recognise_children
from elcs.learners.steps.shared_effects import note_spouses_around

__all__ = ["ccmb"]


def ccmb(ci: CITest, notes: Blanket, *, max_cond_size: int | None = 3) -> None:
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
    # Step 1: find the parents and children of the target.
    checked_pc(ci, notes, max_cond_size=max_cond_size)

    # Step 2: find its spouses among the parents and children of those.
    note_spouses_around(ci, notes, checked_pc, max_cond_size)
    recognise_children(notes)
    notes.done = True


def checked_pc(ci: CITest, notes: Blanket, *, max_cond_size: int | None = 3) -> None:
    """Find the parents and children of ``notes.target``, with a separating set for every other variable."""
    target = notes.target
    hiton_pc(ci, notes, max_cond_size=max_cond_size)
    in_doubt = [x for x in notes.separators if masked(ci, notes, x)]

    # Cross-check: a neighbour must find the target in turn.
    for y in tuple(notes.pc):
        found = notes.beside(y)
        hiton_pc(ci, found, max_cond_size=max_cond_size)
        if target not in found.pc and not masked(ci, found, target):
            notes.pc.remove(y)
            notes.separators[y] = found.separators[target]

    # Complement: a variable that was masked comes back if it finds the target.
    for x in in_doubt:
        found = notes.beside(x)
        hiton_pc(ci, found, max_cond_size=max_cond_size)
        if target in found.pc and x not in notes.pc:
            notes.pc.append(x)
            del notes.separators[x]


def masked(ci: CITest, notes: Blanket, x: str) -> bool:
    """Tell whether x could take the place of a member of the set that separates it from the target."""
    apart = notes.separators[x]
    return any(ci.independent(notes.target, z, (x, *(v for v in apart if v != z))) for z in apart)
