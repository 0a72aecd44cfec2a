"""IAMB, Inter-IAMB and Fast-IAMB: the Markov blanket of a variable, the strongest candidate first.

I. Tsamardinos, C. F. Aliferis and A. Statnikov (2003), Algorithms for large scale Markov blanket discovery, FLAIRS
16 (IAMB, Inter-IAMB); S. Yaramakala and D. Margaritis (2005), Speculative Markov blanket discovery for optimal
feature selection, ICDM 5 (Fast-IAMB).

Guarantee: the Markov blanket, given faithfulness and correct tests. They do not tell neighbours from spouses.
Cost: O(n |MB|) tests for n variables, each given all members found so far; where these are too many for the rows, the
test is not reliable and nothing is added. `max_cond_size` caps subset searches, and there are none here.
"""

from __future__ import annotations

from elcs.independence.base import CITest
from elcs.learners.blankets.grow_shrink import first_round, note_apart, shrink, strengths, test_outside
from elcs.learners.notes import Blanket

__all__ = ["fast_iamb", "iamb", "inter_iamb"]


def iamb(ci: CITest, notes: Blanket, *, max_cond_size: int | None = 3) -> None:
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
    # Forward phase: add the variable most associated with the target given the members.
    results = first_round(ci, notes)
    while found := strengths(results):
        notes.members.append(max(found, key=found.__getitem__))
        # A test that is not reliable does not become reliable given more members.
        results = test_outside(ci, notes, [x for x, result in results.items() if result.reliable])
    note_apart(notes, results)

    # Backward phase: remove false members.
    shrink(ci, notes)
    notes.done = True


def inter_iamb(ci: CITest, notes: Blanket, *, max_cond_size: int | None = 3) -> None:
    """Learn the Markov blanket of ``notes.target``, removing false members after each addition.

    Takes what `iamb` takes. With correct tests the members say more about the target after every round. On data they
    may return to an earlier set; that is then the answer, as the search would never end otherwise.
    """
    seen: set[frozenset[str]] = set()
    results = first_round(ci, notes)
    while (found := strengths(results)) and frozenset(notes.members) not in seen:
        seen.add(frozenset(notes.members))
        add(notes, max(found, key=found.__getitem__))
        while shrink(ci, notes):
            pass
        results = test_outside(ci, notes, ci.variables)
    note_apart(notes, results)
    notes.done = True


def fast_iamb(ci: CITest, notes: Blanket, *, max_cond_size: int | None = 3) -> None:
    """Learn the Markov blanket of ``notes.target``, adding several members at a time.

    Takes what `iamb` takes. Returning to an earlier set of members ends the search, as for `inter_iamb`.
    """
    seen: set[frozenset[str]] = set()
    results = first_round(ci, notes)
    while (found := strengths(results)) and frozenset(notes.members) not in seen:
        seen.add(frozenset(notes.members))

        # Growing phase, speculative: add from the strongest on, for as long as a test given the members is reliable.
        for x in sorted(found, key=found.__getitem__, reverse=True):
            if not ci.test(notes.target, x, notes.members).reliable:
                break
            add(notes, x)

        # Shrinking phase.
        shrink(ci, notes)
        results = test_outside(ci, notes, ci.variables)
    note_apart(notes, results)
    notes.done = True


def add(notes: Blanket, x: str) -> None:
    """Add a member, which may have been one before."""
    notes.members.append(x)
    notes.separators.pop(x, None)
