"""Rebuild the packaged networks, src/elcs/networks/library/*.bif.gz, from those that come with pgmpy.

    python tools/package_networks.py [pgmpy-1.1.2-py3-none-any.whl]

Without a wheel, pip downloads the newest. pgmpy itself is neither installed nor run: its wheel holds the files of the
Bayesian Network Repository, which are read by our reader and stored by our writer, the same bytes every time.
Credits are in library/NOTICE, which is written by hand.
"""

from __future__ import annotations

import gzip
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import replace
from pathlib import Path

from elcs.networks.bif import read_bif, write_bif
from elcs.networks.library import FOLDER, PACKAGED

MODELS = "pgmpy/utils/example_models"


def fetch(folder: str) -> Path:
    """Download the newest wheel of pgmpy."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, "pgmpy"]
    subprocess.run(command, check=True)
    return next(Path(folder).glob("pgmpy-*.whl"))


def package(wheel: Path) -> None:
    """Read each network from the wheel, and store it under its own name."""
    with zipfile.ZipFile(wheel) as archive:
        there = set(archive.namelist())
        missing = [name for name in PACKAGED if f"{MODELS}/{name}.bif.gz" not in there]
        if missing:
            sys.exit(f"{wheel.name} does not hold {', '.join(missing)}; use another version of pgmpy")
        for name in PACKAGED:
            network = read_bif(gzip.decompress(archive.read(f"{MODELS}/{name}.bif.gz")).decode())
            write_bif(replace(network, name=name), FOLDER / f"{name}.bif.gz")
            print(f"{name:<12}{network.summary()}")


def main() -> None:
    """Package the networks of the wheel that was named, or of the newest."""
    if len(sys.argv) > 1:
        package(Path(sys.argv[1]))
        return
    with tempfile.TemporaryDirectory() as folder:
        package(fetch(folder))


if __name__ == "__main__":
    main()
