"""EMB: the Markov blanket of a variable, with its parents and children told apart as far as the blanket shows.

S. Yang, H. Wang, K. Yu, F. Cao and X. Wu (2022), Towards efficient local causal structure learning, IEEE
Transactions on Big Data 8(6), Algorithms 2 to 4. `emb-ii` tries candidate spouses in the order of their strength.

Guarantee: none. Theorem 3 of the paper does not hold. A spouse that passes for a neighbour in step 1 is lost when
step 3 removes it (T>K D>K D>I K>I I>Y T>Y loses I); and since step 3 shrinks the set it searches in, a false
neighbour can stay (T>K D>K D>I K>I Q>I Q>Z I>Z keeps Z). `emb-exact` has neither defect.
Cost: O(n 2^|PC|) tests for n variables.
"""

from __future__ import annotations

from collections.abc import Callable

from elcs.independence.base import CITest
from elcs.learners.notes import Blanket, sizes_up_to
from elcs.learners.pc.hiton_pc import hiton_pc
from elcs.learners.steps.distinguish import distinguish_pc
from elcs.learners.steps.spouses import find_candidate_spouses

__all__ = ["emb"]


def emb(
    ci: CITest,
    notes: Blanket,
    *,
    max_cond_size: int | None = 3,
    pc: Callable[..., None] = hiton_pc,
    ranked: bool = False,
    n_structures: bool = True,
) -> None:
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
    ranked : bool
        EMB-II: candidate spouses in the order of their strength.
    n_structures : bool
        Whether to recognise children by N-structures.
    """
    # Step 1: find the parents and children of the target.
    pc(ci, notes, max_cond_size=max_cond_size)

    # Step 2: find its spouses.
    recog_spouses(ci, notes, max_cond_size=max_cond_size, ranked=ranked)

    # Step 3: remove false parents and children.
    for y in tuple(notes.pc):
        among = [*notes.spouses.get(y, ()), *(x for x in notes.pc if x != y)]
        if notes.separate(ci, y, among, sizes_up_to(max_cond_size, among)):
            notes.spouses.pop(y, None)

    # Step 4: tell parents from children.
    distinguish_pc(ci, notes, n_structures=n_structures, as_published=True)
    notes.done = True


def recog_spouses(ci: CITest, notes: Blanket, *, max_cond_size: int | None, ranked: bool) -> None:
    """Find candidate spouses, and drop those that some set separates from the child they would share."""
    outside = [x for x in ci.variables if x != notes.target and x not in notes.pc]
    strength = find_candidate_spouses(ci, notes, outside, max_cond_size, as_published=True)
    for y in notes.pc:
        spouses = list(notes.candidate_spouses.get(y, ()))
        if ranked:  # the pool strongest first, the removals weakest first
            spouses.sort(key=lambda x: strength[x, y], reverse=True)
        for x in tuple(reversed(spouses) if ranked else spouses):
            among = [*(s for s in spouses if s != x), notes.target, *(p for p in notes.pc if p != y)]
            among = notes.knowledge.pool(x, y, among)
            if ci.separator(x, y, among, sizes=sizes_up_to(max_cond_size, among)) is not None:
                spouses.remove(x)
        notes.spouses[y] = spouses
