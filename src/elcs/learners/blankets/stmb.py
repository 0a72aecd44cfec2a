"""STMB, simultaneous Markov blanket: spouses and false neighbours expose each other.

T. Gao and Q. Ji (2017), Efficient Markov blanket discovery and its application, IEEE Transactions on Cybernetics
47(5). Step 1 may be any learner of parents and children; `recognise_pc`, which starts from all candidates and tries
one size of sets after the other, is the default. A test that is not reliable makes no spouse.

Guarantee: none. The paper's theorem does not hold: a spouse that passes for a neighbour in step 1 is lost if step 2
removes it after looking for the spouses through the child they share (T>K D>K D>I K>I I>Y T>Y loses I).
Cost: up to 2^n tests per variable for n variables dependent on the target, far fewer with a cap.
"""

from __future__ import annotations

from collections.abc import Callable

from elcs.independence.base import CITest
from elcs.learners.notes import Blanket, sizes_up_to
from elcs.learners.pc.hiton_pc import candidates
from elcs.learners.steps.distinguish import recognise_children

__all__ = ["recognise_pc", "stmb"]


def stmb(ci: CITest, notes: Blanket, *, max_cond_size: int | None = 3, pc: Callable[..., None] | None = None) -> None:
    """Learn the Markov blanket of ``notes.target``.

    Parameters
    ----------
    ci : CITest
        What answers the questions.
    notes : Blanket
        What to fill in.
    max_cond_size : int or None
        The largest conditioning set of a subset search.
    pc : callable, optional
        The learner of parents and children in step 1; by default `recognise_pc`.
    """
    # Step 1: find the parents and children of the target, and maybe some descendants.
    (pc or recognise_pc)(ci, notes, max_cond_size=max_cond_size)

    # Step 2: find the spouses through each neighbour; use them to tell whether it is a false one.
    for y in tuple(notes.pc):
        others = [x for x in ci.variables if x != notes.target and x not in notes.pc]
        spouses = [x for x in others if depends(ci, notes, x, y, max_cond_size)]
        among = [*(x for x in notes.pc if x != y), *spouses]
        if not notes.separate(ci, y, among, sizes_up_to(max_cond_size, among)):
            notes.candidate_spouses[y], notes.spouses[y] = spouses, list(spouses)

    # Step 3: remove false spouses.
    for x in notes.all_spouses:
        if ci.independent(notes.target, x, rest_of_blanket(notes, x)):
            for spouses in notes.spouses.values():
                if x in spouses:
                    spouses.remove(x)

    # Step 4: remove false neighbours that are left.
    for y in tuple(notes.pc):
        rest = rest_of_blanket(notes, y)
        if notes.separate(ci, y, rest, (len(rest),)):
            notes.spouses.pop(y, None)

    recognise_children(notes)
    notes.done = True


def recognise_pc(ci: CITest, notes: Blanket, *, max_cond_size: int | None = 3) -> None:
    """Find the parents and children of ``notes.target``, and maybe some descendants.

    RecognizePC of S. Fu and M. C. Desmarais (2008), Fast Markov blanket discovery algorithm via local learning within
    single pass, Canadian AI 21: of all candidates, remove those that one other separates from the target, then those
    that two others do, and so on. The strongest candidates are the first to be tried as others, and the last to be
    removed.
    """
    notes.pc.extend(candidates(ci, notes))
    size = 1
    while size < len(notes.pc) and (max_cond_size is None or size <= max_cond_size):
        before = tuple(notes.pc)
        for y in reversed(before):
            notes.separate(ci, y, [x for x in before if x != y], (size,))
        size += 1


def depends(ci: CITest, notes: Blanket, x: str, y: str, max_cond_size: int | None) -> bool:
    """Tell whether x and the target depend on each other given y on top of what separates them, by a reliable test."""
    apart = notes.set_apart(ci, x, max_cond_size)
    return apart is not None and y not in apart and ci.association(notes.target, x, (*apart, y)) > 0


def rest_of_blanket(notes: Blanket, x: str) -> list[str]:
    """Return the members of the blanket except x."""
    return [z for z in (*notes.pc, *notes.all_spouses) if z != x]
