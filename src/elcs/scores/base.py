"""The one question that score-based learners ask: how good a set of parents is for a variable.

The score of a network is the sum of the local scores of its families, a family being a variable and its parents.
Scores are logarithms; the higher, the better. The scores here are *equivalent*: networks that imply the same
independences score the same, so a score says no more about directions than tests do. Where values are missing that
holds only nearly, as families then rest on different rows.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from elcs.data import Table
from elcs.engines import Budget, Engine, make_engine
from elcs.engines.source import Source
from elcs.errors import DataError, ElcsError, unknown_name

__all__ = ["Score"]

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


class Score(Source):
    """Scores families of named variables.

    A learner sees nothing else: not the data, not the prior, not the cache. To add a score, subclass it and write
    `terms`; names, counting, the cache, the counters and the limits are taken care of.

    Parameters
    ----------
    data : table
        Anything that `Table.from_any` takes.
    engine : {"memory", "reference"} or Engine
        What counts the rows: the compiled engine, the one in plain numpy, or an engine already made from these data.
    cache_size : int
        Number of scores to remember (about 150 bytes each); 0 switches the cache off.

    Attributes
    ----------
    variables : tuple of str
        The names, in order.
    n_asked, n_computed : int
        Number of scores asked for, repeats included, and of those that had to be computed.

    Examples
    --------
    The likelihood alone, for which no set of parents is too large:

    >>> from scipy.special import xlogy
    >>> def n_log_n(n):
    ...     return xlogy(n, n)
    >>> class Likelihood(Score):
    ...     def terms(self, n_levels, n_configurations):
    ...         return n_log_n, n_log_n, 0.0
    >>> score = Likelihood({"rain": [0, 0, 1, 1], "wet": [0, 0, 1, 1]})
    >>> score.local("wet"), score.local("wet", ["rain"])
    (-2.77..., 0.0)
    """

    accepts = ("discrete",)
    data: Table

    def __init__(
        self,
        data: Any,
        *,
        engine: Literal["memory", "reference"] | Engine = "memory",
        cache_size: int = 1 << 20,
    ) -> None:
        if cache_size < 0:
            raise ElcsError(f"cache_size must not be negative, but is {cache_size!r}")
        self.data = Table.from_any(data)
        self.data.require(self.accepts)
        self.engine = make_engine(engine, self.data)
        self.variables = self.data.names
        self.n_asked = 0
        self.n_computed = 0
        self._position = {name: i for i, name in enumerate(self.variables)}
        self._levels = self.engine.levels
        self._dense_cells = max(self.data.n_rows, FEW_CELLS)
        self._cache: dict[tuple[int, ...], float] = {}
        self._alone: dict[int, tuple[float, int]] = {}
        self._terms: dict[tuple[int, int], tuple[NDArray[np.float64], NDArray[np.float64], float]] = {}
        self._tables: dict[Term, NDArray[np.float64]] = {}
        self._cache_size = cache_size
        self._budget = Budget()

    @property
    def budget(self) -> Budget:
        """The budget that scores are charged to; it may be shared with others."""
        return self._budget

    @budget.setter
    def budget(self, budget: Budget) -> None:
        self._budget = budget

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

    @property
    def settings(self) -> dict[str, float]:
        """What the score depends on besides the data, under the names of the constructor's parameters."""
        return {}

    def local(self, child: str, parents: Iterable[str] = ()) -> float:
        """Return the score of a variable with these parents, in any order."""
        self._budget.spend()
        self.n_asked += 1
        at = self._position
        try:
            family = (at[child], *sorted([at[p] for p in parents]))
        except KeyError as error:
            raise unknown_name(error.args[0], self.variables, what="variable") from None
        found = self._cache.get(family)
        return self._compute(family) if found is None else found

    def clear_cache(self) -> None:
        """Forget all scores; the counters stay."""
        self._cache.clear()

    def _compute(self, family: tuple[int, ...]) -> float:
        child, *parents = family
        if len(set(family)) < len(family):
            names = [self.variables[v] for v in parents]
            raise DataError(f"cannot score {self.variables[child]!r} with parents {names!r}: a variable appears twice")
        gaps = any(self.data.columns[v].incomplete for v in parents)
        found = self._compared(child, parents) if gaps else self._added_up(child, parents)
        self.n_computed += 1
        if self._cache_size:
            if len(self._cache) >= self._cache_size:
                self._cache.clear()
            self._cache[family] = found
        return found

    def _added_up(self, child: int, parents: Sequence[int]) -> float:
        """Return the sum of the terms over the rows that have the whole family."""
        n_levels, n_configurations = self._size(child, parents)
        if n_levels * n_configurations <= self._dense_cells and self.engine.total <= MOST_TABLED:
            of_cells, of_configurations, constant = self._tabled(n_levels, n_configurations)
            return self.engine.family_sum([*parents, child], of_cells, of_configurations) + constant
        cells, configurations, _ = self._counts(child, parents)
        cell, configuration, constant = self.terms(n_levels, n_configurations)
        return float(cell(cells).sum() - configuration(configurations).sum()) + constant

    def _compared(self, child: int, parents: Sequence[int]) -> float:
        """Return the score of the child alone, and what parents with gaps add to it.

        Families that rest on different rows cannot be compared by their sums: what the rows contribute varies by the
        square root of their number, and that is far more than the price of a parent. So the parents are compared with
        none on the rows that have the whole family, and the difference is scaled up to the rows that have the child.
        Constants are not scaled; parents that share no row with the child add nothing else.
        """
        n_levels, n_configurations = self._size(child, parents)
        if n_levels * n_configurations <= self._dense_cells and self.engine.total <= MOST_TABLED:
            of_cells, of_configurations, constant = self._tabled(n_levels, n_configurations)
            of_child, of_all, constant_alone = self._tabled(n_levels, 1)
            gained, n_family = self.engine.family_gain(
                [*parents, child], (of_cells, of_configurations), (of_child, of_all)
            )
        else:
            cells, configurations, alone = self._counts(child, parents)
            n_family = int(alone.sum())
            cell, configuration, constant = self.terms(n_levels, n_configurations)
            gained = float(cell(cells).sum() - configuration(configurations).sum())
            cell, configuration, constant_alone = self.terms(n_levels, 1)
            gained -= float(cell(alone).sum() - configuration(alone.sum(keepdims=True)).sum())
        if child not in self._alone:
            self._alone[child] = self._added_up(child, ()), int(self.engine.counts([child]).sum())
        score_alone, n_child = self._alone[child]
        scale = n_child / n_family if n_family else 0.0
        return score_alone + scale * gained + constant - constant_alone

    def _size(self, child: int, parents: Sequence[int]) -> tuple[int, int]:
        """Return the number of levels of the child and the number of configurations of the parents."""
        return self._levels[child], math.prod([self._levels[v] for v in parents])

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

    def _counts(
        self, child: int, parents: Sequence[int]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Count the rows that have the whole family: by all of it, by the parents, by the child."""
        n_levels, n_configurations = self._size(child, parents)
        if n_levels * n_configurations > self._dense_cells:
            return self._occurring(child, parents)
        table = self.engine.counts([*parents, child]).reshape(n_configurations, n_levels)
        return table, table.sum(axis=1), table.sum(axis=0)

    def _occurring(
        self, child: int, parents: Sequence[int]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Count the combinations that occur, in memory that grows with the rows and not with the table."""
        codes, weights = {v: self.data.codes[v] for v in (*parents, child)}, self.data.weights
        gaps = [self.data.columns[v].missing for v in codes if self.data.columns[v].incomplete]
        if gaps:
            rows = ~np.any(gaps, axis=0)
            codes = {v: column[rows] for v, column in codes.items()}
            weights = None if weights is None else weights[rows]
        keys, used = np.zeros(len(codes[child]), dtype=np.int64), 1
        for v in codes:
            if used * self._levels[v] > MOST_KEYS:
                levels, keys = np.unique(keys, return_inverse=True)
                used = len(levels)
            if v == child:
                configurations = _tally(keys, weights)
            keys, used = keys * self._levels[v] + codes[v], used * self._levels[v]
        return _tally(keys, weights), configurations, np.bincount(codes[child], weights).astype(np.int64)


def _tally(keys: NDArray[np.int64], weights: NDArray[np.int64] | None) -> NDArray[np.int64]:
    """Return how often each key occurs, in ascending order of the keys."""
    if weights is None:
        return np.unique(keys, return_counts=True)[1].astype(np.int64)
    order = np.argsort(keys, kind="stable")
    firsts = np.flatnonzero(np.diff(keys[order], prepend=-1))
    return np.add.reduceat(weights[order], firsts) if len(keys) else weights
