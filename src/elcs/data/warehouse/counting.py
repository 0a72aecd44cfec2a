"""What an engine counted, as columns and numbers of observations, in an order that is always the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from elcs.data.levels import Factor, from_series
from elcs.data.warehouse.order import add_codes, ordered_by
from elcs.data.warehouse.packing import Packing
from elcs.errors import DataError

if TYPE_CHECKING:
    import narwhals as nw

__all__ = ["CELL", "COUNT", "Counted", "Read", "check_total", "numbers_in", "read_counts", "row_bytes"]

CELL, ROW = 16, 32
"""Bytes that a cell takes while it is fetched, all in all; and where cells are parts of numbers, what comes with each
row: its count, and room to sort."""

COUNT = "n"
"""The name under which an engine returns how often a combination occurs."""

Counted = tuple[list[Factor], NDArray[np.int64]]
"""Columns of combinations of values, and how often each combination occurs; in an order that is always the same."""


class Read(NamedTuple):
    """What was counted.

    Attributes
    ----------
    factors : dict of int to Factor
        The columns, by position.
    counts : array of int64
        How often each combination occurs.
    """

    factors: dict[int, Factor]
    counts: NDArray[np.int64]


def row_bytes(packing: Packing, n_columns: int) -> int:
    """Return the bytes that a combination of so many columns takes while it is fetched, some of them as numbers."""
    plain = n_columns - len(packing.positions)
    return min(CELL * n_columns, ROW + CELL * plain + packing.row_bytes)


def read_counts(
    found: nw.DataFrame[Any], most: int, packing: Packing, plain: Sequence[int], total: int, title: str
) -> Read | None:
    """Read what was counted; None if there are more combinations than `most`."""
    if len(found) > most:
        return None
    counts = numbers_in(found[COUNT])
    check_total(int(counts.sum()), total, title)
    numbers, factors = packing.numbers(found), {i: from_series(found[f"c{i}"]) for i in plain}
    del found
    keys = packing.keys(numbers, len(counts))
    for i, factor in factors.items():
        add_codes(keys, factor.codes, i)
    order = ordered_by(keys)
    del keys
    packed = packing.unpacked(some.take(order) for some in numbers)
    factors = packed | {i: replace(factor, codes=factor.codes.take(order)) for i, factor in factors.items()}
    return Read(factors, counts.take(order))


def check_total(now: int, at_first: int, title: str) -> None:
    """Refuse a table that does not have as many observations as at first."""
    if now != at_first:
        raise DataError(
            f"{title} has changed: it had {at_first:,} observations at first, and now {now:,}; ask about a copy, or a "
            "version that stays as it is"
        )


def numbers_in(series: nw.Series[Any]) -> NDArray[np.int64]:
    """Return numbers of rows; engines count in floats, in decimals and in unsigned numbers."""
    import narwhals as nw

    counts: NDArray[np.int64] = series.cast(nw.Int64).to_numpy()
    return counts
