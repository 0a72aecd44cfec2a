"""Where everything goes in the picture of a whole graph: causes above their effects, in layers.

Each connected part is laid out by itself (`drawing/layers.py`, `drawing/placing.py`), and the parts stand side by side,
as many as there is room for. Variables without any edge come last. Lines leave boxes at the bottom and arrive at the
top; between layers they bend, and where they pass a layer there is room for them, so that no line runs behind a box.

Lengths are in pixels of 1/96 inch; y grows downwards.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from elcs.drawing.choice import LEAST_FIRM, widened
from elcs.drawing.grid import GAP, Grid, Size, balanced, in_rows
from elcs.drawing.layers import Pair, downwards, layered, parts
from elcs.drawing.legend import Entry, about_lines, legend
from elcs.drawing.picture import FONT, LINE_HEIGHT, SMALL, SWATCH, Box, Caption, Drawing, Line, Link
from elcs.drawing.placing import placed
from elcs.drawing.shapes import Path, Point, arrow_head, bend, chain, straight
from elcs.drawing.text import text_width, wrapped

if TYPE_CHECKING:
    from elcs.answers.graph import CausalGraph

__all__ = ["layout_graph"]

_MARGIN = 12.0
_MOST_TEXT = 118.0
_PAD_X, _PAD_Y = 11.0, 8.0
_LEAST_BOX = 52.0
_HEADROOM = 15.0
_LAYER_GAP, _MOST_GAP = 46.0, 120.0
_PART_GAP = 36.0
_PLAIN_LINE = 1.8
_PORTS, _PORT_STEP = 0.8, 13.0
_WIDE = 900.0


def layout_graph(graph: CausalGraph, *, shares: Mapping[Pair, float] | None = None) -> Drawing:
    """Lay out a whole graph.

    Parameters
    ----------
    graph : CausalGraph
        What to draw.
    shares : mapping of (str, str) to float, optional
        For edges as the graph has them, the share of half-samples in which they come back (`GraphStability.of`); if
        that is less than half, they are drawn pale.

    Examples
    --------
    >>> import elcs
    >>> drawing = layout_graph(elcs.learn_graph(elcs.data.SAMPLE))
    >>> y = {box.name: box.y for box in drawing.boxes}
    >>> y["outages"] < y["satisfaction"] < y["churn"]
    True
    """
    return _Whole(graph, shares or {}).drawing()


class _Whole:
    """The work of `layout_graph`, step by step."""

    def __init__(self, graph: CausalGraph, shares: Mapping[Pair, float]) -> None:
        self.graph, self.shares = graph, shares
        self.sizes = {name: _size(name) for name in graph.nodes}
        self.edges = list(graph.edges)
        self.directed = frozenset(graph.directed)
        self.leaning = {frozenset(edge): edge for edge in graph.leanings}
        self.widths = graph.strengths
        self.at: dict[str, Point] = {}
        self.links: list[Link] = []

    def drawing(self) -> Drawing:
        """Lay out the parts, put them side by side, add what is connected with nothing, and the legend."""
        apart = parts(self.graph.nodes, self.edges)
        alone = [part[0] for part in apart if len(part) == 1]
        pieces = [_Part(self, part) for part in apart if len(part) > 1]
        for piece, (x, y) in zip(pieces, _packed([(piece.width, piece.height) for piece in pieces]), strict=True):
            piece.move(x, y)
        for piece in pieces:
            self.at.update(piece.at)
            self.links += piece.links
        right = [x + self.sizes[name].width / 2 for name, (x, _) in self.at.items()]
        width = max([*right, *(x for link in self.links for x, _ in link.path.points(4))], default=0.0)
        low = max((piece.at_y + piece.height for piece in pieces), default=0.0)
        captions, low = self._alone(alone, width or _WIDE, low)
        return self._framed(captions, width, low)

    def _alone(self, names: list[str], room: float, y: float) -> tuple[list[Caption], float]:
        """Place the variables without any edge in rows below a caption."""
        if not names:
            return [], y
        y += 30.0 if self.at else 8.0
        most = next(k for k in range(len(names), 0, -1) if k == 1 or _rows(names, k, self.sizes).width <= room)
        grid = _rows(names, most, self.sizes)
        low = grid.stack(y + 14, GAP)
        middle = room / 2
        self.at.update({name: (middle + x, grid.middle(name)) for name, x in grid.across()[0].items()})
        return [Caption(middle, y, "Connected with nothing in the table:")], low

    def _framed(self, captions: list[Caption], width: float, y: float) -> Drawing:
        entries: list[Entry] = [("node", "causes are above their effects")] if self.links else []
        entries += about_lines(self.links)
        room = max(width, 420.0)
        keys, y = legend(entries, room, y + 14) if entries else ([], y)
        keys = [key._replace(x=key.x + room / 2) for key in keys]
        edges = [(x - self.sizes[v].width / 2, x + self.sizes[v].width / 2) for v, (x, _) in self.at.items()]
        edges += [(x, x) for link in self.links for x, _ in link.path.points(4)]
        edges += [(k.x - SWATCH / 2, k.text_at + text_width(k.text, SMALL)) for k in keys]
        edges += [(c.x - w / 2, c.x + w / 2) for c in captions if (w := text_width(c.text, SMALL))]
        left, right = (
            min((a for a, _ in edges), default=0.0) - _MARGIN,
            max((b for _, b in edges), default=0.0) + _MARGIN,
        )
        dx, dy = -left, _MARGIN
        boxes = (
            Box(name, "node", self.at[name][0] + dx, self.at[name][1] + dy, s.width, s.height, s.lines)
            for name, s in self.sizes.items()
        )
        return Drawing(
            width=right - left,
            height=y + 2 * dy,
            boxes=tuple(boxes),
            links=tuple(link.moved(dx, dy) for link in self.links),
            keys=tuple(k._replace(x=k.x + dx, y=k.y + dy) for k in keys),
            captions=tuple(c._replace(x=c.x + dx, y=c.y + dy) for c in captions),
        )

    def line_of(self, a: str, b: str) -> tuple[Line, Pair]:
        """Say what kind of line an edge is, and where it points: from the first to the second."""
        if (a, b) in self.graph.from_knowledge:
            return "said", (a, b)
        leans = self.leaning.get(frozenset((a, b)))
        if (a, b) not in self.directed:
            return ("open", (a, b)) if leans is None else ("leaning", leans)
        return "arrow", (a, b)


class _Part:
    """A connected part, from (0, 0) at its top left."""

    def __init__(self, whole: _Whole, names: list[str]) -> None:
        self.whole, self.sizes = whole, whole.sizes
        inside = set(names)
        edges = [edge for edge in whole.edges if edge[0] in inside]
        arrows = [edge for edge in edges if edge in whole.directed]
        leaning = [whole.line_of(*edge)[1] for edge in edges if whole.line_of(*edge)[0] == "leaning"]
        known = {frozenset(edge) for edge in (*arrows, *leaning)}
        rest = [edge for edge in edges if frozenset(edge) not in known]
        pairs = downwards(names, arrows, leaning, rest)
        self.layers = layered(names, pairs)
        self.edge_of = {frozenset(edge): edge for edge in edges}
        self.across = placed(self.layers, self._widths())
        self._shift()
        self.tops, self.bottoms = self._stack()
        self.height = self.bottoms[-1]
        self.at = {
            name: (self.across[i], (self.tops[r] + self.bottoms[r]) / 2)
            for r, row in enumerate(self.layers.rows)
            for i in row
            if i < len(names) and (name := names[i])
        }
        self.links = self._links()

    def _widths(self) -> dict[int, float]:
        made, names = self.layers, self.layers.names
        widths = {i: self.sizes[name].width for i, name in enumerate(names)}
        for (a, b), chain_ in made.chains.items():
            widths |= {i: self._line_width(a, b) for i in chain_ if made.is_joint(i)}
        return widths

    def _line_width(self, a: str, b: str) -> float:
        strength = self.whole.widths.get(frozenset((a, b)))
        return _PLAIN_LINE if strength is None else widened(strength)

    def _shift(self) -> None:
        """Let it begin at x = 0."""
        widths = self._widths()
        left = min(x - widths[i] / 2 for i, x in self.across.items())
        self.across = {i: x - left for i, x in self.across.items()}
        self.width = max(x + widths[i] / 2 for i, x in self.across.items())

    def _stack(self) -> tuple[list[float], list[float]]:
        """Return where the layers begin and end; the farther lines go sideways, the more room there is between them."""
        tops, bottoms, y = [], [], 0.0
        made = self.layers
        for row in made.rows:
            tops.append(y)
            bottoms.append(y + max([self.sizes[made.names[i]].height for i in row if not made.is_joint(i)] or [0.0]))
            far = max([abs(self.across[u] - self.across[v]) for u in row for v in made.below[u]] or [0.0])
            y = bottoms[-1] + min(_LAYER_GAP + 0.12 * far, _MOST_GAP)
        return tops, bottoms

    def move(self, x: float, y: float) -> None:
        """Put its top left elsewhere."""
        self.at_y = y
        self.at = {name: (a + x, b + y) for name, (a, b) in self.at.items()}
        self.links = [link.moved(x, y) for link in self.links]

    def _links(self) -> list[Link]:
        made = self.layers
        leaving = {i: self._ports(i, made.below[i]) for i in range(len(made.names))}
        arriving = {i: self._ports(i, made.above[i]) for i in range(len(made.names))}
        layer = {i: r for r, row in enumerate(made.rows) for i in row}
        links = []
        for (a, b), chain_ in made.chains.items():
            line, (start, end) = self.whole.line_of(*self.edge_of[frozenset((a, b))])
            if line == "open":
                start, end = a, b
            up, down = (start, end) == (b, a), line != "open" and (start, end) == (a, b)
            first, last = chain_[0], chain_[-1]
            x, r = leaving[first][chain_[1]], layer[first]
            at = (x, self.bottoms[r] + _HEADROOM * up)
            pieces = [straight((x, self.at[a][1] + self.sizes[a].height / 2), at)]
            for joint in chain_[1:-1]:
                r += 1
                to = (self.across[joint], self.tops[r])
                pieces += [bend(at, to, along="y"), straight(to, (to[0], self.bottoms[r]))]
                at = (to[0], self.bottoms[r])
            x = arriving[last][chain_[-2]]
            to = (x, self.tops[r + 1] - _HEADROOM * down)
            tip = (x, self.at[b][1] - self.sizes[b].height / 2)
            path = chain([*pieces, bend(at, to, along="y"), straight(to, tip)])
            links.append(self._link((start, end), path.reversed() if up else path, line))
        return links

    def _link(self, edge: Pair, path: Path, line: Line) -> Link:
        width = self._line_width(*edge)
        head = None
        if line != "open":
            (_, y), before = path.end, path.curves[-2][2] if len(path.curves) > 1 else path.start
            head = arrow_head(path.end, (0, 1 if y > before[1] else -1), width)
            base = ((head[1][0] + head[2][0]) / 2, (head[1][1] + head[2][1]) / 2)
            path = Path(path.start, (*path.curves[:-1], straight(before, base)[1]))
        shares = self.whole.shares
        share = shares.get(edge, shares.get((edge[1], edge[0]), 1.0))
        return Link(*edge, edge[0], path, width, head, line, share < LEAST_FIRM)

    def _ports(self, node: int, others: list[int]) -> dict[int, float]:
        """Spread the ends of lines over a side of a box, in the order in which they come."""
        order = sorted(others, key=lambda i: self.across[i])
        step = min(_PORT_STEP, self.sizes[self.layers.names[node]].width * _PORTS / max(len(order), 1))
        return {i: self.across[node] + (k - (len(order) - 1) / 2) * step for k, i in enumerate(order)}


def _packed(sizes: list[tuple[float, float]]) -> list[Point]:
    """Put parts side by side in rows, as wide as makes all of them together about half as wide again as tall."""
    rooms = sorted({sum(width + _PART_GAP for width, _ in sizes[:k]) for k in range(1, len(sizes) + 1)})
    tried = [_in_rows_of(sizes, max([room, *(width for width, _ in sizes)])) for room in rooms]
    return min(tried, key=lambda found: max(found[1] / 1.5, found[2]))[0] if tried else []


def _in_rows_of(sizes: list[tuple[float, float]], room: float) -> tuple[list[Point], float, float]:
    """Return where each part goes if rows are at most this wide, and how wide and tall all of that is."""
    found: list[Point] = []
    x = y = wide = low = 0.0
    for width, height in sizes:
        if x > 0 and x + width > room:
            x, y = 0.0, low + _PART_GAP
        found.append((x, y))
        wide, low = max(wide, x + width), max(low, y + height)
        x += width + _PART_GAP
    return found, wide, low


def _size(name: str) -> Size:
    lines = wrapped(name, _MOST_TEXT, FONT)
    width = max(_LEAST_BOX, max(text_width(line, FONT) for line in lines) + 2 * _PAD_X)
    return Size(lines, width, LINE_HEIGHT * len(lines) + 2 * _PAD_Y)


def _rows(names: list[str], most: int, sizes: Mapping[str, Size]) -> Grid:
    per_row = balanced(len(names), most)
    return Grid(in_rows(names, per_row, per_row), per_row, sizes)
