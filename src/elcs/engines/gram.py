"""The Gram engine: a table as the sums of products of the columns it expands into.

A test then is small linear algebra, which takes as long for a thousand rows as for ten million. An `Expansion` says
which columns a variable becomes: those it stands for plainly, those of the side that a test expands, and those it is
held fixed by. Tests that touch a variable with gaps rest on the rows that have all of their variables; the sums over
these rows are found when they are first needed, and so are those of products of two columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from elcs.data import Discrete, Numeric, Table
from elcs.data.columns import Column
from elcs.engines._kernels import Gram
from elcs.engines._kernels import Tester as CompiledTester
from elcs.engines.base import Tester, critical_value

__all__ = ["Expansion", "Feature", "Form", "GramEngine", "by_indicators", "by_ranks", "by_values"]

Form = Literal["trace", "likelihood", "fisher"]
"""What canonical correlations become: the sum of their squares, a likelihood ratio, or Fisher's z of the only one."""

SPIKE = 0.2
"""A value of a numeric column that so many rows share gets an indicator of its own."""

_ROWS_AT_ONCE = 1 << 14

Vector = NDArray[np.float64]


class Feature(NamedTuple):
    """A column of the expanded table, as a function of what a variable holds.

    Attributes
    ----------
    array : array
        The values of the variable (float64, NaN where one is missing), or its codes.
    level : int
        Of codes: the level that this is the indicator of.
    shift, scale, power : float, float, int
        Of values: with v = (value - shift) * scale, this is v, v² - 1 or v³ - 3v.
    """

    array: NDArray[Any]
    level: int = 0
    shift: float = 0.0
    scale: float = 1.0
    power: int = 1

    def of(self, rows: slice) -> Vector:
        """Return the column for some rows, 0 where a value is missing."""
        part = self.array[rows]
        if part.dtype != np.float64:
            found: Vector = (part == self.level).astype(np.float64)
            return found
        v: Vector = (part - self.shift) * self.scale
        if self.power > 1:
            v = v * v - 1 if self.power == 2 else v * (v * v - 3)  # ** 3 was a third of the time
        v[np.isnan(v)] = 0.0
        return v


class Expansion(NamedTuple):
    """The columns of one variable.

    Attributes
    ----------
    features : sequence of Feature
        All of them.
    plain, expanded, given : sequence of int
        Which of them the variable stands for plainly, which where its side is expanded, which where it is held fixed.
    raw : sequence of int
        Which of them show whether it is a sum of other variables, if the others do not.
    """

    features: Sequence[Feature]
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
    counts = np.bincount(column.ranks, weights)
    counts = counts[:-1] if column.incomplete else counts
    total = counts.sum()
    from scipy.special import ndtri  # here, because it takes longer to import than all the rest

    scores = ndtri(np.clip((np.cumsum(counts) - counts / 2) / max(total, 1), 1e-300, 1 - 1e-16))
    mean = counts @ scores / max(total, 1)
    spread = np.sqrt(counts @ (scores - mean) ** 2 / max(total, 1))
    scores = (scores - mean) / (spread if spread > 0 else 1.0)  # of values without weight, which must not overflow
    u = np.append(scores, np.nan)[column.ranks]
    features = [Feature(u, power=power) for power in (1, 2, 3)] + list(by_values(column, weights).features)
    spike = int(counts.argmax())
    if SPIKE * total <= counts[spike] < total:
        features.append(Feature(column.ranks, spike))
        return Expansion(features, [0], [0, 1, 4], [0, 1, 2, 4], raw=[3])
    return Expansion(features, [0], [0, 1], [0, 1, 2], raw=[3])


def by_values(column: Column, weights: NDArray[np.int64] | None) -> Expansion:
    """Take a column as the numbers it holds."""
    values = column.numbers()
    present = ~column.missing if column.incomplete else slice(None)
    held, weights = values[present], None if weights is None else weights[present]
    if weights is not None and not weights.any():
        weights = None
    largest = max(float(np.abs(held).max()), 1e-300)
    mean = np.average(held / largest, weights=weights)  # or else the squares of large numbers overflow
    spread = np.sqrt(np.average((held / largest - mean) ** 2, weights=weights))
    scale = 1 / spread if spread > 0 else 1.0
    return Expansion([Feature(values, shift=mean * largest, scale=scale / largest)], [0], [0], [0])


def by_indicators(column: Column, weights: NDArray[np.int64] | None) -> Expansion:
    """Expand a discrete column into an indicator for each level but the most frequent; numbers as they are."""
    if isinstance(column, Numeric):
        return by_values(column, weights)
    n_levels = len(column.levels)
    counts = np.bincount(column.codes, weights, minlength=n_levels)[:n_levels]
    shown = [level for level in np.flatnonzero(counts).tolist() if level != counts.argmax()]
    every = range(len(shown))
    return Expansion([Feature(column.codes, level) for level in shown], every, every, every)


