"""Lines and outlines as chains of cubic curves, which SVG and matplotlib both draw."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

__all__ = ["Path", "Point", "arrow_head", "bend", "chain", "head_half_width", "outline", "straight"]

Point = tuple[float, float]
Curve = tuple[Point, Point, Point]

_CIRCLE = 0.5523  # how far the handles of a quarter of a circle reach


class Path(NamedTuple):
    """A chain of cubic curves: two handles and an end each."""

    start: Point
    curves: tuple[Curve, ...]

    @property
    def end(self) -> Point:
        """Where it ends."""
        return self.curves[-1][2]

    def reversed(self) -> Path:
        """Return the same line, drawn from its end.

        Examples
        --------
        >>> chain([straight((0, 0), (2, 0))]).reversed()
        Path(start=(2, 0), curves=(((2, 0), (0, 0), (0, 0)),))
        """
        starts = (self.start, *(curve[2] for curve in self.curves))
        curves = zip(self.curves, starts, strict=False)
        return Path(self.end, tuple((b, a, start) for (a, b, _), start in reversed([*curves])))

    def points(self, per_curve: int = 12) -> list[Point]:
        """Return points along the path, its ends included.

        Examples
        --------
        >>> chain([straight((0, 0), (2, 0))]).points(2)
        [(0.0, 0.0), (1.0, 0.0), (2.0, 0.0)]
        """
        found = [(float(self.start[0]), float(self.start[1]))]
        a = self.start
        for b, c, d in self.curves:
            for i in range(1, per_curve + 1):
                t = i / per_curve
                w = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
                x, y = (w[0] * a[k] + w[1] * b[k] + w[2] * c[k] + w[3] * d[k] for k in (0, 1))
                found.append((x, y))
            a = d
        return found


def straight(a: Point, b: Point) -> tuple[Point, Curve]:
    """Return a straight piece."""
    return a, (a, b, b)


def bend(a: Point, b: Point, *, along: Literal["x", "y"]) -> tuple[Point, Curve]:
    """Return a piece that leaves and arrives along one axis."""
    if along == "y":
        middle = (a[1] + b[1]) / 2
        return a, ((a[0], middle), (b[0], middle), b)
    middle = (a[0] + b[0]) / 2
    return a, ((middle, a[1]), (middle, b[1]), b)


def chain(pieces: Iterable[tuple[Point, Curve]]) -> Path:
    """Join pieces that begin where the one before ends; pieces of no length are left out."""
    kept = list(pieces)
    return Path(kept[0][0], tuple(curve for a, curve in kept if a != curve[2]) or (kept[0][1],))


def head_half_width(width: float) -> float:
    """Return how far a head reaches to either side of a line of some width."""
    return 3 + 0.9 * width


def arrow_head(tip: Point, towards: Point, width: float) -> tuple[Point, Point, Point]:
    """Return the three corners of a head that points along an axis, for a line of some width."""
    long, half = 6 + 1.4 * width, head_half_width(width)
    (x, y), (dx, dy) = tip, towards
    return (
        tip,
        (x - dx * long + dy * half, y - dy * long + dx * half),
        (x - dx * long - dy * half, y - dy * long - dx * half),
    )


def outline(x: float, y: float, width: float, height: float, shape: Literal["square", "round", "pill", "cut"]) -> Path:
    """Return the outline of a box around a centre."""
    left, right, top, bottom = x - width / 2, x + width / 2, y - height / 2, y + height / 2
    part, most = {"square": (0.0, 0.0), "round": (0.2, 9.0), "pill": (0.5, 28.0), "cut": (0.24, 12.0)}[shape]
    r = min(min(width, height) * part, most)
    k = r * (1 - _CIRCLE)
    corners = [  # before and after each corner, clockwise, with the handles of a round one
        ((right - r, top), (right - k, top), (right, top + k), (right, top + r)),
        ((right, bottom - r), (right, bottom - k), (right - k, bottom), (right - r, bottom)),
        ((left + r, bottom), (left + k, bottom), (left, bottom - k), (left, bottom - r)),
        ((left, top + r), (left, top + k), (left + k, top), (left + r, top)),
    ]
    start = (left + r, top)
    pieces, at = [], start
    for before, first, second, after in corners:
        pieces.append(straight(at, before))
        pieces.append(straight(before, after) if shape in ("square", "cut") else (before, (first, second, after)))
        at = after
    return chain([*pieces, straight(at, start)])
