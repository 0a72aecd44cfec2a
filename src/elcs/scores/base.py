"""Scores by counts: how many rows there are in each cell of the table of a family."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from elcs.data import Table
from elcs.engines import CubeEngine, Engine, MemoryEngine, make_engine
from elcs.engines._kernels import Families
from elcs.engines.scoring import CubeScorer
from elcs.scores.score import Score

__all__ = ["CountedScore"]

FEW_CELLS = 1 << 10
"""A table with no more cells than this, or than rows, is counted in full; a larger one only where rows occur."""

MANY_CELLS = 1 << 20
"""The same where the rows are not at hand: then no more cells than this."""

MOST_TABLED = 1 << 16
"""With no more rows than this, terms are looked up instead of computed."""

MOST_REMEMBERED = 1 << 22
"""How many values of terms are remembered: 32 MiB."""

TIES = 1 << 20
"""Gains that are the same in so many parts of a nat are ties, as they are in the kernel (`families.hpp`)."""

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
    needs_rows = False

    def __init__(
        self,
        data: Any,
        *,
        engine: Literal["memory", "reference"] | Engine = "memory",
        cache_size: int = 1 << 20,
    ) -> None:
        super().__init__(data, cache_size=cache_size)
        self.engine = make_engine(engine, self.data)
        self._levels = self.engine.levels
        by_cubes = isinstance(self.engine, CubeEngine)
        self._dense_cells = max(min(self.engine.total, MANY_CELLS) if by_cubes else self.data.n_rows, FEW_CELLS)
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

    @property
    def _compiled(self) -> tuple[float, float] | None:
        """`ess` and `price` by which the kernel computes the same score (`MemoryEngine.families`), if it can."""
        return None

    @cached_property
    def settling(self) -> CubeScorer | None:
        """What fetches counts for the families, if that takes trips to where the table lives."""
        if self._compiled is None or not isinstance(self.engine, CubeEngine):
            return None
        ess, price = self._compiled
        return self.engine.scorer(ess=ess, price=price)

    def clear_cache(self) -> None:
        """Forget all scores; the counters stay."""
        super().clear_cache()
        if self.settling is not None:
            self.settling.forget()

    def _make_families(self) -> Families:
        if self._compiled is not None and isinstance(self.engine, MemoryEngine):
            ess, price = self._compiled
            return self.engine.families(ess=ess, price=price, cache_size=self._cache_size)
        if self.settling is None:
            return super()._make_families()
        return Families.foreign(
            len(self.variables),
            self.settling,
            levels=self._levels,
            total=self.engine.total,
            cache_size=self._cache_size,
        )

    def measure(self, child: int, parents: Sequence[int]) -> float:
        """Count the rows of a family, and add the terms up.

        Where values are missing, families rest on different rows, and sums over different rows cannot be compared: they
        vary by the square root of the number of rows, far more than by the price of a parent. So parents are taken off
        one by one. What each adds is measured on the rows that have it and all that are left, and scaled up to all rows
        of the table. The weakest goes first: a parent pays only if it does on the rows that have all of them.

        What chance adds on few rows would be scaled up too, and soon exceed what searches charge for a parent. So each
        row by which a gain is scaled up brings its share of ln p with it, p being the number of variables.
        """
        left, added = list(parents), 0.0
        while left and any(self.data.columns[v].incomplete for v in (child, *left)):
            gains, n_rows = self._gains(child, left)
            ranks = [(round(gain * TIES), self.variables[v]) for gain, v in zip(gains, left, strict=True)]
            weakest = ranks.index(min(ranks))
            more = self.engine.total / n_rows - 1 if n_rows else 0.0
            added += gains[weakest] + more * (gains[weakest] - math.log(len(self.variables)))
            del left[weakest]
        return added + self._added_up(child, left)

    def _added_up(self, child: int, parents: Sequence[int]) -> float:
        """Return the sum of the terms over the rows that have the whole family."""
        n_levels, n_configurations = self._size(child, parents)
        if n_levels * n_configurations > self._dense_cells:
            return self._sum(child, parents, *self._occurring(child, parents, (child, *parents)))
        if self.engine.total > MOST_TABLED:
            table = self.engine.counts([*parents, child])
            return self._sum(child, parents, table, table.sum(axis=-1))
        of_cells, of_configurations, constant = self._tabled(n_levels, n_configurations)
        return self.engine.family_sum([*parents, child], of_cells, of_configurations) + constant

    def _gains(self, child: int, parents: list[int]) -> tuple[list[float], int]:
        """Return what each parent adds to the others on the rows that have the whole family, and how many these are."""
        family = (child, *parents)
        without = [parents[:i] + parents[i + 1 :] for i in range(len(parents))]
        if math.prod(self._size(child, parents)) > self._dense_cells:
            counts = [self._occurring(child, some, family) for some in (parents, *without)]
        else:
            table = self.engine.counts([*parents, child])
            tables = [table, *(table.sum(axis=i) for i in range(len(parents)))]
            counts = [(cells, cells.sum(axis=-1)) for cells in tables]
        whole = self._sum(child, parents, *counts[0])
        gains = [whole - self._sum(child, some, *more) for some, more in zip(without, counts[1:], strict=True)]
        return gains, int(counts[0][1].sum())

    def _sum(
        self, child: int, parents: Sequence[int], cells: NDArray[np.int64], configurations: NDArray[np.int64]
    ) -> float:
        """Add the terms up."""
        of_cells, of_configurations, constant = self.terms(*self._size(child, parents))
        return float(of_cells(cells).sum() - of_configurations(configurations).sum()) + constant

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

    def _occurring(
        self, child: int, parents: Sequence[int], having: Sequence[int]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Count the combinations that occur, of all variables and of the parents, in rows that have certain variables.

        The memory it takes grows with the rows and not with the table.
        """
        table, at = self._rows_of(having)
        codes, weights = {v: table.codes[at[v]] for v in (*parents, child)}, table.weights
        gaps = [table.columns[at[v]].missing for v in having if table.columns[at[v]].incomplete]
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
        return _tally(keys, weights), configurations

    def _rows_of(self, variables: Sequence[int]) -> tuple[Table, Mapping[int, int]]:
        """Return a table that has the rows of these variables, and where in it they are."""
        if isinstance(self.engine, CubeEngine):
            held = self.engine.cubes.fetched(variables)
            return held.table, held.position
        return self.data, {v: v for v in variables}


def _tally(keys: NDArray[np.int64], weights: NDArray[np.int64] | None) -> NDArray[np.int64]:
    """Return how often each key occurs, in ascending order of the keys."""
    if weights is None:
        return np.unique(keys, return_counts=True)[1].astype(np.int64)
    order = np.argsort(keys, kind="stable")
    firsts = np.flatnonzero(np.diff(keys[order], prepend=-1))
    return np.add.reduceat(weights[order], firsts) if len(keys) else weights
