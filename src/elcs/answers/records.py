"""What a result was made from: enough to give its evidence and to ask again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from elcs.data.profile import Profile, profile
from elcs.graph.pdag import PDAG, Question
from elcs.independence.base import TestResult
from elcs.learners.notes import Blanket
from elcs.study import Study

if TYPE_CHECKING:
    from elcs.answers.local import MarkovBlanket

__all__ = ["Records"]


@dataclass(frozen=True)
class Records:
    """What a result was made from.

    Attributes
    ----------
    variables : tuple of str
        All variables, in order.
    notes : Blanket
        What the method noted about the target.
    graph : PDAG
        What it noted about the edges.
    tests : mapping
        The tests that it rests on.
    statistic : str
        What their statistic is called.
    study : Study or None
        The table and the plan; None if the result was loaded from a file, or if there is no table.
    ask : callable
        Asks a study about a variable.
    """

    variables: tuple[str, ...]
    notes: Blanket
    graph: PDAG
    tests: Mapping[Question, TestResult]
    statistic: str
    study: Study | None
    ask: Callable[[Study, str], MarkovBlanket]

    @cached_property
    def profile(self) -> Profile | None:
        """What the table looked like."""
        return None if self.study is None or self.study.table is None else profile(self.study.table)

    def __getstate__(self) -> dict[str, Any]:
        # A saved result does not hold the data, only what they looked like.
        return {**vars(self), "profile": self.profile, "study": None}
