"""RecogSpouses, lines 2 to 16 (Algorithm 3 of the ELCS paper): the candidate spouses of a variable."""

from __future__ import annotations

from collections.abc import Sequence

from elcs.independence.base import CITest
from elcs.learners.notes import Blanket

__all__ = ["find_candidate_spouses"]


def find_candidate_spouses(
    ci: CITest, notes: Blanket, others: Sequence[str], max_cond_size: int | None, *, as_published: bool = False
) -> dict[tuple[str, str], float]:
    """Note, for each neighbour y, which of `others` may be a spouse through it.

    x is a candidate if conditioning on y, on top of what separates x from the target, makes the two dependent. A test
    that is not reliable shows no dependence, nor that x is separated from the target, except `as_published`, where it
    does.
    Returns the association of each candidate x with its y, which the unconditional tests give on the way.
    """
    target, pc = notes.target, notes.pc
    if not as_published:
        untestable = {x for x, test in notes.marginal.items() if not test.reliable}
        others = [x for x in others if x not in untestable]
    related: dict[str, dict[str, float]] = {}
    for y in pc:
        for x, test in zip(others, ci.test_many([(y, x, ()) for x in others]), strict=True):
            if not test.independent and (test.reliable or as_published):
                related.setdefault(x, {})[y] = test.statistic
    strength: dict[tuple[str, str], float] = {}
    tests = ci.test_many([(x, target, tuple(related.get(x, ()))) for x in others], skip_unreliable=True)
    for x, test in zip(others, tests, strict=True):
        if test.independent or x not in related:
            continue
        separator = notes.set_apart(ci, x, max_cond_size)
        if separator is None:
            continue
        for y, statistic in related[x].items():
            given = {y, *separator}
            if not ci.independent(x, target, given) if as_published else ci.association(x, target, given):
                notes.candidate_spouses.setdefault(y, []).append(x)
                strength[x, y] = statistic
    return strength
