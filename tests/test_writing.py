"""Files are written whole or not at all."""

from __future__ import annotations

import os
import resource
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import elcs
from elcs.writing import check_place, write_file, write_with

OUTPUTS = {"--json": "a.json", "--dot": "a.dot", "--html": "a.html", "--plot": "a.pdf"}


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "answer.txt"
    file.write_text("old")

    def fail(beside: Path) -> None:
        beside.write_text("half of the n")
        raise OSError(28, "No space left on device")

    with pytest.raises(elcs.ElcsError, match="cannot write .*answer.txt: No space left"):
        write_with(file, fail)
    assert file.read_text() == "old"
    assert os.listdir(tmp_path) == ["answer.txt"]


def test_links_modes_and_pipes_stay_what_they_are(tmp_path: Path) -> None:
    file, link, pipe = tmp_path / "file", tmp_path / "link", tmp_path / "pipe"
    file.write_text("old")
    file.chmod(0o640)
    link.symlink_to(file)
    write_file(link, "new \ud800")
    assert link.is_symlink()
    assert file.read_text() == r"new \ud800"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE)
    write_file(pipe, "through")
    assert reader.communicate()[0] == b"through"
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_new_file_has_the_permissions_that_the_system_gives(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("")
    write_file(tmp_path / "ours", "")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "plain").stat().st_mode


@pytest.mark.parametrize("place", ["", "no/such/folder/x", "a\0b"])
def test_places_that_cannot_be_written_are_refused(tmp_path: Path, place: str) -> None:
    with pytest.raises(elcs.ElcsError, match="cannot write"):
        check_place(f"{tmp_path}/{place}")


def run(*arguments: str, cwd: Path, most_bytes: int | None = None) -> subprocess.CompletedProcess[str]:
    limit = None if most_bytes is None else lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))
    command = [sys.executable, "-c", "from elcs.cli import main; main()", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, timeout=60, preexec_fn=limit)


@pytest.mark.parametrize("option", OUTPUTS)
def test_a_full_disk_costs_no_file(tmp_path: Path, option: str) -> None:
    file = tmp_path / OUTPUTS[option]
    file.write_text("precious")
    asked = ["learn", str(elcs.data.SAMPLE), "-t", "churn", option, file.name]
    done = run(*asked, cwd=tmp_path, most_bytes=100)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr
    assert done.stderr.startswith(f"error: cannot write {file.name}: ")
    assert file.read_text() == "precious"
    assert os.listdir(tmp_path) == [file.name]


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (["--json", "in.csv"], "data is read from 'in.csv' already"),
        (["--json", "./in.csv"], "data is read from './in.csv' already"),
        (["--html", "link.csv"], "data is read from 'link.csv' already"),
        (["--json", "x", "--html", "./x"], "--json is written to './x' already"),
        (["--json", "-", "--dot", "-"], "--json is written to standard output already"),
        (["--knowledge", "known.toml", "--dot", "known.toml"], "knowledge is read from 'known.toml' already"),
        (["--json", "."], "it is a folder"),
        (["--dot", "nowhere/x.dot"], "there is no folder"),
        (["--plot", "nowhere/x.png"], "there is no folder"),
    ],
)
def test_outputs_are_checked_before_any_work(tmp_path: Path, asked: list[str], told: str) -> None:
    (tmp_path / "in.csv").write_text("no table at all")  # which would be told if it were looked at
    (tmp_path / "link.csv").symlink_to("in.csv")
    (tmp_path / "known.toml").write_text('outcomes = ["churn"]')
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    done = run("learn", "in.csv", "-t", "churn", *asked, cwd=tmp_path)
    assert done.returncode in (1, 2)
    assert told in done.stderr
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
