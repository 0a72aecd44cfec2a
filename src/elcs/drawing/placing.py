"""Where the members of ordered layers go from left to right.

Lines should be short and long ones straight: the sum of the squared sideways steps of all lines is made small, a step
between two joints counting eight times that between two nodes. Layer by layer, with the others held fixed, that is a
regression on an increasing sequence, once the widths are taken off, and pooling neighbours solves it exactly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from elcs.drawing.layers import Layers

__all__ = ["increasing", "placed"]

_ROUNDS = 60
_NODE_GAP, _JOINT_GAP = 22.0, 9.0
_WEIGHTS = (1.0, 2.0, 8.0)  # of a step between two nodes, a node and a joint, two joints


def placed(made: Layers, widths: Mapping[int, float]) -> dict[int, float]:
    """Return the x of every member of every layer."""
    at: dict[int, float] = {}
    offsets = []
    for row in made.rows:
        offset = [0.0]
        for u, v in pairwise(row):
            gap = _JOINT_GAP if made.is_joint(u) or made.is_joint(v) else _NODE_GAP
            offset.append(offset[-1] + (widths[u] + widths[v]) / 2 + gap)
        offsets.append(offset)
        at.update({v: x - offset[-1] / 2 for v, x in zip(row, offset, strict=True)})
    steps = {
        v: [(u, _WEIGHTS[made.is_joint(u) + made.is_joint(v)]) for u in (*made.above[v], *made.below[v])] for v in at
    }
    indices = range(len(made.rows))
    for sweep in range(_ROUNDS):
        for i in indices if sweep % 2 == 0 else reversed(indices):
            row, offset = made.rows[i], offsets[i]
            weights = [sum(w for _, w in steps[v]) or 1e-6 for v in row]
            wanted = [
                sum(w * at[u] for u, w in steps[v]) / weight if steps[v] else at[v]
                for v, weight in zip(row, weights, strict=True)
            ]
            moved = increasing([x - o for x, o in zip(wanted, offset, strict=True)], weights)
            at.update({v: x + o for v, x, o in zip(row, moved, offset, strict=True)})
    return at


def increasing(wanted: Sequence[float], weights: Sequence[float]) -> list[float]:
    """Return the increasing sequence nearest to what is wanted, by weighted squares: neighbours are pooled.

    Examples
    --------
    >>> increasing([1.0, 4.0, 2.0, 5.0], [1.0, 1.0, 1.0, 1.0])
    [1.0, 3.0, 3.0, 5.0]
    """
    pools: list[tuple[float, float, int]] = []  # mean, weight, size
    for x, w in zip(wanted, weights, strict=True):
        mean, weight, size = x, w, 1
        while pools and pools[-1][0] > mean:
            other, heavy, many = pools.pop()
            mean = (mean * weight + other * heavy) / (weight + heavy)
            weight, size = weight + heavy, size + many
        pools.append((mean, weight, size))
    return [mean for mean, _, size in pools for _ in range(size)]
