"""Describing any table that can be read, whether or not anything can be learnt from it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from elcs.data.determined import copies, say_copies
from elcs.data.draft import Draft, draft
from elcs.data.levels import Factor, is_number
from elcs.data.listing import Listing, shortened
from elcs.data.reading import Reading, ReadingKeywords
from elcs.data.table import Table

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["describe"]

_CODES = frozenset({-1, -9, -99, -999, -9999, 99, 999, 9999, 99999, 999999})
"""Numbers that often stand for a missing value."""
_MOST_WORDS = 3
"""A column with more different words than this among its numbers holds words."""


def describe(x: object, *, reading: Reading | None = None, **keywords: Unpack[ReadingKeywords]) -> str:
    """Say what each column of a table is taken for, what is left out, and what might go wrong.

    Parameters
    ----------
    x : path, data frame, dict, array or Table
        Anything that `Table.from_any` takes.
    reading : Reading, optional
        How to read it.
    **keywords
        The fields of `Reading`, one by one.

    Returns
    -------
    str
        A line for each column: those to learn from, then those that are left out. Then come lines that begin with
        'look at:', and those that begin with 'problem:', for which a question about the table would be refused.

    Raises
    ------
    DataError
        If the table cannot be read at all: there is no such file, or it is no table.

    Examples
    --------
    >>> table = {"pay": [1.5, None, 3.5, 2.5], "note": ["a", 1, 2, 3]}
    >>> print(describe(table))  # doctest: +NORMALIZE_WHITESPACE
    4 observations of 2 columns
    column  kind    levels  missing  first levels
    pay     number       -      25%  1.5 to 3.5
    note    mixed        -        -  integer and text
    problem: types are mixed in 'note' (integer and text); convert the values, or pass kinds={'note': 'text'}
    to read them as text
    """
    if isinstance(x, Table):
        return Table.from_any(x, reading=reading, **keywords).describe()
    read = draft(x, None, replace(reading or Reading(), **keywords))
    columns = read.columns()
    groups = copies(columns)
    listing = Listing(
        columns,
        read.weights,
        read.total,
        tuple(read.left_out.items()),
        {name: (factor.kind, factor.detail or "too large to compute with") for name, factor in read.broken.items()},
        [*codes_for_missing(read), *([say_copies(groups)] if groups else [])],
        read.problems,
    )
    return str(listing)


def codes_for_missing(read: Draft) -> Iterator[str]:
    """Name the values that look as if they stood for a missing one."""
    for name, factor in read.factors.items():
        codes = _odd_numbers(factor) if factor.kind in ("integer", "number") else _odd_words(factor)
        if codes:
            listed = " or ".join(f"{factor.levels[i]!r}" for i in codes)
            n_rows = int(np.isin(factor.codes, codes).sum())
            held = "rows" if n_rows != 1 else "row"
            rest = "" if factor.kind != "text" else " where all others hold numbers"
            yield (
                f"{name!r} has {shortened(listed)} in {n_rows:,} {held}{rest}, which might be a code for missing; "
                "if so, leave such cells empty"
            )


def _odd_numbers(factor: Factor) -> list[int]:
    """Return the codes of the least and the greatest number, where these look like no quantity.

    One that does lies further from the other numbers than these do from each other; -1 only has to be the one negative.
    """
    levels = factor.levels
    found = []
    if len(levels) > 3:
        if (
            levels[0] in _CODES
            and levels[1] >= 0
            and (levels[0] == -1 or levels[1] - levels[0] > levels[-1] - levels[1])
        ):
            found.append(0)
        if levels[-1] in _CODES and levels[-1] - levels[-2] > levels[-2] - levels[len(found)]:
            found.append(len(levels) - 1)
    return found


def _odd_words(factor: Factor) -> list[int]:
    """Return the codes of the few words in a column of text that holds numbers otherwise."""
    if factor.kind != "text":
        return []
    words = [i for i, level in enumerate(factor.levels) if not is_number(level)]
    if not 0 < len(words) <= _MOST_WORDS or len(factor.levels) - len(words) < 2:
        return []
    return words if np.isin(factor.codes, words).sum() * 2 < factor.n_present else []
