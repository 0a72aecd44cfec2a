"""How time and memory grow with the number of columns, through the command line.

    python benchmarks/growth.py graph --columns 800 2000
    python benchmarks/growth.py learn --columns 20000

Tables of 1,000 rows are made here: two levels a column, two parents among the fifty columns before. CPU seconds and the
largest memory are those of the whole command, reading included.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ROWS = 1000


def make_table(file: Path, n_columns: int) -> None:
    rng = np.random.default_rng(1)
    table = np.empty((ROWS, n_columns), np.uint8)
    for j in range(n_columns):
        a, b = rng.integers(max(0, j - 50), j, 2) if j > 2 else (j, j)
        flipped = rng.random(ROWS) < (0.2 if j > 2 else 0.5)
        table[:, j] = ((table[:, a] | table[:, b]) if j > 2 else np.zeros(ROWS, np.uint8)) ^ flipped
    head = ",".join(f"V{j}" for j in range(n_columns))
    np.savetxt(file, table, fmt="%d", delimiter=",", header=head, comments="")


def measure(words: list[str]) -> tuple[float, float]:
    """Run a command; return its CPU seconds and its largest memory in MB."""
    process = subprocess.Popen([sys.executable, "-c", "from elcs.cli import main; main()", *words])
    _, status, used = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status):
        raise SystemExit(f"elcs {' '.join(words)} failed")
    return used.ru_utime + used.ru_stime, used.ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("question", choices=["graph", "learn"])
    parser.add_argument("--columns", type=int, nargs="+", default=[200, 800])
    parser.add_argument("--methods", nargs="+")
    asked = parser.parse_args()
    methods = (
        asked.methods
        or {"graph": ["elcs-global", "elcs-hybrid"], "learn": ["elcs-exact", "elcs-hybrid"]}[asked.question]
    )
    with tempfile.TemporaryDirectory() as folder:
        for n_columns in asked.columns:
            file = Path(folder, "table.csv")
            make_table(file, n_columns)
            about = [] if asked.question == "graph" else ["-t", f"V{n_columns // 2}", "--stability", "0"]
            for method in methods:
                seconds, megabytes = measure([asked.question, str(file), *about, "--method", method, "--quiet"])
                print(
                    f"{asked.question} {n_columns:6,} columns {method:12} {seconds:6.1f} s CPU {megabytes:6.0f} MB",
                    flush=True,
                )


if __name__ == "__main__":
    main()
