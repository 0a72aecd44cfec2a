"""Describing any table that can be read, whether or not anything can be learnt from it."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import TYPE_CHECKING

from elcs.data.determined import remarks
from elcs.data.draft import draft
from elcs.data.hints import hints
from elcs.data.listing import Description, Listing
from elcs.data.reading import Reading, ReadingKeywords
from elcs.data.table import Table, open_otherwise
from elcs.errors import DataError, DataWarning

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["describe"]

BINS = 4
"""Into how many bins quantities are cut that must be cut, to show what would come of it."""


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
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # the description says it
        opened = _opened(x, reading)
    if opened is not None:
        return opened
    read = draft(x, None, reading)
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


def _opened(x: object, reading: Reading) -> Description | None:
    """Describe a table that is asked where it lives, if it is one.

    Quantities of such a table must be cut into bins. If that alone is why it is refused, the description has them cut,
    and says what is to be done.
    """
    try:
        opened = open_otherwise(x, None, reading)
        return None if opened is None else opened.describe()
    except DataError as error:
        if isinstance(reading.bins, int):
            raise
        try:
            cut = open_otherwise(x, None, replace(reading, bins={"*": BINS, **(reading.bins or {})}))
        except DataError:
            cut = None
        if cut is None:
            raise
        return Description.of(replace(cut.describe().listing, problems=[str(error)]))
