"""Hill-climbing: a directed acyclic graph improved edge by edge, by its score.

D. Heckerman, D. Geiger and D. M. Chickering (1995), Machine Learning 20(3), with the list of forbidden networks (tabu
search) of F. Glover (1989), ORSA Journal on Computing 1(3), as MMHC uses it: the best step is taken even where it leads
down, unless it leads back to a network visited lately.

Guarantee: the network found is acyclic, scores no less than the first, and no single edge added, removed or turned
improves it: a local optimum. Among steps that gain the same, the order of the variables decides.
Cost: one score for each edge permitted, then, after each step, one for each edge permitted into a variable whose
parents changed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from functools import reduce
from math import inf
from operator import or_

from elcs.scores.base import Score

__all__ = ["GAIN", "Parents", "climb"]

Parents = dict[str, frozenset[str]]
"""A directed acyclic graph: the parents of each variable."""

Step = tuple[int, ...]
"""The arcs that come or go: one to add or remove it, two to turn it."""

GAIN = 1e-9
"""What makes one step better than another, so that rounding does not choose among networks that score the same."""


def climb(
    score: Score,
    network: Parents,
    near: Mapping[str, Sequence[str]] | None = None,
    *,
    max_parents: int | None = None,
    tabu: int = 0,
    patience: int = 0,
) -> None:
    """Improve a network in place, so that whatever stops the climb, the best network so far is at hand.

    Parameters
    ----------
    score : Score
        What tells how good a family is.
    network : Parents
        Where to start from, and where the best network found is kept.
    near : mapping, optional
        For each variable, those it may share an edge with (and they with it); by default, all others.
    max_parents : int, optional
        The largest number of parents.
    tabu : int
        How many of the latest networks not to go back to.
    patience : int
        How many steps in a row may lead to no new best network before the climb ends.

    Examples
    --------
    >>> import elcs
    >>> score = elcs.scores.BDeu({"rain": [0, 0, 1, 1] * 25, "wet": [0, 0, 1, 1] * 25, "dice": [1, 2] * 50})
    >>> network = {x: frozenset() for x in score.variables}
    >>> climb(score, network)
    >>> network
    {'rain': frozenset({'wet'}), 'wet': frozenset(), 'dice': frozenset()}
    """
    names = tuple(network)
    near = {y: [x for x in names if x != y] for y in names} if near is None else near
    climber = _Climber(score, network, near, len(names) if max_parents is None else max_parents)
    visited = deque([climber.network], maxlen=tabu)
    height, steps_since = 0.0, 0  # above the best network, and since it
    changed: Parents = {}
    while True:
        gain, step = climber.best_step(visited)
        height += gain
        if step is None or (height <= GAIN and steps_since >= patience):
            return
        changed.update(climber.take(step))
        visited.append(climber.network)
        steps_since += 1
        if height > GAIN:
            network.update(changed)
            changed.clear()
            height, steps_since = 0.0, 0


class _Climber:
    """A network, what each step away from it gains, and which steps would close a circle.

    Variables are known by position. An arc is an edge with a direction; arcs are numbered, so that a network is a set
    of bits. `gains` tells for each arc what is gained at the variable it points to if the arc comes or goes, which is
    all that steps are made of: an edge that is turned goes at one end and comes at the other.
    """

    def __init__(self, score: Score, start: Parents, near: Mapping[str, Sequence[str]], max_parents: int) -> None:
        self.score, self.names, self.max_parents = score, tuple(start), max_parents
        at = {name: i for i, name in enumerate(self.names)}
        self.arcs = [(at[x], at[y]) for y in self.names for x in near[y]]
        number = {arc: i for i, arc in enumerate(self.arcs)}
        self.back = [number[y, x] for x, y in self.arcs]
        self.into: list[list[int]] = [[] for _ in self.names]
        for arc, (_, y) in enumerate(self.arcs):
            self.into[y].append(arc)
        self.parents = [start[y] for y in self.names]
        self.children: list[set[int]] = [set() for _ in self.names]
        for y, parents in enumerate(self.parents):
            for x in parents:
                self.children[at[x]].add(y)
        self.present = [y in self.children[x] for x, y in self.arcs]
        self.network = sum(1 << arc for arc, present in enumerate(self.present) if present)
        self.below = _descendants(self.children)
        self.gains = [0.0] * len(self.arcs)
        for y in range(len(self.names)):
            self.weigh(y)

    def weigh(self, y: int) -> None:
        """Bring the gains of all arcs into y up to date."""
        child, parents = self.names[y], self.parents[y]
        now = self.score.local(child, parents)
        full = len(parents) >= self.max_parents
        for arc in self.into[y]:
            if full and not self.present[arc]:
                self.gains[arc] = -inf
            else:
                self.gains[arc] = self.score.local(child, parents ^ {self.names[self.arcs[arc][0]]}) - now

    def best_step(self, visited: deque[int]) -> tuple[float, Step | None]:
        """Return the step that gains most among those that close no circle and lead to no network visited."""
        most = -inf
        best: Step | None = None
        for arc, gain in enumerate(self.gains):
            back = self.back[arc]
            if self.present[arc]:
                if gain > most + GAIN and self.network ^ 1 << arc not in visited:
                    most, best = gain, (arc,)
                turned = gain + self.gains[back]
                if turned > most + GAIN and self.network ^ (1 << arc | 1 << back) not in visited and self.turns(arc):
                    most, best = turned, (arc, back)
            elif gain > most + GAIN and self.adds(arc) and self.network ^ 1 << arc not in visited:
                most, best = gain, (arc,)
        return most, best

    def adds(self, arc: int) -> bool:
        """Tell whether an arc can be added: no path leads back, be it the edge itself."""
        x, y = self.arcs[arc]
        return not self.below[y] >> x & 1

    def turns(self, arc: int) -> bool:
        """Tell whether an arc can be turned: no other path leads the same way."""
        x, y = self.arcs[arc]
        return not any(self.below[child] >> y & 1 for child in self.children[x] if child != y)

    def take(self, step: Step) -> Parents:
        """Take a step and return the families it changes."""
        for arc in step:
            x, y = self.arcs[arc]
            self.network ^= 1 << arc
            self.present[arc] = not self.present[arc]
            self.parents[y] ^= {self.names[x]}
            self.children[x] ^= {y}
            above = [a for a in range(len(self.names)) if a == x or self.below[a] >> x & 1]
            for a in sorted(above, key=lambda a: self.below[a].bit_count()):  # hence children before their parents
                self.below[a] = _reached(self.children[a], self.below)
        ends = [self.arcs[arc][1] for arc in step]
        for y in ends:
            self.weigh(y)
        return {self.names[y]: self.parents[y] for y in ends}


def _reached(children: set[int], below: Sequence[int]) -> int:
    """Return the descendants, as bits, of a variable with these children."""
    return reduce(or_, (below[child] | 1 << child for child in children), 0)


def _descendants(children: Sequence[set[int]]) -> list[int]:
    """Return the descendants of each variable, as bits."""
    below = [0] * len(children)
    for _ in children:  # a path is no longer than there are variables
        found = [_reached(mine, below) for mine in children]
        if found == below:
            break
        below = found
    return below
