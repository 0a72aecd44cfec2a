"""What a table looked like, in a few words that stay when the table is gone."""

from __future__ import annotations

from typing import Any, NamedTuple

from elcs.data.dataset import Dataset

__all__ = ["ColumnProfile", "Profile", "profile"]

FIRST_LEVELS = 6


class ColumnProfile(NamedTuple):
    """One column: its name, what it was taken for, how many levels it has, and the first of them."""

    name: str
    kind: str
    n_levels: int
    first_levels: tuple[object, ...]


class Profile(NamedTuple):
    """A table.

    Attributes
    ----------
    total : int
        The number of observations.
    columns : tuple of ColumnProfile
        The columns.
    dropped : tuple of (str, str)
        Columns that were left out, each with the reason.
    """

    total: int
    columns: tuple[ColumnProfile, ...]
    dropped: tuple[tuple[str, str], ...]


def profile(data: Any) -> Profile | None:
    """Return the profile of a `Dataset`; None for anything else.

    Examples
    --------
    >>> profile(Dataset.from_any({"rain": ["no", "yes", "no", "no"], "wet": [0, 1, 1, 0]})).columns[0]
    ColumnProfile(name='rain', kind='text', n_levels=2, first_levels=('no', 'yes'))
    """
    if not isinstance(data, Dataset):
        return None
    columns = zip(data.names, data.kinds, data.levels, strict=True)
    return Profile(
        total=data.total,
        columns=tuple(ColumnProfile(name, kind, len(lv), lv[:FIRST_LEVELS]) for name, kind, lv in columns),
        dropped=data.dropped,
    )
