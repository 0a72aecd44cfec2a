"""An order of rows that depends on what they hold alone, and not on who counted them or in how many threads.

Without it half-samples would differ from run to run, and so would the last digits of what is added up. Rows are sorted
by a key: the sum of their codes, each times a large number that belongs to the column.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["add_codes", "add_numbers", "ordered_by", "share"]

_MULTIPLIER = 0x9E3779B97F4A7C15

_HALF = 16
"""So many bits of a number are looked up at once: the keys of 6.4 million rows take .08 s, from their 37 columns one by
one .15. Then columns would have to be put in order too, and not numbers: .28 s instead of .10."""

_BLOCK = 1 << 16
"""So many rows at a time stay in the cache."""


def share(position: int) -> np.uint64:
    """Return what a code of a column adds to the key of a row, times the code."""
    return np.uint64(pow(_MULTIPLIER, position + 1, 1 << 64))


def add_codes(keys: NDArray[np.uint64], codes: NDArray[np.unsignedinteger], position: int) -> None:
    """Add the codes of a column to the keys of the rows."""
    for start in range(0, len(keys), _BLOCK):
        some = codes[start : start + _BLOCK].astype(np.uint64)
        some *= share(position)
        keys[start : start + _BLOCK] += some


def add_numbers(keys: NDArray[np.uint64], numbers: NDArray[np.uint32], bits: NDArray[np.uint64]) -> None:
    """Add the codes that are parts of some numbers to the keys of the rows; `bits` is what each bit adds."""
    low, high = _sums(bits[:_HALF]), _sums(bits[_HALF:])
    for start in range(0, len(keys), _BLOCK):
        some = numbers[start : start + _BLOCK]
        keys[start : start + _BLOCK] += low[some & np.uint32((1 << _HALF) - 1)]
        keys[start : start + _BLOCK] += high[some >> np.uint32(_HALF)]


def _sums(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return what each number adds, if this is what its bits add."""
    sums = np.zeros(1, dtype=np.uint64)
    for bit in bits:
        sums = np.concatenate([sums, sums + bit])
    return sums


def ordered_by(keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return the order that sorts the keys, as numpy's `argsort` does; .05 s instead of .24 for 6.4 million of them.

    What is sorted are numbers that begin as the keys do and end with the number of the row. Where some begin alike,
    which is rare, whole keys are compared.
    """
    rows = np.uint64((1 << len(keys).bit_length()) - 1)
    numbered = keys & ~rows
    numbered |= np.arange(len(keys), dtype=np.uint64)
    numbered.sort()
    alike = np.flatnonzero(numbered[1:] ^ numbered[:-1] <= rows)
    numbered &= rows
    order = numbered.view(np.int64)
    tied = np.union1d(alike, alike + 1)
    order[tied] = order[tied][np.argsort(keys[order[tied]], kind="stable")]
    return order
