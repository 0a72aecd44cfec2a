"""Other libraries on the same files, for `benchmarks/accuracy.py peers`. Those that are not installed are left out.

    pip install pyagrum causal-learn pgmpy

Each is run with its own defaults but for the score, in a process of its own, and given up after a limit of CPU seconds.
"""

from __future__ import annotations

import importlib.util
import multiprocessing
import resource
import signal
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import elcs

Edges = tuple[list[tuple[str, str]], list[tuple[str, str]]]
"""Directed edges, and edges without direction."""

LIMIT = 60
"""CPU seconds for one table."""


def codes(table: elcs.Table) -> np.ndarray:
    return np.column_stack([np.asarray(column, dtype=np.int64) for column in table.codes])


def pyagrum(table: elcs.Table, choose: Callable[[Any], None]) -> Edges:
    import pandas as pd
    import pyagrum as gum

    frame = pd.DataFrame(codes(table).astype(str), columns=list(table.names))
    learner = gum.BNLearner(frame)
    choose(learner)
    graph = learner.learnBN()
    names = {graph.variable(node).name(): node for node in graph.nodes()}
    by_node = {node: name for name, node in names.items()}
    essential = gum.EssentialGraph(graph)
    arcs = [(by_node[a], by_node[b]) for a, b in essential.arcs()]
    return arcs, [(by_node[a], by_node[b]) for a, b in essential.edges()]


def miic(learner: Any) -> None:
    learner.useMIIC()
    learner.useNMLCorrection()


def tabu(learner: Any) -> None:
    learner.useLocalSearchWithTabuList(100, 2)
    learner.useScoreBDeu()


def causal_learn(table: elcs.Table, name: str) -> Edges:
    from importlib import import_module

    data, names = codes(table), list(table.names)
    if name == "ges":
        run = import_module("causallearn.search.ScoreBased.GES").ges
        found = run(data, score_func="local_score_BDeu")["G"]
    else:
        run = getattr(import_module(f"causallearn.search.PermutationBased.{name}"), name.lower())
        found = run(data, score_func="local_score_BDeu", verbose=False)
    marks = found.graph  # marks[j, i] == 1 and marks[i, j] == -1: i -> j
    arcs, edges = [], []
    for i, a in enumerate(names):
        for j, b in enumerate(names):
            if marks[j, i] == 1 and marks[i, j] == -1:
                arcs.append((a, b))
            elif i < j and marks[i, j] == marks[j, i] == -1:
                edges.append((a, b))
    return arcs, edges


def pgmpy(table: elcs.Table) -> Edges:
    import pandas as pd
    from pgmpy.causal_discovery import GES

    frame = pd.DataFrame(codes(table).astype(str), columns=list(table.names)).astype("category")
    found = GES(scoring_method="bdeu").fit(frame).causal_graph_
    return sorted(found.directed_edges), sorted(found.undirected_edges)


PEERS: dict[str, tuple[str, Callable[[elcs.Table], Edges]]] = {
    "pyAgrum MIIC": ("pyagrum", lambda table: pyagrum(table, miic)),
    "pyAgrum tabu": ("pyagrum", lambda table: pyagrum(table, tabu)),
    "causal-learn GES": ("causallearn", lambda table: causal_learn(table, "ges")),
    "causal-learn BOSS": ("causallearn", lambda table: causal_learn(table, "BOSS")),
    "causal-learn GRaSP": ("causallearn", lambda table: causal_learn(table, "GRaSP")),
    "pgmpy GES": ("pgmpy", pgmpy),
}


def installed() -> Iterator[str]:
    """Yield the peers that can be run here."""
    yield from (name for name, (module, _) in PEERS.items() if importlib.util.find_spec(module) is not None)


def ask(name: str, table: elcs.Table) -> tuple[Edges, float] | None:
    """Return what a peer finds and its CPU seconds, or None if it takes too long."""
    receiver, sender = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=_work, args=(name, table, sender))
    process.start()
    sender.close()  # so that the end of the process is the end of what can be received
    try:
        answer: tuple[Edges, float] = receiver.recv()
    except EOFError:
        process.join()
        if process.exitcode != -signal.SIGXCPU:
            raise RuntimeError(f"{name} failed") from None
        return None
    process.join()
    return answer


def _work(name: str, table: elcs.Table, sender: Any) -> None:
    start = time.process_time()
    resource.setrlimit(resource.RLIMIT_CPU, (int(start) + LIMIT, resource.RLIM_INFINITY))
    found = PEERS[name][1](table)
    sender.send((found, time.process_time() - start))
    sender.close()
