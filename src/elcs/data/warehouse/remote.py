"""A table whose rows stay where they are: what is known of it are its levels, and counts when they are asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from elcs.data.columns import Discrete
from elcs.data.levels import Factor, code_type
from elcs.data.listing import Description, Listing
from elcs.data.table import Table
from elcs.data.warehouse.frames import Counted, Frame
from elcs.errors import DataError

__all__ = ["Cube", "Distant", "Margin", "RemoteTable"]

CELL = 16
"""Bytes that a cell takes while it is fetched: text, and what becomes of it."""


def _say_no_rows(what: str) -> str:
    return (
        f"{what} needs the rows of the table, and they are not at hand: its distinct rows do not fit in the memory "
        "that may be used, so it is asked for counts where it lives; raise memory= (--memory), keep fewer columns "
        "(columns=, drop=), or choose a method that asks for tests alone, such as 'elcs-exact', with ci_test='g2' or "
        "'chi2'"
    )


class Distant(Discrete):
    """A column of which the levels are known, but whose rows are not at hand."""

    def __init__(self, name: str, taken_for: str, levels: tuple[object, ...], *, incomplete: bool) -> None:
        for attribute, value in (("name", name), ("taken_for", taken_for), ("levels", levels)):
            object.__setattr__(self, attribute, value)
        object.__setattr__(self, "crowded", False)
        object.__setattr__(self, "incomplete", incomplete)
        object.__setattr__(self, "kind", "discrete")

    @property
    def codes(self) -> NoReturn:
        """Refuse: there are none."""
        raise DataError(_say_no_rows("this"))


class Margin(NamedTuple):
    """A column by itself.

    Attributes
    ----------
    column : Distant
        The column.
    lookup : mapping
        The code of each value, and under None that of a missing one.
    counts : array of int64
        How often each level occurs; how often none does comes last.
    """

    column: Distant
    lookup: Mapping[Any, int]
    counts: NDArray[np.int64]

    def codes(self, factor: Factor, title: str) -> NDArray[Any]:
        """Return the codes of a column of values that was fetched."""
        strange = [value for value in factor.levels if value not in self.lookup]
        if strange:
            raise DataError(
                f"{title} has changed, or takes different values for equal: column {self.column.name!r} now holds "
                f"{strange[0]!r}; ask about a copy of it, or let it tell all values apart"
            )
        every = [self.lookup[value] for value in (*factor.levels, None)]
        codes = np.array(every, dtype=code_type(len(self.column.levels) + 1))
        found: NDArray[Any] = codes[factor.codes]
        return found


class Cube(NamedTuple):
    """Counts of the combinations of some columns.

    Attributes
    ----------
    positions : tuple of int
        The columns, by their positions in the table.
    table : Table
        The combinations that occur, with how often they do as the weights.
    """

    positions: tuple[int, ...]
    table: Table


@dataclass(frozen=True, eq=False, repr=False)
class RemoteTable(Table):
    """A table that is asked for counts where it lives.

    Attributes
    ----------
    frame : Frame
        What is asked.
    margins : tuple of Margin
        The columns, one by one.
    drawn : Table
        A sample of its rows, to guess from.
    memory : int
        How many bytes may be fetched at once, and kept.
    first : tuple of Cube
        What had to be counted to find the levels.
    """

    frame: Frame = field(kw_only=True)
    margins: tuple[Margin, ...] = field(kw_only=True)
    drawn: Table = field(kw_only=True)
    memory: int = field(kw_only=True)
    first: tuple[Cube, ...] = field(kw_only=True, default=())

    def __post_init__(self) -> None:
        pass

    def __getstate__(self) -> NoReturn:
        raise DataError("a table that is asked where it lives cannot be sent to another process, or kept in a file")

    @property
    def total(self) -> int:
        """The number of observations."""
        return self.frame.total

    @property
    def divisible(self) -> bool:
        """Whether it can be halved."""
        return False

    def require_rows(self, what: str) -> NoReturn:
        """Refuse: the rows are not at hand."""
        raise DataError(_say_no_rows(what))

    def halves(self, rng: np.random.Generator) -> NoReturn:
        """Refuse: rows that are not at hand cannot be drawn."""
        self.require_rows("drawing half-samples")

    def most_rows(self, n_columns: int) -> int:
        """Return how many combinations of so many columns may be fetched."""
        return max(self.memory // (2 * CELL * n_columns), 1)

    def count(self, positions: Sequence[int]) -> Cube | None:
        """Count the combinations of some columns; None if there are more than fit."""
        at = tuple(sorted(positions))
        counted = self.frame.count(at, self.most_rows(len(at)))
        return None if counted is None else cube_of(at, [self.margins[i] for i in at], counted, self.frame.title)

    def describe(self) -> Description:
        """Say in a table what each column was taken for, and how often its first levels occur."""
        every = [
            Discrete(c.name, c.taken_for, np.arange(len(counts)), c.levels, incomplete=c.incomplete)
            for c, _, counts in self.margins
        ]
        weights = {column.name: counts for column, _, counts in self.margins}
        return Description.of(Listing(every, weights, self.total, self.dropped))

    def __repr__(self) -> str:
        return f"RemoteTable({self.total:,} observations of {len(self.columns)} columns, asked where they live)"


def cube_of(positions: Sequence[int], margins: Sequence[Margin], counted: Counted, title: str) -> Cube:
    """Turn values that were counted into codes."""
    factors, counts = counted
    columns = []
    for margin, factor in zip(margins, factors, strict=True):
        far, codes = margin.column, margin.codes(factor, title)
        columns.append(Discrete(far.name, far.taken_for, codes, far.levels, False, far.incomplete))
    return Cube(tuple(positions), Table(tuple(columns), counts))
