"""The page in Chromium, as a person uses it; `make browser` installs what this needs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from making import NASTY, nasty, nasty_table
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

import elcs
from elcs.answers.blanket import MarkovBlanket


class Page:
    """An open page."""

    def __init__(self, browser: webdriver.Chrome, text: str, file: Path, width: int = 1280) -> None:
        self.browser = browser
        file.write_text(text, encoding="utf-8")
        size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        browser.get(file.as_uri())

    def all(self, selector: str) -> list[WebElement]:
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def prefers(self, scheme: str) -> None:
        """Say whether the reader likes it light or dark."""
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})

    def styles(self, selector: str, inner: str, properties: str) -> list[list[str]]:
        """Return computed properties of the first such part of each element, or of the elements themselves."""
        script = """
            const [selector, inner, properties] = arguments;
            return [...document.querySelectorAll(selector)].map((x) => {
              const style = getComputedStyle(inner ? x.querySelector(inner) : x);
              return properties.split(" ").map((name) => style[name]);
            });
        """
        found: list[list[str]] = self.browser.execute_script(script, selector, inner, properties)
        return found

    def named(self, name: str, within: str = "svg.wide") -> WebElement:
        return next(e for e in self.all(f"{within} [role=button]") if e.get_attribute("aria-label") == name)

    @property
    def evidence(self) -> str:
        shown = self.all("#evidence article:not([hidden])")
        assert len(shown) == 1
        assert shown[0].is_displayed()
        return shown[0].text

    def check(self) -> None:
        """Check that nothing went wrong and nothing is cut."""
        assert self.browser.get_log("browser") == []  # type: ignore[no-untyped-call]
        assert self.browser.execute_script("return document.documentElement.scrollWidth - innerWidth") <= 0


@pytest.fixture
def sample(chromium: webdriver.Chrome, tmp_path: Path) -> Page:
    return Page(chromium, elcs.learn(elcs.data.SAMPLE, "satisfaction").to_html(), tmp_path / "page.html")


def test_click_shows_the_evidence(sample: Page) -> None:
    assert sample.evidence.startswith("satisfaction")
    sample.named("churn: direct effect").click()
    assert sample.evidence.startswith("churn\ndirect effect")
    assert "This is decided: every arrangement we found without this arrow" in sample.evidence
    assert "G2 = 58.3, df = 12, p = 4.7e-08: dependent" in sample.evidence
    assert sample.named("churn: direct effect").get_attribute("aria-pressed") == "true"
    sample.all("#variables-heading + div tbody a")[-1].click()
    assert sample.evidence.startswith("winback_offer\nnot in the blanket")
    sample.check()


def test_hover_shows_and_what_was_chosen_returns(sample: Page) -> None:
    sample.named("churn: direct effect").click()
    edge = sample.named("contract → churn")
    ActionChains(sample.browser).move_to_element(edge).perform()
    assert sample.evidence.startswith("contract\nother cause of churn")
    ActionChains(sample.browser).move_to_element(sample.all("h1")[0]).perform()
    assert sample.evidence.startswith("churn")
    sample.check()


def test_keyboard_reaches_everything(sample: Page) -> None:
    reached, shown = [], set()
    for _ in range(40):
        ActionChains(sample.browser).send_keys(Keys.TAB).perform()
        at = sample.browser.switch_to.active_element
        reached.append(at.get_attribute("aria-label") or at.text)
        if at.tag_name == "g":
            shown.add(sample.evidence.split("\n")[0])
            drawn = at.find_element(By.CSS_SELECTOR, "path")
            assert drawn.value_of_css_property("stroke") == "rgb(184, 74, 0)"  # focus can be seen
    assert "price_rise → satisfaction" in reached
    assert "outages: direct cause" in reached
    assert "p-value" in reached
    assert shown == {"satisfaction", "price_rise", "outages", "referral", "churn", "contract"}
    sample.named("outages: direct cause").send_keys(Keys.ENTER)
    assert sample.evidence.startswith("outages")
    sample.check()


def test_sorting(sample: Page) -> None:
    heads = {head.text: head for head in sample.all("#variables-heading + div thead th")}

    def column(i: int) -> list[str]:
        return [cell.text for cell in sample.all(f"#variables-heading + div tbody tr > :nth-child({i + 1})")]

    button = heads["variable"].find_element(By.CSS_SELECTOR, "button")
    button.click()
    assert column(0) == sorted(column(0))
    assert heads["variable"].get_attribute("aria-sort") == "ascending"
    button.send_keys(Keys.ENTER)
    assert column(0) == sorted(column(0), reverse=True)
    heads["G2"].find_element(By.CSS_SELECTOR, "button").click()
    numbers = [float(text.replace(",", "")) for text in column(2)]
    assert numbers == sorted(numbers)
    assert heads["variable"].get_attribute("aria-sort") is None
    heads["separating set"].find_element(By.CSS_SELECTOR, "button").click()
    assert column(4)[-4:] == ["–"] * 4
    heads["separating set"].find_element(By.CSS_SELECTOR, "button").click()
    assert column(4)[-4:] == ["–"] * 4  # what is not there comes last either way
    sample.check()


@pytest.mark.parametrize("width", [320, 360, 700, 1024, 1280])
def test_no_width_makes_the_page_scroll_sideways(chromium: webdriver.Chrome, tmp_path: Path, width: int) -> None:
    names: dict[str, Any] = {
        kind: tuple(f"{kind}_{'long' * i}_{i}" for i in range(6)) for kind in ("parents", "children", "undirected")
    }
    made_up = MarkovBlanket("t" * 80, "made up", **names)
    learned = elcs.learn(elcs.data.SAMPLE, "satisfaction")
    for text in (made_up.to_html(), learned.to_html(stability=learned.stability(n_samples=2))):
        opened = Page(chromium, text, tmp_path / "page.html", width)
        opened.check()
        seen = [picture for picture in opened.all("figure svg") if picture.is_displayed()]
        assert [picture.get_attribute("class") for picture in seen] == ["narrow" if width <= 640 else "wide"]
        for box in opened.all(f"figure svg.{seen[0].get_attribute('class')} .box"):
            outline, *lines = box.find_elements(By.CSS_SELECTOR, "path, text")
            for line in lines:
                assert line.rect["x"] >= outline.rect["x"]
                assert line.rect["x"] + line.rect["width"] <= outline.rect["x"] + outline.rect["width"]


def test_touch_on_a_narrow_screen(chromium: webdriver.Chrome, tmp_path: Path) -> None:
    text = elcs.learn(elcs.data.SAMPLE, "satisfaction").to_html()
    opened = Page(chromium, text, tmp_path / "page.html", 360)
    opened.named("outages: direct cause", "svg.narrow").click()
    assert opened.evidence.startswith("outages")
    panel = opened.all("#evidence")[0]
    top = opened.browser.execute_script("return arguments[0].getBoundingClientRect().top", panel)
    assert top < 800  # it was brought into view
    opened.check()


def test_names_do_not_run(chromium: webdriver.Chrome, tmp_path: Path) -> None:
    opened = Page(chromium, nasty().to_html(), tmp_path / "page.html")
    assert opened.browser.execute_script("return document.scripts.length") == 1
    assert opened.browser.execute_script("return document.images.length") == 0
    assert opened.all("h1")[0].text == NASTY[2]
    for link in opened.all("tbody a"):
        link.click()
        assert opened.evidence.startswith(link.text)
    opened.check()  # an alert would have made every call above fail


def test_print_shows_the_evidence_of_the_blanket(sample: Page) -> None:
    sample.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        shown = [article.text.split("\n")[0] for article in sample.all("#evidence article") if article.is_displayed()]
        assert shown == ["satisfaction", "price_rise", "outages", "referral", "churn", "contract"]
    finally:
        sample.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def _lightness(colour: str) -> float:
    """Return the relative luminance of a computed colour."""
    channels = [int(c) / 255 for c in re.findall(r"[0-9]+", colour)[:3]]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(a: str, b: str) -> float:
    light, dark = sorted((_lightness(a), _lightness(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everything_can_be_read_light_and_dark(chromium: webdriver.Chrome, tmp_path: Path, scheme: str) -> None:
    kinds = {kind: tuple(f"{kind} {i}" for i in range(4)) for kind in ("parents", "children", "undirected", "members")}
    made_up = MarkovBlanket("target", "made up", spouses={"children 0": ("s", "t")}, **kinds)  # type: ignore[arg-type]
    never = {x: elcs.Shares(0, 0, 0, 0, 0, 0) for x in list(made_up.roles)[::2]}
    always = {x: elcs.Shares(1, 1, 1, 1, 1, 1) for x in list(made_up.roles)[1::2]}
    stability = elcs.Stability("target", "made up", 100, {**never, **always}, seconds=1.0, complete=True)
    graph = elcs.learn_graph(elcs.data.SAMPLE)
    for text in (made_up.to_html(stability=stability), graph.to_html()):
        opened = Page(chromium, text, tmp_path / "page.html")
        opened.prefers(scheme)
        try:
            ground = opened.all("body")[0].value_of_css_property("background-color")
            assert (_lightness(ground) < 0.1) == (scheme == "dark")
            boxes = opened.styles("figure svg:not(.narrow) .box", "path", "fill stroke")
            texts = opened.styles("figure svg:not(.narrow) .box", "text", "fill")
            assert len(boxes) == len(texts) > 8
            for (fill, outline), (colour,) in zip(boxes, texts, strict=True):
                assert _contrast(colour, fill) >= 4.5
                assert max(_contrast(fill, ground), _contrast(outline, ground)) >= 3
            words = opened.styles("figure svg:not(.narrow) > g[aria-hidden]", "text", "fill")
            words += opened.styles("header p, h2, td, th, a, dt", "", "color")
            assert all(_contrast(colour, ground) >= 4.5 for (colour,) in words)
            lines = opened.styles("figure svg:not(.narrow) .link:has(path.line)", "path.line", "stroke")
            assert lines
            assert all(_contrast(colour, ground) >= 3 for (colour,) in lines)
            opened.check()
        finally:
            opened.prefers("light")


def test_what_hardly_comes_back_looks_less_firm(chromium: webdriver.Chrome, tmp_path: Path) -> None:
    made_up = MarkovBlanket("target", "made up", children=("never", "always"))
    shares = {"never": elcs.Shares(0, 0, 0, 0, 0, 0), "always": elcs.Shares(1, 1, 0, 1, 0, 0)}
    stability = elcs.Stability("target", "made up", 100, shares, seconds=1.0, complete=True)
    opened = Page(chromium, made_up.to_html(stability=stability), tmp_path / "page.html")
    fills = {}
    for name, share in (("never", "0%"), ("always", "100%")):
        box = opened.named(f"{name}: direct effect, {share}")
        line = opened.named(f"target → {name}").find_element(By.CSS_SELECTOR, "path:not(.reach)")
        path = box.find_element(By.CSS_SELECTOR, "path")
        fills[name] = path.value_of_css_property("fill"), line.value_of_css_property("stroke")
    assert fills["never"][0] == "rgb(255, 255, 255)"
    assert _lightness(fills["always"][0]) < 0.3
    assert _lightness(fills["never"][1]) > _lightness(fills["always"][1]) + 0.2
    told = opened.all("svg.wide")[0].text
    assert "pale: in fewer than half of the half-samples" in told
    assert "%: half-samples that have it in this role" in told


def test_a_cut_table_says_so(chromium: webdriver.Chrome, tmp_path: Path) -> None:
    text = elcs.learn(elcs.data.SAMPLE, "satisfaction").to_html()
    for width, cut in ((360, True), (1280, False)):
        opened = Page(chromium, text, tmp_path / "page.html", width)
        script = "return [...document.querySelectorAll('.scroll')].map((x) => getComputedStyle(x, '::before').content)"
        first = opened.browser.execute_script(script)[0]
        assert ("scroll sideways" in first) == cut


def test_a_small_answer_does_not_float_in_white(sample: Page) -> None:
    picture, panel = sample.all("svg.wide")[0].rect, sample.all("#evidence")[0].rect
    assert panel["x"] - (picture["x"] + picture["width"]) < 80
    assert panel["x"] + panel["width"] > 1200


@pytest.fixture
def alarm(chromium: webdriver.Chrome, tmp_path: Path) -> Page:
    graph = elcs.learn_graph(elcs.networks.load("alarm").sample(2000, random_state=1))
    return Page(chromium, graph.to_html(), tmp_path / "graph.html")


def lit(page: Page) -> set[str]:
    """Return the names of the boxes that are not dimmed."""
    script = "return [...document.querySelectorAll('.map.asking .box.near')].map((x) => x.getAttribute('aria-label'))"
    return {name.split(":")[0] for name in page.browser.execute_script(script)}


def test_graph_neighbourhoods_light_up(alarm: Page) -> None:
    assert lit(alarm) == set()
    assert alarm.evidence.startswith("All edges")
    box = alarm.all('.map .box[aria-label^="VENTLUNG:"]')[0]
    ActionChains(alarm.browser).move_to_element(box).perform()
    near = lit(alarm)
    assert alarm.evidence.startswith("VENTLUNG")
    assert {"VENTLUNG", "VENTTUBE"} < near
    assert "HISTORY" not in near
    ActionChains(alarm.browser).move_to_element(alarm.all("h1")[0]).perform()
    assert lit(alarm) == set()
    box.click()
    ActionChains(alarm.browser).move_to_element(alarm.all("h1")[0]).perform()
    assert lit(alarm) == near
    link = next(a for a in alarm.all("#evidence article a") if a.is_displayed())
    link.click()
    assert "are directly connected" in alarm.evidence
    assert len(lit(alarm)) == 2
    ActionChains(alarm.browser).send_keys(Keys.ESCAPE).perform()
    assert lit(alarm) == set()
    alarm.check()


def test_graph_search_and_zoom(alarm: Page) -> None:
    find, picture = alarm.all("#find")[0], alarm.all("svg.whole")[0]
    find.send_keys("vent")
    assert lit(alarm) == {"VENTALV", "VENTLUNG", "VENTMACH", "VENTTUBE"}
    assert alarm.all("#found")[0].text == "4 variables"
    find.send_keys("alv")
    assert alarm.evidence.startswith("VENTALV")
    before = picture.rect["width"]
    for _ in range(4):
        alarm.all("#in")[0].click()
    assert picture.rect["width"] == pytest.approx(before * 1.25**4, rel=0.01)
    find.send_keys(Keys.ENTER)
    box = alarm.all('.map .box[aria-label^="VENTALV:"]')[0]
    outer, inner = alarm.all(".map")[0].rect, box.rect
    assert outer["x"] <= inner["x"] <= outer["x"] + outer["width"] - inner["width"]
    assert outer["y"] <= inner["y"] <= outer["y"] + outer["height"] - inner["height"]
    alarm.all("#fit")[0].click()
    assert picture.rect["height"] <= outer["height"] + 1
    find.clear()
    alarm.all(".map")[0].send_keys("+")
    assert picture.rect["width"] <= before * 1.3
    alarm.check()


def test_graph_by_keyboard_and_on_a_narrow_screen(chromium: webdriver.Chrome, tmp_path: Path) -> None:
    graph = elcs.learn_graph(elcs.data.SAMPLE)
    opened = Page(chromium, graph.to_html(), tmp_path / "graph.html", 390)
    reached, shown = [], set()
    for _ in range(45):
        ActionChains(opened.browser).send_keys(Keys.TAB).perform()
        at = opened.browser.switch_to.active_element
        reached.append(at.get_attribute("aria-label") or at.text)
        if at.tag_name == "g":
            shown.add(opened.evidence.split("\n")[0])
    assert {"Find a variable", "Larger", "contract → churn", "churn: 3 edges"} <= set(reached)
    assert set(graph.nodes) < shown
    assert "contract → churn" in shown
    opened.check()


def test_graph_names_do_not_run(chromium: webdriver.Chrome, tmp_path: Path) -> None:
    opened = Page(chromium, elcs.learn_graph(nasty_table()).to_html(), tmp_path / "graph.html")
    assert opened.browser.execute_script("return document.scripts.length") == 1
    assert opened.browser.execute_script("return document.images.length") == 0
    for name in NASTY:
        find = opened.all("#find")[0]
        find.clear()
        opened.browser.execute_script(
            "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('input'))", find, name
        )
        assert opened.evidence.startswith(name)
    opened.check()


@pytest.mark.parametrize("theme", ["true", "false", None])
def test_notebook_output_is_static_and_readable(chromium: webdriver.Chrome, tmp_path: Path, theme: str | None) -> None:
    result = elcs.learn(elcs.data.SAMPLE, "satisfaction")
    dark = theme == "false"
    ground = "#111" if dark else "#fff"
    attribute = "" if theme is None else f' data-jp-theme-light="{theme}"'
    body = "".join(x._repr_html_() for x in (result, elcs.learn_graph(elcs.data.SAMPLE)))
    text = f'<!DOCTYPE html><link rel="icon" href="data:,"><body{attribute} bgcolor="{ground}">{body}</body>'
    opened = Page(chromium, text, tmp_path / "note.html")
    fills, texts = opened.styles("svg .box", "path", "fill"), opened.styles("svg .box", "text", "fill")
    assert len(fills) == len(texts) == 16
    assert all(_contrast(colour, fill) >= 4.5 for (fill,), (colour,) in zip(fills, texts, strict=True))
    for (colour,) in opened.styles("svg > g[aria-hidden]", "text", "fill"):
        assert _contrast(colour, "17, 17, 17" if dark else "255, 255, 255") >= 4.5
    opened.check()
