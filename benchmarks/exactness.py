"""Check the exact learners against the essential graph on all labelled DAGs of up to five nodes and random larger ones.

    python benchmarks/exactness.py [--nodes 5] [--random 1000]

With a perfect test every target must come out right. The tests of the package do the same up to four nodes.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import networkx as nx

import elcs
from elcs.evaluation import Neighbourhood, neighbourhoods, true_blanket

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from making import all_dags

METHODS = ("elcs-exact", "elcs-cautious")


def random_dags(n: int) -> Iterator[nx.DiGraph[str]]:
    """Yield sparse to moderately dense graphs of 5 to 15 nodes."""
    rng = random.Random(0)
    for _ in range(n):
        nodes = [f"N{i}" for i in range(rng.randint(5, 15))]
        order = rng.sample(nodes, len(nodes))
        graph: nx.DiGraph[str] = nx.DiGraph()
        graph.add_nodes_from(nodes)
        for i, node in enumerate(order):
            graph.add_edges_from((parent, node) for parent in rng.sample(order[:i], min(i, rng.randint(0, 3))))
        yield graph


def wrong_targets(graph: nx.DiGraph[str]) -> int:
    """Count the targets of a graph at which the answer is not that of the essential graph."""
    truth, ci = neighbourhoods(graph, identifiable=True), elcs.DSeparation(graph)
    wrong = 0
    for target in graph:
        results = [elcs.learn(ci, target, method=method, max_cond_size=None) for method in METHODS]
        right = all(Neighbourhood.of(result) == truth[target] for result in results)
        wrong += not right or any(set(r.markov_blanket) != true_blanket(graph, target) for r in results)
    return wrong


def report(what: str, graphs: Iterator[nx.DiGraph[str]]) -> None:
    start, n_graphs, n_targets, wrong = time.perf_counter(), 0, 0, 0
    for graph in graphs:
        n_graphs, n_targets = n_graphs + 1, n_targets + len(graph)
        wrong += wrong_targets(graph)
    print(f"{what}: {n_graphs:,} graphs, {n_targets:,} targets, {wrong} wrong, {time.perf_counter() - start:.0f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--nodes", type=int, default=5)
    parser.add_argument("--random", type=int, default=1000)
    options = parser.parse_args()
    for n in range(2, options.nodes + 1):
        report(f"all DAGs of {n} nodes", all_dags(n))
    report("random DAGs of 5 to 15 nodes", random_dags(options.random))


if __name__ == "__main__":
    main()
