"""The page in Chromium, as a person uses it; `make browser` installs what this needs."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from making import NASTY, nasty
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

import elcs
from elcs.answers.local import MarkovBlanket


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    browser, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if browser is None or driver is None:
        reason = "Chromium and its driver are not installed; 'make browser' installs them where it can"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    profile = tmp_path_factory.mktemp("profile")
    # Without its sandbox, which does not work for root nor in most containers: it only opens pages made here.
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--lang=en"):
        options.add_argument(argument)
    options.add_argument(f"--user-data-dir={profile}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    opened = webdriver.Chrome(options=options, service=Service(driver))
    yield opened
    opened.quit()


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

    def named(self, name: str, within: str = "svg.wide") -> WebElement:
        return next(e for e in self.all(f"{within} [role=button]") if e.get_attribute("aria-label") == name)

    @property
    def evidence(self) -> str:
        shown = [article for article in self.all("#evidence article") if article.is_displayed()]
        assert len(shown) == 1
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
    assert "G2 = 61.5, df = 24, p = 3.9e-05: dependent" in sample.evidence
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
