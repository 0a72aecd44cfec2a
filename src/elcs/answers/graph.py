"""What a run over all variables returns: the whole graph."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from elcs.answers.background import Background, background_as_dict
from elcs.answers.effect import Effect
from elcs.answers.estimating import effect_in
from elcs.answers.export import Undirected, to_digraph, to_dot
from elcs.answers.local import knowledge_as_dict, what_was_asked
from elcs.errors import ElcsError, unknown_name
from elcs.graph.cpdag import essential_graph
from elcs.graph.knowledge import NOTHING
from elcs.graph.pdag import PDAG, Conflict, Edge
from elcs.study import Plan, Study

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["CausalGraph"]


@dataclass(frozen=True, repr=False)
class CausalGraph:
    """All variables and the edges between them, with directions where they could be found.

    Attributes
    ----------
    nodes : tuple of str
        The variables.
    method : str
        Which method found it.
    directed : tuple of (str, str)
        Edges with a direction: cause and effect.
    undirected : tuple of (str, str)
        Edges without a known direction.
    leanings : mapping
        For undirected edges that the data lean to give a direction, as cause and effect: by how many nats every network
        found without that arrow scores less, or None if that is not known. Only some methods weigh that.
    separators : mapping
        For pairs found not to be adjacent, the set that separates the two, if the method looks for one.
    conflicts : tuple of Conflict
        Rules that contradict each other about the direction of an edge, and tests that contradict what somebody said.
    from_knowledge : mapping
        The arrows that somebody said are there or point this way, and the statement that says so.
    n_tests, n_computed : int
        How many tests or scores the method asked for, and how many had to be computed.
    seconds : float
        How long it took.
    complete : bool
        False if a limit or an interruption stopped the run.
    settings : mapping
        The options of the run.
    plan : Plan or None
        What was asked, so that it can be asked again.
    background : Background or None
        The table behind the answer, if there was one; where values are missing, also how many rows the tests of pairs
        had.
    """

    nodes: tuple[str, ...]
    method: str
    directed: tuple[Edge, ...] = ()
    undirected: tuple[Edge, ...] = ()
    leanings: Mapping[Edge, float | None] = field(default_factory=dict)
    separators: Mapping[frozenset[str], tuple[str, ...]] = field(default_factory=dict)
    conflicts: tuple[Conflict, ...] = ()
    from_knowledge: Mapping[Edge, str] = field(default_factory=dict)
    n_tests: int = 0
    n_computed: int = 0
    seconds: float = 0.0
    complete: bool = True
    settings: Mapping[str, Any] = field(default_factory=dict)
    plan: Plan | None = field(default=None, compare=False)
    background: Background | None = field(default=None, compare=False)
    _graph: PDAG | None = field(default=None, compare=False)
    _study: Study | None = field(default=None, compare=False)

    def effect(self, cause: str, effect: str) -> Effect:
        """Estimate what setting one column would do to another; `elcs.effect` says how.

        Examples
        --------
        >>> import elcs
        >>> found = elcs.learn_graph(elcs.data.SAMPLE).effect("outages", "satisfaction")
        >>> found.identified, found.possible[0].adjusted_for
        (True, ('price_rise',))
        """
        if self._study is None or self._graph is None:
            raise ElcsError(
                "this graph does not know the table it was made from: it was loaded from a file, or there was no "
                "table; use elcs.effect(table, cause, effect, method=...) instead"
            )
        return effect_in(self._graph, self._study, cause, effect, whole=True, complete=self.complete)

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

    def cpdag(self) -> CausalGraph:
        """Return the same graph with only those directions on which all equivalent graphs agree.

        Observations alone cannot settle the others. If something was known beforehand, only those graphs count that
        fit it. A graph that has undirected edges is returned as it is.
        """
        if self.undirected:
            return self
        known = NOTHING if self.plan is None else self.plan.known
        essential = essential_graph({v: self.parents(v) for v in self.nodes}, knowledge=known)
        directed, undirected = edges_of(essential, self.nodes)
        return replace(self, directed=directed, undirected=undirected, _graph=essential)

    def __str__(self) -> str:
        asked = what_was_asked(self.settings)
        lines = [
            f"{len(self.nodes)} variables, {len(self.directed) + len(self.undirected)} edges ({self.method})",
            *(f"  {a} -> {b}{self._said((a, b))}" for a, b in self.directed),
            *(f"  {a} - {b}" for a, b in self.undirected),
            *(f"  {line}" for line in (self.background.say(self.settings) if self.background else [])),
            f"  {self.n_tests:,} {asked} ({self.n_computed:,} computed), {self.seconds * 1e3:,.1f} ms"
            + ("" if self.complete else "; stopped before the end"),
        ]
        return "\n".join(lines)

    def _said(self, arrow: Edge) -> str:
        return f" (you said: {self.from_knowledge[arrow]})" if arrow in self.from_knowledge else ""

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "plan": None if self.plan is None else self.plan.if_portable(), "_study": None}

    def __repr__(self) -> str:
        edges = f"{len(self.directed)} directed, {len(self.undirected)} undirected edges"
        return f"CausalGraph({len(self.nodes)} nodes, {edges}, method={self.method!r})"

    def to_dict(self) -> dict[str, Any]:
        """Return everything in plain types."""
        return {
            "method": self.method,
            "nodes": list(self.nodes),
            "directed": [list(edge) for edge in self.directed],
            "undirected": [list(edge) for edge in self.undirected],
            "leanings": [{"cause": a, "effect": b, "margin": margin} for (a, b), margin in self.leanings.items()],
            "separators": [{"pair": sorted(pair), "given": list(given)} for pair, given in self.separators.items()],
            "conflicts": [
                {"edge": list(c.edge), "first": c.first.rule, "second": c.second.rule, "followed": c.followed}
                for c in self.conflicts
            ],
            "complete": self.complete,
            "n_tests": self.n_tests,
            "n_computed": self.n_computed,
            "seconds": self.seconds,
            "settings": dict(self.settings),
            **knowledge_as_dict(self.plan, self.from_knowledge),
            **background_as_dict(self.background, self.settings),
        }

    def to_json(self, *, indent: int | None = 2) -> str:
        """Return `to_dict` as JSON."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False)

    def to_networkx(self, *, undirected: Undirected = "error") -> nx.DiGraph[str]:
        """Return a directed graph.

        Parameters
        ----------
        undirected : {"error", "both", "drop"}
            What to do with edges without direction: refuse, because the result would not be a directed acyclic graph;
            give an arc each way, with the attribute ``directed=False``; or leave them out.
        """
        return to_digraph(self.nodes, self.directed, self.undirected, undirected)

    def to_dot(self) -> str:
        """Return the picture in the DOT language; edges without direction have no arrow head, known ones are dashed."""
        return to_dot(dict.fromkeys(self.nodes, ""), self.directed, self.undirected, self.from_knowledge)


def edges_of(graph: PDAG, nodes: tuple[str, ...]) -> tuple[tuple[Edge, ...], tuple[Edge, ...]]:
    """Return the directed and the undirected edges, in the order of the nodes."""
    place = {v: i for i, v in enumerate(nodes)}

    def order(edge: Edge) -> tuple[int, int]:
        return place[edge[0]], place[edge[1]]

    undirected = [(a, b) if place[a] < place[b] else (b, a) for a, b in graph.undirected_edges()]
    return tuple(sorted(graph.reasons, key=order)), tuple(sorted(undirected, key=order))
