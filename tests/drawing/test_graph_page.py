"""The page of a whole graph, read as a browser reads it, and answers as a notebook shows them."""

from __future__ import annotations

import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from making import NASTY, nasty, nasty_table
from test_page import Reader

import elcs
from elcs.answers.blanket import MarkovBlanket
from elcs.drawing.choice import collapsed
from elcs.drawing.graph_page import MOST_EXPLAINED


@pytest.fixture(scope="module")
def sample() -> elcs.CausalGraph:
    return elcs.learn_graph(elcs.data.SAMPLE)


def said(text: str) -> str:
    return " ".join(text.replace("->", "→").split())


def test_every_edge_and_every_missing_edge_is_explained(sample: elcs.CausalGraph) -> None:
    text = Reader(sample.to_html()).text.replace("\xa0", " ")
    for edge in (*sample.directed, *sample.undirected):
        assert said(sample.explain(*edge)) in text
    apart = [(a, b) for a in sample.nodes for b in sample.nodes if a != b and a not in sample.neighbours(b)]
    assert len(apart) == 10 * 9 - 2 * 9
    for pair in apart:
        assert said(sample.explain(*pair)) in text
    assert "4,000 observations of 10 columns" in text
    assert f"{sample.n_tests:,} asked for" in text


def test_the_page_is_whole_and_closed(sample: elcs.CausalGraph, tmp_path: Path) -> None:
    read = Reader(sample.to_html(stability=sample.stability(10)))
    ids = read.having("id")
    assert len(set(ids)) == len(ids)
    assert set(read.having("data-shows")) <= set(ids)
    assert {end for both in read.having("data-ends") for end in both.split()} <= set(ids)
    assert {href[1:] for href in read.having("href") if href.startswith("#")} <= set(ids)
    assert len(read.scripts) == 1
    assert read.having("src") == read.having("style") == []
    assert "unsafe" not in next(attributes["content"] for _, attributes in read.elements if "http-equiv" in attributes)
    assert "comes back" in read.text
    names = read.having("aria-label")
    assert "region – outages, 100%" in names
    assert "contract → churn, 100%" in names
    sample.save_html(tmp_path / "graph.html")
    assert (tmp_path / "graph.html").read_text("utf-8") == sample.to_html()
    with pytest.raises(elcs.ElcsError, match="cannot write"):
        sample.save_html(tmp_path / "nowhere" / "graph.html")


def test_hostile_names_are_nothing_but_text() -> None:
    graph = elcs.learn_graph(nasty_table())
    assert graph.directed or graph.undirected
    read = Reader(graph.to_html())
    assert len(read.scripts) == 1
    assert {tag for tag, _ in read.elements}.isdisjoint({"img", "b", "iframe"})
    assert all(name in read.text for name in NASTY)
    assert "alert(1)" not in read.scripts[0]


def test_a_graph_without_its_table_has_a_page_too(sample: elcs.CausalGraph) -> None:
    read = Reader(pickle.loads(pickle.dumps(sample)).to_html())
    assert "The evidence was not kept." in read.text
    made = elcs.CausalGraph(("a", "b", "c"), "made up", (("a", "b"),))
    assert "does not come from a table" in Reader(made.to_html()).text


def test_what_contradicts_what_somebody_said_is_told_first() -> None:
    graph = elcs.learn_graph(elcs.data.SAMPLE, knowledge={"required": [("age", "satisfaction")]})
    (conflict,) = graph.conflicts
    assert conflict.say() in Reader(graph.to_html()).text
    assert pickle.loads(pickle.dumps(graph)).conflicts[0].say() == conflict.say()


def test_what_would_be_too_much_is_left_to_python() -> None:
    n = MOST_EXPLAINED + 1
    table = {f"x{i}": column for i, column in enumerate(np.random.default_rng(0).integers(0, 2, (n, 60)))}
    graph = elcs.learn_graph(table, method="pc-stable", max_cond_size=0)
    text = Reader(graph.to_html()).text
    assert "graph.explain(a, b)" in text
    assert "Not directly connected with" not in text


