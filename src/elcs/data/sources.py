"""Opening any table that a caller may pass: as names, and a way to load its columns as factors."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elcs.data.files import PARQUET_FILES, StandsFor, TextFile, check_file, located
from elcs.data.levels import Factor, from_numpy, from_objects, from_series, is_column
from elcs.data.naming import distinct, quoted
from elcs.data.opened import Opened
from elcs.data.parquet import UNNAMED_INDEX, ParquetFile, read_parquet, stored_index
from elcs.data.prepare import check_memory
from elcs.deadline import check_time
from elcs.errors import DataError

_ACCEPTED = "a path, a pandas, Polars or PyArrow table, a dict of columns, or a two-dimensional numpy array"


class Columns(Opened):
    """A table in memory: a list, an array or a series for each name."""

    def __init__(
        self,
        names: Sequence[object],
        columns: Sequence[Any],
        n_rows: int,
        *,
        title: str = "the table",
        index: Collection[str] = (),
    ) -> None:
        super().__init__([str(name) for name in names], title, index)
        self._columns = columns
        self.n_rows = n_rows

    def load(self, names: Collection[str], text: Collection[str]) -> dict[str, Factor]:
        """Encode these columns, those in `text` as text where their types are mixed."""
        if not self.n_rows:
            raise DataError("the table has no rows")
        check_memory(self.n_rows, len(names))
        return {
            name: encode(column, text=name in text)
            for name, column in zip(self.names, self._columns, strict=True)
            if name in names
        }

    def place(self, row: int) -> str:
        """Say where a row is."""
        return f"row {row}, counting from 0"


def open_table(x: object, *, names: Sequence[str] | None, encoding: str) -> Opened:
    """Find out what was passed, and check its shape."""
    if names is not None and not isinstance(x, np.ndarray):
        raise DataError("names= goes with a numpy array; this table has names of its own")
    if isinstance(x, str | os.PathLike):
        path = located(x)
        check_file(path)
        title = x.title if isinstance(x, StandsFor) else repr(str(path))
        if not path.name.lower().endswith(PARQUET_FILES):
            return TextFile(path, encoding, title)
        if importlib.util.find_spec("pyarrow"):
            return ParquetFile(path, title)
        table, index = read_parquet(path)
        return _from_frame(table, index, title)
    if isinstance(x, np.ndarray):
        return _from_array(x, names)
    return _from_mapping(x) if isinstance(x, Mapping) else _from_frame(x)


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


def _from_frame(x: Any, index: Collection[str] = (), title: str = "the table") -> Columns:
    """Open a data frame; `index` names the columns that are known to hold the index of one."""
    import narwhals as nw
    from narwhals.exceptions import DuplicateError

    found = None  # the names, if some of them occur twice
    try:
        try:
            frame = nw.from_native(x)
            names = frame.columns
        except DuplicateError:
            found = list(map(str, getattr(x, "column_names", None) or x.columns))
            told = distinct(found)
            frame = nw.from_native(x.rename_columns(told) if hasattr(x, "rename_columns") else x.set_axis(told, axis=1))
            names = frame.columns
    except TypeError:
        raise DataError(f"cannot read a table from {type(x).__name__}; pass {_ACCEPTED}") from None
    known = {*index, *stored_index(getattr(getattr(x, "schema", None), "pandas_metadata", None) or {})}
    shown = [i for i, name in enumerate(names) if not UNNAMED_INDEX.fullmatch(str(name))]
    columns = [frame[:, i] for i in shown]
    return Columns([(found or names)[i] for i in shown], columns, len(frame), title=title, index=known)


def encode(column: Any, *, text: bool = False) -> Factor:
    """Make a factor from a list, an array or a series."""
    check_time()
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
