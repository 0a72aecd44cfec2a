"""Answers as a terminal shows them, and the files asked for."""

from __future__ import annotations

import sys
from json import dumps

import typer
from rich.table import Table
from rich.text import Text

import elcs
from elcs.answers.evidence import Evidence, say_p
from elcs.answers.roles import ROLES
from elcs.answers.steady import say_directions
from elcs.answers.written import what_was_asked
from elcs.cli.console import console
from elcs.writing import write_file

__all__ = ["STOPPED", "show", "show_graph", "side_by_side", "tell_if_stopped", "write"]

STOPPED = 3
"""The exit code of a run that was stopped before the end."""


def show(
    result: elcs.MarkovBlanket,
    *,
    json: str | None = None,
    dot: str | None = None,
    plot: str | None = None,
    html: str | None = None,
    explain: bool = False,
    stability: elcs.Stability | None = None,
    effects: elcs.Effects | None = None,
    quiet: bool = False,
) -> None:
    """Print a result and write the files asked for."""

    def as_json() -> str:
        more = {"stability": stability, "effects": effects}
        told = {name: answer.to_dict() for name, answer in more.items() if answer is not None}
        return dumps({**result.to_dict(), **told}, indent=2, ensure_ascii=False)

    part = result.part if isinstance(result, elcs.LocalStructure) else None
    for file, text in ((json, as_json), (dot, (part or result).to_dot)):
        if file is not None:
            write(file, text())
    if html is not None:
        result.save_html(html, stability=stability, effects=effects)
    if plot is not None:
        from elcs.drawing.layout import layout
        from elcs.drawing.plot import save

        save(layout(result, shares=None if stability is None else stability.in_role(result)), plot)
    if quiet or "-" in (json, dot):
        return
    console.print(as_table(result, stability) if console.is_terminal else str(result), markup=False)
    if stability is not None and not console.is_terminal:
        console.print(f"\n{stability}", markup=False)
    if effects is not None:
        console.print(f"\n{effects}", markup=False, highlight=False, soft_wrap=True)
    if part is not None:
        console.print(f"\n{part.listed()}", markup=False, highlight=False, soft_wrap=True)
    for disagreement in result.conflicts:
        console.print(disagreement.say(), markup=False)
    if explain:
        for name in result.markov_blanket:
            console.print(f"\n{result.explain(name)}", markup=False, soft_wrap=False)


def show_graph(
    graph: elcs.CausalGraph,
    *,
    json: str | None = None,
    dot: str | None = None,
    plot: str | None = None,
    html: str | None = None,
    explain: bool = False,
    stability: elcs.GraphStability | None = None,
    quiet: bool = False,
) -> None:
    """Print a whole graph and write the files asked for."""

    def as_json() -> str:
        told = {} if stability is None else {"stability": stability.to_dict()}
        return dumps({**graph.to_dict(), **told}, indent=2, ensure_ascii=False)

    for file, text in ((json, as_json), (dot, graph.to_dot)):
        if file is not None:
            write(file, text())
    if html is not None:
        graph.save_html(html, stability=stability)
    if plot is not None:
        from elcs.drawing.plot import save
        from elcs.drawing.whole import layout_graph

        save(layout_graph(graph, shares=None if stability is None else stability.of(graph)), plot)
    if quiet or "-" in (json, dot):
        return
    console.print(str(graph), markup=False, highlight=False, soft_wrap=True)
    if stability is not None:
        console.print(f"\n{stability}", markup=False, highlight=False, soft_wrap=True)
    for conflict in graph.conflicts:
        console.print(conflict.say(), markup=False)
    for edge in graph.edges if explain else ():
        console.print(f"\n{graph.explain(*edge)}", markup=False, soft_wrap=False)


