"""A drawing as SVG, to be part of an HTML page."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import NamedTuple

from elcs.drawing.picture import FONT, SMALL, Box, Drawing, Key, Link, Mark
from elcs.drawing.shapes import Path, Point
from elcs.drawing.style import INK, LINE, PALE, QUIET, STYLES, Drawn, paled

__all__ = ["Told", "svg", "swatch"]


class Told(NamedTuple):
    """What a box or a line says about itself.

    Attributes
    ----------
    shows : str
        The id of what is shown when it is chosen (``data-shows``).
    name : str
        What it is called.
    ends : str
        For a line, what its two ends show, separated by a space, if that is of use.
    href : str
        Where it leads, if it is a link and not a button.
    variable : str
        For a box, the variable it stands for, if that is of use (``data-name``).
    """

    shows: str
    name: str
    ends: str = ""
    href: str = ""
    variable: str = ""


_CLASSES = {INK: "ink", QUIET: "quiet"}
"""Classes of colours that depend on the ground; `picture.css` changes them where it is dark."""


def svg(drawing: Drawing, kind: str, title: str, told: Callable[[Box | Link], Told] | None = None) -> str:
    """Write a drawing, in which each box and each link is a button if it is told what these show.

    Parameters
    ----------
    drawing : Drawing
        What to write.
    kind, title : str
        The class of the element, and what it is called.
    told : callable
        Returns, for a box or a line, what it shows when it is chosen, and its name. Without it, the picture is only to
        be looked at.
    """
    role = "group" if told else "img"
    parts = [
        f'<svg class="{kind}" viewBox="0 0 {drawing.width:.0f} {drawing.height:.0f}" width="{drawing.width:.0f}" '
        f'height="{drawing.height:.0f}" role="{role}" aria-label="{escape(title)}" '
        'font-family="system-ui, &quot;Segoe UI&quot;, Roboto, Arial, &quot;DejaVu Sans&quot;, sans-serif">'
    ]
    parts += [_drawn("link", _link(link), told and told(link)) for link in drawing.links]
    parts += [_drawn("box", _box(box), told and told(box)) for box in drawing.boxes]
    parts += [f'<g aria-hidden="true">{_key(key)}</g>' for key in drawing.keys]
    parts += [_text(c.x, c.y, c.text, SMALL, QUIET, anchor="middle") for c in drawing.captions]
    parts += [_mark(mark) for mark in drawing.marks]
    parts += [_text(w.x, w.y, w.text, w.size, w.colour, anchor=w.anchor, bold=w.bold) for w in drawing.words]
    return "\n".join([*parts, "</svg>"])


def swatch(role: Drawn) -> str:
    """Write a small box in the shape of a role."""
    drawn = _outline(Key(role, 13, 8, "").outline, role, 1.2) if role in STYLES else ""
    return f'<svg class="swatch" viewBox="0 0 26 16" width="26" height="16" aria-hidden="true">{drawn}</svg>'


def _drawn(kind: str, drawn: str, told: Told | None) -> str:
    if told is None:
        return f'<g class="{kind}">{drawn}</g>'
    ends = f' data-ends="{told.ends}"' if told.ends else ""
    ends += f' data-name="{escape(told.variable)}"' if told.variable else ""
    shows = f'data-shows="{told.shows}"{ends} aria-label="{escape(told.name)}"'
    if told.href:
        return f'<a class="{kind}" href="{escape(told.href)}" {shows}>{drawn}</a>'
    return f'<g class="{kind}" tabindex="0" role="button" aria-pressed="false" {shows}>{drawn}</g>'


def _link(link: Link) -> str:
    d = _d(link.path)
    kind = "pale" if link.pale else "line"
    # The first path is invisible: it makes a thin line easy to hit.
    return (
        f'<path class="reach" d="{d}" fill="none" stroke="{LINE}" stroke-opacity="0" stroke-width="16"/>'
        + _stroke(d, kind, link.width, link.dashes)
        + ("" if link.head is None else _head(link.head, kind, hollow=link.line == "leaning"))
    )


def _stroke(d: str, kind: str, width: float, dashes: tuple[float, ...]) -> str:
    colour = PALE if kind == "pale" else LINE
    return f'<path class="{kind}" d="{d}" fill="none" stroke="{colour}" stroke-width="{width:.1f}"{_dashed(dashes)}/>'


def _head(corners: tuple[Point, Point, Point], kind: str, *, hollow: bool) -> str:
    colour = PALE if kind == "pale" else LINE
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
    fill = "#ffffff" if hollow else colour
    return (
        f'<polygon class="{"hollow " if hollow else ""}{kind}" points="{points}" fill="{fill}" stroke="{colour}" '
        f'stroke-width="{1.4 if hollow else 0}"/>'
    )


def _box(box: Box) -> str:
    colour = (paled(STYLES[box.role]) if box.pale else STYLES[box.role]).text
    bold = box.role == "target"
    lines = [_text(box.x, y, line, FONT, colour, anchor="middle", bold=bold) for y, line in box.middles]
    if box.label:
        lines.append(_text(box.x, box.label_at, box.label, SMALL, colour, anchor="middle"))
    return _outline(box.outline, box.role, 1.5, pale=box.pale) + "".join(lines)


def _mark(mark: Mark) -> str:
    d = _d(mark.path) + ("" if mark.fill is None else "Z")
    kind = f' class="{_CLASSES[mark.line]}-line"' if mark.line in _CLASSES else ""
    return f'<path{kind} d="{d}" fill="{mark.fill or "none"}" stroke="{mark.line}" stroke-width="{mark.width:g}"/>'


def _key(key: Key) -> str:
    if key.role is not None:
        drawn = _outline(key.outline, key.role, 1.2)
    elif key.shows is None:
        drawn = ""
    else:
        kind = "pale" if key.shows == "pale" else "line"
        drawn = _stroke(_d(key.outline), kind, key.width, key.dashes)
        drawn += "" if key.head is None else _head(key.head, kind, hollow=True)
    return drawn + _text(key.text_at, key.y, key.text, SMALL, INK, anchor="start")


def _outline(path: Path, role: Drawn, width: float, *, pale: bool = False) -> str:
    style = paled(STYLES[role]) if pale else STYLES[role]
    kind = f"{role} faint" if pale else role
    line = f'stroke="{style.outline}" stroke-width="{width}"{_dashed(style.dashes)}'
    return f'<path class="{kind}" d="{_d(path)}Z" fill="{style.fill}" {line}/>'


def _dashed(dashes: tuple[float, ...]) -> str:
    return f' stroke-dasharray="{" ".join(map(str, dashes))}"' if dashes else ""


def _text(x: float, y: float, text: str, size: float, colour: str, *, anchor: str, bold: bool = False) -> str:
    style = f'font-size="{size:g}" fill="{colour}" text-anchor="{anchor}"' + (' font-weight="bold"' if bold else "")
    style += f' class="{_CLASSES[colour]}"' if colour in _CLASSES else ""
    # The baseline of letters is 0.35 of the size below their middle; browsers differ in dominant-baseline.
    return f'<text x="{x:.1f}" y="{y + 0.35 * size:.1f}" {style}>{escape(text)}</text>'


def _d(path: Path) -> str:
    curves = ("C" + " ".join(f"{x:.1f},{y:.1f}" for x, y in curve) for curve in path.curves)
    return f"M{path.start[0]:.1f},{path.start[1]:.1f}" + "".join(curves)
