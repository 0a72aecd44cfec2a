"""A question about a table that is asked where it lives, again and again until nothing is guessed."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from typing import TypeVar

from elcs.engines._kernels import OutOfBudgetError
from elcs.engines.base import Otherwise, Settling, UnsettledError
from elcs.errors import BudgetError

__all__ = ["Rounds"]

Answered = TypeVar("Answered")


class Rounds:
    """The same question again and again, until nothing is guessed; as a context, one run of the learner."""

    def __init__(self, guessers: Sequence[Settling], start: float, timeout: float | None, computed: int) -> None:
        self.start = start
        self.computed = computed  # before the first of them
        self._guessers = guessers
        self._timeout = timeout
        self._interrupted = self._stopped = False

    def answer(self, ask: Callable[[], Answered]) -> Answered:
        """Return what `ask` returns once nothing is guessed any more; only the last run may warn."""
        before = [guesser.otherwise for guesser in self._guessers]
        try:
            while True:
                ended = False
                with warnings.catch_warnings(record=True) as told:
                    warnings.simplefilter("always")
                    try:
                        answer = ask()
                        ended = True
                    except UnsettledError:
                        pass
                    except BudgetError:  # Ctrl-C while evidence was looked up
                        if self._stopped:
                            raise
                        self._stopped = True
                        continue
                if not self._settle() and ended:
                    break
        finally:
            for guesser, otherwise in zip(self._guessers, before, strict=True):
                guesser.otherwise = otherwise
        for warning in told:
            warnings.warn(warning.message, stacklevel=5)
        return answer

    def _settle(self) -> bool:
        """Settle what was guessed; if time is up, or Ctrl-C is pressed, ask once more without guesses."""
        try:
            fetched = [guesser.settle(self._check) for guesser in self._guessers]
        except BudgetError:
            self._stopped = True
            return True
        return any(fetched)

    @property
    def seconds_left(self) -> float | None:
        """The time that is left; once it is up, the last run asks only for what is known, and may end."""
        if self._timeout is None or self._stopped:
            return None
        return max(self.start + self._timeout - time.perf_counter(), 0.0)

    def _check(self) -> None:
        if self._interrupted or self.seconds_left == 0.0:
            raise BudgetError("time is up, or somebody stopped the run")

    def note(self, error: BudgetError) -> None:
        """Note why a run ended early: what is no limit of its budget is Ctrl-C, or nobody waits any more."""
        self._interrupted |= not isinstance(error, OutOfBudgetError)

    def __enter__(self) -> None:
        self._otherwise("stop" if self._stopped else "guess")

    def __exit__(self, *_: object) -> None:
        self._otherwise("skip" if self._stopped else "guess")  # what evidence is not there is left out

    def _otherwise(self, what: Otherwise) -> None:
        for guesser in self._guessers:
            guesser.otherwise = what
