"""Files that are not read but asked, by DuckDB: several at once, or larger than memory."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from elcs.data.files import PARQUET_FILES, TEXT_FILES, TextFile
from elcs.data.reading import Reading, available_memory
from elcs.data.warehouse.counting import CELL
from elcs.errors import DataError

__all__ = ["relation"]

GZIPPED = 8
"""How much larger a gzipped file is than it looks."""


def relation(path: str, reading: Reading) -> tuple[Any, bool] | None:
    """Return files as a relation of DuckDB, and whether all of it is text; None if they can be read instead."""
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
    return (_opened(files, reading, texts=bool(in_text)), bool(in_text))


def _opened(files: Sequence[str], reading: Reading, *, texts: bool) -> Any:
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
            return _named(connection.read_parquet(several), _names_in_parquet(files[0]))
        opened = connection.read_csv(several, all_varchar=True, header=True, encoding=reading.encoding)
        return _named(opened, _names_in_text(files[0], reading.encoding))
    except duckdb.Error as error:
        raise DataError(f"DuckDB cannot read {files[0]!r}: {str(error).splitlines()[0]}") from None


def _named(opened: Any, names: Sequence[str]) -> Any:
    """Give columns the names that the file has for them: DuckDB numbers those that it takes for equal."""
    told = list(opened.columns)
    if len(names) != len(told) or not all(map(str.startswith, map(str.strip, told), map(str.strip, names))):
        return opened  # it was not split as we would
    quoted = ['"' + (name or " ").replace('"', '""') + '"' for name in names]  # no name of DuckDB is empty
    return opened.project(", ".join(f"#{i} AS {name}" for i, name in enumerate(quoted, start=1)))


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
