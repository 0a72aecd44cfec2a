"""Equivalence classes of networks, and the two operators that lead from one class to the next.

D. M. Chickering (2002), Optimal structure identification with greedy search, Journal of Machine Learning Research 3. A
class is kept as its essential graph (CPDAG). Variables are positions, and sets of them the bits of an integer.

`EquivalenceClass.insert` and `.delete` are valid under the conditions of Theorems 15 and 17: the neighbours that stay
(NA ∪ T, or NA without H; here `kept`) form a clique, and, for an insertion, every path that could lead from y to x
passes through one of them. A valid insertion leads to the class of a member plus one edge, and each such class is
reached by one; deletions likewise.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from elcs.engines._kernels import compelled

__all__ = ["EquivalenceClass", "bits_of", "cliques"]


def bits_of(members: int) -> list[int]:
    """Return the positions of the bits that are set."""
    found = []
    while members:
        low = members & -members
        found.append(low.bit_length() - 1)
        members ^= low
    return found


class EquivalenceClass:
    """The essential graph of a network: what all networks that imply the same independences agree on.

    Parameters
    ----------
    network : sequence of int
        The parents of each variable, as bits.

    Attributes
    ----------
    network : list of int
        A member of the class.
    parents, children : list of int
        For each variable, those whose edge has a direction.
    beside : list of int
        For each variable, those whose edge has none.
    near : list of int
        For each variable, all of these.

    Examples
    --------
    >>> chain = EquivalenceClass([0b000, 0b001, 0b010])  # 0 -> 1 -> 2
    >>> chain.parents, chain.beside
    ([0, 0, 0], [2, 5, 2])
    >>> chain.delete(0, 1, kept=0).beside
    [0, 4, 2]
    """

    def __init__(self, network: Sequence[int]) -> None:
        n = len(network)
        self.network = list(network)
        self.parents, self.children, self.beside = [0] * n, [0] * n, [0] * n
        families = [bits_of(parents) for parents in network]
        for y, (causes, fixed) in enumerate(zip(families, compelled(families), strict=True)):
            for x, stays in zip(causes, fixed, strict=True):
                if stays:
                    self.parents[y] |= 1 << x
                    self.children[x] |= 1 << y
                else:
                    self.beside[y] |= 1 << x
                    self.beside[x] |= 1 << y
        self.near = [self.parents[v] | self.children[v] | self.beside[v] for v in range(n)]

    def connects(self, y: int, x: int, without: int) -> bool:
        """Tell whether a path that no arrow blocks leads from y to x, past some variables."""
        seen = without | 1 << y
        front = 1 << y
        while front:
            low = front & -front
            v = low.bit_length() - 1
            front ^= low
            new = (self.children[v] | self.beside[v]) & ~seen
            if new >> x & 1:
                return True
            seen |= new
            front |= new
        return False

    def insert(self, x: int, y: int, kept: int) -> EquivalenceClass:
        """Return the class with the edge x -> y more, in which the neighbours of y that are kept are its causes."""
        parents, beside = list(self.parents), list(self.beside)
        parents[y] |= 1 << x
        for t in bits_of(kept & ~self.near[x]):
            _turn(parents, beside, t, y)
        return self._completed(parents, beside)

    def delete(self, x: int, y: int, kept: int) -> EquivalenceClass:
        """Return the class without the edge, in which common neighbours of x and y that are not kept are effects."""
        parents, beside = list(self.parents), list(self.beside)
        parents[y] &= ~(1 << x)
        beside[y] &= ~(1 << x)
        beside[x] &= ~(1 << y)
        for h in bits_of(self.beside[y] & self.near[x] & ~kept):
            _turn(parents, beside, y, h)
            if self.beside[x] >> h & 1:
                _turn(parents, beside, x, h)
        return self._completed(parents, beside)

    def member(self, arcs: Sequence[tuple[int, int]]) -> list[int] | None:
        """Return a member in which those of its edges that are among these arcs point that way, if there is one."""
        parents, beside = list(self.parents), list(self.beside)
        for x, y in arcs:
            if beside[y] >> x & 1:
                _turn(parents, beside, x, y)
            elif parents[x] >> y & 1:
                return None
        found = extension(parents, beside)
        same = found is not None and EquivalenceClass(found).parents == self.parents
        return found if same else None

    @staticmethod
    def _completed(parents: list[int], beside: list[int]) -> EquivalenceClass:
        found = extension(parents, beside)
        if found is None:
            raise AssertionError("a valid operator leads to no network")
        return EquivalenceClass(found)


def _turn(parents: list[int], beside: list[int], x: int, y: int) -> None:
    """Give an edge the direction x -> y."""
    beside[x] &= ~(1 << y)
    beside[y] &= ~(1 << x)
    parents[y] |= 1 << x


def extension(parents: Sequence[int], beside: Sequence[int]) -> list[int] | None:
    """Return a network with these directions and no other v-structures, if there is one.

    D. Dor and M. Tarsi (1992), A simple algorithm to construct a consistent extension of a partially oriented graph,
    University of California, Los Angeles: a variable without effects, whose neighbours are adjacent to all that is
    adjacent to it, can be the last; what is left is a smaller problem. Once a variable cannot be the last, only the
    loss of one adjacent to it can change that.
    """
    n = len(parents)
    above, among, below = list(parents), list(beside), [0] * n
    for y in range(n):
        for x in bits_of(parents[y]):
            below[x] |= 1 << y
    near = [above[v] | among[v] | below[v] for v in range(n)]
    network = list(parents)
    left = waiting = (1 << n) - 1
    while waiting:
        v = waiting.bit_length() - 1
        bit = 1 << v
        waiting ^= bit
        if below[v] or any((near[v] ^ 1 << u) & ~near[u] for u in bits_of(among[v])):
            continue
        network[v] |= among[v]
        left ^= bit
        for u in bits_of(near[v]):
            below[u] &= ~bit
            among[u] &= ~bit
            near[u] &= ~bit
        waiting |= near[v]
    return None if left else network


def cliques(members: int, near: Sequence[int]) -> Iterator[int]:
    """Yield the sets of some variables that are all adjacent to each other, the empty one first."""
    yield 0
    for v in bits_of(members):
        members ^= 1 << v
        for larger in cliques(members & near[v], near):
            yield larger | 1 << v
