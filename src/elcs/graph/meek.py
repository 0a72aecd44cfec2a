"""Meek's rules: directions that follow from directions already known.

C. Meek (1995), Causal inference and causal explanation with background knowledge, UAI. An edge gets the
direction without which there would be a new v-structure (rules 1 and 3) or a cycle (rules 2 and 3). Given all
v-structures, rules 1 to 3 find every direction that they determine.
"""

from __future__ import annotations

from itertools import combinations

from elcs.graph.pdag import PDAG, Reason

__all__ = ["apply_meek_rules"]


def apply_meek_rules(graph: PDAG) -> None:
    """Orient edges in place until no rule applies.

    In each round all edges are judged by the same state of the graph, so that their order does not matter. An
    edge that the rules would turn both ways is left alone and noted as a conflict.
    """
    progress = True
    while progress:
        judged = [
            (a, b, compelled(graph, a, b), compelled(graph, b, a))
            for a, b in graph.undirected_edges()
            if not graph.contested(a, b)
        ]
        for a, b, forth, back in judged:
            if forth and back and not graph.as_published:
                graph.contest(a, b, forth, back)
                continue
            if forth:
                graph.orient(a, b, forth)
            if back:
                graph.orient(b, a, back)
        progress = any(forth or back for _, _, forth, back in judged)


def compelled(graph: PDAG, b: str, c: str) -> Reason | None:
    """Return the rule that turns the undirected edge b - c into b -> c, if one does."""
    parents_b, parents_c = graph.parents(b), graph.parents(c)
    for a in parents_b:  # a -> b - c
        if graph.non_adjacent(a, c):
            return Reason("Meek 1", (a,), premises=((a, b),))
    children_b = graph.children(b)
    for d in parents_c:  # b -> d -> c
        if d in children_b:
            return Reason("Meek 2", (d,), premises=((b, d), (d, c)))
    beside = graph.undirected(b)
    for d, e in combinations([d for d in parents_c if d in beside], 2):  # b - d -> c and b - e -> c
        if graph.non_adjacent(d, e):
            return Reason("Meek 3", (d, e), premises=((d, c), (e, c)))
    return None
