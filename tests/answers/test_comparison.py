"""What several methods say, side by side."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from making import graph_of
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

import elcs
from elcs.answers.roles import ROLES
from elcs.drawing import matrix
from elcs.drawing.style import STYLES

METHODS = ["elcs-exact", "cmb", "pc-stable", "iamb", "mmpc", "s2tmb"]


@pytest.fixture(scope="module")
def found() -> elcs.Comparison:
    return elcs.compare(elcs.data.SAMPLE, "satisfaction", METHODS)


def test_each_says_what_it_says_alone(found: elcs.Comparison) -> None:
    assert found.methods == tuple(METHODS)
    for method in METHODS:
        ask = elcs.learn if method in METHODS[:3] else elcs.blanket
        alone = ask(elcs.data.SAMPLE, "satisfaction", method=method)
        assert {x: said[method] for x, said in found.found.items() if said[method] != "other"} == alone.roles
        # cold caches: nobody is helped by those that came before
        assert (found.results[method].n_tests, found.results[method].n_computed) == (alone.n_tests, alone.n_computed)


def test_a_warm_cache_helps_nobody(found: elcs.Comparison) -> None:
    test = elcs.G2(elcs.data.SAMPLE)
    elcs.learn(test, "satisfaction")
    again = elcs.compare(test, "satisfaction", METHODS)
    assert {m: r.n_computed for m, r in again.results.items()} == {m: r.n_computed for m, r in found.results.items()}
    assert again.roles == found.roles


def test_agreement(found: elcs.Comparison) -> None:
    assert found.agreement["churn"] == (6, 5, 4)
    assert found.agreement["contract"] == (4, 0, 4)  # mmpc finds neighbours only
    assert found.agreement["region"] == (0, 0, 6)
    assert set(found.roles) == {*found.variables}
    order = [found.agreement[x].blanket for x in found.roles]
    assert order == sorted(order, reverse=True)
    assert "region" not in found.found


def test_in_words_and_as_data(found: elcs.Comparison) -> None:
    lines = str(found).splitlines()
    assert lines[0] == "satisfaction: what 6 methods say"
    churn = next(line for line in lines if line.startswith("  churn"))
    assert churn.split() == [
        "churn",
        "effect",
        "effect",
        "effect",
        "member",
        "either",
        "effect",
        "6",
        "of",
        "6",
        "4",
        "of",
        "6",
    ]
    assert "others: in no blanket" in str(found)
    data = json.loads(found.to_json())
    assert data == found.to_dict()
    assert data["variables"]["churn"]["roles"]["iamb"] == "member"
    assert data["methods"]["cmb"]["n_tests"] == found.results["cmb"].n_tests


def test_a_known_graph() -> None:
    graph = graph_of("A>C B>C C>D")
    found = elcs.compare(elcs.DSeparation(graph), "C", ["elcs-exact", "pc-stable", "mmpc"], max_cond_size=None)
    assert all(said[m] == ("child" if x == "D" else "parent") for x, said in found.roles.items() for m in METHODS[:1])
    assert all(agreement.neighbour == 3 for agreement in found.agreement.values())
    with pytest.raises(elcs.ElcsError, match="scores need a table"):
        elcs.compare(elcs.DSeparation(graph), "C", ["s2tmb"])


def test_a_score_keeps_its_settings() -> None:
    found = elcs.compare(elcs.BDeu(elcs.data.SAMPLE, ess=2.0), "churn", ["elcs-exact", "s2tmb"])
    assert found.results["s2tmb"].settings["ess"] == 2


def test_limits_are_for_each_method() -> None:
    found = elcs.compare(elcs.data.SAMPLE, "churn", ["elcs-exact", "pc-stable"], max_tests=80)
    assert [r.complete for r in found.results.values()] == [True, False]
    assert str(found).endswith("stopped before the end: pc-stable")


def test_errors() -> None:
    with pytest.raises(elcs.ElcsError, match="did you mean 'cmb'"):
        elcs.compare(elcs.data.SAMPLE, "churn", ["cbm"])
    with pytest.raises(elcs.ElcsError, match="list of names"):
        elcs.compare(elcs.data.SAMPLE, "churn", "cmb")
    with pytest.raises(elcs.ElcsError, match="list of names"):
        elcs.compare(elcs.data.SAMPLE, "churn", [])


def test_the_picture_shows_every_answer(found: elcs.Comparison, tmp_path: Path) -> None:
    ax = found.plot(Figure().subplots())
    boxes = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    answers = [role for said in found.found.values() for role in said.values()]
    assert len(boxes) == sum(role != "other" for role in answers)
    shown = [text.get_text() for text in ax.texts]
    assert sum(text in ("→", "←", "—", "◇", "•", "·") for text in shown) == len(answers)
    for ending in (".png", ".svg", ".pdf"):
        matrix.save(found, str(tmp_path / f"picture{ending}"))
        assert (tmp_path / f"picture{ending}").stat().st_size > 1000
    with pytest.raises(elcs.ElcsError, match="ends in .png"):
        matrix.save(found, "picture.gif")
    with pytest.raises(elcs.ElcsError, match="cannot write"):
        matrix.save(found, "/no/such/folder/picture.png")


def test_a_figure_of_its_own(found: elcs.Comparison) -> None:
    from matplotlib import pyplot

    with mpl.rc_context({"backend": "agg"}):
        ax = found.plot()
        pyplot.close(ax.get_figure())  # type: ignore[arg-type]


def test_the_legend_fits_into_a_narrow_picture() -> None:
    from matplotlib import pyplot

    axes = elcs.compare(elcs.data.SAMPLE, "satisfaction", ["elcs-exact", "iamb"]).plot()
    legend = axes.xaxis.label
    assert all(words in legend.get_text() for words in ("direct cause", "direct effect", "other cause", "blanket"))
    figure = axes.get_figure()
    assert figure is not None
    figure.draw_without_rendering()  # type: ignore[union-attr]
    extent, whole = legend.get_window_extent(), figure.bbox
    assert whole.x0 <= extent.x0
    assert extent.x1 <= whole.x1
    pyplot.close("all")


def test_nothing_found_and_odd_names(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    table = {"$x$": rng.integers(0, 2, 300), "_y^": rng.integers(0, 2, 300), "z": rng.integers(0, 2, 300)}
    nothing = elcs.compare(table, "$x$", ["elcs-exact"], alpha=1e-9)
    matrix.save(nothing, str(tmp_path / "nothing.png"))
    assert "2 others: in no blanket" in str(nothing)
    table["$z$"] = table["$x$"]
    with pytest.warns(elcs.DataWarning, match="column '[$]z[$]' holds the same thing as the target"):
        matrix.save(elcs.compare(table, "$x$", ["elcs-exact"]), str(tmp_path / "odd.png"))


def test_roles_are_told_apart_without_colour() -> None:
    assert len({named.symbol for named in ROLES.values()}) == len(ROLES)
    for role in ROLES.keys() & STYLES.keys():
        fill, ink = STYLES[role].fill, STYLES[role].text
        light = [float(np.dot(to_rgb(colour), (0.2126, 0.7152, 0.0722))) for colour in (fill, ink)]
        assert abs(light[0] - light[1]) > 0.4


def test_without_matplotlib(found: elcs.Comparison, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(elcs.ElcsError, match=r"pip install \"elcs\[plot\]\""):
        found.plot()
