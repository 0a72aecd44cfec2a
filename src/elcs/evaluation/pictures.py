"""Drawings for a benchmark's report: accuracy against tests, and time against the number of variables."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from elcs.evaluation.journal import Cell, Record
from elcs.evaluation.paper import NETWORKS
from elcs.evaluation.summary import Summary

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["pictures"]

# The metrics that methods are judged by, and what they are called.
_ACCURACY = {"cpdag ArrR": "recall of the edges of the CPDAG", "F1": "F1 of the blanket"}
_MARKERS = "osD^vP*X<>+x1"
_COLUMNS = 4


def pictures(records: Mapping[Cell, Record]) -> list[str]:
    """Return the drawings as SVG, two for local structures and two for blankets; none if matplotlib is missing."""
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError:
        return []
    summary = Summary(records)
    drawn = []
    with mpl.rc_context({"svg.fonttype": "none", "font.size": 9}):
        for metric in _ACCURACY:
            for draw in (draw_accuracy, draw_time):
                figure = Figure(layout="constrained")
                if draw(figure, summary, metric):
                    text = io.StringIO()
                    figure.savefig(text, format="svg", metadata={"Date": None})
                    drawn.append(text.getvalue()[text.getvalue().index("<svg") :])
    return drawn


def draw_accuracy(figure: Figure, summary: Summary, metric: str) -> bool:
    """Draw how good the answers are against how many tests they took: a panel per data set, a mark per method."""
    from matplotlib.ticker import LogLocator, StrMethodFormatter

    methods = _methods(summary, metric)
    panels = list(dict.fromkeys((network, samples) for m, network, samples in summary.series if m in methods))
    if not panels:
        return False
    rows = math.ceil(len(panels) / _COLUMNS)
    figure.set_size_inches(11, 2.3 * rows + 0.22 * math.ceil(len(methods) / 6) + 0.6)
    axes = figure.subplots(rows, _COLUMNS, squeeze=False, sharex=True, sharey=True).ravel()
    for panel, (network, samples) in zip(axes, panels, strict=False):
        for i, method in enumerate(methods):
            score = summary.figure(method, network, samples, metric)
            tests = summary.figure(method, network, samples, "CI tests")
            if score and tests:
                panel.plot([tests.mean], [score.mean], **_style(i), linestyle="")
        panel.set_title(f"{NETWORKS.get(network, network)}, {samples:,} rows", fontsize=9)
        panel.set_xscale("log")
        panel.xaxis.set_major_locator(LogLocator())
        panel.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
        panel.minorticks_off()
        panel.grid(alpha=0.3)
    for panel in axes[len(panels) :]:
        panel.set_visible(False)
    figure.supxlabel("tests per target")
    figure.supylabel(_ACCURACY[metric])
    _legend(figure, axes[0], methods)
    return True


def draw_time(figure: Figure, summary: Summary, metric: str) -> bool:
    """Draw CPU time per target against the number of variables, a panel per number of rows, a line per method."""
    methods = _methods(summary, metric)
    sizes = sorted({samples for m, _, samples in summary.series if m in methods})
    if not sizes:
        return False
    figure.set_size_inches(5.5 * len(sizes), 4.2 + 0.22 * math.ceil(len(methods) / 6))
    axes = figure.subplots(1, len(sizes), squeeze=False, sharey=True).ravel()
    networks = sorted(summary.variables, key=summary.variables.__getitem__)
    for panel, samples in zip(axes, sizes, strict=True):
        for i, method in enumerate(methods):
            times = [(summary.variables[n], summary.figure(method, n, samples, "Time")) for n in networks]
            known = [(n, time.mean) for n, time in times if time]
            panel.plot([n for n, _ in known], [t for _, t in known], **_style(i), linewidth=0.8)
        panel.set(title=f"{samples:,} rows", xscale="log", yscale="log", xlabel="variables")
        ticks = sorted({summary.variables[n] for n in networks})
        panel.set_xticks(ticks, [str(n) for n in ticks], rotation=45)
        panel.minorticks_off()
        panel.grid(alpha=0.3)
    axes[0].set_ylabel("CPU seconds per target")
    _legend(figure, axes[0], methods)
    return True


def _methods(summary: Summary, metric: str) -> list[str]:
    """Return the methods that are judged by this metric."""
    judged = (method for method, network, size in summary.series if summary.figure(method, network, size, metric))
    return sorted(dict.fromkeys(judged))


def _style(i: int) -> dict[str, Any]:
    return {"marker": _MARKERS[i % len(_MARKERS)], "color": f"C{i % 10}", "markersize": 5}


def _legend(figure: Figure, panel: Axes, methods: list[str]) -> None:
    handles = [panel.plot([], [], **_style(i), linestyle="", label=method)[0] for i, method in enumerate(methods)]
    figure.legend(handles=handles, loc="outside upper center", ncols=min(6, len(methods)), frameon=False)
