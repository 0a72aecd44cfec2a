"""What a table looked like, kept in a few words when the table itself is gone."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from elcs.data.columns import Column, Discrete
from elcs.data.prepare import MISSING_LEVEL
from elcs.data.table import Table

__all__ = ["Profile", "first_levels", "profile"]

_FIRST_LEVELS = 6


class Profile(NamedTuple):
    """What a table looked like.

    Attributes
    ----------
    total : int
        The number of observations.
    names, kinds : tuple of str
        The columns, and what each was taken for.
    n_levels : tuple of int
        How many levels each has; 0 if it is numeric.
    first_levels : tuple of tuples
        The first of them; for a numeric column, the range.
    dropped : tuple of (str, str)
        Columns that were left out, each with the reason.
    missing : tuple of int
        How many values each column lacks.
    gaps : str
        What was done about missing values: 'testwise', 'drop', 'level' or 'error'.
    remarks : tuple of str
        What was warned about when the table was read: columns that hold what others hold.
    """

    total: int
    names: tuple[str, ...]
    kinds: tuple[str, ...]
    n_levels: tuple[int, ...]
    first_levels: tuple[tuple[object, ...], ...]
    dropped: tuple[tuple[str, str], ...]
    missing: tuple[int, ...]
    gaps: str
    remarks: tuple[str, ...] = ()


def profile(data: Table) -> Profile:
    """Return the profile of a table.

    Examples
    --------
    >>> profile(Table.from_any({"rain": ["no", "yes", "no", "no"], "wet": [0, 1, 1, 0]})).first_levels
    (('no', 'yes'), (0, 1))
    >>> profile(Table.from_any({"mm": [0.5, None, 0.7], "wet": [0, 1, 1]})).missing
    (1, 0)
    """
    return Profile(
        total=data.total,
        names=data.names,
        kinds=data.kinds,
        n_levels=tuple(len(column.levels) if isinstance(column, Discrete) else 0 for column in data.columns),
        first_levels=tuple(map(first_levels, data.columns)),
        dropped=data.dropped,
        missing=tuple(_missing(column, data) for column in data.columns),
        gaps=data.reading.missing,
        remarks=tuple(data.keep("remarks", lambda _: list[str]())),
    )


def first_levels(column: Column) -> tuple[object, ...]:
    """Return the first levels of a column, or the range of its numbers."""
    return column.levels[:_FIRST_LEVELS] if isinstance(column, Discrete) else (column.range,)


def _missing(column: Column, data: Table) -> int:
    """Return how many values a column lacks; where gaps are a level, how often that occurs."""
    if column.incomplete:
        gap = column.missing
    elif isinstance(column, Discrete) and data.reading.missing == "level" and MISSING_LEVEL in column.levels:
        gap = column.codes == column.levels.index(MISSING_LEVEL)
    else:
        return 0
    return int(np.count_nonzero(gap) if data.weights is None else data.weights[gap].sum())
