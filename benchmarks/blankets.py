"""Time the blanket learners on all targets of a data set, and redo the blanket figures of the ELCS paper.

    python benchmarks/blankets.py speed DATA_FOLDER               # CPU time of one thread
    python benchmarks/blankets.py figures DATA_FOLDER TABLES_CSV  # mean F1 over 10 data sets each, next to the paper's

DATA_FOLDER holds a folder per network with graph.csv (parent,child) and s5000_v1.csv.gz, s1000_v1.csv.gz, ...
TABLES_CSV (optional) holds the paper's figures: table,samples,network,algorithm,metric,mean,std.
The cache is emptied before each target. A target whose column is constant in the data counts as an empty answer.
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
from elcs.evaluation import blanket_scores, true_blanket

SPEED = [
    ("alarm", "hiton-mb", 60),
    ("alarm", "mmmb", 60),
    ("alarm", "iamb", 15),
    ("alarm", "mmpc", 15),
    ("child10", "hiton-mb", 1000),
]
FIGURES = [(network, size) for network in ("alarm", "child", "insurance") for size in (5000, 1000)]
METHODS = ("hiton-mb", "mmmb", "iamb", "stmb", "bamb", "emb", "emb-ii")

Figures = dict[tuple[str, str, str], float]


def run_all(ci: elcs.CITest, method: str) -> tuple[dict[str, elcs.MarkovBlanket], float]:
    """Return the result for every target, and the CPU seconds."""
    results, spent = {}, 0.0
    for target in ci.variables:
        ci.clear_cache()
        start = time.process_time()
        results[target] = elcs.blanket(ci, target, method=method)
        spent += time.process_time() - start
    return results, spent


def speed(folder: Path) -> None:
    print(f"{'data':<18} {'method':<10} targets        ms   (goal)  tests a target  computed")
    for network, method, goal in SPEED:
        ci = elcs.G2(elcs.Dataset.from_any(folder / network / "s5000_v1.csv.gz"))
        runs = [run_all(ci, method) for _ in range(3 if goal > 500 else 10)]
        results, spent = min(runs, key=lambda run: run[1])
        tests = np.mean([result.n_tests for result in results.values()])
        computed = np.mean([result.n_computed for result in results.values()])
        print(
            f"{network + ' s5000_v1':<18} {method:<10} {len(results):7} {1e3 * spent:9.1f} {f'({goal})':>8} "
            f"{tests:15.0f} {computed:9.0f}"
        )


def read_graph(path: Path) -> nx.DiGraph[str]:
    with path.open() as file:
        return nx.DiGraph([(row["parent"], row["child"]) for row in csv.DictReader(file)])


def read_paper(path: Path) -> Figures:
    """Return the paper's mean F1 by number of rows, network and algorithm."""
    with path.open() as file:
        return {
            (row["samples"], row["network"].lower(), row["algorithm"].lower()): float(row["mean"])
            for row in csv.DictReader(file)
            if row["table"] == "blanket" and row["metric"] == "F1"
        }


def figures(folder: Path, paper: Figures) -> None:
    print(f"{'data':<16} {'method':<10}    F1  precision recall  CI tests   paper  difference")
    warnings.simplefilter("ignore", elcs.DataWarning)
    for network, size in FIGURES:
        graph = read_graph(folder / network / "graph.csv")
        truth = {target: true_blanket(graph, target) for target in graph}
        tests = [elcs.G2(elcs.Dataset.from_any(path)) for path in (folder / network).glob(f"s{size}_v*.csv.gz")]
        for method in METHODS:
            rows = []
            for ci in tests:
                results, _ = run_all(ci, method)
                found = {target: results[target].markov_blanket if target in results else () for target in truth}
                scores = np.mean([blanket_scores(truth[target], found[target]) for target in truth], axis=0)
                rows.append((*scores, np.mean([result.n_tests for result in results.values()])))
            precision, recall, f1, _, asked = np.mean(rows, axis=0)
            print(f"{network + ' ' + str(size):<16} {method:<10} {f1:5.3f} {precision:10.3f} {recall:6.3f}", end="")
            published = paper.get((str(size), network, method))
            compared = "" if published is None else f" {published:7.2f} {f1 - published:+11.3f}"
            print(f" {asked:9.0f}{compared}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", choices=["speed", "figures"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("tables", type=Path, nargs="?")
    options = parser.parse_args()
    if options.what == "speed":
        speed(options.folder)
    else:
        figures(options.folder, read_paper(options.tables) if options.tables else {})


if __name__ == "__main__":
    main()
