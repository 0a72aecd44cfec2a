"""Scores by counts: how many rows there are in each cell of the table of a family."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from elcs.engines import Engine, make_engine
from elcs.scores.score import Score

__all__ = ["CountedScore"]

FEW_CELLS = 1 << 10
"""A table with no more cells than this, or than rows, is counted in full; a larger one only where rows occur."""

MOST_TABLED = 1 << 16
"""With no more rows than this, terms are looked up instead of computed."""

MOST_REMEMBERED = 1 << 22
"""How many values of terms are remembered: 32 MiB."""

MOST_KEYS = 1 << 62
"""Beyond this, combinations of levels are renumbered before another variable joins them."""


Term = Callable[[NDArray[np.int64]], NDArray[np.float64]]
"""What a count contributes to a score, for an array of counts; nothing for a count of 0. Equal terms compare equal."""


class CountedScore(Score):
    """Scores families of discrete variables by counts.

    To add such a score, subclass it and write `terms`; counting is taken care of, and so is all that `Score` does.

    Parameters
    ----------
    data : table
        Anything that `Table.from_any` takes.
    engine : {"memory", "reference"} or Engine
        What counts the rows: the compiled engine, the one in plain numpy, or an engine already made from these data.
    cache_size : int
        Number of scores to remember (about 150 bytes each); 0 switches the cache off.

    Examples
    --------
    The likelihood alone, for which no set of parents is too large:

    >>> from scipy.special import xlogy
    >>> def n_log_n(n):
    ...     return xlogy(n, n)
    >>> class Likelihood(CountedScore):
    ...     def terms(self, n_levels, n_configurations):
    ...         return n_log_n, n_log_n, 0.0
    >>> score = Likelihood({"rain": [0, 0, 1, 1], "wet": [0, 0, 1, 1]})
    >>> score.local("wet"), score.local("wet", ["rain"])
    (-2.77..., 0.0)
    """

    accepts = ("discrete",)

    def __init__(
        self,
        data: Any,
        *,
        engine: Literal["memory", "reference"] | Engine = "memory",
        cache_size: int = 1 << 20,
    ) -> None:
        super().__init__(data, cache_size=cache_size)
        self.data.require_complete()
        self.engine = make_engine(engine, self.data)
        self._levels = self.engine.levels
        self._dense_cells = max(self.data.n_rows, FEW_CELLS)
        self._terms: dict[tuple[int, int], tuple[NDArray[np.float64], NDArray[np.float64], float]] = {}
        self._tables: dict[Term, NDArray[np.float64]] = {}

    @abstractmethod
    def terms(self, n_levels: int, n_configurations: int) -> tuple[Term, Term, float]:
        """Return the terms that the score of a family is a sum of.

        Parameters
        ----------
        n_levels : int
            The number of levels of the child.
        n_configurations : int
            The number of combinations of levels of the parents, whether they occur or not.

        Returns
        -------
        of_cells, of_configurations : Term
            The score is the sum of the first over the numbers of rows with each combination of levels of the parents
            and the child, minus the sum of the second over the same for the parents alone,
        constant : float
            plus this constant.
        """

    def measure(self, child: int, parents: Sequence[int]) -> float:
        """Count the rows of a family, and add the terms up."""
        n_levels, n_configurations = self._levels[child], math.prod([self._levels[v] for v in parents])
        dense = n_levels * n_configurations <= self._dense_cells
        if dense and self.engine.total <= MOST_TABLED:
            of_cells, of_configurations, constant = self._tabled(n_levels, n_configurations)
            return self.engine.family_sum([*parents, child], of_cells, of_configurations) + constant
        cells, configurations = self._counted(child, parents) if dense else self._occurring(child, parents)
        cell, configuration, constant = self.terms(n_levels, n_configurations)
        return float(cell(cells).sum() - configuration(configurations).sum()) + constant

    def _tabled(self, n_levels: int, n_configurations: int) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
        """Return the terms for all possible numbers of rows."""
        size = n_levels, n_configurations
        if size not in self._terms:
            if len(self._tables) * self.engine.total > MOST_REMEMBERED:
                self._terms.clear()
                self._tables.clear()
            *terms, constant = self.terms(*size)
            for term in terms:
                if term not in self._tables:
                    self._tables[term] = np.ascontiguousarray(term(np.arange(self.engine.total + 1)), dtype=np.float64)
            of_cells, of_configurations = (self._tables[term] for term in terms)
            self._terms[size] = of_cells, of_configurations, constant
        return self._terms[size]

    def _counted(self, child: int, parents: Sequence[int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Count all combinations."""
        table = self.engine.counts([*parents, child])
        return table, table.sum(axis=-1)

    def _occurring(self, child: int, parents: Sequence[int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Count the combinations that occur, in memory that grows with the rows and not with the table."""
        keys, used = np.zeros(self.data.n_rows, dtype=np.int64), 1
        for v in (*parents, child):
            if used * self._levels[v] > MOST_KEYS:
                levels, keys = np.unique(keys, return_inverse=True)
                used = len(levels)
            if v == child:
                configurations = _tally(keys, self.data.weights)
            keys, used = keys * self._levels[v] + self.data.codes[v], used * self._levels[v]
        return _tally(keys, self.data.weights), configurations


def _tally(keys: NDArray[np.int64], weights: NDArray[np.int64] | None) -> NDArray[np.int64]:
    """Return how often each key occurs, in ascending order of the keys."""
    if weights is None:
        return np.unique(keys, return_counts=True)[1].astype(np.int64)
    order = np.argsort(keys, kind="stable")
    firsts = np.flatnonzero(np.diff(keys[order], prepend=-1))
    return np.add.reduceat(weights[order], firsts) if len(keys) else weights
