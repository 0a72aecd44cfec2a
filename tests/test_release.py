"""What has to hold before a release: one version, and a start that loads nothing needless."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import elcs

ROOT = Path(__file__).parent.parent


def test_the_documents_tell_the_version() -> None:
    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert newest
    assert newest[1] in (elcs.__version__, "Unreleased")
    assert f"\nversion: {elcs.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def loaded(program: str) -> set[str]:
    """Return the modules that a program loads beyond numpy."""
    tell = f"import sys, numpy; before = set(sys.modules); {program}; print(*set(sys.modules) - before)"
    done = subprocess.run([sys.executable, "-c", tell], capture_output=True, text=True, check=True, timeout=60)
    return set(done.stdout.split())


def test_the_package_starts_with_numpy_alone() -> None:
    found = loaded("import elcs")
    slow = {"concurrent.futures", "hashlib", "logging", "multiprocessing", "statistics", "subprocess", "tomllib"}
    assert not slow & found
    assert {name.partition(".")[0] for name in found} - sys.stdlib_module_names == {"elcs", "numpy"}


def test_the_command_starts_without_what_only_some_questions_need() -> None:
    found = loaded("import elcs.cli")
    assert "typer" in found
    assert not {"matplotlib", "multiprocessing", "narwhals", "networkx", "pandas", "scipy", "threadpoolctl"} & found
