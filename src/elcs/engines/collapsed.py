"""A table in memory with many rows that have weights, as something that cubes come from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from elcs.data import Table
from elcs.data.columns import Discrete
from elcs.data.warehouse.cube import Cube
from elcs.data.warehouse.expecting import expected_rows
from elcs.data.warehouse.frames import SAMPLE_ROWS
from elcs.data.warehouse.remote import KEPT
from elcs.engines._kernels import distinct

__all__ = ["Collapsed"]

FEWER = 4
"""A cube must have so many times fewer rows than the table, or else it is not worth making."""


class Collapsed:
    """What cubes come from (`Countable`), made of a table in memory."""

    first: tuple[Cube, ...] = ()
    counted = "combinations"
    widest = 20  # wider cubes have more rows, so tests take longer: four targets of Alarm 6.7 s with 30, 6.0 with 20

    def __init__(self, table: Table) -> None:
        self.room = table.reading.bytes // KEPT
        self.names, self.levels, self.columns, self.total = table.names, table.levels, table.columns, table.total
        self._codes = table.codes
        self._weights = np.ones(table.n_rows, dtype=np.int64) if table.weights is None else table.weights
        ends, rng = np.cumsum(self._weights), np.random.default_rng(0)
        rows = np.searchsorted(ends, rng.integers(0, ends[-1], min(SAMPLE_ROWS, self.total)), "right")
        self.drawn = Table(self._taken(range(len(self.columns)), rows))

    def expected(self, positions: Sequence[int]) -> float:
        """Return how many combinations of these columns to expect."""
        return expected_rows([self.drawn.columns[v] for v in positions], self.total)

    def most_rows(self, positions: Sequence[int]) -> int:
        """Return how many combinations of these columns may be fetched."""
        return len(self._weights) // FEWER

    def count(self, positions: Sequence[int]) -> Cube:
        """Count the combinations of some columns."""
        at = tuple(sorted(positions))
        rows, counts = distinct([self._codes[v] for v in at], [len(self.levels[v]) + 1 for v in at], self._weights)
        return Cube(at, Table(self._taken(at, rows), counts))

    def _taken(self, positions: Iterable[int], rows: NDArray[np.intp]) -> tuple[Discrete, ...]:
        """Return some rows of some columns; of whole numbers that are quantities, the levels."""
        columns = ((self.columns[v], self._codes[v][rows]) for v in positions)
        return tuple(Discrete(c.name, c.taken_for, codes, c.levels, False, c.incomplete) for c, codes in columns)
