"""The boxes in the picture of a result: what is written in each, how large it is, and where it goes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from elcs.drawing.choice import LEAST_FIRM, SEVERAL, widths_of
from elcs.drawing.grid import GAP, Size
from elcs.drawing.picture import FONT, LINE_HEIGHT, SMALL
from elcs.drawing.shapes import Point, head_half_width
from elcs.drawing.style import Drawn
from elcs.drawing.text import text_width, wrapped

if TYPE_CHECKING:
    from elcs.answers.blanket import MarkovBlanket

__all__ = ["LEAST_BOX", "PORTS", "Boxes"]

LEAST_BOX = 64.0
PORTS = 0.8
"""The part of a side at which lines end."""

_MOST_TEXT = 128.0
_PAD_X, _PAD_Y = 14.0, 10.0
_PLAIN_LINE = 1.8


class Boxes:
    """The boxes of the target and of what surrounds it; x = 0 is the middle.

    Parameters
    ----------
    result : MarkovBlanket
        What to draw.
    width : float
        How much room there is.
    shares : mapping of str to float
        How often variables come back.
    chosen : tuple of dict
        The role of each box, and for boxes that stand for several variables which these are.

    Attributes
    ----------
    sizes : dict of str to Size
        How large the boxes are.
    at : dict of str to point
        Where they go, once they are placed.
    """

    def __init__(
        self,
        result: MarkovBlanket,
        width: float,
        shares: Mapping[str, float],
        chosen: tuple[dict[str, Drawn], dict[str, tuple[str, ...]]],
    ) -> None:
        self.result, self.room, self.shares = result, width, shares
        self.roles, self.hidden = chosen
        self.stands_for = {name: box for box, names in self.hidden.items() for name in names}
        self.leanings = result.leanings
        self.known = result.from_knowledge
        text = min(_MOST_TEXT, (width - GAP) / 2 - 2 * _PAD_X)
        self.sizes = {name: self._size(name, text) for name in self.roles}
        self.widths = widths_of(result)
        arriving = sum(2 * head_half_width(self.line(x)) + 4 for x in self.named("parent"))
        leaving = sum(self.line(x) + 6 for x in self.named("child"))
        self.widen_target(width=min(max(arriving, leaving) / PORTS, 0.4 * width))
        self.at: dict[str, Point] = {}

    def line(self, name: str) -> float:
        """Return how wide the lines of a variable are."""
        return self.widths.get(name, _PLAIN_LINE)

    def named(self, role: Drawn) -> list[str]:
        """Return the variables of a role."""
        return [name for name, r in self.roles.items() if r == role]

    def _size(self, name: str, text: float) -> Size:
        bold = self.roles[name] == "target"
        told = f"{len(self.hidden[name])} more {SEVERAL[self.roles[name]]}" if name in self.hidden else name
        lines = wrapped(told, text, FONT, bold=bold, most_lines=5 if bold else 3)
        wide = [text_width(line, FONT, bold=bold) for line in lines]
        label = self.label(name)
        if label:
            wide.append(text_width(label, SMALL))
        width = max(LEAST_BOX, max(wide) + 2 * _PAD_X)
        height = LINE_HEIGHT * (len(lines) + bool(label)) + 2 * _PAD_Y
        return Size(lines, width, height)

    def label(self, name: str) -> str:
        """Return what is written below a name."""
        return f"{self.shares[name]:.0%}" if name in self.shares else ""

    def pale(self, name: str) -> bool:
        """Tell whether a variable comes back too seldom to be drawn firmly."""
        return self.shares.get(name, 1.0) < LEAST_FIRM

    def widen_target(self, width: float = 0.0, height: float = 0.0) -> None:
        """Make room for the ends of lines at the target."""
        target = self.result.target
        size = self.sizes[target]
        self.sizes[target] = size._replace(width=max(size.width, width), height=max(size.height, height))

    def shared(self, spouse: str) -> list[str]:
        """Return the boxes of the effects that a spouse shares with the target."""
        meant = set(self.hidden.get(spouse, (spouse,)))
        shared = (self.stands_for.get(y, y) for y, names in self.result.spouses.items() if meant.intersection(names))
        return [y for y in dict.fromkeys(shared) if self.roles.get(y) == "child"]

    def edge(self, name: str, side: int) -> float:
        """Return the y of the bottom (1) or the top (-1) of a box."""
        return self.at[name][1] + side * self.sizes[name].height / 2
