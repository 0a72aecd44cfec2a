"""GES, greedy equivalence search: the whole graph, by a score alone, one equivalence class after the other.

D. M. Chickering (2002), Optimal structure identification with greedy search, Journal of Machine Learning Research 3,
after C. Meek (1997). The forward phase starts from the class without edges and goes to the best class that one edge
more leads to, as long as the score rises; the backward phase does so with one edge less. *One edge more* means: in any
network of the class. The operators Insert(X, Y, T) and Delete(X, Y, H) reach exactly these classes, and what each is
worth is the difference of the scores of two families of Y (Theorems 15 and 17, Corollaries 16 and 18).

Guarantee: with unlimited data from a distribution that is faithful to a network, and a score that is consistent and
the same for equivalent networks (`BDeu`, `BIC`), the essential graph (CPDAG). With fewer data it is a class that no
edge less improves: a local optimum. Of classes that score the same the first by the names of the columns is taken, so
that the order of the columns makes no difference.
Cost: n² scores to begin with; then, after each edge, n scores for each clique among the neighbours without direction of
each variable that the edge concerns. On Alarm that is ten times as many.

Insertions into y are looked at clique by clique: what stays connected with y once x -> y is there (NA ∪ T) must be a
clique of its neighbours, and holds all that are adjacent to x. All x that fit a clique are scored in one trip, and sets
T of which nothing can come are not looked at. Only operators at variables near the edge that changed are valued again;
whether the way from y to x is blocked is looked at when an operator's turn comes, as that may change anywhere.

What is known beforehand is beyond the paper, and beyond its guarantee: the search starts with the required arcs and
passes only through classes that have a member which obeys.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from heapq import merge
from typing import NamedTuple

from elcs.graph.rules import BEST_CLIMBED
from elcs.learners.notes import Whole
from elcs.learners.steps.decide import draw
from elcs.learners.steps.equivalence import EquivalenceClass, bits_of, cliques
from elcs.scores.score import Score

__all__ = ["ges"]

DIGITS = 6
"""Gains are rounded to so many digits, so that rounding errors do not choose among classes that score the same."""


class Operator(NamedTuple):
    """An edge that comes or goes; the best one is the least."""

    loss: float
    x: int
    y: int
    kept: int  # NA ∪ T of an insertion, NA without H of a deletion: what stays connected with y, as bits


def ges(score: Score, notes: Whole, *, max_parents: int | None = None) -> None:
    """Learn the whole graph.

    Parameters
    ----------
    score : Score
        Says how good a family is.
    notes : Whole
        What to fill in.
    max_parents : int, optional
        The largest number of parents; by default, no limit.
    """
    search = _Search(score, notes, max_parents)
    try:
        search.climb(search.insertions, search.inserted)
        search.climb(search.deletions, search.deleted)
    finally:  # a search that is stopped leaves the best class so far
        draw(notes.graph, search.network, decided=False, rule=BEST_CLIMBED)


class _Search:
    """A class, what the operators at each variable are worth, and what is known."""

    def __init__(self, score: Score, notes: Whole, max_parents: int | None) -> None:
        self.score, self.known = score, notes.knowledge
        self.names = names = tuple(sorted(notes.variables))
        n = len(names)
        self.max_parents = n if max_parents is None else max_parents
        pairs = [(x, y) for x in range(n) for y in range(n) if x != y] if self.known else []
        directs, requires, apart = self.known.directs, self.known.requires, self.known.apart
        self.directed = [(x, y) for x, y in pairs if directs(names[x], names[y])]
        self.apart, self.joined, start = [0] * n, [0] * n, [0] * n
        for x, y in pairs:
            if apart(names[x], names[y]):
                self.apart[y] |= 1 << x
            if requires(names[x], names[y]):
                start[y] |= 1 << x
                self.joined[y] |= 1 << x
                self.joined[x] |= 1 << y
        self.here = EquivalenceClass(start)

    @property
    def network(self) -> dict[str, frozenset[str]]:
        """A network of the class that obeys what is known."""
        member = self.here.member(self.directed) if self.known else self.here.network
        assert member is not None, "every class on the way has such a member"
        return {self.names[y]: frozenset(self._named(parents)) for y, parents in enumerate(member)}

    def climb(
        self, operators: Callable[[int], Iterator[Operator]], applied: Callable[[Operator], EquivalenceClass | None]
    ) -> None:
        """Apply the best operator as long as there is one that gains."""
        offers = [sorted(operators(y)) for y in range(len(self.names))]
        while True:
            for best in merge(*offers):
                there = applied(best)
                if there is not None and (not self.known or there.member(self.directed) is not None):
                    break
            else:
                return
            before, self.here = self.here, there
            ends = 1 << best.x | 1 << best.y
            for y in range(len(self.names)):
                same = before.parents[y] == there.parents[y] and before.beside[y] == there.beside[y]
                if not same or (there.beside[y] | 1 << y) & ends:
                    offers[y] = sorted(operators(y))

    def insertions(self, y: int) -> Iterator[Operator]:
        """Yield the insertions of x -> y that gain, valid but for paths from y to x."""
        near, beside, parents = self.here.near, self.here.beside[y], self.here.parents[y]
        taken = near[y] | self.apart[y] | 1 << y
        free = [x for x in range(len(self.names)) if not taken >> x & 1]
        for kept in cliques(beside, near):
            base = parents | kept
            if base.bit_count() >= self.max_parents:
                continue
            dropped = beside & ~kept
            fit = [x for x in free if not near[x] & dropped]
            for x, gain in zip(fit, self._gains(y, base, fit), strict=True):
                if gain > 0:
                    yield Operator(-gain, x, y, kept)

    def inserted(self, op: Operator) -> EquivalenceClass | None:
        """Return the class that an insertion leads to, if the paths from y to x are blocked."""
        if self.here.connects(op.y, op.x, without=op.kept):
            return None
        return self.here.insert(op.x, op.y, op.kept)

    def deletions(self, y: int) -> Iterator[Operator]:
        """Yield the valid deletions of x -> y or x - y that gain."""
        here = self.here
        for x in bits_of((here.parents[y] | here.beside[y]) & ~self.joined[y]):
            for kept in cliques(here.beside[y] & here.near[x], here.near):
                (gain,) = self._gains(y, (here.parents[y] | kept) & ~(1 << x), [x])
                if gain < 0:
                    yield Operator(gain, x, y, kept)

    def deleted(self, op: Operator) -> EquivalenceClass:
        """Return the class that a deletion leads to."""
        return self.here.delete(op.x, op.y, op.kept)

    def _gains(self, y: int, parents: int, others: list[int]) -> list[float]:
        """Return what each of the others adds as one parent more."""
        names = self.names
        found = self.score.gains(names[y], self._named(parents), [names[x] for x in others])
        return [round(gain, DIGITS) for gain in found]

    def _named(self, members: int) -> list[str]:
        return [self.names[v] for v in bits_of(members)]
