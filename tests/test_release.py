"""What has to hold before a release: one version, and a start that loads nothing needless."""

from __future__ import annotations

import os
import pickle
import re
import subprocess
import sys
from pathlib import Path

import pytest

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
    slow = {
        "concurrent.futures",
        "hashlib",
        "html",
        "logging",
        "multiprocessing",
        "statistics",
        "subprocess",
        "tomllib",
    }
    assert not (slow | {"statistics", "tomllib"}) & found
    assert {name.partition(".")[0] for name in found} - sys.stdlib_module_names == {"elcs", "numpy"}


def under(found: set[str], *names: str) -> set[str]:
    """Return those modules that are, or are a part of, one of these."""
    return {module for module in found if any(f"{module}.".startswith(f"{name}.") for name in names)}


LEARNERS = tuple(
    f"elcs.learners.{kind}.{path.stem}"
    for kind in ("blankets", "local", "pc", "whole")
    for path in (ROOT / "src/elcs/learners" / kind).glob("[!_]*.py")
)
RARE = (
    "elcs.answers.comparison",
    "elcs.answers.effect",
    "elcs.answers.effects",
    "elcs.answers.estimates",
    "elcs.answers.estimating",
    "elcs.estimation",
    "elcs.networks",
)
"""What questions other than `learn`, `blanket` and `learn_graph` need."""


def test_the_package_starts_without_learners_and_what_only_some_questions_need() -> None:
    found = loaded("import elcs")
    assert not under(found, *LEARNERS, *RARE, "elcs.answers.stability", "elcs.answers.graph_stability")
    asked = loaded("import elcs; elcs.learn(elcs.data.SAMPLE, 'churn')")
    assert under(asked, *LEARNERS) == {"elcs.learners.local.elcs_hybrid", "elcs.learners.pc.hiton_pc"}
    assert not under(asked, *RARE)


def test_what_is_loaded_later_is_there_all_the_same() -> None:
    assert set(elcs.__all__) <= set(dir(elcs))
    later = "import elcs; from elcs import *; assert not [name for name in elcs.__all__ if name not in globals()]"
    assert "elcs.networks" in loaded(later)
    with pytest.raises(AttributeError, match="Efect"):
        elcs.Efect  # noqa: B018


@pytest.mark.parametrize("method", elcs.methods(), ids=lambda method: method.name)
def test_every_learner_is_where_it_is_said_to_be(method: elcs.Method) -> None:
    assert "max_cond_size" in method.keywords or method.asks in ("scores", "numbers")
    assert pickle.loads(pickle.dumps(method)).keywords == method.keywords


def test_the_command_starts_without_what_only_some_questions_need() -> None:
    found = loaded("import elcs.cli")
    assert "typer" in found
    assert not under(found, *LEARNERS, *RARE, "elcs.drawing.layout", "elcs.drawing.plot", "elcs.evaluation.benchmark")
    assert not {"matplotlib", "multiprocessing", "narwhals", "networkx", "pandas", "scipy", "threadpoolctl"} & found


@pytest.mark.parametrize(("given", "kept"), [(None, "4"), ("20", "20")])
def test_the_command_lets_no_thread_of_numpy_look_for_work(given: str | None, kept: str) -> None:
    tell = "import atexit, os, elcs_command; atexit.register(lambda: print(os.environ['OPENBLAS_THREAD_TIMEOUT']))"
    run = f"{tell}; elcs_command.main()"
    others = {name: value for name, value in os.environ.items() if name != "OPENBLAS_THREAD_TIMEOUT"}
    environment = others if given is None else {**others, "OPENBLAS_THREAD_TIMEOUT": given}
    command = [sys.executable, "-c", run, "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60, env=environment)
    assert done.stdout.splitlines()[-1] == kept
