"""What a picture is made of: boxes, links, a legend and captions, in pixels of 1/96 inch; y grows downwards."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, cast

from elcs.drawing.shapes import Path, Point, arrow_head, chain, outline, straight
from elcs.drawing.style import STYLES, Drawn

__all__ = [
    "FONT",
    "LINE_HEIGHT",
    "SMALL",
    "SWATCH",
    "Box",
    "Caption",
    "Drawing",
    "Key",
    "Line",
    "Link",
    "Mark",
    "Words",
]

FONT = 13.0
SMALL = 11.0
LINE_HEIGHT = 16.0
SWATCH = 24.0


Line = Literal["arrow", "said", "open", "leaning", "pale"]
"""Kinds of lines: an arrow; one that comes from what somebody said, dashed; an edge without direction, dotted; one that
leans to a direction, dotted and with a hollow head; and any that does not come back in half of the half-samples."""


def dashes_of(line: Line, width: float) -> tuple[float, ...]:
    """Return the lengths of dashes and gaps of a line; none if it is solid."""
    if line == "said":
        return round(3.0 + 1.5 * width, 1), round(2.0 + width, 1)
    if line in ("open", "leaning"):
        return round(0.6 + 0.9 * width, 1), round(1.6 + 0.9 * width, 1)
    return ()


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
    pale : bool
        Whether it does not come back in half of the half-samples.
    hides : tuple of str
        The variables that it stands for, if there are too many to draw each of them.
    """

    name: str
    role: Drawn
    x: float
    y: float
    width: float
    height: float
    lines: tuple[str, ...]
    label: str = ""
    pale: bool = False
    hides: tuple[str, ...] = ()

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
        The arrow head; None for an edge without direction that leans to neither.
    line : str
        What kind of line it is.
    pale : bool
        Whether it does not come back in half of the half-samples.
    """

    start: str
    end: str
    variable: str
    path: Path
    width: float
    head: tuple[Point, Point, Point] | None
    line: Line = "arrow"
    pale: bool = False

    @property
    def dashes(self) -> tuple[float, ...]:
        """The dashes of the line; none if it is solid."""
        return dashes_of(self.line, self.width)

    def moved(self, dx: float, dy: float) -> Link:
        """Return the same link, moved."""

        def move(p: Point) -> Point:
            return p[0] + dx, p[1] + dy

        curves = tuple((move(a), move(b), move(c)) for a, b, c in self.path.curves)
        head = self.head and (move(self.head[0]), move(self.head[1]), move(self.head[2]))
        return replace(self, path=Path(move(self.path.start), curves), head=head)


class Key(NamedTuple):
    """An entry of the legend: a small box in the shape of a role, or a line of some kind, and what it means.

    One without either is words alone.
    """

    shows: Drawn | Line | None
    x: float
    y: float
    text: str

    @property
    def role(self) -> Drawn | None:
        """The role it is about, if it is about one."""
        return next((role for role in STYLES if role == self.shows), None)

    @property
    def width(self) -> float:
        """The width of the line."""
        return 4.0 if self.shows == "arrow" else 2.5

    @property
    def dashes(self) -> tuple[float, ...]:
        """The dashes of the line; none if it is solid."""
        return () if self.shows is None or self.role is not None else dashes_of(cast(Line, self.shows), self.width)

    @property
    def outline(self) -> Path:
        """The small box; a line from its left to its right if the entry is about lines."""
        if self.role is None:
            end = self.head[1][0] if self.head is not None else self.x + SWATCH / 2
            return chain([straight((self.x - SWATCH / 2, self.y), (end, self.y))])
        return outline(self.x, self.y, SWATCH, 13, STYLES[self.role].shape)

    @property
    def head(self) -> tuple[Point, Point, Point] | None:
        """The head of the line, if it has one."""
        return arrow_head((self.x + SWATCH / 2, self.y), (1, 0), 2.0) if self.shows == "leaning" else None

    @property
    def text_at(self) -> float:
        """Where the words begin."""
        return self.x + SWATCH / 2 + 6 if self.shows is not None else self.x - SWATCH / 2


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
