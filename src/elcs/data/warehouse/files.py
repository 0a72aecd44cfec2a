"""Files that are not read but asked, by DuckDB: several at once, or larger than memory."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from elcs.data.files import PARQUET_FILES, TEXT_FILES, TextFile
from elcs.data.reading import Reading, available_memory
from elcs.data.warehouse.counting import CELL
from elcs.errors import DataError

__all__ = ["Opened", "opened"]

GZIPPED = 8
"""How much larger a gzipped file is than it looks."""


class Opened(NamedTuple):
    """Files as a relation of DuckDB.

    Attributes
    ----------
    relation : DuckDBPyRelation
        Their rows.
    texts : bool
        Whether all of it is text.
    connection : DuckDBPyConnection
        What the rows are asked through; older versions of DuckDB close it when nobody holds it any more.
    title : str
        What to call the files when something is wrong.
    """

    relation: Any
    texts: bool
    connection: Any
    title: str


def opened(path: str, reading: Reading) -> Opened | None:
    """Open files with DuckDB; None if they can be read instead."""
    several = glob.has_magic(path) and not os.path.exists(path)
    if reading.engine == "memory" and several:
        raise DataError(
            f"{path!r} stands for several files, which DuckDB reads; pass engine='duckdb' (--engine duckdb)"
        )
    if not several and (reading.engine == "memory" or (reading.engine == "auto" and not _too_large(path, reading))):
        return None
    files = sorted(glob.glob(path, recursive=True)) if several else [path]
    if not files:
        raise DataError(f"there is no file {path!r}")
    in_parquet = [file for file in files if file.lower().endswith(PARQUET_FILES)]
    in_text = [file for file in files if file.lower().endswith(TEXT_FILES)]
    if len(files) not in (len(in_parquet), len(in_text)):
        strange = next(file for file in files if file not in (in_parquet or in_text))
        raise DataError(f"{path!r} stands for files of different formats, such as {files[0]!r} and {strange!r}")
    return _opened(files, reading, texts=bool(in_text), title=repr(path))


def _opened(files: Sequence[str], reading: Reading, *, texts: bool, title: str) -> Opened:
    try:
        import duckdb
    except ImportError:
        raise DataError(
            f"{files[0]!r} is too large for the memory that may be used, and asking it needs DuckDB: pip install "
            '"elcs[duckdb]"; or raise memory= (--memory)'
        ) from None
    connection = duckdb.connect()
    several: Any = [*files]
    try:
        if not texts:
            rows = _named(connection.read_parquet(several), _names_in_parquet(files[0]))
        else:
            rows = connection.read_csv(several, all_varchar=True, header=True, encoding=reading.encoding)
            rows = _named(rows, _names_in_text(files[0], reading.encoding))
        return Opened(rows, texts, connection, title)
    except duckdb.Error as error:
        raise DataError(f"DuckDB cannot read {files[0]!r}: {str(error).splitlines()[0]}") from None


def _named(rows: Any, names: Sequence[str]) -> Any:
    """Give columns the names that the file has for them: DuckDB numbers those that it takes for equal."""
    told = list(rows.columns)
    if len(names) != len(told) or not all(map(str.startswith, map(str.strip, told), map(str.strip, names))):
        return rows  # it was not split as we would
    quoted = ['"' + (name or " ").replace('"', '""') + '"' for name in names]  # no name of DuckDB is empty
    return rows.project(", ".join(f"#{i} AS {name}" for i, name in enumerate(quoted, start=1)))


def _names_in_parquet(path: str) -> list[str]:
    try:
        from pyarrow import parquet

        return list(parquet.read_schema(path).names)
    except Exception:  # of a file that DuckDB can read nevertheless
        return []


def _names_in_text(path: str, encoding: str) -> list[str]:
    try:
        return TextFile(Path(path), encoding).found
    except DataError:  # of a file that DuckDB can read nevertheless
        return []


def _too_large(path: str, reading: Reading) -> bool:
    """Tell whether a file takes more memory than it may, judged by its size."""
    most = reading.bytes if reading.memory is not None else (available_memory() or 1 << 32) // 4
    if not os.path.isfile(path):
        return False  # what is wrong with it will be said when it is read
    lower, size = path.lower(), os.path.getsize(path)
    if not lower.endswith(PARQUET_FILES):
        return size * (GZIPPED if lower.endswith(".gz") else 1) > most
    try:
        from pyarrow import parquet

        known = parquet.read_metadata(path)
        too_large: bool = known.num_rows * known.num_columns * CELL > most
        return too_large
    except Exception:  # without pyarrow, or if it is no Parquet file, which will be said when it is read
        return size * GZIPPED > most
