"""A benchmark's report: the paper's tables, with our figures and the paper's side by side, as Markdown and as HTML."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isclose

from elcs.evaluation.journal import Cell, Record
from elcs.evaluation.metrics import LocalScores
from elcs.evaluation.paper import LARGER_IS_BETTER, NETWORKS, TABLES, Figure, PaperTable, published
from elcs.evaluation.summary import Summary, verdict

__all__ = ["Block", "blocks", "to_html", "to_markdown"]

LEGEND = (
    "Ours, mean ± standard deviation over data sets; in brackets the paper's figure. = within one standard deviation, "
    "~ within two, + better, - worse. Bold: the best of a column. Time: CPU seconds per target, one thread, cache cold "
    "(the paper's on another machine, in another language). A dash: given up at the limit, here or with fewer rows. "
    "Not run: a package that the method needs is not installed."
)
_IDENTIFIABLE = ("cpdag ArrP", "cpdag ArrR", "cpdag SHD", "cpdag FDR")


@dataclass(frozen=True)
class Block:
    """One network's part of a table: a head, and a row of cells per method."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    bold: frozenset[tuple[int, int]]


def blocks(
    records: Mapping[Cell, Record],
    tables: Sequence[PaperTable] = tuple(TABLES.values()),
    ceilings: Callable[[str, int], LocalScores | None] = lambda network, samples: None,
    origin: Callable[[str, int], str] = lambda network, samples: "",
) -> list[tuple[PaperTable, list[Block]]]:
    """Lay the figures out as the paper's tables; parts without any figure are left out.

    Parameters
    ----------
    records : mapping
        The finished cells.
    tables : sequence of PaperTable
        Which tables.
    ceilings : callable
        The best scores that observations allow on the data sets of a network and size, if known.
    origin : callable
        Where these data sets come from, in a word or two.
    """
    summary = Summary(records)
    laid_out = []
    for table in tables:
        rows = table.samples
        parts = [
            _block(summary, table, network, ceilings(network, rows), origin(network, rows))
            for network in summary.variables
        ]
        if any(part.rows for part in parts):
            laid_out.append((table, [part for part in parts if part.rows]))
    return laid_out


def _block(summary: Summary, table: PaperTable, network: str, best: LocalScores | None, origin: str) -> Block:
    local = table.metrics[0] == "ArrP"
    metrics = (*table.metrics, *(_IDENTIFIABLE if local else ()))
    methods = [
        method
        for method in table.methods
        if summary.figure(method, network, table.samples, table.metrics[0])
        or summary.gave_up(method, network, table.samples)
        or summary.missing(method, network, table.samples)
    ]
    rows = [(method, *(_cell(summary, table, network, method, m) for m in metrics)) for method in methods]
    bold = _best(summary, table, network, methods, metrics)
    if rows and local and best is not None:
        rows.append(("ceiling", *(f"{x:.3f}" for x in best), *("" for _ in metrics[4:])))
    n_sets = summary.n_sets(network, table.samples)
    told = [f"{summary.variables[network]} variables", f"{n_sets} data set{'s' * (n_sets != 1)}", origin]
    title = f"{NETWORKS.get(network, network)} ({', '.join(part for part in told if part)})"
    head = ("method", *(m.replace("cpdag", "CPDAG") for m in metrics))
    return Block(title, head, tuple(rows), bold)


def _cell(summary: Summary, table: PaperTable, network: str, method: str, metric: str) -> str:
    ours = summary.figure(method, network, table.samples, metric)
    if ours is None:
        return "not run" if summary.missing(method, network, table.samples) else "-"
    text = _number(ours)
    theirs = published(table, network, method, metric)
    if theirs is None:
        return text
    sign = "" if metric == "Time" else f" {verdict(metric, ours, theirs)}"
    return f"{text} ({_number(theirs)}){sign}"


def _number(figure: Figure) -> str:
    if abs(figure.mean) >= 100:
        return f"{figure.mean:,.0f} ± {figure.std:,.0f}"
    digits = 5 if 0 < abs(figure.mean) < 0.001 else 4 if 0 < abs(figure.mean) < 0.01 else 2
    return f"{figure.mean:.{digits}f} ± {figure.std:.{digits}f}"


def _best(
    summary: Summary, table: PaperTable, network: str, methods: Sequence[str], metrics: Sequence[str]
) -> frozenset[tuple[int, int]]:
    """Return the places, row and column, of the best figures, equal ones included."""
    best = set()
    for column, metric in enumerate(metrics, start=1):
        figures = [summary.figure(method, network, table.samples, metric) for method in methods]
        known = [figure.mean for figure in figures if figure is not None]
        if not known:
            continue
        top = max(known) if metric.removeprefix("cpdag ") in LARGER_IS_BETTER else min(known)
        equal = [figure is not None and isclose(figure.mean, top, rel_tol=1e-4) for figure in figures]
        best |= {(row, column) for row, is_best in enumerate(equal) if is_best}
    return frozenset(best)


def to_markdown(laid_out: Iterable[tuple[PaperTable, list[Block]]]) -> str:
    """Write the tables as Markdown."""
    lines = [LEGEND, ""]
    for table, parts in laid_out:
        lines += [f"## {table.title}", ""]
        for part in parts:
            lines += [f"### {part.title}", "", _markdown_row(part.head), _markdown_row(["---"] * len(part.head))]
            for i, row in enumerate(part.rows):
                lines.append(_markdown_row(f"**{c}**" if (i, j) in part.bold else c for j, c in enumerate(row)))
            lines.append("")
    return "\n".join(lines)


def _markdown_row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def to_html(laid_out: Iterable[tuple[PaperTable, list[Block]]], *, pictures: Sequence[str] = ()) -> str:
    """Write the tables as one self-contained page; `pictures` are SVG drawings to show first."""
    body = [f"<p>{html.escape(LEGEND)}</p>", *(f"<figure>{svg}</figure>" for svg in pictures)]
    for table, parts in laid_out:
        body.append(f"<h2>{html.escape(table.title)}</h2>")
        for part in parts:
            head = "".join(f"<th>{html.escape(cell)}</th>" for cell in part.head)
            rows = "".join(
                "<tr>" + "".join(_html_cell(c, (i, j) in part.bold) for j, c in enumerate(row)) + "</tr>"
                for i, row in enumerate(part.rows)
            )
            body.append(f"<h3>{html.escape(part.title)}</h3><table><thead><tr>{head}</tr></thead>{rows}</table>")
    return _PAGE.replace("BODY", "\n".join(body))


def _html_cell(text: str, bold: bool) -> str:
    shown = html.escape(text)
    return f"<td><strong>{shown}</strong></td>" if bold else f"<td>{shown}</td>"


_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>elcs benchmark</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 90rem; padding: 0 1rem; color: #222; }
table { border-collapse: collapse; display: block; overflow-x: auto; margin-bottom: 1.5rem; }
th, td { border-bottom: 1px solid #ddd; padding: .3rem .7rem; text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
tr:hover td { background: #f6f6f6; }
figure { display: inline-block; margin: 0 1rem 1rem 0; } figure svg { max-width: 100%; height: auto; }
</style></head><body><h1>elcs benchmark</h1>
BODY
</body></html>
"""
