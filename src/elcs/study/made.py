"""What a study has made so far, and the budget that pays for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from elcs.engines import Budget, Numbers
from elcs.independence import CITest
from elcs.scores import Score

__all__ = ["Made", "paid_from"]


@dataclass
class Made:
    """What has been made so far."""

    tests: CITest | None = None
    scores: Score | None = None
    numbers: Numbers | None = None

    @property
    def sources(self) -> list[CITest | Score | Numbers]:
        """All of it."""
        return [source for source in (self.tests, self.scores, self.numbers) if source is not None]


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
