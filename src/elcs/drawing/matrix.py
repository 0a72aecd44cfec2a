"""What several methods say about a variable, drawn by matplotlib: a row per variable, a column per method."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from elcs.answers.roles import ROLES
from elcs.drawing.plot import check_file, check_installed, write_figure
from elcs.drawing.style import QUIET, STYLES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from elcs.answers.comparison import Comparison

__all__ = ["plot", "save"]


def plot(comparison: Comparison, ax: Axes | None = None) -> Axes:
    """Draw a comparison into axes, or into a new figure as large as the picture needs; see `Comparison.plot`."""
    check_installed()
    if ax is None:
        from matplotlib import pyplot

        ax = pyplot.figure(figsize=_inches(comparison), layout="constrained").add_subplot()
    _draw(comparison, ax)
    return ax


def save(comparison: Comparison, file: str) -> None:
    """Draw a comparison into a file, whose ending gives the format."""
    check_file(file)
    from matplotlib.figure import Figure

    figure = Figure(figsize=_inches(comparison), layout="constrained")
    _draw(comparison, figure.add_subplot())
    write_figure(figure, file)


def _inches(comparison: Comparison) -> tuple[float, float]:
    longest = max(map(len, (*comparison.found, "variable")))
    wide = 0.08 * longest + max(0.55 * len(comparison.methods), 2.6) + 1.8
    return wide, 0.34 * max(len(comparison.found), 2) + 1.3 + 0.2 * len(_legend(comparison))


def _legend(comparison: Comparison) -> list[str]:
    """Return what the symbols mean, two to a line: the narrowest picture has room for no more."""
    used = {role for said in comparison.found.values() for role in said.values()} - {"other"}
    told = [f"{ROLES[role].symbol} {ROLES[role].words}" for role in ROLES if role in used]
    return ["    ".join(told[i : i + 2]) for i in range(0, len(told), 2)]


def _draw(comparison: Comparison, ax: Axes) -> None:
    from matplotlib.patches import Rectangle

    found, methods, agreement = comparison.found, comparison.methods, comparison.agreement
    font: dict[str, Any] = {"family": "DejaVu Sans", "parse_math": False, "ha": "center", "va": "center"}
    for row, (x, said) in enumerate(found.items()):
        for column, role in enumerate(said.values()):
            if role == "other":
                ax.text(column, row, ROLES[role].symbol, color=ROLES[role].outline, fontsize=9, **font)
                continue
            style = STYLES[role]
            corner = (column - 0.46, row - 0.42)
            ax.add_patch(Rectangle(corner, 0.92, 0.84, facecolor=style.fill, edgecolor=QUIET, linewidth=0.8))
            ax.text(column, row, ROLES[role].symbol, color=style.text, fontsize=11, fontweight="bold", **font)
        ax.text(len(methods) - 0.1, row, f"{agreement[x].blanket}/{len(methods)}", fontsize=8, color=QUIET, **font)
    if found:
        ax.text(len(methods) - 0.1, -0.7, "found by", fontsize=8, color=QUIET, **font)
    else:
        ax.text((len(methods) - 1) / 2, 0, "no method finds anything", fontsize=9, **font)
    ax.set(xlim=(-0.6, len(methods) + 0.4), ylim=(max(len(found), 1) - 0.4, -0.6))
    ax.set_xticks(range(len(methods)), methods, rotation=35, ha="left", rotation_mode="anchor", parse_math=False)
    ax.set_yticks(range(len(found)), list(found), parse_math=False)
    ax.tick_params(length=0, top=True, labeltop=True, bottom=False, labelbottom=False, labelsize=9)
    ax.spines[:].set_visible(False)
    ax.set_title(comparison.title, loc="left", fontsize=11, fontweight="bold", parse_math=False)
    ax.set_xlabel("\n".join(_legend(comparison)), fontsize=8, family="DejaVu Sans")
