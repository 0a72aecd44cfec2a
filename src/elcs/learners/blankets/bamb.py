"""BAMB, balanced Markov blanket: neighbours and spouses found together, each pruned with the help of the other.

Z. Ling, K. Yu, H. Wang, L. Liu, W. Ding and X. Wu (2019), BAMB: a balanced Markov blanket discovery approach to feature
selection, ACM Transactions on Intelligent Systems and Technology 10(5).

Where the paper leaves a choice, we take the one that is sound. A variable that is not a neighbour after all is tried as
a spouse, for it may be one; and when no candidate is left, all are pruned once more, with the whole blanket to draw
conditioning sets from, since what is found late may separate what was found early.

Guarantee: the Markov blanket, given faithfulness, correct tests and no cap on the conditioning sets; not proved, but
true of all graphs of up to five variables and of thousands of larger ones. A cap or a finite sample voids it.
Cost: O(n 2^|MB|) tests for n variables, where MB is the candidate blanket, which may be much larger than the true one.
"""

from __future__ import annotations

from collections.abc import Sequence

from elcs.independence.base import CITest
from elcs.learners.notes import Blanket, sizes_up_to
from elcs.learners.pc.hiton_pc import candidates
from elcs.learners.steps.distinguish import recognise_children
from elcs.learners.steps.shared_effects import opens

__all__ = ["bamb"]


def bamb(ci: CITest, notes: Blanket, *, max_cond_size: int | None = 3) -> None:
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
    kept_apart = [x for x in ci.variables if x != notes.target and notes.keeps_apart(x)]
    for newest in candidates(ci, notes):
        # Step 1: a candidate is a neighbour, unless some neighbours separate it from the target.
        others = tuple(notes.pc)
        notes.pc.append(newest)
        if notes.separate(ci, newest, others, sizes_up_to(max_cond_size, others)):
            add_spouses(ci, notes, [newest], notes.pc, max_cond_size)
            continue

        # Step 2: find the spouses through the new neighbour.
        outside = [x for x in (*notes.separators, *kept_apart) if x not in notes.pc]
        add_spouses(ci, notes, list(dict.fromkeys(outside)), [newest], max_cond_size)
        remove_spouses(ci, notes, newest, max_cond_size)

        # Step 3: remove false neighbours. Sets of neighbours without the newest were tried before.
        for y in reversed(tuple(notes.pc)):
            own = notes.spouses[y]
            remove_neighbour(ci, notes, y, (*notes.pc, *own), (newest, *own), max_cond_size)

    # All candidates are in: prune once more.
    for y in notes.pc:
        remove_spouses(ci, notes, y, max_cond_size)
    spouses = notes.all_spouses
    blanket = (*notes.pc, *spouses)
    for y in reversed(tuple(notes.pc)):
        remove_neighbour(ci, notes, y, blanket, spouses, max_cond_size)
    for y in notes.pc:
        remove_spouses(ci, notes, y, max_cond_size, through_all=True)

    recognise_children(notes)
    notes.done = True


def add_spouses(
    ci: CITest, notes: Blanket, others: Sequence[str], children: Sequence[str], max_cond_size: int | None
) -> None:
    """Note which of `others` may be spouses through which of the `children`."""
    for y in children:
        found = [x for x in others if opens(ci, notes, x, y, max_cond_size)]
        notes.candidate_spouses.setdefault(y, []).extend(found)
        notes.spouses.setdefault(y, []).extend(found)


def remove_spouses(ci: CITest, notes: Blanket, y: str, max_cond_size: int | None, *, through_all: bool = False) -> None:
    """Remove spouses through y that a set with y separates from the target.

    The set is drawn from the neighbours and the spouses through y, or through all neighbours.
    """
    for x in tuple(reversed(notes.spouses[y])):
        spouses = notes.all_spouses if through_all else notes.spouses[y]
        among = [y, *(z for z in (*notes.pc, *spouses) if z not in (x, y))]
        sizes = sizes_up_to(max_cond_size, among, first=1)
        if ci.separator(notes.target, x, among, sizes=sizes, containing=(y,)) is not None:
            notes.spouses[y].remove(x)


def remove_neighbour(
    ci: CITest, notes: Blanket, y: str, members: Sequence[str], new: Sequence[str], max_cond_size: int | None
) -> None:
    """Remove y if a set of `members`, at least one of them `new`, separates it from the target; it may be a spouse."""
    among = [x for x in members if x != y]
    new = [x for x in new if x != y]
    if new and notes.separate(ci, y, among, sizes_up_to(max_cond_size, among, first=1), containing=new):
        del notes.spouses[y]
        add_spouses(ci, notes, [y], notes.pc, max_cond_size)
