"""How long a step of `elcs explore` takes in Chromium, from the click to the picture: python benchmarks/explore.py.

Every column is visited once, from a neighbour's picture where that is possible. So no answer is remembered; what is
measured ends with the first frame that shows the new picture. `--large` takes a table of a million rows and 50 columns.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

import elcs

STEP = """
    const [name, done] = arguments;
    const quoted = CSS.escape(name);
    const link = document.querySelector(`svg.wide a[data-name="${quoted}"]`)
      ?? document.querySelector(`#columns li[data-name="${quoted}"] a`);
    const start = performance.now();
    new MutationObserver((_, watch) => {
      if (document.getElementById("view")?.dataset.target !== name) return;
      watch.disconnect();
      requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)));
    }).observe(document.getElementById("walk"), { childList: true });
    link.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
"""
NEAR = "return [...document.querySelectorAll('svg.wide a[data-name]')].map((x) => x.dataset.name)"
ALL = "return [...document.querySelectorAll('#columns li')].map((x) => x.dataset.name)"


def steps(address: str) -> list[float]:
    """Walk to every column once; return the milliseconds that each step took."""
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1280,900"):
        options.add_argument(argument)
    browser = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver") or ""))
    browser.set_page_load_timeout(600)
    browser.set_script_timeout(600)
    browser.get(address)
    browser.execute_async_script(
        "addEventListener('load', arguments[0]); if (document.readyState === 'complete') arguments[0]()"
    )
    left, taken = browser.execute_script(ALL), []
    while left:
        name = next((x for x in browser.execute_script(NEAR) if x in left), left[0])
        left.remove(name)
        taken.append(browser.execute_async_script(STEP, name))
    browser.quit()
    return taken


def cpu(pid: int) -> float:
    """Return the seconds of CPU that a process has used so far, under Linux."""
    user, system = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Serve a table and walk through it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", action="store_true", help="a million rows, 50 columns")
    parser.add_argument("--rows", type=int, help="another number of rows")
    parser.add_argument("options", nargs="*", help="options of 'elcs explore', after --")
    chosen = parser.parse_args()
    network = elcs.networks.load("alarm")
    if chosen.large:
        network = elcs.networks.random_network(50, 75, random_state=0)
    rows = chosen.rows or (1_000_000 if chosen.large else 5_000)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "table.parquet"
        table = network.sample(rows, random_state=1)
        columns = {c.name: pa.DictionaryArray.from_arrays(c.codes, list(map(str, c.levels))) for c in table.columns}
        pq.write_table(pa.table(columns), file)
        first = table.names[0]
        command = [sys.executable, "-c", "from elcs.cli import main; main()", "explore", str(file), "--no-browser"]
        command += ["--target", first, *chosen.options]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            address, begun = server.stdout.readline().strip(), cpu(server.pid)
            taken = steps(address)
            spent = cpu(server.pid) - begun
            server.send_signal(signal.SIGINT)
    print(f"{rows:,} rows, {len(table.names)} columns: median {statistics.median(taken):.0f} ms, ", end="")
    print(f"the slowest of {len(taken)} {max(taken):,.0f} ms, the first {taken[0]:,.0f} ms; ", end="")
    print(f"CPU of the server {1e3 * spent / len(taken):.0f} ms a step, load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
