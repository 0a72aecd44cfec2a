"""How stable a whole graph is: how often each edge comes back, and which way it points, in halves of the rows."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from elcs.answers import showing
from elcs.answers.halves import NONE_FINISHED, count_halves
from elcs.errors import unknown_name
from elcs.graph.pdag import Edge
from elcs.study import Study

if TYPE_CHECKING:
    from elcs.answers.graph import CausalGraph

__all__ = ["EdgeShares", "GraphStability", "resample_graph"]

Way = Literal["forth", "back", "open"]

RARE = 0.5
"""Edges that the graph does not have are printed if they come back at least as often as this."""


class EdgeShares(NamedTuple):
    """How often an edge between two variables is found, and as what: shares of the half-samples.

    Attributes
    ----------
    edge : float
        There is an edge.
    forth, back : float
        It points from the first variable to the second; from the second to the first.
    undirected : float
        It has no direction.
    """

    edge: float
    forth: float
    back: float
    undirected: float

    @classmethod
    def of(cls, ways: Counter[Way], n_samples: int) -> EdgeShares:
        """Count ways."""
        counts = (ways.total(), ways["forth"], ways["back"], ways["open"])
        return cls(*(count / max(n_samples, 1) for count in counts))

    def turned(self) -> EdgeShares:
        """Return the same with the variables the other way round."""
        return self._replace(forth=self.back, back=self.forth)


@dataclass(frozen=True)
class GraphStability:
    """How often each edge comes back when only half of the observations are used; made by `CausalGraph.stability`.

    Attributes
    ----------
    nodes : tuple of str
        The variables.
    method : str
        Which method answered.
    n_samples : int
        The number of half-samples counted.
    shares : mapping of (str, str) to EdgeShares
        For each pair with an edge in at least one half-sample, the first as in `nodes`; `between` takes any two names.
    seconds : float
        How long it took.
    complete : bool
        False if a limit or an interruption stopped the run before all half-samples were counted.
    """

    nodes: tuple[str, ...]
    method: str
    n_samples: int
    shares: Mapping[Edge, EdgeShares] = field(repr=False)
    seconds: float
    complete: bool

    @property
    def standard_error(self) -> float:
        """The standard error of a share of one half, at which it is largest; 0.05 for 100 half-samples."""
        return 0.5 / math.sqrt(max(self.n_samples, 1))

    def between(self, a: str, b: str) -> EdgeShares:
        """Return how often there is an edge between two variables, and how often it points from a to b."""
        for name in (a, b):
            if name not in self.nodes:
                raise unknown_name(name, self.nodes, what="variable")
        if (a, b) in self.shares:
            return self.shares[a, b]
        return self.shares.get((b, a), EdgeShares(0.0, 0.0, 0.0, 0.0)).turned()

    def of(self, graph: CausalGraph) -> dict[Edge, float]:
        """Return how often each edge of a graph comes back: with its direction, or at all if it has none."""
        arrows = {(a, b): self.between(a, b).forth for a, b in graph.directed}
        return arrows | {(a, b): self.between(a, b).edge for a, b in graph.undirected}

    def say(self, a: str, b: str) -> str:
        """Say in a sentence how often there is an edge between two variables, and which way it points."""
        found = self.between(a, b)
        ways = {f"{a} -> {b}": found.forth, f"{b} -> {a}": found.back, "without direction": found.undirected}
        told = [f"{share:.0%} {way}" for way, share in ways.items() if share > 0]
        head = f"Of {self.n_samples:,} half-samples, {found.edge:.0%} have an edge between {a} and {b}"
        return f"{head}: {', '.join(told)}." if told else f"{head}."

    def __str__(self) -> str:
        if not self.n_samples:
            return f"{self.method}: {NONE_FINISHED}"
        often = {pair: s for pair, s in self.shares.items() if s.edge >= RARE}
        names = {pair: f"{pair[0]}, {pair[1]}" for pair in often}
        width = max(map(len, ("edge", *names.values())))
        lines = [f"{self.method}: how often each edge comes back in {self.n_samples:,} half-samples"]
        lines.append(f"  {'edge':<{width}}  found     ->     <-  undecided")
        lines += [
            f"  {names[pair]:<{width}}  {s.edge:>5.0%}  {s.forth:>5.0%}  {s.back:>5.0%}  {s.undirected:>9.0%}"
            for pair, s in often.items()
        ]
        if len(often) < len(self.shares):
            lines.append(f"  {len(self.shares) - len(often)} other pairs: less than {RARE:.0%} each")
        stopped = "" if self.complete else "; stopped before the end"
        lines.append(
            f"  the standard error of a share is at most {100 * self.standard_error:.0f} points; "
            f"{self.seconds:,.1f} s{stopped}"
        )
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return showing.artist().note_graph_stability(self)

    def to_dict(self) -> dict[str, Any]:
        """Return everything in plain types."""
        return {
            "method": self.method,
            "n_samples": self.n_samples,
            "standard_error": self.standard_error,
            "seconds": self.seconds,
            "complete": self.complete,
            "shares": [{"pair": list(pair), **shares._asdict()} for pair, shares in self.shares.items()],
        }

    def to_json(self, *, indent: int | None = 2) -> str:
        """Return `to_dict` as JSON."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False)


def resample_graph(
    study: Study,
    ask: Callable[[Study], CausalGraph],
    *,
    n_samples: int,
    n_jobs: int,
    random_state: int,
    report: Callable[[int], None],
) -> GraphStability:
    """Learn the whole graph from half-samples and count the edges; `CausalGraph.stability` explains the parameters."""
    counted = count_halves(
        study, partial(_ways, ask), n_samples=n_samples, n_jobs=n_jobs, random_state=random_state, report=report
    )
    place = {v: i for i, v in enumerate(study.variables)}
    shares = {pair: EdgeShares.of(ways, counted.n_samples) for pair, ways in counted.found.items()}
    ranked = sorted(shares, key=lambda pair: (-shares[pair].edge, place[pair[0]], place[pair[1]]))
    return GraphStability(
        nodes=study.variables,
        method=study.plan.learner.name,
        n_samples=counted.n_samples,
        shares={pair: shares[pair] for pair in ranked},
        seconds=counted.seconds,
        complete=counted.n_samples == n_samples,
    )


def _ways(ask: Callable[[Study], CausalGraph], study: Study) -> Mapping[Edge, Way] | None:
    """Ask a half-sample for its edges, each pair in the order of the columns; None if the run was stopped."""
    graph = ask(study)
    if not graph.complete:
        return None
    place = {v: i for i, v in enumerate(graph.nodes)}
    ways: dict[Edge, Way] = {}
    for a, b in graph.directed:
        ways[(a, b) if place[a] < place[b] else (b, a)] = "forth" if place[a] < place[b] else "back"
    for a, b in graph.undirected:
        ways[(a, b) if place[a] < place[b] else (b, a)] = "open"
    return ways
