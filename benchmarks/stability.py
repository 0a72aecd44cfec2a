"""Time half-samples, compare what they find with what a bootstrap finds, and count directions that they bear out.

    python benchmarks/stability.py DATA_FOLDER
    python benchmarks/stability.py DATA_FOLDER --directions    # of the packaged networks, before and after `steady`

DATA_FOLDER holds alarm/s5000_v1.csv.gz and child/s5000_v1.csv.gz, the latter with graph.csv (parent,child).
"""

from __future__ import annotations

import argparse
import csv
import os
import time
import warnings
from collections import Counter
from pathlib import Path

import numpy as np

import elcs
from elcs.evaluation import neighbourhoods

GOAL = 1.0  # seconds, for 100 half-samples of an Alarm target


def speed(data: elcs.Dataset) -> None:
    """Time 100 half-samples of every target: wall clock and CPU, one process."""
    rows = []
    for target in data.names:
        start, cpu = time.perf_counter(), time.process_time()
        elcs.stability(data, target, method="elcs-exact")
        rows.append((time.process_time() - cpu, time.perf_counter() - start, target))
    rows.sort()
    print(f"100 half-samples of each of {len(rows)} Alarm targets at {data.n_rows:,} rows (goal {GOAL} s), one process")
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    for name, (cpu, wall, target) in (("median", rows[len(rows) // 2]), ("slowest", rows[-1])):
        print(f"  {name:<8} {cpu:.2f} s of CPU, {wall:.2f} s of wall clock ({target})")


def bootstrapped(data: elcs.Dataset, rng: np.random.Generator) -> elcs.Dataset:
    """Draw as many rows as there are, with replacement."""
    rows = np.sort(rng.integers(0, data.n_rows, data.n_rows))
    return elcs.Table.from_codes(data.names, [codes[rows] for codes in data.codes], data.levels)


def compare(data: elcs.Dataset, graph: Path, n_samples: int) -> None:
    """Count false and missing neighbours of the plain run, and of majorities of half-samples and bootstrap samples."""
    with graph.open() as file:
        edges = {frozenset((row["parent"], row["child"])) for row in csv.DictReader(file)}
    found: dict[str, list[tuple[int, int]]] = {}
    ci = elcs.G2(data)
    rng = np.random.default_rng(0)
    tests = [elcs.G2(bootstrapped(data, rng)) for _ in range(n_samples)]
    for target in data.names:
        truth = {x for x in data.names if frozenset((x, target)) in edges}
        votes = {
            "plain run": dict.fromkeys(found_by(ci, target).neighbours, 1.0),
            "half-samples": {
                x: s.neighbour
                for x, s in elcs.stability(ci, target, n_samples=n_samples, method="elcs-exact").shares.items()
            },
            "bootstrap": {
                x: n / n_samples for x, n in Counter(x for t in tests for x in found_by(t, target).neighbours).items()
            },
        }
        for name, shares in votes.items():
            neighbours = {x for x, share in shares.items() if share >= 0.5}
            found.setdefault(name, []).append((len(neighbours - truth), len(truth - neighbours)))
    print(f"\nChild at {data.n_rows:,} rows, neighbours in at least half of {n_samples} samples, means over targets")
    for name, errors in found.items():
        false, missing = np.mean(errors, axis=0)
        print(f"  {name:<13} {false:.2f} false, {missing:.2f} missing")


def found_by(ci: elcs.CITest, target: str) -> elcs.LocalStructure:
    return elcs.learn(ci, target, method="elcs-exact")


def directions(n_samples: int) -> None:
    """Count how many directions of `elcs-exact` are right, before and after half-samples have checked them."""
    for rows in (5000, 1000):
        counts = np.zeros((2, 2), dtype=int)
        for name in ("alarm", "child", "insurance", "hailfinder", "win95pts"):
            network = elcs.networks.load(name)
            truth = neighbourhoods(network.to_networkx(), identifiable=True)
            table = network.sample(rows, random_state=11)
            study = elcs.Study.of(table, elcs.Plan(method="elcs-exact"))
            for target in table.names[::2]:
                result, known = elcs.learn(study, target), truth[target]
                for row, answer in enumerate((result, result.steady(result.stability(n_samples)))):
                    right = len(known.parents & {*answer.parents}) + len(known.children & {*answer.children})
                    counts[row] += right, len(answer.parents) + len(answer.children)
        for what, (right, claimed) in zip(("found", "borne out"), counts, strict=True):
            print(f"{rows:5} rows, {what:<9}: {right} of {claimed} directions right, {right / claimed:.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--samples", type=int, default=50)
    parser.add_argument("--directions", action="store_true")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", elcs.DataWarning)
    if arguments.directions:
        directions(20)
        return
    speed(elcs.Dataset.from_any(arguments.folder / "alarm" / "s5000_v1.csv.gz"))
    child = arguments.folder / "child"
    compare(elcs.Dataset.from_any(child / "s5000_v1.csv.gz"), child / "graph.csv", arguments.samples)


if __name__ == "__main__":
    main()
