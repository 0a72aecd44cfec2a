"""Where things go: nothing overlaps, nothing is cut, and everything is where its role says."""

from __future__ import annotations

import re
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import elcs
from elcs.answers.blanket import MarkovBlanket
from elcs.drawing.layout import layout
from elcs.drawing.picture import FONT, SMALL, Box, Drawing
from elcs.drawing.style import STYLES
from elcs.drawing.text import shown, text_width, wrapped

NAMES = st.one_of(
    st.text(min_size=1, max_size=12),
    st.text("abcXYZ_ .0-", min_size=1, max_size=60),
    st.sampled_from([" ", "  ", "\t", "\n", "W" * 500, "i" * 90, "a_" * 200, "名前" * 30, "<b>&amp;</b>", "$x$"]),
)


@st.composite
def results(draw: st.DrawFn, most: int = 14) -> MarkovBlanket:
    """Draw results of all shapes and sizes, most of them small."""
    count = st.one_of(st.integers(0, 3), st.integers(0, most))
    n = [draw(count) for _ in range(5)]
    stems = draw(st.lists(NAMES, min_size=1, max_size=5))
    names = [f"{stems[i % len(stems)]}{i or ''}" for i in range(sum(n) + 1)]
    target, rest = names[0], iter(names[1:])
    parents, children, undirected, spouses, members = ([next(rest) for _ in range(k)] for k in n)
    shared: dict[str, list[str]] = {}
    for spouse in spouses if children else ():
        for child in draw(st.lists(st.sampled_from(children), min_size=1, max_size=3, unique=True)):
            shared.setdefault(child, []).append(spouse)
    return MarkovBlanket(
        target=target,
        method="made up",
        parents=tuple(parents),
        children=tuple(children),
        undirected=tuple(undirected),
        spouses={child: tuple(found) for child, found in shared.items()},
        members=tuple(members),
    )


def numbered(n: int, **more: int) -> MarkovBlanket:
    kinds = {"parents": n, "children": n, "undirected": n, "members": n, **more}
    groups = {kind: tuple(f"{kind} number {i}" for i in range(k)) for kind, k in kinds.items()}
    spouses = {child: (f"spouse of {child}", "spouse of all") for child in groups["children"]}
    return MarkovBlanket(target="target", method="made up", spouses=spouses, **groups)  # type: ignore[arg-type]


def inside(box: Box, x: float, y: float, by: float) -> bool:
    return abs(x - box.x) < box.width / 2 - by and abs(y - box.y) < box.height / 2 - by


def check(result: MarkovBlanket, drawing: Drawing) -> None:
    drawn = {box.name: box for box in drawing.boxes}
    boxes = {name: box for box in drawing.boxes for name in box.hides or (box.name,)}
    assert set(boxes) == {result.target, *result.markov_blanket}
    assert sum(len(box.hides) or 1 for box in drawing.boxes) == len(boxes)
    for a, b in combinations(drawing.boxes, 2):
        apart = abs(a.x - b.x) >= (a.width + b.width) / 2 + 3 or abs(a.y - b.y) >= (a.height + b.height) / 2 + 3
        assert apart, (a, b)
    for box in drawing.boxes:
        assert box.width / 2 <= box.x <= drawing.width - box.width / 2
        assert box.height / 2 <= box.y <= drawing.height - box.height / 2
        for y, line in box.middles:
            assert text_width(line, FONT, bold=box.role == "target") <= box.width - 8
            assert abs(y - box.y) + 8 <= box.height / 2
    target = boxes[result.target]
    for name in result.parents:
        assert boxes[name].y + boxes[name].height / 2 < target.y - target.height / 2
    for name in result.children:
        assert boxes[name].y - boxes[name].height / 2 > target.y + target.height / 2
    for name in result.undirected:
        assert abs(boxes[name].x - target.x) >= (boxes[name].width + target.width) / 2
    for child, spouses in result.spouses.items():
        assert all(boxes[x].y > boxes[child].y for x in spouses)
    for name in result.members:
        assert all(boxes[name].y > boxes[x].y for x in (target.name, *result.neighbours))
    for link in drawing.links:
        assert (link.head is None) == (drawn[link.variable].role == "undirected")
        a, b = drawn[link.start], drawn[link.end]
        tip = link.path.end if link.head is None else link.head[0]
        for (x, y), box in ((link.path.start, a), (tip, b)):
            assert inside(box, x, y, -0.1)
            assert not inside(box, x, y, 0.1)
        for x, y in link.path.points():
            assert 0 <= x <= drawing.width
            assert 0 <= y <= drawing.height
            assert not [box.name for box in drawing.boxes if inside(box, x, y, 0.5)]
    for key in drawing.keys:
        assert 0 <= key.x <= key.text_at + text_width(key.text, SMALL) <= drawing.width
        assert key.y + SMALL / 2 <= drawing.height
    for caption in drawing.captions:
        assert text_width(caption.text, SMALL) / 2 <= caption.x <= drawing.width
        assert caption.y <= drawing.height


@settings(max_examples=150, deadline=None)
@given(results(), st.sampled_from([336.0, 500.0, 860.0, 1400.0]))
def test_nothing_overlaps_and_everything_is_in_its_place(result: MarkovBlanket, width: float) -> None:
    check(result, layout(result, width=width))


