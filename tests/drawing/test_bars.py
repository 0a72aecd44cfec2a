"""The picture of effects, and their section of the page."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest
from making import NASTY
from matplotlib.figure import Figure

import elcs
from elcs.answers.effect import Effect
from elcs.drawing.bars import bars
from elcs.drawing.effects_section import section
from elcs.drawing.picture import Drawing
from elcs.drawing.plot import save
from elcs.drawing.text import text_width

matplotlib.use("agg")

Rectangle = tuple[float, float, float, float]

SAMPLE = elcs.Table.from_any(elcs.data.SAMPLE)


def of_sample() -> list[Effect]:
    graph = elcs.learn_graph(SAMPLE)
    return [
        *elcs.learn(SAMPLE, "satisfaction").effects(),
        graph.effect("outages", "support_calls"),  # undecided
        graph.effect("churn", "outages"),  # none
    ]


def with_long_names() -> list[Effect]:
    rng = np.random.default_rng(0)
    x = rng.integers(0, 3, 900)
    names = np.array([NASTY[1], "a level with a name that is far too long for any picture of this width", "b"])
    data = {
        "the number of times that somebody called about something " * 3: names[x],
        "y" * 90: x + rng.normal(0, 1, 900) + 1e6,
    }
    return [elcs.effect(data, *data)]


def without_estimate() -> list[Effect]:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [elcs.effect({"a": [0, 1] * 8, "b": [0, 1] * 7 + [1, 0]}, "a", "b")]


def texts(drawing: Drawing) -> list[Rectangle]:
    found = []
    for w in drawing.words:
        wide = text_width(w.text, w.size, bold=w.bold)
        left = w.x - {"start": 0.0, "middle": 0.5, "end": 1.0}[w.anchor] * wide
        found.append((left, w.y - 0.4 * w.size, left + wide, w.y + 0.4 * w.size))
    return found


def bars_of(drawing: Drawing) -> list[Rectangle]:
    found = []
    for mark in drawing.marks:
        points = mark.path.points()
        xs, ys = [x for x, _ in points], [y for _, y in points]
        found.append((min(xs), min(ys), max(xs), max(ys)))
    return found


def overlap(a: Rectangle, b: Rectangle) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


@pytest.mark.parametrize("width", [336.0, 640.0, 1000.0])
@pytest.mark.parametrize("made", [of_sample, with_long_names, without_estimate])
def test_nothing_overlaps_and_nothing_is_cut_off(made: object, width: float) -> None:
    drawing = bars(made(), width=width)  # type: ignore[operator]
    words, marks = texts(drawing), bars_of(drawing)
    for a, b in combinations(words, 2):
        assert not overlap(a, b)
    for a in words:
        assert not any(overlap(a, b) for b in marks)
    for left, top, right, bottom in words + marks:
        assert left >= 0
        assert top >= 0
        assert right <= drawing.width + 1e-6
        assert bottom <= drawing.height


def test_bars_go_from_today_to_what_would_be() -> None:
    effect = elcs.effect(SAMPLE, "outages", "satisfaction")
    drawing = bars([effect])
    told = [w.text for w in drawing.words]
    assert "outages → satisfaction = low" in told
    assert "today 24%" in told
    assert "60% (56% to 63%)" in told
    fills = [mark.fill for mark in drawing.marks if mark.fill]
    assert len(fills) == 3
    assert len(set(fills)) == 2


def test_matplotlib_draws_it(tmp_path: Path) -> None:
    effects = elcs.learn(SAMPLE, "churn").effects()
    ax = effects.plot(Figure(figsize=(7, 7)).add_axes((0, 0, 1, 1)))
    assert "contract → churn = yes" in [text.get_text() for text in ax.texts]
    effects["contract"].plot(Figure().subplots())
    for ending in ("png", "svg", "pdf"):
        save(bars(tuple(effects)), str(tmp_path / f"bars.{ending}"))
        assert (tmp_path / f"bars.{ending}").stat().st_size > 1000
    figure = effects.plot().get_figure()
    assert figure is not None
    matplotlib.pyplot.close("all")


def test_the_page_has_a_section_if_effects_are_given() -> None:
    result = elcs.learn(SAMPLE, "satisfaction")
    page = result.to_html(effects=result.effects())
    assert 'id="effects"' in page
    assert "would fall from 24% to 10% (9% to 11%)" not in result.to_html()
    assert "would fall from 24% to 10% (9% to 11%); adjusted for price_rise." in page
    assert "This holds only if no column that is missing from the table influences both." in page
    assert 'id="effects"' not in result.to_html()


def test_names_in_the_section_are_nothing_but_text() -> None:
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2, 500)
    data = {NASTY[0]: np.where(x, NASTY[1], "b"), NASTY[2]: np.where(rng.random(500) < 0.8, x, 1 - x)}
    made = section(elcs.learn(data, NASTY[0]).effects())
    assert "<script" not in made
    assert "<img" not in made
    ElementTree.fromstring(made)
    assert not re.search(r"\$\w", section(elcs.learn(SAMPLE, "churn").effects()))


def test_no_section_without_effects() -> None:
    rng = np.random.default_rng(0)
    result = elcs.learn({"a": rng.integers(0, 2, 300), "b": rng.integers(0, 2, 300)}, "a")
    assert section(result.effects()) == ""
