"""A whole graph as one self-contained HTML page: the picture to walk through, the evidence, the data, the run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from elcs.answers.steady import UNCHECKED, unchecked
from elcs.data.naming import counted
from elcs.drawing.fragments import NONE, association, definitions, listed, named, prose, sortable, tests
from elcs.drawing.picture import Box, Link
from elcs.drawing.sheet import data_section, filled, run_section, sheet, size_of
from elcs.drawing.svg import Told, svg
from elcs.drawing.whole import layout_graph
from elcs.errors import ElcsError
from elcs.graph.pdag import Edge
from elcs.markup import clean, shown

if TYPE_CHECKING:
    from elcs.answers.evidence import Evidence
    from elcs.answers.graph import CausalGraph
    from elcs.answers.graph_stability import GraphStability

__all__ = ["MOST_EXPLAINED", "GraphPanel", "graph_page", "map_section", "warnings_about_graph"]

MOST_EXPLAINED = 64
"""Up to so many variables, the page also says why there is no edge between two of them: beyond, that is too much."""

_OVERVIEW = "all"


def graph_page(graph: CausalGraph, stability: GraphStability | None = None) -> str:
    """Write the page; with `stability`, it also shows how often each edge comes back.

    Examples
    --------
    >>> import elcs
    >>> print(graph_page(elcs.learn_graph(elcs.data.SAMPLE))[:15])
    <!DOCTYPE html>
    """
    panel = GraphPanel(graph, stability)
    edges = counted(len(graph.directed) + len(graph.undirected), "edge")
    heading = f"{counted(len(graph.nodes), 'variable')}, {edges}"
    background = graph.background
    found = f"The direct connections of all variables, found by {clean(graph.method)}"
    main = filled(
        "graph.html",
        heading=heading,
        summary=f"{found}." if background is None else f"{found} in {size_of(background.profile)}.",
        warnings=listed("warnings", warnings_about_graph(graph)),
        map=map_section(panel, "Choose a variable to see its surroundings, or a line to see the evidence."),
        edges=_edges(panel),
        data=data_section(graph),
        run=run_section(graph),
    )
    return sheet(heading, main, graph.method, ("sort", "graph"))


def map_section(panel: GraphPanel, hint: str) -> str:
    """Write the picture with what helps to find one's way in it, and the evidence."""
    names = (f'<option data-of="{of}" value="{clean(x)}"></option>' for x, of in panel.ids.items())
    return filled("map.html", hint=hint, names="".join(names), picture=panel.picture(), articles=panel.articles())


def warnings_about_graph(graph: CausalGraph) -> Iterator[str]:
    """Yield what deserves attention before the graph is used, as pieces of HTML."""
    if not graph.complete:
        yield "The run was stopped before the end; what was settled by then is shown."
    if unchecked(graph):
        yield f"{UNCHECKED.capitalize()}."
    for conflict in graph.conflicts:
        yield prose(conflict.say())
    if graph.background is not None and graph.background.profile.dropped:
        dropped = (clean(name) for name, _ in graph.background.profile.dropped)
        yield f"Columns that were left out: {', '.join(dropped)}."


