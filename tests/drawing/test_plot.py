"""The drawing by matplotlib, looked at with its own measurements."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch, Polygon

import elcs
from elcs.answers.blanket import MarkovBlanket
from elcs.drawing import plot as drawing
from elcs.drawing.layout import layout
from elcs.drawing.style import STYLES


@pytest.fixture(autouse=True)
def no_window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MPLBACKEND", "agg")
    mpl.use("agg")


def root(ax: Axes) -> Figure:
    figure = ax.get_figure(root=True)
    assert figure is not None
    return figure


def check_nothing_is_cut(ax: Axes) -> None:
    """Check that every text lies within the figure, and every name within a box."""
    figure = root(ax)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()  # type: ignore[no-untyped-call]
    boxes = [patch.get_window_extent() for patch in ax.patches if isinstance(patch, PathPatch) and patch.get_fill()]
    for text in ax.texts:
        extent = text.get_window_extent()
        assert figure.bbox.x0 <= extent.x0 <= extent.x1 <= figure.bbox.x1, text
        assert figure.bbox.y0 <= extent.y0 <= extent.y1 <= figure.bbox.y1, text
        if text.get_horizontalalignment() == "center" and text.get_color() in {style.text for style in STYLES.values()}:
            x0, x1 = extent.x0 + 1, extent.x1 - 1  # a letter takes whole pixels
            assert any(b.x0 <= x0 and x1 <= b.x1 and b.y0 <= extent.y0 <= b.y1 for b in boxes), text


def texts(ax: Axes) -> str:
    return "".join("".join(text.get_text() for text in ax.texts).split())


def many(n: int, name: str = "a rather long name, number") -> MarkovBlanket:
    groups: dict[str, Any] = {
        kind: tuple(f"{kind} {name} {i}" for i in range(n)) for kind in ("parents", "children", "undirected")
    }
    return MarkovBlanket("the target of it all", "made up", **groups)


def test_the_sample() -> None:
    from matplotlib import pyplot

    ax = elcs.learn(elcs.data.SAMPLE, "satisfaction").plot()
    assert [text.get_text() for text in ax.texts][:6] == [
        "satisfaction",
        "price_rise",
        "outages",
        "referral",
        "churn",
        "contract",
    ]
    assert len([patch for patch in ax.patches if isinstance(patch, Polygon)]) == 5  # arrow heads
    check_nothing_is_cut(ax)
    pyplot.close("all")


def test_edges_without_direction_have_no_head() -> None:
    result = MarkovBlanket("t", "made up", undirected=("a", "b", "c"))
    ax = result.plot(Figure().subplots())
    assert not [patch for patch in ax.patches if isinstance(patch, Polygon)]


@pytest.mark.parametrize("n", [0, 1, 3, 12, 40])
@pytest.mark.parametrize("size", [(4, 3), (10, 4), (3, 10)])
def test_into_axes_of_any_size(n: int, size: tuple[float, float]) -> None:
    scale = 3 if n == 40 else 1  # in smaller ones it cannot be read, and matplotlib writes nothing below one point
    ax = Figure(figsize=(scale * size[0], scale * size[1]), dpi=400 / scale).subplots()
    assert many(n).plot(ax) is ax
    check_nothing_is_cut(ax)


def test_a_window_that_is_resized() -> None:
    figure = Figure(figsize=(8, 6))
    canvas = FigureCanvasAgg(figure)
    ax = many(3).plot(figure.subplots())
    before = ax.texts[0].get_fontsize()
    figure.set_size_inches(4, 3)
    canvas.callbacks.process("resize_event", None)
    assert ax.texts[0].get_fontsize() == pytest.approx(float(before) / 2, rel=0.01)
    check_nothing_is_cut(ax)


@pytest.mark.parametrize("name", ["cost in $ or $US$", r"\frac{1}{0}", "<b>&amp;", " ", "Ünïcödé naïve", "x" * 300])
def test_names_are_nothing_but_text(name: str) -> None:
    ax = MarkovBlanket(name, "made up", parents=(f"{name}1",), children=(f"{name}2",)).plot(Figure().subplots())
    check_nothing_is_cut(ax)
    if name.strip() and len(name) < 100:
        assert texts(ax).startswith("".join((name + name + "1" + name + "2").split()))


def test_labels() -> None:
    ax = drawing.plot(many(2), Figure(figsize=(9, 9)).subplots(), shares={"parents a rather long name, number 1": 0.93})
    assert "93%" in [text.get_text() for text in ax.texts]
    check_nothing_is_cut(ax)


@pytest.mark.parametrize(("ending", "begins"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("PDF", b"%PDF")])
def test_files(tmp_path: Path, ending: str, begins: bytes) -> None:
    file = tmp_path / f"picture.{ending}"
    drawing.save(layout(many(3)), str(file))
    assert file.read_bytes().startswith(begins)


def test_errors_say_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(elcs.ElcsError, match=r"ends in \.png, \.svg, \.pdf, not to 'a\.bmp'"):
        drawing.save(layout(many(1)), "a.bmp")
    with pytest.raises(elcs.ElcsError, match="cannot write"):
        drawing.save(layout(many(1)), str(tmp_path / "nowhere" / "a.png"))
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(elcs.ElcsError, match=r'pip install "elcs\[plot\]"'):
        many(1).plot()


def test_arrows_that_somebody_spoke_of_are_dashed(tmp_path: Path) -> None:
    result = elcs.learn(elcs.data.SAMPLE, "contract", knowledge={"exogenous": ["age"]})
    ax = drawing.plot(result)
    check_nothing_is_cut(ax)
    assert "dashed:yousaidso" in texts(ax)
    lines = [p.get_linestyle() for p in ax.patches if isinstance(p, PathPatch) and not p.get_fill()]
    assert sum(line != "solid" for line in lines) == 2  # age -> contract, and the legend
    assert "dashed" not in texts(drawing.plot(elcs.learn(elcs.data.SAMPLE, "contract")))
    drawing.save(layout(result), str(tmp_path / "answer.png"))
