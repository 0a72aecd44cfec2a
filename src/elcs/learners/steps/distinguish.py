"""DistinguishPC (Algorithm 4 of the ELCS paper): which neighbours are parents, which are children.

Line 9 is read as the paper's text and Theorem 2 mean it, with the spouses in place of the children (as printed,
the intersection is always empty).
"""

from __future__ import annotations

from elcs.graph.pdag import Question, Reason
from elcs.graph.rules import LEMMA_1A, LEMMA_1B, N_STRUCTURE, SPOUSE
from elcs.independence.base import CITest
from elcs.learners.notes import Blanket

__all__ = ["collider_tests", "distinguish_pc", "recognise_children"]


def distinguish_pc(ci: CITest, notes: Blanket, *, n_structures: bool = True, as_published: bool = False) -> None:
    """Orient the edges between the target and its neighbours, as far as its own blanket shows.

    A test that is not reliable shows no dependence, except `as_published`, where it does.
    """
    t, children, parents = notes.target, notes.children, notes.parents
    notes.note_known()

    # Spouses: a neighbour with another parent that is not adjacent to the target is a child.
    recognise_children(notes)

    # N-structures: so is a neighbour for which a spouse through another child is a candidate.
    if n_structures:
        spouses = notes.all_spouses
        for y in notes.undirected:
            candidates = (x for x in notes.candidate_spouses.get(y, ()) if not notes.knowledge.forbids(x, y))
            shared = [x for x in candidates if x in spouses]
            if shared:
                children[y] = Reason(N_STRUCTURE, (shared[0],), collider_tests(notes, shared[0], y))

    def dependent(x: str, y: str, given: tuple[str, ...]) -> bool:
        return not ci.independent(x, y, given) if as_published else ci.association(x, y, given) > 0

    # Lemma 1a: neighbours that are independent, but not given the target, are its parents.
    unsure, known = notes.undirected, list(parents)
    for x in unsure:
        for y in (*unsure, *known):
            if x != y and ci.independent(x, y) and dependent(x, y, (t,)):
                tests = ((x, y, ()), (x, y, (t,)))
                parents.setdefault(x, Reason(LEMMA_1A, (y,), tests))
                parents.setdefault(y, Reason(LEMMA_1A, (x,), tests))

    # Lemma 1b: a neighbour that depends on a parent, but not given the target, is a child.
    for x in notes.undirected:
        for y in parents:
            if dependent(x, y, ()) and ci.independent(x, y, (t,)):
                children[x] = Reason(LEMMA_1B, (y,), ((x, y, ()), (x, y, (t,))), ((y, t),))
                break


def recognise_children(notes: Blanket) -> None:
    """Note that a neighbour through which there is a spouse is a child; this takes no test.

    What knowledge says already needs no other reason, and a spouse that it denies shows nothing.
    """
    for y in notes.pc:
        spouses = notes.spouses.get(y)
        if spouses and notes.knowledge:
            spouses = [x for x in spouses if not notes.knowledge.forbids(x, y)]
        if spouses and y not in notes.children:
            notes.children[y] = Reason(SPOUSE, (spouses[0],), collider_tests(notes, spouses[0], y))


def collider_tests(notes: Blanket, spouse: str, child: str) -> tuple[Question, ...]:
    """Return the two tests that show a common effect: independent, and not so once the child is held fixed.

    A learner that asks for scores has made no such tests.
    """
    if spouse not in notes.separators:
        return ()
    apart = notes.separators[spouse]
    return (spouse, notes.target, apart), (spouse, notes.target, tuple(dict.fromkeys((*apart, child))))
