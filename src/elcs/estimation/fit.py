"""An estimate: what the effect would be at each point of the cause, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from elcs.data.columns import Column, Numeric
from elcs.data.table import Table
from elcs.errors import DataError
from elcs.estimation.cells import Standardised, standardise
from elcs.estimation.regression import regress_on_levels, regress_on_numbers
from elcs.estimation.rows import Rows, rows_of

__all__ = ["LEAST", "MEAN", "Fit", "estimate", "points_of", "unchanged"]

MEAN = "mean"
"""Stands for the levels of a numeric effect."""

LEAST = 5
"""Levels of the cause with fewer observations are left out."""

FEWEST = 20
"""Fewer observations are no estimate."""

MOST_NUMBERS = 50_000_000
"""So many numbers, levels of both times rows, are held in memory at once: 400 MB."""

QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)
_SURE = 1.959963984540054  # half of the width of a 95 % interval, in standard errors

Floats = NDArray[np.float64]
Interval = tuple[float, float]


@dataclass(frozen=True, eq=False)
class Fit:
    """What the effect would be at each point of the cause.

    Attributes
    ----------
    points : tuple
        The levels of the cause, or some quantiles of a numeric one.
    levels : tuple
        The levels of the effect, or `MEAN` alone for a numeric one.
    outcomes : array
        For each point the share of each level, or the mean.
    today : array
        The same as it is, among the same rows.
    n_rows : int
        How many observations there are.
    counts : tuple of int
        How many of them are at each point; empty for a numeric cause.
    few : tuple
        Levels of the cause that were left out, having too few observations.
    overlap : float or None
        The share of the observations in strata in which all points occur; where a number is held fixed, of those that
        all points reach; for a numeric cause, on average over its points.
    slope : array or None
        How much the effect changes if a numeric cause grows by 1.
    """

    points: tuple[object, ...]
    levels: tuple[object, ...]
    outcomes: Floats
    today: Floats
    n_rows: int
    counts: tuple[int, ...] = ()
    few: tuple[object, ...] = ()
    overlap: float | None = None
    slope: Floats | None = None
    _covariance: Floats = field(
        default_factory=lambda: np.zeros((0, 0, 0)), repr=False
    )  # of points and today, by level
    _unseen: Floats | None = field(default=None, repr=False)  # variance from cells without observations
    _slope_errors: Floats | None = field(default=None, repr=False)
    _reach: Interval = field(default=(0.0, 1.0), repr=False)  # the least and the most that an outcome can be

    @property
    def are_shares(self) -> bool:
        """Whether the outcomes are shares of levels, not means."""
        return self.levels != (MEAN,)

    def interval(self, point: int, level: int) -> Interval:
        """Return the 95 % interval of an outcome."""
        value, variance = float(self.outcomes[point, level]), float(self._covariance[level, point, point])
        doubt = self._doubt(point, level)
        low, high = self._around(value, variance + doubt, self._seen(point))
        if not self.are_shares or not doubt:
            return low, high
        # A share of exactly 0 or 1 among what was seen says nothing about cells without observations.
        seen, apart = self._around(value, variance, self._seen(point)), _SURE * doubt**0.5
        return (
            max(min(low, value - float(np.hypot(value - seen[0], apart))), 0.0),
            min(max(high, value + float(np.hypot(seen[1] - value, apart))), 1.0),
        )

    def _doubt(self, point: int | None, level: int) -> float:
        """Return the variance of an outcome that comes from cells without observations; today has none."""
        return 0.0 if point is None or self._unseen is None else float(self._unseen[point, level])

    def interval_today(self, level: int) -> Interval:
        """Return the 95 % interval of a share, or of the mean, as it is."""
        return self._around(float(self.today[level]), float(self._covariance[level, -1, -1]), self.n_rows)

    def difference(self, point: int, level: int, other: int | None = None) -> tuple[float, float, float]:
        """Return how an outcome differs from that at another point, or from today, with its 95 % interval."""
        a, b = point, -1 if other is None else other
        before = float(self.today[level] if other is None else self.outcomes[other, level])
        change = float(self.outcomes[point, level]) - before
        c = self._covariance[level]
        doubt = self._doubt(point, level) + self._doubt(other, level)
        error = float(np.sqrt(max(c[a, a] + c[b, b] - 2 * c[a, b], 0.0) + doubt))
        return change, change - _SURE * error, change + _SURE * error

    def slope_interval(self, level: int) -> tuple[float, float, float]:
        """Return the slope with its 95 % interval."""
        if self.slope is None or self._slope_errors is None:
            raise ValueError("only a numeric cause has a slope")
        value, error = float(self.slope[level]), float(self._slope_errors[level])
        return value, value - _SURE * error, value + _SURE * error

    def _seen(self, point: int) -> int:
        return self.counts[point] if self.counts else self.n_rows

    def _around(self, value: float, variance: float, seen: int) -> Interval:
        """Return an interval; that of a share is Wilson's, of as many observations as would have this variance."""
        if not self.are_shares:
            error = float(np.sqrt(variance))
            return max(value - _SURE * error, self._reach[0]), min(value + _SURE * error, self._reach[1])
        spread = value * (1 - value)
        n = min(spread / variance, self.n_rows) if variance > 0 and spread > 0 else seen
        z = _SURE**2 / n
        middle, half = (value + z / 2) / (1 + z), float(np.sqrt(spread * z + z * z / 4)) / (1 + z)
        low, high = min(max(middle - half, 0.0), value), max(min(middle + half, 1.0), value)
        # Less than one of the observations that were seen cannot be told from none.
        return 0.0 if value * seen < 1 else low, 1.0 if (1 - value) * seen < 1 else high


