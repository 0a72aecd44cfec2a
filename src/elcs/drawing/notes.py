"""Answers as a notebook shows them: the picture and a small table, for light and dark, without a script."""

from __future__ import annotations

from typing import TYPE_CHECKING

from elcs.answers.evidence import say_p
from elcs.answers.roles import ROLES, Role
from elcs.answers.steady import say_directions
from elcs.drawing.layout import layout
from elcs.drawing.panel import WIDE
from elcs.drawing.sheet import file
from elcs.drawing.svg import svg
from elcs.drawing.whole import layout_graph
from elcs.markup import clean, note, note_table, shown

if TYPE_CHECKING:
    from elcs.answers.blanket import MarkovBlanket
    from elcs.answers.comparison import Comparison
    from elcs.answers.evidence import Evidence
    from elcs.answers.graph import CausalGraph
    from elcs.answers.graph_stability import GraphStability
    from elcs.answers.stability import Stability

__all__ = ["note_comparison", "note_graph", "note_graph_stability", "note_local", "note_stability"]

_MOST = 20
"""So many rows a small table has at most; what is left out is counted."""


def note_local(result: MarkovBlanket) -> str:
    """Write a result for a notebook."""
    title = f"{shown(result.target)} and what it is connected with"
    rows = [_row(x, role, result.evidence.get(x)) for x, role in result.roles.items()]
    found = _table(["variable", "what it is", result.statistic, "p-value"], rows, [result.statistic, "p-value"])
    return note(
        svg(layout(result, width=WIDE), "wide", title),
        found if rows else "",
        _small(_run(result)),
        css=file("picture.css"),
    )


def _row(name: str, role: Role, evidence: Evidence | None) -> list[str]:
    test = None if evidence is None else evidence.opened_by or evidence.association
    words = ROLES[role].words
    if evidence is not None and evidence.leans is not None:
        words = f"undecided, leans to {ROLES['parent' if evidence.leans.cause == name else 'child'].short}"
    if test is None:
        return [name, words, "", ""]
    p = say_p(test.result.p_value) if test.result.reliable else "too few rows"
    return [name, words, f"{test.result.statistic:,.1f}" if test.result.dof else "", p]


def note_stability(stability: Stability) -> str:
    """Write how often findings come back, for a notebook."""
    if not stability.n_samples:
        return note(f"<p>{clean(str(stability))}</p>")
    heads = ["variable", "blanket", "neighbour", "cause", "effect", "undecided", "other cause"]
    often = [(x, shares) for x, shares in stability.shares.items() if shares.blanket > 0]
    rows = [[x, *(f"{share:.0%}" for share in shares)] for x, shares in often]
    lines = [f"The standard error of a share is at most {100 * stability.standard_error:.0f} points."]
    if len(often) < len(stability.shares):
        lines.append(f"{len(stability.shares) - len(often)} others: never")
    head = f"{stability.target}: how often each comes back in {stability.n_samples:,} half-samples"
    return note(f"<p>{clean(head)}</p>", _table(heads, rows, heads[1:]), _small([*lines, *_stopped(stability)]))


def note_comparison(comparison: Comparison) -> str:
    """Write what several methods say, for a notebook."""
    n, agreement = len(comparison.methods), comparison.agreement
    rows = [
        [x, *(ROLES[role].short for role in said.values()), f"{agreement[x].blanket} of {n}"]
        for x, said in comparison.found.items()
    ]
    costs = [f"{r.n_tests:,}, {r.seconds * 1e3:,.1f} ms" for r in comparison.results.values()]
    rows = [*rows, ["tests or scores", *costs, ""]]
    heads = ["variable", *comparison.methods, "in blanket"]
    others = len(comparison.variables) - len(comparison.found)
    return note(
        f"<p>{clean(comparison.title)}</p>",
        note_table(heads, rows, numbers=["in blanket"]),
        _small([f"{others} others: in no blanket"] if others else []),
    )


def note_graph_stability(stability: GraphStability) -> str:
    """Write how often edges come back, for a notebook."""
    if not stability.n_samples:
        return note(f"<p>{clean(str(stability))}</p>")
    heads = ["from", "to", "edge", "→", "←", "undecided"]
    rows = [[*pair, *(f"{share:.0%}" for share in shares)] for pair, shares in stability.shares.items()]
    error = f"The standard error of a share is at most {100 * stability.standard_error:.0f} points."
    head = f"<p>How often each edge comes back in {stability.n_samples:,} half-samples</p>"
    return note(head, _table(heads, rows, heads[2:]), _small([error, *_stopped(stability)]))


def note_graph(graph: CausalGraph) -> str:
    """Write a whole graph for a notebook."""
    edges = f"{len(graph.nodes)} variables, {len(graph.directed) + len(graph.undirected)} edges ({graph.method})"
    degree = sorted(graph.nodes, key=lambda x: -len(graph.neighbours(x)))
    rows = [
        [x, ", ".join(graph.parents(x)), ", ".join(graph.children(x)), ", ".join(graph.undecided(x))]
        for x in degree
        if graph.neighbours(x)
    ]
    table = _table(["variable", "direct causes", "direct effects", "undecided"], rows, [])
    return note(
        f"<p>{clean(edges)}</p>",
        svg(layout_graph(graph), "whole", "The whole graph"),
        f"<details><summary>As a table</summary>{table}</details>" if rows else "",
        _small(_run(graph)),
        css=file("picture.css"),
    )


def _table(heads: list[str], rows: list[list[str]], numbers: list[str]) -> str:
    more = f"<p>and {len(rows) - _MOST} more</p>" if len(rows) > _MOST else ""
    return note_table(heads, rows[:_MOST], numbers=numbers) + more


def _small(lines: list[str]) -> str:
    return "".join(f"<p><small>{clean(line)}</small></p>" for line in lines)


def _run(answer: MarkovBlanket | CausalGraph) -> list[str]:
    """Say what an answer rests on."""
    rows = [] if answer.background is None else answer.background.say(answer.settings)
    return [*say_directions(answer), *rows, *_stopped(answer)]


def _stopped(answer: MarkovBlanket | Stability | CausalGraph | GraphStability) -> list[str]:
    return [] if answer.complete else ["stopped before the end"]
