"""A person walks through the graph, in Chromium; `make browser` installs what this needs."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest
from making import nasty_table
from selenium import webdriver
from selenium.common.exceptions import NoSuchElementException, StaleElementReferenceException
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import Select, WebDriverWait
from serving import Server

import elcs

Found = TypeVar("Found")
DROP = """
    const [from, onto] = [...arguments].map((selector) => document.querySelector(selector));
    const carried = new DataTransfer();
    for (const [type, place] of [["dragstart", from], ["dragover", onto], ["drop", onto], ["dragend", from]]) {
      place.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: carried }));
    }
"""


class Walk:
    """An open page of a server."""

    def __init__(self, browser: webdriver.Chrome, server: Server) -> None:
        self.browser, self.server = browser, server
        self.resize(1280)
        browser.get(server.address)
        self.wait(lambda: self.all(".live #view"))

    def resize(self, width: int) -> None:
        size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500}
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)

    def open(self, query: str) -> None:
        self.browser.get(f"http://127.0.0.1:{self.server.port}/?{query}")
        self.wait(lambda: self.all("#view"))

    def wait(self, what: Callable[[], Found]) -> Found:
        waiting = WebDriverWait(self.browser, 30, 0.02, [StaleElementReferenceException, NoSuchElementException])
        return waiting.until(lambda _: what())  # what is looked at may be replaced meanwhile

    def all(self, selector: str) -> list[WebElement]:
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector: str) -> WebElement:
        return self.wait(lambda: self.all(selector))[0]

    def box(self, name: str, kind: str = "wide") -> WebElement:
        return self.one(f'svg:not(.narrow) .box[data-name="{name}"], svg.{kind} .box[data-name="{name}"]')

    @property
    def target(self) -> str:
        return str(self.browser.execute_script("return document.getElementById('view').dataset.target"))

    @property
    def query(self) -> str:
        return str(self.browser.execute_script("return location.search")).removeprefix("?")

    def arrives(self, target: str) -> None:
        self.wait(lambda: self.target == target)

    def walk(self, name: str) -> None:
        self.wait(lambda: self.browser.execute_script("return document.getAnimations().length") == 0)
        self.box(name).click()
        self.arrives(name)

    def choose(self, line: str) -> None:
        """Click on a line."""
        drawn = next(e for e in self.all("svg.wide .link") if e.get_attribute("aria-label") == line)
        ActionChains(self.browser).click(drawn).perform()

    @property
    def names(self) -> set[str]:
        return {str(box.get_attribute("data-name")) for box in self.all("svg.wide .box")}

    def check(self) -> None:
        """Check that nothing went wrong and nothing is cut."""
        assert self.browser.get_log("browser") == []  # type: ignore[no-untyped-call]
        assert self.browser.execute_script("return document.documentElement.scrollWidth - innerWidth") <= 0


@pytest.fixture
def walk(chromium: webdriver.Chrome, server: Server) -> Iterator[Walk]:
    opened = Walk(chromium, server)
    yield opened
    opened.check()


def test_choose_walk_three_steps_and_back(walk: Walk) -> None:
    assert (walk.target, walk.query) == ("", "")  # the token is gone from the address
    find = walk.one("#find-column")
    find.send_keys("satis")
    assert [item.text for item in walk.all("#columns li") if item.is_displayed()] == ["satisfaction"]
    find.send_keys(Keys.ENTER)
    walk.arrives("satisfaction")
    for step in ("churn", "contract", "age"):
        walk.walk(step)
        assert walk.query == f"target={step}"
        assert walk.browser.title == f"{step} – elcs"
        assert walk.one("#columns li[aria-current]").text in (step, "")
    walk.one("#back").click()
    walk.arrives("contract")
    walk.browser.back()
    walk.arrives("churn")
    assert [link.text for link in walk.all("#trail a")] == ["The whole graph", "satisfaction"]
    walk.browser.forward()
    walk.arrives("contract")
    walk.all("#trail a")[0].click()
    walk.arrives("")


def test_a_click_on_an_arrow_shows_its_evidence(walk: Walk) -> None:
    walk.open("target=satisfaction")
    walk.choose("satisfaction → churn")
    (shown,) = walk.wait(lambda: [a for a in walk.all(".evidence article") if a.is_displayed()])
    assert shown.text.startswith("churn\ndirect effect")
    assert "satisfaction cannot cause churn" in shown.text
    assert walk.target == "satisfaction"


def test_settings_change_the_answer_and_the_address(walk: Walk) -> None:
    walk.open("target=satisfaction")
    slider = walk.one("#alpha-slider")
    slider.send_keys(Keys.ARROW_LEFT * 10)
    walk.wait(lambda: "alpha=0.001" in walk.query)
    assert walk.browser.switch_to.active_element.get_attribute("id") == "alpha-slider"  # focus stays where it was
    Select(walk.one("#method")).select_by_value("elcs-exact")
    walk.wait(lambda: "method=elcs-exact" in walk.query)
    assert "Found by elcs-exact" in walk.one("header p").text
    assert "contract" in walk.names
    Select(walk.one("#shown")).select_by_value("neighbours")
    walk.wait(lambda: "contract" not in walk.names)
    Select(walk.one("#ci_test")).select_by_value("chi2")
    walk.wait(lambda: "ci_test=chi2" in walk.query)
    walk.browser.refresh()  # a bookmarked state
    walk.wait(lambda: walk.target == "satisfaction")
    assert Select(walk.one("#method")).first_selected_option.text == "elcs-exact"
    assert walk.one("#alpha").get_attribute("value") == "0.001"
    assert "contract" not in walk.names
    Select(walk.one("#ci_test")).select_by_value("fisher-z")
    assert "holds levels, not numbers" in walk.wait(lambda: walk.one("#message").text)
    assert walk.target == "satisfaction"  # what was seen is still seen
    walk.browser.get_log("browser")  # type: ignore[no-untyped-call]  # the refusal itself


def test_what_is_said_changes_the_answer(walk: Walk) -> None:
    walk.open("target=satisfaction")

    def roles() -> dict[str, str]:
        told = (str(box.get_attribute("aria-label")) for box in walk.all("svg.wide .box"))
        return {name: role for name, _, role in (label.partition(": ") for label in told)}

    assert roles()["outages"] == "direct cause"
    walk.choose("outages → satisfaction")
    next(a for a in walk.all(".says a") if a.is_displayed() and a.text == "outages cannot cause satisfaction").click()
    walk.wait(lambda: roles()["outages"] == "direct effect")
    assert roles()["churn"] == "direct effect"
    walk.browser.execute_script(DROP, '#columns li[data-name="churn"]', 'svg.wide .box[data-name="satisfaction"]')
    walk.wait(lambda: roles()["churn"] == "direct cause")
    said = ["churn comes before satisfaction", "outages does not cause satisfaction"]
    assert [item.text for item in walk.all(".said bdi")] == said
    walk.open(walk.query)  # a bookmark
    assert len(walk.all(".said li")) == 2
    walk.all(".said a")[1].click()
    walk.wait(lambda: len(walk.all(".said li")) == 1)
    walk.browser.back()
    walk.wait(lambda: len(walk.all(".said li")) == 2)
    walk.browser.execute_script(DROP, '#columns li[data-name="age"]', '#columns li[data-name="churn"]')
    walk.wait(lambda: walk.all(".said bdi")[0].text == "age comes before churn")


def test_half_samples_and_effects_arrive(walk: Walk) -> None:
    walk.open("target=churn")
    walk.one("#with-stability").click()
    walk.wait(lambda: "100%" in str(walk.box("satisfaction").get_attribute("aria-label")))
    walk.one("#with-effects").click()
    walk.wait(lambda: "If contract were monthly" in walk.one("section.effects").text)
    assert walk.query == "target=churn&stability=1&effects=1"
    assert walk.all(".progress") == []


def test_what_takes_long_can_be_cancelled(walk: Walk) -> None:
    walk.browser.execute_script("window.fetch = () => new Promise(() => {})")  # an answer that never comes
    walk.box("churn", "whole").click()
    cancel = walk.wait(lambda: [b for b in walk.all("#waiting button") if b.is_displayed()])[0]
    assert walk.target == ""
    cancel.click()


def test_two_columns_side_by_side(walk: Walk) -> None:
    walk.open("target=satisfaction")
    walk.one("#beside").send_keys("churn")  # it need not be told that the name is complete
    walk.wait(lambda: len(walk.all(".answer")) == 2)
    left, right = (picture.rect for picture in walk.all("svg.wide"))
    assert abs(left["y"] - right["y"]) < 5
    assert right["x"] > left["x"] + left["width"] * 0.9
    walk.all("svg.wide")[1].find_element(By.CSS_SELECTOR, '.box[data-name="contract"]').click()
    walk.wait(lambda: walk.query == "target=satisfaction&beside=contract")
    second = walk.all(".answer")[1]
    ActionChains(walk.browser).move_to_element(
        second.find_element(By.CSS_SELECTOR, 'svg.wide .box[data-name="age"]')
    ).perform()
    assert [a.text.split("\n")[0] for a in walk.all(".evidence article") if a.is_displayed()] == ["satisfaction", "age"]


def test_keyboard_alone(walk: Walk) -> None:
    def keys(*pressed: str) -> None:
        ActionChains(walk.browser).send_keys(*pressed).perform()

    walk.one("#find-column").send_keys("sat")
    keys(Keys.ARROW_DOWN, Keys.ENTER)
    walk.arrives("satisfaction")
    walk.browser.execute_script("document.querySelector('h1').focus()")
    for _ in range(40):  # forward to the box of churn, whose evidence shows as it is reached
        keys(Keys.TAB)
        at = walk.browser.switch_to.active_element
        if at.get_attribute("data-name") == "churn":
            break
    (shown,) = [a for a in walk.all(".evidence article") if a.is_displayed()]
    assert shown.text.startswith("churn")
    keys(Keys.ENTER)
    walk.arrives("churn")
    for _ in range(60):  # on to what can be said
        keys(Keys.TAB)
        at = walk.browser.switch_to.active_element
        if at.get_attribute("aria-label") == "contract → churn":
            keys(Keys.ENTER)
        if at.text == "contract cannot cause churn":
            break
    keys(Keys.ENTER)
    walk.wait(lambda: [item.text for item in walk.all(".said bdi")] == ["contract does not cause churn"])


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_every_width_light_and_dark(walk: Walk, width: int, scheme: str) -> None:
    feature = {"name": "prefers-color-scheme", "value": scheme}
    walk.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    try:
        for query in ("", "target=satisfaction&effects=1", "target=satisfaction&beside=churn"):
            walk.resize(width)
            walk.open(query)
            walk.wait(lambda: walk.all("#view") and not walk.all(".progress"))
            walk.check()
            ground = walk.one("body").value_of_css_property("background-color")
            assert ground == ("rgba(255, 255, 255, 1)" if scheme == "light" else "rgba(22, 25, 29, 1)")
            pictures = [p.get_attribute("class") for p in walk.all("figure svg") if p.is_displayed()]
            assert "narrow" not in pictures if width == 1280 else "wide" not in pictures[:1]
    finally:
        walk.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
        walk.resize(1280)


def test_what_is_kept_is_downloaded(walk: Walk, tmp_path: Path) -> None:
    walk.browser.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)})
    walk.open("target=churn&alpha=0.05")
    walk.all("#downloads a")[2].click()
    file = walk.wait(lambda: [f for f in tmp_path.iterdir() if f.name == "answer.json"])[0]
    walk.wait(lambda: file.stat().st_size > 0)
    told = json.loads(file.read_text())
    assert told["settings"]["alpha"] == 0.05
    assert walk.target == "churn"


def test_boxes_move_from_where_they_were(walk: Walk) -> None:
    walk.open("target=satisfaction")
    walk.one("h1")
    count = "return document.getAnimations().length"
    walk.walk("churn")
    assert walk.browser.execute_script(count) > 0
    feature = {"name": "prefers-reduced-motion", "value": "reduce"}
    walk.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    try:
        walk.open("target=satisfaction")
        walk.walk("churn")
        assert walk.browser.execute_script(count) == 0
    finally:
        walk.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_it_works_without_its_script(walk: Walk) -> None:
    walk.browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        walk.open("target=satisfaction")
        walk.one('svg.wide a[data-name="churn"]').click()
        WebDriverWait(walk.browser, 30).until(lambda browser: browser.current_url.endswith("/?target=churn"))
        Select(walk.one("#method")).select_by_value("elcs-exact")
        walk.one("#settings button").click()
        WebDriverWait(walk.browser, 30).until(
            lambda browser: browser.current_url.endswith("/?target=churn&method=elcs-exact")
        )
    finally:
        walk.browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_hostile_names_do_not_run(chromium: webdriver.Chrome, tmp_path: Path) -> None:
    table = nasty_table()
    with (tmp_path / "nasty.csv").open("w", newline="") as file:
        csv.writer(file).writerows([[*table], *zip(*table.values(), strict=True)])
    with Server(tmp_path / "nasty.csv") as running:
        walk = Walk(chromium, running)
        for item in walk.all("#columns li a"):
            name = item.text
            item.click()
            walk.arrives(name)
            assert walk.one("h1").text == name
        assert chromium.execute_script("return [document.scripts.length, document.images.length]") == [1, 0]
        walk.check()  # an alert would have made every call above fail


def test_a_table_is_sent(chromium: webdriver.Chrome, tmp_path: Path) -> None:
    (tmp_path / "other.csv").write_text("one,two\n" + "".join(f"{i % 2},{i % 3 % 2}\n" for i in range(300)))
    with Server(elcs.data.SAMPLE, "--upload") as running:
        walk = Walk(chromium, running)
        walk.one("#upload").send_keys(str(tmp_path / "other.csv"))
        walk.wait(lambda: [item.text for item in walk.all("#columns li")] == ["one", "two"])
        assert walk.one(".table strong").text == "other.csv"
        walk.check()
