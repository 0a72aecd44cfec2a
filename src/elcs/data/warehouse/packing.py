"""Several columns of few levels as one number, so that an engine groups by few narrow keys.

What the levels are is known from a sample only, so a value that is not among them gets a number of its own, and whoever
asked counts such a column as it is. DuckDB counts 37 columns of text of Alarm in 36 times what two take, and in 18 as
numbers, 20 in 12 and 9; 12 take the same, 6 a fourteenth more. What comes back takes a seventh of the memory.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from elcs.data.levels import Factor
from elcs.data.warehouse.order import add_numbers, share

if TYPE_CHECKING:
    import narwhals as nw

__all__ = ["Packing", "Usual", "usual"]

MOST_LEVELS = 16
"""Columns of more levels are not packed: a value is compared with one level after the other."""

SELDOM = 3
"""If a level occurs less often in a sample, there are likely others that do not occur in it."""

_BITS = 31

_BLOCK = 1 << 16
"""So many numbers at a time stay in the cache: 6.4 million rows of 37 columns take .5 s instead of 1.0."""


class Usual(NamedTuple):
    """The values of a column in a sample.

    Attributes
    ----------
    factor : Factor
        The column in the sample.
    order : list of int
        Its codes, the most frequent first: it is found after the fewest comparisons.
    """

    factor: Factor
    order: list[int]


def usual(series: nw.Series[Any], factor: Factor) -> Usual | None:
    """Return the values of a column of a sample if they are likely all there are; else None."""
    import narwhals as nw

    if not (series.dtype in (nw.String, nw.Boolean) or series.dtype.is_integer()) or factor.n_codes > MOST_LEVELS:
        return None
    counts = np.bincount(factor.codes, minlength=len(factor.levels) + 1)
    if counts[-1] != series.null_count():  # some texts stand for a missing value
        return None
    counts = counts[: factor.n_codes]
    order = np.argsort(-counts, kind="stable").tolist()
    return Usual(factor, order) if len(counts) and counts.min() >= SELDOM else None


class Packing:
    """Some columns as a few numbers.

    Parameters
    ----------
    columns : mapping of int to Usual
        Their values, by the positions of the columns.
    """

    def __init__(self, columns: Mapping[int, Usual]) -> None:
        self._columns = columns
        self._keys: dict[str, dict[int, int]] = {}  # where in each number the bits of each column begin
        used = _BITS
        for i, (_, order) in columns.items():
            if used + _bits(order) > _BITS:
                name = f"p{len(self._keys)}"
                self._keys[name] = {}
                used = 0
            self._keys[name][i] = used
            used += _bits(order)

    def among(self, positions: Mapping[int, int]) -> Packing:
        """Return some of the columns, at new positions and in the same bits of the same numbers."""
        other = Packing({})
        other._columns = {new: self._columns[i] for i, new in positions.items() if i in self._columns}
        keys = {name: {positions[i]: at for i, at in key.items() if i in positions} for name, key in self._keys.items()}
        other._keys = {name: key for name, key in keys.items() if key}
        return other

    @property
    def positions(self) -> Collection[int]:
        """The positions of the columns."""
        return self._columns.keys()

    @property
    def masks(self) -> dict[str, int]:
        """The bits that are in use, by the names of the numbers."""
        return {
            name: sum(((1 << _bits(self._columns[i].order)) - 1) << shift for i, shift in key.items())
            for name, key in self._keys.items()
        }

    def tops(self) -> dict[int, tuple[str, int]]:
        """Return the largest code of each column as an expression of SQL, and how many codes its sample has."""
        return {
            i: (f"max(({name} >> {shift}) & {(1 << _bits(order)) - 1})", len(order))
            for name, key in self._keys.items()
            for i, shift in key.items()
            for order in [self._columns[i].order]
        }

    @property
    def row_bytes(self) -> int:
        """The bytes of a row: the numbers, and a code of each column."""
        return 4 * len(self._keys) + len(self._columns)

    def expressions(self) -> dict[str, nw.Expr]:
        """Return the numbers as expressions, by the names they shall have."""
        import narwhals as nw

        return {
            name: nw.sum_horizontal(*[self._expression(i, shift) for i, shift in key.items()])
            for name, key in self._keys.items()
        }

    def _expression(self, position: int, shift: int) -> nw.Expr:
        import narwhals as nw

        factor, order = self._columns[position]
        column, number = nw.col(f"c{position}"), nw.lit(len(order) << shift, nw.Int32)
        for code in reversed(order):
            found = column.is_null() if code == len(factor.levels) else column == factor.levels[code]
            number = nw.when(found).then(nw.lit(code << shift, nw.Int32)).otherwise(number)
        return number

    def numbers(self, found: nw.DataFrame[Any]) -> list[NDArray[np.uint32]]:
        """Return the numbers that were found."""
        return [found[name].to_numpy().astype(np.int32, copy=False).view(np.uint32) for name in self._keys]

    def keys(self, numbers: Sequence[NDArray[np.uint32]], n_rows: int) -> NDArray[np.uint64]:
        """Return the key of each row, by which rows are put in order."""
        keys = np.zeros(n_rows, dtype=np.uint64)
        for some, key in zip(numbers, self._keys.values(), strict=True):
            bits = np.zeros(_BITS, dtype=np.uint64)
            for i, shift in key.items():
                width = _bits(self._columns[i].order)
                bits[shift : shift + width] = share(i) << np.arange(width, dtype=np.uint64)
            add_numbers(keys, some, bits)
        return keys

    def unpacked(self, numbers: Iterable[NDArray[np.uint32]]) -> dict[int, Factor]:
        """Return the columns; values that the sample does not have go by a code of their own, which is no level's."""
        return {
            i: replace(self._columns[i].factor, codes=_part(some, shift, _bits(self._columns[i].order)))
            for some, key in zip(numbers, self._keys.values(), strict=True)
            for i, shift in key.items()
        }

    def strange(self, factors: Mapping[int, Factor]) -> set[int]:
        """Return those of the columns whose values are not those of the sample."""
        n_codes = {i: len(order) for i, (_, order) in self._columns.items()}
        found = ((i, factors[i].codes, n) for i, n in n_codes.items())
        return {i for i, codes, n in found if codes.max() == n or not _has_all(codes, n)}


def _part(numbers: NDArray[np.uint32], shift: int, bits: int) -> NDArray[np.uint8]:
    """Return some bits of each number."""
    part = np.empty(len(numbers), dtype=np.uint8)
    for start in range(0, len(numbers), _BLOCK):
        some = numbers[start : start + _BLOCK] >> np.uint32(shift)
        some &= np.uint32((1 << bits) - 1)
        part[start : start + _BLOCK] = some
    return part


def _has_all(codes: NDArray[np.uint8], n_codes: int) -> bool:
    """Tell whether each code occurs; mostly the first rows show that."""
    return any(len(np.unique(some)) == n_codes for some in (codes[:_BLOCK], codes))


def _bits(order: list[int]) -> int:
    """Return how many bits hold the number of one of these values, or of none of them."""
    return len(order).bit_length()
