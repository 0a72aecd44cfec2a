"""Time the learners of whole graphs, and score what they find.

    python benchmarks/whole.py DATA_FOLDER [--methods pc-stable mmhc] [--networks alarm child] [--rows 5000]
    python benchmarks/whole.py DATA_FOLDER --peers    # causal-learn and pgmpy too, if they are installed

DATA_FOLDER holds a folder per network with graph.csv (parent,child) and s5000_v1.csv.gz, s1000_v1.csv.gz, ...; where
there is no such file, the table is sampled from the packaged network of that name. Times are CPU seconds on a table
that has been read, the best of several runs, each with an empty cache. Precision, recall and F1 are those of the
skeleton. SHD is the number of pairs that differ between the essential graphs (CPDAG) of what was found and of the
truth. The ratio is to the time of the first method. Peers run once.
"""

from __future__ import annotations

import argparse
import importlib.util
import time
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import networkx as nx
from local import read_graph

import elcs
from elcs.graph.cpdag import cpdag

ALPHA, MAX_COND_SIZE = 0.01, 3
HEAD = f"{'data':<16} {'method':<20} {'CPU s':>9} {'ratio':>7} {'tests':>9} edges  precision recall     F1   SHD"

Edges = Iterable[tuple[str, str]]
Marks = dict[frozenset[str], tuple[str, str] | None]
"""For each pair with an edge, cause and effect, or None if it has no direction."""


def load(folder: Path, rows: int) -> tuple[elcs.Dataset, nx.DiGraph[str]]:
    """Return a table and the true graph."""
    path = folder / f"s{rows}_v1.csv.gz"
    if path.exists():
        return elcs.Dataset.from_any(path), read_graph(folder / "graph.csv")
    network = elcs.networks.load(folder.name)
    return network.sample(rows, random_state=1), network.to_networkx()


def marks(directed: Edges, undirected: Edges) -> Marks:
    return {**{frozenset(edge): None for edge in undirected}, **{frozenset(edge): edge for edge in directed}}


def row(name: str, method: str, seconds: float, first: float, tests: int | None, found: Marks, truth: Marks) -> str:
    right = len(found.keys() & truth.keys())
    precision, recall = right / max(len(found), 1), right / max(len(truth), 1)
    f1 = 2 * right / max(len(found) + len(truth), 1)
    distance = sum(pair not in found or pair not in truth or found[pair] != truth[pair] for pair in {**found, **truth})
    return (
        f"{name:<16} {method:<20} {seconds:9.4f} {seconds / first:7.1f} {'-' if tests is None else tests:>9} "
        f"{len(found):5} {precision:10.3f} {recall:6.3f} {f1:6.3f} {distance:5}"
    )


def timed(work: Callable[[], Any], repeats: int) -> tuple[Any, float]:
    """Return the result and the CPU seconds of the fastest run."""
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        result = work()
        best = min(best, time.process_time() - start)
    return result, best


def causal_learn(data: elcs.Dataset) -> tuple[Marks, float]:
    """PC-stable of causal-learn, with the same level, the same largest set and G2."""
    import numpy as np
    from causallearn.search.ConstraintBased.PC import pc

    table = np.column_stack(data.codes).astype(int)
    result, seconds = timed(
        lambda: pc(table, ALPHA, "gsq", stable=True, max_k=MAX_COND_SIZE, show_progress=False), repeats=1
    )
    ends = result.G.graph  # -1 at the tail of an edge, 1 at its head
    pairs = [(i, j) for i in range(len(ends)) for j in range(len(ends)) if ends[i, j] == -1]
    directed = [(data.names[i], data.names[j]) for i, j in pairs if ends[j, i] == 1]
    heads = [(i, j) for i in range(len(ends)) for j in range(i) if ends[i, j] == ends[j, i] != 0]
    return marks(directed, [(data.names[i], data.names[j]) for i, j in heads]), seconds


def pgmpy(data: elcs.Dataset) -> tuple[Marks, float]:
    """PC-stable of pgmpy, likewise."""
    import pandas as pd
    from pgmpy.causal_discovery import PC

    table = pd.DataFrame({name: codes.astype(str) for name, codes in zip(data.names, data.codes, strict=True)})
    learner = PC(
        variant="stable",
        ci_test="g_sq",
        significance_level=ALPHA,
        max_cond_vars=MAX_COND_SIZE,
        n_jobs=1,
        show_progress=False,
    )
    result, seconds = timed(lambda: learner.fit(table).causal_graph_, repeats=1)
    return marks(result.directed_edges, result.undirected_edges), seconds


PEERS = {"causallearn": ("causal-learn's PC", causal_learn), "pgmpy": ("pgmpy's PC", pgmpy)}


def compare(data: elcs.Dataset, name: str, graph: nx.DiGraph[str], options: argparse.Namespace) -> None:
    """Print a line for each method on one data set."""
    truth = marks(*cpdag(graph).edges_among(tuple(graph)))
    first = 0.0
    for method in options.methods:
        result, seconds = timed(
            lambda: elcs.learn_graph(data, method=method, alpha=ALPHA, max_cond_size=MAX_COND_SIZE),
            repeats=options.repeats,
        )
        first = first or seconds
        essential = result.cpdag()
        found = marks(essential.directed, essential.undirected)
        print(row(name, method, seconds, first, result.n_tests, found, truth), flush=True)
    for module, (label, run) in PEERS.items() if options.peers else ():
        if importlib.util.find_spec(module) is None:
            print(f"{name:<16} {label:<20} is not installed")
            continue
        found, seconds = run(data)
        print(row(name, label, seconds, first, None, found, truth), flush=True)


def main() -> None:
    known = [method.name for method in elcs.methods() if method.kind == "whole" or method.whole is not None]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--methods", nargs="+", default=known, choices=known)
    parser.add_argument("--networks", nargs="+", default=["alarm", "child", "insurance"])
    parser.add_argument("--rows", type=int, default=5000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--peers", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore", elcs.DataWarning)
    print(HEAD)
    for network in options.networks:
        data, graph = load(options.folder / network, options.rows)
        compare(data, f"{network} {options.rows}", graph, options)


if __name__ == "__main__":
    main()
