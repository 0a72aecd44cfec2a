"""From candidates to the network that scores best: the second half of the hybrid learner.

The search is compiled (`scores/arrangement.py`); this says in which order its parts are applied. Tests miss edges that
show only where another parent is held fixed. So candidates are added where the score wants them. A pair may be wanted
only once another arrow is turned, though. So the ends of all paths of two edges become candidates as well, and all is
arranged again, until that finds nothing better.

Where values are missing, families rest on different rows, and the more of them are tried, the more chance decides: with
a tenth of all values missing, the wider search doubled the errors on Alarm. There it only judges directions.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

from elcs.graph.knowledge import NOTHING, Knowledge
from elcs.scores import Arrangement
from elcs.scores.score import Score

__all__ = ["Near", "arrange", "begin", "either_found", "widen_for_margins"]

Near = dict[str, list[str]]
"""For each variable its candidates."""

FIRST_KICKS, KICKS, ROUNDS = 24, 12, 16
"""The first search decides which pairs the next ones propose, and has the fewest candidates: there kicks cost least."""

BETTER = 1e-3
"""By so many nats, or more, a network is better than another."""


def either_found(found: Mapping[str, Sequence[str]]) -> Near:
    """Return for each variable those that it found to be neighbours, or that found it."""
    near: dict[str, set[str]] = {x: set() for x in found}
    for x, own in found.items():
        for y in own:
            near[x].add(y)
            near.setdefault(y, set()).add(x)
    return {x: sorted(near[x]) for x in sorted(near)}


def begin(
    score: Score, near: Mapping[str, Collection[str]], *, knowledge: Knowledge = NOTHING, seed: int = 0
) -> Arrangement:
    """Return a search for the best network, which `arrange` carries out.

    Each parent costs ln p, p being the number of columns of the table: the odds of an edge are 1 to p before the data
    are seen. A score may charge that itself. Two variables that the tests neither join nor give a neighbour in common
    pay twice. As edges are counted, networks of one class still score the same.

    Parameters
    ----------
    score : Score
        Says how good a family is.
    near : mapping
        For each variable its candidates.
    knowledge : Knowledge
        Which arrows may not be, and which must be.
    seed : int
        The random numbers.
    """

    def permits(cause: str, effect: str) -> bool | None:
        return None if knowledge.requires(cause, effect) else not knowledge.forbids(cause, effect)

    price = math.log(max(len(score.variables), 1))
    to_pay = max(price - score.price_of_parent, 0.0)
    return Arrangement(score, near, price=to_pay, price_far=price, permits=permits if knowledge else None, seed=seed)


def arrange(search: Arrangement, at: Collection[str] | None = None) -> None:
    """Search for the best network. A search that is stopped holds the best one so far.

    If variables are given, of the paths of two edges only those that hold one of them count.
    """
    search.stir(FIRST_KICKS)
    _expand(search)
    if not search.score.comparable(search.names):
        return
    for _ in range(ROUNDS):
        before = search.total
        if not search.widen(at):
            break
        search.stir(KICKS)
        _expand(search)
        if search.total < before + BETTER:
            break


def widen_for_margins(search: Arrangement, at: Collection[str] | None = None) -> None:
    """Search among more candidates, where `arrange` has not done so: margins are those of a wider search everywhere."""
    if not search.score.comparable(search.names):
        search.widen(at)
        search.stir(KICKS)


def _expand(search: Arrangement) -> None:
    """Add the candidates and the sets of parents that the score wants, and search on, until it wants none."""
    for _ in range(ROUNDS):
        if not search.expand() and search.deepen() < BETTER:
            break
        search.stir(KICKS // 2)
