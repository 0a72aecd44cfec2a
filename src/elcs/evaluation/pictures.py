"""Two drawings for a benchmark's report: accuracy against tests, and time against the number of variables."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from elcs.evaluation.journal import Cell, Record
from elcs.evaluation.summary import Summary

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["pictures"]

_MARKERS = "osD^vP*X<>hp"


def pictures(records: Mapping[Cell, Record]) -> list[str]:
    """Return the drawings as SVG; none if matplotlib is not installed."""
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError:
        return []
    summary = Summary(records)
    drawn = []
    with mpl.rc_context({"svg.fonttype": "none", "font.size": 9}):
        for draw in (_accuracy, _time):
            figure = Figure(figsize=(7, 4.2), layout="constrained")
            if draw(figure.subplots(), summary):
                text = io.StringIO()
                figure.savefig(text, format="svg", metadata={"Date": None})
                drawn.append(text.getvalue()[text.getvalue().index("<svg") :])
    return drawn


def _accuracy(axes: Axes, summary: Summary) -> bool:
    """Draw how good the answers are against how many tests they took: one mark per network and method."""
    points: dict[str, list[tuple[float, float]]] = {}
    for method, network, samples in summary.series:
        score = summary.figure(method, network, samples, "cpdag ArrR") or summary.figure(method, network, samples, "F1")
        tests = summary.figure(method, network, samples, "CI tests")
        if score and tests:
            points.setdefault(method, []).append((tests.mean, score.mean))
    axes.set(xscale="log", xlabel="tests per target", ylabel="F1 of the blanket, or recall of arrows in the CPDAG")
    return _marks(axes, points, lines=False)


def _time(axes: Axes, summary: Summary) -> bool:
    """Draw CPU time per target against the number of variables."""
    points: dict[str, list[tuple[float, float]]] = {}
    for method, network, samples in summary.series:
        cpu = summary.figure(method, network, samples, "Time")
        if cpu:
            points.setdefault(method, []).append((summary.variables[network], cpu.mean))
    axes.set(xscale="log", yscale="log", xlabel="variables", ylabel="CPU seconds per target")
    return _marks(axes, points, lines=True)


def _marks(axes: Axes, points: Mapping[str, Any], *, lines: bool) -> bool:
    for i, (method, marks) in enumerate(points.items()):
        x, y = zip(*sorted(marks), strict=True)
        style = "-" if lines else ""
        axes.plot(x, y, linestyle=style, marker=_MARKERS[i % len(_MARKERS)], label=method, markersize=5, linewidth=0.8)
    if points:
        axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
        axes.grid(alpha=0.3)
    return bool(points)
