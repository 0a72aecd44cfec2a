"""A table in memory with many rows that have weights, as something that cubes come from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from elcs.data import Table
from elcs.data.warehouse.cube import Cube
from elcs.data.warehouse.expecting import expected_rows
from elcs.data.warehouse.frames import SAMPLE_ROWS
from elcs.data.warehouse.remote import KEPT, WIDENED, WIDEST_IF_QUICK
from elcs.engines.collapsing import collapse, taken

__all__ = ["Collapsed", "distinct_rows"]

FEWER = 4
"""A cube must have so many times fewer rows than the table, or else it is not worth making."""


class Collapsed:
    """What cubes come from (`Countable`), made of a table in memory."""

    first: tuple[Cube, ...] = ()
    counted, quick = "combinations", True
    widest = WIDEST_IF_QUICK

    def __init__(self, table: Table) -> None:
        self.room = table.reading.bytes // KEPT
        self.names, self.levels, self.columns, self.total = table.names, table.levels, table.columns, table.total
        self._table = table
        self.widened = table.n_rows / WIDENED
        self.drawn = _sample(table)

    def expected(self, positions: Sequence[int]) -> float:
        """Return how many combinations of these columns to expect."""
        return expected_rows([self.drawn.columns[v] for v in positions], self.total)

    def most_rows(self, positions: Sequence[int]) -> int:
        """Return how many combinations of these columns may be fetched."""
        return self._table.n_rows // FEWER

    def count(self, positions: Sequence[int]) -> Cube:
        """Count the combinations of some columns."""
        at = tuple(sorted(positions))
        return Cube(at, collapse(self._table, at))


def distinct_rows(table: Table) -> Table:
    """Return the distinct rows, with how often each occurs as its weight, if they are to be fewer than half of all."""
    expected = expected_rows(_sample(table).columns, table.total)
    return collapse(table, range(len(table.columns))) if 2 * expected < table.n_rows else table


def _sample(table: Table) -> Table:
    """Draw some observations."""
    drawn = np.random.default_rng(0).integers(0, table.total, min(SAMPLE_ROWS, table.total))
    rows = drawn if table.weights is None else _rows_of(drawn, table.weights)
    return Table(taken(table, range(len(table.columns)), rows))


def _rows_of(observations: NDArray[np.int64], weights: NDArray[np.int64]) -> NDArray[np.intp]:
    """Return the row of each observation; they are looked up in order, which takes .02 s instead of .08."""
    rows, order = np.empty(len(observations), dtype=np.intp), np.argsort(observations)
    rows[order] = np.searchsorted(np.cumsum(weights), observations[order], "right")
    return rows
