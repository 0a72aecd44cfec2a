"""A result drawn by matplotlib."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path as File
from typing import TYPE_CHECKING, Any

from elcs.drawing.layout import layout
from elcs.drawing.picture import FONT, SMALL, Drawing, Key, Link
from elcs.drawing.shapes import Path, Point
from elcs.drawing.style import INK, LINE, PALE, QUIET, STYLES, Style, paled
from elcs.errors import ElcsError
from elcs.writing import write_with

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.path import Path as Outline

    from elcs.answers.blanket import MarkovBlanket

__all__ = [
    "ENDINGS",
    "axes_for",
    "check_file",
    "check_installed",
    "draw",
    "inches",
    "plot",
    "plot_drawing",
    "save",
    "width_of",
    "write_figure",
]

ENDINGS = (".png", ".svg", ".pdf")
_PIXELS_PER_INCH = 96
_LEAST = 336


def plot(result: MarkovBlanket, ax: Axes | None = None, *, shares: Mapping[str, float] | None = None) -> Axes:
    """Draw a result into axes, or into a new figure as large as the picture needs; see `MarkovBlanket.plot`."""
    check_installed()
    if ax is None:
        drawing = layout(result, shares=shares)
        ax = axes_for(drawing)
    else:
        size = ax.get_window_extent()
        pixels = _PIXELS_PER_INCH / ax.get_figure(root=True).dpi  # type: ignore[union-attr]
        wide, tall = size.width * pixels, size.height * pixels
        tried = [layout(result, width=max(wide * by, _LEAST), shares=shares) for by in (1, 1.4, 2, 3, 4.5)]
        drawing = max(tried, key=lambda d: min(wide / d.width, tall / d.height))  # the one that can be drawn largest
    draw(drawing, ax)
    return ax


def plot_drawing(drawing: Drawing, ax: Axes | None = None) -> Axes:
    """Draw a picture that is laid out already into axes, or into a new figure as large as it needs."""
    ax = axes_for(drawing) if ax is None else ax
    draw(drawing, ax)
    return ax


def save(drawing: Drawing, file: str) -> None:
    """Draw a picture into a file, whose ending gives the format."""
    check_file(file)
    from matplotlib.figure import Figure

    figure = Figure(figsize=inches(drawing))
    draw(drawing, figure.add_axes((0, 0, 1, 1)))
    write_figure(figure, file)


def write_figure(figure: Figure, file: str) -> None:
    """Write a figure, at twice the resolution of a screen."""
    write_with(file, lambda beside: figure.savefig(beside, dpi=2 * _PIXELS_PER_INCH))


def check_file(file: str) -> None:
    """Refuse, before anything is learnt, a file that could not be written in the end."""
    if File(file).suffix.lower() not in ENDINGS:
        raise ElcsError(f"a picture can be written to a file that ends in {', '.join(ENDINGS)}, not to {file!r}")
    check_installed()


def check_installed() -> None:
    """Refuse to draw without matplotlib."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise ElcsError('drawing needs matplotlib; pip install "elcs[plot]"') from None


def axes_for(drawing: Drawing) -> Axes:
    """Return the axes of a new figure as large as a drawing needs."""
    from matplotlib import pyplot

    return pyplot.figure(figsize=inches(drawing)).add_axes((0, 0, 1, 1))


def width_of(ax: Axes) -> float:
    """Return the width of axes, in the pixels of a drawing."""
    return float(ax.get_window_extent().width * _PIXELS_PER_INCH / ax.get_figure(root=True).dpi)  # type: ignore[union-attr]


def inches(drawing: Drawing) -> tuple[float, float]:
    """Return the size of a drawing."""
    return drawing.width / _PIXELS_PER_INCH, drawing.height / _PIXELS_PER_INCH


