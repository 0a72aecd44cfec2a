"""Opening a lazy table: its rows are fetched, or its distinct rows, or only counts.

The rows are, if they fit into the memory that may be used. Otherwise a sample tells what to expect. If the distinct
rows of all columns fit, one query counts them, and the table is one in memory, whose rows have weights. If they do not,
the levels of all columns are found, and the table is asked for counts from then on.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from elcs.data import naming, prepare
from elcs.data.draft import Draft
from elcs.data.levels import Factor
from elcs.data.reading import Reading
from elcs.data.table import Table
from elcs.data.warehouse.files import relation
from elcs.data.warehouse.frames import CELL, Counted, Frame
from elcs.data.warehouse.lazy import Lazy
from elcs.data.warehouse.survey import Survey
from elcs.errors import DataError

if TYPE_CHECKING:
    import narwhals as nw

__all__ = ["open_frame", "open_lazily"]


def open_frame(frame: nw.LazyFrame[Any], target: str | None, reading: Reading, *, texts: bool = False) -> Table:
    """Make a table of a lazy frame.

    Parameters
    ----------
    frame : narwhals.LazyFrame
        The frame.
    target : str, optional
        A column that must be there and vary.
    reading : Reading
        How to read it.
    texts : bool
        Whether all values are text as a file has it, so that numbers must be recognised.
    """
    problems: list[str] = []
    if not (reading.weights is None or isinstance(reading.weights, str)):
        problems.append("weights= must be the name of a column if the table is asked where it lives")
    names = [str(name) for name in frame.collect_schema().names()]
    weights = reading.weights if isinstance(reading.weights, str) else None
    chosen = naming.choose_columns(names, reading.columns, reading.drop, weights, problems)
    naming.check_target(target, chosen, names, problems)
    naming.check_known(reading.named_columns, chosen, problems)
    prepare.refuse(problems)
    asked = Frame(frame, chosen, weights=weights, whole_rows=reading.missing == "drop")
    if not asked.total:
        raise DataError("the table has no rows")
    if asked.total > prepare.MOST_OBSERVATIONS:
        raise DataError(
            f"the table has {asked.total:,} observations, and {prepare.MOST_OBSERVATIONS:,} are the most that "
            "are counted; give a sample of the rows"
        )
    lazy = Lazy(asked, reading, texts=texts)
    return _fetched(lazy, target) or _collapsed(lazy, target) or Survey(lazy).table(target)


def _fetched(lazy: Lazy, target: str | None) -> Table | None:
    """Fetch all rows, if they fit."""
    frame = lazy.frame
    if frame.n_rows * len(frame.names) * CELL > lazy.memory:
        return None
    factors, weights = frame.rows()
    return _table(lazy, dict(zip(frame.names, factors, strict=True)), weights, target, {})


def _collapsed(lazy: Lazy, target: str | None) -> Table | None:
    """Count the distinct rows, if they fit."""
    lazy.check_target(target)
    kept = lazy.kept
    if not kept or lazy.expect.rows(kept) > (most := lazy.memory // lazy.frame.row_bytes(kept)):
        return None
    counted = lazy.frame.count(kept, most)
    if counted is None:
        return None
    factors, counts = _in_order(counted)
    by_name = {lazy.frame.names[i]: factor for i, factor in zip(kept, factors, strict=True)}
    return _table(lazy, by_name, counts, target, lazy.left_out)


def _table(
    lazy: Lazy,
    factors: Mapping[str, Factor],
    weights: NDArray[np.int64] | None,
    target: str | None,
    left_out: Mapping[str, str],
) -> Table:
    """Make a table of rows that were fetched."""
    read = {name: lazy.as_read(factor) for name, factor in factors.items()}
    n_rows = len(next(iter(read.values())).codes)
    found = Draft(read, weights, lazy.reading, n_rows).prepared()
    found.left_out.update(left_out)
    return Table.of(found.leave_out(target), stacklevel=6)


def _in_order(counted: Counted) -> Counted:
    """Put distinct rows into an order that does not depend on the engine, or else half-samples would."""
    factors, counts = counted
    keys = np.zeros(len(counts), dtype=np.uint64)
    for factor in factors:
        keys = keys * np.uint64(0x9E3779B97F4A7C15) + factor.codes
    order = np.argsort(keys, kind="stable")
    del keys
    for n, factor in enumerate(factors):  # in place, so that only one column is there twice
        factors[n] = replace(factor, codes=factor.codes[order])
    return factors, counts[order]


def open_lazily(x: object, target: str | None, reading: Reading) -> Table | None:
    """Open a lazy table, or files that are not to be read; None if it is neither."""
    texts = False
    if isinstance(x, str | os.PathLike):
        found = relation(os.path.expanduser(os.fspath(x)), reading)
        if found is None:
            return None
        x, texts = found
    elif reading.engine != "auto":
        raise DataError("engine= goes with files; this table has an engine of its own")
    frame = None if isinstance(x, Mapping | np.ndarray) else _lazy(x)
    if frame is None and reading.memory is not None:
        raise DataError("memory= has no effect on a table that is in memory already")
    return None if frame is None else open_frame(frame, target, reading, texts=texts)


def _lazy(x: object) -> nw.LazyFrame[Any] | None:
    import narwhals as nw
    from narwhals.exceptions import DuplicateError

    try:
        frame = nw.from_native(x, pass_through=True)
    except DuplicateError:  # of names in a data frame, about which more can be said elsewhere
        return None
    return frame if isinstance(frame, nw.LazyFrame) else None
