"""What tests and scores, which learners ask, have in common."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from elcs.data.columns import Kind
from elcs.data.table import Table
from elcs.engines.base import Budget
from elcs.errors import ElcsError

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Source"]

Made = TypeVar("Made", bound="Source")


class Source:
    """Answers questions about named variables, and can be made again from other rows if it has a table.

    It remembers what it was made with, so a subclass need do nothing for that: the first argument of its constructor is
    the table, and all others are its settings.

    Attributes
    ----------
    variables : tuple of str
        The names, in order.
    data : Table or None
        The table that the answers come from, if they come from one.
    accepts : tuple of {"discrete", "numeric"}
        The kinds of columns that it can be asked about.
    most_levels : float
        Of a column with more levels than this, it takes the least frequent ones for one.
    """

    accepts: ClassVar[tuple[Kind, ...]] = ("discrete", "numeric")
    most_levels: ClassVar[float] = math.inf
    variables: tuple[str, ...]
    data: Table | None = None
    _made_with: tuple[tuple[Any, ...], dict[str, Any]]

    def __new__(cls, *args: Any, **settings: Any) -> Self:
        """Remember what it is made with."""
        made = super().__new__(cls)
        made._made_with = args, settings
        return made

    @property
    def budget(self) -> Budget:
        """The budget that questions are charged to; it may be shared with others."""
        raise NotImplementedError

    @budget.setter
    def budget(self, budget: Budget) -> None:
        raise NotImplementedError

    @property
    def divisible(self) -> bool:
        """Whether it can be asked about only some of the rows."""
        return self.data is not None

    @property
    def recipe(self) -> Callable[[Table], Self]:
        """A function that makes the same source from another table."""
        if not self.divisible:
            raise ElcsError(f"{type(self).__name__} does not come from a table, so it cannot be made from other rows")
        args, settings = self._made_with
        if not args:
            first = next(iter(inspect.signature(type(self)).parameters))
            settings = {name: value for name, value in settings.items() if name != first}
        engine = settings.get("engine", "memory")
        if not isinstance(engine, str):  # it counts the rows it was made from
            settings = {**settings, "engine": engine.name}
        return partial(_remade, type(self), args[1:], settings)

    def limit(self, *, tests: int | None = None, seconds: float | None = None) -> None:
        """Raise `BudgetError` once this many more questions have been asked or seconds have passed."""
        self.budget = Budget(tests, seconds)

    def clear_cache(self) -> None:
        """Forget all answers; the counters stay."""
        raise NotImplementedError

    def __reduce__(self) -> Any:
        """Pickle as the table and the settings; the copy has the same limits, an empty cache and counters at zero."""
        if not self.divisible:
            return _unpacked, (partial(type(self), **self._made_with[1]), self._made_with[0], self.budget)
        return _unpacked, (self.recipe, (self.data,), self.budget)


def _remade(kind: type[Made], rest: tuple[Any, ...], settings: dict[str, Any], data: Table) -> Made:
    return kind(data, *rest, **settings)


def _unpacked(make: Callable[..., Made], args: tuple[Any, ...], budget: Budget) -> Made:
    made = make(*args)
    made.budget = budget
    return made
