"""The journal survives whatever stops a run."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import elcs
from elcs.evaluation.journal import Cell, Journal

SETTINGS = {"alpha": 0.01}
CELLS = [Cell("elcs", "alarm", 1000, i) for i in range(5)]


def finished(value: float, name: str = "x") -> dict[str, Any]:
    return {"status": "done", "variables": 1, "targets": [{"target": name, "value": value}]}


def test_what_was_written_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "journal.jsonl"
    with Journal(path, SETTINGS) as journal:
        for cell in CELLS:
            journal.append(cell, finished(cell.repetition, "é"))
    with Journal(path, SETTINGS) as journal:
        assert journal.records == {cell: finished(cell.repetition, "é") for cell in CELLS}


def test_any_cut_loses_only_what_it_cuts(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    with Journal(path, SETTINGS) as journal:
        for cell in CELLS:
            journal.append(cell, finished(cell.repetition))
    data = path.read_bytes()
    ends = [i + 1 for i, byte in enumerate(data) if byte == ord("\n")]
    for cut in range(len(data) + 1):
        path.write_bytes(data[:cut])
        with Journal(path, SETTINGS) as journal:
            whole = max(sum(end <= cut for end in ends) - 1, 0)
            assert list(journal.records) == CELLS[:whole]
            journal.append(CELLS[4], finished(-1))
        with Journal(path, SETTINGS) as journal:
            assert journal.records[CELLS[4]] == finished(-1)
            assert list(journal.records)[:whole] == CELLS[:whole]


def test_other_settings_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    Journal(path, SETTINGS).__exit__(None, None, None)
    content = path.read_text() + '{"cell":'  # cut short, which is for a run with the same settings to mend
    path.write_text(content)
    with pytest.raises(elcs.ElcsError, match="alpha 0.01 there, 0.05 here"):
        Journal(path, {"alpha": 0.05})
    assert path.read_text() == content


def test_other_files_are_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "precious.txt"
    path.write_text("not a journal\nat all\n")
    with pytest.raises(elcs.ElcsError, match="not the journal of a benchmark"):
        Journal(path, SETTINGS)
    assert path.read_text() == "not a journal\nat all\n"


@pytest.mark.parametrize("content", ["my notes, without a newline", "{", '{"settings":{"alpha":0.01}}\n[1]\n'])
def test_what_is_not_ours_is_never_touched(tmp_path: Path, content: str) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_text(content)
    if not '{"settings":{'.startswith(content):
        with pytest.raises(elcs.ElcsError, match="not the journal of a benchmark"):
            Journal(path, SETTINGS)
        assert path.read_text() == content


@pytest.mark.parametrize(
    "change",
    [
        {"cell": ["elcs", "alarm", 1000]},
        {"cell": ["elcs", ["alarm"], 1000, 1]},
        {"cell": ["elcs", "alarm", "1000", 1]},
        {"status": "missing"},
        {"variables": None},
        {"targets": []},
        {"targets": [1]},
        {"targets": [{"target": "x", "SHD": "many"}]},
        {"targets": [{"target": "x", "SHD": 1}, {"target": "y", "FDR": 1}]},
    ],
)
def test_lines_that_are_no_cells_are_refused(tmp_path: Path, change: dict[str, Any]) -> None:
    path = tmp_path / "journal.jsonl"
    line = {"cell": list(CELLS[0]), **finished(1)}
    path.write_text("\n".join(map(json.dumps, ({"settings": SETTINGS}, line | change))) + "\n")
    with pytest.raises(elcs.ElcsError, match="not the journal of a benchmark"):
        Journal(path, SETTINGS)


def test_a_place_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "journal.jsonl").mkdir()
    for path in (tmp_path / "journal.jsonl", tmp_path / "file" / "journal.jsonl"):
        with pytest.raises(elcs.ElcsError, match="cannot be written"):
            Journal(path, SETTINGS)


def test_two_runs_do_not_share_a_file(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    with Journal(path, SETTINGS), pytest.raises(elcs.ElcsError, match="in use by another run"):
        Journal(path, SETTINGS)


def test_a_killed_writer_leaves_a_sound_journal(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    code = (
        "from pathlib import Path; from elcs.evaluation.journal import Cell, Journal\n"
        f"journal = Journal(Path({str(path)!r}), {SETTINGS!r})\n"
        "start = len(journal.records)\n"
        "for i in range(start, 10**9):\n"
        "    rows = [{'target': 'x' * (i % 3000)}]\n"
        "    journal.append(Cell('m', 'n', 1, i), {'status': 'done', 'variables': 1, 'targets': rows})\n"
    )
    written = 0
    for wait in (0.02, 0.1, 0.05):
        process = subprocess.Popen([sys.executable, "-c", code])
        while not path.exists() or path.stat().st_size < 10_000 + written:
            time.sleep(0.01)
        time.sleep(wait)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        with Journal(path, SETTINGS) as journal:
            assert [cell.repetition for cell in journal.records] == list(range(len(journal.records)))
            assert all(len(r["targets"][0]["target"]) == c.repetition % 3000 for c, r in journal.records.items())
            assert len(journal.records) > 0
        written = path.stat().st_size
