"""A DuckDB of our own, which keeps to some memory and puts the rest in a temporary file."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Generator, Iterable
from itertools import count
from typing import TYPE_CHECKING, Any

from elcs.data.warehouse.asking import collected
from elcs.data.warehouse.dialects import STREAMING

if TYPE_CHECKING:
    import narwhals as nw
    import pyarrow as pa

__all__ = ["Lent", "Store", "batches_of"]

LEAST_MEMORY = 1 << 26
"""With less DuckDB does not go far; 1.3 million distinct rows of Alarm take 29 MB."""

OF_A_THREAD = 1 << 23
"""Each thread needs so much of the memory: with 16 threads in 64 MB there is not enough to sort."""

AT_ONCE = 1 << 14
"""So many rows are fetched at once. With eight times as many, 40 columns of text do not get into 48 MB."""

_BATCH = "batch"


class Store:
    """A DuckDB of our own.

    Parameters
    ----------
    memory : int
        How many bytes it may take; what is more goes to a temporary file.
    threads : int
        How many threads it may use at most.
    """

    def __init__(self, memory: int, threads: int) -> None:
        import duckdb

        directory = tempfile.mkdtemp(prefix="elcs-")
        limit = max(memory, LEAST_MEMORY)
        self.connection = duckdb.connect(
            config={
                "memory_limit": f"{limit // 1000} KB",
                "temp_directory": directory,
                "threads": min(threads, max(limit // OF_A_THREAD, 1)),
            }
        )
        weakref.finalize(self, _close, self.connection, directory)
        self._numbers = count(1)

    def lend(self) -> Lent:
        """Return a name for a table, which is dropped when nobody holds it any more."""
        lent = Lent(f"t{next(self._numbers)}")
        weakref.finalize(lent, self._drop, lent.table)
        return lent

    def fill(self, table: str, batches: Iterable[pa.Table], columns: str = "*") -> bool:
        """Make a table of some columns of the rows that come; False if none do."""
        begin = f"CREATE TABLE {table} AS"
        for batch in batches:
            self.connection.register(_BATCH, batch)
            self.connection.execute(f"{begin} SELECT {columns} FROM {_BATCH}")
            self.connection.unregister(_BATCH)
            begin = f"INSERT INTO {table}"
        return begin.startswith("INSERT")

    def ask(self, query: str) -> nw.DataFrame[Any]:
        """Return the answer of a query."""
        import narwhals as nw

        asking = self.connection.cursor()  # of its own, as another thread may ask, too
        return collected(nw.from_native(asking.sql(query)), asking)

    def batches(self, query: str) -> Generator[pa.Table, None, None]:
        """Yield the answer of a query a batch at a time, in order; tables can be filled meanwhile."""
        asking = self.connection.cursor()
        yield from batches_of(asking.sql(query))

    def _drop(self, table: str) -> None:
        self.connection.cursor().execute(f"DROP TABLE IF EXISTS {table}")  # another query may be going on


class Lent:
    """The name of a table in a store."""

    def __init__(self, table: str) -> None:
        self.table = table


def batches_of(relation: Any) -> Generator[pa.Table, None, None]:
    """Yield an answer a batch at a time; until this is closed, nothing else can be asked on the same connection."""
    import pyarrow as pa

    with STREAMING["duckdb"](relation, AT_ONCE) as reader:
        for batch in reader:
            yield pa.Table.from_batches([batch])


def _close(connection: Any, directory: str) -> None:
    connection.close()
    shutil.rmtree(directory, ignore_errors=True)
