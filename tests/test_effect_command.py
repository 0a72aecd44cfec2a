"""The command `elcs effect`, and `elcs learn --effects`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import elcs

ELCS = [sys.executable, "-c", "from elcs.cli import main; main()"]
SAMPLE = str(elcs.data.SAMPLE)


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*ELCS, *words], capture_output=True, text=True, timeout=120)


def test_effect_prints_a_table() -> None:
    done = run("effect", SAMPLE, "--cause", "outages", "--effect", "satisfaction")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("what setting outages would do to satisfaction (elcs-hybrid)\n")
    assert "outages = none  57% (55% to 59%)" in done.stdout
    assert "influences both" in done.stdout


def test_effect_writes_files(tmp_path: Path) -> None:
    picture = tmp_path / "bars.svg"
    options = ["--json", "-", "--plot", str(picture), "--stability", "4", "--method", "elcs-global"]
    done = run("effect", SAMPLE, "-c", "outages", "-e", "satisfaction", *options)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["possible"][0]["adjusted_for"] == ["price_rise"]
    assert told["relearnt"]["n_samples"] == 4
    assert picture.read_text(encoding="utf-8").startswith("<?xml")
    quiet = run("effect", SAMPLE, "-c", "outages", "-e", "satisfaction", "-q")
    assert quiet.stdout == ""


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["-c", "outages", "-e", "outages"], 1, "is given as the cause and as the effect"),
        (["-c", "outages", "-e", "chrun"], 1, "did you mean 'churn'"),
        (["-c", "outages"], 2, "--effect"),
        (["-c", "outages", "-e", "churn", "--stability", "3"], 1, "half-samples come in pairs"),
        (["-c", "outages", "-e", "churn", "--max-tests", "2"], 3, ""),
    ],
)
def test_bad_usage_and_limits_have_their_codes(words: list[str], code: int, told: str) -> None:
    done = run("effect", SAMPLE, *words)
    assert done.returncode == code
    assert told in " ".join(done.stderr.split())


def test_learn_takes_effects(tmp_path: Path) -> None:
    page, answer = tmp_path / "answer.html", tmp_path / "answer.json"
    done = run("learn", SAMPLE, "-t", "churn", "--effects", "--html", str(page), "--json", str(answer))
    assert done.returncode == 0, done.stderr
    assert "what setting contract would do to churn" in done.stdout
    assert "What setting a column would do" in page.read_text(encoding="utf-8")
    assert len(json.loads(answer.read_text(encoding="utf-8"))["effects"]["of_causes"]) == 2
    refused = run("blanket", SAMPLE, "-t", "churn", "--effects")
    assert refused.returncode == 2
    assert "does not say what causes what" in " ".join(refused.stderr.split())
