"""What a result was made from: enough to give its evidence and to ask again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from elcs.answers.background import Background, rows_of
from elcs.answers.evidence import CitedTest
from elcs.answers.gathering import described
from elcs.data.profile import Profile, profile
from elcs.graph.pdag import PDAG, Question
from elcs.independence.base import CITest, TestResult
from elcs.learners.notes import Blanket
from elcs.study import Study

if TYPE_CHECKING:
    from elcs.answers.blanket import MarkovBlanket

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
    statistic, untestable : str
        What their statistic is called, and why one may not be reliable.
    ci : CITest or None
        What made them, if that was there before the run; otherwise the study can make it again.
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
    untestable: str
    ci: CITest | None
    study: Study | None
    ask: Callable[[Study, str], MarkovBlanket]

    @cached_property
    def profile(self) -> Profile | None:
        """What the table looked like."""
        table = None if self.study is None else self.study.table
        return None if table is None else table.keep("profile", profile)

    @property
    def background(self) -> Background | None:
        """The table behind the answer, and how many of its rows the tests used."""
        return None if self.profile is None else Background(self.profile, rows_of(self.tests.values()))

    @cached_property
    def cited(self) -> Mapping[Question, CitedTest]:
        """The tests that it rests on, with all that can be said about them; worked out when somebody asks."""
        ci = self.study.tests if self.tests and self.ci is None and self.study is not None else self.ci
        total = self.profile.total if self.profile is not None else 0
        return described(ci, self.tests, total)

    def __getstate__(self) -> dict[str, Any]:
        # A saved result does not hold the data, only what they looked like.
        return {**vars(self), "profile": self.profile, "cited": self.cited, "study": None, "ci": None}
