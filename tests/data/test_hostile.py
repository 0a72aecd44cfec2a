"""Tables that somebody made to break the reader, or that broke on the way."""

from __future__ import annotations

import datetime
import gzip
import os
import resource
import subprocess
import sys
import time
import zlib
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import elcs
from elcs.data import files, prepare


@pytest.fixture(scope="module")
def packed() -> bytes:
    rows = "".join(f"{i % 3},{i % 5 % 2},{i % 7 % 2}\n" for i in range(4000))
    return gzip.compress(f"a,b,c\n{rows}".encode())


def test_a_pipe_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(elcs.DataError, match="is no file but a pipe or a device.*elcs describe - <"):
        elcs.describe(tmp_path / "pipe.csv")
    (tmp_path / "link.csv").symlink_to("/dev/null")
    with pytest.raises(elcs.DataError, match="is no file but a pipe"):
        elcs.describe(tmp_path / "link.csv")


@pytest.mark.parametrize("name", ["~nobody-of-that-name/x.csv", "a\0b.csv", "x" * 5000 + ".csv", ".csv"])
def test_names_of_no_file(name: str) -> None:
    with pytest.raises(elcs.DataError, match="there is no"):
        elcs.describe(name)


@pytest.mark.parametrize("encoding", ["rot13", "base64", "hex", "a\0b", "", "undefined", "zlib"])
def test_encodings_that_are_none_of_text(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    with pytest.raises(elcs.DataError, match=r"there is no encoding|is not in the encoding"):
        elcs.describe(tmp_path / "a.csv", encoding=encoding)


@pytest.mark.parametrize("fault", ["cut", "checksum", "noise", "bytes and cut", "bytes and checksum"])
def test_damaged_gzip(tmp_path: Path, packed: bytes, fault: str) -> None:
    text = zlib.decompress(packed, 31)
    if fault.startswith("bytes"):
        packed = gzip.compress(text[:900] + b"\xff" + text[900:])
    damaged = {
        "cut": packed[: len(packed) // 2],
        "checksum": packed[:-8] + b"12345678",
        "noise": packed[:40] + os.urandom(40) + packed[80:],
        "bytes and cut": packed[:-12],
        "bytes and checksum": packed[:-8] + b"12345678",
    }[fault]
    (tmp_path / "a.csv.gz").write_bytes(damaged)
    told = "is not in the encoding" if fault.startswith("bytes") else "is not a valid gzip|NUL|not in the encoding"
    with pytest.raises(elcs.DataError, match=told):
        elcs.describe(tmp_path / "a.csv.gz")


def peak_memory(code: str) -> int:
    """Run code in a process of its own; return how many bytes it took at most.

    What `getrusage` says includes the process that started it.
    """
    code += "\nprint(open('/proc/self/status').read().split('VmHWM:')[1].split()[0])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    return int(done.stdout.split()[-1]) * 1024


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="memory cannot be measured here")
def test_long_cells_that_all_differ_do_not_fill_the_memory(tmp_path: Path) -> None:
    file = tmp_path / "bomb.csv.gz"
    with gzip.open(file, "wt", compresslevel=1) as stream:
        stream.write("id,a,b\n")
        for i in range(3000):
            stream.write(f"{'x' * 100_000}{i},{i % 2},{i % 3}\n")
    assert peak_memory(f"import elcs; elcs.describe({str(file)!r})") < 150e6  # the text alone is 300 MB
    told = elcs.describe(file)
    assert "3,000" in told


def test_long_cells_are_told_apart_by_their_end(tmp_path: Path) -> None:
    long = "x" * 50_000
    rows = [f"{long}{'ab'[i % 2]},{i % 2}" for i in range(100)]
    (tmp_path / "a.csv").write_text("\n".join(["text,b", *rows]))
    table = elcs.Table.from_any(tmp_path / "a.csv")
    assert [len(levels) for levels in table.levels] == [2, 2]
    assert np.array_equal(table.codes[0], table.codes[1])


def test_text_counts_as_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.csv").write_text("id,b\n" + "".join(f"{i:0900d},{i % 2}\n" for i in range(5000)))
    monkeypatch.setattr(prepare, "available_memory", lambda: 1_000_000)
    with pytest.raises(elcs.DataError, match="too large"):
        elcs.describe(tmp_path / "a.csv")


def test_blank_lines_without_end(tmp_path: Path) -> None:
    for name, head in (("only.csv", ""), ("after.csv", "a,b\n1,2\n")):
        (tmp_path / name).write_text(head + "\n" * (files._LONGEST_LINE + 2 * files._BLOCK))
        with pytest.raises(elcs.DataError, match="nothing but blanks for more than 16 MiB before line"):
            elcs.describe(tmp_path / name)
    (tmp_path / "some.csv").write_text("a,b\n1,2\n" + "\n" * 10**6 + "2,x,3\n")
    with pytest.raises(elcs.DataError, match="3 cells in line 1000003,"):
        elcs.describe(tmp_path / "some.csv")


@pytest.mark.parametrize(
    ("column", "told"),
    [
        ([Decimal("sNaN"), Decimal(1), Decimal("1.5")], "1 missing|1.5"),
        ([10**400, 0.5, 1.5], "infinite"),
        ([-(10**400), 0.5, None], "infinite"),
        ([datetime.timedelta.max, datetime.timedelta.min, datetime.timedelta(1)], "999999999d"),
        (["\ud800", "x", "\udfff"], r"text"),
    ],
)
def test_values_at_the_edge(column: list[Any], told: str) -> None:
    assert any(part in elcs.describe({"a": column, "b": [1, 2, 3]}) for part in told.split("|"))


@pytest.mark.parametrize("unit", ["m8[D]", "M8[Y]", "m8[h]"])
def test_times_beyond_microseconds_are_not_turned_into_others(unit: str) -> None:
    with pytest.raises(elcs.DataError, match="counted in microseconds"):
        elcs.describe({"a": np.array([2**61, 1, 2]).astype(unit), "b": [1, 2, 3]})
    assert "2" in elcs.describe({"a": np.array([4, 1, 2], dtype="m8[ns]"), "b": [1, 2, 3]})


def test_reading_is_a_part_of_the_time_allowed(tmp_path: Path) -> None:
    rows = np.random.default_rng(0).integers(0, 3, (200_000, 20))
    file = tmp_path / "a.csv"
    np.savetxt(file, rows, fmt="%d", delimiter=",", header=",".join(f"v{i}" for i in range(20)), comments="")
    start = time.perf_counter()
    with pytest.raises(elcs.BudgetError, match="while the table was read"):
        elcs.learn(file, "v0", timeout=0.05)
    assert time.perf_counter() - start < 0.3
    study = elcs.Study.of(file, elcs.Plan(method="elcs-exact", timeout=60.0))
    study._reading_took = 60.0
    assert not elcs.learn(study, "v0").complete
    assert elcs.learn(study, "v0").complete  # later questions have all of it


def test_weights_beyond_what_is_exact_are_refused() -> None:
    table = {"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]}
    most = prepare.MOST_OBSERVATIONS
    for weights in ([most, 1, 0, 0], [2**53] * 4, [2**62] * 4):
        with pytest.raises(elcs.DataError, match="weights= has"):
            elcs.Table.from_any(table, weights=weights)
    assert elcs.Table.from_any(table, weights=[most - 3, 1, 1, 1]).total == most


@pytest.mark.skipif(not hasattr(resource, "RLIMIT_AS"), reason="memory cannot be limited here")
def test_standard_input_that_is_cut(packed: bytes) -> None:
    command = [sys.executable, "-c", "from elcs.cli import main; main()", "describe", "-"]
    done = subprocess.run(command, input=packed[:-20], capture_output=True, timeout=60)
    assert (done.returncode, done.stderr.count(b"\n")) == (1, 1)
    assert b"standard input is not a valid gzip file" in done.stderr
