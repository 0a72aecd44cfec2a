"""From candidates to the network that scores best: the second half of the hybrid learner.

The search is compiled (`scores/arrangement.py`); this says in which order its parts are applied. Tests miss edges that
show only where another parent is held fixed. So candidates are added where the score wants them: near ones first, then
any pair that pays the price of a parent twice. Which pairs these are depends on the network at hand, and that on where
the search started: from one start, the answer depended on the random numbers on 7 of 60 tables of Alarm, Child and
Insurance. Hence three starts, and a last search among all candidates that any of them found: then on none.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from elcs.graph.knowledge import NOTHING, Knowledge
from elcs.scores import Arrangement
from elcs.scores.score import Score

__all__ = ["Near", "arrange", "best_of", "either_found"]

Near = dict[str, list[str]]
"""For each variable its candidates."""

STARTS, KICKS, ROUNDS = 3, 10, 16


def either_found(found: Mapping[str, Sequence[str]]) -> Near:
    """Return for each variable those that it found to be neighbours, or that found it."""
    near: dict[str, set[str]] = {x: set() for x in found}
    for x, own in found.items():
        for y in own:
            near[x].add(y)
            near.setdefault(y, set()).add(x)
    return {x: sorted(near[x]) for x in sorted(near)}


def arrange(
    score: Score,
    near: Mapping[str, Sequence[str]],
    searches: list[Arrangement],
    *,
    knowledge: Knowledge = NOTHING,
    seed: int = 0,
) -> None:
    """Search for the best network; `best_of` the searches has found it.

    Each parent costs ln p, p being the number of columns of the table: the odds of an edge are 1 to p before the data
    are seen. A score may charge that itself. As edges are counted, networks of one class still score the same.

    Parameters
    ----------
    score : Score
        Says how good a family is.
    near : mapping
        For each variable its candidates.
    searches : list
        Where every search is kept that was begun, so that one that is stopped leaves what it found.
    knowledge : Knowledge
        Which arrows may not be, and which must be.
    seed : int
        The random numbers.
    """
    price = math.log(max(len(score.variables), 1))
    to_pay = max(price - score.price_of_parent, 0.0)

    def permits(cause: str, effect: str) -> bool | None:
        return None if knowledge.requires(cause, effect) else not knowledge.forbids(cause, effect)

    asked = permits if knowledge else None

    def search(candidates: Mapping[str, Sequence[str]], number: int) -> Arrangement:
        begun = (
            searches[0].again(candidates, seed=seed + number)
            if searches
            else Arrangement(score, candidates, price=to_pay, permits=asked, seed=seed)
        )
        searches.append(begun)
        begun.stir(KICKS)
        for _ in range(ROUNDS):
            if not begun.expand() and not begun.expand(far=True, least_gain=price):
                break
            begun.stir(KICKS // 2)
        return begun

    pairs = {pair for number in range(STARTS) for pair in search(near, number).pairs}
    joined: Near = {x: [] for x in near}
    for a, b in sorted(pairs):
        joined[a].append(b)
    search(joined, STARTS)


def best_of(searches: Sequence[Arrangement]) -> Arrangement:
    """Return the search with the best network; of equals, the last."""
    return max(reversed(searches), key=lambda search: round(search.total, 3))
