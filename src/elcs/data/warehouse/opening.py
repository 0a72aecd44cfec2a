"""Opening a lazy table: its rows are fetched, or its distinct rows, or only counts.

The rows are, if they fit into the memory that may be used. Otherwise a sample tells what to expect. If the distinct
rows of all columns fit, one query counts them, and the table is one in memory, whose rows have weights. If they do not,
they are copied if that pays, the levels of all columns are found, and counts are fetched from then on.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from elcs.data import naming, prepare
from elcs.data.draft import Draft
from elcs.data.levels import Factor
from elcs.data.listing import Listing
from elcs.data.reading import Reading
from elcs.data.table import Table
from elcs.data.warehouse.asking import title_of
from elcs.data.warehouse.counting import CELL
from elcs.data.warehouse.files import Opened, opened
from elcs.data.warehouse.frames import Frame, names_of
from elcs.data.warehouse.lazy import Lazy
from elcs.data.warehouse.survey import Survey
from elcs.errors import DataError

if TYPE_CHECKING:
    import narwhals as nw

__all__ = ["open_lazily", "read_lazily"]


def open_lazily(x: object, target: str | None, reading: Reading) -> Table | None:
    """Open a lazy table, or files that are not to be read; None if it is neither."""
    found = _frame(x, reading)
    if found is None:
        return None
    names, problems = _names(*found, target, reading)
    prepare.refuse(problems)
    lazy = _asked(*found, names, reading, problems)
    prepare.refuse(problems)
    read = _draft(lazy, target)
    prepare.refuse(problems)
    return Survey(lazy).table(target) if read is None else Table.of(read.leave_out(target), stacklevel=7)


def read_lazily(x: object, reading: Reading) -> Draft | Listing | None:
    """Read a lazy table as far as it goes: as rows, or if only counts can be fetched, as a listing of what it holds."""
    found = _frame(x, reading)
    if found is None:
        return None
    names, problems = _names(*found, None, reading)
    lazy = _asked(*found, names, reading, problems)
    read = _draft(lazy, None)
    if read is None:
        return Survey(lazy).listing(problems)
    read.problems[:0] = problems
    return read.leave_out(None)


def _names(
    frame: nw.LazyFrame[Any], files: Opened | None, target: str | None, reading: Reading
) -> tuple[list[str], list[str]]:
    """Return the columns to ask for, and what is wrong with what was said about them."""
    problems: list[str] = []
    if not (reading.weights is None or isinstance(reading.weights, str)):
        problems.append("weights= must be the name of a column if the table is asked where it lives")
    found, title = names_of(frame), title_of(frame) if files is None else files.title
    names = naming.distinct(found)
    problems += naming.names_twice(found, title)
    weights = reading.weights if isinstance(reading.weights, str) else None
    chosen = naming.choose_columns(names, reading.columns, reading.drop, weights, problems)
    problems += naming.no_names(
        [i for i, name in enumerate(found, 1) if not name.strip() and names[i - 1] in chosen], title
    )
    naming.check_target(target, chosen, names, problems)
    naming.check_known(reading.named_columns, chosen, problems)
    return chosen, problems


def _asked(
    frame: nw.LazyFrame[Any], files: Opened | None, names: Sequence[str], reading: Reading, problems: list[str]
) -> Lazy:
    """Ask for the size of a table, and set those columns apart that cannot be used."""
    if not names:
        raise DataError("at least two columns are needed; the table has none")
    weights = reading.weights if isinstance(reading.weights, str) and reading.weights in names_of(frame) else None
    asked = Frame(frame, names, weights=weights, whole_rows=reading.missing == "drop", files=files)
    if not asked.total:
        raise DataError("the table has no rows")
    if asked.total > prepare.MOST_OBSERVATIONS:
        raise DataError(
            f"the table has {asked.total:,} observations, and {prepare.MOST_OBSERVATIONS:,} are the most that "
            "are counted; give a sample of the rows"
        )
    broken = {
        asked.names[i]: Factor(np.zeros(0, np.uint8), [], "unsupported", False, str(asked.types[i]))
        for i in asked.nested
    }
    prepare.check_types(broken, problems)
    flat = [i for i, name in enumerate(asked.names) if name not in broken]
    texts = files is not None and files.texts
    return Lazy(asked.only(flat), reading, texts=texts, broken=broken, problems=problems)


def _draft(lazy: Lazy, target: str | None) -> Draft | None:
    """Fetch all rows if they fit, or the distinct rows if these do; None if neither does."""
    frame = lazy.frame
    if not frame.names:
        return Draft({}, None, lazy.reading, frame.n_rows, broken=dict(lazy.broken))
    if frame.n_rows * len(frame.names) * CELL <= lazy.memory:
        factors, weights = frame.rows()
        return _prepared(lazy, dict(zip(frame.names, factors, strict=True)), weights, {})
    lazy.check_target(target)
    kept = lazy.kept
    frame = lazy.frame  # without columns that the sample shows to be unusable
    if not kept or lazy.expect.rows(kept) > (most := lazy.memory // frame.row_bytes(kept)):
        return None
    counted = frame.count(kept, most)
    if counted is None:
        return None
    factors, counts = counted
    by_name = {frame.names[i]: factor for i, factor in zip(kept, factors, strict=True)}
    return _prepared(lazy, by_name, counts, lazy.left_out)


def _prepared(
    lazy: Lazy, factors: Mapping[str, Factor], weights: NDArray[np.int64] | None, left_out: Mapping[str, str]
) -> Draft:
    """Do to rows that were fetched what the reading says."""
    read = {name: lazy.as_read(factor) for name, factor in factors.items()}
    n_rows = lazy.frame.n_rows if weights is None else len(weights)
    found = Draft(read, weights, lazy.reading, n_rows).prepared()
    found.left_out.update(left_out)
    found.broken.update(lazy.broken)
    return found


def _frame(x: object, reading: Reading) -> tuple[nw.LazyFrame[Any], Opened | None] | None:
    """Return a lazy table, or files that are not to be read, as a frame; and the files."""
    files = None
    if isinstance(x, str | os.PathLike):
        files = opened(os.path.expanduser(os.fspath(x)), reading)
        if files is None:
            return None
        x = files.relation
    elif reading.engine != "auto":
        raise DataError("engine= goes with files; this table has an engine of its own")
    frame = None if isinstance(x, Mapping | np.ndarray) else _lazy(x)
    if frame is None and reading.memory is not None:
        raise DataError("memory= has no effect on a table that is in memory already")
    return None if frame is None else (frame, files)


def _lazy(x: object) -> nw.LazyFrame[Any] | None:
    import narwhals as nw
    from narwhals.exceptions import DuplicateError

    try:
        frame = nw.from_native(x, pass_through=True)
    except DuplicateError:  # of names in a data frame, about which more can be said elsewhere
        return None
    return frame if isinstance(frame, nw.LazyFrame) else None
