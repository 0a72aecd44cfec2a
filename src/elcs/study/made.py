"""What a study asks: tests, scores and numbers, made when they are first needed, and the budget that pays for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from elcs.data import Table
from elcs.engines import Budget, Numbers
from elcs.engines.base import Settling
from elcs.errors import ElcsError
from elcs.independence import CITest
from elcs.scores import Score
from elcs.study.plan import Plan

__all__ = ["Made", "Recipes", "paid_from"]

Recipes = tuple[Callable[[Table], CITest] | None, Callable[[Table], Score] | None]
"""Functions that make the same tests and scores from another table, for those that were made beforehand."""


class Made:
    """The tests, scores and numbers of one table.

    Parameters
    ----------
    tests, scores : CITest, Score, optional
        Those that were made beforehand; otherwise the plan makes them from the table.
    recipes : pair of callables
        What makes them from the table in place of the plan.
    """

    def __init__(
        self, tests: CITest | None = None, scores: Score | None = None, recipes: Recipes = (None, None)
    ) -> None:
        self.given = (tests, scores)
        self.recipes = recipes
        self.tests = tests
        self.scores = scores
        self.numbers: Numbers | None = None

    @property
    def sources(self) -> list[CITest | Score | Numbers]:
        """All that has been made so far."""
        return [source for source in (self.tests, self.scores, self.numbers) if source is not None]

    @property
    def guessers(self) -> list[Settling]:
        """What takes trips to where the table lives, if that is needed."""
        asked = [source.settling for source in (self.tests, self.scores) if source is not None]
        return [guesser for guesser in asked if guesser is not None]

    def make_tests(self, plan: Plan, table: Table) -> CITest:
        """Make the tests."""
        made = (self.recipes[0] or plan.make_tests)(table)
        if not isinstance(made, CITest):
            raise ElcsError(f"ci_test= must make a CITest; it made {made!r}")
        self.tests = made
        return made

    def make_scores(self, plan: Plan, table: Table) -> Score:
        """Make the scores."""
        made = (self.recipes[1] or plan.make_scores)(table)
        if not isinstance(made, Score):
            raise ElcsError(f"score= must make a Score; it made {made!r}")
        self.scores = made
        return made

    def anew(self, tests: CITest | None = None, scores: Score | None = None) -> Made:
        """Return the same with nothing made yet, except that these tests and scores are to be made again like any."""
        own = (self.given[0] or tests, self.given[1] or scores)
        return Made(recipes=(_recipe(own[0]) or self.recipes[0], _recipe(own[1]) or self.recipes[1]))


def _recipe(source: Any) -> Any:
    return None if source is None or not source.divisible else source.recipe


@contextmanager
def paid_from(budget: Budget, sources: Sequence[CITest | Score | Numbers]) -> Iterator[None]:
    """Let sources be paid from a budget for a while; somebody may have limited one of them for good."""
    before = [(source, source.budget) for source in sources]
    for source in sources:
        source.budget = budget
    try:
        yield
    finally:
        for source, own in before:
            source.budget = own
