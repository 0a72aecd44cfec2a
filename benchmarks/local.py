"""Time the local learners on all targets of a data set, and redo the accuracy figures of the ELCS paper.

    python benchmarks/local.py speed DATA_FOLDER      # CPU time of one thread
    python benchmarks/local.py figures DATA_FOLDER    # means over 10 data sets each

DATA_FOLDER holds a folder per network with graph.csv (parent,child) and s5000_v1.csv.gz, s1000_v1.csv.gz, ...
Cold: the cache is emptied before each target. Shared: one cache for all targets of a data set.
"""

from __future__ import annotations

import argparse
import csv
import time
import warnings
from pathlib import Path

import networkx as nx
import numpy as np

import elcs
from elcs.evaluation import Neighbourhood, local_scores, neighbourhoods

SPEED = [
    ("alarm", "s5000_v1", "elcs", 150),
    ("alarm", "s5000_v1", "elcs-exact", 100),
    ("child10", "s5000_v1", "elcs-exact", 3000),
    ("pigs", "s1000_v1", "elcs-exact", 10000),
]
FIGURES = [(network, size) for network in ("alarm", "child", "insurance") for size in (5000, 1000)]
METHODS = ("elcs", "elcs-ii", "elcs-exact", "elcs-cautious")


def read_graph(path: Path) -> nx.DiGraph[str]:
    with path.open() as file:
        return nx.DiGraph([(row["parent"], row["child"]) for row in csv.DictReader(file)])


def run_all(ci: elcs.CITest, method: str, *, shared: bool) -> tuple[dict[str, elcs.LocalStructure], float, float]:
    """Return the result for every target, the CPU seconds, and the part of them spent on evidence."""
    results, spent, evidence = {}, 0.0, 0.0
    ci.clear_cache()
    for target in ci.variables:
        if not shared:
            ci.clear_cache()
        start = time.process_time()
        results[target] = elcs.learn(ci, target, method=method)
        took = time.process_time() - start
        spent += took
        evidence += max(took - results[target].seconds, 0.0)
    return results, spent, evidence


def speed(folder: Path) -> None:
    print(f"{'data':<18} {'method':<13} targets   cold ms  (goal)  shared ms  tests a target  computed  evidence")
    for network, name, method, goal in SPEED:
        ci = elcs.G2(elcs.Dataset.from_any(folder / network / f"{name}.csv.gz"))
        run_all(ci, method, shared=False)
        runs = [run_all(ci, method, shared=False) for _ in range(1 if goal > 500 else 5)]
        results, cold, evidence = min(runs, key=lambda run: run[1])
        shared = min(run_all(ci, method, shared=True)[1] for _ in runs)
        tests = np.mean([result.n_tests for result in results.values()])
        computed = np.mean([result.n_computed for result in results.values()])
        print(
            f"{network + ' ' + name:<18} {method:<13} {len(results):7} {1e3 * cold:9.1f} {f'({goal})':>8} "
            f"{1e3 * shared:9.1f} {tests:15.0f} {computed:9.0f} {evidence / cold:8.1%}"
        )


def accuracy(folder: Path) -> None:
    print(f"{'':<16} {'':<13}  against the true graph        against the CPDAG")
    print(f"{'data':<16} {'method':<13}  ArrP   ArrR    SHD    FDR   ArrP   ArrR    SHD    FDR   CI tests")
    warnings.simplefilter("ignore", elcs.DataWarning)
    for network, size in FIGURES:
        graph = read_graph(folder / network / "graph.csv")
        truths = neighbourhoods(graph), neighbourhoods(graph, identifiable=True)
        for method in METHODS:
            rows = []
            for version in range(1, 11):
                data = elcs.Dataset.from_any(folder / network / f"s{size}_v{version}.csv.gz")
                results, _, _ = run_all(elcs.G2(data), method, shared=False)
                # A column that does not vary in a sample has no result: nothing was found there.
                found = {v: results.get(v, Neighbourhood()) for v in graph}
                scores = [np.mean([local_scores(truth[v], found[v]) for v in graph], axis=0) for truth in truths]
                rows.append((*scores[0], *scores[1], np.mean([result.n_tests for result in results.values()])))
            *mean, tests = np.mean(rows, axis=0)
            print(
                f"{network + ' ' + str(size):<16} {method:<13} "
                + " ".join(f"{x:6.3f}" for x in mean)
                + f" {tests:8.0f}"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", choices=["speed", "figures"])
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    (speed if options.what == "speed" else accuracy)(options.folder)


if __name__ == "__main__":
    main()
