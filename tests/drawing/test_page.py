"""The page, read as a browser reads it."""

from __future__ import annotations

import base64
import hashlib
import pickle
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from making import NASTY, Testwise, houses, houses_with_gaps, nasty

import elcs
from elcs.answers.local import MarkovBlanket

VOID = {"meta", "link", "br", "input", "wbr"}


class Reader(HTMLParser):
    """Collects elements, attributes and texts, and checks that elements are closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.texts: list[str] = []
        self.scripts: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        assert len(found) == len(attrs)
        self.elements.append((tag, found))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.elements[-1:] == [("wbr", {})] and self.texts[-1].endswith("_"):  # the same word goes on
            self.texts[-1] += data
        else:
            (self.scripts if self.open[-1:] == ["script"] else self.texts).append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())

    def having(self, attribute: str) -> list[str]:
        return [attributes[attribute] for _, attributes in self.elements if attribute in attributes]


@pytest.fixture(scope="module")
def sample() -> elcs.LocalStructure:
    return elcs.learn(elcs.data.SAMPLE, "satisfaction")


def test_everything_is_there(sample: elcs.LocalStructure) -> None:
    read = Reader(sample.to_html())
    for name in sample.evidence:
        assert name in read.text
        assert " ".join(sample.explain(name).replace("->", "→").split()) in read.text.replace("\xa0", " ")
    assert "4,000 observations of 10 columns" in read.text
    assert "coast, hills, plain" in read.text
    assert "G2 = 544.8, df = 2, p < 1e-15: dependent" in read.text.replace(" :", ":")
    assert "level of significance 0.01" in read.text
    assert "other cause of churn" in read.text
    assert f"{sample.n_tests:,} asked for" in read.text


def test_numbers_and_gaps_are_there() -> None:
    read = Reader(elcs.learn(houses(), "price").to_html())
    assert "the higher age, the lower price" in read.text
    assert "r = -0.31, T = " in read.text
    assert "-0.31" in read.texts
    gappy = Reader(elcs.learn(Testwise(houses_with_gaps()), "price").to_html())
    assert "2,000 observations of 5 columns; 312 of 10,000 values missing (age 250, tax 62); each test" in gappy.text
    assert "age number – 250 19.89 to 82.57" in gappy.text
    assert "df = 1, p < 1e-15, 1,750 rows : dependent" in gappy.text.replace("rows:", "rows :")


def test_it_needs_nothing_else(sample: elcs.LocalStructure) -> None:
    read = Reader(sample.to_html())
    assert read.having("src") == []
    elsewhere = {href for href in read.having("href") if not href.startswith("#")}
    assert elsewhere == {"data:,", "https://doi.org/10.1109/TBDATA.2021.3062937"}
    assert "url(" not in sample.to_html()
    assert "@import" not in sample.to_html()


def test_only_the_script_of_the_page_may_run(sample: elcs.LocalStructure) -> None:
    read = Reader(sample.to_html())
    assert len(read.scripts) == 1
    digest = base64.b64encode(hashlib.sha256(read.scripts[0].encode()).digest()).decode()
    policy = next(attributes["content"] for tag, attributes in read.elements if "http-equiv" in attributes)
    assert f"script-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert read.having("style") == []
    assert not [name for _, attributes in read.elements for name in attributes if name.startswith("on")]


def test_what_can_be_chosen_is_there_and_has_a_name(sample: elcs.LocalStructure) -> None:
    read = Reader(sample.to_html())
    ids = read.having("id")
    assert len(set(ids)) == len(ids)
    assert set(read.having("data-shows")) <= set(ids)
    assert {href[1:] for href in read.having("href") if href.startswith("#")} <= set(ids)
    assert set(read.having("aria-labelledby")) <= set(ids)
    buttons = [attributes for tag, attributes in read.elements if tag == "g" and attributes.get("role") == "button"]
    assert len(buttons) == 2 * (6 + 5)  # two pictures of six variables and five edges
    assert all(button["tabindex"] == "0" and button["aria-label"] for button in buttons)
    names = {button["aria-label"] for button in buttons}
    assert {"churn: direct effect", "contract → churn", "satisfaction: the target"} <= names


def test_names_are_nothing_but_text() -> None:
    result = nasty()
    assert result.neighbours
    text = result.to_html()
    read = Reader(text)
    assert len(read.scripts) == 1
    assert {tag for tag, _ in read.elements}.isdisjoint({"img", "b", "iframe"})
    for name in NASTY:
        assert name in read.text
    assert "</script>0, </script>1" in read.text
    assert text.count("</script>") == 1
    assert "alert(1)" not in read.scripts[0]
    assert any(name.startswith(NASTY[0]) for name in read.having("aria-label"))


@pytest.mark.parametrize("name", ["\ud800", "a\x00b", " ", "‮evil", "\u2028"])
def test_odd_characters(name: str, tmp_path: Path) -> None:
    result = MarkovBlanket(name, "made up", parents=(f"{name}1",), children=(f"{name}2",))
    result.save_html(tmp_path / "page.html")
    Reader((tmp_path / "page.html").read_text("utf-8"))


def test_citation_is_that_of_the_project(sample: elcs.LocalStructure) -> None:
    file = Path(__file__).parents[2] / "CITATION.cff"
    text = Reader(sample.to_html()).text
    facts = dict(re.findall(r"^\s*(?:- )?([\w-]+): (.+)$", file.read_text("utf-8"), re.MULTILINE))
    for key in ("title", "journal", "doi", "version", "year", "license", "name"):
        assert facts[key] in text, key
    assert f"{facts['volume']}({facts['issue']}), {facts['start']}–{facts['end']}" in text
    for family, given in re.findall(r"family-names: (\w+), given-names: (\w+)", file.read_text("utf-8")):
        assert f"{given} {family}" in text


def test_warnings() -> None:
    with pytest.warns(elcs.DataWarning):
        data = elcs.Dataset.from_any({"a": [0, 1] * 40, "b": [0, 0, 1, 1] * 20, "same": ["<x>"] * 80})
    read = Reader(elcs.learn(data, "a", max_tests=0).to_html())
    assert "The run was stopped before the end" in read.text
    assert "same (constant: always '<x>')" in read.text
    with pytest.warns(elcs.DataWarning, match="too few rows"):
        result = elcs.learn({"a": [0, 1, 1], "b": [0, 0, 1]}, "a")
    assert "too few rows to test any variable" in Reader(result.to_html()).text


def test_results_of_every_kind() -> None:
    for method in ("iamb", "mmpc", "s2tmb"):
        read = Reader(elcs.blanket(elcs.data.SAMPLE, "churn", method=method).to_html())
        assert f"found by {method} in 4,000 observations" in read.text
    read = Reader(MarkovBlanket("t", "made up", members=("x",)).to_html())
    assert "does not come from a table" in read.text
    assert "The evidence was not kept." in read.text
    assert "Nothing in the table is connected with it." in Reader(MarkovBlanket("t", "made up").to_html()).text


def test_writing(sample: elcs.LocalStructure, tmp_path: Path) -> None:
    sample.save_html(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text("utf-8") == sample.to_html()
    with pytest.raises(elcs.ElcsError, match="cannot write"):
        sample.save_html(tmp_path / "nowhere" / "page.html")


def test_a_saved_result_leaves_the_data_behind_but_not_the_profile(sample: elcs.LocalStructure) -> None:
    saved = pickle.dumps(sample)
    assert len(saved) < 30_000  # the table alone has 40,000 cells
    assert "4,000 observations" in pickle.loads(saved).to_html()


def test_stability_is_shown(sample: elcs.LocalStructure) -> None:
    stability = sample.stability(n_samples=10)
    read = Reader(sample.to_html(stability=stability))
    assert "comes back" in read.text
    label = stability.labels(sample)["outages"]
    assert label == f"{stability.shares['outages'].parent:.0%}"
    assert read.texts.count(label) >= 3  # two pictures and the table
    assert f"outages: direct cause, {label}" in read.having("aria-label")
    for name in sample.evidence:
        assert stability.say(name) in read.text
    assert "half-samples" not in Reader(sample.to_html()).text
    from matplotlib.figure import Figure

    ax = sample.plot(Figure().subplots(), stability=stability)
    assert label in [text.get_text() for text in ax.texts]


def test_arrows_that_somebody_spoke_of_are_marked() -> None:
    page = elcs.learn(elcs.data.SAMPLE, "contract", knowledge={"exogenous": ["age"]}).to_html()
    assert page.count("dashed: you said so") == 2  # in the wide and in the narrow picture
    assert page.count("age → contract, from what you said") == 2
    assert "You said that nothing causes age, so age → contract." in page
    assert "<dt>known beforehand</dt><dd>nothing causes age</dd>" in page
    assert "dashed" not in elcs.learn(elcs.data.SAMPLE, "contract").to_html().split("</style>")[1]
    spouse = elcs.learn(elcs.data.SAMPLE, "contract", knowledge={"tiers": [["satisfaction"], ["churn"]]}).to_html()
    assert "satisfaction → churn, from what you said" in spouse


def test_what_was_warned_about_the_table_is_in_the_page() -> None:
    table = {**houses(), "<copy>": 2 * houses()["size"], "same": ["x"] * 2000}
    with pytest.warns(elcs.DataWarning):
        text = Reader(elcs.learn(table, "price").to_html()).text
    assert "these columns hold the same thing: 'size' and '<copy>'." in text
    assert "same (constant: always 'x')" in text
