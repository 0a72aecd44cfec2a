"""EMB-exact: the Markov blanket of a variable, exactly.

Ours: EMB with both its defects removed. Step 3 searches in a set that does not shrink, and a variable that it
removes is tried as a spouse after all. Candidate spouses are pruned level by level, which needs fewer tests.

Guarantee: the Markov blanket, and no wrong direction, given faithfulness, correct tests and no cap on the
conditioning sets. A cap or a finite sample voids it.
Cost: O(n 2^|PC|) tests for n variables.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from elcs.independence.base import CITest
from elcs.learners.notes import Blanket, sizes_up_to
from elcs.learners.pc.hiton_pc import hiton_pc
from elcs.learners.steps.distinguish import distinguish_pc
from elcs.learners.steps.spouses import find_candidate_spouses

__all__ = ["emb_exact"]


def emb_exact(ci: CITest, notes: Blanket, *, max_cond_size: int | None = 3, pc: Callable[..., None] = hiton_pc) -> None:
    """Learn the Markov blanket of ``notes.target``.

    Parameters
    ----------
    ci : CITest
        What answers the questions.
    notes : Blanket
        What to fill in.
    max_cond_size : int or None
        The largest conditioning set of a subset search.
    pc : callable
        The learner of parents and children in step 1.
    """
    # Step 1: find the parents and children of the target, and maybe some descendants.
    pc(ci, notes, max_cond_size=max_cond_size)
    pc1 = tuple(notes.pc)

    # Step 2: find its spouses.
    add_spouses(ci, notes, [x for x in ci.variables if x != notes.target and x not in pc1], pc1, max_cond_size)

    near = (*pc1, *notes.inseparable)  # what step 1 would have found, had knowledge not kept it apart

    # Step 3: remove false parents and children. What separates one from the target holds a spouse, or else
    # step 1 would have found it.
    spouses = notes.all_spouses
    removed = []
    for y in pc1:
        shared = [x for x in notes.candidate_spouses.get(y, ()) if x in spouses]
        among = [*shared, *(x for x in near if x != y)]
        if shared and notes.separate(ci, y, among, sizes_up_to(max_cond_size, among, first=1), containing=shared):
            notes.spouses.pop(y, None)
            removed.append(y)
    for x in tuple(notes.inseparable) if spouses else ():  # as step 3 does for what knowledge does not keep apart
        among = notes.knowledge.pool(notes.target, x, [*spouses, *(z for z in near if z != x)])
        apart = ci.separator(notes.target, x, among, sizes=sizes_up_to(max_cond_size, among), containing=spouses)
        if apart is not None:
            notes.inseparable.remove(x)
            notes.separators[x] = apart
            removed.append(x)

    # Step 4: what was removed may be a spouse.
    add_spouses(ci, notes, removed, near, max_cond_size)
    add_known_spouses(ci, notes, max_cond_size)

    # Step 5: tell parents from children.
    distinguish_pc(ci, notes)
    notes.done = True


def add_spouses(
    ci: CITest, notes: Blanket, others: Sequence[str], pc1: Sequence[str], max_cond_size: int | None
) -> None:
    """Find the spouses among `others`: candidates that no set separates from the child they would share."""
    strength = find_candidate_spouses(ci, notes, others, max_cond_size)
    for y in notes.pc:
        known = notes.spouses.get(y, [])
        new = [x for x in notes.candidate_spouses.get(y, ()) if x in others]
        new.sort(key=lambda x: strength[x, y], reverse=True)
        rest = [notes.target, *(p for p in (*pc1, *notes.inseparable) if p != y)]
        for size in sizes_up_to(max_cond_size, [*known, *new, *rest]):
            for x in tuple(reversed(new)):  # the weakest first
                among = notes.knowledge.pool(x, y, (v for v in dict.fromkeys((*known, *new, *rest)) if v != x))
                if ci.separator(x, y, among, sizes=(size,)) is not None:
                    new.remove(x)
        notes.spouses[y] = [*known, *new]


def add_known_spouses(ci: CITest, notes: Blanket, max_cond_size: int | None) -> None:
    """Find the spouses among the variables that data do not separate from the target, though knowledge does.

    With perfect tests there are none. On data, two columns that nothing causes may well go together. Such a variable is
    a spouse through an effect of the target that is known to be one, if nothing separates it from that effect.
    """
    known = notes.knowledge
    for y in notes.pc:
        for x in notes.inseparable if known.directs(notes.target, y) else ():
            among = known.pool(x, y, [notes.target, *(z for z in (*notes.pc, *notes.all_spouses) if z not in (x, y))])
            permitted = not known.forbids(x, y)
            if permitted and ci.separator(x, y, among, sizes=sizes_up_to(max_cond_size, among)) is None:
                notes.spouses.setdefault(y, []).append(x)
