"""A drawing as SVG, to be part of an HTML page."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

from elcs.drawing.picture import FONT, SMALL, Box, Drawing, Key, Link, Mark
from elcs.drawing.shapes import Path
from elcs.drawing.style import INK, LINE, QUIET, STYLES, Drawn

__all__ = ["svg", "swatch"]


def svg(
    drawing: Drawing, kind: str, title: str, told: Callable[[Box | Link], tuple[str, str]] = lambda drawn: ("", "")
) -> str:
    """Write a drawing in which each box and each link is a button.

    Parameters
    ----------
    drawing : Drawing
        What to write.
    kind, title : str
        The class of the element, and what it is called.
    told : callable
        Returns, for a box or a line, what it shows when it is chosen (the value of ``data-shows``) and its name.
    """
    parts = [
        f'<svg class="{kind}" viewBox="0 0 {drawing.width:.0f} {drawing.height:.0f}" width="{drawing.width:.0f}" '
        f'height="{drawing.height:.0f}" role="group" aria-label="{escape(title)}" '
        'font-family="system-ui, &quot;Segoe UI&quot;, Roboto, Arial, &quot;DejaVu Sans&quot;, sans-serif">'
    ]
    parts += [_button("link", *told(link), _link(link)) for link in drawing.links]
    parts += [_button("box", *told(box), _box(box)) for box in drawing.boxes]
    parts += [f'<g aria-hidden="true">{_key(key)}</g>' for key in drawing.keys]
    parts += [_text(c.x, c.y, c.text, SMALL, QUIET, anchor="middle") for c in drawing.captions]
    parts += [_mark(mark) for mark in drawing.marks]
    parts += [_text(w.x, w.y, w.text, w.size, w.colour, anchor=w.anchor, bold=w.bold) for w in drawing.words]
    return "\n".join([*parts, "</svg>"])


def swatch(role: Drawn) -> str:
    """Write a small box in the shape of a role."""
    drawn = _outline(Key(role, 13, 8, "").outline, role, 1.2) if role in STYLES else ""
    return f'<svg class="swatch" viewBox="0 0 26 16" width="26" height="16" aria-hidden="true">{drawn}</svg>'


def _button(kind: str, shows: str, name: str, drawn: str) -> str:
    return (
        f'<g class="{kind}" tabindex="0" role="button" aria-pressed="false" data-shows="{shows}" '
        f'aria-label="{escape(name)}">{drawn}</g>'
    )


def _link(link: Link) -> str:
    d = _d(link.path)
    head = ""
    if link.head is not None:
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in link.head)
        head = f'<polygon points="{points}" fill="{LINE}"/>'
    # The first path is invisible: it makes a thin line easy to hit.
    return (
        f'<path class="reach" d="{d}" fill="none" stroke="{LINE}" stroke-opacity="0" stroke-width="16"/>'
        f'<path d="{d}" fill="none" stroke="{LINE}" stroke-width="{link.width:.1f}"{_dashed(link.dashes)}/>{head}'
    )


def _box(box: Box) -> str:
    colour = STYLES[box.role].text
    bold = box.role == "target"
    lines = [_text(box.x, y, line, FONT, colour, anchor="middle", bold=bold) for y, line in box.middles]
    if box.label:
        lines.append(_text(box.x, box.label_at, box.label, SMALL, colour, anchor="middle"))
    return _outline(box.outline, box.role, 1.5) + "".join(lines)


def _mark(mark: Mark) -> str:
    d = _d(mark.path) + ("" if mark.fill is None else "Z")
    return f'<path d="{d}" fill="{mark.fill or "none"}" stroke="{mark.line}" stroke-width="{mark.width:g}"/>'


def _key(key: Key) -> str:
    if key.role is None:
        line = f'stroke="{LINE}" stroke-width="{key.width:g}"{_dashed(key.dashes)}'
        drawn = f'<path d="{_d(key.outline)}" {line}/>'
    else:
        drawn = _outline(key.outline, key.role, 1.2)
    return drawn + _text(key.text_at, key.y, key.text, SMALL, INK, anchor="start")


def _outline(path: Path, role: Drawn, width: float) -> str:
    style = STYLES[role]
    line = f'stroke="{style.outline}" stroke-width="{width}"{_dashed(style.dashes)}'
    return f'<path d="{_d(path)}Z" fill="{style.fill}" {line}/>'


def _dashed(dashes: tuple[float, ...]) -> str:
    return f' stroke-dasharray="{" ".join(map(str, dashes))}"' if dashes else ""


def _text(x: float, y: float, text: str, size: float, colour: str, *, anchor: str, bold: bool = False) -> str:
    style = f'font-size="{size:g}" fill="{colour}" text-anchor="{anchor}"' + (' font-weight="bold"' if bold else "")
    # The baseline of letters is 0.35 of the size below their middle; browsers differ in dominant-baseline.
    return f'<text x="{x:.1f}" y="{y + 0.35 * size:.1f}" {style}>{escape(text)}</text>'


def _d(path: Path) -> str:
    curves = ("C" + " ".join(f"{x:.1f},{y:.1f}" for x, y in curve) for curve in path.curves)
    return f"M{path.start[0]:.1f},{path.start[1]:.1f}" + "".join(curves)
