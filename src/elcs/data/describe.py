"""Describing any table that can be read, whether or not anything can be learnt from it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from elcs.data.determined import remarks
from elcs.data.draft import draft
from elcs.data.hints import hints
from elcs.data.listing import Description, Listing
from elcs.data.reading import Reading, ReadingKeywords
from elcs.data.table import Table
from elcs.data.warehouse.opening import read_lazily

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["describe"]


def describe(x: object, *, reading: Reading | None = None, **keywords: Unpack[ReadingKeywords]) -> Description:
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
        'look at:', and those that begin with 'problem:', for which a question about the table would be refused. A
        notebook shows it as a table.

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
    reading = replace(reading or Reading(), **keywords)
    read = read_lazily(x, reading) or draft(x, None, reading)
    if isinstance(read, Listing):
        return Description.of(read)
    columns = read.columns()
    listing = Listing(
        columns,
        read.weights,
        read.total,
        tuple(read.left_out.items()),
        {name: (factor.kind, factor.detail or "too large to compute with") for name, factor in read.broken.items()},
        [*hints(read), *remarks(columns)],
        read.problems,
    )
    return Description.of(listing)
