"""Rows of boxes in common columns, with lanes between the columns for lines that pass other rows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

__all__ = ["GAP", "Grid", "Size", "balanced", "in_rows", "with_spouses"]

GAP = 18.0

_LANE_GAP = 3.0

Row = dict[int, str]


class Size(NamedTuple):
    """How much room a name takes: its lines, and its box."""

    lines: tuple[str, ...]
    width: float
    height: float


class _Lane(NamedTuple):
    """A line in a lane; lanes are sorted from left to right."""

    order: tuple[int, int]
    line: str
    width: float


class Grid:
    """Rows of names in columns.

    Parameters
    ----------
    rows : sequence of dict
        The rows from top to bottom, each a mapping of columns to names.
    n_columns : int
        How many columns there are.
    sizes : mapping of str to Size
        How large the names are.

    Attributes
    ----------
    cell : dict
        The row and the column of each name.
    tops : list of float
        Where the rows begin, once they are stacked.
    """

    def __init__(self, rows: Sequence[Row], n_columns: int, sizes: Mapping[str, Size]) -> None:
        self.rows, self.n_columns, self.sizes = rows, n_columns, sizes
        self.cell = {name: (i, column) for i, row in enumerate(rows) for column, name in row.items()}
        self.tops: list[float] = []
        self._lanes: list[list[_Lane]] = [[] for _ in range(n_columns + 1)]
        self._columns = [max((sizes[row[i]].width for row in rows if i in row), default=0.0) for i in range(n_columns)]

    def reserve(self, line: str, width: float, column: int, distance: int, lane: int | None = None) -> None:
        """Lead a line through a lane beside a column; by default, the one nearer to the middle.

        Within a lane, lines that come from farther away run on the far side, so that they do not cross the others.
        """
        if lane is None:
            lane = column + 1 if 2 * column + 1 < self.n_columns else column
        self._lanes[lane].append(_Lane((0, distance) if column < lane else (1, -distance), line, width))

    @property
    def width(self) -> float:
        """How wide all columns and lanes are."""
        return sum(map(self._lane_width, range(self.n_columns + 1))) + sum(self._columns)

    def across(self) -> tuple[dict[str, float], dict[str, float]]:
        """Return the x of each name and of each line in a lane; 0 is the middle."""
        names, lines, x = {}, {}, -self.width / 2
        for i in range(self.n_columns + 1):
            wide, lane = self._lane_width(i), sorted(self._lanes[i])
            at = x + (wide - sum(line.width + _LANE_GAP for line in lane)) / 2
            for line in lane:
                at += line.width + _LANE_GAP
                lines[line.line] = at - (line.width + _LANE_GAP) / 2
            x += wide
            if i < self.n_columns:
                names.update({row[i]: x + self._columns[i] / 2 for row in self.rows if i in row})
                x += self._columns[i]
        return names, lines

    def stack(self, y: float, gap: float) -> float:
        """Put the rows below y, and return where they end."""
        for i in range(len(self.rows)):
            self.tops.append(y)
            y = self.bottom(i) + gap
        return y - gap if self.rows else y

    def bottom(self, row: int) -> float:
        """Return where a row ends."""
        return self.tops[row] + max(self.sizes[name].height for name in self.rows[row].values())

    def middle(self, name: str) -> float:
        """Return the middle of the row of a name."""
        row, _ = self.cell[name]
        return (self.tops[row] + self.bottom(row)) / 2

    def _lane_width(self, lane: int) -> float:
        lines = self._lanes[lane]
        room = sum(line.width + _LANE_GAP for line in lines) + _LANE_GAP
        if lane in (0, self.n_columns):
            return room if lines else 0.0
        return max(GAP, room + 2 * _LANE_GAP)


def balanced(n: int, most: int) -> int:
    """Return how many of n go in a row if rows hold at most `most` and are about equally long."""
    return math.ceil(n / math.ceil(n / most)) if n else 0


def in_rows(names: Sequence[str], per_row: int, n_columns: int) -> list[Row]:
    """Fill rows, each in the middle of the columns; the last may be shorter."""
    rows = [names[i : i + per_row] for i in range(0, len(names), per_row or 1)]
    return [{(n_columns - len(row)) // 2 + i: name for i, name in enumerate(row)} for row in rows]


def with_spouses(rows: Sequence[Row], spouses: Mapping[str, Sequence[str]], n_columns: int) -> list[Row]:
    """Put below each row of children the spouses that have their last child in it, each near its children."""
    cell = {name: (i, c) for i, row in enumerate(rows) for c, name in row.items()}
    wanted = {x: sum(cell[y][1] for y in names) / len(names) for x, names in spouses.items()}
    placed = []
    for i, row in enumerate(rows):
        placed.append(row)
        waiting = sorted(
            (x for x, names in spouses.items() if max(cell[y][0] for y in names) == i), key=wanted.__getitem__
        )
        while waiting:
            now, waiting = waiting[:n_columns], waiting[n_columns:]
            free = list(range(n_columns))
            for x in now:
                free.remove(min(free, key=lambda c: abs(c - wanted[x])))
            taken = sorted(set(range(n_columns)) - set(free))  # from left to right, so that lines do not cross
            placed.append(dict(zip(taken, now, strict=True)))
    return placed
