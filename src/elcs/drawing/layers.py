"""Layers for a graph: which nodes go above which, and in what order from left to right.

The method of Sugiyama, Tagawa and Toda (1981), IEEE Transactions on Systems, Man, and Cybernetics 11(2), in its usual
steps. Circles are broken. Layers are those that make the lines shortest, as in Gansner, Koutsofios, North and Vo
(1993), IEEE Transactions on Software Engineering 19(3). A line that passes a layer gets a *joint* there, so that room
is kept for it. Sweeps order each layer by the middle of its neighbours, and swaps of neighbours remove crossings that
are left. Nothing is random: the same graph always gives the same layers.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

__all__ = ["Layers", "crossings", "downwards", "layered", "parts"]

Pair = tuple[str, str]

_SWEEPS = 24


@dataclass
class Layers:
    """Nodes and joints in layers.

    Attributes
    ----------
    rows : list of list of int
        The layers from the top, each from left to right. Numbers below the number of nodes are nodes, others joints.
    names : tuple of str
        The nodes, by number.
    above, below : dict
        For each number, those it is joined with in the layer above and in the layer below.
    chains : dict
        For each pair (upper, lower), the numbers that its line passes, the two ends included.
    """

    rows: list[list[int]]
    names: tuple[str, ...]
    above: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    below: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    chains: dict[Pair, list[int]] = field(default_factory=dict)

    def is_joint(self, number: int) -> bool:
        """Tell whether a number stands for a line that passes a layer."""
        return number >= len(self.names)


def parts(nodes: Sequence[str], pairs: Iterable[Pair]) -> list[list[str]]:
    """Return the connected parts of a graph, the largest first, each in the order of the nodes."""
    near: dict[str, list[str]] = {v: [] for v in nodes}
    for a, b in pairs:
        near[a].append(b)
        near[b].append(a)
    found: list[list[str]] = []
    seen: set[str] = set()
    for v in nodes:
        if v in seen:
            continue
        part, waiting = {v}, [v]
        while waiting:
            more = [u for u in near[waiting.pop()] if u not in part]
            part.update(more)
            waiting += dict.fromkeys(more)
        seen |= part
        found.append([u for u in nodes if u in part])
    return sorted(found, key=len, reverse=True)


def downwards(
    nodes: Sequence[str], arrows: Sequence[Pair], leaning: Sequence[Pair], rest: Sequence[Pair]
) -> list[Pair]:
    """Say for each edge which end goes above: for arrows the cause, unless that would close a circle.

    Edges without direction follow what they lean to, then what the arrows say about who comes first, then the order
    of the nodes.

    Examples
    --------
    >>> downwards("abc", [("a", "b"), ("b", "c"), ("c", "a")], [], [])
    [('a', 'b'), ('b', 'c'), ('a', 'c')]
    """
    below: dict[str, list[str]] = {v: [] for v in nodes}

    def reaches(start: str, end: str) -> bool:
        waiting, seen = [start], {start}
        while waiting:
            v = waiting.pop()
            if v == end:
                return True
            waiting += (new := [u for u in below[v] if u not in seen])
            seen.update(new)
        return False

    found = []
    for a, b in (*arrows, *leaning, *rest):
        upper, lower = (b, a) if reaches(b, a) else (a, b)
        below[upper].append(lower)
        found.append((upper, lower))
    return found


def layered(nodes: Sequence[str], pairs: Sequence[Pair]) -> Layers:
    """Put the nodes of a connected graph into layers, every pair (upper, lower) leading downwards."""
    number = {v: i for i, v in enumerate(nodes)}
    rank = _ranks(len(nodes), [(number[a], number[b]) for a, b in pairs])
    made = Layers([[] for _ in range(max(rank) + 1)], tuple(nodes))
    for i, r in enumerate(rank):
        made.rows[r].append(i)
    n = len(nodes)
    for a, b in pairs:
        chain, end = [number[a]], number[b]
        for r in range(rank[chain[0]] + 1, rank[end]):
            made.rows[r].append(n)
            chain.append(n)
            n += 1
        chain.append(end)
        made.chains[a, b] = chain
        for u, v in pairwise(chain):
            made.below[u].append(v)
            made.above[v].append(u)
    _order(made)
    return made


def _ranks(n: int, pairs: Sequence[tuple[int, int]]) -> list[int]:
    """Return the layer of each node, such that the sum of the lengths of all pairs is least; the first is 0.

    The matrix is that of a network, so that the best corner of the linear programme is in whole numbers.
    """
    from scipy.optimize import linprog
    from scipy.sparse import coo_matrix

    if not pairs:
        return [0] * n
    rows = np.repeat(np.arange(len(pairs)), 2)
    columns = np.array(pairs).ravel()
    signs = np.tile([1.0, -1.0], len(pairs))
    cost = np.zeros(n)
    np.add.at(cost, columns, -signs)
    matrix = coo_matrix((signs, (rows, columns)), shape=(len(pairs), n))
    solved = linprog(  # type: ignore[call-overload]  # its types do not know sparse matrices
        cost, matrix.tocsr(), -np.ones(len(pairs)), bounds=(0, n - 1), method="highs-ds"
    )
    ranks = np.rint(solved.x).astype(int)
    return [int(r) for r in ranks - ranks.min()]


def crossings(made: Layers) -> int:
    """Return how often lines cross."""
    return sum(_crossings(made, i) for i in range(len(made.rows) - 1))


def _crossings(made: Layers, i: int) -> int:
    """Count the crossings between a layer and the next one."""
    place = {v: k for k, v in enumerate(made.rows[i + 1])}
    seen: list[int] = []
    total = 0
    for u in made.rows[i]:
        ends = sorted(place[v] for v in made.below[u])
        total += sum(len(seen) - bisect_left(seen, end + 1) for end in ends)
        for end in ends:
            insort(seen, end)
    return total


def _order(made: Layers) -> None:
    """Order the layers so that few lines cross: sweeps down and up, and the best of all that was seen."""
    _first_order(made)
    best, fewest = [list(row) for row in made.rows], crossings(made)
    for sweep in range(_SWEEPS):
        if fewest == 0:
            break
        downward = sweep % 2 == 0
        near = made.above if downward else made.below
        indices = range(1, len(made.rows)) if downward else range(len(made.rows) - 2, -1, -1)
        for i in indices:
            fixed = made.rows[i - 1 if downward else i + 1]
            made.rows[i] = _by_middles(made.rows[i], near, {v: k for k, v in enumerate(fixed)}, sweep % 4 > 1)
        _swap(made)
        if (now := crossings(made)) < fewest:
            best, fewest = [list(row) for row in made.rows], now
    made.rows = best


def _first_order(made: Layers) -> None:
    """Order each layer as a walk along the lines meets its members, so that what belongs together starts together."""
    place: dict[int, int] = {}
    starts = sorted((v for row in made.rows for v in row), key=lambda v: (-len(made.below[v]) - len(made.above[v]), v))
    for start in starts:
        waiting = [start]
        while waiting:
            v = waiting.pop()
            if v not in place:
                place[v] = len(place)
                waiting += [u for u in (*made.above[v], *made.below[v]) if u not in place]
    made.rows = [sorted(row, key=place.__getitem__) for row in made.rows]


def _by_middles(row: list[int], near: Mapping[int, Sequence[int]], place: Mapping[int, int], turned: bool) -> list[int]:
    """Sort a layer by the mean place of the neighbours in another; those without neighbours keep their places."""
    wanted = {v: sum(place[u] for u in near[v]) / len(near[v]) for v in row if near[v]}
    order = iter(sorted(wanted, key=lambda v: (wanted[v], -row.index(v) if turned else 0)))
    return [next(order) if v in wanted else v for v in row]


def _swap(made: Layers) -> None:
    """Swap neighbours in a layer as long as that removes crossings."""
    better = True
    while better:
        better = False
        for i, row in enumerate(made.rows):
            sides = [
                (near, {v: k for k, v in enumerate(made.rows[j])})
                for near, j in ((made.above, i - 1), (made.below, i + 1))
                if 0 <= j < len(made.rows)
            ]
            ends = [{v: sorted(place[u] for u in near[v]) for v in row} for near, place in sides]
            for k in range(len(row) - 1):
                a, b = row[k], row[k + 1]
                if sum(_inversions(e[a], e[b]) - _inversions(e[b], e[a]) for e in ends) > 0:
                    row[k], row[k + 1] = b, a
                    better = True


def _inversions(left: Sequence[int], right: Sequence[int]) -> int:
    """Count the crossings of two nodes' lines, the first being on the left."""
    return sum(bisect_left(right, end) for end in left)
