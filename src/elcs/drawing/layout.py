"""Where everything goes in the picture of a result.

The target is in the middle, its causes in rows above, its effects in rows below, and below these the other causes of
the effects. Neighbours of unknown direction are at the sides, members of unknown role apart at the bottom.

Three layouts were considered. (1) A circle around the target: names of neighbours collide at its left and right as
soon as there are a dozen. (2) A general layered layout: it avoids crossings, but these graphs are almost always stars.
(3) Rows in common columns, with lanes between the columns: chosen. Lines of far rows run through the lanes, so that no
line passes behind a box that it has nothing to do with, however many neighbours there are.

Lengths are in pixels of 1/96 inch; y grows downwards.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from elcs.drawing.boxes import LEAST_BOX, Boxes
from elcs.drawing.choice import MOST, collapsed
from elcs.drawing.grid import GAP, Grid, balanced, in_rows, with_spouses
from elcs.drawing.legend import Entry, about_lines, legend
from elcs.drawing.lines import Lines, spread, step
from elcs.drawing.picture import LINE_HEIGHT, SMALL, SWATCH, Box, Caption, Drawing, Key
from elcs.drawing.style import WORDS
from elcs.drawing.text import text_width, wrapped

if TYPE_CHECKING:
    from elcs.answers.blanket import MarkovBlanket

__all__ = ["WIDE", "layout"]

WIDE = 860.0


PERCENT = "%: half-samples that have it in this role"
"""The legend of how often a variable comes back."""
NOT_SETTLED = "not settled: the run was stopped"
"""The legend of neighbours without direction, if there was no time to find it."""

_MARGIN = 10.0
_ROW_GAP = 40.0
_NEAR_GAP = 58.0
_STACK_GAP = 16.0
_LEGEND = 440.0


def layout(
    result: MarkovBlanket,
    *,
    width: float | None = None,
    shares: Mapping[str, float] | None = None,
    most: int | None = MOST,
    blanket: bool = True,
) -> Drawing:
    """Lay out the surroundings of the target.

    Parameters
    ----------
    result : MarkovBlanket
        What to draw.
    width : float, optional
        The greatest width of the picture; it is exceeded only if there is no other way. By default, it depends on the
        number of variables.
    shares : mapping of str to float, optional
        For some variables the share of half-samples in which they come back (`Stability.in_role`), to show below the
        name; if that is less than half, they are drawn pale.
    most : int, optional
        Of more than so many variables of one role, those with the strongest association are drawn, and one box stands
        for the others. None draws all of them.
    blanket : bool
        Whether to draw the whole blanket; if not, the neighbours alone.

    Examples
    --------
    >>> import elcs
    >>> drawing = layout(elcs.learn(elcs.data.SAMPLE, "satisfaction"))
    >>> [box.name for box in drawing.boxes]
    ['satisfaction', 'price_rise', 'outages', 'referral', 'churn', 'contract']
    >>> [(link.start, link.end) for link in drawing.links if link.variable == "contract"]
    [('contract', 'churn')]
    """
    if width is None:
        width = max(WIDE, 150 * math.sqrt(2 * len(result.markov_blanket)))
    return _Layout(result, width - 2 * _MARGIN, shares or {}, collapsed(result, most, blanket=blanket)).drawing()


class _Layout(Boxes):
    """The work of `layout`, step by step."""

    def drawing(self) -> Drawing:
        """Place boxes from top to bottom, draw the lines, then the legend, then move all to the right of x = 0."""
        self.lines = Lines(self)
        target = self.result.target
        causes, effects = self._above(), self._below()
        left, right, columns = self._sides()
        self.widen_target(height=max(sum(self.line(x) + 4 for x in side) for side in (left, right)) + 12)
        size = self.sizes[target]
        y = causes.stack(0.0, _ROW_GAP)
        y += self._near_gap(causes) if causes.rows else 0.0
        pitch = max((self.sizes[x].height for x in (*left, *right)), default=0.0) + _STACK_GAP
        tall = max(math.ceil(len(side) / columns) + (columns - 1) / 2 for side in (left, right)) * pitch - _STACK_GAP
        middle = max(size.height, tall)
        zone = (y, y + middle)
        self._place_middle(left, right, columns, pitch, y + middle / 2)
        y += middle
        if effects.rows:
            y = effects.stack(y + self._near_gap(effects), _ROW_GAP)
        for grid in (causes, effects):
            self.at.update({name: (x, grid.middle(name)) for name, x in grid.across()[0].items()})
        self.lines.from_causes(causes, zone[0])
        self.lines.to_effects(effects, zone[1])
        self.lines.from_spouses(effects)
        captions, y = self._apart(y)
        return self._framed(captions, y)

    # What goes where

    def _above(self) -> Grid:
        names = self.named("parent")

        def grid(most: int) -> Grid:
            per_row = balanced(len(names), most)
            made = Grid(in_rows(names, per_row, per_row)[::-1], per_row, self.sizes)
            for name in names:
                row, column = made.cell[name]
                if row < len(made.rows) - 1:
                    made.reserve(name, self.line(name), column, len(made.rows) - 1 - row)
            return made

        return self._widest(grid, len(names))

    def _widest(self, grid: Callable[[int], Grid], most: int) -> Grid:
        """Return the grid with the most columns that fits; if none fits, the narrowest."""
        grids = []
        fit = int((self.room + GAP) / (LEAST_BOX + GAP))
        for columns in range(max(min(most, fit), 1), 0, -1):
            grids.append(grid(columns))
            if grids[-1].width <= self.room:
                return grids[-1]
        return min(grids, key=lambda made: made.width)

    def _below(self) -> Grid:
        """Return the children, those with spouses last, and below each row of them the spouses that belong to it."""
        spouses = {x: self.shared(x) for x in self.named("spouse")}
        shared = list(dict.fromkeys(y for names in spouses.values() for y in names))
        children = [x for x in self.named("child") if x not in shared] + shared

        def grid(most: int) -> Grid:
            per_row = balanced(len(children), most)
            n_columns = max(per_row, balanced(len(spouses), most))
            rows = with_spouses(in_rows(children, per_row, n_columns), spouses, n_columns)
            made = Grid(rows, n_columns, self.sizes)
            for name in children:
                row, column = made.cell[name]
                if row > 0:
                    made.reserve(name, self.line(name), column, row)
            for x, names in spouses.items():
                i, column = made.cell[x]
                for y in names:
                    j, there = made.cell[y]
                    if i - j > 1:
                        lane = None if column == there else there + (column > there)
                        made.reserve(f"{x}\0{y}", self.line(x), there, i - j, lane)
            return made

        return self._widest(grid, max(len(children), len(spouses)))

    def _sides(self) -> tuple[list[str], list[str], int]:
        """Return which names go left and right, and in how many columns on each side."""
        names = self.named("undirected")
        widest = max((self.sizes[x].width for x in names), default=0.0)
        per_side = math.ceil(len(names) / 2)
        target = self.sizes[self.result.target].width
        if target + 2 * (self._side_gap(per_side) + widest) > self.room:
            return [], names, 1
        two = per_side > 6 and target + 2 * (self._side_gap(per_side) + 2 * widest + GAP) <= self.room
        return names[1::2], names[::2], 2 if two else 1

    def _side_gap(self, n: int) -> float:
        return min(max(0.09 * self.room, 42.0), 30.0 + 4.0 * n)

    @staticmethod
    def _near_gap(grid: Grid) -> float:
        return _NEAR_GAP + 0.03 * grid.width

    def _place_middle(self, left: list[str], right: list[str], columns: int, pitch: float, y: float) -> None:
        target = self.result.target
        size = self.sizes[target]
        gap = self._side_gap(max(len(left), len(right)))
        widest = max((self.sizes[x].width for x in (*left, *right)), default=0.0)
        off = 0.0
        if (
            right and not left and size.width + 2 * (gap + widest) > self.room
        ):  # no room for the middle to be in the middle
            off = -(gap + widest) / 2
        self.at[target] = (off, y)
        for side, names in ((-1, left), (1, right)):
            edge = off + side * (size.width / 2 + gap)
            far = edge + side * (widest + GAP)
            inner, outer = (names, []) if columns == 1 else (names[::2], names[1::2])
            shift = 0.5 if outer and len(inner) == len(outer) else 0.0  # outer ones show between inner ones
            for column, start, by in ((inner, edge, 0.0), (outer, far, shift)):
                for i, name in enumerate(column):
                    at = y + (i - (len(column) - 1) / 2 + by - shift / 2) * pitch
                    self.at[name] = (start + side * self.sizes[name].width / 2, at)
            apart = step(len(names), size.height - 12, 20)
            ports = spread(sorted(names, key=lambda x: self.at[x][1]), y, apart)
            for name, port in ports.items():
                x, there = self.at[name]
                near = x - side * self.sizes[name].width / 2
                self.lines.to_side(name, side, [(off + side * size.width / 2, port), (edge, there), (near, there)])

    # What is below

    def _apart(self, y: float) -> tuple[list[Caption], float]:
        """Place members of unknown role, and write captions; return these and where they end."""
        members = self.named("member")
        if len(self.roles) == 1:
            return [Caption(0.0, y + 26, "Nothing in the table is connected with it.")], y + 36
        if not members:
            return [], y
        captions = []
        y += 34
        for line in wrapped("In the blanket; the method does not say as what:", self.room, SMALL):
            captions.append(Caption(0.0, y, line))
            y += LINE_HEIGHT

        def made(most: int) -> Grid:
            per_row = balanced(len(members), most)
            return Grid(in_rows(members, per_row, per_row), per_row, self.sizes)

        grid = self._widest(made, len(members))
        end = grid.stack(y + 2, _STACK_GAP)
        self.at.update({name: (x, grid.middle(name)) for name, x in grid.across()[0].items()})
        return captions, end

    def _legend(self, y: float) -> tuple[list[Key], float]:
        """Return the legend, in centred lines, and where it ends."""
        roles = [role for role in WORDS if role not in ("target", "member") and self.named(role)]
        words = WORDS if self.result.complete else {**WORDS, "undirected": NOT_SETTLED}
        entries: list[Entry] = [(role, words[role]) for role in roles]
        about = about_lines(self.lines.links)
        entries += [(line, text) for line, text in about if line != "open"]  # the boxes say that
        if self.shares:
            entries.append((None, PERCENT))
        room = max(
            _LEGEND, min(self.room, 2 * max(abs(x) + self.sizes[name].width / 2 for name, (x, _) in self.at.items()))
        )
        return legend(entries, min(room, self.room), y)

    def _framed(self, captions: list[Caption], y: float) -> Drawing:
        keys, y = self._legend(y + (14 if self.lines.links else 0))
        edges = [(self.at[name][0] - s.width / 2, self.at[name][0] + s.width / 2) for name, s in self.sizes.items()]
        edges += [(x, x) for link in self.lines.links for x, _ in link.path.points(4)]
        edges += [(k.x - SWATCH / 2, k.text_at + text_width(k.text, SMALL)) for k in keys]
        edges += [(c.x - w / 2, c.x + w / 2) for c in captions if (w := text_width(c.text, SMALL))]
        left, right = min(a for a, _ in edges) - _MARGIN, max(b for _, b in edges) + _MARGIN
        dx, dy = -left, _MARGIN
        boxes = (
            Box(
                name,
                role,
                self.at[name][0] + dx,
                self.at[name][1] + dy,
                s.width,
                s.height,
                s.lines,
                self.label(name),
                self.pale(name),
                self.hidden.get(name, ()),
            )
            for name, role in self.roles.items()
            if (s := self.sizes[name])
        )
        return Drawing(
            width=right - left,
            height=y + 2 * dy,
            boxes=tuple(boxes),
            links=tuple(link.moved(dx, dy) for link in self.lines.links),
            keys=tuple(k._replace(x=k.x + dx, y=k.y + dy) for k in keys),
            captions=tuple(c._replace(x=c.x + dx, y=c.y + dy) for c in captions),
        )