def points_of(table: Table, cause: str) -> tuple[float, ...]:
    """Return some quantiles of a numeric column, at which its effects are shown; none for a discrete one.

    Examples
    --------
    >>> points_of(Table.from_any({"mm": [i / 2 for i in range(101)], "wet": [0, 1] * 50 + [1]}), "mm")
    (5.0, 12.5, 25.0, 37.5, 45.0)
    """
    column = table.columns[table.index(cause)]
    if not isinstance(column, Numeric):
        return ()
    weights = np.ones(table.n_rows) if table.weights is None else table.weights.astype(np.float64)
    weights = np.where(column.missing, 0.0, weights)
    order = np.argsort(column.values, kind="stable")  # gaps come last
    reached = np.cumsum(weights[order]) / weights.sum()
    found = column.values[order][np.searchsorted(reached, QUANTILES)]
    return tuple(float(value) for value in np.unique(found))


def estimate(
    table: Table, cause: str, effect: str, given: Sequence[str], *, points: Sequence[float] | None = None
) -> Fit:
    """Estimate what the effect would be at each point of the cause, with `given` held fixed.

    A numeric cause is set to each of `points`, by default some of its quantiles.

    Raises
    ------
    DataError
        If there are too few rows that have all of these columns, or the cause does not vary among them.

    Examples
    --------
    >>> import elcs
    >>> table = elcs.Table.from_any(elcs.data.SAMPLE)
    >>> fit = estimate(table, "outages", "satisfaction", ["region"])
    >>> fit.points, fit.levels
    (('few', 'many', 'none'), ('high', 'low', 'medium'))
    >>> fit.outcomes.round(2)[2]
    array([0.57, 0.1 , 0.33])
    """
    rows, column = _checked(table, cause, effect, given)
    if isinstance(column, Numeric):
        at = points_of(table, cause) if points is None else tuple(points)
        if rows.cause.min() == rows.cause.max():
            raise DataError(f"{cause!r} does not vary in {rows.total:,.0f} rows; nothing can be said about its effects")
        return _fit(table, effect, rows, regress_on_numbers(rows, np.array(at)), at)
    x, points_kept, few, counts = _levels(column, rows)
    numbers = any(values.dtype.kind == "f" for values in rows.given)
    made = (regress_on_levels if numbers else standardise)(rows, x, len(points_kept))
    return _fit(table, effect, rows, made, points_kept, few=few, counts=counts)


