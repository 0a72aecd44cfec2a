"""Grow-Shrink: the Markov blanket of a variable, one member after the other.

D. Margaritis and S. Thrun (1999), Bayesian network induction via local neighborhoods, Advances in Neural Information
Processing Systems 12. Variables are visited in the order of their unconditional association with the target.

Guarantee: the Markov blanket, given faithfulness and correct tests. It does not tell neighbours from spouses.
Cost: O(n |MB|) tests for n variables, each given all members found so far; where these are too many for the rows, the
test is not reliable and nothing is added. `max_cond_size` caps subset searches, and there are none here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from elcs.independence.base import CITest, TestResult
from elcs.learners.notes import Blanket

__all__ = ["first_round", "grow_shrink", "note_apart", "shrink", "strengths", "test_outside"]


def grow_shrink(ci: CITest, notes: Blanket, *, max_cond_size: int | None = 3) -> None:
    """Learn the Markov blanket of ``notes.target``.

    Parameters
    ----------
    ci : CITest
        What answers the questions.
    notes : Blanket
        What to fill in.
    max_cond_size : int or None
        Has no effect.
    """
    # Growing phase: add what depends on the target given the members, until nothing does.
    results = first_round(ci, notes)
    marginal = strengths(results)
    order = sorted(results, key=lambda x: marginal.get(x, 0.0), reverse=True)
    while strengths(results):
        for x in order:
            if x not in notes.members and ci.association(notes.target, x, notes.members):
                notes.members.append(x)
        results = test_outside(ci, notes, order)
    note_apart(notes, results)

    # Shrinking phase: remove what does not depend on the target given the other members.
    shrink(ci, notes)
    notes.done = True


def first_round(ci: CITest, notes: Blanket) -> dict[str, TestResult]:
    """Test the target with all others, given the neighbours that knowledge requires, which are members from then on.

    Nothing else that is known changes a blanket.
    """
    results = test_outside(ci, notes, ci.variables)
    notes.members.extend(x for x in results if notes.requires(x))
    return test_outside(ci, notes, ci.variables) if notes.members else results


def test_outside(ci: CITest, notes: Blanket, others: Sequence[str]) -> dict[str, TestResult]:
    """Test the target with those of `others` that are not members, given the members, in one trip."""
    given = tuple(notes.members)
    outside = [x for x in others if x not in given and x != notes.target]
    tests = ci.test_many([(notes.target, x, given) for x in outside], skip_unreliable=True)
    results = dict(zip(outside, tests, strict=True))
    if not given:
        notes.marginal = results
    return results


def strengths(results: Mapping[str, TestResult]) -> dict[str, float]:
    """Return how strongly the candidates depend on the target; a test that is not reliable makes no candidate."""
    return {x: r.statistic for x, r in results.items() if r.reliable and not r.independent}


def note_apart(notes: Blanket, results: Mapping[str, TestResult]) -> None:
    """Note that the members separate the target from the variables that these tests found independent of it."""
    given = tuple(notes.members)
    notes.separators.update({x: given for x, result in results.items() if result.independent})


def shrink(ci: CITest, notes: Blanket) -> bool:
    """Remove the members that the others separate from the target; tell whether there were any."""
    before = len(notes.members)
    for x in tuple(notes.members):
        rest = tuple(y for y in notes.members if y != x)
        if not notes.requires(x) and ci.independent(notes.target, x, rest):
            notes.members.remove(x)
            notes.separators[x] = rest
    return len(notes.members) < before
