"""Directions around one variable, from its blanket and from earlier findings."""

from __future__ import annotations

from collections.abc import Sequence

from elcs.graph.meek import apply_meek_rules
from elcs.graph.pdag import PDAG, Reason
from elcs.graph.rules import MEEK_1, SPOUSE
from elcs.learners.notes import Blanket
from elcs.learners.steps.distinguish import collider_tests

__all__ = ["Chain", "orient_around", "resolve"]

Chain = tuple[str, str, str, tuple[str, ...]]
"""A variable between two neighbours that are not both its causes, and a set with it that separates the two."""


def orient_around(graph: PDAG, found: Blanket) -> None:
    """Draw the edges that a blanket shows: parents, children, the other parents of the children."""
    x = found.target
    for y in found.pc:
        graph.add_edge(x, y)
        if y in found.separators and found.requires(y):
            graph.dispute(x, y, found.separators[y])
    graph.settled.add(x)
    graph.untested.update(frozenset((x, y)) for y, test in found.marginal.items() if not test.reliable)
    for y, reason in found.parents.items():
        graph.orient(y, x, reason)
    for y, reason in found.children.items():
        # A direction may rest on one that has just met its opposite and has not been followed.
        if graph.as_published or all(premise in graph.reasons for premise in reason.premises):
            graph.orient(x, y, reason)
    for y in (*found.children, *(y for y in found.pc if graph.knowledge and y not in found.children)):
        for spouse in found.spouses.get(y, ()):
            # Of a v-structure that knowledge denies, only the conflict is noted.
            if graph.knowledge.forbids(spouse, y) or (y in found.children and not graph.denies(x, y)):
                graph.orient(spouse, y, Reason(SPOUSE, (x,), collider_tests(found, spouse, y)))


def resolve(graph: PDAG, chains: Sequence[Chain]) -> None:
    """Pass directions on, along the chains and by Meek's rules, until neither adds any.

    A chain is what Meek's first rule looks for, known before either of its ends is settled.
    """
    apply_meek_rules(graph)
    while True:
        before = len(graph.reasons)
        for a, x, b, apart in chains:
            for cause, effect in ((a, b), (b, a)):
                if (cause, x) in graph.reasons and effect in graph.undirected(x) and not graph.contested(x, effect):
                    graph.orient(x, effect, Reason(MEEK_1, (cause,), ((cause, effect, apart),), ((cause, x),)))
        if len(graph.reasons) == before:
            return
        apply_meek_rules(graph)
