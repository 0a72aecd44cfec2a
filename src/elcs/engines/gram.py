"""The Gram engine: a table as the sums of products of the columns it expands into.

A test then is small linear algebra, which takes as long for a thousand rows as for ten million. An `Expansion` says
which columns a variable becomes: those it stands for plainly, those of the side that a test expands, and those it is
held fixed by. Tests that touch a variable with gaps rest on the rows that have all of their variables; the sums over
these rows are found when they are first needed, and so are those of products of two columns.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from elcs.data import Discrete, Numeric, Table
from elcs.data.columns import Column
from elcs.engines._kernels import Blocks, Gram
from elcs.engines._kernels import Tester as CompiledTester
from elcs.engines.base import Tester, critical_value

__all__ = ["MOST_LEVELS", "Expansion", "Feature", "Form", "GramEngine", "by_indicators", "by_ranks", "by_values"]

Form = Literal["trace", "likelihood", "fisher"]
"""What canonical correlations become: the sum of their squares, a likelihood ratio, or Fisher's z of the only one."""

SPIKE = 0.2
"""A value of a numeric column that so many rows share gets an indicator of its own."""

MOST_LEVELS = 31
"""Of a column with more levels than this, only so many but one are told apart: the most frequent ones."""

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
    shares : sequence of float
        What share of the rows each of those tells of that it is held fixed by: an indicator only of the rows in which
        it is 1.
    """

    features: Sequence[Feature]
    plain: Sequence[int]
    expanded: Sequence[int]
    given: Sequence[int]
    raw: Sequence[int] = ()
    shares: Sequence[float] = (1.0,)


def by_ranks(column: Column, weights: NDArray[np.int64] | None) -> Expansion:
    """Expand a numeric column into its normal score u, u² - 1, u³ - 3u and the indicator of a spike.

    A discrete column becomes indicators of its levels.

    The score of a value is the normal quantile of the share of rows below it, half of those that share it included.
    """
    if isinstance(column, Discrete):
        levels = by_indicators(column, weights)
        return levels._replace(raw=levels.plain)
    n_values = int(column.ranks.max()) + (not column.incomplete)
    without_ties = weights is None and n_values == len(column.ranks)
    counts = np.broadcast_to(1, n_values) if without_ties else np.bincount(column.ranks, weights)[:n_values]
    scores = _scores_without_ties(n_values) if without_ties else _normal_scores(counts)
    u = np.append(scores, np.nan)[column.ranks]
    features = [Feature(u, power=power) for power in (1, 2, 3)] + list(by_values(column, weights).features)
    total, spike = counts.sum(), int(counts.argmax())
    if SPIKE * total <= counts[spike] < total:
        features.append(Feature(column.ranks, spike))
        shares = (1.0, 1.0, 1.0, float(counts[spike] / total))
        return Expansion(features, [0], [0, 1, 4], [0, 1, 2, 4], raw=[3], shares=shares)
    return Expansion(features, [0], [0, 1], [0, 1, 2], raw=[3], shares=(1.0, 1.0, 1.0))


def _normal_scores(counts: NDArray[Any]) -> Vector:
    """Return the scores of values that occur so often, in ascending order, with mean 0 and variance 1."""
    from scipy.special import ndtri  # here, because it takes longer to import than all the rest

    total = max(counts.sum(), 1)
    scores: Vector = ndtri(np.clip((np.cumsum(counts) - counts / 2) / total, 1e-300, 1 - 1e-16))
    mean = (counts * scores).sum() / total
    spread = np.sqrt((counts * (scores - mean) ** 2).sum() / total)
    standard: Vector = (scores - mean) / (spread if spread > 0 else 1.0)  # values without weight must not overflow
    return standard


@lru_cache(maxsize=1)
def _scores_without_ties(n: int) -> Vector:
    """Return the scores of n different values, the same for every column: a third of the layout of large tables."""
    return _normal_scores(np.ones(n))


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
    """Expand a discrete column into an indicator for each level but the most frequent; numbers as they are.

    If there are more than `MOST_LEVELS`, the most frequent ones have an indicator, and all the others have none.
    """
    if isinstance(column, Numeric):
        return by_values(column, weights)
    n_levels = len(column.levels)
    counts = np.bincount(column.codes, weights, minlength=n_levels)[:n_levels]
    if np.count_nonzero(counts) > MOST_LEVELS:
        shown = sorted(np.argsort(-counts, kind="stable")[: MOST_LEVELS - 1].tolist())
    else:
        shown = [level for level in np.flatnonzero(counts).tolist() if level != counts.argmax()]
    every = range(len(shown))
    shares = (counts[shown] / max(counts.sum(), 1)).tolist()
    return Expansion([Feature(column.codes, level) for level in shown], every, every, every, shares=shares)


Expand = Callable[[Column, NDArray[np.int64] | None], Expansion]


class GramEngine:
    """The columns that a table expands into, and the sums of their products.

    Parameters
    ----------
    table : Table
        The table.
    expand : callable
        Returns the expansion of a column of the table, given how often each row counts.

    Attributes
    ----------
    columns : list
        For each variable its columns: plain, expanded, held fixed, raw, and those that products are made of.
    shares : list
        For each variable what share of the rows each column tells of that it is held fixed by.
    """

    def __init__(self, table: Table, expand: Expand) -> None:
        table.require_rows("a test on correlations")
        table.require_finite()
        self.table = table
        self.columns: list[list[list[int]]] = []
        self.shares: list[Sequence[float]] = []
        self._features: list[Feature] = []
        for column in table.columns:
            expansion = expand(column, table.weights)
            sets = (expansion.plain, expansion.expanded, expansion.given, expansion.raw, expansion.plain)
            self.columns.append([[len(self._features) + i for i in chosen] for chosen in sets])
            self.shares.append(expansion.shares)
            self._features += expansion.features
        missing = [column.missing.view(np.uint8) if column.incomplete else None for column in table.columns]
        self._gram = Gram(self._features, self.columns, missing, table.weights, os.cpu_count() or 1)

    @classmethod
    def of(cls, table: Table, expand: Expand) -> GramEngine:
        """Lay a table out; it keeps the layout."""
        return table.keep(("gram", expand), lambda table: cls(table, expand))

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

    def blocks(self, *, few_rows: float, price_of_parent: float) -> Blocks:
        """Return the compiled score of blocks; with more than a few rows, parameters cost more than in BIC."""
        ranks = {name: rank for rank, name in enumerate(sorted(self.table.names))}
        return Blocks.of(
            self._gram,
            shares=self.shares,
            ranks=[ranks[name] for name in self.table.names],
            few_rows=few_rows,
            price_of_parent=price_of_parent,
        )
