"""What a picture is made of: boxes, links, a legend and captions, in pixels of 1/96 inch; y grows downwards."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from elcs.drawing.shapes import Path, Point, chain, outline, straight
from elcs.drawing.style import STYLES, Drawn

__all__ = ["FONT", "LINE_HEIGHT", "SMALL", "SWATCH", "Box", "Caption", "Drawing", "Key", "Link", "Mark", "Words"]

FONT = 13.0
SMALL = 11.0
LINE_HEIGHT = 16.0
SWATCH = 24.0


def dashes_of(width: float) -> tuple[float, float]:
    """Return the lengths of dashes and gaps of a line that comes from what somebody said."""
    return round(3.0 + 1.5 * width, 1), round(2.0 + width, 1)


@dataclass(frozen=True)
class Box:
    """A variable.

    Attributes
    ----------
    name, role : str
        Which variable, and what it is to the target.
    x, y : float
        Its centre.
    width, height : float
        Its size.
    lines : tuple of str
        The name as it is shown.
    label : str
        The text below the name; may be empty.
    """

    name: str
    role: Drawn
    x: float
    y: float
    width: float
    height: float
    lines: tuple[str, ...]
    label: str = ""

    @property
    def outline(self) -> Path:
        """Its outline, in the shape of its role."""
        return outline(self.x, self.y, self.width, self.height, STYLES[self.role].shape)

    @property
    def middles(self) -> list[tuple[float, str]]:
        """The vertical middle of each line of the name."""
        above = LINE_HEIGHT * (len(self.lines) + bool(self.label)) / 2
        return [(self.y - above + LINE_HEIGHT * (i + 0.5), line) for i, line in enumerate(self.lines)]

    @property
    def label_at(self) -> float:
        """The vertical middle of the label."""
        return self.y + LINE_HEIGHT * len(self.lines) / 2


@dataclass(frozen=True)
class Link:
    """An edge.

    Attributes
    ----------
    start, end : str
        The variables it connects; if it has a direction, the cause and the effect.
    variable : str
        The one of the two whose evidence is about the edge.
    path : Path
        The line.
    width : float
        Its width: the stronger the association, the wider.
    head : three points or None
        The arrow head; None for an edge without direction.
    known : bool
        Whether it comes from what somebody said; such lines are dashed.
    """

    start: str
    end: str
    variable: str
    path: Path
    width: float
    head: tuple[Point, Point, Point] | None
    known: bool = False

    @property
    def dashes(self) -> tuple[float, ...]:
        """The dashes of the line; none if it is solid."""
        return dashes_of(self.width) if self.known else ()

    def moved(self, dx: float, dy: float) -> Link:
        """Return the same link, moved."""

        def move(p: Point) -> Point:
            return p[0] + dx, p[1] + dy

        curves = tuple((move(a), move(b), move(c)) for a, b, c in self.path.curves)
        head = self.head and (move(self.head[0]), move(self.head[1]), move(self.head[2]))
        return replace(self, path=Path(move(self.path.start), curves), head=head)


class Key(NamedTuple):
    """An entry of the legend: a small box in the shape of a role, or a line, and what it means."""

    role: Drawn | None
    x: float
    y: float
    text: str
    known: bool = False

    @property
    def width(self) -> float:
        """The width of the line."""
        return 2.5 if self.known else 4.0

    @property
    def dashes(self) -> tuple[float, ...]:
        """The dashes of the line; none if it is solid."""
        return dashes_of(self.width) if self.known else ()

    @property
    def outline(self) -> Path:
        """The small box; a line from its left to its right if the entry is about lines."""
        if self.role is None:
            return chain([straight((self.x - SWATCH / 2, self.y), (self.x + SWATCH / 2, self.y))])
        return outline(self.x, self.y, SWATCH, 13, STYLES[self.role].shape)

    @property
    def text_at(self) -> float:
        """Where the words begin."""
        return self.x + SWATCH / 2 + 6


class Caption(NamedTuple):
    """A line of words, around its centre."""

    x: float
    y: float
    text: str


class Mark(NamedTuple):
    """A line or an outline of any kind; one without fill is a line."""

    path: Path
    fill: str | None
    line: str
    width: float


class Words(NamedTuple):
    """A line of words: where its middle is in height, and where it starts, ends or has its centre across."""

    x: float
    y: float
    text: str
    size: float
    colour: str
    anchor: str
    bold: bool = False


@dataclass(frozen=True)
class Drawing:
    """A picture: from (0, 0) at the top left to its width and height at the bottom right."""

    width: float
    height: float
    boxes: tuple[Box, ...]
    links: tuple[Link, ...]
    keys: tuple[Key, ...]
    captions: tuple[Caption, ...]
    marks: tuple[Mark, ...] = ()
    words: tuple[Words, ...] = ()