def draw(drawing: Drawing, ax: Axes) -> None:
    """Draw a picture into axes."""
    import matplotlib as mpl
    from matplotlib.patches import PathPatch, Polygon

    # The widths of names were computed for this font; the others are for characters that it does not have.
    words: dict[str, Any] = {
        "family": ["DejaVu Sans", *mpl.rcParams["font.family"]],
        "parse_math": False,
        "usetex": False,
        "va": "center_baseline",
    }
    ax.set(xlim=(0, drawing.width), ylim=(drawing.height, 0), aspect="equal")
    ax.set_axis_off()
    scaled: list[tuple[Any, float]] = []  # what is measured in points, with its size at full scale

    def outlined(path: Path, width: float, **style: Any) -> None:
        patch = PathPatch(_outline(path), capstyle="butt", joinstyle="miter", **style)
        scaled.append((ax.add_patch(patch).set_linewidth, width))

    def written(x: float, y: float, text: str, size: float, **style: Any) -> None:
        scaled.append((ax.text(x, y, text, **words, **style).set_fontsize, size))

    def headed(head: tuple[Point, Point, Point], colour: str, *, hollow: bool) -> None:
        edge = {"facecolor": "white", "edgecolor": colour} if hollow else {"facecolor": colour, "edgecolor": "none"}
        patch = ax.add_patch(Polygon(head, closed=True, joinstyle="miter", zorder=1.5, **edge))
        scaled.append((patch.set_linewidth, 1.4 if hollow else 0.0))

    def boxed(path: Path, width: float, style: Style, **more: Any) -> None:
        line = (0, style.dashes) if style.dashes else "solid"
        outlined(path, width, facecolor=style.fill, edgecolor=style.outline, linestyle=line, **more)

    for link in drawing.links:
        colour = PALE if link.pale else LINE
        outlined(link.path, link.width, fill=False, edgecolor=colour, linestyle=_dashed(link), zorder=1)
        if link.head is not None:
            headed(link.head, colour, hollow=link.line == "leaning")
    for box in drawing.boxes:
        style = paled(STYLES[box.role]) if box.pale else STYLES[box.role]
        boxed(box.outline, 1.5, style, zorder=2)
        weight = "bold" if box.role == "target" else "normal"
        for y, text in box.middles:
            written(box.x, y, text, FONT, ha="center", color=style.text, weight=weight, zorder=3)
        if box.label:
            written(box.x, box.label_at, box.label, SMALL, ha="center", color=style.text, zorder=3)
    for key in drawing.keys:
        if key.role is not None:
            boxed(key.outline, 1.2, STYLES[key.role])
        elif key.shows is not None:
            colour = PALE if key.shows == "pale" else LINE
            outlined(key.outline, key.width, fill=False, edgecolor=colour, linestyle=_dashed(key))
            if key.head is not None:
                headed(key.head, colour, hollow=True)
        written(key.text_at, key.y, key.text, SMALL, ha="left", color=INK)
    for caption in drawing.captions:
        written(caption.x, caption.y, caption.text, SMALL, ha="center", color=QUIET)

    for mark in drawing.marks:
        filled: dict[str, Any] = {"fill": False} if mark.fill is None else {"facecolor": mark.fill}
        outlined(mark.path, mark.width, edgecolor=mark.line, **filled)
    sides = {"start": "left", "middle": "center", "end": "right"}
    for w in drawing.words:
        weight = "bold" if w.bold else "normal"
        written(w.x, w.y, w.text, w.size, ha=sides[w.anchor], color=w.colour, weight=weight, zorder=3)

    def fit(_: object = None) -> None:
        """Scale text and lines with the boxes; a window may be resized."""
        ax.apply_aspect()
        pixels = ax.get_window_extent().width / drawing.width
        scale = pixels * 72 / ax.get_figure(root=True).dpi  # type: ignore[union-attr]
        for resize, size in scaled:
            resize(size * scale)

    fit()
    ax.get_figure(root=True).canvas.mpl_connect("resize_event", fit)  # type: ignore[union-attr]


def _dashed(line: Link | Key) -> Any:
    """Return the dashes of a line as matplotlib has them: in multiples of its width."""
    return (0, [length / line.width for length in line.dashes]) if line.dashes else "solid"


def _outline(path: Path) -> Outline:
    from matplotlib.path import Path as Outline

    points = [path.start, *(point for curve in path.curves for point in curve)]
    codes = [Outline.MOVETO, *[Outline.CURVE4] * (len(points) - 1)]
    if path.start == path.end:
        points.append(path.start)
        codes.append(Outline.CLOSEPOLY)
    return Outline(points, codes)
