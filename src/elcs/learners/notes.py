"""What learners write down as they go along.

A learner fills in the notes it is given. Whoever gave them can read them at any moment, so a run that is stopped
half-way still leaves what it knew.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from elcs.graph.pdag import PDAG, Reason
from elcs.independence.base import CITest, TestResult

__all__ = ["Blanket", "Local", "Whole", "sizes_up_to"]


@dataclass
class Blanket:
    """What is known about the surroundings of one variable.

    Attributes
    ----------
    target : str
        The variable.
    pc : list of str
        Its neighbours (parents and children) found so far.
    separators : dict
        For each variable found not to be a neighbour, the set that separates it from the target.
    marginal : dict
        The unconditional test of each variable with the target.
    sets_tried : dict
        How many sets failed to separate a variable from the target.
    sets_untested : dict
        How many of them could not be tested.
    candidate_spouses, spouses : dict
        For each neighbour, the (candidates for the) other parents it shares with the target.
    members : list of str
        Members of the blanket that the method does not call neighbours or spouses.
    parents, children : dict
        The neighbours recognised as parents or children, each with the reason.
    done : bool
        Whether the learner finished.
    """

    target: str
    pc: list[str] = field(default_factory=list)
    separators: dict[str, tuple[str, ...]] = field(default_factory=dict)
    marginal: dict[str, TestResult] = field(default_factory=dict)
    sets_tried: dict[str, int] = field(default_factory=dict)
    sets_untested: dict[str, int] = field(default_factory=dict)
    candidate_spouses: dict[str, list[str]] = field(default_factory=dict)
    spouses: dict[str, list[str]] = field(default_factory=dict)
    members: list[str] = field(default_factory=list)
    parents: dict[str, Reason] = field(default_factory=dict)
    children: dict[str, Reason] = field(default_factory=dict)
    done: bool = False

    @property
    def undirected(self) -> list[str]:
        """The neighbours that are neither known parents nor known children."""
        return [y for y in self.pc if y not in self.parents and y not in self.children]

    @property
    def all_spouses(self) -> list[str]:
        """The spouses, whatever child they share with the target."""
        return list(dict.fromkeys(x for y in self.pc for x in self.spouses.get(y, ())))

    def separate(
        self, ci: CITest, y: str, among: Sequence[str], sizes: Iterable[int], containing: Iterable[str] = ()
    ) -> bool:
        """Look for a set that separates y from the target; if there is one, note it and drop y."""
        asked, unreliable = ci.n_asked, ci.n_unreliable
        found = ci.separator(self.target, y, among, sizes=sizes, containing=containing)
        if found is None:
            self.sets_tried[y] = self.sets_tried.get(y, 0) + ci.n_asked - asked
            self.sets_untested[y] = self.sets_untested.get(y, 0) + ci.n_unreliable - unreliable
            return False
        self.pc.remove(y)
        self.separators[y] = found
        return True


@dataclass
class Local:
    """What is known about the graph around one variable.

    Attributes
    ----------
    target : str
        The variable.
    graph : PDAG
        The edges found so far.
    blankets : dict
        The notes on each variable whose blanket was learnt, in the order of learning.
    """

    target: str
    graph: PDAG = field(default_factory=PDAG)
    blankets: dict[str, Blanket] = field(default_factory=dict)

    def open(self, x: str) -> Blanket:
        """Begin the notes on another variable."""
        return self.blankets.setdefault(x, Blanket(x))


@dataclass
class Whole:
    """What is known about the whole graph.

    Attributes
    ----------
    variables : tuple of str
        All variables, in order.
    graph : PDAG
        The edges found so far, and their directions.
    separators : dict
        For each pair found not to be adjacent, the set that separates the two.
    """

    variables: tuple[str, ...]
    graph: PDAG = field(default_factory=PDAG)
    separators: dict[frozenset[str], tuple[str, ...]] = field(default_factory=dict)

    def around(self, target: str) -> Blanket:
        """Return what this says about the surroundings of one variable."""
        children, near = self.graph.children(target), set(self.graph.neighbours(target))
        spouses = {y: [x for x in self.graph.parents(y) if x != target and x not in near] for y in children}
        apart = {x: self.separators.get(frozenset((target, x))) for x in self.variables if x != target}
        return Blanket(
            target,
            pc=self.graph.neighbours(target),
            separators={x: z for x, z in apart.items() if z is not None},
            spouses={y: names for y, names in spouses.items() if names},
            done=True,
        )


def sizes_up_to(most: int | None, among: Sequence[str], *, first: int = 0) -> range:
    """Return the sizes of conditioning sets to try: up to `most`, or all if that is None."""
    return range(first, (len(among) if most is None else min(most, len(among))) + 1)
