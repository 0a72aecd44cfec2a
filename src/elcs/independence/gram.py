"""Tests on correlations: for numbers, and for tables of numbers and levels.

All three regress both sides on the conditioning set and ask whether what is left of them is correlated. They differ in
what a column is expanded into first, and in how the canonical correlations become a statistic. They take the same time
whatever the number of rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from elcs.data import Discrete, Table
from elcs.engines.gram import MOST_LEVELS, Expansion, Form, GramEngine, by_indicators, by_ranks, by_values
from elcs.errors import DataError, ElcsError
from elcs.independence.base import CITest, TestResult

__all__ = ["Careful", "DegenerateGaussian", "FisherZ", "Mixed"]


class _GramTest(CITest):
    """What the tests on correlations have in common.

    Parameters
    ----------
    data : table
        Anything that `Table.from_any` takes.
    alpha : float
        Level of significance.
    cache_size : int
        Number of answers to remember (32 bytes each); 0 switches the cache off.
    """

    untestable = "too few rows, or the set leaves nothing of one of the two"
    most_levels: ClassVar[float] = MOST_LEVELS
    _expand: ClassVar[Callable[..., Expansion]]
    _form: ClassVar[Form]
    _products: ClassVar[bool] = False

    def __init__(self, data: Any, *, alpha: float = 0.01, cache_size: int = 1 << 20) -> None:
        if not 0 < alpha < 1:
            raise ElcsError(f"alpha must lie between 0 and 1, not {alpha!r}")
        if cache_size < 0:
            raise ElcsError(f"cache_size must not be negative, but is {cache_size!r}")
        table = Table.from_any(data)
        self._check(table)
        self.alpha = alpha
        self.engine = GramEngine.of(table, type(self)._expand)
        import scipy.special  # noqa: F401  # needed by the first test, which should not be charged for it

        super().__init__(
            table.names, self.engine.tester(self._form, alpha, products=self._products, cache_size=cache_size), table
        )

    def _check(self, table: Table) -> None:
        """Refuse a table that this test cannot be asked about."""
        table.require(self.accepts)

    def correlation(self, x: str, y: str, given: Iterable[str] = ()) -> float | None:
        """Return the partial correlation of what the columns stand for, or None if one has more than two levels."""
        r = super().correlation(x, y, given)
        signs = self._signs[x] * self._signs[y]
        return None if r is None or signs == 0 else signs * r

    @cached_property
    def _signs(self) -> dict[str, int]:
        """For each column 1, -1 where the first of two levels has the indicator, or 0 if it is not one number."""
        signs = dict.fromkeys(self.variables, 1)
        table = self.data
        if table is None or self._form == "fisher":  # which takes the values of levels for numbers
            return signs
        for column in table.columns:
            if isinstance(column, Discrete):
                rows = np.bincount(column.codes, table.weights, minlength=2)[:2]  # the more frequent one has none
                signs[column.name] = 0 if len(column.levels) != 2 else -1 if rows.argmax() == 1 else 1
        return signs


class Mixed(_GramTest):
    """The test for tables of numbers and levels, whatever the numbers are distributed like.

    A numeric column stands as its normal scores, and where its side is expanded also as their square, so that a
    U-shaped dependence shows; what is held fixed enters up to the third power. A discrete column stands as an indicator
    for each level but one, or for the 30 most frequent levels if there are more than 31. Of two numeric columns each is
    expanded in turn, and the smaller p-value counts twice. For two discrete columns and no conditioning set this is
    Pearson's test, times (n - 1) / n.

    Where it errs: given two and more conditioning columns and many rows it finds too many dependences, as it holds them
    fixed one by one and not in combination.

    Parameters
    ----------
    data, alpha, cache_size
        As for `FisherZ`.

    Examples
    --------
    >>> import elcs, numpy as np
    >>> x = np.linspace(-1, 1, 101)
    >>> ci = elcs.Mixed({"x": x, "square": x * x, "side": x > 0})
    >>> ci.independent("x", "square"), ci.independent("square", "side")
    (False, True)
    """

    statistic_name = "T"
    _expand = staticmethod(by_ranks)
    _form = "trace"

    def strength(self, result: TestResult) -> float | None:
        """Return the square root of the sum of the squared canonical correlations, T / (n - 1); at most 1."""
        return math.sqrt(min(result.statistic / (result.n_rows - 1), 1.0)) if result.n_rows > 1 else None


class Careful(Mixed):
    """`Mixed`, with what is held fixed held fixed in combination too.

    Products of two conditioning columns join the conditioning set, so that their joint effect does not pass for a
    dependence; they are left out where they would make more than a tenth as many columns as there are rows.

    Parameters
    ----------
    data, alpha, cache_size
        As for `FisherZ`.

    Examples
    --------
    >>> import elcs, numpy as np
    >>> rng = np.random.default_rng(0)
    >>> a, b, noise, other = rng.normal(size=(4, 2000))
    >>> table = {"a": a, "b": b, "x": a * b + noise, "y": a * b + other}
    >>> elcs.Mixed(table).independent("x", "y", ["a", "b"]), elcs.Careful(table).independent("x", "y", ["a", "b"])
    (False, True)
    """

    _products = True


class FisherZ(_GramTest):
    """Fisher's z-test of a partial correlation, for numbers that depend on each other linearly.

    The statistic is z squared, which follows a chi-squared distribution with one degree of freedom.

    Parameters
    ----------
    data : table
        Anything that `Table.from_any` takes; of its columns all must hold numbers or truth values.
    alpha : float
        Level of significance.
    cache_size : int
        Number of answers to remember (32 bytes each); 0 switches the cache off.

    Examples
    --------
    >>> import elcs, numpy as np
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=200)
    >>> ci = elcs.FisherZ({"x": x, "y": x + rng.normal(size=200), "z": rng.normal(size=200)})
    >>> ci.independent("x", "y"), ci.independent("x", "z", ["y"])
    (False, True)
    """

    statistic_name = "z²"
    most_levels = math.inf  # they are numbers
    _expand = staticmethod(by_values)
    _form = "fisher"

    def strength(self, result: TestResult) -> float | None:
        """Return the size of the correlation."""
        return math.tanh(math.sqrt(result.statistic / (result.n_rows - 3))) if result.n_rows > 3 else None

    def _check(self, table: Table) -> None:
        wordy = [c.name for c in table.columns if isinstance(c, Discrete) and c.taken_for not in ("integer", "boolean")]
        if wordy:
            raise DataError(
                f"column {', '.join(map(repr, wordy))} holds levels, not numbers; choose ci_test='careful', or leave "
                "it out with drop="
            )


class DegenerateGaussian(_GramTest):
    """The degenerate-Gaussian likelihood-ratio test: levels as indicators, everything as if it were Gaussian.

    B. Andrews, J. Ramsey and G. F. Cooper (2019), Learning high-dimensional directed acyclic graphs with mixed
    data-types, PMLR 104.

    Parameters
    ----------
    data, alpha, cache_size
        As for `FisherZ`.

    Examples
    --------
    >>> import elcs
    >>> elcs.DegenerateGaussian({"x": [0.5, 1.5, 2.5] * 40, "side": list("abb") * 40}).independent("x", "side")
    False
    """

    statistic_name = "G2"
    _expand = staticmethod(by_indicators)
    _form = "likelihood"
