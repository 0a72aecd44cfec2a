"""From a skeleton and separating sets to a partly directed graph."""

from __future__ import annotations

from itertools import combinations

from elcs.graph.meek import apply_meek_rules
from elcs.graph.pdag import PDAG, Question, Reason
from elcs.graph.rules import V_STRUCTURE, Rule
from elcs.independence.base import CITest
from elcs.learners.notes import Whole, sizes_up_to

__all__ = ["orient_skeleton", "orient_v_structure"]


def orient_skeleton(ci: CITest, notes: Whole, *, max_cond_size: int | None, confirm: bool = True) -> None:
    """Orient the v-structures, the strongest first, then apply Meek's rules.

    Two neighbours a and b of c that are not adjacent, and that a set without c separates, are causes of c. On data such
    claims may contradict each other. The strength of a claim is how strongly a and b depend on each other once c is
    held fixed too; of two that contradict each other the stronger is followed, and the conflict is noted.

    Parameters
    ----------
    ci : CITest
        What answers the questions.
    notes : Whole
        The edges, and the sets that separate the other pairs, except pairs that knowledge keeps apart. What separates
        these is looked for here, where a v-structure depends on it.
    max_cond_size : int or None
        The largest of these sets.
    confirm : bool
        Drop claims without any such dependence. It costs nothing and, on Child with 5,000 rows, avoids all of the
        eleven false directions that edges are given otherwise.
    """
    graph = notes.graph
    graph.settled.update(notes.variables)
    for a, b in graph.knowledge.required:
        apart = notes.separators.get(frozenset((a, b)))
        if apart is not None:
            graph.dispute(a, b, apart)
    claims = []
    for c in sorted(notes.variables):  # by name, so that the order of the columns does not choose among equal claims
        for a, b in combinations(sorted(graph.neighbours(c)), 2):
            if graph.adjacent(a, b):
                continue
            apart = set_apart(ci, notes, a, b, c, max_cond_size)
            if apart is not None and c not in apart:
                claims.append((a, b, c, apart))
    opened = ci.test_many([(a, b, (*apart, c)) for a, b, c, apart in claims], skip_unreliable=True)
    strengths = [0.0 if test.independent else test.statistic for test in opened]
    for strength, (a, b, c, apart) in sorted(zip(strengths, claims, strict=True), key=lambda claim: -claim[0]):
        if strength or not confirm:
            orient_v_structure(graph, a, b, c, V_STRUCTURE, ((a, b, apart), (a, b, (*apart, c))))
    apply_meek_rules(graph)


def orient_v_structure(graph: PDAG, a: str, b: str, effect: str, rule: Rule, tests: tuple[Question, ...] = ()) -> None:
    """Note two causes of an effect; of a v-structure that knowledge denies, only the conflict."""
    denied = [x for x in (a, b) if graph.denies(x, effect)]
    for cause, other in ((a, b), (b, a)):
        if cause in denied or not denied:
            graph.orient(cause, effect, Reason(rule, (other,), tests))


def set_apart(ci: CITest, notes: Whole, a: str, b: str, c: str, max_cond_size: int | None) -> tuple[str, ...] | None:
    """Return the set that separates a and b, two neighbours of c.

    It has been noted, unless knowledge keeps the two apart; then it is looked for, among the neighbours of either, if
    knowledge does not say already where the edges at c point.
    """
    graph, pair = notes.graph, frozenset((a, b))
    if pair in notes.separators or not notes.knowledge.apart(a, b):
        return notes.separators.get(pair)
    if c not in graph.undirected(a) and c not in graph.undirected(b):
        return None
    for x, y in ((a, b), (b, a)):
        among = notes.knowledge.pool(a, b, (z for z in graph.neighbours(x) if z != y))
        apart = ci.separator(a, b, among, sizes=sizes_up_to(max_cond_size, among))
        if apart is not None:
            notes.separators[pair] = apart
            return apart
    return None
