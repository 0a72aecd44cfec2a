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
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from elcs.drawing.choice import LEAST_FIRM, MOST, SEVERAL, collapsed, widths_of
from elcs.drawing.grid import GAP, Grid, Size, balanced, in_rows, with_spouses
from elcs.drawing.legend import Entry, about_lines, legend
from elcs.drawing.picture import FONT, LINE_HEIGHT, SMALL, SWATCH, Box, Caption, Drawing, Key, Line, Link
from elcs.drawing.shapes import Path, Point, arrow_head, bend, chain, head_half_width, straight
from elcs.drawing.style import WORDS, Drawn
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
_MOST_TEXT = 128.0
_PAD_X, _PAD_Y = 14.0, 10.0
_LEAST_BOX = 64.0
_ROW_GAP = 40.0
_NEAR_GAP = 58.0
_HEADROOM = 16.0
_STACK_GAP = 16.0
_PLAIN_LINE = 1.8
_PORTS = 0.8  # the part of a side at which lines end
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


class _Layout:
    """The work of `layout`, step by step; x = 0 is the middle."""

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
        arriving = sum(2 * head_half_width(self._line(x)) + 4 for x in self._named("parent"))
        leaving = sum(self._line(x) + 6 for x in self._named("child"))
        self._widen_target(width=min(max(arriving, leaving) / _PORTS, 0.4 * width))
        self.at: dict[str, Point] = {}
        self.links: list[Link] = []

    def drawing(self) -> Drawing:
        """Place boxes from top to bottom, draw the lines, then the legend, then move all to the right of x = 0."""
        target = self.result.target
        causes, effects = self._above(), self._below()
        left, right, columns = self._sides()
        self._widen_target(height=max(sum(self._line(x) + 4 for x in side) for side in (left, right)) + 12)
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
        self._link_causes(causes, zone[0])
        self._link_effects(effects, zone[1])
        self._link_spouses(effects)
        captions, y = self._apart(y)
        return self._framed(captions, y)

    # What goes where

    def _line(self, name: str) -> float:
        return self.widths.get(name, _PLAIN_LINE)

    def _named(self, role: Drawn) -> list[str]:
        return [name for name, r in self.roles.items() if r == role]

    def _size(self, name: str, text: float) -> Size:
        bold = self.roles[name] == "target"
        told = f"{len(self.hidden[name])} more {SEVERAL[self.roles[name]]}" if name in self.hidden else name
        lines = wrapped(told, text, FONT, bold=bold, most_lines=5 if bold else 3)
        wide = [text_width(line, FONT, bold=bold) for line in lines]
        label = self._label(name)
        if label:
            wide.append(text_width(label, SMALL))
        width = max(_LEAST_BOX, max(wide) + 2 * _PAD_X)
        height = LINE_HEIGHT * (len(lines) + bool(label)) + 2 * _PAD_Y
        return Size(lines, width, height)

    def _label(self, name: str) -> str:
        return f"{self.shares[name]:.0%}" if name in self.shares else ""

    def _pale(self, name: str) -> bool:
        return self.shares.get(name, 1.0) < LEAST_FIRM

    def _widen_target(self, width: float = 0.0, height: float = 0.0) -> None:
        """Make room for the ends of lines at the target."""
        target = self.result.target
        size = self.sizes[target]
        self.sizes[target] = size._replace(width=max(size.width, width), height=max(size.height, height))

    def _above(self) -> Grid:
        names = self._named("parent")

        def grid(most: int) -> Grid:
            per_row = balanced(len(names), most)
            made = Grid(in_rows(names, per_row, per_row)[::-1], per_row, self.sizes)
            for name in names:
                row, column = made.cell[name]
                if row < len(made.rows) - 1:
                    made.reserve(name, self._line(name), column, len(made.rows) - 1 - row)
            return made

        return self._widest(grid, len(names))

    def _widest(self, grid: Callable[[int], Grid], most: int) -> Grid:
        """Return the grid with the most columns that fits; if none fits, the narrowest."""
        grids = []
        fit = int((self.room + GAP) / (_LEAST_BOX + GAP))
        for columns in range(max(min(most, fit), 1), 0, -1):
            grids.append(grid(columns))
            if grids[-1].width <= self.room:
                return grids[-1]
        return min(grids, key=lambda made: made.width)

    def _below(self) -> Grid:
        """Return the children, those with spouses last, and below each row of them the spouses that belong to it."""
        spouses = {x: self._shared(x) for x in self._named("spouse")}
        shared = list(dict.fromkeys(y for names in spouses.values() for y in names))
        children = [x for x in self._named("child") if x not in shared] + shared

        def grid(most: int) -> Grid:
            per_row = balanced(len(children), most)
            n_columns = max(per_row, balanced(len(spouses), most))
            rows = with_spouses(in_rows(children, per_row, n_columns), spouses, n_columns)
            made = Grid(rows, n_columns, self.sizes)
            for name in children:
                row, column = made.cell[name]
                if row > 0:
                    made.reserve(name, self._line(name), column, row)
            for x, names in spouses.items():
                i, column = made.cell[x]
                for y in names:
                    j, there = made.cell[y]
                    if i - j > 1:
                        lane = None if column == there else there + (column > there)
                        made.reserve(f"{x}\0{y}", self._line(x), there, i - j, lane)
            return made

        return self._widest(grid, max(len(children), len(spouses)))

    def _shared(self, spouse: str) -> list[str]:
        meant = set(self.hidden.get(spouse, (spouse,)))
        shared = (self.stands_for.get(y, y) for y, names in self.result.spouses.items() if meant.intersection(names))
        return [y for y in dict.fromkeys(shared) if self.roles.get(y) == "child"]

    def _sides(self) -> tuple[list[str], list[str], int]:
        """Return which names go left and right, and in how many columns on each side."""
        names = self._named("undirected")
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
            step = _step(len(names), size.height - 12, 20)
            ports = _spread(sorted(names, key=lambda x: self.at[x][1]), y, step)
            for name, port in ports.items():
                x, there = self.at[name]
                near = x - side * self.sizes[name].width / 2
                self._link_side(name, side, [(off + side * size.width / 2, port), (edge, there), (near, there)])

    # Lines

    def _link_side(self, name: str, side: int, points: Sequence[Point]) -> None:
        """Draw the line to a neighbour of unknown direction, with room for a hollow head where it leans."""
        target, leans = self.result.target, self.leanings.get(name)
        begin, edge, near = points
        after = (begin[0] + side * _HEADROOM * (leans == "parent"), begin[1])
        before = (edge[0] - side * _HEADROOM * (leans == "child"), edge[1])
        path = chain([straight(begin, after), bend(after, before, along="x"), straight(before, near)])
        if leans == "parent":
            self._link(name, target, name, path.reversed(), (-side, 0), "leaning")
        elif leans == "child":
            self._link(target, name, name, path, (side, 0), "leaning")
        else:
            self._link(target, name, name, path, None, "open")

    def _link(
        self, start: str, end: str, variable: str, path: Path, towards: Point | None, line: Line = "arrow"
    ) -> None:
        width = self._line(variable)
        head = None
        if towards is not None:
            head = arrow_head(path.end, towards, width)
            base = ((head[1][0] + head[2][0]) / 2, (head[1][1] + head[2][1]) / 2)
            before = path.curves[-2][2] if len(path.curves) > 1 else path.start
            path = Path(path.start, (*path.curves[:-1], straight(before, base)[1]))
        line = "said" if (start, end) in self.known else line
        self.links.append(Link(start, end, variable, path, width, head, line, self._pale(variable)))

    def _link_causes(self, grid: Grid, zone: float) -> None:
        target, last = self.result.target, len(grid.rows) - 1
        across, lanes = grid.across()
        ports = self._ports({name: lanes.get(name, x) for name, x in across.items()})
        for name, x in across.items():
            row, _ = grid.cell[name]
            pieces = [straight((x, self._edge(name, 1)), (x, grid.bottom(row)))]
            at = (x, grid.bottom(row))
            if row < last:
                lane = lanes[name]
                pieces.append(bend(at, (lane, grid.tops[row + 1]), along="y"))
                at = (lane, grid.bottom(last))
                pieces.append(straight((lane, grid.tops[row + 1]), at))
            port = (ports[name], zone - _HEADROOM)
            pieces += [bend(at, port, along="y"), straight(port, (port[0], self._edge(target, -1)))]
            self._link(name, target, name, chain(pieces), (0, 1))

    def _link_effects(self, grid: Grid, zone: float) -> None:
        target = self.result.target
        across, lanes = grid.across()
        children = {name: x for name, x in across.items() if self.roles[name] == "child"}
        ports = self._ports({name: lanes.get(name, x) for name, x in children.items()})
        for name, x in children.items():
            row, _ = grid.cell[name]
            at = (ports[name], zone)
            pieces = [straight((ports[name], self._edge(target, 1)), at)]
            if row > 0:
                lane = lanes[name]
                pieces.append(bend(at, (lane, grid.tops[0]), along="y"))
                at = (lane, grid.bottom(row - 1))
                pieces.append(straight((lane, grid.tops[0]), at))
            port = (x, grid.tops[row] - _HEADROOM)
            pieces += [bend(at, port, along="y"), straight(port, (x, self._edge(name, -1)))]
            self._link(target, name, name, chain(pieces), (0, 1))

    def _link_spouses(self, grid: Grid) -> None:
        across, lanes = grid.across()
        arrivals: dict[str, dict[str, float]] = {}
        for spouse in self._named("spouse"):
            for child in self._shared(spouse):
                arrivals.setdefault(child, {})[spouse] = lanes.get(f"{spouse}\0{child}", across[spouse])
        leaving: dict[str, dict[str, float]] = {}
        for child, spouses in arrivals.items():
            for spouse in spouses:
                leaving.setdefault(spouse, {})[child] = lanes.get(f"{spouse}\0{child}", across[child])
        starts = {spouse: self._ports_of(spouse, to) for spouse, to in leaving.items()}
        for child, spouses in arrivals.items():
            ends = self._ports_of(child, spouses)
            for spouse in spouses:
                row, _ = grid.cell[spouse]
                there, _ = grid.cell[child]
                x = starts[spouse][child]
                at = (x, grid.tops[row])
                pieces = [straight((x, self._edge(spouse, -1)), at)]
                if row - there > 1:
                    lane = lanes[f"{spouse}\0{child}"]
                    pieces.append(bend(at, (lane, grid.bottom(row - 1)), along="y"))
                    at = (lane, grid.tops[there + 1])
                    pieces.append(straight((lane, grid.bottom(row - 1)), at))
                port = (ends[spouse], grid.bottom(there) + _HEADROOM)
                pieces += [bend(at, port, along="y"), straight(port, (port[0], self._edge(child, 1)))]
                self._link(spouse, child, spouse, chain(pieces), (0, -1))

    def _edge(self, name: str, side: int) -> float:
        """Return the y of the bottom (1) or the top (-1) of a box."""
        return self.at[name][1] + side * self.sizes[name].height / 2

    def _ports(self, arriving: Mapping[str, float]) -> dict[str, float]:
        return self._ports_of(self.result.target, arriving, most=26)

    def _ports_of(self, name: str, arriving: Mapping[str, float], most: float = 14) -> dict[str, float]:
        """Spread the ends of lines over a side of a box, in the order in which they arrive."""
        step = _step(len(arriving), self.sizes[name].width * _PORTS, most)
        return _spread(sorted(arriving, key=lambda x: arriving[x]), self.at[name][0], step)

    # What is below

    def _apart(self, y: float) -> tuple[list[Caption], float]:
        """Place members of unknown role, and write captions; return these and where they end."""
        members = self._named("member")
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
        roles = [role for role in WORDS if role not in ("target", "member") and self._named(role)]
        words = WORDS if self.result.complete else {**WORDS, "undirected": NOT_SETTLED}
        entries: list[Entry] = [(role, words[role]) for role in roles]
        about = about_lines(self.links)
        entries += [(line, text) for line, text in about if line != "open"]  # the boxes say that
        if self.shares:
            entries.append((None, PERCENT))
        room = max(
            _LEGEND, min(self.room, 2 * max(abs(x) + self.sizes[name].width / 2 for name, (x, _) in self.at.items()))
        )
        return legend(entries, min(room, self.room), y)

    def _framed(self, captions: list[Caption], y: float) -> Drawing:
        keys, y = self._legend(y + (14 if self.links else 0))
        edges = [(self.at[name][0] - s.width / 2, self.at[name][0] + s.width / 2) for name, s in self.sizes.items()]
        edges += [(x, x) for link in self.links for x, _ in link.path.points(4)]
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
                self._label(name),
                self._pale(name),
                self.hidden.get(name, ()),
            )
            for name, role in self.roles.items()
            if (s := self.sizes[name])
        )
        return Drawing(
            width=right - left,
            height=y + 2 * dy,
            boxes=tuple(boxes),
            links=tuple(link.moved(dx, dy) for link in self.links),
            keys=tuple(k._replace(x=k.x + dx, y=k.y + dy) for k in keys),
            captions=tuple(c._replace(x=c.x + dx, y=c.y + dy) for c in captions),
        )


def _step(n: int, room: float, most: float) -> float:
    return min(most, room / n) if n else most


def _spread(names: Sequence[str], middle: float, step: float) -> dict[str, float]:
    return {name: middle + (i - (len(names) - 1) / 2) * step for i, name in enumerate(names)}
