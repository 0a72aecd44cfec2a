"""The six questions that learners ask, in terms of variable names, and two that their readers ask."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import ClassVar, NoReturn

import numpy as np

from elcs.data.table import Table
from elcs.engines._kernels import decode, encode
from elcs.engines.base import Budget, Settling, Tester, Verdict
from elcs.engines.source import Source
from elcs.errors import DataError, ElcsError, unknown_name
from elcs.independence.results import TestResult, TestResults

__all__ = ["CITest", "TestResult"]

Query = tuple[str, str, Sequence[str]]

# As plain integers: a comparison with a member of the enumeration costs more than the rest of a question.
_INDEPENDENT, _UNRELIABLE = int(Verdict.INDEPENDENT), int(Verdict.UNRELIABLE)


class CITest(Source):
    """Answers conditional-independence questions about named variables.

    A learner sees nothing else: not the data, not the level of significance, not the cache. The same learner
    therefore runs on a table, on a database and on a known graph.

    To add a test, write a function ``measure(x, y, given)`` that answers one question about variables known by
    position with ``(statistic, dof, verdict)``, and wrap it in a `SequentialTester`, which takes care of the order of
    the arguments, the cache, the counters and the subset search.

    Parameters
    ----------
    variables : iterable of str
        The names, in order.
    tester : Tester
        Answers questions about variables known by position.
    data : Table, optional
        The table behind it. With a table, and if the first argument of the subclass's own constructor is the table,
        results know what the data looked like and can be asked for their stability.

    Attributes
    ----------
    statistic_name : str
        The name of its statistic in explanations and tables.
    untestable : str
        Why a test may not be reliable, in a few words.

    Examples
    --------
    A test that finds two variables dependent if their positions differ by one:

    >>> from elcs.engines import SequentialTester, Verdict
    >>> def measure(x, y, given):
    ...     near = abs(x - y) == 1
    ...     return float(near), 0, Verdict.DEPENDENT if near else Verdict.INDEPENDENT
    >>> ci = CITest("abc", SequentialTester(measure, cache_size=100))
    >>> ci.independent("a", "b"), ci.independent("a", "c")
    (False, True)
    """

    statistic_name: ClassVar[str] = "statistic"
    untestable: ClassVar[str] = "too few rows"

    def __init__(self, variables: Iterable[str], tester: Tester, data: Table | None = None) -> None:
        self.variables = tuple(variables)
        self.data = data
        self._position = {name: i for i, name in enumerate(self.variables)}
        self._tester = tester
        self._elsewhere = (0, 0)

    @property
    def budget(self) -> Budget:
        """The budget that tests are charged to; it may be shared with others."""
        return self._tester.budget

    @budget.setter
    def budget(self, budget: Budget) -> None:
        self._tester.budget = budget

    @property
    def n_asked(self) -> int:
        """Number of tests asked for, repeats included."""
        return self._tester.asked + self._elsewhere[0]

    @property
    def n_computed(self) -> int:
        """Number of tests that had to be computed."""
        return self._tester.computed + self._elsewhere[1]

    @property
    def n_unreliable(self) -> int:
        """Number of sets that `independent` and `separator` could not test."""
        return getattr(self._tester, "unreliable", 0)

    def add_counts(self, asked: int, computed: int) -> None:
        """Count tests that a copy in another process made."""
        self._elsewhere = (self._elsewhere[0] + asked, self._elsewhere[1] + computed)

    def independent(self, x: str, y: str, given: Iterable[str] = ()) -> bool:
        """Tell whether x and y are independent given the others; False if the test is not reliable."""
        at = self._position
        try:
            return self._tester.independent(at[x], at[y], [at[z] for z in given])
        except (KeyError, ValueError) as error:
            self._refuse(error, x, y, given)

    def test(self, x: str, y: str, given: Iterable[str] = ()) -> TestResult:
        """Test whether x and y are independent given the others."""
        at = self._position
        try:
            statistic, dof, verdict, rows, best_of = self._tester.test(at[x], at[y], [at[z] for z in given])
        except (KeyError, ValueError) as error:
            self._refuse(error, x, y, given)
        return TestResult(statistic, dof, verdict != _UNRELIABLE, verdict == _INDEPENDENT, rows, best_of)

    def test_many(self, queries: Iterable[Query], *, skip_unreliable: bool = False) -> list[TestResult]:
        """Test many ``(x, y, given)`` in one trip to the engine.

        Parameters
        ----------
        queries : iterable of (str, str, sequence of str)
            The questions. Consecutive ones that share x and the conditioning set are answered fastest.
        skip_unreliable : bool
            Do not compute the tests that are not reliable, which are the slowest; their statistic is then 0.
        """
        asked = list(queries)
        try:
            flat, width = encode(self._position, asked)
            answers = self._tester.test_many(flat.reshape(-1, width), skip_unreliable)
        except (KeyError, ValueError) as error:
            doubled = [query for query in asked if len({*query[:2], *query[2]}) < 2 + len(query[2])]
            self._refuse(error, *(doubled or asked)[0])
        return decode(TestResult, *answers)

    def test_each(self, x: str, others: Sequence[str]) -> TestResults:
        """Test x with each of some others, in one trip to the engine."""
        at = self._position
        questions = np.empty((len(others), 2), np.int32)
        try:
            questions[:, 0] = at[x]
            questions[:, 1] = np.fromiter(map(at.__getitem__, others), np.int32, len(others))
            return TestResults(others, self._tester.test_many(questions, False))
        except (KeyError, ValueError) as error:
            self._refuse(error, x, x, ())

    def separator(
        self, x: str, y: str, among: Iterable[str], *, sizes: Iterable[int], containing: Iterable[str] = ()
    ) -> tuple[str, ...] | None:
        """Return the first subset of `among` given which x and y are independent, or None.

        Parameters
        ----------
        x, y : str
            The two variables.
        among : iterable of str
            The pool; its order decides which of several separating sets is found.
        sizes : iterable of int
            The sizes of the subsets to try, in this order; within a size they are tried lexicographically in
            the order of `among`.
        containing : iterable of str
            If not empty, only subsets that hold at least one of these are tried.
        """
        at = self._position
        among = tuple(among)
        try:
            found = self._tester.separator(
                at[x], at[y], [at[z] for z in among], list(sizes), [at[z] for z in containing]
            )
        except (KeyError, ValueError) as error:
            self._refuse(error, x, y, among)
        return None if found is None else tuple([among[i] for i in found])

    def association(self, x: str, y: str, given: Iterable[str] = ()) -> float:
        """Return the statistic if the test finds dependence, else 0: the larger, the stronger the link."""
        at = self._position
        try:
            return self._tester.association(at[x], at[y], [at[z] for z in given])
        except (KeyError, ValueError) as error:
            self._refuse(error, x, y, given)

    def correlation(self, x: str, y: str, given: Iterable[str] = ()) -> float | None:
        """Return the partial correlation of x and y, or None where that has no meaning.

        It has one if the test takes each of the two for one number; what that is, is for the test to say. A column of
        two levels is 1 for the second level and 0 for the first. Asking this counts as no test.

        Examples
        --------
        >>> import elcs
        >>> ci = elcs.Mixed({"km": [0.5 * i for i in range(40)], "tired": ["no"] * 25 + ["yes"] * 15})
        >>> round(ci.correlation("km", "tired"), 2), elcs.G2({"a": [0, 1] * 9, "b": [0, 1] * 9}).correlation("a", "b")
        (0.79, None)
        """
        ask = getattr(self._tester, "correlation", None)
        at = self._position
        try:
            place = at[x], at[y], [at[z] for z in given]
            return None if ask is None else ask(*place)
        except (KeyError, ValueError) as error:
            self._refuse(error, x, y, given)

    def strength(self, result: TestResult) -> float | None:
        """Return how strong an association is, from 0 to 1, whatever the test and the number of rows; None if unknown.

        For two normal variables it is the size of their correlation. Here it is Linfoot's measure,
        sqrt(1 - exp(-G2 / n)): G2 / n is twice the mutual information. A test whose statistic is no likelihood ratio
        has another formula for the same.

        Examples
        --------
        >>> import elcs
        >>> ci = elcs.G2({"a": [0, 1] * 50, "b": [0, 1] * 45 + [1, 0] * 5})
        >>> round(ci.strength(ci.test("a", "b")), 2)
        0.72
        """
        if result.n_rows <= 0:
            return None
        return math.sqrt(-math.expm1(-max(result.statistic, 0.0) / result.n_rows))

    @property
    def settling(self) -> Settling | None:
        """What settles guesses, if there may be any: about a table that is asked where it lives, to make few trips."""
        return self._tester if isinstance(self._tester, Settling) else None

    def clear_cache(self) -> None:
        """Forget all answers; the counters stay."""
        self._tester.clear_cache()

    def _refuse(self, error: KeyError | ValueError, x: str, y: str, given: Iterable[str]) -> NoReturn:
        if isinstance(error, ElcsError):
            raise error
        if isinstance(error, KeyError):
            raise unknown_name(error.args[0], self.variables, what="variable") from None
        raise DataError(f"cannot ask about {x!r} and {y!r} given {list(given)!r}: {error}") from None
