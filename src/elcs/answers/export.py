"""Graphs for other programs: networkx, DOT, GML; and pages as files."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from elcs.errors import ElcsError

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["Undirected", "to_digraph", "to_dot", "to_gml"]

Undirected = Literal["error", "both", "drop"]
"""What to do with edges without direction where all edges must have one."""

Edges = Sequence[tuple[str, str]]


def to_digraph(
    nodes: Iterable[str] | Mapping[str, str], directed: Edges, undirected: Edges, how: Undirected
) -> nx.DiGraph[str]:
    """Return a graph of these nodes, with their roles if they have any, and these edges."""
    import networkx as nx

    if undirected and how == "error":
        listed = ", ".join(f"{a!r} and {b!r}" for a, b in undirected[:3]) + (", ..." if len(undirected) > 3 else "")
        raise ElcsError(
            f"some edges have no direction (between {listed}), so this is not a directed acyclic graph; pass "
            "undirected='both' for an arc each way, or undirected='drop' to leave them out"
        )
    graph: nx.DiGraph[str] = nx.DiGraph()
    for node in nodes:
        graph.add_node(node, **({"role": nodes[node]} if isinstance(nodes, Mapping) else {}))
    graph.add_edges_from(directed, directed=True)
    if how == "both":
        graph.add_edges_from(((x, y) for a, b in undirected for x, y in ((a, b), (b, a))), directed=False)
    return graph


def to_dot(
    nodes: Mapping[str, str], directed: Edges, undirected: Edges, dashed: Container[tuple[str, str]] = ()
) -> str:
    """Write a graph in the DOT language, with the attributes of these nodes; edges alone declare all other nodes."""
    lines = [f"  {_quoted(node)} {attributes}".rstrip() + ";" for node, attributes in nodes.items()]
    style = {True: " [style=dashed]", False: ""}
    lines += [f"  {_quoted(a)} -> {_quoted(b)}{style[(a, b) in dashed]};" for a, b in directed]
    lines += [f"  {_quoted(a)} -> {_quoted(b)} [dir=none];" for a, b in undirected]
    return "\n".join(["digraph {", *lines, "}"]) + "\n"


def to_gml(graph: nx.DiGraph[str]) -> str:
    """Write a graph in GML."""
    import networkx as nx

    return "\n".join(nx.generate_gml(graph, stringizer=str))


def _quoted(name: str) -> str:
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
