"""Counting the distinct rows of some columns of a table in memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from elcs.data import Table
from elcs.data.columns import Discrete
from elcs.engines._kernels import distinct

__all__ = ["collapse", "taken"]


def collapse(table: Table, positions: Sequence[int]) -> Table:
    """Return the distinct rows of some columns; how often each occurs is its weight."""
    weights = np.ones(table.n_rows, dtype=np.int64) if table.weights is None else table.weights
    codes = [table.codes[v] for v in positions]
    widths = [len(table.levels[v]) + table.columns[v].incomplete for v in positions]  # a gap has a code of its own
    rows, counts = distinct(codes, widths, weights)
    return Table(taken(table, positions, rows), counts)


def taken(table: Table, positions: Iterable[int], rows: NDArray[np.intp]) -> tuple[Discrete, ...]:
    """Return some rows of some columns; of whole numbers that are quantities, the levels."""
    columns = ((table.columns[v], table.codes[v][rows]) for v in positions)
    return tuple(Discrete(c.name, c.taken_for, codes, c.levels, False, c.incomplete) for c, codes in columns)
