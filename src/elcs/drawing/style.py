"""What each role looks like in a picture.

Outlines differ in shape and dashes as well as in colour, so that a print in grey shows as much.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from elcs.answers.roles import ROLES, Role

__all__ = ["INK", "LINE", "PALE", "QUIET", "STYLES", "WORDS", "Drawn", "Style", "paled"]

Drawn = Literal["target", "node", Role]

INK = "#1a1a1a"
QUIET = "#595959"
LINE = "#5f6670"
PALE = "#b3bac2"
"""Lines that do not come back in half of the half-samples."""


class Style(NamedTuple):
    """How a box is drawn.

    Attributes
    ----------
    fill, outline, text : str
        Colours.
    shape : str
        The corners of the box: "square", "round", "pill" or "cut".
    dashes : tuple of float
        Lengths of dashes and gaps of the outline; empty for a solid line.
    """

    fill: str
    outline: str
    text: str
    shape: Literal["square", "round", "pill", "cut"]
    dashes: tuple[float, ...] = ()


def _style(
    role: Role, shape: Literal["square", "round", "pill", "cut"], dashes: tuple[float, ...] = (), text: str = INK
) -> Style:
    return Style(ROLES[role].fill, ROLES[role].outline, text, shape, dashes)


STYLES: Mapping[Drawn, Style] = {
    "target": Style(INK, INK, "#ffffff", "round"),
    "node": Style("#eef2f6", LINE, INK, "round"),
    "parent": _style("parent", "square"),
    "child": _style("child", "pill", text="#ffffff"),
    "undirected": _style("undirected", "round", (5, 3)),
    "spouse": _style("spouse", "cut"),
    "member": _style("member", "round", (1.5, 2.5)),
}


def paled(style: Style) -> Style:
    """Return the style of a box that does not come back in half of the half-samples: an outline, hardly filled."""
    return style._replace(fill="#ffffff", text=INK)


WORDS: Mapping[Drawn, str] = {
    "target": "the target",
    "node": "a variable",
    **{role: named.words for role, named in ROLES.items()},
}
