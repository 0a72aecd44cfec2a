"""A copy of the distinct rows of a table, in a DuckDB of our own, of which counts are cheap.

Distinct rows that do not fit in memory may still be far fewer than all rows. They are fetched once, a batch at a time,
columns of few levels as parts of numbers. What does not fit into the memory of the copy goes to a temporary file. After
that the table is not asked again, and nothing of ours is left where it lives.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, closing
from copy import copy
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from elcs.data.levels import from_series
from elcs.data.warehouse.asking import asking, canceller, engine_of, interruptible
from elcs.data.warehouse.counting import COUNT, Counted, check_total, read_counts, row_bytes
from elcs.data.warehouse.cube import Margin
from elcs.data.warehouse.dialects import STREAMING, threads_of
from elcs.data.warehouse.frames import Frame
from elcs.data.warehouse.order import add_codes
from elcs.data.warehouse.packing import Packing
from elcs.data.warehouse.storing import Lent, Store, batches_of

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Copy", "copy_of"]

_KEY, _HALF = "k", "a"


def copy_of(frame: Frame, positions: Sequence[int], memory: int) -> Copy | None:
    """Fetch the distinct rows of some columns, and keep them in so much memory; None if that cannot be done."""
    if engine_of(frame.grouped(positions)) not in STREAMING:
        return None
    made = _fetched(frame, positions, memory)
    strange = set() if made is None else made.strange()
    if not strange:
        return made
    del made
    frame.forget_usual(strange)  # they hold values that the sample does not, and are fetched as they are
    return _fetched(frame, positions, memory)


def _fetched(frame: Frame, positions: Sequence[int], memory: int) -> Copy | None:
    import duckdb

    query, packing = frame.grouped(positions), frame.packing(positions)
    plain = {i: f"c{i}" for i in positions if i not in packing.positions}
    columns = ", ".join([*packing.masks, *plain.values(), f"{COUNT}::BIGINT AS {COUNT}"])
    with asking(frame.title, "its distinct rows"):
        try:
            store = Store(memory, threads_of(query.to_native()))
        except OSError:  # there is no place for a temporary file
            return None
        lent = store.lend()

        def fetch() -> bool:
            with closing(batches_of(query.to_native())) as batches:
                return store.fill(lent.table, batches, columns)

        try:
            found = interruptible(fetch, canceller(query, frame.connection))
        except duckdb.OutOfMemoryException:  # here, or where the table lives: there is no room for temporary files
            return None
    if not found:
        check_total(0, frame.total, frame.title)
    made = Copy(store, lent, COUNT, packing, plain, frame.title)
    check_total(made.total, frame.total, frame.title)
    return made


class Copy:
    """The distinct rows of some columns, as something that counts; columns are known by their positions.

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
    title : str
        What to call the table that they come from when something is wrong.
    ordered : bool
        Whether the rows are in an order that depends on what they hold alone.

    Attributes
    ----------
    n_rows, total : int
        The number of distinct rows, and of observations.
    is_half : bool
        Whether it is a half-sample.
    """

    def __init__(
        self,
        store: Store,
        lent: Lent,
        weight: str,
        packing: Packing,
        plain: Mapping[int, str],
        title: str,
        *,
        ordered: bool = False,
    ) -> None:
        self.title = title
        self.is_half = weight != COUNT
        self._store, self._lent, self._weight = store, lent, weight
        self._packing, self._plain = packing, plain
        self._is_ordered = ordered
        with self._asking("its size"):
            size = store.ask(f"SELECT count(*) AS r, sum({COUNT})::BIGINT AS s FROM ({self._rows})")
        self.n_rows, self.total = int(size["r"][0]), int(size["s"][0] or 0)

    @property
    def _rows(self) -> str:
        """The query for the rows."""
        columns = ", ".join([*self._packing.masks, *self._plain.values(), f"{self._weight} AS {COUNT}"])
        return f"SELECT {columns} FROM {self._lent.table} WHERE {self._weight} > 0"

    def only(self, positions: Sequence[int]) -> Copy:
        """Return the same with some of its columns, which are renumbered."""
        at = {i: n for n, i in enumerate(positions)}
        other = copy(self)
        other._packing = self._packing.among(at)
        other._plain = {at[i]: name for i, name in self._plain.items() if i in at}
        return other

    def row_bytes(self, positions: Sequence[int]) -> int:
        """Return the bytes that a combination of values of these columns takes while it is fetched."""
        return row_bytes(self._packing.among({i: i for i in positions}), len(positions))

    def count(self, positions: Sequence[int], most: int) -> Counted | None:
        """Count how often each combination of values of these columns occurs; None if there are more than `most`.

        So it is if there are too many to count in the memory of the copy.
        """
        import duckdb

        packing = self._packing.among({i: i for i in positions})
        plain = [i for i in positions if i in self._plain]
        keys = [f"{name} & {mask} AS {name}" for name, mask in packing.masks.items()]
        keys += [f"{self._plain[i]} AS c{i}" for i in plain]
        counted = f"SELECT {', '.join(keys)}, sum({COUNT})::BIGINT AS {COUNT} FROM ({self._rows})"
        with self._asking("counts"):
            try:
                found = self._store.ask(f"{counted} GROUP BY ALL LIMIT {most + 1}")
            except duckdb.OutOfMemoryException:
                return None
        read = read_counts(found, most, packing, plain, self.total, self.title)
        return None if read is None else ([read.factors[i] for i in positions], read.counts)

    def strange(self) -> set[int]:
        """Return the columns that hold values which the sample does not."""
        tops = self._packing.tops()
        if not tops:
            return set()
        selected = ", ".join(f"{top} AS c{i}" for i, (top, _) in tops.items())
        with self._asking("its levels"):
            found = self._store.ask(f"SELECT {selected} FROM {self._lent.table}")
        return {i for i, (_, n_codes) in tops.items() if int(found[f"c{i}"][0]) == n_codes}

    def halves(self, margins: Sequence[Margin], rng: np.random.Generator) -> tuple[Copy, Copy]:
        """Split the observations at random into two halves, which have about the same number of them."""
        if not self._is_ordered:
            self._put_in_order(margins)
        pair = self._store.lend()
        self._fill(pair, _HALF, lambda rows: rng.binomial(rows[COUNT].to_numpy(), 0.5))
        one, other = (
            Copy(self._store, pair, weight, self._packing, self._plain, self.title, ordered=True)
            for weight in (_HALF, f"{COUNT} - {_HALF}")
        )
        return one, other

    def _put_in_order(self, margins: Sequence[Margin]) -> None:
        """Put the rows in an order that depends on what they hold alone, and not on who counted them or how.

        Rows that are read as the same, such as those that lack a value in one way or another, have the same key.
        """
        keyed, ordered = self._store.lend(), self._store.lend()
        self._fill(keyed, _KEY, lambda rows: self._keys(rows, margins))
        sort = f"CREATE TABLE {ordered.table} AS FROM {keyed.table} ORDER BY {_KEY}, {COUNT}"
        self._do(lambda: self._store.connection.execute(sort))
        self._lent, self._is_ordered = ordered, True

    def _fill(self, lent: Lent, name: str, values: Callable[[pa.Table], NDArray[Any]]) -> None:
        """Make a table of the rows with one more column."""
        import pyarrow as pa

        def fill() -> None:
            with closing(self._store.batches(self._rows)) as batches:
                rows = (batch.append_column(name, pa.array(values(batch))) for batch in batches)
                self._store.fill(lent.table, rows)

        self._do(fill)

    def _do(self, work: Callable[[], object]) -> None:
        with self._asking("half-samples"):
            interruptible(work, self._store.connection.interrupt)

    def _asking(self, what: str) -> AbstractContextManager[None]:
        return asking(f"the copy of {self.title}", what)

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
