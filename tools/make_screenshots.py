"""Make the screenshots of docs/pictures.md anew, in Chromium (`make browser`): python tools/make_screenshots.py."""

from __future__ import annotations

import base64
import gzip
import io
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import urlencode

from PIL import Image
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

import elcs

FOLDER = Path(__file__).parent.parent / "docs" / "pictures"
NOTEBOOK = '<!DOCTYPE html><meta charset="utf-8"><body data-jp-theme-light="{light}">{answer}</body>'
POINT = "document.querySelector('[aria-label^=\"{}\"]').dispatchEvent(new Event('mouseenter'))"

KNOWN = urlencode({"before": '["age", "churn"]'})
STEP = """
    const click = new MouseEvent("click", { bubbles: true, cancelable: true });
    document.querySelector('svg.wide a[data-name="churn"]').dispatchEvent(click);
    const line = () => document.querySelector('[aria-label="contract → churn"]');
    setTimeout(() => line().dispatchEvent(new Event("mouseenter")), 1000);
"""


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
        """Write a page, open it, do something with it, and keep what is seen."""
        self.page.write_text(text, encoding="utf-8")
        self.open(name, self.page.as_uri(), size, script=script, dark=dark)

    def open(self, name: str, address: str, size: tuple[int, int], *, script: str = "", dark: bool = False) -> None:
        """Open a page, do something with it, and keep what is seen; 64 colours are enough."""
        width, height = size
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
        self.browser.get(address)
        if script:
            self.browser.execute_script(script)
        self.browser.execute_async_script("setTimeout(arguments[0], 1500)")
        seen = self.browser.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})["data"]
        picture = Image.open(io.BytesIO(base64.b64decode(seen))).convert("RGB")
        picture.quantize(64, dither=Image.Dither.NONE).save(FOLDER / f"{name}.png", optimize=True)


def walk(camera: Camera, folder: Path) -> None:
    """Take pictures of `elcs explore`."""
    table = folder / "customers.csv"
    table.write_bytes(gzip.decompress(elcs.data.SAMPLE.read_bytes()))
    command = [sys.executable, "-c", "from elcs.cli import main; main()", "explore", str(table), "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        start = address.split("?")[0]
        camera.open("explore", address, (1280, 800))  # the token becomes a cookie
        camera.open("explore", f"{start}?target=satisfaction&{KNOWN}", (1280, 900), script=STEP)
        camera.open("explore_pair", f"{start}?target=satisfaction&beside=churn", (1280, 800))
        camera.open("explore_phone", f"{start}?target=churn", (390, 800), dark=True)
        server.send_signal(signal.SIGINT)


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
        walk(camera, Path(folder))
        camera.browser.quit()


if __name__ == "__main__":
    main()
