"""Every code block of the documents runs, and what they show of its output is what it prints."""

from __future__ import annotations

import contextlib
import gzip
import io
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import elcs

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
ELCS = [sys.executable, "-c", "from elcs.cli import main; main()"]
TIMES = re.compile(r"[\d.,]+ m?s\b")


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def timeless(text: str) -> list[str]:
    """Return the words of each line, without times, which no two runs share."""
    return [" ".join(TIMES.sub("", line).split()) for line in text.splitlines()]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "customers.csv").write_bytes(gzip.decompress(elcs.data.SAMPLE.read_bytes()))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p, "python")], ids=lambda page: page.name)
def test_python_runs(page: Path, folder: Path) -> None:
    names: dict[str, object] = {"__name__": "__main__"}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        for block in blocks(page, "python"):
            exec(compile(block, f"{page.name}: {block.splitlines()[0]}", "exec"), names)
    for shown in blocks(page, "text"):
        for line in timeless(shown):
            assert line in timeless(printed.getvalue())


COMMANDS = [
    (page, block)
    for page in PAGES
    for block in blocks(page, "console")
    if block.startswith("$ elcs ") and "bench paper" not in block
]


@pytest.mark.parametrize(("page", "block"), COMMANDS, ids=[f"{p.name}: {b.splitlines()[0]}" for p, b in COMMANDS])
def test_commands_print_what_is_shown(page: Path, block: str, folder: Path) -> None:
    printed = ""
    shown = []
    for line in block.splitlines():
        if line.startswith("$ elcs "):
            done = subprocess.run(
                [*ELCS, *shlex.split(line[7:].split("  #")[0])], capture_output=True, text=True, timeout=60
            )
            assert done.returncode == 0, done.stderr
            printed += done.stdout
        elif line != "...":
            shown.append(line)
    words = " ".join(" ".join(timeless(printed)).split())
    for line in timeless("\n".join(shown)):
        assert line in words
