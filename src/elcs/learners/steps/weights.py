"""From a matrix of weights to a directed graph without cycles."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from elcs.graph.pdag import Reason
from elcs.graph.rules import BEST_FIT
from elcs.learners.notes import Whole

__all__ = ["draw", "permitted", "without_circles"]


def permitted(notes: Whole) -> NDArray[np.bool_]:
    """Tell which weights may differ from zero: nothing is its own cause, or a cause that knowledge forbids."""
    names, known = notes.variables, notes.knowledge
    return np.array([[a != b and not known.forbids(a, b) for b in names] for a in names])


def without_circles(
    weights: NDArray[np.float64], threshold: float, required: NDArray[np.bool_] | None = None
) -> NDArray[np.float64]:
    """Drop the weights that are small, and then the smallest on cycles until there are no cycles left.

    Those of required arcs stay, whatever their size.

    Examples
    --------
    >>> without_circles(np.array([[0.0, 0.9, 0.1], [0.4, 0.0, 0.5], [0.0, 0.0, 0.0]]), threshold=0.3)
    array([[0. , 0.9, 0. ],
           [0. , 0. , 0.5],
           [0. , 0. , 0. ]])
    """
    from scipy.sparse.csgraph import connected_components

    fixed = np.zeros(weights.shape, dtype=bool) if required is None else required
    kept = np.where(np.abs(weights) > threshold, weights, 0.0)
    kept[fixed & (kept == 0)] = np.finfo(float).tiny  # an arc all the same
    while True:
        # An edge lies on a cycle if and only if its ends are in one strongly connected component.
        component = connected_components(kept != 0, connection="strong")[1]
        circular = (kept != 0) & (component[:, None] == component[None, :]) & ~fixed
        if not circular.any():
            return kept
        kept[np.unravel_index(np.argmin(np.where(circular, np.abs(kept), np.inf)), kept.shape)] = 0.0


def draw(notes: Whole, weights: NDArray[np.float64], threshold: float) -> None:
    """Note an edge from the variable of the row to that of the column for each weight that is large enough.

    Weights on cycles are dropped, except those of arcs that knowledge requires.
    """
    names = notes.variables
    required = np.array([[bool(notes.knowledge.requires(a, b)) for b in names] for a in names])
    for i, j in np.argwhere(without_circles(weights, threshold, required) != 0):
        notes.graph.orient(notes.variables[i], notes.variables[j], Reason(BEST_FIT))
    notes.graph.settled.update(notes.variables)