def as_table(result: elcs.MarkovBlanket, stability: elcs.Stability | None = None) -> Table:
    """Lay a result out for a terminal."""
    title = Text(f"{result.target}  ({result.method})")  # as Text, because names are not markup
    table = Table(title=title, title_justify="left", min_width=40)
    tested = "ci_test" in result.settings
    for heading in ("variable", "what it is"):
        table.add_column(heading)
    correlated = any(evidence.correlation is not None for evidence in result.evidence.values())
    for heading in (*(["r"] if correlated else []), result.statistic, "p-value") if tested else ():
        table.add_column(heading, justify="right")
    for heading in () if stability is None else ("comes back", "in this role"):
        table.add_column(heading, justify="right")
    for name in result.markov_blanket:
        evidence = result.evidence[name]
        shared = ", ".join(evidence.shared_effects)
        told = f"other cause of {shared}" if shared else ROLES[evidence.role].words
        told += " (you said so)" if evidence.direction is not None and evidence.direction.said else ""
        style = f"bold {ROLES[evidence.role].colour}"
        numbers = numbers_of(evidence, correlated) if tested else ()
        table.add_row(Text(name, style=style), Text(told), *numbers, *come_back(name, evidence.role, stability))
    if not result.markov_blanket:
        settled = "nothing in the table is connected with it"
        table.add_row("-", settled if result.complete else "stopped before anything was settled")
    stopped = "" if result.complete else "; stopped before the end"
    asked = f"{result.n_tests:,} {what_was_asked(result.settings)}, {result.n_computed:,} computed"
    on = [] if result.background is None else result.background.say(result.settings)
    table.caption = "\n".join([*say_directions(result), *on, f"{asked}, {result.seconds * 1e3:,.1f} ms{stopped}"])
    if result.not_tested:
        table.caption += f"\nnot tested, for lack of rows: {', '.join(result.not_tested)}"
    if result.profile is not None and result.profile.dropped:
        table.caption += "\nleft out: " + "; ".join(f"{name} ({why})" for name, why in result.profile.dropped)
    table.caption_justify = "left"
    if stability is not None:
        table.caption += "\n" + in_half_samples(result, stability)
    return table


def side_by_side(found: elcs.Comparison) -> Table:
    """Lay a comparison out for a terminal."""
    n = len(found.methods)
    table = Table(title=Text(found.title), title_justify="left", show_footer=True)
    table.add_column("variable", footer="tests or scores\nms", no_wrap=True)
    for method, result in found.results.items():
        stopped = "" if result.complete else " (stopped)"
        cost = f"{result.n_tests:,}{stopped}\n{result.seconds * 1e3:,.1f}"
        table.add_column(Text(method), footer=Text(cost, style="dim"))
    table.add_column("in blanket", justify="right")
    table.add_column("same", justify="right")
    for x, said in found.found.items():
        agreement = found.agreement[x]
        cells = [Text(ROLES[role].short, style=ROLES[role].colour) for role in said.values()]
        table.add_row(Text(x, style="bold"), *cells, f"{agreement.blanket} of {n}", f"{agreement.same} of {n}")
    others = len(found.variables) - len(found.found)
    told = [f"{others} others: in no blanket"] if others else []
    if found.background is not None:
        told += found.background.say(*(result.settings for result in found.results.values()))
    table.caption, table.caption_justify = "\n".join(told) or None, "left"
    return table


def numbers_of(evidence: Evidence, correlated: bool) -> tuple[str, ...]:
    """Return the statistic and the p-value of the test that shows best why a variable is in the blanket.

    If correlations are known of some variables, that of the test comes first.
    """
    test = evidence.opened_by or evidence.association
    r = "" if test is None or test.correlation is None else f"{test.correlation:.2g}"
    told = ("", "")
    if test is not None:
        told = f"{test.result.statistic:.1f}", say_p(test.result.p_value) if test.result.reliable else "too few rows"
    return (r, *told) if correlated else told


def come_back(name: str, role: str, stability: elcs.Stability | None) -> tuple[str, ...]:
    """Say in how many half-samples a member of the blanket comes back, and in how many in the same role."""
    if stability is None:
        return ()
    shares = stability.shares[name]
    whatever = shares.neighbour if role in ("parent", "child", "undirected") else shares.blanket
    return f"{whatever:.0%}", f"{getattr(shares, role, whatever):.0%}"


def in_half_samples(result: elcs.MarkovBlanket, stability: elcs.Stability) -> str:
    """Say what the shares are, and what else half-samples find."""
    stopped = "" if stability.complete else "; stopped before the end"
    found = {x: shares.blanket for x, shares in stability.shares.items() if x not in result.markov_blanket}
    besides = ", ".join(f"{x} {share:.0%}" for x, share in found.items() if share >= 0.1)
    return (
        f"shares of {stability.n_samples} half-samples, standard error at most "
        f"{100 * stability.standard_error:.0f} points, {stability.seconds:.1f} s{stopped}"
    ) + (f"\nalso in the blanket of half-samples: {besides}" if besides else "")


def tell_if_stopped(complete: bool) -> None:
    """End with an exit code of its own if a limit or Ctrl-C stopped the run."""
    if not complete:
        raise typer.Exit(STOPPED)


def write(file: str, text: str) -> None:
    """Write a file; - is standard output, to which programs are told in UTF-8, whatever a terminal can show."""
    if file != "-":
        return write_file(file, text)
    if sys.stdout is None:
        raise elcs.ElcsError("cannot write to standard output: it is closed")
    sys.stdout.flush()
    sys.stdout.buffer.write(f"{text}\n".encode("utf-8", "backslashreplace"))
    return None