Expand = Callable[[Column, NDArray[np.int64] | None], Expansion]


@dataclass(frozen=True)
class GramEngine:
    """The columns that a table expands into, and their correlations.

    Attributes
    ----------
    correlations : array
        Of each column with each other, over the rows that have both.
    columns : list
        For each variable its columns: plain, expanded, held fixed, raw, and those that products are made of.
    total : int
        The number of rows, or the sum of their weights.
    shared : float
        The number of rows that two variables have both, weights counted, on average.
    """

    correlations: NDArray[np.float64]
    columns: list[list[list[int]]]
    total: int
    shared: float
    _gram: Gram

    @classmethod
    def of(cls, table: Table, expand: Expand) -> GramEngine:
        """Lay a table out; it keeps the layout."""
        return table.keep(("gram", expand), lambda table: cls._lay_out(table, expand))

    @classmethod
    def _lay_out(cls, table: Table, expand: Expand) -> GramEngine:
        table.require_finite()
        features: list[Feature] = []
        columns = []
        owners: list[int] = []
        for v, column in enumerate(table.columns):
            expansion = expand(column, table.weights)
            sets = (expansion.plain, expansion.expanded, expansion.given, expansion.raw, expansion.plain)
            columns.append([[len(features) + i for i in chosen] for chosen in sets])
            features += expansion.features
            owners += [v] * len(expansion.features)
        sums, products = np.zeros(len(features)), np.zeros((len(features), len(features)))
        for _, part, weighted in _parts(table, features):
            sums += weighted.sum(axis=0)
            products += weighted.T @ part
        if table.incomplete:
            shared, correlations = _over_shared_rows(table, features, owners, products)
        else:
            shared = float(table.total)
            correlations = _correlations(products, table.total, sums[:, None], np.diag(products)[:, None])
        missing = [column.missing.view(np.uint8) if column.incomplete else None for column in table.columns]
        gram = Gram(features, columns, products, correlations, sums, missing, table.weights)
        return cls(correlations, columns, table.total, shared, gram)

    def tester(self, form: Form, alpha: float, *, products: bool, cache_size: int) -> Tester:
        """Return a compiled tester; with `products`, what is held fixed is held fixed in combination too."""
        return CompiledTester.gram(
            self._gram,
            form=form,
            products=products,
            critical=partial(critical_value, alpha),
            critical_of_two=partial(critical_value, alpha / 2),
            cache_size=cache_size,
        )


def _parts(table: Table, features: Sequence[Feature]) -> Iterator[tuple[slice, Vector, Vector]]:
    """Yield some rows of the expanded table at a time, as they are and as often as they count."""
    for start in range(0, table.n_rows, _ROWS_AT_ONCE):
        rows = slice(start, start + _ROWS_AT_ONCE)
        part = np.column_stack([feature.of(rows) for feature in features])
        yield rows, part, part if table.weights is None else part * table.weights[rows, None]


def _correlations(products: Vector, counts: Vector | int, sums: Vector, squares: Vector) -> Vector:
    """Return correlations; row i and column j of `sums` and `squares` are for column i over the rows that have j."""
    means = sums / counts
    covariances = products / counts - means * means.T
    spread = np.sqrt(np.maximum(squares / counts - means * means, 0.0))
    spread[spread < 1e-12] = np.inf  # a column that does not vary is correlated with nothing
    correlations = np.ascontiguousarray(np.clip(covariances / (spread * spread.T), -1.0, 1.0))
    np.fill_diagonal(correlations, np.isfinite(np.broadcast_to(spread, products.shape).diagonal()))
    return correlations


def _over_shared_rows(
    table: Table, features: Sequence[Feature], owners: Sequence[int], products: Vector
) -> tuple[float, Vector]:
    """Return how many rows two variables share on average, and the correlations of columns over the rows they share.

    `owners` are the variables that the features belong to.
    """
    n = len(table.columns)
    counts, sums, squares = np.zeros((n, n)), np.zeros((len(features), n)), np.zeros((len(features), n))
    missing = np.column_stack([column.missing for column in table.columns])
    for rows, part, weighted in _parts(table, features):
        held = ~missing[rows]
        sums += weighted.T @ held
        squares += (weighted * part).T @ held
        counts += (held if table.weights is None else held * table.weights[rows, None]).T @ held.astype(np.float64)
    of_features = np.maximum(counts, 1)[np.ix_(owners, owners)]
    correlations = _correlations(products, of_features, sums[:, owners], squares[:, owners])
    return float(counts[~np.eye(n, dtype=bool)].mean()), correlations
