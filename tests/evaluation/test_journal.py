"""The journal survives whatever stops a run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import elcs
from elcs.evaluation.journal import Cell, Journal

SETTINGS = {"alpha": 0.01}
CELLS = [Cell("elcs", "alarm", 1000, i) for i in range(5)]


def test_what_was_written_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "journal.jsonl"
    with Journal(path, SETTINGS) as journal:
        for cell in CELLS:
            journal.append(cell, {"value": cell.repetition, "name": "é"})
    with Journal(path, SETTINGS) as journal:
        assert journal.records == {cell: {"value": cell.repetition, "name": "é"} for cell in CELLS}


def test_any_cut_loses_only_what_it_cuts(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    with Journal(path, SETTINGS) as journal:
        for cell in CELLS:
            journal.append(cell, {"value": cell.repetition})
    data = path.read_bytes()
    ends = [i + 1 for i, byte in enumerate(data) if byte == ord("\n")]
    for cut in range(len(data) + 1):
        path.write_bytes(data[:cut])
        with Journal(path, SETTINGS) as journal:
            whole = max(sum(end <= cut for end in ends) - 1, 0)
            assert list(journal.records) == CELLS[:whole]
            journal.append(CELLS[4], {"value": "again"})
        with Journal(path, SETTINGS) as journal:
            assert journal.records[CELLS[4]]["value"] == "again"
            assert list(journal.records)[:whole] == CELLS[:whole]


def test_other_settings_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    Journal(path, SETTINGS).__exit__(None, None, None)
    with pytest.raises(elcs.ElcsError, match="alpha 0.01 there, 0.05 here"):
        Journal(path, {"alpha": 0.05})


def test_other_files_are_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "precious.txt"
    path.write_text("not a journal\nat all\n")
    with pytest.raises(elcs.ElcsError, match="not the journal of a benchmark"):
        Journal(path, SETTINGS)
    assert path.read_text() == "not a journal\nat all\n"


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
        "for i in range(start, 10**9): journal.append(Cell('m', 'n', 1, i), {'value': 'x' * (i % 3000)})\n"
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
            assert all(len(r["value"]) == c.repetition % 3000 for c, r in journal.records.items())
            assert len(journal.records) > 0
        written = path.stat().st_size
