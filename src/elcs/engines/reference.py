"""The reference engine: what the compiled one does, written in numpy to be read and tested against."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elcs.data import Table
from elcs.engines.base import Answer, Rule, Tester, table_shape
from elcs.engines.sequential import SequentialTester

__all__ = ["ReferenceEngine", "measure"]


class ReferenceEngine:
    """Counts a `Table` with numpy.

    Parameters
    ----------
    data : Table
        The table.
    """

    name = "reference"

    def __init__(self, data: Table) -> None:
        self.levels = tuple(len(levels) for levels in data.levels)
        self.total = data.total
        self._codes = data.codes
        self._weights = np.ones(data.n_rows, dtype=np.int64) if data.weights is None else data.weights

    def counts(self, variables: Sequence[int]) -> NDArray[np.int64]:
        """Return the contingency table of these variables, one axis each."""
        table = np.zeros(table_shape(self.levels, variables), dtype=np.int64)
        codes, weights = self._complete(variables)
        np.add.at(table, tuple(codes), weights)
        return table

    def family_sum(
        self, variables: Sequence[int], of_cells: NDArray[np.float64], of_configurations: NDArray[np.float64]
    ) -> float:
        """Add up a function of the cells, minus one of the cells without the last variable."""
        table = self.counts(variables)
        return float(of_cells[table].sum() - of_configurations[table.sum(axis=-1)].sum())

    def tester(self, rule: Rule, *, cache_size: int) -> Tester:
        """Return a tester in plain Python."""

        def answer(x: int, y: int, given: tuple[int, ...]) -> Answer:
            tables = self._strata(x, y, given)
            statistic, dof = measure(tables, rule.statistic)
            total, cells = int(tables.sum()), float(np.prod([float(self.levels[v]) for v in (x, y, *given)]))
            return statistic, dof, rule.verdict(statistic, dof, total=total, cells=cells), total, 1

        return SequentialTester(answer, cache_size=cache_size)

    def _strata(self, x: int, y: int, given: tuple[int, ...]) -> NDArray[np.int64]:
        """Return one table x by y for each combination of the conditioning levels that occurs."""
        (codes_x, codes_y, *held), weights = self._complete((x, y, *given))
        rows = np.column_stack(held) if held else np.zeros((len(weights), 1))
        _, stratum = np.unique(rows, axis=0, return_inverse=True)
        tables = np.zeros((stratum.max(initial=-1) + 1, self.levels[x], self.levels[y]), dtype=np.int64)
        np.add.at(tables, (stratum.reshape(-1), codes_x, codes_y), weights)
        return tables

    def _complete(self, variables: Sequence[int]) -> tuple[list[NDArray[Any]], NDArray[np.int64]]:
        """Return the codes and the weights of the rows that have all of these variables."""
        rows = np.all([self._codes[v] < self.levels[v] for v in variables], axis=0)
        return [self._codes[v][rows] for v in variables], self._weights[rows]


def measure(tables: NDArray[np.int64], statistic: str) -> tuple[float, int]:
    """Return the statistic of a stack of tables, and its degrees of freedom.

    Examples
    --------
    >>> measure(np.array([[[10, 20], [30, 40]]]), "chi2")
    (0.79..., 1)
    """
    from scipy.special import xlogy

    by_x, by_y = tables.sum(axis=2, keepdims=True), tables.sum(axis=1, keepdims=True)
    total = tables.sum(axis=(1, 2), keepdims=True)
    expected = by_x * (by_y / np.maximum(total, 1))
    occurs = expected > 0
    observed, expected = tables[occurs], expected[occurs]
    if statistic == "g2":
        terms = 2 * xlogy(observed, observed / expected)
    else:
        terms = (observed - expected) ** 2 / expected
    rows, columns = (by_x > 0).sum(axis=1), (by_y > 0).sum(axis=2)
    dof = int((np.maximum(rows - 1, 0) * np.maximum(columns - 1, 0)).sum())
    return (max(float(terms.sum()), 0.0) if dof else 0.0), dof
