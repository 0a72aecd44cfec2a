"""The lines in the picture of a result: from causes to the target, and from it and from others to its effects.

Lines of far rows run through the lanes of the grid; those that end at one side of a box are spread over it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from elcs.drawing.boxes import PORTS, Boxes
from elcs.drawing.grid import Grid
from elcs.drawing.picture import Line, Link
from elcs.drawing.shapes import Path, Point, arrow_head, bend, chain, straight

__all__ = ["Lines", "spread", "step"]

_HEADROOM = 16.0


class Lines:
    """The lines between boxes that have been placed.

    Parameters
    ----------
    boxes : Boxes
        The boxes.

    Attributes
    ----------
    links : list of Link
        The lines that have been drawn.
    """

    def __init__(self, boxes: Boxes) -> None:
        self.boxes = boxes
        self.links: list[Link] = []

    def to_side(self, name: str, side: int, points: Sequence[Point]) -> None:
        """Draw the line to a neighbour of unknown direction, with room for a hollow head where it leans."""
        target, leans = self.boxes.result.target, self.boxes.leanings.get(name)
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
        width = self.boxes.line(variable)
        head = None
        if towards is not None:
            head = arrow_head(path.end, towards, width)
            base = ((head[1][0] + head[2][0]) / 2, (head[1][1] + head[2][1]) / 2)
            before = path.curves[-2][2] if len(path.curves) > 1 else path.start
            path = Path(path.start, (*path.curves[:-1], straight(before, base)[1]))
        line = "said" if (start, end) in self.boxes.known else line
        self.links.append(Link(start, end, variable, path, width, head, line, self.boxes.pale(variable)))

    def from_causes(self, grid: Grid, zone: float) -> None:
        """Draw the lines from the causes above to the target."""
        target, last = self.boxes.result.target, len(grid.rows) - 1
        across, lanes = grid.across()
        ports = self._ports({name: lanes.get(name, x) for name, x in across.items()})
        for name, x in across.items():
            row, _ = grid.cell[name]
            pieces = [straight((x, self.boxes.edge(name, 1)), (x, grid.bottom(row)))]
            at = (x, grid.bottom(row))
            if row < last:
                lane = lanes[name]
                pieces.append(bend(at, (lane, grid.tops[row + 1]), along="y"))
                at = (lane, grid.bottom(last))
                pieces.append(straight((lane, grid.tops[row + 1]), at))
            port = (ports[name], zone - _HEADROOM)
            pieces += [bend(at, port, along="y"), straight(port, (port[0], self.boxes.edge(target, -1)))]
            self._link(name, target, name, chain(pieces), (0, 1))

    def to_effects(self, grid: Grid, zone: float) -> None:
        """Draw the lines from the target to the effects below."""
        target = self.boxes.result.target
        across, lanes = grid.across()
        children = {name: x for name, x in across.items() if self.boxes.roles[name] == "child"}
        ports = self._ports({name: lanes.get(name, x) for name, x in children.items()})
        for name, x in children.items():
            row, _ = grid.cell[name]
            at = (ports[name], zone)
            pieces = [straight((ports[name], self.boxes.edge(target, 1)), at)]
            if row > 0:
                lane = lanes[name]
                pieces.append(bend(at, (lane, grid.tops[0]), along="y"))
                at = (lane, grid.bottom(row - 1))
                pieces.append(straight((lane, grid.tops[0]), at))
            port = (x, grid.tops[row] - _HEADROOM)
            pieces += [bend(at, port, along="y"), straight(port, (x, self.boxes.edge(name, -1)))]
            self._link(target, name, name, chain(pieces), (0, 1))

    def from_spouses(self, grid: Grid) -> None:
        """Draw the lines from other causes up to the effects that they share."""
        across, lanes = grid.across()
        arrivals: dict[str, dict[str, float]] = {}
        for spouse in self.boxes.named("spouse"):
            for child in self.boxes.shared(spouse):
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
                pieces = [straight((x, self.boxes.edge(spouse, -1)), at)]
                if row - there > 1:
                    lane = lanes[f"{spouse}\0{child}"]
                    pieces.append(bend(at, (lane, grid.bottom(row - 1)), along="y"))
                    at = (lane, grid.tops[there + 1])
                    pieces.append(straight((lane, grid.bottom(row - 1)), at))
                port = (ends[spouse], grid.bottom(there) + _HEADROOM)
                pieces += [bend(at, port, along="y"), straight(port, (port[0], self.boxes.edge(child, 1)))]
                self._link(spouse, child, spouse, chain(pieces), (0, -1))

    def _ports(self, arriving: Mapping[str, float]) -> dict[str, float]:
        return self._ports_of(self.boxes.result.target, arriving, most=26)

    def _ports_of(self, name: str, arriving: Mapping[str, float], most: float = 14) -> dict[str, float]:
        """Spread the ends of lines over a side of a box, in the order in which they arrive."""
        apart = step(len(arriving), self.boxes.sizes[name].width * PORTS, most)
        return spread(sorted(arriving, key=lambda x: arriving[x]), self.boxes.at[name][0], apart)


def step(n: int, room: float, most: float) -> float:
    """Return how far apart the ends of n lines are, where there is so much room."""
    return min(most, room / n) if n else most


def spread(names: Sequence[str], middle: float, step: float) -> dict[str, float]:
    """Put the ends of lines side by side."""
    return {name: middle + (i - (len(names) - 1) / 2) * step for i, name in enumerate(names)}
