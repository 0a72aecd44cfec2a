"""Spouses: variables that depend on the target once a shared effect is held fixed."""

from __future__ import annotations

from collections.abc import Callable

from elcs.independence.base import CITest
from elcs.learners.notes import Blanket

__all__ = ["note_spouses_around", "opens"]


def note_spouses_around(ci: CITest, notes: Blanket, pc: Callable[..., None], max_cond_size: int | None) -> None:
    """Find the spouses of ``notes.target`` among the neighbours of its neighbours, which the learner `pc` finds."""
    for y in notes.pc:
        around = notes.beside(y)
        pc(ci, around, max_cond_size=max_cond_size)
        others = [x for x in around.pc if x != notes.target and x not in notes.pc]
        spouses = [x for x in others if opens(ci, notes, x, y, max_cond_size)]
        if spouses:
            notes.candidate_spouses[y], notes.spouses[y] = list(spouses), spouses


def opens(ci: CITest, notes: Blanket, x: str, y: str, max_cond_size: int | None) -> bool:
    """Tell whether x and the target depend on each other given y on top of what separates them."""
    apart = notes.set_apart(ci, x, max_cond_size)
    return apart is not None and y not in apart and not ci.independent(x, notes.target, (*apart, y))
