"""Make the screenshots of docs/pictures.md anew, in Chromium (`make browser`): python tools/make_screenshots.py."""

from __future__ import annotations

import base64
import io
import shutil
import tempfile
from pathlib import Path

from PIL import Image
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

import elcs

FOLDER = Path(__file__).parent.parent / "docs" / "pictures"
NOTEBOOK = '<!DOCTYPE html><meta charset="utf-8"><body data-jp-theme-light="{light}">{answer}</body>'
POINT = "document.querySelector('[aria-label^=\"{}\"]').dispatchEvent(new Event('mouseenter'))"


class Camera:
    """Takes pictures of pages."""

    def __init__(self, folder: Path) -> None:
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium") or ""
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--lang=en"):
            options.add_argument(argument)
        self.browser = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver") or ""))
        self.page = folder / "page.html"

    def take(self, name: str, text: str, size: tuple[int, int], *, script: str = "", dark: bool = False) -> None:
        """Open a page, do something with it, and keep what is seen; 64 colours are enough."""
        self.page.write_text(text, encoding="utf-8")
        width, height = size
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
        self.browser.get(self.page.as_uri())
        if script:
            self.browser.execute_script(script)
            self.browser.execute_async_script("setTimeout(arguments[0], 400)")
        seen = self.browser.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})["data"]
        picture = Image.open(io.BytesIO(base64.b64decode(seen))).convert("RGB")
        picture.quantize(64, dither=Image.Dither.NONE).save(FOLDER / f"{name}.png", optimize=True)


def main() -> None:
    """Take all of them."""
    FOLDER.mkdir(exist_ok=True)
    result = elcs.learn(elcs.data.SAMPLE, "satisfaction")
    graph = elcs.learn_graph(elcs.networks.load("alarm").sample(5000, random_state=1))
    with tempfile.TemporaryDirectory() as folder:
        camera = Camera(Path(folder))
        page = result.to_html(stability=result.stability(100))
        camera.take("page", page, (1280, 800), script=POINT.format("churn: direct effect"))
        camera.take("phone", page, (390, 760), dark=True)
        fit = "document.getElementById('fit').click();"
        camera.take("graph", graph.to_html(), (1280, 1000), script=fit + POINT.format("VENTLUNG:"))
        camera.take("notebook", NOTEBOOK.format(light="true", answer=result._repr_html_()), (640, 640))
        camera.browser.quit()


if __name__ == "__main__":
    main()
