"""A lazy frame as something that counts: how many rows it has, how often each combination of values occurs.

Columns are known by position and go by names of ours, so that theirs may be anything. Whatever engine is behind the
frame, and whatever its connection, are the caller's.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Mapping, Sequence
from copy import copy
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from elcs.data import naming
from elcs.data.levels import Factor, from_series
from elcs.data.warehouse.asking import asking, collected, engine_of, title_of
from elcs.data.warehouse.counting import COUNT, Counted, numbers_in, read_counts, row_bytes
from elcs.data.warehouse.dialects import CHOOSING, GROUP, NUMBERING, PACKING, PLAIN, SAMPLING
from elcs.data.warehouse.packing import Packing, Usual, usual
from elcs.errors import DataError

if TYPE_CHECKING:
    import narwhals as nw

    from elcs.data.warehouse.files import Opened

__all__ = ["Frame", "names_of"]

SAMPLE_ROWS = 100_000
"""How many rows are looked at to learn what to expect of the others."""

_WEIGHT = "w"


class Frame:
    """Some columns of a lazy frame.

    Parameters
    ----------
    frame : narwhals.LazyFrame
        The frame.
    names : sequence of str
        Which of its columns; they are known by their positions in this list from here on.
    weights : str, optional
        The column that says how often each row counts.
    whole_rows : bool
        Leave out rows in which one of these columns lacks a value.
    files : Opened, optional
        The files that it stands for. Their connection must not be closed as long as the frame is asked.

    Attributes
    ----------
    title : str
        What to call it when something is wrong.
    """

    def __init__(
        self,
        frame: nw.LazyFrame[Any],
        names: Sequence[str],
        *,
        weights: str | None = None,
        whole_rows: bool = False,
        files: Opened | None = None,
    ) -> None:
        import narwhals as nw

        self.connection = None if files is None else files.connection
        self.title = title_of(frame) if files is None else files.title
        self.names = tuple(names)
        self.weighted = weights is not None
        with asking(self.title, "its columns"):
            found, n = naming.distinct(names_of(frame)), len(names)
            wanted = [*names, *([] if weights is None else [weights])]
            told = [*(f"c{i}" for i in range(n)), *([_WEIGHT] if self.weighted else [])]
            frame = _by_position(frame, {name: found.index(of) for name, of in zip(told, wanted, strict=True)})
            schema = frame.collect_schema()
            if engine_of(frame) in PLAIN:
                texts = [name for name in told[:n] if schema[name] == nw.String]
                frame = nw.from_native(PLAIN[engine_of(frame)](frame.to_native(), texts))
        self.types = tuple(schema[name] for name in told[:n])
        with asking(self.title, "some of its rows"):
            if self.weighted:
                if schema[_WEIGHT] == nw.String:  # as all of a text file is
                    frame = frame.with_columns(nw.col(_WEIGHT).cast(nw.Float64))
                frame = frame.filter(nw.col(_WEIGHT) > 0)
            if whole_rows:
                frame = frame.filter(*[~self._is_missing(i) for i in range(len(names))])
        self._frame = frame
        self._columns = [nw.col(f"c{i}") for i in range(len(names))]
        self._usual: dict[int, Usual] = {}
        self.n_rows, self.total = self._size()

    def _is_missing(self, position: int) -> nw.Expr:
        """Return the expression for a missing value; text of nothing but blanks is one."""
        import narwhals as nw

        column = nw.col(f"c{position}")
        if self.types[position] == nw.String:
            return column.is_null() | (column.str.strip_chars() == "")
        if self.types[position].is_float():
            return column.is_null() | column.is_nan()
        return column.is_null()

    def _size(self) -> tuple[int, int]:
        """Return the number of rows, and of observations."""
        import narwhals as nw

        if not self.weighted:
            found = self._collect(lambda: self._frame.select(nw.len().alias(COUNT)), "the number of rows")
            return int(found[COUNT][0]), int(found[COUNT][0])
        weight = nw.col(_WEIGHT)
        sums = {COUNT: nw.len(), _WEIGHT: weight.sum(), "fraction": (weight % 1).max()}  # of what has no end it is NaN
        found = self._collect(lambda: self._frame.select(**sums), "the number of rows")
        if found["fraction"][0] not in (None, 0):
            raise DataError("weights= has fractions; it must say how often each row occurs: 0, 1, 2, ...")
        return int(found[COUNT][0]), int(found[_WEIGHT][0] or 0)

    def cut(self, position: int, edges: Sequence[float]) -> None:
        """Let a column of numbers stand for its bins from now on: 0 below the first edge, then 1, and so on."""
        import narwhals as nw

        column = self._columns[position]
        if self.types[position] == nw.String:
            column = column.cast(nw.Float64)
        above = [(column >= edge).cast(nw.Int64) for edge in edges]
        bins = reduce(operator.add, above)  # which Dask can choose rows of; not so with sum_horizontal
        self._columns[position] = nw.when(~self._is_missing(position)).then(bins)
        self._usual.pop(position, None)

    @property
    def nested(self) -> list[int]:
        """The positions of the columns whose values are lists, or other things that hold several."""
        return [i for i, dtype in enumerate(self.types) if dtype.is_nested()]

    def only(self, positions: Sequence[int]) -> Frame:
        """Return the same frame with some of its columns, which are renumbered."""
        other = copy(self)
        other.names = tuple(self.names[i] for i in positions)
        other.types = tuple(self.types[i] for i in positions)
        other._columns = [self._columns[i] for i in positions]
        other._usual = {n: self._usual[i] for n, i in enumerate(positions) if i in self._usual}
        return other

    @property
    def cannot_number(self) -> str | None:
        """Why rows cannot be told apart by their numbers, if they cannot."""
        if self.weighted:
            return "a row that counts several times would be in one half with all that it counts for"
        if engine_of(self._frame) not in NUMBERING:
            return f"{self.title} does not number its rows; DuckDB, Polars, Spark and Dask do"
        return None

    def in_groups(self, n_groups: int) -> Frame:
        """Return the same frame with one more column: the group that a row belongs to, by a hash of its number."""
        import narwhals as nw

        other = copy(self)
        with asking(self.title, "the numbers of its rows"):
            numbered = NUMBERING[engine_of(self._frame)](self._frame.to_native(), n_groups)
            other._frame = nw.from_native(numbered)
        other.names = (*self.names, "the group of each row")
        other.types = (*self.types, nw.Int64())
        other._columns = [*self._columns, nw.col(GROUP)]
        return other

    def rows(self) -> tuple[list[Factor], NDArray[np.int64] | None]:
        """Return all rows, and their weights."""
        every = range(len(self.names))
        found = self._collect(lambda: self._frame.select(*self._selected(every)), "all rows")
        return [from_series(found[f"c{i}"]) for i in every], numbers_in(found[_WEIGHT]) if self.weighted else None

    def sample(self) -> list[Factor]:
        """Return some rows, spread over the frame where its engine can do that."""
        import narwhals as nw

        spread = SAMPLING.get(engine_of(self._frame))
        every = range(len(self.names))

        def drawn() -> nw.LazyFrame[Any]:
            frame = self._frame
            if spread is not None and self.n_rows > SAMPLE_ROWS:
                frame = nw.from_native(spread(frame.to_native(), SAMPLE_ROWS / self.n_rows))
            return frame.head(2 * SAMPLE_ROWS).select(*self._selected(every))

        found = self._collect(drawn, "a sample")
        factors = [from_series(found[f"c{i}"]) for i in every]
        if engine_of(self._frame) in PACKING:
            values = {i: usual(found[f"c{i}"], factors[i]) for i in every}
            self._usual = {i: known for i, known in values.items() if known is not None}
        return factors

    def row_bytes(self, positions: Sequence[int]) -> int:
        """Return the bytes that a combination of values of these columns takes while it is fetched."""
        return row_bytes(self.packing(positions), len(positions))

    def packing(self, positions: Sequence[int]) -> Packing:
        """Return those of the columns that are counted as parts of numbers."""
        return Packing({i: self._usual[i] for i in positions if i in self._usual})

    def forget_usual(self, positions: Collection[int]) -> None:
        """Count columns as they are from now on: they have levels that the sample does not."""
        self._usual = {i: known for i, known in self._usual.items() if i not in positions}

    def grouped(self, positions: Sequence[int]) -> nw.LazyFrame[Any]:
        """Return the query for how often each combination of values of these columns occurs."""
        import narwhals as nw

        counted = nw.col(_WEIGHT).sum() if self.weighted else nw.len()
        frame, numbers = self._frame.select(*self._selected(positions)), self.packing(positions).expressions()
        if numbers:
            frame = frame.with_columns(**numbers)
        plain = [f"c{i}" for i in positions if i not in self._usual]
        return frame.group_by(*numbers, *plain).agg(counted.alias(COUNT))

    def count(self, positions: Sequence[int], most: int) -> Counted | None:
        """Count how often each combination of values of these columns occurs; None if there are more than `most`.

        Raises a `DataError` if the counts do not add up to the number of observations: the table has changed then.
        """
        packing, plain = self.packing(positions), [i for i in positions if i not in self._usual]
        what = f"counts of {self._listed(positions)}"
        read = read_counts(
            self._collect(lambda: self.grouped(positions).head(most + 1), what),
            most,
            packing,
            plain,
            self.total,
            self.title,
        )
        if read is None:
            return None
        strange = packing.strange(read.factors)
        if strange:  # these are counted as they are, in the same memory
            room = most * self.row_bytes(positions)
            self.forget_usual(strange)
            return self.count(positions, max(room // self.row_bytes(positions), 1))
        return [read.factors[i] for i in positions], read.counts

    def _listed(self, positions: Sequence[int]) -> str:
        return ", ".join(self.names[i] for i in positions)

    def _selected(self, positions: Collection[int]) -> list[Any]:
        import narwhals as nw

        chosen = [self._columns[i].alias(f"c{i}") for i in positions]
        return [*chosen, nw.col(_WEIGHT)] if self.weighted else chosen

    def _collect(self, query: Callable[[], nw.LazyFrame[Any]], what: str) -> nw.DataFrame[Any]:
        """Put a query and have its answer; both can fail."""
        with asking(self.title, what):
            return collected(query(), self.connection)


def names_of(frame: nw.LazyFrame[Any]) -> list[str]:
    """Return the names of the columns of a frame."""
    with asking(title_of(frame), "its columns"):
        own = engine_of(frame) in CHOOSING  # a schema has a name only once, and these engines allow it twice
        return list(map(str, frame.to_native().columns if own else frame.collect_schema().names()))


def _by_position(frame: nw.LazyFrame[Any], positions: Mapping[str, int]) -> nw.LazyFrame[Any]:
    """Return columns by their positions, under names of ours.

    A name can mean something else: to DuckDB and Spark another that differs in case alone, to Polars a pattern.
    """
    import narwhals as nw

    engine = engine_of(frame)
    if engine in CHOOSING:
        chosen: nw.LazyFrame[Any] = nw.from_native(CHOOSING[engine](frame.to_native(), positions))
        return chosen
    return frame.select(*[nw.nth(at).alias(name) for name, at in positions.items()])
