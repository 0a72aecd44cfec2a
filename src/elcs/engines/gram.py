"""The Gram engine: a table as the correlations of the columns it expands into.

A test then is small linear algebra, which takes as long for a thousand rows as for ten million. An `Expansion` says
which columns a variable becomes: those it stands for plainly, those of the side that a test expands, and those it is
held fixed by.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from elcs.data import Discrete, Numeric, Table
from elcs.data.columns import Column
from elcs.engines._kernels import Tester as CompiledTester
from elcs.engines.base import Tester, critical_value

__all__ = ["Expansion", "Form", "GramEngine", "by_indicators", "by_ranks", "by_values"]

Form = Literal["trace", "likelihood", "fisher"]
"""What canonical correlations become: the sum of their squares, a likelihood ratio, or Fisher's z of the only one."""

SPIKE = 0.2
"""A value of a numeric column that so many rows share gets an indicator of its own."""

_ROWS_AT_ONCE = 1 << 14

Vector = NDArray[np.float64]


class Expansion(NamedTuple):
    """The columns of one variable, as functions of a slice of rows.

    Attributes
    ----------
    columns : sequence of callables
        Each returns a column for some rows.
    plain, expanded, given : sequence of int
        Which of them the variable stands for plainly, which where its side is expanded, which where it is held fixed.
    raw : sequence of int
        Which of them show whether it is a sum of other variables, if the others do not.
    """

    columns: Sequence[Callable[[slice], Vector]]
    plain: Sequence[int]
    expanded: Sequence[int]
    given: Sequence[int]
    raw: Sequence[int] = ()


def by_ranks(column: Column, weights: NDArray[np.int64] | None) -> Expansion:
    """Expand a numeric column into its normal score u, u² - 1, u³ - 3u and the indicator of a spike.

    A discrete column becomes indicators of its levels.

    The score of a value is the normal quantile of the share of rows below it, half of those that share it included.
    """
    if isinstance(column, Discrete):
        levels = by_indicators(column, weights)
        return levels._replace(raw=levels.plain)
    values, at = np.unique(column.values, return_inverse=True)
    counts = np.bincount(at, weights, minlength=len(values))
    total = counts.sum()
    from scipy.special import ndtri  # here, because it takes longer to import than all the rest

    scores = ndtri(np.clip((np.cumsum(counts) - counts / 2) / total, 1e-300, 1 - 1e-16))
    mean = counts @ scores / total
    spread = np.sqrt(counts @ (scores - mean) ** 2 / total)
    scores = (scores - mean) / (
        spread if spread > 0 else 1.0
    )  # rows of other values do not count, but must not overflow
    u: Vector = scores[at]
    columns: list[Callable[[slice], Vector]] = [
        lambda rows: u[rows],
        lambda rows: u[rows] * u[rows] - 1,
        lambda rows: u[rows] * (u[rows] * u[rows] - 3),  # ** 3 was a third of the time
    ]
    columns += by_values(column, weights).columns
    spike = int(counts.argmax())
    if SPIKE <= counts[spike] / total < 1:
        columns.append(lambda rows: (at[rows] == spike).astype(np.float64))
        return Expansion(columns, [0], [0, 1, 4], [0, 1, 2, 4], raw=[3])
    return Expansion(columns, [0], [0, 1], [0, 1, 2], raw=[3])


def by_values(column: Column, weights: NDArray[np.int64] | None) -> Expansion:
    """Take a column as the numbers it holds."""
    values = column.numbers()
    values = values / max(float(np.abs(values).max()), 1e-300)  # or else the squares of large numbers overflow
    mean = np.average(values, weights=weights)
    spread = np.sqrt(np.average((values - mean) ** 2, weights=weights))
    scaled = (values - mean) / (spread if spread > 0 else 1.0)
    return Expansion([lambda rows: scaled[rows]], [0], [0], [0])


def by_indicators(column: Column, weights: NDArray[np.int64] | None) -> Expansion:
    """Expand a discrete column into an indicator for each level but the most frequent; numbers as they are."""
    if isinstance(column, Numeric):
        return by_values(column, weights)
    counts = np.bincount(column.codes, weights, minlength=len(column.levels))
    shown = [level for level in np.flatnonzero(counts).tolist() if level != counts.argmax()]
    codes = column.codes

    def indicator(rows: slice, level: int) -> Vector:
        found: Vector = (codes[rows] == level).astype(np.float64)
        return found

    every = range(len(shown))
    return Expansion([partial(indicator, level=level) for level in shown], every, every, every)


@dataclass(frozen=True)
class GramEngine:
    """The correlations of all expanded columns of a table.

    Attributes
    ----------
    correlations : array
        Of each column with each other.
    columns : list
        For each variable its columns: plain, expanded, held fixed and raw.
    total : int
        The number of rows, or the sum of their weights.
    """

    correlations: NDArray[np.float64]
    columns: list[list[list[int]]]
    total: int

    @classmethod
    def of(cls, table: Table, expand: Callable[[Column, NDArray[np.int64] | None], Expansion]) -> GramEngine:
        """Lay a table out; it keeps the layout."""
        return table.keep(("gram", expand), lambda table: cls._lay_out(table, expand))

    @classmethod
    def _lay_out(cls, table: Table, expand: Callable[[Column, NDArray[np.int64] | None], Expansion]) -> GramEngine:
        table.require_finite()
        made: list[Callable[[slice], Vector]] = []
        columns = []
        for column in table.columns:
            expansion = expand(column, table.weights)
            sets = (expansion.plain, expansion.expanded, expansion.given, expansion.raw)
            columns.append([[len(made) + i for i in chosen] for chosen in sets])
            made += expansion.columns
        sums, products = np.zeros(len(made)), np.zeros((len(made), len(made)))
        for start in range(0, table.n_rows, _ROWS_AT_ONCE):
            rows = slice(start, start + _ROWS_AT_ONCE)
            part = np.column_stack([column(rows) for column in made])
            weighted = part if table.weights is None else part * table.weights[rows, None]
            sums += weighted.sum(axis=0)
            products += weighted.T @ part
        means = sums / table.total
        covariances = products / table.total - np.outer(means, means)
        spread = np.sqrt(np.maximum(np.diag(covariances), 0.0))
        spread[spread < 1e-12] = np.inf  # a column that does not vary is correlated with nothing
        correlations = np.ascontiguousarray(np.clip(covariances / np.outer(spread, spread), -1.0, 1.0))
        np.fill_diagonal(correlations, np.isfinite(spread))
        return cls(correlations, columns, table.total)

    def tester(self, form: Form, alpha: float, *, cache_size: int) -> Tester:
        """Return a compiled tester."""
        return CompiledTester.gram(
            self.correlations,
            self.columns,
            float(self.total),
            form=form,
            critical=partial(critical_value, alpha),
            critical_of_two=partial(critical_value, alpha / 2),
            cache_size=cache_size,
        )
