"""A table as numbers, for methods that neither test nor score but fit."""

from __future__ import annotations

import math
import time
import warnings

import numpy as np
from numpy.typing import NDArray

from elcs.data.dataset import Dataset
from elcs.data.levels import Factor
from elcs.data.prepare import usable_rows
from elcs.data.tables import open_table
from elcs.errors import BudgetError, DataError, DataWarning, unknown_name

__all__ = ["Values"]


class Values:
    """A matrix of numbers, a column per variable, with the counters and the budget that every method is held to.

    Parameters
    ----------
    variables : tuple of str
        The names of the columns.
    matrix : array of float64
        The numbers, a row per observation.

    Attributes
    ----------
    n_asked, n_computed : int
        How often the matrix was looked at.

    Examples
    --------
    >>> values = Values.from_any({"height": [1.6, 1.7, 1.8], "sex": ["f", "f", "m"]})
    >>> values.look()
    array([[1.6, 0. ],
           [1.7, 0. ],
           [1.8, 1. ]])
    """

    def __init__(self, variables: tuple[str, ...], matrix: NDArray[np.float64]) -> None:
        self.variables = variables
        self._matrix = matrix
        self.n_asked = 0
        self.limit()

    @classmethod
    def from_any(cls, x: object, *, target: str | None = None) -> Values:
        """Take the numbers of a table: those of numeric columns as they are, of others the codes of their levels.

        Of a `Dataset`, or a test made from one, the codes are taken. Columns that do not vary are left out.
        """
        data = getattr(x, "data", x) if not isinstance(x, np.ndarray) else x
        if isinstance(data, Dataset):
            rows = np.arange(data.n_rows) if data.weights is None else np.repeat(np.arange(data.n_rows), data.weights)
            columns = {name: codes[rows].astype(np.float64) for name, codes in zip(data.names, data.codes, strict=True)}
        else:
            table = open_table(data, names=None, encoding="utf-8")
            factors = table.load(table.names, [])
            usable_rows(factors, np.ones(len(factors[table.names[0]].codes), dtype=np.bool_), "error", table.place)
            columns = {name: _numbers(name, factor) for name, factor in factors.items()}
        constant = [name for name, column in columns.items() if np.ptp(column) == 0]
        if target in constant:
            raise DataError(f"target {target!r} does not vary; nothing can be learnt about it")
        if target is not None and target not in columns:
            raise unknown_name(target, columns, what="column")
        if constant:
            listed = ", ".join(map(repr, constant))
            warnings.warn(f"left out columns that do not vary: {listed}", DataWarning, stacklevel=3)
        kept = [name for name in columns if name not in constant]
        if len(kept) < 2:
            raise DataError(f"at least two columns that vary are needed, but there are {len(kept)}")
        return cls(tuple(kept), np.column_stack([columns[name] for name in kept]))

    @property
    def n_computed(self) -> int:
        """How often the matrix was looked at; nothing is remembered."""
        return self.n_asked

    def look(self) -> NDArray[np.float64]:
        """Return the matrix, or raise `BudgetError` if it was looked at too often or for too long."""
        if self.n_asked >= self._most_asked:
            raise BudgetError("the number of evaluations allowed has been reached")
        if time.monotonic() >= self._deadline:
            raise BudgetError("the time allowed has run out")
        self.n_asked += 1
        return self._matrix

    def limit(self, *, tests: int | None = None, seconds: float | None = None) -> None:
        """Raise `BudgetError` once `look` was called this many more times or seconds have passed."""
        self._most_asked = math.inf if tests is None else self.n_asked + tests
        self._deadline = math.inf if seconds is None else time.monotonic() + seconds


def _numbers(name: str, factor: Factor) -> NDArray[np.float64]:
    if factor.kind in ("mixed", "unsupported"):
        raise DataError(f"column {name!r} holds {factor.detail}; make it numbers or labels")
    levels = factor.levels if factor.kind in ("integer", "number", "boolean") else range(len(factor.levels))
    column: NDArray[np.float64] = np.array([float(level) for level in levels])[factor.codes]
    if not np.isfinite(column).all():
        raise DataError(f"column {name!r} holds values that are not finite numbers")
    return column
