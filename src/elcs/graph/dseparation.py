"""d-separation: which independences a directed acyclic graph implies.

Two variables are d-separated by a set Z if every path between them is blocked: by a member of Z that is not a
collider on the path, or by a collider (two arrows meeting) that is neither in Z nor has a descendant in Z.

A set of nodes is an integer here, one bit per node: a union or an intersection is then a single operation.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from typing import TYPE_CHECKING

from elcs.errors import KnowledgeError

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["Separation"]


class Separation:
    """Tells which nodes of a directed acyclic graph are d-separated; nodes are known by position.

    Parameters
    ----------
    graph : networkx.DiGraph
        A directed acyclic graph.

    Examples
    --------
    >>> import networkx as nx
    >>> chain = Separation(nx.DiGraph([("a", "b"), ("b", "c")]))
    >>> chain.separated(0, 2, ()), chain.separated(0, 2, (1,))
    (False, True)
    """

    def __init__(self, graph: nx.DiGraph[str]) -> None:
        import networkx as nx

        if not graph.is_directed() or graph.is_multigraph() or not nx.is_directed_acyclic_graph(graph):
            raise KnowledgeError("the graph must be directed and acyclic" + _first_cycle(graph))
        self.nodes: tuple[str, ...] = tuple(graph)
        position = {node: i for i, node in enumerate(self.nodes)}
        self._parents = [0] * len(position)
        self._children = [0] * len(position)
        self._ancestors = [1 << i for i in range(len(position))]  # each node counts as its own ancestor
        for node in nx.topological_sort(graph):
            for child in graph.successors(node):
                i, j = position[node], position[child]
                self._children[i] |= 1 << j
                self._parents[j] |= 1 << i
                self._ancestors[j] |= self._ancestors[i]
        self._distances_from = cache(self._search_distances)

    def separated(self, x: int, y: int, given: Collection[int]) -> bool:
        """Tell whether x and y are d-separated by the nodes of `given`."""
        parents, children, ancestors = self._parents, self._children, self._ancestors
        if not given:  # connected by a common ancestor, or not at all
            return not ancestors[x] & ancestors[y]
        z = opens = 0  # the conditioning set, and the colliders it opens
        for node in given:
            z |= 1 << node
            opens |= ancestors[node]
        goal = 1 << y
        matters = ancestors[x] | ancestors[y] | opens  # no open path leaves these nodes
        # A ball rolls from x along open paths: `up` and `down` are where it is about to arrive from a child or
        # from a parent, the other two where it has been.
        up, down, been_up, been_down = 1 << x, 0, 0, 0
        while True:
            if up:
                node = up & -up
                i = node.bit_length() - 1
                been_up |= node
                up = (up | parents[i] & ~z) & ~been_up
                down |= children[i] & matters & ~been_down
            elif down:
                node = down & -down
                i = node.bit_length() - 1
                been_down |= node
                if not node & z:
                    down |= children[i] & matters
                if node & opens:
                    up |= parents[i] & ~z & ~been_up
                down &= ~been_down
            else:
                return True
            if (up | down) & goal:
                return False

    def distance(self, x: int, y: int) -> int:
        """Return the number of edges between two nodes, whatever their direction; -1 if no path joins them."""
        return self._distances_from(x).get(y, -1)

    def _search_distances(self, x: int) -> dict[int, int]:
        distances, reached, ring, steps = {}, 1 << x, 1 << x, 0
        while ring:
            outside = 0
            while ring:
                node = ring & -ring
                ring ^= node
                i = node.bit_length() - 1
                distances[i] = steps
                outside |= self._parents[i] | self._children[i]
            ring = outside & ~reached
            reached |= ring
            steps += 1
        return distances


def _first_cycle(graph: nx.DiGraph[str]) -> str:
    import networkx as nx

    try:
        edges = nx.find_cycle(graph)
    except (nx.NetworkXException, TypeError):
        return ""
    return ", but it has the cycle " + " -> ".join([str(edges[0][0]), *(str(edge[1]) for edge in edges)])
