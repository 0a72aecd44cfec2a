"""What somebody says about columns while walking, as it changes what is known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from elcs.graph.knowledge import Knowledge

__all__ = ["SAYINGS", "statements"]

Tier = tuple[list[str], bool]
"""The columns of a tier, and whether none of them causes another."""


def forbid(known: Knowledge, cause: str, effect: str) -> Knowledge:
    """Say that one column does not cause another directly."""
    return replace(known, forbidden=[*known.forbidden, (cause, effect)])


def require(known: Knowledge, cause: str, effect: str) -> Knowledge:
    """Say that one column causes another."""
    return replace(known, required=[*known.required, (cause, effect)])


def before(known: Knowledge, earlier: str, later: str) -> Knowledge:
    """Say that one column comes before another in time, and as little else as an order of tiers allows.

    A column that has a tier stays in it if it can. The other one joins the tier next to it; there is a new tier only
    where there is none yet.

    Examples
    --------
    >>> before(Knowledge(tiers=[["age"], ["churn"]]), "contract", "churn")
    Knowledge(tiers=[['age', 'contract'], ['churn']])
    >>> before(Knowledge(), "age", "churn")
    Knowledge(tiers=[['age'], ['churn']])
    """
    if known.comes_before(earlier, later):
        return known
    tiers = _tiers(known)
    if _place(tiers, later) is None:
        first = _place(tiers, earlier)
        if first is None:
            tiers = tiers or [([], False)]
            tiers[0][0].append(earlier)
            first = 0
        if first + 1 == len(tiers):
            tiers.append(([], False))
        tiers[first + 1][0].append(later)
        return _ordered(known, tiers)
    tiers = _without(tiers, earlier)
    last = _place(tiers, later)
    if not last:
        tiers.insert(0, ([], False))
    tiers[(last or 1) - 1][0].append(earlier)
    return _ordered(known, tiers)


SAYINGS: Mapping[str, Callable[[Knowledge, str, str], Knowledge]] = {
    "forbid": forbid,
    "require": require,
    "before": before,
}
"""What can be said about two columns, by the word that stands for it in an address."""


def statements(known: Knowledge) -> Iterator[tuple[str, Knowledge]]:
    """Yield each thing that is said, in words, and what is known without it."""
    tiers = _tiers(known)
    for i, (names, closed) in enumerate(tiers):
        last = i + 1 == len(tiers)
        for x in names if len(names) > 1 or not last else ():  # what comes before a single last one says it all
            told = f"after {', '.join(tiers[i - 1][0])}" if last else f"before {', '.join(tiers[i + 1][0])}"
            yield f"{x} comes {told}", _ordered(known, _without(tiers, x))
        if closed:
            opened = [(some, shut and j != i) for j, (some, shut) in enumerate(tiers)]
            yield f"{', '.join(names)} do not cause each other", _ordered(known, opened)
    for field, words in (("required", "{} causes {}"), ("forbidden", "{} does not cause {}")):
        said = getattr(known, field)
        for one in said:
            yield words.format(*one), replace(known, **{field: [other for other in said if other != one]})
    for field, words in (("exogenous", "nothing causes {}"), ("outcomes", "{} causes nothing")):
        said = getattr(known, field)
        for one in said:
            yield words.format(one), replace(known, **{field: [other for other in said if other != one]})


def _tiers(known: Knowledge) -> list[Tier]:
    return [(list(tier), i in known.closed) for i, tier in enumerate(known.tiers, 1)]


def _place(tiers: list[Tier], name: str) -> int | None:
    return next((i for i, (names, _) in enumerate(tiers) if name in names), None)


def _without(tiers: list[Tier], name: str) -> list[Tier]:
    left = [([x for x in names if x != name], closed) for names, closed in tiers]
    return [(names, closed) for names, closed in left if names]


def _ordered(known: Knowledge, tiers: list[Tier]) -> Knowledge:
    """Return the same knowledge with other tiers; a single one that is not closed says nothing."""
    if len(tiers) == 1 and not tiers[0][1]:
        tiers = []
    closed = [i for i, (_, shut) in enumerate(tiers, 1) if shut]
    return replace(known, tiers=[names for names, _ in tiers], closed=closed)
