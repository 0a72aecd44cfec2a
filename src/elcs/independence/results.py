"""The outcome of one test, and of many."""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, Mapping, Sequence
from typing import NamedTuple

from elcs.engines._kernels import decode
from elcs.engines.base import Answers, Verdict

__all__ = ["TestResult", "TestResults"]

_DEPENDENT = int(Verdict.DEPENDENT)  # numpy takes a microsecond more to compare with a member of an enumeration


class TestResult(NamedTuple):
    """The outcome of one test.

    Attributes
    ----------
    statistic : float
        The test statistic; under independence it follows a chi-squared distribution.
    dof : int
        Its degrees of freedom; 0 if the data leave nothing to test, or if no distribution is involved.
    reliable : bool
        Whether there were enough rows to trust the test.
    independent : bool
        Whether the test found independence; always False for an unreliable test.
    n_rows : int
        How many rows the test rests on, weights counted; 0 if it rests on none.
    best_of : int
        Of how many tests this is the one with the least p-value, which is then multiplied by that number.
    """

    statistic: float
    dof: int
    reliable: bool
    independent: bool
    n_rows: int = 0
    best_of: int = 1

    @property
    def made(self) -> bool:
        """Whether it could be made at all: there were enough rows, and in some stratum both variables vary."""
        return self.reliable and (self.dof > 0 or self.n_rows == 0)  # a perfect test has neither

    @property
    def p_value(self) -> float:
        """Probability of a statistic this large under independence, computed when it is read."""
        if self.dof == 0:
            return 0.0 if self.statistic > 0 else 1.0
        from scipy.special import chdtrc  # here, because it takes longer to import than all the rest

        return min(self.best_of * float(chdtrc(self.dof, self.statistic)), 1.0)

    def __repr__(self) -> str:
        return (
            f"TestResult(statistic={self.statistic:.6g}, dof={self.dof}, p_value={self.p_value:.4g}, "
            f"reliable={self.reliable}, independent={self.independent})"
        )


TestResult.__test__ = False  # type: ignore[attr-defined]  # or else pytest takes it for a test class


class TestResults(Mapping[str, TestResult]):
    """The outcomes of the tests of one variable with each of some others, by name.

    A learner of whole graphs wants to know which others depend on the variable, and no more. So the records are made
    when one of them is first looked up: at 2,000 variables, 4 million of them take 1 s of 8.

    Parameters
    ----------
    names : sequence of str
        The others.
    answers : tuple of arrays
        What a `Tester` says about each.
    """

    __test__ = False

    def __init__(self, names: Sequence[str], answers: Answers) -> None:
        self._names = names
        self._answers = answers
        self._made: dict[str, TestResult] | None = None

    @property
    def _records(self) -> dict[str, TestResult]:
        if self._made is None:
            self._made = dict(zip(self._names, decode(TestResult, *self._answers), strict=True))
        return self._made

    def __getitem__(self, name: str) -> TestResult:
        return self._records[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, name: object) -> bool:
        return name in self._records

    def items(self) -> ItemsView[str, TestResult]:
        """Return the names with the records; at the speed of a dictionary, which the one inherited has not."""
        return self._records.items()

    @property
    def dependent(self) -> dict[str, float]:
        """The statistics of those that were found to depend on the variable; a test that is not reliable finds none."""
        at = (self._answers[2] == _DEPENDENT).nonzero()[0]
        return dict(zip([self._names[i] for i in at.tolist()], self._answers[0][at].tolist(), strict=True))
