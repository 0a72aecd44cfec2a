"""Drawing from a network: one variable after the other, all rows at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elcs.data.levels import code_type

__all__ = ["cumulative", "draw"]


def cumulative(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return where the levels of a variable end on the scale from 0 to 1, for all but the last.

    There is a row for each end, with one axis for each parent. Where only levels of probability 0 follow, the end is
    exactly 1: rounding must not draw the impossible.

    Examples
    --------
    >>> cumulative(np.array([[0.25, 0.75, 0.0], [0.5, 0.25, 0.25]]))
    array([[0.25, 0.5 ],
           [1.  , 0.75]])
    """
    by_level = np.moveaxis(table, -1, 0)
    ends = np.cumsum(by_level[:-1], axis=0)
    follows = np.cumsum(by_level[:0:-1], axis=0)[::-1]
    return np.ascontiguousarray(np.where(follows > 0, ends, 1.0))


def draw(
    order: Sequence[str],
    parents: Mapping[str, Sequence[str]],
    ends: Mapping[str, NDArray[np.float64]],
    n: int,
    rng: np.random.Generator,
) -> dict[str, NDArray[Any]]:
    """Return the codes of n rows for each variable; `order` has parents before children."""
    codes: dict[str, NDArray[Any]] = {}
    for name in order:
        uniform = rng.random(n)
        column = np.zeros(n, dtype=code_type(len(ends[name]) + 1))
        shape = ends[name].shape[1:]
        configuration = _configuration([codes[parent] for parent in parents[name]], shape)
        for end in ends[name]:  # a few levels: counting the ends passed is faster than a search
            column += uniform >= (end if configuration is None else end.take(configuration))
        codes[name] = column
    return codes


def _configuration(columns: Sequence[NDArray[Any]], shape: Sequence[int]) -> NDArray[np.intp] | None:
    """Return the number of the configuration of the parents in each row, the last parent counting fastest."""
    if not columns:
        return None
    number = columns[0].astype(np.intp)
    for column, n_levels in zip(columns[1:], shape[1:], strict=True):
        number *= n_levels
        number += column
    return number
