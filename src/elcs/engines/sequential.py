"""A tester in plain Python around one function that answers one question."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from elcs.engines.base import Answer, Answers, Budget, Verdict

__all__ = ["SequentialTester", "question_of"]

Measure = Callable[[int, int, tuple[int, ...]], tuple[float, int, int] | Answer]

_DEPENDENT, _INDEPENDENT, _UNRELIABLE = (int(verdict) for verdict in Verdict)


def question_of(x: int, y: int, given: Sequence[int]) -> tuple[int, ...]:
    """Return a question in the form that its answer is remembered by: the same whoever of x and y comes first."""
    return (x, y, *sorted(given)) if x < y else (y, x, *sorted(given))


class SequentialTester:
    """Asks `measure`, one question at a time, and remembers the answers.

    This is the tester of every test that is not a compiled contingency table: the reference engine, the
    d-separation oracle, a test of your own. It shows in a few lines what the compiled tester does.

    Parameters
    ----------
    measure : callable
        ``measure(x, y, given)`` returns ``(statistic, dof, verdict)``, and if these vary, the number of rows and of how
        many tests it is the best. It is called with ``x < y`` and a sorted ``given``.
    cache_size : int
        Number of answers to remember; 0 switches the cache off.
    rows : int
        How many rows the tests rest on, if `measure` does not say.
    """

    def __init__(self, measure: Measure, *, cache_size: int, rows: int = 0) -> None:
        self._measure = measure
        self._rows = rows
        self._cache: dict[tuple[int, ...], Answer] = {}
        self._cache_size = cache_size
        self.budget = Budget()
        self.asked = 0
        self.computed = 0
        self.unreliable = 0

    def test(self, x: int, y: int, given: Sequence[int]) -> Answer:
        """Answer one question."""
        self.budget.spend()
        self.asked += 1
        question = question_of(x, y, given)
        answer = self._cache.get(question)
        if answer is None:
            if len(set(question)) < len(question):
                raise ValueError("a variable appears twice in one question")
            answer = self._computed(question)
        return answer

    def _computed(self, question: tuple[int, ...]) -> Answer:
        """Compute an answer, and remember it."""
        found = self._measure(question[0], question[1], question[2:])
        answer = found if len(found) == 5 else (*found, self._rows, 1)
        self.computed += 1
        if self._cache_size:
            if len(self._cache) >= self._cache_size:
                self._cache.clear()
            self._cache[question] = answer
        return answer

    def test_many(self, questions: NDArray[np.int32], skip_unreliable: bool) -> Answers:
        """Answer many questions, each a row padded with -1; all of them are computed."""
        rows = [[v for v in row if v >= 0] for row in questions.tolist()]
        return self._in_columns([self.test(row[0], row[1], row[2:]) for row in rows])

    @staticmethod
    def _in_columns(answers: Sequence[Answer]) -> Answers:
        return (
            np.array([a[0] for a in answers], dtype=np.float64),
            np.array([a[1] for a in answers], dtype=np.int64),
            np.array([a[2] for a in answers], dtype=np.int8),
            np.array([a[3] for a in answers], dtype=np.int64),
            np.array([a[4] for a in answers], dtype=np.int8),
        )

    def independent(self, x: int, y: int, given: Sequence[int]) -> bool:
        """Tell whether the verdict is independent."""
        verdict = self.test(x, y, given)[2]
        self.unreliable += verdict == _UNRELIABLE
        return verdict == _INDEPENDENT

    def association(self, x: int, y: int, given: Sequence[int]) -> float:
        """Return the statistic if the verdict is dependent, else 0."""
        statistic, _, verdict, *_ = self.test(x, y, given)
        return statistic if verdict == _DEPENDENT else 0.0

    def correlation(self, x: int, y: int, given: Sequence[int]) -> None:
        """Return None: nothing is known of the numbers behind `measure`."""

    def separator(
        self, x: int, y: int, among: Sequence[int], sizes: Sequence[int], containing: Sequence[int]
    ) -> list[int] | None:
        """Return the positions in `among` of the first subset that separates x and y."""
        required = {i for i, v in enumerate(among) if v in containing}
        for size in sizes:
            for subset in combinations(range(len(among)), size):
                if containing and required.isdisjoint(subset):
                    continue
                if self.independent(x, y, [among[i] for i in subset]):
                    return list(subset)
        return None

    def clear_cache(self) -> None:
        """Forget all answers."""
        self._cache.clear()