def unchanged(table: Table, cause: str, effect: str, *, points: Sequence[float] | None = None) -> Fit:
    """Return the estimate where the cause has no effect: at every point, what is today."""
    rows, column = _checked(table, cause, effect, ())
    at: tuple[object, ...] = points_of(table, cause) if points is None else tuple(points)
    few: tuple[object, ...] = ()
    if not isinstance(column, Numeric):
        _, at, few, _ = _levels(column, rows)
    today = np.average(rows.outcome, axis=0, weights=rows.weights)
    same = np.repeat(today[None], len(at), axis=0)
    moved = np.repeat((rows.outcome - today)[:, None, :], len(at), axis=1)
    return _fit(table, effect, rows, Standardised(same, moved, None), at, few=few)


def _checked(table: Table, cause: str, effect: str, given: Sequence[str]) -> tuple[Rows, Column]:
    rows = rows_of(table, cause, effect, given)
    if rows.total < FEWEST:
        what = ", ".join((cause, effect, *given))
        raise DataError(f"only {rows.total:,.0f} rows have all of {what}; an estimate needs at least {FEWEST}")
    return rows, table.columns[table.index(cause)]


def _levels(
    column: Column, rows: Rows
) -> tuple[NDArray[np.int64], tuple[object, ...], tuple[object, ...], tuple[int, ...]]:
    """Return numbers for the levels of the cause with enough observations, these levels, the others, and counts."""
    codes = rows.cause.astype(np.int64)
    counts = np.bincount(codes, rows.weights, minlength=len(column.levels))
    enough = counts >= LEAST
    if enough.sum() < 2:
        raise DataError(
            f"fewer than two levels of {column.name!r} have {LEAST} rows or more; nothing can be said about its effects"
        )
    if enough.sum() * rows.outcome.size > MOST_NUMBERS:
        raise DataError(
            f"{column.name!r} has {enough.sum():,} levels and the effect {rows.outcome.shape[1]:,}, too many for "
            "an estimate; merge levels"
        )
    number = np.where(enough, np.cumsum(enough) - 1, -1)
    kept = tuple(level for level, has in zip(column.levels, enough, strict=True) if has)
    few = tuple(level for level, has in zip(column.levels, enough, strict=True) if not has)
    return number[codes], kept, few, tuple(int(n) for n in counts[enough])


def _fit(
    table: Table,
    effect: str,
    rows: Rows,
    made: Standardised,
    points: tuple[object, ...],
    *,
    few: tuple[object, ...] = (),
    counts: tuple[int, ...] = (),
) -> Fit:
    """Put an estimate together: its spread, also that of what is today, and shares between 0 and 1."""
    column = table.columns[table.index(effect)]
    numeric = isinstance(column, Numeric)
    today = np.average(rows.outcome, axis=0, weights=rows.weights)
    influence = np.concatenate([made.influence, (rows.outcome - today)[:, None, :]], axis=1).transpose(2, 1, 0)
    total = rows.total
    covariance = (influence * rows.weights) @ influence.transpose(0, 2, 1) / total**2
    outcomes = made.outcomes
    # A mean is one of what was seen, however far a regression reaches.
    reach = (float(rows.outcome.min()), float(rows.outcome.max())) if numeric else (0.0, 1.0)
    outcomes = np.clip(outcomes, *reach)
    if not numeric:
        outcomes = outcomes / outcomes.sum(axis=1, keepdims=True)
    errors = None
    if made.slope_influence is not None:
        errors = np.sqrt(rows.weights @ made.slope_influence**2) / total
    levels = (MEAN,) if numeric else column.levels
    return Fit(
        points=points,
        levels=levels,
        outcomes=outcomes,
        today=today,
        n_rows=int(total),
        counts=counts,
        few=few,
        overlap=made.overlap,
        slope=made.slope,
        _covariance=covariance,
        _unseen=made.unseen,
        _reach=reach,
        _slope_errors=errors,
    )
