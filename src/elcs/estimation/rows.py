"""The rows that an estimate rests on: those that have the cause, the effect and all that is held fixed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elcs.data.columns import Column, Discrete
from elcs.data.table import Table

__all__ = ["Rows", "rows_of", "strata"]

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]


@dataclass(frozen=True)
class Rows:
    """Rows without gaps; equal rows of levels are one row that counts several times.

    Attributes
    ----------
    cause : array
        The codes of the cause, or its values if it is numeric.
    outcome : array of float64
        For a discrete effect a column for each level, 1 where the row has it; for a numeric effect its values.
    given : tuple of arrays
        The codes or the values of each column that is held fixed.
    weights : array of float64
        How often each row counts.
    """

    cause: NDArray[Any]
    outcome: Floats
    given: tuple[NDArray[Any], ...]
    weights: Floats

    @property
    def total(self) -> float:
        """The number of observations."""
        return float(self.weights.sum())


def rows_of(table: Table, cause: str, effect: str, given: Sequence[str]) -> Rows:
    """Return the rows of a table that have all of these columns and count."""
    columns = [table.columns[table.index(name)] for name in (cause, effect, *given)]
    weights = np.ones(table.n_rows) if table.weights is None else table.weights.astype(np.float64)
    present = weights > 0 if table.weights is not None else np.ones(table.n_rows, dtype=np.bool_)
    for column in columns:
        if column.incomplete:
            present = present & ~column.missing
    whole = bool(present.all())
    weights = weights if whole else weights[present]
    values = [_values(column) if whole else _values(column)[present] for column in columns]
    if all(isinstance(column, Discrete) for column in columns):
        values, weights = _counted(values, [len(column.levels) for column in columns], weights)
    x, y, *held = values
    outcome = np.eye(len(columns[1].levels))[y] if isinstance(columns[1], Discrete) else y[:, None]
    return Rows(x, outcome, tuple(held), weights)


def strata(given: Sequence[NDArray[Any]], n_rows: int) -> tuple[Codes, Codes]:
    """Return a number for the combination of levels that each row has, and for each number a row that has it."""
    code = np.zeros(n_rows, dtype=np.int64)
    first = np.zeros(min(n_rows, 1), dtype=np.int64)
    for levels in given:
        joint = code * (int(levels.max(initial=0)) + 1) + levels
        _, first, code = np.unique(joint, return_index=True, return_inverse=True)
        code = code.reshape(-1)
    return code, first


def _values(column: Column) -> NDArray[Any]:
    return column.codes if isinstance(column, Discrete) else column.values


def _counted(
    values: Sequence[NDArray[Any]], sizes: Sequence[int], weights: Floats
) -> tuple[list[NDArray[Any]], Floats]:
    """Count equal rows; if there may be more different ones than rows, leave them as they are."""
    cells = 1
    for size in sizes:
        cells *= size
    if cells > max(4 * len(weights), 256):
        return [value.astype(np.int64) for value in values], weights
    joint = np.ravel_multi_index([value.astype(np.int64) for value in values], sizes)
    counts: Floats = np.bincount(joint, weights, minlength=cells).astype(np.float64, copy=False)
    there = np.flatnonzero(counts)
    return list(np.unravel_index(there, sizes)), counts[there]
