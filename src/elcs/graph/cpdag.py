"""The essential graph: the most that observations can say about a directed acyclic graph.

Graphs with the same edges and the same v-structures imply the same independences, so no test can tell them
apart. The essential graph (CPDAG) gives a direction only to the edges on which they all agree. With knowledge, only
those graphs count that fit it (the MPDAG).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from elcs.graph.knowledge import NOTHING, Knowledge
from elcs.graph.meek import apply_meek_rules
from elcs.graph.pdag import PDAG, Reason
from elcs.graph.rules import V_STRUCTURE, Rule

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["cpdag", "essential_graph"]


def cpdag(graph: nx.DiGraph[str], knowledge: Knowledge = NOTHING) -> PDAG:
    """Return the essential graph of a directed acyclic graph, given what is known.

    Examples
    --------
    >>> import networkx as nx
    >>> essential = cpdag(nx.DiGraph([("rain", "wet"), ("sprinkler", "wet"), ("season", "rain")]))
    >>> essential.parents("wet"), essential.undirected("rain")
    (['rain', 'sprinkler'], ['season'])
    """
    return essential_graph({v: list(graph.predecessors(v)) for v in graph}, knowledge=knowledge)


def essential_graph(
    parents: Mapping[str, Sequence[str]], rule: Rule = V_STRUCTURE, knowledge: Knowledge = NOTHING
) -> PDAG:
    """Return the essential graph of the directed acyclic graph with these parents; `rule` is noted for v-structures."""
    essential = PDAG(knowledge=knowledge.among(parents))
    for v, causes in parents.items():
        for u in causes:
            essential.add_edge(u, v)
    essential.settled.update(parents)
    for v, causes in parents.items():
        for a, b in combinations(causes, 2):
            if not essential.adjacent(a, b):
                essential.orient(a, v, Reason(rule, (b,)))
                essential.orient(b, v, Reason(rule, (a,)))
    apply_meek_rules(essential)
    return essential
