"""SLL, score-based local learning: the neighbours of a variable, then its spouses.

T. Niinimäki and P. Parviainen (2012), Local structure discovery in Bayesian networks, UAI. Both are found by the best
network over the target, what was found so far and one more variable, for one variable after the other. Neighbours
must find each other to count; for spouses it is enough that one finds the other.

The paper leaves open in which order variables are tried. Here the strongest come first: those that go best with the
target for neighbours, with one of its neighbours for spouses. While spouses are sought, a variable that the network
puts next to the target stays in it: it may turn out to be a spouse later, and without it others pass for spouses. A
spouse that only its own search finds, through a child that is not a neighbour of the target, is reported as a member of
the blanket, without a role.

Guarantee: with unlimited data from a faithful distribution, a consistent score and no cap on the parents, no neighbour
is missed; that the rest is right as well is a conjecture of the paper. A cap, a finite sample, or a set too large for
an exact search (`best_network`) voids both.
Cost: one network over the neighbours and two more variables for each variable, and that for the target, its
neighbours, theirs, and theirs again; each network O(2^|PC|).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain

from elcs.graph.knowledge import Knowledge
from elcs.learners.notes import Blanket
from elcs.learners.steps.best_network import (
    Parents,
    best_network,
    neighbours_in,
    orient_by,
    spouses_in,
    strongest_first,
)
from elcs.scores.score import Score

__all__ = ["Search", "sll"]


def sll(score: Score, notes: Blanket, *, max_cond_size: int | None = 3, search: Search | None = None) -> None:
    """Learn the Markov blanket of ``notes.target``.

    Parameters
    ----------
    score : Score
        Says how good a family is.
    notes : Blanket
        What to fill in.
    max_cond_size : int or None
        The largest set of parents.
    search : Search, optional
        What was found for other variables of the same table, and is added to.
    """
    target, search = notes.target, search or Search(score, max_cond_size, notes.knowledge)

    # Step 1: find its neighbours.
    notes.pc[:] = search.neighbours(target)

    # Step 2: find its spouses, from either side.
    network = search.potential_spouses(target)
    shared = [(y, x) for y, spouses in spouses_in(network, target).items() for x in spouses]
    for x in search.two_steps_away(target):
        theirs = spouses_in(search.potential_spouses(x), x)
        shared += [(y, x) for y, spouses in theirs.items() if target in spouses]
    for y, x in dict.fromkeys(shared):
        if y in notes.pc and x not in notes.pc:
            notes.spouses.setdefault(y, []).append(x)
    found = {*notes.pc, *notes.all_spouses}
    notes.members = list(dict.fromkeys(x for _, x in shared if x not in found))

    # Step 3: tell parents from children.
    orient_by(notes, network)
    notes.done = True


@dataclass
class Search:
    """The searches around several variables, each made only once."""

    score: Score
    max_parents: int | None
    knowledge: Knowledge
    _potential: dict[str, list[str]] = field(default_factory=dict)
    _networks: dict[str, Parents] = field(default_factory=dict)

    def best_network(self, variables: list[str], start: Parents) -> Parents:
        """Return the best network over some variables."""
        return best_network(self.score, variables, start, max_parents=self.max_parents, knowledge=self.knowledge)

    def neighbours(self, x: str) -> list[str]:
        """Return the variables that find x among their potential neighbours, as x finds them."""
        return [y for y in self.potential_neighbours(x) if x in self.potential_neighbours(y)]

    def two_steps_away(self, x: str) -> list[str]:
        """Return the neighbours of the neighbours of x that are not its own."""
        near = self.neighbours(x)
        found = dict.fromkeys(z for y in near for z in self.neighbours(y))
        return [z for z in found if z != x and z not in near]

    def potential_neighbours(self, x: str) -> list[str]:
        """Grow the network around x by one variable after the other, keeping what is adjacent to x."""
        if x not in self._potential:
            near: list[str] = []
            network: Parents = {x: frozenset()}
            others = [y for y in self.score.variables if y != x]
            for y in strongest_first(self.score, others, [x]):
                network = self.best_network([x, *near, y], network)
                near = neighbours_in(network, x)
            self._potential[x] = near
        return self._potential[x]

    def potential_spouses(self, x: str) -> Parents:
        """Grow the network around x and its neighbours, keeping what shares a child with x or is adjacent to it."""
        if x not in self._networks:
            near, kept = self.neighbours(x), list[str]()
            network = self.best_network([x, *near], {})
            for y in strongest_first(self.score, self.two_steps_away(x), near):
                network = self.best_network([x, *near, *kept, y], network)
                shared = chain.from_iterable(spouses_in(network, x).values())
                kept = [z for z in dict.fromkeys((*neighbours_in(network, x), *shared)) if z not in near]
            self._networks[x] = network
        return self._networks[x]
