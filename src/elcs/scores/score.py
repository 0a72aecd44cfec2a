"""The one question that score-based learners ask: how good a set of parents is for a variable.

The score of a network is the sum of the local scores of its families, a family being a variable and its parents.
Scores are logarithms; the higher, the better. The scores here are *equivalent*: networks that imply the same
independences score the same, so a score says no more about directions than tests do. Where values are missing that
holds only nearly for scores by counts, as families then rest on different rows.
"""

from __future__ import annotations

import weakref
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property, partial
from typing import Any, ClassVar, cast

from elcs.data import Table
from elcs.engines import Budget
from elcs.engines._kernels import Families
from elcs.engines.base import Settling
from elcs.engines.source import Source
from elcs.errors import DataError, ElcsError, unknown_name

__all__ = ["Score"]

FOR_NUMBERS = "a score for numbers: score='blocks' (--score blocks)"


class Score(Source):
    """Scores families of named variables.

    A learner sees nothing else: not the data, not the prior, not the cache. To add a score, subclass it and write
    `measure`; names, the cache, the counters and the limits are taken care of. If it is a sum over counts, subclass
    `CountedScore` instead, which counts as well.

    Parameters
    ----------
    data : table
        Anything that `Table.from_any` takes.
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
    A score that cares for nothing but few parents:

    >>> class Fewness(Score):
    ...     def measure(self, child, parents):
    ...         return -1.0 * len(parents)
    >>> score = Fewness({"rain": [0, 0, 1, 1], "wet": [0.1, 0.2, 1.5, 1.3]})
    >>> score.local("wet", ["rain"])
    -1.0
    """

    data: Table
    price_of_parent = 0.0
    """What the score already charges for a parent, whatever it says about the child."""
    needs_rows: ClassVar[bool] = True
    """Whether it has to see the rows; a score by counts need not."""

    def __init__(self, data: Any, *, cache_size: int = 1 << 20) -> None:
        if cache_size < 0:
            raise ElcsError(f"cache_size must not be negative, but is {cache_size!r}")
        self.data = Table.from_any(data)
        if self.needs_rows:
            self.data.require_rows(f"the score {type(self).__name__}")
        self.data.require(self.accepts, instead=FOR_NUMBERS)
        self.variables = self.data.names
        self.n_asked = 0
        self.n_computed = 0
        self._position = {name: i for i, name in enumerate(self.variables)}
        self._cache: dict[tuple[int, ...], float] = {}
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
    def measure(self, child: int, parents: Sequence[int]) -> float:
        """Return the score of a family, whose variables are given by their positions; the parents are sorted."""

    @property
    def settings(self) -> dict[str, float]:
        """What the score depends on besides the data, under the names of the constructor's parameters."""
        return {}

    def comparable(self, variables: Iterable[str]) -> bool:
        """Tell whether all families of these variables rest on the same rows, which they do if no value is missing."""
        return not any(self.data.columns[self._position[x]].incomplete for x in variables)

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

    def gains(self, child: str, parents: Iterable[str], others: Sequence[str]) -> list[float]:
        """Return what each of the others adds to the score of a variable as one parent more, in one trip.

        Examples
        --------
        >>> import elcs
        >>> score = elcs.BDeu({"rain": [0, 0, 1, 1] * 25, "wet": [0, 0, 1, 1] * 25, "dice": [1, 2] * 50})
        >>> [round(gain, 1) for gain in score.gains("wet", [], ["rain", "dice"])]
        [68.5, -2.9]
        """
        at = self._position
        try:
            own, base, more = at[child], [at[p] for p in parents], [at[x] for x in others]
        except KeyError as error:
            raise unknown_name(error.args[0], self.variables, what="variable") from None
        if len({own, *base}) <= len(base) or not {own, *base}.isdisjoint(more):
            raise self._twice(own, [*base, *more])
        with self.charged() as families:
            return families.gains(own, base, more)

    @property
    def settling(self) -> Settling | None:
        """What takes trips to where the table lives, if that is needed."""
        return None

    @contextmanager
    def charged(self) -> Iterator[Families]:
        """Count and pay for what is asked of the families in the meantime."""
        families = self.families
        families.budget = self.budget
        asked, computed = families.asked, families.computed
        try:
            yield families
        finally:
            self.n_asked += families.asked - asked
            self.n_computed += families.computed - computed

    @cached_property
    def families(self) -> Families:
        """The same scores for work that is done in the kernel: many in one trip, with a cache of their own."""
        return self._make_families()

    def _make_families(self) -> Families:
        measured = partial(_measured, weakref.ref(self))  # not a method, or neither of the two would ever be freed
        return Families.foreign(len(self.variables), measured, cache_size=self._cache_size)

    def clear_cache(self) -> None:
        """Forget all scores; the counters stay."""
        self._cache.clear()
        if "families" in vars(self):
            self.families.clear_cache()

    def _compute(self, family: tuple[int, ...]) -> float:
        child, *parents = family
        if len(set(family)) < len(family):
            raise self._twice(child, parents)
        found = self.measure(child, parents)
        self.n_computed += 1
        if self._cache_size:
            if len(self._cache) >= self._cache_size:
                self._cache.clear()
            self._cache[family] = found
        return found

    def _twice(self, child: int, parents: Sequence[int]) -> DataError:
        names = [self.variables[v] for v in parents]
        return DataError(f"cannot score {self.variables[child]!r} with parents {names!r}: a variable appears twice")


def _measured(score: weakref.ref[Score], child: int, parents: Sequence[int], others: Sequence[int]) -> list[float]:
    """Measure the families in which each of the others is one parent more, or that of the parents alone."""
    measure = cast("Score", score()).measure
    return [measure(child, sorted([*parents, x])) for x in others] if others else [measure(child, parents)]
