"""Variables and the edges between them: who is directly connected with whom."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from elcs.errors import unknown_name
from elcs.graph.pdag import Edge

if TYPE_CHECKING:
    import networkx as nx

    from elcs.answers.export import Undirected

__all__ = ["Edges"]


@dataclass(frozen=True, repr=False)
class Edges:
    """Variables and the edges between them.

    Attributes
    ----------
    nodes : tuple of str
        The variables.
    method : str
        Which method found the edges.
    directed : tuple of (str, str)
        Edges with a direction: cause and effect.
    undirected : tuple of (str, str)
        Edges without a known direction.

    Examples
    --------
    >>> edges = Edges(("rain", "sprinkler", "wet"), "by hand", (("rain", "wet"), ("sprinkler", "wet")))
    >>> edges.parents("wet"), edges.markov_blanket("rain")
    (('rain', 'sprinkler'), ('wet', 'sprinkler'))
    """

    nodes: tuple[str, ...]
    method: str
    directed: tuple[Edge, ...] = ()
    undirected: tuple[Edge, ...] = ()

    @property
    def edges(self) -> tuple[Edge, ...]:
        """All edges, those with a direction first."""
        return (*self.directed, *self.undirected)

    @cached_property
    def _ends(self) -> dict[str, tuple[list[str], list[str], list[str]]]:
        """For each node its parents, its children and its other neighbours."""
        ends: dict[str, tuple[list[str], list[str], list[str]]] = {v: ([], [], []) for v in self.nodes}
        for a, b in self.directed:
            ends[b][0].append(a)
            ends[a][1].append(b)
        for a, b in self.undirected:
            ends[a][2].append(b)
            ends[b][2].append(a)
        return ends

    def _at(self, v: str, kind: int) -> tuple[str, ...]:
        if v not in self._ends:
            raise unknown_name(v, self.nodes, what="variable")
        return tuple(self._ends[v][kind])

    def parents(self, v: str) -> tuple[str, ...]:
        """Return the direct causes of a variable."""
        return self._at(v, 0)

    def children(self, v: str) -> tuple[str, ...]:
        """Return the direct effects of a variable."""
        return self._at(v, 1)

    def undecided(self, v: str) -> tuple[str, ...]:
        """Return the neighbours of a variable that could be either causes or effects."""
        return self._at(v, 2)

    def neighbours(self, v: str) -> tuple[str, ...]:
        """Return all variables that share an edge with this one."""
        return self.parents(v) + self.children(v) + self.undecided(v)

    def markov_blanket(self, v: str) -> tuple[str, ...]:
        """Return the neighbours of a variable and the other direct causes of its children."""
        spouses = (x for y in self.children(v) for x in self.parents(y) if x != v)
        return tuple(dict.fromkeys((*self.neighbours(v), *spouses)))

    def to_networkx(self, *, undirected: Undirected = "error") -> nx.DiGraph[str]:
        """Return a directed graph.

        Parameters
        ----------
        undirected : {"error", "both", "drop"}
            What to do with edges without direction: refuse, because the result would not be a directed acyclic graph;
            give an arc each way, with the attribute ``directed=False``; or leave them out.
        """
        from elcs.answers.export import to_digraph

        return to_digraph(self.nodes, self.directed, self.undirected, undirected)