class GraphPanel:
    """The picture and the evidence of a whole graph, as pieces of HTML that any page can hold.

    Parameters
    ----------
    graph : CausalGraph
        What to show.
    stability : GraphStability, optional
        How often each edge comes back.

    Attributes
    ----------
    ids, edge_ids : dict
        For each variable, and for each edge as the graph has it, the id of the article about it.

    Examples
    --------
    >>> import elcs
    >>> panel = GraphPanel(elcs.learn_graph(elcs.data.SAMPLE))
    >>> panel.picture()[:4], panel.edge("contract", "churn")[:21]
    ('<svg', '<article id="e0"><h3>')
    """

    def __init__(self, graph: CausalGraph, stability: GraphStability | None = None) -> None:
        self.graph, self.stability = graph, stability
        self.shares = {} if stability is None else stability.of(graph)
        self.ids = {name: f"v{i}" for i, name in enumerate(graph.nodes)}
        self.edge_ids = {edge: f"e{i}" for i, edge in enumerate(graph.edges)}
        self.leanings = {frozenset(edge): edge for edge in graph.leanings}

    def picture(self) -> str:
        """Write the picture as SVG, in which boxes and lines are buttons."""
        return svg(layout_graph(self.graph, shares=self.shares), "whole", "The whole graph", self.told)

    def told(self, drawn: Box | Link) -> Told:
        """Return what a box or a line says about itself."""
        if isinstance(drawn, Box):
            near = self.graph.neighbours(drawn.name)
            return Told(self.ids[drawn.name], f"{shown(drawn.name)}: {counted(len(near), 'edge')}")
        a, b = drawn.start, drawn.end
        edge = (a, b) if (a, b) in self.edge_ids else (b, a)
        said = ", from what you said" if drawn.line == "said" else ""
        share = f", {self.shares[edge]:.0%}" if edge in self.shares else ""
        return Told(self.edge_ids[edge], f"{self.arrow(edge)}{said}{share}", f"{self.ids[a]} {self.ids[b]}")

    def arrow(self, edge: Edge) -> str:
        """Say in symbols what an edge is: decided, leaning or open."""
        a, b = edge
        if edge in self.graph.directed:
            return f"{shown(a)} → {shown(b)}"
        leans = self.leanings.get(frozenset(edge))
        return f"{shown(a)} – {shown(b)}" if leans is None else f"{shown(leans[0])} ⇢ {shown(leans[1])}"

    def articles(self) -> str:
        """Write all articles: an overview, one for each variable and one for each edge."""
        return "\n".join(
            [self.overview(), *map(self.variable, self.ids), *(self.edge(*edge) for edge in self.edge_ids)]
        )

    def overview(self) -> str:
        """Write what is shown before anything is chosen."""
        g = self.graph
        rows = {"with a direction": f"{len(g.directed):,}", "undecided": self._linked(g.undirected)}
        strong = sorted(g.nodes, key=lambda x: -len(g.neighbours(x)))[:5]
        rows["most edges"] = ", ".join(
            f"{self._variable(x)} ({len(g.neighbours(x))})" for x in strong if g.neighbours(x)
        )
        found = definitions({term: text for term, text in rows.items() if text})
        return f'<article id="{_OVERVIEW}" class="blanket"><h3>All edges</h3>{found}</article>'

    def variable(self, name: str) -> str:
        """Write what a variable is directly connected with, and why it is not with the others."""
        g = self.graph
        rows = {
            "direct causes": self._at(name, [(x, name) for x in g.parents(name)]),
            "direct effects": self._at(name, [(name, x) for x in g.children(name)]),
            "cause or effect": self._at(name, [edge for edge in g.undirected if name in edge]),
        }
        found = definitions({term: text for term, text in rows.items() if text})
        nothing = "" if g.neighbours(name) else "<p>Nothing in the table is connected with it.</p>"
        return f'<article id="{self.ids[name]}"><h3>{named(name)}</h3>{found}{nothing}{self._apart(name)}</article>'

    def _apart(self, name: str) -> str:
        g = self.graph
        others = [x for x in g.nodes if x != name and x not in g.neighbours(name)]
        if not others or self._evidence(others[0], name) is None:
            return ""
        if len(g.nodes) > MOST_EXPLAINED:
            return "<p>Why there is no edge with another variable: <code>graph.explain(a, b)</code> in Python.</p>"
        told = listed("apart", (prose(g.explain(x, name)) for x in others))
        head = f"Not directly connected with {counted(len(others), 'variable')}"
        return f"<details><summary>{head}</summary>{told}</details>"

    def edge(self, a: str, b: str) -> str:
        """Write the evidence for an edge."""
        told = [f'<article id="{self.edge_ids[a, b]}"><h3><bdi>{clean(self.arrow((a, b)))}</bdi></h3>']
        told.append(f'<p class="role">{self.what((a, b))}: {self._variable(a)}, {self._variable(b)}</p>')
        told.append(self.invites(a, b))
        evidence = self._evidence(a, b)
        if evidence is None:
            told.append("<p>The evidence was not kept.</p>")
        else:
            told.append(f"<p>{prose(self.graph.explain(a, b))}</p>")
            if evidence.direction is not None:
                told.append(f"<p>Rule: {clean(evidence.direction.rule)}.</p>")
            told.append(tests(evidence, self.graph.around(b).statistic))
        if self.stability is not None:
            told.append(f"<p>{prose(self.stability.say(a, b))}</p>")
        return "".join(told) + "</article>"

    def invites(self, a: str, b: str) -> str:
        """Write what the reader can do about an edge; on a page that is only looked at, nothing."""
        return ""

    def what(self, edge: Edge) -> str:
        """Say what an edge is, in words."""
        if edge in self.graph.from_knowledge:
            return "cause and effect, from what you said"
        if edge in self.graph.directed:
            return "cause and effect"
        return "undecided, leaning" if frozenset(edge) in self.leanings else "undecided"

    def _evidence(self, a: str, b: str) -> Evidence | None:
        try:
            return self.graph.evidence(a, b)
        except ElcsError:  # the graph was loaded from a file
            return None

    def _variable(self, name: str) -> str:
        return f'<a href="#{self.ids[name]}" data-shows="{self.ids[name]}">{named(name)}</a>'

    def _at(self, name: str, edges: Iterable[Edge]) -> str:
        """List the other ends of edges at a variable, each of which shows the evidence for the edge."""
        told = []
        for edge in edges:
            other = edge[0] if edge[1] == name else edge[1]
            leans = self.leanings.get(frozenset(edge))
            side = "" if leans is None else f" (leans to {'effect' if leans[0] == name else 'cause'})"
            shows = self.edge_ids[edge]
            told.append(f'<a href="#{shows}" data-shows="{shows}">{named(other)}</a>{side}')
        return ", ".join(told)

    def _linked(self, edges: Iterable[Edge]) -> str:
        ids = self.edge_ids
        return ", ".join(
            f'<a href="#{ids[edge]}" data-shows="{ids[edge]}"><bdi>{clean(self.arrow(edge))}</bdi></a>'
            for edge in edges
        )


def _edges(panel: GraphPanel) -> str:
    """Write the table of all edges."""
    evidence = {edge: panel._evidence(*edge) for edge in panel.edge_ids}
    statistic = "statistic"
    if any(found is not None for found in evidence.values()):
        statistic = panel.graph.around(panel.graph.nodes[0]).statistic
    heads = [("edge", ""), ("what it is", "")]
    heads += [("comes back", ' class="number"')] if panel.stability else []
    heads += [(clean(statistic), ' class="number"'), ("p-value", ' class="number"')]
    rows = []
    for edge, found in evidence.items():
        cells = [f'<th scope="row">{panel._linked([edge])}</th>', f'<td class="words">{panel.what(edge)}</td>']
        if panel.stability:
            share = panel.shares.get(edge)
            value, label = ("", NONE) if share is None else (f"{share:g}", f"{share:.0%}")
            cells.append(f'<td class="number" data-value="{value}">{label}</td>')
        rows.append([*cells, *association(None if found is None else found.association)])
    return sortable(heads, rows)
