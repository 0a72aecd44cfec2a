"""Circles of arrows, which no causal graph has: on data, v-structures and what follows from them may form some.

With correct tests or scores there are none. With real data the claims that a learner follows may contradict each other
all the way round a circle, without knowledge as well as with it.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import pairwise

from elcs.graph.pdag import PDAG, Edge, Reason
from elcs.graph.rules import KNOWLEDGE, MEEK_2

__all__ = ["open_circles"]


def open_circles(graph: PDAG) -> None:
    """Take back the latest direction of each circle, and what rests on it; note that as a conflict.

    The latest ones rest on most: learners follow what is surest first. What somebody said stays.
    """
    inner = _inner(graph.reasons)
    for cause, effect in [edge for edge in reversed(graph.reasons) if edge in inner]:
        reason = graph.reasons.get((cause, effect))
        way = _way(graph, effect, cause) if reason is not None and reason.rule != KNOWLEDGE else None
        if reason is None or way is None:
            continue
        graph.contest(cause, effect, reason, Reason(MEEK_2, way[1:-1], premises=tuple(pairwise(way))))
        lost = {(cause, effect)}
        while lost:
            for edge in lost:
                del graph.reasons[edge]
            lost = {edge for edge, why in graph.reasons.items() if any(p not in graph.reasons for p in why.premises)}


def _inner(arrows: Collection[Edge]) -> set[Edge]:
    """Return the arrows on circles and between them: what is left without first causes and last effects."""
    inner = set(arrows)
    while True:
        causes, effects = {a for a, _ in inner}, {b for _, b in inner}
        outer = {(a, b) for a, b in inner if a not in effects or b not in causes}
        if not outer:
            return inner
        inner -= outer


def _way(graph: PDAG, start: str, end: str) -> tuple[str, ...] | None:
    """Return a way along arrows, if there is one."""
    ways: dict[str, tuple[str, ...]] = {start: (start,)}
    more = [start]
    for x in more:  # grows on the way
        for y in graph.children(x):
            if y not in ways:
                ways[y] = (*ways[x], y)
                more.append(y)
    return ways.get(end)
