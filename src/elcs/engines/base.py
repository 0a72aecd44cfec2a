"""What an engine is: counts of rows, and a tester that turns counts into verdicts.

An engine knows variables by position only. Names, and everything a learner sees, belong to `elcs.independence`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from typing import Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from elcs.engines._kernels import Budget
from elcs.errors import DataError

__all__ = [
    "Answer",
    "Answers",
    "Budget",
    "Engine",
    "Otherwise",
    "Rule",
    "Settling",
    "Tester",
    "UnsettledError",
    "Verdict",
    "critical_value",
    "table_shape",
]

MOST_CELLS = 1 << 28
"""Cells of the largest table of counts that is returned: 2 GiB."""

Answer = tuple[float, int, int, int, int]
"""The statistic, its degrees of freedom, the `Verdict`, the rows it rests on, and of how many tests it is the best."""

Answers = tuple[
    NDArray[np.float64], NDArray[np.int64], NDArray[np.int8], NDArray[np.int64] | int, NDArray[np.int8] | int
]
"""The same for many questions; of the last two a number if it is the same for all."""


class Verdict(IntEnum):
    """The three outcomes of a test."""

    DEPENDENT = 0
    INDEPENDENT = 1
    UNRELIABLE = 2


@dataclass(frozen=True)
class Rule:
    """How a contingency table becomes a verdict.

    Parameters
    ----------
    statistic : {"g2", "chi2"}
        The likelihood-ratio statistic or Pearson's.
    alpha : float
        Level of significance.
    rows_per_cell : float
        A test is reliable if there are at least this many rows per cell of the full table, that is,
        per combination of levels of all the variables involved.
    """

    statistic: Literal["g2", "chi2"] = "g2"
    alpha: float = 0.01
    rows_per_cell: float = 5.0

    def critical(self, dof: int) -> float:
        """Return the smallest value of the statistic at which a test says dependent."""
        return critical_value(self.alpha, dof)

    def verdict(self, statistic: float, dof: int, *, total: int, cells: float) -> Verdict:
        """Return the verdict on a statistic that comes from `total` rows in a table of `cells` cells."""
        if total < self.rows_per_cell * cells:
            return Verdict.UNRELIABLE
        if dof == 0 or statistic < self.critical(dof):
            return Verdict.INDEPENDENT
        return Verdict.DEPENDENT


@lru_cache(maxsize=4096)
def critical_value(alpha: float, dof: int) -> float:
    """Return the value that a chi-squared variable exceeds with this probability."""
    from scipy.special import chdtri  # here, because it takes longer to import than all the rest

    return float(chdtri(dof, alpha))


class Tester(Protocol):
    """Answers questions, remembers the answers and counts both what was asked and what was computed.

    Attributes
    ----------
    budget : Budget
        What the questions are charged to; it may be shared with others.
    """

    budget: Budget

    @property
    def asked(self) -> int:
        """Number of tests asked for, repeats included."""

    @property
    def computed(self) -> int:
        """Number of tests that the cache could not answer."""

    @property
    def unreliable(self) -> int:
        """Number of questions of `independent` and `separator` that could not be tested.

        A tester of your own need not count them; none are taken to be so then.
        """

    def test(self, x: int, y: int, given: Sequence[int]) -> Answer:
        """Answer one question; the statistic is computed even where it is not reliable."""

    def test_many(self, questions: NDArray[np.int32], skip_unreliable: bool) -> Answers:
        """Answer many questions: each row is x, y and the conditioning set, padded with -1.

        With `skip_unreliable`, an unreliable test need not be computed; its statistic and dof are then 0.
        """

    def independent(self, x: int, y: int, given: Sequence[int]) -> bool:
        """Tell whether the verdict is independent; an unreliable test need not be computed."""

    def association(self, x: int, y: int, given: Sequence[int]) -> float:
        """Return the statistic if the verdict is dependent, else 0; an unreliable test need not be computed."""

    def correlation(self, x: int, y: int, given: Sequence[int]) -> float | None:
        """Return the partial correlation of x and y if each is one number, else None; counts as no test.

        A tester of your own need not have this method; it then knows of no correlations.
        """

    def separator(
        self, x: int, y: int, among: Sequence[int], sizes: Sequence[int], containing: Sequence[int]
    ) -> list[int] | None:
        """Return the positions in `among` of the first subset that separates x and y."""

    def clear_cache(self) -> None:
        """Forget all answers; the counters stay."""


class UnsettledError(Exception):
    """A run cannot go on before what it has guessed is settled."""


Otherwise = Literal["fetch", "guess", "stop", "skip"]
"""What to do about a question that takes a trip to where the table lives: make it, guess, stop as at a limit, or say
that it was not tested."""


@runtime_checkable
class Settling(Protocol):
    """A tester that may guess, and settle its guesses later.

    Attributes
    ----------
    otherwise : {"fetch", "guess", "stop", "skip"}
        What to do about a question that takes a trip to where the table lives.
    """

    otherwise: Otherwise

    @property
    def doing(self) -> str:
        """What is being fetched right now, if anything is."""

    def settle(self, check: Callable[[], None]) -> bool:
        """Find out what was guessed since the last call, calling `check` before each trip; False if nothing was."""


class Engine(Protocol):
    """Counts the rows of one table."""

    @property
    def name(self) -> str:
        """The name that `make_engine` knows it by."""

    @property
    def levels(self) -> tuple[int, ...]:
        """Number of levels of each variable."""

    @property
    def total(self) -> int:
        """Number of rows, or the sum of their weights."""

    def counts(self, variables: Sequence[int]) -> NDArray[np.int64]:
        """Return the contingency table of these variables, one axis each."""

    def family_sum(
        self, variables: Sequence[int], of_cells: NDArray[np.float64], of_configurations: NDArray[np.float64]
    ) -> float:
        """Add up ``of_cells[n]`` over the cells n of the contingency table of these variables.

        Subtract the sum of ``of_configurations[n]`` over the cells n of the table of all but the last variable.
        """

    def tester(self, rule: Rule, *, cache_size: int) -> Tester:
        """Return a tester that remembers up to `cache_size` answers (0: none)."""


def table_shape(levels: Sequence[int], variables: Sequence[int]) -> tuple[int, ...]:
    """Return the shape of the contingency table of these variables, unless it is too large to allocate."""
    shape = tuple(levels[v] for v in variables)
    cells = math.prod(shape)
    if cells > MOST_CELLS:
        raise DataError(
            f"a table of counts over {len(shape)} variables would have {cells:,} cells "
            f"(at most {MOST_CELLS:,}); ask for fewer variables at once"
        )
    return shape
