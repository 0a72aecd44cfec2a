"""What tests of several folders share."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np
import pytest
from serving import Server

import elcs
from elcs.networks import Network

if TYPE_CHECKING:
    from selenium import webdriver


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    browser, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if browser is None or driver is None:
        reason = "Chromium and its driver are not installed; 'make browser' installs them where it can"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

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


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """Serve the sample."""
    with Server(elcs.data.SAMPLE, "--upload", "--upload-limit", "1") as running:
        yield running


def joint_by_enumeration(network: Network) -> np.ndarray:
    """Return the whole joint distribution, an axis for each variable, by multiplying all tables."""
    product = np.ones([len(network.levels[v]) for v in network.variables])
    for v in network.variables:
        scope = (*network.parents[v], v)
        axes = [network.variables.index(u) for u in scope]
        ordered = network.tables[v].transpose(np.argsort(axes))
        product *= ordered.reshape([len(network.levels[u]) if u in scope else 1 for u in network.variables])
    return product


@pytest.fixture(scope="session")
def joint() -> Callable[[Network], np.ndarray]:
    return joint_by_enumeration
