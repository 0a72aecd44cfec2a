"""From a skeleton and separating sets to a partly directed graph."""

from __future__ import annotations

from itertools import combinations

from elcs.graph.meek import apply_meek_rules
from elcs.graph.pdag import Reason
from elcs.independence.base import CITest
from elcs.learners.notes import Whole

__all__ = ["orient_skeleton"]


def orient_skeleton(ci: CITest, notes: Whole) -> None:
    """Orient the v-structures, the strongest first, then apply Meek's rules.

    Two neighbours a and b of c that are not adjacent, and that a set without c separates, are causes of c. On data such
    claims may contradict each other. The strength of one is how strongly a and b depend on each other once c is held
    fixed too; of two contradicting claims the stronger is followed, and the conflict is noted. A claim without any such
    dependence is dropped.
    """
    graph = notes.graph
    graph.settled.update(notes.variables)
    claims = []
    for c in notes.variables:
        for a, b in combinations(graph.neighbours(c), 2):
            apart = notes.separators.get(frozenset((a, b)))
            if not graph.adjacent(a, b) and apart is not None and c not in apart:
                claims.append((a, b, c, apart))
    strengths = [
        r.statistic * r.reliable * (not r.independent) for r in ci.test_many([(a, b, (*z, c)) for a, b, c, z in claims])
    ]
    for _, (a, b, c, z) in sorted(zip(strengths, claims, strict=True), key=lambda pair: -pair[0]):
        tests = ((a, b, z), (a, b, (*z, c)))
        graph.orient(a, c, Reason("v-structure", (b,), tests))
        graph.orient(b, c, Reason("v-structure", (a,), tests))
    apply_meek_rules(graph)
