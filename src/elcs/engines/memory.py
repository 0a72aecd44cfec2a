"""The compiled engine: a table in memory, as codes and as bitmaps."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from elcs.data import Table
from elcs.engines._kernels import Families
from elcs.engines._kernels import Table as LaidOut
from elcs.engines._kernels import Tester as CompiledTester
from elcs.engines.base import Rule, Tester, table_shape

__all__ = ["MemoryEngine"]


class MemoryEngine:
    """Counts a `Table` with the compiled kernels.

    Besides the codes of the table (shared, not copied) it keeps one bit per row and level.

    Parameters
    ----------
    data : Table
        The table.
    threads : int, optional
        How many threads may count one table together; this pays off from about a million rows.
        By default, one per processor.

    Examples
    --------
    >>> import elcs
    >>> engine = elcs.engines.MemoryEngine(elcs.Table.from_any({"a": [0, 0, 1, 1], "b": [0, 0, 1, 0]}))
    >>> engine.counts([0, 1])
    array([[2, 0],
           [1, 1]])
    """

    name = "memory"

    def __init__(self, data: Table, *, threads: int | None = None) -> None:
        self.levels = tuple(len(levels) for levels in data.levels)
        self.total = data.total
        ranks = {name: rank for rank, name in enumerate(sorted(data.names))}
        self._ranks = [ranks[name] for name in data.names]
        gaps = [column.incomplete for column in data.columns]
        self._table = LaidOut(list(data.codes), list(self.levels), gaps, data.weights, threads or os.cpu_count() or 1)

    @property
    def cpu(self) -> str:
        """The instruction set in use; the environment variable ELCS_CPU chooses another."""
        return self._table.cpu

    def counts(self, variables: Sequence[int]) -> NDArray[np.int64]:
        """Return the contingency table of these variables, one axis each."""
        shape = table_shape(self.levels, variables)
        return self._table.counts(list(variables)).view(np.int64).reshape(shape)

    def family_sum(
        self, variables: Sequence[int], of_cells: NDArray[np.float64], of_configurations: NDArray[np.float64]
    ) -> float:
        """Add up a function of the cells, minus one of the cells without the last variable."""
        return self._table.family_sum(variables, of_cells, of_configurations)

    def tester(self, rule: Rule, *, cache_size: int) -> Tester:
        """Return a compiled tester."""
        return CompiledTester.counting(
            self._table,
            pearson=rule.statistic == "chi2",
            rows_per_cell=rule.rows_per_cell,
            critical=rule.critical,
            cache_size=cache_size,
        )

    def families(self, *, ess: float = 0.0, price: float = 0.0, cache_size: int, among: int | None = None) -> Families:
        """Return compiled scores of families: BDeu, or BIC at this price of a parameter if `ess` is 0.

        If the columns are some of those of another table, `among` says how many that has.
        """
        among = len(self.levels) if among is None else among
        return Families.counted(
            self._table, ess=ess, price=price, ranks=self._ranks, among=among, cache_size=cache_size
        )
