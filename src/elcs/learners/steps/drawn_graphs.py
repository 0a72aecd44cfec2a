"""Acyclic networks that a neural network proposes: their scores, and how an order of the variables keeps them acyclic.

Shared by the learners that search with PyTorch. A graph is a matrix of zeros and ones, causes in rows, effects in
columns.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elcs.errors import ElcsError
from elcs.graph.rules import BEST_CLIMBED
from elcs.learners.notes import Whole
from elcs.learners.steps.decide import draw
from elcs.scores.score import Score

__all__ = ["Graph", "Scored", "alone", "load_torch"]

Graph = NDArray[np.int8]


def load_torch(method: str) -> Any:
    """Import PyTorch, which is large and which nothing else here needs."""
    try:
        import torch
    except ImportError as error:
        raise ElcsError(f'{method} needs PyTorch ({error}); pip install "elcs[bench]"') from error
    return torch


@contextmanager
def alone(torch: Any, seed: int) -> Iterator[None]:
    """Run on one thread and with random numbers of its own; afterwards everything is as before.

    The matrices are so small that threads mostly wait for each other: more than ten times slower on two busy cores.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with torch.random.fork_rng(devices=()):
            torch.manual_seed(seed)
            yield
    finally:
        torch.set_num_threads(threads)


class Scored:
    """Scores graphs, and keeps the best acyclic one that obeys what is known.

    Attributes
    ----------
    names : tuple of str
        The variables, in the order of the matrices.
    permitted, required : array of bool
        Which arcs may be, and which must be.
    best : Graph
        The best graph so far; at the beginning that of the required arcs alone.
    first, height : float
        The score of that first graph, and of the best.
    """

    def __init__(self, score: Score, notes: Whole) -> None:
        self.score, self.notes = score, notes
        self.names, known = notes.variables, notes.knowledge
        self.permitted = np.array([[a != b and not known.forbids(a, b) for b in self.names] for a in self.names])
        self.required = np.array([[bool(known.requires(a, b)) for b in self.names] for a in self.names])
        self.best: Graph = self.required.astype(np.int8)
        self.height = self.first = self.of(self.best)

    def of(self, graph: Graph) -> float:
        """Return the score of a graph, which may have cycles: the sum over its families."""
        names = self.names
        return sum(self.score.local(y, [names[i] for i in np.flatnonzero(graph[:, j])]) for j, y in enumerate(names))

    def keep(self, graph: Graph) -> float:
        """Score an acyclic graph, and keep it if it is the best so far."""
        found = self.of(graph)
        if found > self.height:
            self.best, self.height = graph.copy(), found
        return found

    def pruned(self, graph: Graph) -> Graph:
        """Return an acyclic graph without the arcs that the score is better off without, one after the other."""
        graph = graph.copy()
        while True:
            gains = {}
            for j, y in enumerate(self.names):
                causes = np.flatnonzero(graph[:, j] & ~self.required[:, j])
                for i in causes:
                    rest = [self.names[k] for k in np.flatnonzero(graph[:, j]) if k != i]
                    gains[i, j] = self.score.gains(y, rest, [self.names[i]])[0]
            worst = min(gains, key=gains.__getitem__, default=None)
            if worst is None or gains[worst] > 0:
                return graph
            graph[worst] = 0

    def draw(self) -> None:
        """Note the essential graph of the best network."""
        names = self.names
        network = {y: frozenset(names[i] for i in np.flatnonzero(self.best[:, j])) for j, y in enumerate(names)}
        draw(self.notes.graph, network, decided=False, rule=BEST_CLIMBED)
