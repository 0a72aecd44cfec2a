"""GGSL, graph growing structure learning: the whole graph, grown from one variable by local learning.

T. Gao, K. Fadnis and M. Campbell (2017), Local-to-global Bayesian network structure learning, Proceedings of the 34th
International Conference on Machine Learning. The graph starts with one variable. The neighbours and spouses of a
variable are learnt by the best networks over small sets, as S2TMB does; its edges are drawn, and the next variable is
one that an edge has reached. What was learnt around earlier variables stands: a pair of which one has had its turn is
not looked at again, so later steps have less to do, and no rule is needed for neighbours that disagree with each other.

The paper starts anywhere. Here the start is the variable that goes best with another one, as an error made there is
never put right; and variables have their turn in the order in which they are reached, then of their names.

Guarantee: with unlimited data from a faithful distribution, a consistent score and no cap on the parents, no edge is
missed; that the rest is right as well rests on the same conjecture as S2TMB. A cap, a finite sample, or a set too large
for an exact search (`best_network`) voids both. What an early variable gets wrong stays wrong.
Cost: that of S2TMB for each variable, with fewer candidates for neighbours the later it has its turn. On Alarm it asks
for four fifths of the scores, and takes longer all the same, as each network must obey what was learnt before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from elcs.graph.knowledge import Knowledge
from elcs.graph.meek import apply_meek_rules
from elcs.graph.rules import BEST_SCORE
from elcs.learners.notes import Whole
from elcs.learners.steps.best_network import Parents, best_network, neighbours_in, spouses_in, strongest_first
from elcs.learners.steps.colliders import orient_v_structure
from elcs.scores.score import Score

__all__ = ["ggsl"]


def ggsl(score: Score, notes: Whole, *, max_cond_size: int | None = 3) -> None:
    """Learn the whole graph.

    Parameters
    ----------
    score : Score
        Says how good a family is.
    notes : Whole
        What to fill in.
    max_cond_size : int or None
        The largest set of parents.
    """
    graph = notes.graph
    names = sorted(notes.variables)
    waiting = [_first(score, names)]
    while waiting:
        target = waiting.pop(0)
        local = _Local(score, notes, target, max_cond_size)
        local.find_neighbours()
        local.find_spouses()
        for y in local.pc:
            graph.add_edge(target, y)
        graph.settled.add(target)
        for y, spouses in sorted(local.spouses.items()):
            for z in sorted(spouses):
                if graph.adjacent(target, y) and not graph.adjacent(target, z) and local.may_share(z, y):
                    graph.add_edge(z, y)
                    orient_v_structure(graph, target, z, y, BEST_SCORE)
        waiting += [y for y in sorted(graph.neighbours(target)) if y not in graph.settled and y not in waiting]
        if not waiting:
            waiting += [x for x in names if x not in graph.settled][:1]
    apply_meek_rules(graph)


def _first(score: Score, names: Sequence[str]) -> str:
    """Return the variable that gains most from a single parent."""
    best = {y: max((round(g, 6) for g in score.gains(y, [], [x for x in names if x != y])), default=0.0) for y in names}
    return max(names, key=best.__getitem__)


class _Local:
    """What is learnt around one variable, given what was learnt around others."""

    def __init__(self, score: Score, notes: Whole, target: str, max_parents: int | None) -> None:
        self.score, self.target, self.max_parents, self.graph = score, target, max_parents, notes.graph
        self.fixed = notes.graph.neighbours(target)
        self.pc, self.spouses = list(self.fixed), dict[str, list[str]]()
        self.network: Parents = {target: frozenset()}
        absent = [x for x in notes.graph.settled if x not in self.fixed]
        self.knowledge = _without(notes.knowledge, target, absent)
        self.others = [x for x in sorted(notes.variables) if x != target]
        self.open = [x for x in self.others if x not in notes.graph.settled and x not in self.fixed]

    def find_neighbours(self) -> None:
        """Add one variable after the other that has not had its turn."""
        for x in strongest_first(self.score, self.open, [self.target]):
            self.grow(x)

    def find_spouses(self) -> None:
        """Add any other variable, which may show a neighbour to be false."""
        outside = [x for x in self.others if x not in self.pc]
        for x in strongest_first(self.score, outside, self.pc):
            self.grow(x)
            self.spouses = spouses_in(self.network, self.target)

    def grow(self, x: str) -> None:
        """Learn the best network with one variable more; keep what is adjacent to the target in it, or was before."""
        spouses = [z for names in self.spouses.values() for z in names]
        members = dict.fromkeys((self.target, *self.pc, *spouses, x))
        start = self.network
        self.network = best_network(
            self.score, list(members), start, max_parents=self.max_parents, knowledge=self.knowledge
        )
        self.pc = list(dict.fromkeys((*self.fixed, *neighbours_in(self.network, self.target))))

    def may_share(self, z: str, y: str) -> bool:
        """Tell whether nothing learnt before denies the edge between a spouse and its child."""
        return self.graph.adjacent(z, y) or not {z, y} & self.graph.settled


def _without(knowledge: Knowledge, target: str, absent: Sequence[str]) -> Knowledge:
    """Add that some variables are not adjacent to the target, unless somebody said that they are."""
    pairs = [(x, target) for x in absent if not knowledge.joined(x, target)]
    forbidden = dict.fromkeys((*knowledge.forbidden, *pairs, *((b, a) for a, b in pairs)))
    return replace(knowledge, forbidden=tuple(forbidden))
