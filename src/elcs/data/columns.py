"""The columns of a table: discrete ones, which have levels, and numeric ones, which have values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from elcs.data.times import TIMES, UNITS, as_text
from elcs.errors import DataError

__all__ = ["Column", "Discrete", "Kind", "Numeric"]

Kind = Literal["discrete", "numeric"]
"""The kinds of columns that a test or a score can be asked about."""


@dataclass(frozen=True, slots=True, eq=False)
class Discrete:
    """A column of levels.

    Attributes
    ----------
    name : str
        What it is called.
    taken_for : str
        What its values were taken for: 'category', 'text', 'integer', 'boolean', 'binned', 'date', 'duration', 'time'.
    codes : array
        A code for each row, 0 to the number of levels - 1: uint8, or uint16 above 256 codes, or uint32 above 65,536.
        The code after the last one stands for a missing value.
    levels : tuple
        What the codes stand for.
    crowded : bool
        Whether it has so many levels that the rows say nothing about most of them.
    incomplete : bool
        Whether a value is missing in some row.
    """

    name: str
    taken_for: str
    codes: NDArray[Any]
    levels: tuple[object, ...]
    crowded: bool = False
    incomplete: bool = False

    kind: Literal["discrete"] = "discrete"

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Which rows have no value."""
        missing: NDArray[np.bool_] = self.codes == len(self.levels)
        return missing

    def numbers(self) -> NDArray[np.float64]:
        """Return the values of integers and truth values, or the codes of other levels; NaN where one is missing."""
        counted = self.taken_for in ("integer", "boolean") and all(isinstance(x, int) for x in self.levels)
        try:
            levels = np.array(self.levels if counted else range(len(self.levels)), dtype=np.float64)
        except OverflowError:
            raise DataError(f"column {self.name!r} holds whole numbers too large to compute with") from None
        values: NDArray[np.float64] = np.append(levels, np.nan)[self.codes]
        return values


@dataclass(frozen=True, slots=True, eq=False)
class Numeric:
    """A column of numbers.

    Attributes
    ----------
    name : str
        What it is called.
    values : array of float64
        A number for each row; NaN where it is missing. A date is the number of days since the start of 1970, in UTC if
        it has a time zone; a duration is in seconds, and so is a time of day, from midnight.
    ranks : array of unsigned integers
        The place of each value among the different ones, from 0; the one after the last stands for a missing value.
    taken_for : {'number', 'integer', 'date', 'duration', 'time'}
        What its values were taken for; 'number' if there are fractions among them.
    codes, levels : array, tuple
        Of whole numbers, what `Discrete` has, for tests that only know levels; of dates and times too, unless they are
        crowded; of fractions there are none.
    crowded : bool
        Whether there are so many different values that the rows say nothing about most of them.
    incomplete : bool
        Whether a value is missing in some row.
    """

    name: str
    values: NDArray[np.float64]
    ranks: NDArray[Any]
    taken_for: str = "number"
    codes: NDArray[Any] | None = None
    levels: tuple[object, ...] = ()
    crowded: bool = False
    incomplete: bool = False

    kind: Literal["numeric"] = "numeric"

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Which rows have no value."""
        return np.isnan(self.values)

    @property
    def range(self) -> str:
        """The least and the greatest value, in words."""
        low, high = np.nanmin(self.values), np.nanmax(self.values)
        if self.taken_for in TIMES:
            ends = (round(float(end) * UNITS[self.taken_for]) for end in (low, high))
            return " to ".join(as_text(end, self.taken_for) for end in ends)
        return f"{_in_digits(low)} to {_in_digits(high)}"

    def numbers(self) -> NDArray[np.float64]:
        """Return the values."""
        return self.values


def _in_digits(number: float) -> str:
    """Write a number with four digits, or all of those before the point if there are up to 15."""
    return f"{number:,.0f}" if 1000 <= abs(number) < 1e15 else f"{number:.4g}"


Column = Discrete | Numeric
