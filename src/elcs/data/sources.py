"""Opening any table that a caller may pass: as names, and a way to load its columns as factors."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elcs.data.files import PARQUET_FILES, TextFile, check_file, read_parquet
from elcs.data.levels import Factor, from_numpy, from_objects, from_series, is_column
from elcs.data.prepare import check_memory, check_names, quoted
from elcs.errors import DataError

_ACCEPTED = "a path, a pandas, Polars or PyArrow table, a dict of columns, or a two-dimensional numpy array"


class Columns:
    """A table in memory: a list, an array or a series for each name."""

    def __init__(self, names: Sequence[object], columns: Sequence[Any], n_rows: int) -> None:
        self.names = [str(name) for name in names]
        self._columns = columns
        self._n_rows = n_rows

    def load(self, names: Collection[str], text: Collection[str]) -> dict[str, Factor]:
        """Encode these columns, those in `text` as text where their types are mixed."""
        if not self._n_rows:
            raise DataError("the table has no rows")
        check_memory(self._n_rows, len(names))
        return {
            name: encode(column, text=name in text)
            for name, column in zip(self.names, self._columns, strict=True)
            if name in names
        }

    def place(self, row: int) -> str:
        """Say where a row is."""
        return f"row {row}, counting from 0"


def open_table(x: object, *, names: Sequence[str] | None, encoding: str) -> TextFile | Columns:
    """Find out what was passed, and check its shape and its names."""
    if names is not None and not isinstance(x, np.ndarray):
        raise DataError("names= goes with a numpy array; this table has names of its own")
    title = "the table"
    table: TextFile | Columns
    if isinstance(x, str | os.PathLike):
        path = Path(x).expanduser()
        check_file(path)
        title = repr(str(path))
        is_parquet = path.name.lower().endswith(PARQUET_FILES)
        table = _from_frame(read_parquet(path)) if is_parquet else TextFile(path, encoding)
    elif isinstance(x, np.ndarray):
        table = _from_array(x, names)
    elif isinstance(x, Mapping):
        table = _from_mapping(x)
    else:
        table = _from_frame(x)
    check_names(table.names, title)
    return table


def _from_array(x: NDArray[Any], names: Sequence[str] | None) -> Columns:
    if x.ndim != 2:
        raise DataError(f"the array has {x.ndim} dimension(s); it must have two, rows and columns")
    n_rows, n_columns = x.shape
    names = [f"V{i}" for i in range(n_columns)] if names is None else list(names)
    if len(names) != n_columns:
        raise DataError(f"names= has {len(names)} names for {n_columns} columns")
    return Columns(names, list(x.T), n_rows)


def _from_mapping(x: Mapping[Any, Any]) -> Columns:
    bad = [str(name) for name, column in x.items() if not is_column(column)]
    if bad:
        raise DataError(f"column {quoted(bad)} of the dict is not one-dimensional; give a list or an array for each")
    lengths = {str(name): len(column) for name, column in x.items()}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name!r} {length}" for name, length in lengths.items())
        raise DataError(f"columns have different numbers of rows: {listed}")
    return Columns(list(x), list(x.values()), max(lengths.values(), default=0))


def _from_frame(x: Any) -> Columns:
    import narwhals as nw
    from narwhals.exceptions import DuplicateError

    try:
        frame = nw.from_native(x)
        if isinstance(frame, nw.LazyFrame):
            raise DataError(f"a {type(x).__module__}.{type(x).__name__} is lazy; collect it first")
        names = frame.columns
    except TypeError:
        raise DataError(f"cannot read a table from {type(x).__name__}; pass {_ACCEPTED}") from None
    except DuplicateError:  # its message does not read well: let check_names speak
        return Columns(getattr(x, "column_names", None) or list(x.columns), (), 0)
    return Columns(names, [frame[:, i] for i in range(len(names))], len(frame))


def encode(column: Any, *, text: bool = False) -> Factor:
    """Make a factor from a list, an array or a series."""
    if isinstance(column, np.ma.MaskedArray):
        return from_objects(column.tolist(), text=text)
    if isinstance(column, np.ndarray):
        return from_numpy(column, text=text)
    if isinstance(column, Sequence):
        return from_objects(column, text=text)
    import narwhals as nw

    try:
        series = nw.from_native(column, series_only=True)
    except TypeError:
        return from_objects(column.tolist() if hasattr(column, "tolist") else list(column), text=text)
    return from_series(series, text=text)
