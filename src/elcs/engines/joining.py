"""Joining sets of columns that are asked about into a few larger ones, each of which is counted at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable

__all__ = ["Set", "joined", "mask_of"]

NEAREST = 8
"""How many unions are considered for a set to join."""

Set = frozenset[int]


def mask_of(variables: Iterable[int]) -> int:
    """Return variables as the bits of a number: there may be 100,000 sets of them."""
    return sum([1 << v for v in variables])


def joined(
    sets: Iterable[Set], widest: int, fits: Callable[[Set], bool] = lambda _: True, *, more: Iterable[Set] = ()
) -> list[list[Set]]:
    """Join sets into groups whose unions have at most so many members, and fit.

    The largest come first, and each joins the union that it adds least to. If there are `more` sets, they are joined as
    well, but one that does not fit by itself is left out.

    Examples
    --------
    >>> [sorted(map(sorted, group)) for group in joined(map(frozenset, [{0, 1}, {5, 6}, {1, 2}, {0, 2}]), widest=3)]
    [[[0, 1], [0, 2], [1, 2]], [[5, 6]]]
    """
    groups: list[tuple[Set, list[Set]]] = []
    masks: list[int] = []  # the unions as bits
    needed = set(sets)
    for wanted in sorted(needed.union(more), key=lambda s: (-len(s), sorted(s))):
        mask = mask_of(wanted)
        covering = next((n for n, union in enumerate(masks) if mask & ~union == 0), None)
        if covering is not None:
            groups[covering][1].append(wanted)
            continue
        near = sorted(((mask & ~union).bit_count(), n) for n, union in enumerate(masks))
        for _, n in near[:NEAREST]:
            union, members = groups[n]
            if len(union | wanted) <= widest and fits(union | wanted):
                groups[n], masks[n] = (union | wanted, [*members, wanted]), masks[n] | mask
                break
        else:
            if wanted in needed or fits(wanted):
                groups.append((wanted, [wanted]))
                masks.append(mask)
    return [members for _, members in groups]
