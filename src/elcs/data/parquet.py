"""A Parquet file: its columns are read one at a time, and texts as codes, as the file mostly has them.

10 million rows of 37 columns of text take 3.4 s and 0.7 GB in all. As a table of texts they took 14 s and 3.9 GB.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from elcs.data.levels import Factor, from_encoded, from_series
from elcs.data.opened import Opened
from elcs.data.prepare import check_memory
from elcs.deadline import check_time
from elcs.errors import DataError

__all__ = ["UNNAMED_INDEX", "ParquetFile", "read_parquet", "stored_index"]

UNNAMED_INDEX = re.compile(r"__index_level_[0-9]+__")

_OTHER_READERS: tuple[tuple[str, str, Callable[[Any, Path], Any]], ...] = (
    ("polars", "polars", lambda module, path: module.read_parquet(path)),
    ("fastparquet", "pandas", lambda module, path: module.read_parquet(path)),
)


class ParquetFile(Opened):
    """A Parquet file that pyarrow reads."""

    def __init__(self, path: Path, title: str) -> None:
        self._path = path
        with _reading(path):
            from pyarrow import parquet, types

            schema = parquet.read_schema(path)
            self._texts = {i for i, t in enumerate(schema.types) if types.is_string(t) or types.is_large_string(t)}
            self._all = list(schema.names)
            self._file = parquet.ParquetFile(path, read_dictionary=[self._all[i] for i in self._texts])
            index = stored_index(schema.pandas_metadata or {})
        self._shown = [i for i, name in enumerate(self._all) if not UNNAMED_INDEX.fullmatch(name)]
        super().__init__([self._all[i] for i in self._shown], title, index)
        self.n_rows = self._file.metadata.num_rows

    def load(self, names: Collection[str], text: Collection[str]) -> dict[str, Factor]:
        """Read these columns, those in `text` as text where their types are mixed."""
        if not self.n_rows:
            raise DataError(f"{self.title} has no rows")
        check_memory(self.n_rows, len(names))
        at = zip(self.names, self._shown, strict=True)
        return {name: self._column(i, text=name in text) for name, i in at if name in names}

    def _column(self, i: int, *, text: bool) -> Factor:
        """Read a column; pyarrow is asked by name, which others may have too."""
        import narwhals as nw
        from pyarrow import types

        check_time()
        name = self._all[i]
        with _reading(self._path):
            found = self._file.read(columns=[name])
            alike = [n for n, other in enumerate(found.column_names) if other == name]
            column = found.column(alike[self._all[:i].count(name)])
        if i in self._texts and types.is_dictionary(column.type):  # not if others have its name
            return from_encoded(column.unify_dictionaries().combine_chunks())
        return from_series(nw.from_native(column, series_only=True), text=text)

    def place(self, row: int) -> str:
        """Say where a row is."""
        return f"row {row}, counting from 0"


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Say which file it is that cannot be read; each library has errors of its own."""
    try:
        yield
    except Exception as error:
        raise DataError(f"{str(path)!r} cannot be read as Parquet: {error}") from error


def read_parquet(path: Path) -> tuple[Any, list[str]]:
    """Read a Parquet file with whichever other library is installed.

    Returns a table of that library, and the names of the columns in which pandas stored the index of a data frame.
    """
    installed = [(name, read) for library, name, read in _OTHER_READERS if importlib.util.find_spec(library)]
    if not installed:
        raise DataError(f'reading {str(path)!r} needs a Parquet library: pip install "elcs[parquet]"')
    name, read = installed[0]
    with _reading(path):
        module = importlib.import_module(name)
        table = read(module, path)
        about: Mapping[str, str] = getattr(module, "read_parquet_metadata", lambda _: {})(path)  # of Polars
        return table, stored_index(json.loads(about.get("pandas", "{}")))


def stored_index(metadata: Mapping[str, Any]) -> list[str]:
    """Return the columns that hold an index, from what pandas writes about a data frame."""
    return [column for column in metadata.get("index_columns", ()) if isinstance(column, str)]
