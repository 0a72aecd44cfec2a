"""Counts that were fetched: what is known of each column, and how values become codes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from elcs.data.columns import Discrete
from elcs.data.levels import Factor, code_type
from elcs.data.table import Table
from elcs.data.warehouse.counting import Counted
from elcs.errors import DataError

__all__ = ["Cube", "Distant", "Margin", "alike", "cube_of", "say_no_rows"]


def say_no_rows(what: str, *, tests_do: bool = True) -> str:
    """Say that something needs rows that are not at hand, and if tests alone could do without, that too."""
    by_tests = ", or choose a method that asks for tests alone, such as 'elcs-exact', with ci_test='g2' or 'chi2'"
    return (
        f"{what} needs the rows of the table, and they are not at hand: its distinct rows do not fit in the memory "
        "that may be used, so only counts are fetched; raise memory= (--memory)"
        + (", keep" if tests_do else " or keep")
        + " fewer columns (columns=, drop=)"
        + (by_tests if tests_do else "")
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
        raise DataError(say_no_rows("this"))


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
        whole = self.lookup[None] == len(self.column.levels) and not self.column.incomplete
        if whole and factor.has_missing and (factor.codes == len(factor.levels)).any():
            raise DataError(
                f"{title} has changed: column {self.column.name!r} now lacks values; ask about a copy of it"
            )
        every = [self.lookup[value] for value in (*factor.levels, None)]
        dtype = code_type(len(self.column.levels) + 1)
        if every == list(range(len(every))):  # as it mostly is
            return factor.codes.astype(dtype, copy=False)
        found: NDArray[Any] = np.array(every, dtype=dtype)[factor.codes]
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


def alike(codes: Sequence[NDArray[Any]], widths: Sequence[int]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return an order that puts equal rows side by side, and where in it each of the different rows begins."""
    keys, used = np.zeros(len(codes[0]), dtype=np.uint64), 1
    for column, width in zip(codes, widths, strict=True):
        if used * width >= 1 << 64:
            keys = np.unique(keys, return_inverse=True)[1].astype(np.uint64)
            used = len(keys)
        keys *= np.uint64(width)
        keys += column
        used *= width
    order = np.argsort(keys)
    ordered = keys[order]
    return order, np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))


def cube_of(positions: Sequence[int], margins: Sequence[Margin], counted: Counted, title: str) -> Cube:
    """Turn values that were counted into codes."""
    factors, counts = counted
    columns = []
    for margin, factor in zip(margins, factors, strict=True):
        far, codes = margin.column, margin.codes(factor, title)
        columns.append(Discrete(far.name, far.taken_for, codes, far.levels, False, far.incomplete))
    return Cube(tuple(positions), Table(tuple(columns), counts))
