"""A question about a table that is asked where it lives, again and again until nothing is guessed."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import TypeVar

from elcs.engines.base import Settling
from elcs.errors import BudgetError

__all__ = ["Rounds"]

Answered = TypeVar("Answered")


class Rounds:
    """The same question again and again, until nothing is guessed; as a context, one run of the learner."""

    def __init__(self, guesser: Settling, start: float, timeout: float | None) -> None:
        self.start = start
        self._guesser = guesser
        self._timeout = timeout
        self._stopped = False

    def answer(self, ask: Callable[[], Answered]) -> Answered:
        """Return what `ask` returns once nothing is guessed any more; only the last run may warn."""
        before = self._guesser.otherwise
        try:
            while True:
                with warnings.catch_warnings(record=True) as told:
                    warnings.simplefilter("always")
                    answer = ask()
                if not self._settle():
                    break
        finally:
            self._guesser.otherwise = before
        for warning in told:
            warnings.warn(warning.message, stacklevel=5)
        return answer

    def _settle(self) -> bool:
        """Settle what was guessed; if time is up, or Ctrl-C is pressed, ask once more without guesses."""
        try:
            return self._guesser.settle(self._check)
        except BudgetError:
            self._stopped = True
            return True

    @property
    def seconds_left(self) -> float | None:
        """The time that is left; once it is up, the last run asks only for what is known, and may end."""
        if self._timeout is None or self._stopped:
            return None
        return max(self.start + self._timeout - time.perf_counter(), 0.0)

    def _check(self) -> None:
        if self.seconds_left == 0.0:
            raise BudgetError("time is up")

    def __enter__(self) -> None:
        self._guesser.otherwise = "stop" if self._stopped else "guess"

    def __exit__(self, *_: object) -> None:
        self._guesser.otherwise = "skip" if self._stopped else "guess"  # what evidence is not there is left out
