"""The essential graph: what observations can tell of a directed acyclic graph, at best.

Graphs with the same edges and the same v-structures imply the same independences, so no test can tell them
apart. The essential graph (CPDAG) gives a direction to just the edges on which they all agree.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from elcs.graph.meek import apply_meek_rules
from elcs.graph.pdag import PDAG, Reason

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["cpdag"]


def cpdag(graph: nx.DiGraph[str]) -> PDAG:
    """Return the essential graph of a directed acyclic graph.

    Examples
    --------
    >>> import networkx as nx
    >>> essential = cpdag(nx.DiGraph([("rain", "wet"), ("sprinkler", "wet"), ("season", "rain")]))
    >>> essential.parents("wet"), essential.undirected("rain")
    (['rain', 'sprinkler'], ['season'])
    """
    essential = PDAG()
    for cause, effect in graph.edges:
        essential.add_edge(cause, effect)
    essential.settled.update(graph)
    for v in graph:
        for a, b in combinations(graph.predecessors(v), 2):
            if not essential.adjacent(a, b):
                essential.orient(a, v, Reason("v-structure", (b,)))
                essential.orient(b, v, Reason("v-structure", (a,)))
    apply_meek_rules(essential)
    return essential
