"""The metrics of the ELCS paper, and the same against the most that observations can show.

For one target: how many of the arrows at it are right (ArrP, ArrR), how many edges would have to be changed (SHD),
and how many of the edges claimed are wrong (FDR). Blankets are scored by precision, recall, F1 and distance from
perfection.

Observations determine only the essential graph (CPDAG) of the truth. A learner that returns just that leaves
reversible edges undirected and cannot score 1 against the true graph; what it scores is the *ceiling*. Scores above
the ceiling mean that reversible edges were oriented by chance. Scored *against the CPDAG*, a reversible edge is right
if it is undirected and wrong if it has a direction.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

from elcs.graph.cpdag import cpdag

if TYPE_CHECKING:
    import networkx as nx

__all__ = [
    "BlanketScores",
    "LocalScores",
    "Neighbourhood",
    "blanket_scores",
    "ceiling",
    "local_scores",
    "neighbourhoods",
    "true_blanket",
]


class _Sides(Protocol):
    """Anything that tells parents, children and undirected neighbours apart, such as a `LocalStructure`."""

    @property
    def parents(self) -> Collection[str]: ...
    @property
    def children(self) -> Collection[str]: ...
    @property
    def undirected(self) -> Collection[str]: ...


@dataclass(frozen=True)
class Neighbourhood:
    """The edges at one variable."""

    parents: frozenset[str] = frozenset()
    children: frozenset[str] = frozenset()
    undirected: frozenset[str] = frozenset()

    @classmethod
    def of(cls, sides: _Sides) -> Neighbourhood:
        """Take the edges of a result or of another neighbourhood."""
        return cls(frozenset(sides.parents), frozenset(sides.children), frozenset(sides.undirected))

    @property
    def all(self) -> frozenset[str]:
        """All neighbours."""
        return self.parents | self.children | self.undirected


class LocalScores(NamedTuple):
    """Scores of the edges at one target; precision and recall are best at 1, the other two at 0."""

    arrow_precision: float
    arrow_recall: float
    shd: float
    fdr: float


class BlanketScores(NamedTuple):
    """Scores of one Markov blanket; the distance is best at 0, the others at 1."""

    precision: float
    recall: float
    f1: float
    distance: float


def local_scores(truth: _Sides, found: _Sides) -> LocalScores:
    """Score the edges found at a target.

    If the truth has undirected edges, it is an essential graph, and an undirected edge found there is right.

    Examples
    --------
    >>> truth = Neighbourhood(parents=frozenset("ab"), children=frozenset("c"))
    >>> local_scores(truth, Neighbourhood(parents=frozenset("a"), children=frozenset("b"), undirected=frozenset("c")))
    LocalScores(arrow_precision=0.5, arrow_recall=0.3333333333333333, shd=2, fdr=0.3333333333333333)
    """
    truth, found = Neighbourhood.of(truth), Neighbourhood.of(found)
    kept = found.undirected & truth.undirected  # right only where the truth is undirected as well
    right = len(found.parents & truth.parents) + len(found.children & truth.children) + len(kept)
    claimed = len(found.parents | found.children | kept)
    if not truth.all:
        precision = recall = float(not found.all)
    else:
        precision = right / claimed if claimed else 0.0
        recall = right / len(truth.all)
    directed = found.parents | found.children
    extra = len(found.all - truth.all)
    wrong_way = len(directed & truth.all) - (right - len(kept))
    not_oriented = len((found.undirected & truth.all) - kept)
    missing = len(truth.all - found.all)
    fdr = (wrong_way + extra) / len(found.all) if found.all else 0.0
    return LocalScores(precision, recall, not_oriented + wrong_way + missing + extra, fdr)


def blanket_scores(truth: Collection[str], found: Collection[str]) -> BlanketScores:
    """Score a Markov blanket.

    Examples
    --------
    >>> blanket_scores({"a", "b"}, {"b", "c"})
    BlanketScores(precision=0.5, recall=0.5, f1=0.5, distance=0.7071067811865476)
    """
    truth, found = set(truth), set(found)
    if not truth:
        precision = recall = float(not found)
    else:
        right = len(truth & found)
        precision, recall = right / len(found) if found else 0.0, right / len(truth)
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return BlanketScores(precision, recall, f1, ((1 - precision) ** 2 + (1 - recall) ** 2) ** 0.5)


def neighbourhoods(graph: nx.DiGraph[str], *, identifiable: bool = False) -> dict[str, Neighbourhood]:
    """Return the edges at every variable of a graph, or of its essential graph.

    Examples
    --------
    >>> import networkx as nx
    >>> neighbourhoods(nx.DiGraph([("a", "b")]), identifiable=True)["a"].undirected
    frozenset({'b'})
    """
    if identifiable:
        essential = cpdag(graph)
        return {
            v: Neighbourhood(
                frozenset(essential.parents(v)), frozenset(essential.children(v)), frozenset(essential.undirected(v))
            )
            for v in graph
        }
    return {v: Neighbourhood(frozenset(graph.predecessors(v)), frozenset(graph.successors(v))) for v in graph}


def ceiling(graph: nx.DiGraph[str]) -> LocalScores:
    """Return the mean scores, over all targets, of a learner that finds exactly the essential graph.

    Examples
    --------
    >>> import networkx as nx
    >>> ceiling(nx.DiGraph([("a", "c"), ("b", "c"), ("d", "e")])).arrow_recall
    0.6
    """
    truth, best = neighbourhoods(graph), neighbourhoods(graph, identifiable=True)
    return _mean(local_scores(truth[v], best[v]) for v in graph)


def _mean(scores: Iterable[LocalScores]) -> LocalScores:
    columns = list(zip(*scores, strict=True))
    return LocalScores(*(sum(column) / len(column) for column in columns))


def true_blanket(graph: nx.DiGraph[str], target: str) -> set[str]:
    """Return the parents, the children and the children's other parents of a variable."""
    children = set(graph.successors(target))
    spouses = {p for child in children for p in graph.predecessors(child)}
    return (set(graph.predecessors(target)) | children | spouses) - {target}
