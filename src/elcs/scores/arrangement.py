"""Arranging variables: the search for the network over some of them that scores best.

The search itself is compiled (`engines/kernels/arrangement.hpp`); here variables have names, and what is asked for is
counted and paid for.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from elcs.engines._kernels import Arrangement as CompiledArrangement
from elcs.scores.score import Score

__all__ = ["Arrangement"]

KICKS_FOR_A_MARGIN = 8

Arc = tuple[str, str]
"""Cause and effect."""


class Arrangement:
    """A search for the network that scores best, each variable having its parents among its candidates.

    The best parents of each variable follow from an order of the variables in which causes come first. The search moves
    variables in that order, one at a time to where it gains most; *kicks* move a few at random, and *re-rooting* goes
    to another network that scores the same. In the end, five neighbours at a time are put into the best of all places.
    Variables are taken in the order of their names, so that the order of the columns makes no difference.

    Parameters
    ----------
    score : Score
        Says how good a family is.
    near : mapping
        For each variable its first candidates. A pair is one if either of the two names the other. A variable has at
        most 64; of more, the strongest pairs count.
    price : float
        What each parent costs, on top of what the score says.
    price_far : float
        What a parent costs on top of that if the two are far from each other: neither a pair to begin with, nor with a
        candidate in common.
    permits : callable, optional
        Told a cause and an effect, says whether that arrow may be (True), may not be (False) or must be (None).
    seed : int
        The random numbers of the search.

    Examples
    --------
    >>> import elcs
    >>> score = elcs.BDeu({"rain": [0, 0, 1, 1] * 25, "wet": [0, 0, 1, 1] * 25, "dice": [1, 2] * 50}, ess=5)
    >>> search = Arrangement(score, {"rain": ["wet"], "wet": [], "dice": ["rain"]})
    >>> search.stir(10)
    >>> sorted(len(parents) for parents in search.network.values())
    [0, 0, 1]
    >>> round(search.margin([("rain", "wet"), ("wet", "rain")]))
    62
    """

    def __init__(
        self,
        score: Score,
        near: Mapping[str, Collection[str]],
        *,
        price: float = 0.0,
        price_far: float = 0.0,
        permits: Callable[[str, str], bool | None] | None = None,
        seed: int = 0,
    ) -> None:
        self.score = score
        self.names = tuple(sorted(near))
        self._at = {name: i for i, name in enumerate(self.names)}
        positions = {name: i for i, name in enumerate(score.variables)}
        arcs: Sequence[int] = ()
        if permits is not None:
            said = [x == y or permits(x, y) for x in self.names for y in self.names]
            arcs = [2 if verdict is None else int(verdict) for verdict in said]
        with score.charged() as families:
            self._search = CompiledArrangement.of(
                families,
                [positions[name] for name in self.names],
                self._pairs(near),
                price=price,
                price_far=price_far,
                arcs=arcs,
                seed=seed,
            )

    def _pairs(self, near: Mapping[str, Collection[str]]) -> list[tuple[int, int]]:
        at = self._at
        return [(at[x], at[y]) for x, others in near.items() for y in others if y in at]

    @property
    def network(self) -> dict[str, frozenset[str]]:
        """The parents of each variable in the best network so far."""
        names = self.names
        return {
            y: frozenset([names[x] for x in parents]) for y, parents in zip(names, self._search.network, strict=True)
        }

    @property
    def compelled(self) -> set[Arc]:
        """The arrows of that network on which all networks agree that score the same for any table."""
        return {(self.names[x], self.names[y]) for x, y in self._search.compelled}

    @property
    def total(self) -> float:
        """The score of that network, less the price of its parents."""
        return self._search.total

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The pairs that are candidates by now."""
        return [(self.names[a], self.names[b]) for a, b in self._search.pairs]

    def stir(self, times: int) -> None:
        """Search on, until so many kicks for each variable have found nothing better."""
        with self.score.charged():
            self._search.stir(times)

    def expand(self) -> int:
        """Make candidates of pairs of which an arrow, added or in the place of another, gains something.

        The arrow may gain in any network that scores the same as the best for every table. Returns how many were added.
        """
        with self.score.charged():
            return self._search.expand()

    def deepen(self) -> float:
        """Try sets of parents around those of the best network; return by how much that made it better."""
        with self.score.charged():
            return self._search.deepen()

    def widen(self, at: Iterable[str] | None = None) -> int:
        """Make candidates of the ends of all paths of two edges in the best network; return how many were added.

        If variables are given, only paths that hold one of them count.
        """
        wanted = [self._at[x] for x in (self.names if at is None else at)]
        with self.score.charged():
            return self._search.widen(wanted)

    def margin(self, arcs: Sequence[Arc]) -> float:
        """Return by how much the best network found without these arcs scores less than the best of all.

        What lies around the arcs is searched again.
        """
        at = self._at
        with self.score.charged():
            return self._search.margin([(at[x], at[y]) for x, y in arcs], KICKS_FOR_A_MARGIN)
