"""What each role looks like, and what it is called.

The colours are those of Okabe and Ito, which colour-blind people tell apart. The fills differ in lightness and the
outlines in shape and dashes as well, so that a print in grey tells as much.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from elcs.evidence import Role

__all__ = ["INK", "LINE", "QUIET", "STYLES", "WORDS", "Drawn", "Style"]

Drawn = Literal["target", Role]

INK = "#1a1a1a"
QUIET = "#595959"
LINE = "#5f6670"


class Style(NamedTuple):
    """How a box is drawn.

    Attributes
    ----------
    fill, outline, text : str
        Colours.
    shape : str
        The corners of the box: "square", "round", "pill" or "cut".
    dashes : tuple of float
        Lengths of dashes and gaps of the outline; empty for a line.
    """

    fill: str
    outline: str
    text: str
    shape: Literal["square", "round", "pill", "cut"]
    dashes: tuple[float, ...] = ()


STYLES: Mapping[Drawn, Style] = {
    "target": Style("#1a1a1a", "#1a1a1a", "#ffffff", "round"),
    "parent": Style("#f2b632", "#7a5200", INK, "square"),
    "child": Style("#0072b2", "#00476f", "#ffffff", "pill"),
    "undirected": Style("#ffffff", "#1a1a1a", INK, "round", (5, 3)),
    "spouse": Style("#f3d9e7", "#a3487a", INK, "cut"),
    "member": Style("#e6e6e6", "#595959", INK, "round", (1.5, 2.5)),
}

WORDS: Mapping[Drawn, str] = {
    "target": "the target",
    "parent": "direct cause",
    "child": "direct effect",
    "undirected": "cause or effect, undecided",
    "spouse": "other cause of an effect",
    "member": "in the blanket",
    "other": "not in the blanket",
}