def test_a_wall_of_boxes_is_collapsed_and_can_be_read() -> None:
    result = MarkovBlanket("t", "made up", children=tuple(f"effect {i}" for i in range(40)))
    read = Reader(result.to_html())
    buttons = [a for tag, a in read.elements if tag == "g" and a.get("role") == "button"]
    assert len(buttons) == 2 * (1 + 15 + 15)  # two pictures of the target, fifteen boxes and fifteen lines
    assert "26 more: direct effect" in read.having("aria-label")
    assert "26 more effects" in read.text
    assert set(read.having("data-shows")) <= set(read.having("id"))
    assert all(f"effect {i}" in read.text for i in range(40))


def test_strong_ones_are_drawn_first() -> None:
    result = elcs.learn(elcs.data.SAMPLE, "satisfaction")
    drawn, hidden = collapsed(result, most=1)
    strengths = {x: e.association.strength for x, e in result.evidence.items() if e.association is not None}
    for names in hidden.values():
        role = result.roles[names[0]]
        kept = [x for x in drawn if result.roles.get(x) == role]
        assert all((strengths[a] or 0) >= (strengths[b] or 0) for a in kept for b in names)


# In notebooks


@pytest.fixture(scope="module")
def shown_in_notebooks(sample: elcs.CausalGraph) -> dict[str, object]:
    result = elcs.learn(elcs.data.SAMPLE, "satisfaction")
    return {
        "result": result,
        "blanket": elcs.blanket(elcs.data.SAMPLE, "churn", method="iamb"),
        "stability": result.stability(4),
        "stability of a graph": sample.stability(2),
        "comparison": elcs.compare(elcs.data.SAMPLE, "satisfaction", ["elcs-exact", "iamb"]),
        "graph": sample,
        "description": elcs.describe(elcs.data.SAMPLE),
        "table": elcs.Table.from_any(elcs.data.SAMPLE),
        "methods": elcs.methods(),
    }


def test_notebooks_show_a_picture_or_a_table_without_a_script(shown_in_notebooks: dict[str, object]) -> None:
    for name, answer in shown_in_notebooks.items():
        text: str = answer._repr_html_()  # type: ignore[attr-defined]
        read = Reader(text)
        tags = {tag for tag, _ in read.elements}
        assert "table" in tags, name
        assert ("svg" in tags) == (name in ("result", "blanket", "graph"))
        assert "script" not in tags
        assert not [a for _, attributes in read.elements for a in attributes if a.startswith("on") or a == "style"]
        assert read.having("src") == read.having("href") == read.having("id") == []
        styles = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
        assert len(styles) == 1
        rules = re.sub(r"@media[^{]*\{", "", styles[0])
        selectors = [s.strip() for rule in re.findall(r"([^{}]+)\{", rules) for s in rule.split(",")]
        assert all(".elcs" in selector for selector in selectors), name  # nothing else in the notebook changes
        assert len(repr(answer)) < 600 or name in ("stability", "description", "methods")


def test_notebooks_are_safe_with_hostile_names() -> None:
    result = nasty()
    graph = elcs.learn_graph(nasty_table())
    answers: list[Any] = [result, graph, result.stability(2), elcs.compare(nasty_table(), NASTY[2], ["iamb"])]
    for answer in (*answers, elcs.describe(nasty_table()), MarkovBlanket("\ud800", "x", parents=("</style><b>",))):
        text = answer._repr_html_()
        assert {tag for tag, _ in Reader(text).elements}.isdisjoint({"img", "b", "iframe", "script"})
        text.encode()


def test_a_description_is_still_text() -> None:
    told = elcs.describe(elcs.data.SAMPLE)
    assert isinstance(told, str)
    assert told.startswith("4,000 observations of 10 columns\n")
    assert pickle.loads(pickle.dumps(told)) == told
    problems = Reader(elcs.describe({"a": ["x", 1, 2, 3]})._repr_html_()).text
    assert "problem: types are mixed in 'a'" in problems
