"""Blanket learners in place of EMB inside ELCS: ELCS-M (MMMB), ELCS-S (STMB) and ELCS-B (BAMB).

S. Yang, H. Wang, K. Yu, F. Cao and X. Wu (2022), Towards efficient local causal structure learning, IEEE Transactions
on Big Data 8(6), section 5.
"""

from __future__ import annotations

from collections.abc import Callable

from elcs.independence.base import CITest
from elcs.learners.notes import Blanket
from elcs.learners.steps.distinguish import distinguish_pc
from elcs.learners.steps.shared_effects import opens

__all__ = ["distinguished"]


def distinguished(ci: CITest, notes: Blanket, *, max_cond_size: int | None = 3, learn: Callable[..., None]) -> None:
    """Learn the Markov blanket of ``notes.target``, then tell parents from children as EMB does.

    Parameters
    ----------
    ci : CITest
        What answers the questions.
    notes : Blanket
        What to fill in.
    max_cond_size : int or None
        The largest conditioning set of a subset search.
    learn : callable
        A blanket learner that tells neighbours from spouses.
    """
    learn(ci, notes, max_cond_size=max_cond_size)
    notes.done = False

    # N-structures are read off the candidate spouses. Learners that look for spouses around their children alone do
    # not know which other neighbours they would be candidates for.
    for y in notes.undirected:
        known = notes.candidate_spouses.setdefault(y, [])
        known.extend(x for x in notes.all_spouses if x not in known and opens(ci, notes, x, y, max_cond_size))

    distinguish_pc(ci, notes, as_published=True)
    notes.done = True
