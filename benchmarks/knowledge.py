"""What tiers are worth: tests and errors of elcs-exact and elcs-global with and without them.

    python benchmarks/knowledge.py                    # Alarm, 5,000 and 1,000 rows, 5 samples each
    python benchmarks/knowledge.py --network child --rows 500 --samples 10

A true order of the variables is cut into three tiers of about the same size. An error is an edge at a target that is
missing, too many, or that has another direction than in the true graph. Edges that stay open although the truth has a
direction count as errors too, so that part of what is saved are directions that observations cannot tell; the last
column counts false neighbours, missing neighbours and false directions alone. The cache is emptied before each target.
"""

from __future__ import annotations

import argparse
import warnings

import networkx as nx
import numpy as np

import elcs

Figures = tuple[float, float, float]


def tiers_of(graph: nx.DiGraph[str], count: int) -> elcs.Knowledge:
    """Cut a topological order into tiers; of several orders, the one that follows the names."""
    order = list(nx.lexicographical_topological_sort(graph))
    return elcs.Knowledge(tiers=[list(part) for part in np.array_split(order, count)])


def errors(graph: nx.DiGraph[str], target: str, found: tuple[set[str], set[str], set[str]]) -> tuple[int, int]:
    """Count the edges at a target that differ from the truth, and those of them that are wrong rather than open."""
    parents, children, undirected = found
    causes, effects = set(graph.predecessors(target)), set(graph.successors(target))
    right = len(parents & causes) + len(children & effects)
    neighbours = parents | children | undirected
    differ = len(neighbours | causes | effects) - right
    return differ, differ - len(undirected & (causes | effects))


def local(table: elcs.Table, graph: nx.DiGraph[str], known: elcs.Knowledge | None) -> Figures:
    """Return tests, errors and wrong edges of elcs-exact, per target."""
    ci, told = elcs.G2(table), []
    for target in table.names:
        ci.clear_cache()
        found = elcs.learn(ci, target, method="elcs-exact", knowledge=known)
        sides = set(found.parents), set(found.children), set(found.undirected)
        told.append((found.n_tests, *errors(graph, target, sides)))
    return tuple(np.mean(told, axis=0))


def whole(table: elcs.Table, graph: nx.DiGraph[str], known: elcs.Knowledge | None) -> Figures:
    """Return the tests of elcs-global for the whole graph, and errors and wrong edges per target."""
    found = elcs.learn_graph(table, method="elcs-global", knowledge=known, ci_test="g2")
    told = []
    for target in table.names:
        sides = set(found.parents(target)), set(found.children(target)), set(found.undecided(target))
        told.append(errors(graph, target, sides))
    return float(found.n_tests), *np.mean(told, axis=0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--network", default="alarm")
    parser.add_argument("--rows", type=int, nargs="+", default=[5000, 1000])
    parser.add_argument("--samples", type=int, default=5)
    parser.add_argument("--tiers", type=int, default=3)
    asked = parser.parse_args()
    warnings.simplefilter("ignore", elcs.DataWarning)
    network = elcs.networks.load(asked.network)
    graph = network.to_networkx()
    known = tiers_of(graph, asked.tiers)
    print("| method | rows | knowledge | tests | errors a target | without open edges |")
    print("|---|---|---|---|---|---|")
    for name, run in (("elcs-exact", local), ("elcs-global", whole)):
        for rows in asked.rows:
            tables = [network.sample(rows, random_state=seed) for seed in range(asked.samples)]
            for words, what in (("none", None), (f"{asked.tiers} tiers", known)):
                tests, differ, wrong = np.mean([run(table, graph, what) for table in tables], axis=0)
                print(f"| `{name}` | {rows:,} | {words} | {tests:,.0f} | {differ:.2f} | {wrong:.2f} |")


if __name__ == "__main__":
    main()
