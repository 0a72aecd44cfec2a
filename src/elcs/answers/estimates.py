"""What would be if a column were set, with one set of columns held fixed: made from an adjustment and a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from elcs.data.columns import Column
from elcs.data.table import Table
from elcs.data.times import TIMES, UNITS, as_text
from elcs.errors import DataError
from elcs.estimation import MEAN, Fit, estimate, unchanged
from elcs.estimation.rows import rows_of
from elcs.graph.adjustment import Adjustment

__all__ = ["LITTLE_OVERLAP", "Estimate", "Interval", "Intervals", "estimated", "plain", "today_of"]

Interval = tuple[float, float]
Points = Mapping[object, Mapping[object, float]]
Intervals = Mapping[object, Mapping[object, Interval]]

LITTLE_OVERLAP = 0.9
"""If less of the population lies in strata where all levels of the cause occur, the answer warns."""

FILLED = 0.99
"""The overlap from which on an optimal set is taken whatever the direct causes would leave."""


@dataclass(frozen=True)
class Estimate:
    """What would be if the cause were set, with one set of columns held fixed.

    Attributes
    ----------
    adjusted_for : tuple of str
        What is held fixed.
    kind : {"none", "independent", "parents", "optimal", "unknown"}
        Why that suffices. The arrows say that the cause has no effect; or it is independent of the effect given its
        direct causes, so that no effect is shown; or these are its direct causes, less those that do not matter to the
        effect; or they are the optimal set: the other causes of what lies between the two. Or so much is open that it
        is unknown what would suffice.
    parents : tuple of tuples of str
        The sets of direct causes of the cause for which this holds.
    outcomes : mapping of mappings
        For each level of the cause, the share of each level of the effect. For a numeric cause the levels are some of
        its quantiles; for a numeric effect the mean stands for the shares, under the name "mean".
    intervals, differences : mapping of mappings
        The 95 % intervals of the outcomes; and how they differ from today, with the interval of the difference. If no
        effect is shown, the outcomes are as today, and the intervals say how large one may still be.
    slope : mapping
        For a numeric cause, how much each share (or the mean) changes if it grows by 1, with the interval.
    n_rows : int
        How many observations it rests on.
    overlap : float or None
        The share of them in strata in which all levels of the cause occur; for a numeric cause, in which it may have a
        value that it is set to, on average over these; None if the arrows say that there is no effect.
    left_out : tuple
        Levels of the cause with too few observations.
    problem : str
        Why there is no estimate; empty if there is one.
    """

    adjusted_for: tuple[str, ...]
    kind: Literal["none", "independent", "parents", "optimal", "unknown"]
    parents: tuple[tuple[str, ...], ...]
    outcomes: Points = field(default_factory=dict)
    intervals: Intervals = field(default_factory=dict)
    differences: Mapping[object, Mapping[object, tuple[float, float, float]]] = field(default_factory=dict)
    slope: Mapping[object, tuple[float, float, float]] = field(default_factory=dict)
    n_rows: int = 0
    overlap: float | None = None
    left_out: tuple[object, ...] = ()
    problem: str = ""

    @property
    def has_effect(self) -> bool:
        """Whether there is an effect at all, or may be."""
        return self.kind not in ("none", "independent")

    def to_dict(self) -> dict[str, Any]:
        """Return everything in plain types."""
        return {
            "adjusted_for": list(self.adjusted_for),
            "kind": self.kind,
            "parents": [list(some) for some in self.parents],
            "outcomes": plain(self.outcomes),
            "intervals": plain(self.intervals),
            "differences": plain(self.differences),
            "slope": {str(level): list(value) for level, value in self.slope.items()},
            "n_rows": self.n_rows,
            "overlap": self.overlap,
            "left_out": [str(level) for level in self.left_out],
            "problem": self.problem,
        }


def estimated(
    table: Table, cause: str, effect: str, how: Adjustment, points: Sequence[float], *, by_tests: bool = False
) -> Estimate:
    """Estimate by one adjustment, which tests found or a graph shows; if that cannot be done, say why."""
    try:
        if how.kind == "none":
            fit = unchanged(table, cause, effect, points=points)
        else:
            how, fit = _supported(table, cause, effect, how, points, by_tests=by_tests)
    except DataError as error:
        return Estimate(how.adjusted_for, how.kind, how.parents, problem=str(error))
    x = [_named(table.columns[table.index(cause)], point) for point in fit.points]
    made = Estimate(
        how.adjusted_for,
        how.kind,
        how.parents,
        outcomes={p: {y: float(fit.outcomes[i, j]) for j, y in enumerate(fit.levels)} for i, p in enumerate(x)},
        intervals={p: {y: fit.interval(i, j) for j, y in enumerate(fit.levels)} for i, p in enumerate(x)},
        differences={p: {y: fit.difference(i, j) for j, y in enumerate(fit.levels)} for i, p in enumerate(x)},
        slope=_slope(fit),
        n_rows=fit.n_rows,
        overlap=fit.overlap,
        left_out=fit.few,
    )
    return _as_none(made, fit) if how.kind == "independent" else made


def _as_none(made: Estimate, fit: Fit) -> Estimate:
    """Return the estimate of an effect that tests take for none: what is today, but with the intervals of both.

    Tests miss small effects, so that there is none is a guess, and how large it may be is for the interval to say.
    """
    today = {y: (float(fit.today[j]), *fit.interval_today(j)) for j, y in enumerate(fit.levels)}
    return replace(
        made,
        outcomes={x: {y: value for y, (value, _, _) in today.items()} for x in made.outcomes},
        intervals={
            x: {y: (min(low, today[y][1]), max(high, today[y][2])) for y, (low, high) in row.items()}
            for x, row in made.intervals.items()
        },
        differences={
            x: {y: (0.0, min(low, 0.0), max(high, 0.0)) for y, (_, low, high) in row.items()}
            for x, row in made.differences.items()
        },
        slope={y: (0.0, min(low, 0.0), max(high, 0.0)) for y, (_, low, high) in made.slope.items()},
    )


def _supported(
    table: Table, cause: str, effect: str, how: Adjustment, points: Sequence[float], *, by_tests: bool
) -> tuple[Adjustment, Fit]:
    """Estimate by an adjustment, or by direct causes of the cause, if the table supports these better.

    An optimal set may hold more columns than the rows can tell apart: what it promises holds for many rows. And where a
    direct cause all but decides the cause, no test can say that it does not matter beside it. Each of the sets of
    direct causes gives the same effect, so the smallest will do.
    """
    fit = estimate(table, cause, effect, how.adjusted_for, points=points)
    fewest = min(how.parents, key=len)
    untold = by_tests and not set(fewest) <= set(how.adjusted_for)
    thin = how.kind == "optimal" and fit.overlap is not None and fit.overlap < FILLED
    if not untold and not thin:
        return how, fit
    other = estimate(table, cause, effect, fewest, points=points)
    untold = untold and other.overlap is not None and other.overlap < LITTLE_OVERLAP
    if untold or (thin and _width(other) < _width(fit)):
        return how._replace(adjusted_for=fewest, kind="parents" if how.kind == "optimal" else how.kind), other
    return how, fit


def _width(fit: Fit) -> float:
    """Return the mean width of the intervals."""
    ends = [fit.interval(i, j) for i in range(len(fit.points)) for j in range(len(fit.levels))]
    return float(np.mean([high - low for low, high in ends]))


def _slope(fit: Fit) -> dict[object, tuple[float, float, float]]:
    return {} if fit.slope is None else {y: fit.slope_interval(j) for j, y in enumerate(fit.levels)}


def _named(column: Column, point: object) -> object:
    """Return a point as a person would write it, if it is a date or a time."""
    if column.taken_for in TIMES and isinstance(point, float):
        return as_text(round(point * UNITS[column.taken_for]), column.taken_for)
    return point


def today_of(table: Table, effect: str) -> dict[object, float]:
    """Return the share of each level as it is, or the mean, over all rows that have the column."""
    rows = rows_of(table, effect, effect, ())
    column = table.columns[table.index(effect)]
    means = np.average(rows.outcome, axis=0, weights=rows.weights)
    names = column.levels if column.kind == "discrete" else (MEAN,)
    return {name: float(mean) for name, mean in zip(names, means, strict=True)}


def plain(values: Mapping[object, Mapping[object, Any]]) -> dict[str, dict[str, Any]]:
    """Return names and numbers in plain types."""
    return {
        str(x): {str(y): list(value) if isinstance(value, tuple) else value for y, value in row.items()}
        for x, row in values.items()
    }
