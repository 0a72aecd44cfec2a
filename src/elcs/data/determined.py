"""Columns that hold the same thing as another: a copy, a recoding, a number and its class.

Once such a column is held fixed, nothing is left of the other. A test on levels then finds independence, so that every
true cause disappears behind the copy; a test on numbers cannot tell any more.
"""

from __future__ import annotations

import warnings

import numpy as np

from elcs.data.columns import Column
from elcs.data.table import Table
from elcs.errors import DataWarning

__all__ = ["determines", "entangled", "warn_of_copies"]

ROWS_PER_LEVEL = 5
"""With fewer rows for each level of a column, it determines any other by chance."""


def warn_of_copies(table: Table, target: str) -> None:
    """Warn of columns that hold the same thing as the target."""
    copies = entangled(table, target)
    if copies:
        listed, tell = ", ".join(map(repr, copies)), "tells" if len(copies) == 1 else "tell"
        warnings.warn(
            f"column {listed} {tell} the target {target!r} in every row, or the other way round. A copy or a "
            "recoding of the target says nothing new and gets in the way of the tests; leave it out (drop=, --drop)",
            DataWarning,
            stacklevel=5,
        )


def entangled(table: Table, target: str) -> list[str]:
    """Return the columns that determine the target, or that the target determines.

    Examples
    --------
    >>> weight = [2.1 + i / 50 for i in range(60)]
    >>> low = [w < 2.5 for w in weight]
    >>> entangled(Table.from_any({"weight": weight, "low": low, "sex": ["f", "m"] * 30}), "low")
    ['weight']
    """
    own = table.columns[table.index(target)]
    others = [column for column in table.columns if column.name != target]
    return [column.name for column in others if determines(column, own) or determines(own, column)]


def determines(one: Column, other: Column) -> bool:
    """Tell whether the value of one column tells that of the other, in every row.

    Most rows differ in a quantity, so that it tells anything by chance. Of a quantity more is asked: each level of the
    other must be one interval of it, or the other must rise, or fall, with it throughout.
    """
    if one.kind == "discrete":
        return other.kind == "discrete" and _levels_determine(one, other)
    values, first, at = np.unique(one.numbers(), return_index=True, return_inverse=True)
    if len(values) <= 2 * ROWS_PER_LEVEL:
        return False
    told = other.numbers()
    if not np.array_equal(told[first][at], told):
        return False
    steps = np.diff(told[first])
    if other.kind == "numeric":
        return bool((steps > 0).all() or (steps < 0).all())
    return int((steps != 0).sum()) == len(other.levels) - 1


def _levels_determine(one: Column, other: Column) -> bool:
    if one.codes is None or other.codes is None or len(one.codes) < ROWS_PER_LEVEL * len(one.levels):
        return False
    pairs = np.unique(one.codes.astype(np.int64) * len(other.levels) + other.codes)
    return len(pairs) == len(one.levels)
