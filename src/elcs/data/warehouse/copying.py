"""A copy of the distinct rows of a table, in a DuckDB of our own, of which counts are cheap.

Distinct rows that do not fit in memory may still be far fewer than all rows. They are fetched once, a batch at a time,
columns of few levels as parts of numbers. What does not fit into the memory of the copy goes to a temporary file. After
that the table is not asked again, and nothing of ours is left where it lives.
"""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from copy import copy
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from elcs.data.levels import from_series
from elcs.data.warehouse.asking import asking, canceller, collected, engine_of, interruptible
from elcs.data.warehouse.counting import COUNT, Counted, check_total, read_counts, row_bytes
from elcs.data.warehouse.cube import Margin
from elcs.data.warehouse.dialects import STREAMING, threads_of
from elcs.data.warehouse.frames import Frame
from elcs.data.warehouse.order import add_codes
from elcs.data.warehouse.packing import Packing

if TYPE_CHECKING:
    import narwhals as nw
    import pyarrow as pa

__all__ = ["Copy", "copy_of"]

LEAST_MEMORY = 1 << 26
"""With less DuckDB does not go far; 1.3 million distinct rows of Alarm take 29 MB."""

AT_ONCE = 1 << 14
"""So many rows are fetched at once. With eight times as many, 40 columns of text do not get into 48 MB."""

_BATCH, _KEY, _HALF = "batch", "k", "a"


def copy_of(frame: Frame, positions: Sequence[int], memory: int) -> Copy | None:
    """Fetch the distinct rows of some columns, and keep them in so much memory; None if that cannot be done."""
    if engine_of(frame.grouped(positions)) not in STREAMING:
        return None
    import duckdb

    query, packing = frame.grouped(positions), frame.packing(positions)
    plain = {i: f"c{i}" for i in positions if i not in packing.positions}
    store = Store(memory, threads_of(query.to_native()))
    table = store.new_table()
    columns = ", ".join([*packing.masks, *plain.values(), f"{COUNT}::BIGINT AS {COUNT}"])

    def fetch() -> None:
        with closing(_batches(query.to_native())) as batches:
            store.fill(table, batches, columns)

    with asking(frame.title, "its distinct rows"):
        try:
            interruptible(fetch, canceller(query, frame.connection))
        except duckdb.OutOfMemoryException:  # there is no room for the temporary file
            return None
    made = Copy(store, store.lend(table), COUNT, packing, plain, frame.names, frame.title)
    check_total(made.total, frame.total, frame.title)
    strange = made.strange()
    if strange:  # these are fetched as they are
        frame.forget_usual(strange)
        return copy_of(frame, positions, memory)
    return made


class Store:
    """A DuckDB of our own.

    Parameters
    ----------
    memory : int
        How many bytes it may take; what is more goes to a temporary file.
    threads : int
        How many threads it may use.
    """

    def __init__(self, memory: int, threads: int) -> None:
        import duckdb

        directory = tempfile.mkdtemp(prefix="elcs-")
        limit = f"{max(memory, LEAST_MEMORY) // 1000} KB"
        self.connection = duckdb.connect(
            config={"memory_limit": limit, "temp_directory": directory, "threads": threads}
        )
        weakref.finalize(self, _close, self.connection, directory)
        self._numbers = count(1)

    def new_table(self) -> str:
        """Return a name for a table."""
        return f"t{next(self._numbers)}"

    def fill(self, table: str, batches: Iterable[pa.Table], columns: str = "*") -> None:
        """Make a table of some columns of the rows that come."""
        begin = f"CREATE TABLE {table} AS"
        for batch in batches:
            self.connection.register(_BATCH, batch)
            self.connection.execute(f"{begin} SELECT {columns} FROM {_BATCH}")
            self.connection.unregister(_BATCH)
            begin = f"INSERT INTO {table}"

    def batches(self, table: str) -> Iterator[pa.Table]:
        """Yield a table a batch at a time, in order; others can be filled meanwhile."""
        reading = self.connection.cursor()
        yield from _batches(reading.sql(f"FROM {table}"))

    def drop(self, table: str) -> None:
        """Drop a table, whatever is being asked meanwhile."""
        self.connection.cursor().execute(f"DROP TABLE {table}")

    def lend(self, table: str) -> Lent:
        """Return what a table lives as long as."""
        lent = Lent(table)
        weakref.finalize(lent, self.drop, table)
        return lent


def _close(connection: Any, directory: str) -> None:
    connection.close()
    shutil.rmtree(directory, ignore_errors=True)


class Lent:
    """A table in a store, which goes when nobody holds this any more."""

    def __init__(self, table: str) -> None:
        self.table = table


