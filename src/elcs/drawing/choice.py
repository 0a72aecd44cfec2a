"""What of a result is drawn, and how firmly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from elcs.drawing.style import Drawn

if TYPE_CHECKING:
    from elcs.answers.blanket import MarkovBlanket

__all__ = ["LEAST_FIRM", "MOST", "SEVERAL", "collapsed", "roles_of", "widened", "widths_of"]

MOST = 15
"""So many variables of one role are drawn; beyond that they would be a wall of boxes."""
LEAST_FIRM = 0.5
"""What comes back in fewer half-samples is drawn pale."""
SEVERAL: Mapping[Drawn, str] = {
    "parent": "causes",
    "child": "effects",
    "undirected": "undecided",
    "spouse": "other causes",
    "member": "members",
}
"""What several variables of a role are called."""


def roles_of(result: MarkovBlanket, *, blanket: bool = True) -> dict[str, Drawn]:
    """Return everything to be drawn; a spouse whose child is not drawn becomes an ordinary member.

    Without the blanket, only the target and its neighbours are drawn.
    """
    if not blanket:
        return {result.target: "target", **{x: result.roles[x] for x in result.neighbours}}
    shared = {x for y, names in result.spouses.items() if y in result.children for x in names}
    roles = {x: "member" if role == "spouse" and x not in shared else role for x, role in result.roles.items()}
    return {result.target: "target", **roles}


def collapsed(
    result: MarkovBlanket, most: int | None = MOST, *, blanket: bool = True
) -> tuple[dict[str, Drawn], dict[str, tuple[str, ...]]]:
    """Return what to draw, and for each box that stands for several variables, which these are."""
    roles = roles_of(result, blanket=blanket)
    if most is None:
        return roles, {}
    strong = _strengths(result)
    hidden: dict[str, tuple[str, ...]] = {}
    drawn = {result.target: roles[result.target]}
    for role in SEVERAL:
        names = [name for name, r in roles.items() if r == role]
        kept = set(names)
        if len(names) > most:
            kept = set(sorted(names, key=lambda x: -strong.get(x, 0.0))[: most - 1])
        drawn |= {name: role for name in names if name in kept}
        if len(kept) < len(names):
            box = f"\0{role}"  # no column is called that
            drawn[box] = role
            hidden[box] = tuple(name for name in names if name not in kept)
    return drawn, hidden


def _strengths(result: MarkovBlanket) -> dict[str, float]:
    """Return how strong the association of each variable with the target is, where that is known."""
    tests = {name: result.evidence[name].association for name in result.roles if name in result.evidence}
    return {name: test.strength for name, test in tests.items() if test and test.strength is not None}


def widened(strength: float) -> float:
    """Return the width of a line, by the strength of the association (`CITest.strength`)."""
    return 1.2 + 5.0 * strength


def widths_of(result: MarkovBlanket) -> dict[str, float]:
    """Return the widths of the lines to the neighbours, where the strength of their association is known."""
    neighbours = set(result.neighbours)
    return {name: widened(strength) for name, strength in _strengths(result).items() if name in neighbours}
