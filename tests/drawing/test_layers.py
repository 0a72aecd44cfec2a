"""Where things go in the picture of a whole graph: layers by causal order, no overlaps, few crossings."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, permutations, product

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from making import dags
from sklearn.isotonic import IsotonicRegression

import elcs
from elcs.drawing.layers import Layers, _ranks, crossings, downwards, layered, parts
from elcs.drawing.picture import FONT, SMALL, Box, Drawing, Link
from elcs.drawing.placing import increasing
from elcs.drawing.text import text_width
from elcs.drawing.whole import layout_graph


@st.composite
def graphs(draw: st.DrawFn) -> elcs.CausalGraph:
    """Draw graphs with arrows, open and leaning edges, circles, lonely variables and names of all lengths."""
    n = draw(st.integers(1, 12))
    stem = draw(st.sampled_from(["x", "a rather long name with words", "W" * 60, "名前" * 12, "<b>"]))
    nodes = tuple(f"{stem}{i}" for i in range(n))
    pairs = list(combinations(nodes, 2))
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=18)) if pairs else []
    directed, undirected = [], []
    leanings: dict[tuple[str, str], float | None] = {}
    said: dict[tuple[str, str], str] = {}
    for a, b in chosen:
        kind = draw(st.sampled_from(["forth", "forth", "back", "open", "leaning", "said"]))
        arrow = (b, a) if kind == "back" else (a, b)
        if kind in ("open", "leaning"):
            undirected.append((a, b))
            leanings |= {(b, a): 1.0} if kind == "leaning" else {}
        else:
            directed.append(arrow)
            said |= {arrow: "so"} if kind == "said" else {}
    return elcs.CausalGraph(nodes, "made up", tuple(directed), tuple(undirected), leanings, from_knowledge=said)


def inside(box: Box, x: float, y: float, by: float) -> bool:
    return abs(x - box.x) < box.width / 2 - by and abs(y - box.y) < box.height / 2 - by


def ends(link: Link) -> Iterator[tuple[float, float]]:
    yield link.path.start
    yield link.path.end if link.head is None else link.head[0]


def check(graph: elcs.CausalGraph, drawing: Drawing) -> None:
    boxes = {box.name: box for box in drawing.boxes}
    assert set(boxes) == set(graph.nodes)
    for a, b in combinations(drawing.boxes, 2):
        assert abs(a.x - b.x) >= (a.width + b.width) / 2 + 3 or abs(a.y - b.y) >= (a.height + b.height) / 2 + 3
    for box in drawing.boxes:
        assert box.width / 2 <= box.x <= drawing.width - box.width / 2
        assert box.height / 2 <= box.y <= drawing.height - box.height / 2
        assert all(text_width(line, FONT) <= box.width - 8 for _, line in box.middles)
    edges = {frozenset(edge): edge for edge in (*graph.directed, *graph.undirected)}
    assert {frozenset((link.start, link.end)) for link in drawing.links} == set(edges)
    for link in drawing.links:
        edge = edges[frozenset((link.start, link.end))]
        if edge in graph.directed:
            assert (link.start, link.end) == edge
            assert link.line == ("said" if edge in graph.from_knowledge else "arrow")
        elif (link.start, link.end) in graph.leanings:
            assert link.line == "leaning"
        else:
            assert link.line == "open"
        assert (link.head is None) == (link.line == "open")
        for (x, y), name in zip(ends(link), (link.start, link.end), strict=True):
            assert inside(boxes[name], x, y, -0.1)
            assert not inside(boxes[name], x, y, 0.1)
        for x, y in link.path.points():
            assert 0 <= x <= drawing.width
            assert 0 <= y <= drawing.height
            assert not [box.name for box in drawing.boxes if inside(box, x, y, 0.5)]
    for key in drawing.keys:
        assert 0 <= key.x <= key.text_at + text_width(key.text, SMALL) <= drawing.width
        assert key.y + SMALL / 2 <= drawing.height


@settings(max_examples=60, deadline=None)
@given(graphs())
def test_nothing_overlaps_and_the_same_graph_gives_the_same_picture(graph: elcs.CausalGraph) -> None:
    drawing = layout_graph(graph)
    check(graph, drawing)
    assert layout_graph(graph) == drawing
    if nx.is_directed_acyclic_graph(nx.DiGraph(graph.directed)):
        boxes = {box.name: box for box in drawing.boxes}
        for cause, effect in graph.directed:
            assert boxes[cause].y + boxes[cause].height / 2 < boxes[effect].y - boxes[effect].height / 2


@pytest.mark.parametrize("name", ["alarm", "child", "insurance", "win95pts"])
def test_learnt_graphs(name: str) -> None:
    true = elcs.networks.load(name)
    with_arrows = elcs.CausalGraph(tuple(true.to_networkx()), "truth", tuple(true.to_networkx().edges))
    check(with_arrows, layout_graph(with_arrows))


def test_a_large_graph_can_be_drawn() -> None:
    rng = np.random.default_rng(0)
    nodes = tuple(f"variable_{i}" for i in range(200))
    arrows = {(nodes[i], nodes[int(rng.integers(max(0, i - 30), i))]) for i in range(1, 200) for _ in range(2)}
    graph = elcs.CausalGraph(nodes, "made up", tuple(sorted((b, a) for a, b in arrows)))
    check(graph, layout_graph(graph))


def test_circles_are_drawn_as_they_are() -> None:
    graph = elcs.CausalGraph(tuple("abc"), "made up", (("a", "b"), ("b", "c"), ("c", "a")))
    drawing = layout_graph(graph)
    check(graph, drawing)
    up = next(link for link in drawing.links if link.start == "c")
    assert up.head is not None
    assert up.head[0][1] < up.path.start[1]  # it ends above where it starts, at the bottom of a


def test_pale_is_what_does_not_come_back() -> None:
    graph = elcs.CausalGraph(tuple("abcd"), "made up", (("a", "b"), ("b", "c")), (("c", "d"),))
    shares = {("a", "b"): 0.0, ("b", "c"): 0.5, ("c", "d"): 0.3}
    drawing = layout_graph(graph, shares=shares)
    assert {(link.start, link.end): link.pale for link in drawing.links} == {
        ("a", "b"): True,
        ("b", "c"): False,
        ("c", "d"): True,
    }
    assert any(key.text.startswith("pale") for key in drawing.keys)
    assert not any(key.text.startswith("pale") for key in layout_graph(graph).keys)


# The steps, one by one


@settings(deadline=None)
@given(dags(5))
def test_lines_are_as_short_as_they_can_be(dag: nx.DiGraph[str]) -> None:
    assume(dag.number_of_edges() > 0)
    nodes = list(dag)
    pairs = [(nodes.index(a), nodes.index(b)) for a, b in dag.edges]
    ranks = _ranks(len(nodes), pairs)
    assert min(ranks) == 0
    assert all(ranks[a] < ranks[b] for a, b in pairs)
    every = product(range(len(nodes)), repeat=len(nodes))
    best = min(sum(r[b] - r[a] for a, b in pairs) for r in every if all(r[a] < r[b] for a, b in pairs))
    assert sum(ranks[b] - ranks[a] for a, b in pairs) == best


def by_hand(made: Layers) -> int:
    """Count crossings by comparing every two lines between every two layers."""
    total = 0
    for upper, lower in zip(made.rows, made.rows[1:], strict=False):
        lines = [(upper.index(u), lower.index(v)) for u in upper for v in made.below[u]]
        total += sum((a - c) * (b - d) < 0 for (a, b), (c, d) in combinations(lines, 2))
    return total


@settings(deadline=None)
@given(dags(9))
def test_crossings_are_counted_and_few(dag: nx.DiGraph[str]) -> None:
    part = next(iter(parts(list(dag), dag.edges)))
    assume(len(part) > 1)
    made = layered(part, [edge for edge in dag.edges if edge[0] in part])
    assert crossings(made) == by_hand(made)
    rows = [list(row) for row in made.rows]
    size = int(np.prod([np.prod(range(1, len(row) + 1), dtype=float) for row in rows]))
    if size <= 300:
        fewest = min(
            by_hand(Layers([list(row) for row in order], made.names, made.above, made.below))
            for order in product(*(permutations(row) for row in rows))
        )
        assert crossings(made) <= fewest + 1  # sweeps are not exact


def test_trees_do_not_cross() -> None:
    tree = nx.balanced_tree(3, 3, create_using=nx.DiGraph)
    rng = np.random.default_rng(0)
    nodes = [str(v) for v in rng.permutation(list(tree))]
    assert crossings(layered(nodes, [(str(a), str(b)) for a, b in tree.edges])) == 0


@settings(deadline=None)
@given(st.lists(st.tuples(st.floats(-100, 100), st.floats(0.1, 9)), min_size=1, max_size=20))
def test_pooling_is_isotonic_regression(points: list[tuple[float, float]]) -> None:
    wanted, weights = zip(*points, strict=True)
    found = increasing(wanted, weights)
    expected = IsotonicRegression().fit_transform(range(len(wanted)), wanted, sample_weight=weights)
    assert np.allclose(found, expected, atol=1e-6)


@given(dags(8))
def test_arrows_decide_who_is_above(dag: nx.DiGraph[str]) -> None:
    arrows = list(dag.edges)
    half = len(arrows) // 2
    found = downwards(list(dag), arrows[:half], [], [(b, a) for a, b in arrows[half:]])
    assert found[:half] == arrows[:half]
    assert nx.is_directed_acyclic_graph(nx.DiGraph(found))
