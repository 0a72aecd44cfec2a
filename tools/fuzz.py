"""Feed random input to the package, for a time, and print what should not have happened.

    python tools/fuzz.py --seconds 60 --seed 0
    python tools/fuzz.py --seconds 60 --cases 10000
    python tools/fuzz.py --seed 0 --case 1234

A case is made from the seed and its number alone, so what is found can be found again. Bad input must give an
`ElcsError`; anything else, a hang included, is a fault. Answers of the kernel are held to the reference engine.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import gzip
import itertools
import json
import os
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
from typer.testing import CliRunner

import elcs
from elcs.cli.commands import app
from elcs.engines import MemoryEngine, ReferenceEngine, Rule
from elcs.evaluation.journal import Journal
from elcs.evaluation.summary import Summary, tidy_csv

Rng = np.random.Generator

LONGEST = 60
"""Seconds after which a case is taken to hang."""

CELLS = """
0 1 2 -7 0.5 1e308 -1e-320 inf NaN NA x yes TRUE ' " "" 1970-01-01 2024-02-30 9999-12-31T23:59:59Z \ufeff ä \u202e
1_000 0x1F 007
""".split()  # noqa: SIM905
CELLS += ["", " ", "9" * 350]
COMMANDS = ["learn", "blanket", "graph", "effect", "compare", "describe"]
WORDS = """
methods --target -t a b --alpha --method elcs-exact iamb mmhc --max-tests --timeout --bins --kinds a=text --missing
level --weights --drop a,b --json - out.json --dot out.dot --html --plot out.png --encoding latin-1 rot13 --before a<b
a<a --exogenous --outcome --knowledge k.toml --stability 4 --explain --effects --quiet --jobs --cause --effect
--score bic 0 1 -1 nan inf 1e400 ~nobody/x t.csv nowhere/x -- --ci-test careful \0
""".split()  # noqa: SIM905
WORDS += [*COMMANDS, ""]
KNOWN = """tiers = [['a'], ['b']]
required = [['a', 'b']]
forbidden = [['b', 'a']]
exogenous = ['a']
outcomes = ['b']
tiers = ['a']
required = [['a']]
required = [['a', 1]]
exogenous = 'a'
[[
x = 1
/knowledge
addtemporal
1 a b
2* c
forbiddirect
a b
requiredirect
b a
forbiddengroup
= []""".splitlines()


def random_text(rng: Rng) -> str:
    """Make the text of a table, of two to six columns."""
    n_columns, n_rows = int(rng.integers(2, 7)), int(rng.integers(0, 60))
    pools = [rng.choice(CELLS, int(rng.integers(1, 6))) for _ in range(n_columns)]
    mark = rng.choice([",", ";", "\t", "|"])
    rows = [mark.join("abcdef"[:n_columns])] + [
        mark.join(str(rng.choice(pool)) for pool in pools) for _ in range(n_rows)
    ]
    return str(rng.choice(["\n", "\r\n", "\n\n"])).join(rows)


def damage(data: bytes, rng: Rng) -> bytes:
    """Cut, repeat, exchange or insert some bytes, or none."""
    for _ in range(int(rng.integers(0, 4))):
        at, to = sorted(rng.integers(0, len(data) + 1, 2).tolist())
        noise = rng.bytes(int(rng.integers(0, 5)))
        data = [data[:at] + data[to:], data[:to] + data[at:], data[:at] + noise + data[at:], data[:at] + noise][
            rng.integers(4)
        ]
    return data


def tables(rng: Rng, folder: Path) -> None:
    """Describe a damaged file, and ask about a column of it."""
    data = damage(random_text(rng).encode("utf-8", "surrogatepass"), rng)
    packed = rng.random() < 0.2
    file = folder / ("t.csv.gz" if packed else "t.csv")
    file.write_bytes(damage(gzip.compress(data), rng) if packed else data)
    missing = str(rng.choice(["testwise", "drop", "level", "error"]))
    for ask in (
        lambda: elcs.describe(file, missing=missing),
        lambda: elcs.learn(file, "a", missing=missing, timeout=5.0),
    ):
        with contextlib.suppress(elcs.ElcsError):
            ask()


def commands(rng: Rng, folder: Path) -> None:
    """Run a random command line."""
    (folder / "t.csv").write_text("a,b,c\n" + "".join(f"{i % 2},{i % 3 % 2},{i % 7}\n" for i in range(60)))
    (folder / "k.toml").write_text(str(rng.choice(KNOWN)))
    words = [str(word) for word in rng.choice(WORDS, int(rng.integers(1, 9)))]
    if rng.random() < 0.8:
        words = [str(rng.choice(COMMANDS)), "t.csv", "-t", "a", "--timeout", "2", *words]
    done = CliRunner().invoke(app, words, input="a,b\n1,2\n")
    if done.exception is not None and not isinstance(done.exception, elcs.ElcsError | SystemExit):
        raise RuntimeError(f"elcs {words}") from done.exception
    if (folder / "t.csv").read_text()[:5] != "a,b,c":
        raise RuntimeError(f"elcs {words} has written over its input")


def journals(rng: Rng, folder: Path) -> None:
    """Open a damaged journal, and sum it up if it is accepted."""
    rows = [{"target": x, "SHD": 1.0, "cpu": 0.1, "wall": 0.1, "tests": 5, "computed": 3} for x in "ab"]
    cells = [{"cell": ["iamb", "asia", 100, i], "status": "done", "variables": 2, "targets": rows} for i in range(3)]
    lines = [json.dumps(line, separators=(",", ":")) for line in ({"settings": {"alpha": 0.01}}, *cells)]
    data = damage(("\n".join(lines) + "\n").encode(), rng)
    file = folder / "journal.jsonl"
    file.write_bytes(data)
    try:
        with Journal(file, {"alpha": 0.01}) as journal:
            Summary(journal.records)
            tidy_csv(journal.records)
    except elcs.ElcsError:
        if file.read_bytes() != data:
            raise RuntimeError("a journal that was refused has been changed") from None


def knowledge(rng: Rng, folder: Path) -> None:
    """Read a damaged file of what is known."""
    text = "\n".join(map(str, rng.choice(KNOWN, int(rng.integers(1, 6)))))
    (folder / "k.toml").write_bytes(damage(text.encode(), rng))
    try:
        plan = elcs.Plan(knowledge=folder / "k.toml", timeout=5.0)
        elcs.learn({"a": [0, 1] * 20, "b": [0, 1] * 18 + [1, 0] * 2, "c": [0, 0, 1, 1] * 10}, "a", plan=plan)
    except elcs.ElcsError:
        pass


def questions(rng: Rng, folder: Path) -> None:
    """Ask the kernel and the reference engine the same."""
    n_rows, n_columns = int(rng.integers(1, 2000)), int(rng.integers(2, 8))
    most = 300 if rng.random() < 0.1 else 5
    columns = {f"v{i}": rng.integers(0, rng.integers(2, 5 if i else most), n_rows) for i in range(n_columns)}
    for i in range(1, n_columns):
        copied = rng.random(n_rows) < rng.random()
        columns[f"v{i}"][copied] = columns["v0"][copied] % 5
    weights = rng.integers(0, 50, n_rows) if rng.random() < 0.3 else None
    kinds = dict.fromkeys(columns, "category")
    try:
        table = elcs.Table.from_any(columns, weights=weights, kinds=kinds)
    except elcs.DataError:  # nothing varies
        return
    rule = Rule("g2" if rng.random() < 0.5 else "chi2", rows_per_cell=0.05)
    kernel, plain = (engine.tester(rule, cache_size=100) for engine in (MemoryEngine(table), ReferenceEngine(table)))
    for _ in range(5):
        x, y, *given = rng.permutation(len(table.names))[: rng.integers(2, 8)].tolist()
        found, expected = kernel.test(x, y, given), plain.test(x, y, given)
        near = abs(found[0] - expected[0]) <= 1e-9 * max(1.0, expected[0])
        verdict = found[2] == expected[2] or abs(expected[0] - rule.critical(max(expected[1], 1))) < 1e-6
        if not (near and verdict and found[1] == expected[1] and found[3] == expected[3]):
            raise RuntimeError(f"{rule.statistic} of {x}, {y} given {given}: {found} here, {expected} by the reference")


SUBJECTS: tuple[Callable[[Rng, Path], None], ...] = (tables, commands, journals, knowledge, questions)


def stop(*_: object) -> None:
    """Take a case for one that hangs."""
    raise TimeoutError(f"more than {LONGEST} s")


def run_case(seed: int, number: int, folder: Path) -> str:
    """Run one case; return what went wrong, or nothing."""
    signal.alarm(LONGEST)
    try:
        SUBJECTS[number % len(SUBJECTS)](np.random.default_rng([seed, number]), folder)
    except Exception:
        return traceback.format_exc()
    finally:
        signal.alarm(0)
    return ""


def main() -> None:
    """Run cases until the time is over."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cases", type=int, help="run no more than these, so that a fast machine meets no others")
    parser.add_argument("--case", type=int, help="run this one alone")
    asked = parser.parse_args()
    signal.signal(signal.SIGALRM, stop)
    warnings.simplefilter("ignore")
    end = time.monotonic() + asked.seconds
    ran: collections.Counter[str] = collections.Counter()
    faults = 0
    with tempfile.TemporaryDirectory() as folder:
        for number in itertools.islice(itertools.count(), asked.cases) if asked.case is None else [asked.case]:
            if time.monotonic() >= end:
                break
            place = Path(folder, str(number))
            place.mkdir()
            os.chdir(place)  # command lines name files without a folder
            found = run_case(asked.seed, number, place)
            os.chdir(folder)
            shutil.rmtree(place)
            subject = SUBJECTS[number % len(SUBJECTS)].__name__
            ran[subject] += 1
            if found:
                faults += 1
                print(f"--seed {asked.seed} --case {number} ({subject}):\n{found}", flush=True)
    print(f"{faults} faults in {ran.total():,} cases:", ", ".join(f"{count:,} {name}" for name, count in ran.items()))
    sys.exit(faults > 0)


if __name__ == "__main__":
    main()
