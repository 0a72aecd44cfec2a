"""The perfect test: independence read off a known graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from elcs.engines.base import Answer, Verdict
from elcs.engines.sequential import SequentialTester
from elcs.graph.dseparation import Separation
from elcs.independence.base import CITest

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["DSeparation"]


class DSeparation(CITest):
    """Answers by d-separation in a directed acyclic graph, without data and without error.

    Its association is 1 for adjacent variables and falls with their distance in the graph, so that learners try
    near variables first.

    Parameters
    ----------
    graph : networkx.DiGraph
        A directed acyclic graph; its nodes are the variables.
    cache_size : int
        Number of answers to remember; 0 switches the cache off.

    Examples
    --------
    >>> import networkx as nx, elcs
    >>> ci = elcs.DSeparation(nx.DiGraph([("rain", "wet"), ("sprinkler", "wet")]))
    >>> ci.independent("rain", "sprinkler"), ci.independent("rain", "sprinkler", ["wet"])
    (True, False)
    >>> ci.association("rain", "wet"), ci.association("rain", "sprinkler", ["wet"])
    (1.0, 0.5)
    """

    def __init__(self, graph: nx.DiGraph[str], *, cache_size: int = 1 << 20) -> None:
        self._separation = Separation(graph)
        super().__init__(self._separation.nodes, SequentialTester(self._measure, cache_size=cache_size))

    def _measure(self, x: int, y: int, given: tuple[int, ...]) -> Answer:
        if self._separation.separated(x, y, given):
            return 0.0, 0, Verdict.INDEPENDENT, 0, 1
        return 1.0 / self._separation.distance(x, y), 0, Verdict.DEPENDENT, 0, 1
