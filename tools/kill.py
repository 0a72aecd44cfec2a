"""Kill and interrupt long commands at random moments, for a time; nothing may be lost, and nothing left behind.

    python tools/kill.py --seconds 60 --seed 0

The benchmark is killed again and again, and continued each time: its journal must keep every finished cell, once. Other
commands write over files that are there: each must hold the old answer or the whole new one. No process may be left
after a kill; after an interrupt, no temporary file and no traceback either.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import elcs

COMMAND = [sys.executable, "-c", "from elcs_command import main; main()"]
BENCH = ["bench", "run", "--methods", "iamb,elcs-exact,hiton-mb", "--networks", "asia,child", "--samples", "500"]
BENCH += ["--repetitions", "2", "--jobs", "2", "--out", "bench"]
LEARN = ["learn", str(elcs.data.SAMPLE), "-t", "satisfaction", "--stability", "100"]
LEARN += ["--json", "a.json", "--html", "a.html", "--plot", "a.pdf"]
GRAPH = ["graph", str(elcs.data.SAMPLE), "--method", "elcs-global", "--jobs", "2", "--json", "g.json"]
ENDINGS = {".json": b"}\n", ".html": b"</html>\n", ".pdf": b"%%EOF\n"}
OLD = b"the old answer"


def group(leader: int) -> list[int]:
    """Return the living processes that a command has started, whether they left its group or not."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/environ"):
        try:
            if f"STARTED_FOR_KILL={leader}".encode() in stat.read_bytes().split(b"\0"):
                found.append(int(stat.parent.name))
        except OSError:
            continue
    return found


def disturb(words: list[str], how: signal.Signals, wait: float, folder: Path) -> tuple[str, int]:
    """Start a command, send it a signal after a while; return what is wrong then, and the exit code."""
    mark = time.monotonic_ns()
    process = subprocess.Popen(
        [*COMMAND, *words],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env={**os.environ, "STARTED_FOR_KILL": str(mark)},
        start_new_session=True,
    )
    try:
        process.wait(wait)
    except subprocess.TimeoutExpired:
        if how == signal.SIGINT:  # a terminal sends it to all
            os.killpg(process.pid, how)
        else:
            process.send_signal(how)
    told = process.communicate(timeout=120)[1].decode()
    end = time.monotonic() + 10
    while (left := group(mark)) and time.monotonic() < end:
        time.sleep(0.05)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    if left:
        return f"{len(left)} processes left", process.returncode
    if how == signal.SIGKILL and "spawn_main" in told:  # a process that Python was just starting: it is not ours yet
        told = ""
    return (told if "Traceback" in told else ""), process.returncode


def cells(journal: Path) -> list[str]:
    """Return the finished cells in a journal; a last line that was cut short is none."""
    whole = journal.read_bytes().rpartition(b"\n")[0] if journal.exists() else b""
    return [json.dumps(json.loads(line)["cell"]) for line in whole.splitlines()[1:]]


def check_journal(folder: Path, before: list[str]) -> str:
    """Say what was lost of a journal, or is in it twice."""
    now = cells(folder / "bench" / "journal.jsonl")
    if now[: len(before)] != before:
        return "finished cells were lost"
    return "a cell is there twice" if len(set(now)) < len(now) else ""


def check_files(folder: Path) -> str:
    """Say which file is neither the old one nor whole."""
    for name in ("a.json", "a.html", "a.pdf", "g.json"):
        data = (folder / name).read_bytes()
        if data != OLD and not data.rstrip().endswith(ENDINGS[Path(name).suffix].rstrip()):
            return f"{name} is neither old nor whole"
    return ""


def beside(folder: Path) -> list[str]:
    """Return the temporary files that were left."""
    return [file.name for file in folder.rglob(".elcs-*")]


def main() -> None:
    """Disturb commands until the time is over."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    rng, end = np.random.default_rng(asked.seed), time.monotonic() + asked.seconds
    done: collections.Counter[str] = collections.Counter()
    faults: collections.Counter[str] = collections.Counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        while time.monotonic() < end:
            words = (BENCH, LEARN, GRAPH)[rng.integers(3)]
            how = (signal.SIGKILL, signal.SIGINT, signal.SIGTERM)[rng.integers(3)]
            for file in ("a.json", "a.html", "a.pdf", "g.json"):
                (folder / file).write_bytes(OLD)
            before = cells(folder / "bench" / "journal.jsonl")
            wrong, code = disturb(words, how, float(rng.uniform(0.1, 4.0)), folder)
            wrong = wrong or check_journal(folder, before) or check_files(folder)
            left = beside(folder)
            if left and how == signal.SIGINT:
                wrong = wrong or f"left behind: {left}"
            for file in left:  # nobody can clean up after a kill
                next(folder.rglob(file)).unlink()
            done[f"{words[0]} {how.name}"] += 1
            if wrong:
                faults[wrong.splitlines()[-1]] += 1
                print(f"{words[0]}, {how.name}, exit code {code}: {wrong}", flush=True)
            if words is BENCH and code == 0:  # finished; begin anew
                (folder / "bench" / "journal.jsonl").unlink()
                done["bench finished"] += 1
    print(f"{faults.total()} faults:", ", ".join(f"{count} x {what}" for what, count in sorted(done.items())))
    sys.exit(faults.total() > 0)


if __name__ == "__main__":
    main()