@pytest.mark.parametrize("n", [0, 1, 3, 12, 40])
@pytest.mark.parametrize("width", [336, 860, None])
@pytest.mark.parametrize("most", [15, None])
def test_few_and_many(n: int, width: float | None, most: int | None) -> None:
    result = numbered(n)
    drawing = layout(result, width=width, most=most)
    check(result, drawing)
    if most is None:
        assert len(drawing.boxes) == 1 + len(result.markov_blanket)
    if n <= 12 and width is not None:
        assert drawing.width <= width


@pytest.mark.parametrize("kind", ["parents", "children", "undirected", "members"])
def test_many_of_one_kind(kind: str) -> None:
    nothing = dict.fromkeys(("parents", "children", "undirected", "members"), 0)
    result = numbered(0, **{**nothing, kind: 60})
    check(result, layout(result, most=None))
    check(result, layout(result))


def test_labels_are_given_room() -> None:
    result = numbered(3)
    drawing = layout(result, shares={"parents number 1": 0.87, "children number 0": 0.1})
    check(result, drawing)
    labelled = next(box for box in drawing.boxes if box.label)
    assert labelled.label_at > max(y for y, _ in labelled.middles)
    assert text_width(labelled.label, SMALL) <= labelled.width - 8


def test_the_stronger_the_association_the_wider_the_line() -> None:
    result = elcs.learn(elcs.data.SAMPLE, "satisfaction")
    widths = {link.variable: link.width for link in layout(result).links}
    strength = {x: e.association.result.statistic for x, e in result.evidence.items() if e.association}
    order = sorted(result.neighbours, key=lambda x: strength[x])
    assert sorted(result.neighbours, key=lambda x: widths[x]) == order
    assert len({widths[x] for x in order}) == len(order)
    alone = elcs.learn(elcs.DSeparation(elcs.networks.load("asia").to_networkx()), "either")
    assert len({link.width for link in layout(alone).links}) == 1


@pytest.mark.parametrize("n", [500, 50_000])
@pytest.mark.parametrize("test", [elcs.Mixed, elcs.FisherZ, elcs.DegenerateGaussian, elcs.G2, elcs.Chi2])
def test_widths_can_be_compared_between_tests_and_tables(test: type[elcs.CITest], n: int) -> None:
    rng = np.random.default_rng(n)
    x = rng.normal(size=n)
    numbers = {"x": x, "weak": 0.8 * x + rng.normal(size=n), "strong": 2 * x + rng.normal(size=n)}
    levels = issubclass(test, elcs.G2)
    result = elcs.learn({k: v > 0 for k, v in numbers.items()} if levels else numbers, "x", ci_test=test)
    widths = {link.variable: link.width for link in layout(result).links}
    expected = (1.2 + 5 * 0.43, 1.2 + 5 * 0.70) if levels else (1.2 + 5 * 0.62, 1.2 + 5 * 0.89)
    assert (widths["weak"], widths["strong"]) == pytest.approx(expected, abs=0.4)


def test_a_name_that_is_listed_twice_is_drawn_once() -> None:
    result = MarkovBlanket("t", "made up", parents=("a",), members=("a", "b"), spouses={"gone": ("c",)})
    drawing = layout(result)
    assert [(box.name, box.role) for box in drawing.boxes][:2] == [("t", "target"), ("a", "parent")]
    assert len({box.name for box in drawing.boxes}) == len(drawing.boxes) == 4


@settings(deadline=None)
@given(NAMES, st.floats(40, 200))
def test_lines_fit_and_say_what_they_can(name: str, width: float) -> None:
    lines = wrapped(name, width, FONT)
    assert 1 <= len(lines) <= 3
    assert all(line.strip() for line in lines)
    assert all(text_width(line, FONT) <= width or len(line) == 1 for line in lines)
    letters = "".join("".join(lines).split())
    if "…" not in letters:
        assert letters == "".join(shown(name).split())


def test_breaks_are_where_words_end() -> None:
    assert wrapped("InsuranceClaimNumber", 75, FONT) == ("Insurance", "Claim", "Number")
    assert wrapped("total cost of repairs", 90, FONT) == ("total cost of", "repairs")
    assert wrapped("x" * 400, 60, FONT)[0].startswith("xxx")


def _lightness(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_names_can_be_read_and_roles_told_apart_without_colour() -> None:
    for style in STYLES.values():
        light, dark = sorted((_lightness(style.fill), _lightness(style.text)))[::-1]
        assert (light + 0.05) / (dark + 0.05) >= 4.5
    seen = {(style.shape, bool(style.dashes), round(_lightness(style.fill), 1)) for style in STYLES.values()}
    assert len(seen) == len(STYLES)
    assert len({(style.shape, style.dashes) for role, style in STYLES.items() if role != "target"}) == len(STYLES) - 1


def test_what_a_stopped_run_has_not_settled_is_not_called_undecided() -> None:
    stopped = elcs.learn(elcs.data.SAMPLE, "satisfaction", method="elcs-exact", max_tests=40)
    assert not stopped.complete
    assert stopped.undirected
    words = [key.text for key in layout(stopped).keys]
    assert "not settled: the run was stopped" in words
    assert not any("undecided" in text for text in words)
    assert "<dt>not settled</dt>" in stopped.to_html()


def test_the_page_says_which_way_an_open_edge_leans() -> None:
    result = elcs.learn(elcs.networks.load("child").sample(500, random_state=1), "Grunting")
    assert set(result.leanings.values()) == {"parent", "child"}
    page = result.to_html()
    for x in result.undirected:
        said = re.search(rf"{x}(?:</\w+>)*</a> \(leans to (\w+)\)", page)
        leaning = {"parent": "cause", "child": "effect"}.get(result.leanings.get(x, ""))
        assert (said and said[1]) == leaning
