"""The command when its terminal, its pipe or its keyboard does not behave."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import elcs
from elcs.writing import write_file

COMMAND = [sys.executable, "-c", "from elcs_command import main; main()"]
LEARN = ["learn", str(elcs.data.SAMPLE), "-t", "churn"]


@pytest.mark.parametrize("asked", [LEARN, [*LEARN, "--json", "-"], ["describe", LEARN[1]], ["methods"], ["--help"]])
def test_a_full_standard_output_is_told_in_a_line(asked: list[str]) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run([*COMMAND, *asked], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (1, "error: standard output: No space left on device\n")


def closed(*asked: str, streams: str) -> subprocess.CompletedProcess[str]:
    words = ["sh", "-c", f'exec "$@" {streams}', "sh", *COMMAND, *asked]
    return subprocess.run(words, capture_output=True, text=True, timeout=60)


def test_closed_streams() -> None:
    assert closed(*LEARN, streams=">&-").stderr == ""
    done = closed(*LEARN, "--json", "-", streams=">&-")
    assert (done.returncode, done.stderr) == (1, "error: cannot write to standard output: it is closed\n")
    assert "direct causes" in closed(*LEARN, streams="2>&-").stdout
    assert closed("describe", "-", streams="<&-").stderr.startswith("error: standard input is closed")


def test_a_reader_that_has_gone_is_no_error() -> None:
    words = ["sh", "-c", '"$@" | head -n 1', "sh", *COMMAND, *LEARN, "--explain"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert (done.stdout.count("\n"), done.stderr) == (1, "")


def test_a_terminal_that_knows_only_ascii(tmp_path: Path) -> None:
    rows = "".join(f"{i % 2},{(i + (i % 5 == 0)) % 2}\n" for i in range(200))
    (tmp_path / "a.csv").write_text(f"größe,b\n{rows}", encoding="utf-8")
    ascii_only = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    asked = [*COMMAND, "learn", str(tmp_path / "a.csv"), "-t"]
    done = subprocess.run([*asked, "b"], capture_output=True, text=True, env=ascii_only, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert r"gr\xf6\xdfe" in done.stdout
    raw = subprocess.run([*asked, "b", "--json", "-"], capture_output=True, env=ascii_only, timeout=60)
    assert json.loads(raw.stdout)["markov_blanket"] == ["größe"]
    done = subprocess.run([*asked, "c"], capture_output=True, text=True, env=ascii_only, timeout=60)
    assert r"gr\xf6\xdfe" in done.stderr


def test_lone_surrogates_in_a_name(tmp_path: Path) -> None:
    table = {"a\ud800": [0, 1] * 50, "b": [0, 1] * 45 + [1, 0] * 5}
    result = elcs.learn(table, "b")
    result.save_html(tmp_path / "a.html")
    assert "a\ufffd" in (tmp_path / "a.html").read_text(encoding="utf-8")
    write_file(tmp_path / "a.json", result.to_json())
    assert json.loads((tmp_path / "a.json").read_text(encoding="utf-8")) == result.to_dict()
    raw = os.fsdecode(b"\xff")  # as the shell hands over a name that is no UTF-8
    done = subprocess.run([*COMMAND, *LEARN[:2], "-t", raw], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "there is no column" in done.stderr


def test_time_that_is_over_before_the_table_is_read(tmp_path: Path) -> None:
    asked = ["--target", "b", "--timeout", "0"]
    small, large = tmp_path / "small.csv", tmp_path / "large.csv"
    small.write_text("a,b\n" + "0,1\n1,0\n1,1\n" * 20)
    large.write_text("a,b\n" + "0,1\n1,0\n1,1\n" * 1_000_000)
    done = subprocess.run([*COMMAND, "learn", small, *asked], capture_output=True, text=True, timeout=60)
    assert (done.returncode, "stopped before the end" in done.stdout) == (3, True)
    done = subprocess.run([*COMMAND, "learn", large, *asked], capture_output=True, text=True, timeout=60)
    assert done.returncode == 3
    assert done.stderr.startswith("stopped: the time allowed ran out while the table was read")


@pytest.mark.parametrize("imported", ["elcs.errors", "elcs.data.levels", "typer.main"])
def test_ctrl_c_while_the_package_is_imported(imported: str) -> None:
    watched = [COMMAND[0], "-X", "importtime", *COMMAND[1:], *LEARN]
    with subprocess.Popen(watched, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as process:
        assert process.stderr is not None
        while not (line := process.stderr.readline()).endswith(f" {imported}\n"):
            assert line, f"{imported} is not imported at all"
        process.send_signal(signal.SIGINT)
        rest = process.stderr.read()
    assert process.returncode in (-signal.SIGINT, 130)
    assert "Traceback" not in rest


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(not os.path.exists("/proc/self/task"), reason="processes cannot be listed here")
@pytest.mark.parametrize("asked", ["bench", "graph"])
def test_workers_end_with_the_process_that_started_them(tmp_path: Path, asked: str) -> None:
    words = {
        "bench": ["run", "--methods", "pcmb", "--networks", "hailfinder", "--samples", "5000", "--out", "b"],
        "graph": [str(tmp_path / "wide.csv"), "--method", "elcs-global", "--quiet"],
    }[asked]
    if asked == "graph":
        lines = [",".join(str(hash((i, j)) % 3) for j in range(300)) for i in range(2000)]
        (tmp_path / "wide.csv").write_text("\n".join([",".join(f"v{j}" for j in range(300)), *lines]))
    process = subprocess.Popen([*COMMAND, asked, *words, "--jobs", "2"], cwd=tmp_path, stderr=subprocess.DEVNULL)
    end = time.monotonic() + 60
    while len(workers := children(process.pid)) < 2 and process.poll() is None and time.monotonic() < end:
        time.sleep(0.01)
    time.sleep(1.0)  # let them start, and begin
    assert workers
    process.kill()
    process.wait()
    while any(map(alive, workers)) and time.monotonic() < end:
        time.sleep(0.05)
    left = [pid for pid in workers if alive(pid)]
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert not left
