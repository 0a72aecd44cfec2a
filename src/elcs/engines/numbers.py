"""The numbers of a table, for methods that neither test nor score but fit."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from elcs.data import Table
from elcs.deadline import check_stopped, check_time
from elcs.engines.base import Budget
from elcs.errors import DataError

__all__ = ["Numbers"]

_ROWS_AT_ONCE = 1 << 16


class Numbers:
    """The columns of a table as numbers: numeric ones and integers as they are, others as the codes of their levels.

    Parameters
    ----------
    data : table
        Anything that `Table.from_any` takes.

    Attributes
    ----------
    variables : tuple of str
        The names, in order.
    budget : Budget
        What evaluations are charged to.
    n_asked : int
        How many evaluations were made.

    Examples
    --------
    >>> numbers = Numbers({"height": [1.6, 1.7, 1.8], "sex": ["f", "f", "m"]})
    >>> numbers.matrix
    array([[1.6, 0. ],
           [1.7, 0. ],
           [1.8, 1. ]])
    """

    def __init__(self, data: object) -> None:
        self.data = Table.from_any(data)
        self.data.require_rows("fitting numbers")
        self.data.require_complete()
        self.data.require_finite()
        self.variables = self.data.names
        self.weights = self.data.weights
        self.matrix = self.data.keep("numbers", _matrix)
        self.budget = Budget()
        self.n_asked = 0

    @property
    def n_computed(self) -> int:
        """How many evaluations were computed: all of them, because nothing is remembered."""
        return self.n_asked

    def limit(self, *, tests: int | None = None, seconds: float | None = None) -> None:
        """Raise `BudgetError` once this many more evaluations have been made or seconds have passed."""
        self.budget = Budget(tests, seconds)

    def evaluate(self) -> None:
        """Count one evaluation of a fit; raise `BudgetError` if no more are allowed."""
        self.budget.spend()
        check_stopped()
        self.n_asked += 1

    def moments(self, *, standardise: bool = False) -> NDArray[np.float64]:
        """Return the covariances: the mean product of each pair of columns, both measured from their means.

        With `standardise`, columns have variance one, so these are the correlations. A row counts as often as its
        weight says; no row is copied.

        Examples
        --------
        >>> Numbers({"a": [1, 2, 3], "b": [2, 4, 6]}).moments(standardise=True).round(3)
        array([[1., 1.],
               [1., 1.]])
        """
        centre, sums = self._means(), np.zeros((len(self.variables), len(self.variables)))
        with np.errstate(over="ignore", invalid="ignore"):
            for start in range(0, len(self.matrix), _ROWS_AT_ONCE):
                self.budget.check_time()
                rows = slice(start, start + _ROWS_AT_ONCE)
                part = self.matrix[rows] - centre
                sums += part.T @ (part if self.weights is None else part * self.weights[rows, None])
            moments = sums / self.data.total
        too_large = ~np.isfinite(np.diag(moments))
        if too_large.any():
            name = self.variables[int(np.argmax(too_large))]
            raise DataError(f"the numbers of column {name!r} are too large to be squared; divide them by a constant")
        spread = _spread(moments) if standardise else np.ones(len(moments))
        return moments / np.outer(spread, spread)

    def centred(self, *, standardise: bool = False) -> NDArray[np.float64]:
        """Return the rows with mean zero and, if asked for, variance one in every column."""
        spread = _spread(self.moments())
        centred: NDArray[np.float64] = self.matrix - self._means()
        return centred / spread if standardise else centred

    def _means(self) -> NDArray[np.float64]:
        means: NDArray[np.float64] = np.average(self.matrix, axis=0, weights=self.weights)
        return means


def _matrix(table: Table) -> NDArray[np.float64]:
    columns = []
    for column in table.columns:
        check_time()
        columns.append(column.numbers())
    return np.column_stack(columns)


def _spread(moments: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the standard deviations; 1 for a column that varies by less than rounding, which stays almost zero."""
    spread: NDArray[np.float64] = np.sqrt(np.diag(moments))
    return np.where(spread > 0, spread, 1.0)