class Copy:
    """The distinct rows of some columns, as something that counts.

    Parameters
    ----------
    store : Store
        Where they are.
    lent : Lent
        In which table.
    weight : str
        What each counts for, as an expression of that table.
    packing : Packing
        The columns that are parts of numbers.
    plain : mapping of int to str
        The names that the others have there.
    names : sequence of str
        The columns; they are known by their positions in this list.
    title : str
        What to call the table that they come from when something is wrong.

    Attributes
    ----------
    n_rows, total : int
        The number of distinct rows, and of observations.
    """

    def __init__(
        self,
        store: Store,
        lent: Lent,
        weight: str,
        packing: Packing,
        plain: Mapping[int, str],
        names: Sequence[str],
        title: str,
    ) -> None:
        self.names, self.title = tuple(names), title
        self._store, self._lent, self._weight = store, lent, weight
        self._packing, self._plain = packing, plain
        size = self._ask(f"SELECT count(*) AS r, sum({weight})::BIGINT AS s FROM {lent.table} WHERE {weight} > 0")
        self.n_rows, self.total = int(size["r"][0]), int(size["s"][0] or 0)
        self._is_ordered = False

    def only(self, positions: Sequence[int]) -> Copy:
        """Return the same with some of its columns, which are renumbered."""
        at = {i: n for n, i in enumerate(positions)}
        other = copy(self)
        other.names = tuple(self.names[i] for i in positions)
        other._packing = self._packing.among(at)
        other._plain = {at[i]: name for i, name in self._plain.items() if i in at}
        return other

    def row_bytes(self, positions: Sequence[int]) -> int:
        """Return the bytes that a combination of values of these columns takes while it is fetched."""
        return row_bytes(self._packing.among({i: i for i in positions}), len(positions))

    def count(self, positions: Sequence[int], most: int) -> Counted | None:
        """Count how often each combination of values of these columns occurs; None if there are more than `most`."""
        packing = self._packing.among({i: i for i in positions})
        plain = [i for i in positions if i in self._plain]
        keys = [f"{name} & {mask} AS {name}" for name, mask in packing.masks.items()]
        keys += [f"{self._plain[i]} AS c{i}" for i in plain]
        found = self._ask(
            f"SELECT {', '.join(keys)}, sum({self._weight})::BIGINT AS {COUNT} FROM {self._lent.table} "
            f"WHERE {self._weight} > 0 GROUP BY ALL LIMIT {most + 1}"
        )
        read = read_counts(found, most, packing, plain, self.total, self.title)
        return None if read is None else ([read.factors[i] for i in positions], read.counts)

    def _ask(self, query: str) -> nw.DataFrame[Any]:
        import narwhals as nw

        with asking(f"the copy of {self.title}", "counts"):
            return collected(nw.from_native(self._store.connection.sql(query)))

    def strange(self) -> set[int]:
        """Return the columns that hold values which the sample does not."""
        tops = self._packing.tops()
        if not tops:
            return set()
        selected = ", ".join(f"{top} AS c{i}" for i, (top, _) in tops.items())
        found = self._ask(f"SELECT {selected} FROM {self._lent.table}")
        return {i for i, (_, n_codes) in tops.items() if int(found[f"c{i}"][0]) == n_codes}

    def halves(self, margins: Sequence[Margin], rng: np.random.Generator) -> tuple[Copy, Copy]:
        """Split the observations at random into two halves, which have about the same number of them."""
        if not self._is_ordered:
            self._put_in_order(margins)
        pair = self._store.new_table()
        rows = self._store.batches(self._lent.table)
        self._store.fill(pair, (_with(some, _HALF, rng.binomial(some[COUNT].to_numpy(), 0.5)) for some in rows))
        lent = self._store.lend(pair)
        return self._half(lent, _HALF), self._half(lent, f"{COUNT} - {_HALF}")

    def _half(self, lent: Lent, weight: str) -> Copy:
        return Copy(self._store, lent, weight, self._packing, self._plain, self.names, self.title)

    def _put_in_order(self, margins: Sequence[Margin]) -> None:
        """Put the rows in an order that depends on what they hold alone, and not on who counted them or how."""
        keyed, ordered = self._store.new_table(), self._store.new_table()
        rows = self._store.batches(self._lent.table)
        self._store.fill(keyed, (_with(some, _KEY, self._keys(some, margins)) for some in rows))
        self._store.connection.execute(f"CREATE TABLE {ordered} AS FROM {keyed} ORDER BY {_KEY}")
        self._store.drop(keyed)
        self._lent, self._is_ordered = self._store.lend(ordered), True

    def _keys(self, rows: pa.Table, margins: Sequence[Margin]) -> NDArray[np.uint64]:
        """Return the keys of some rows."""
        import narwhals as nw

        found = nw.from_native(rows, eager_only=True)
        keys = np.zeros(len(found), dtype=np.uint64)
        factors = self._packing.unpacked(self._packing.numbers(found))
        factors |= {i: from_series(found[name]) for i, name in self._plain.items()}
        for i, factor in factors.items():
            add_codes(keys, margins[i].codes(factor, self.title), i)
        return keys


def _batches(relation: Any) -> Generator[pa.Table, None, None]:
    """Yield an answer a batch at a time; until this is closed, nothing else can be asked on the same connection."""
    import pyarrow as pa

    with STREAMING["duckdb"](relation, AT_ONCE) as reader:
        for batch in reader:
            yield pa.Table.from_batches([batch])


def _with(rows: pa.Table, name: str, values: NDArray[Any]) -> pa.Table:
    import pyarrow as pa

    return rows.append_column(name, pa.array(values))
