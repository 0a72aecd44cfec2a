"""From a matrix of weights to a directed graph without circles."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from elcs.data.values import Values
from elcs.errors import DataError
from elcs.graph.pdag import Reason
from elcs.learners.notes import Whole

__all__ = ["columns_to_fit", "draw", "without_circles"]


def columns_to_fit(values: Values, *, standardise: bool) -> NDArray[np.float64]:
    """Return the numbers with mean zero and, if asked for, variance one in every column."""
    with np.errstate(over="ignore", invalid="ignore"):
        x: NDArray[np.float64] = values.look()
        x = x - x.mean(axis=0)
        spread = x.std(axis=0)
        too_large = ~np.isfinite(spread**2 * len(x))
    if too_large.any():
        name = values.variables[int(np.argmax(too_large))]
        raise DataError(f"the numbers of column {name!r} are too large to be squared; divide them by something")
    # A column that varies by less than rounding shows no spread; it then stays as it is, all but zero.
    if standardise:
        x = x / np.where(spread > 0, spread, 1.0)
    return x


def without_circles(weights: NDArray[np.float64], threshold: float) -> NDArray[np.float64]:
    """Drop the weights that are small, and then the smallest on circles until there are no circles left.

    Examples
    --------
    >>> without_circles(np.array([[0.0, 0.9, 0.1], [0.4, 0.0, 0.5], [0.0, 0.0, 0.0]]), threshold=0.3)
    array([[0. , 0.9, 0. ],
           [0. , 0. , 0.5],
           [0. , 0. , 0. ]])
    """
    from scipy.sparse.csgraph import connected_components

    kept = np.where(np.abs(weights) > threshold, weights, 0.0)
    while True:
        # An edge lies on a circle if and only if its ends are in one strongly connected component.
        component = connected_components(kept != 0, connection="strong")[1]
        circular = (kept != 0) & (component[:, None] == component[None, :])
        if not circular.any():
            return kept
        kept[np.unravel_index(np.argmin(np.where(circular, np.abs(kept), np.inf)), kept.shape)] = 0.0


def draw(notes: Whole, weights: NDArray[np.float64]) -> None:
    """Note an edge from the variable of the row to that of the column for each weight that is not zero."""
    for i, j in np.argwhere(weights != 0):
        notes.graph.orient(notes.variables[i], notes.variables[j], Reason("fit"))
    notes.graph.settled.update(notes.variables)
