"""What a table looked like, kept in a few words when the table itself is gone."""

from __future__ import annotations

from typing import NamedTuple

from elcs.data.columns import Discrete
from elcs.data.table import Table

__all__ = ["Profile", "profile"]

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
    """

    total: int
    names: tuple[str, ...]
    kinds: tuple[str, ...]
    n_levels: tuple[int, ...]
    first_levels: tuple[tuple[object, ...], ...]
    dropped: tuple[tuple[str, str], ...]


def profile(data: Table) -> Profile:
    """Return the profile of a table.

    Examples
    --------
    >>> profile(Table.from_any({"rain": ["no", "yes", "no", "no"], "wet": [0, 1, 1, 0]})).first_levels
    (('no', 'yes'), (0, 1))
    """
    return Profile(
        total=data.total,
        names=data.names,
        kinds=data.kinds,
        n_levels=tuple(len(column.levels) if isinstance(column, Discrete) else 0 for column in data.columns),
        first_levels=tuple(
            column.levels[:_FIRST_LEVELS] if isinstance(column, Discrete) else (column.range,)
            for column in data.columns
        ),
        dropped=data.dropped,
    )
