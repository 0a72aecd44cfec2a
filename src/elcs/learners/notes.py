"""What learners write down as they go along.

A learner fills in the notes it is given. Whoever gave them can read them at any moment, so a run that is stopped
half-way still leaves what it knew.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from elcs.graph.knowledge import NOTHING, Knowledge
from elcs.graph.pdag import PDAG, Reason
from elcs.graph.rules import KNOWLEDGE
from elcs.independence.base import CITest, TestResult
from elcs.learners.separators import Separators

__all__ = ["Blanket", "Local", "Whole", "sizes_up_to"]


@dataclass
class Blanket:
    """What is known about the surroundings of one variable.

    Attributes
    ----------
    target : str
        The variable.
    knowledge : Knowledge
        What is known beforehand. A neighbour that it requires stays one even if a set separates the two; the set is
        noted all the same. A variable that it keeps apart from the target is no candidate for a neighbour; what
        separates the two is looked for when it is needed (`set_apart`).
    pc : list of str
        Its neighbours (parents and children) found so far.
    separators : dict
        For each variable found not to be a neighbour, the set that separates it from the target.
    inseparable : list of str
        The variables that knowledge keeps apart from the target, though no set that was tried separates them from it.
    marginal : mapping
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
    knowledge: Knowledge = NOTHING
    pc: list[str] = field(default_factory=list)
    separators: dict[str, tuple[str, ...]] = field(default_factory=dict)
    inseparable: list[str] = field(default_factory=list)
    marginal: Mapping[str, TestResult] = field(default_factory=dict)
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
        """Look for a set that separates y from the target; if there is one, note it and drop y.

        A neighbour that knowledge requires is not dropped, and not tried again once a set was found.
        """
        required = self.requires(y)
        if required and y in self.separators:
            return False
        asked, unreliable = ci.n_asked, ci.n_unreliable
        if not self.knowledge:
            found = ci.separator(self.target, y, among, sizes=sizes, containing=containing)
        elif (new := self.knowledge.pool(self.target, y, containing)) or not containing:
            pool = self.knowledge.pool(self.target, y, among)
            found = ci.separator(self.target, y, pool, sizes=sizes, containing=new)
        else:
            found = None
        if found is None:
            self.sets_tried[y] = self.sets_tried.get(y, 0) + ci.n_asked - asked
            self.sets_untested[y] = self.sets_untested.get(y, 0) + ci.n_unreliable - unreliable
            return False
        self.separators[y] = found
        if not required:
            self.pc.remove(y)
        return not required

    def requires(self, y: str) -> bool:
        """Tell whether knowledge says that y is a neighbour."""
        return bool(self.knowledge) and self.knowledge.joined(self.target, y)

    def keeps_apart(self, y: str) -> bool:
        """Tell whether knowledge says that y is no neighbour."""
        return bool(self.knowledge) and self.knowledge.apart(self.target, y)

    def set_apart(self, ci: CITest, x: str, max_cond_size: int | None) -> tuple[str, ...] | None:
        """Return the set that separates x from the target, or None if there is none among the neighbours.

        It has been noted, except for a variable that knowledge keeps apart, which nobody asks about before it may be a
        spouse.
        """
        if x not in self.separators and x not in self.inseparable and self.keeps_apart(x):
            among = self.knowledge.pool(self.target, x, (y for y in self.pc if y != x))
            found = ci.separator(self.target, x, among, sizes=sizes_up_to(max_cond_size, among))
            if found is None:
                self.inseparable.append(x)
            else:
                self.separators[x] = found
        return None if x in self.inseparable else self.separators[x]

    def note_known(self) -> None:
        """Note which neighbours are parents and which are children by what is known beforehand; this takes no test."""
        for y in self.pc if self.knowledge else ():
            for known, cause, effect in ((self.parents, y, self.target), (self.children, self.target, y)):
                said = self.knowledge.directs(cause, effect)
                if said:
                    known[y] = Reason(KNOWLEDGE, said=said)

    def beside(self, y: str) -> Blanket:
        """Begin the notes on another variable, with the same knowledge."""
        return Blanket(y, self.knowledge)


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

    @classmethod
    def given(cls, knowledge: Knowledge, target: str) -> Local:
        """Begin the notes with what is known beforehand."""
        return cls(target, PDAG(knowledge=knowledge))

    def open(self, x: str) -> Blanket:
        """Begin the notes on another variable."""
        return self.blankets.setdefault(x, Blanket(x, self.graph.knowledge))


@dataclass
class Whole:
    """What is known about the whole graph.

    Attributes
    ----------
    variables : tuple of str
        All variables, in order.
    graph : PDAG
        The edges found so far, and their directions.
    separators : Separators
        For each pair found not to be adjacent, the set that separates the two.
    """

    variables: tuple[str, ...]
    graph: PDAG = field(default_factory=PDAG)
    separators: Separators = field(init=False)

    def __post_init__(self) -> None:
        self.separators = Separators(self.variables)

    @classmethod
    def of(cls, variables: tuple[str, ...], graph: PDAG, separators: Mapping[frozenset[str], tuple[str, ...]]) -> Whole:
        """Return notes that hold what is known already."""
        notes = cls(variables, graph)
        notes.separators = Separators.of(variables, separators)
        return notes

    @classmethod
    def given(cls, knowledge: Knowledge, variables: tuple[str, ...]) -> Whole:
        """Begin the notes with what is known beforehand."""
        return cls(variables, PDAG(knowledge=knowledge))

    @property
    def knowledge(self) -> Knowledge:
        """What is known beforehand."""
        return self.graph.knowledge

    def around(self, target: str, among: Sequence[str] | None = None) -> Blanket:
        """Return what this says about the surroundings of one variable; what is apart from it, only among some."""
        children, near = self.graph.children(target), set(self.graph.neighbours(target))
        spouses = {y: [x for x in self.graph.parents(y) if x != target and x not in near] for y in children}
        apart = {x: self.separators.get(frozenset((target, x))) for x in among or self.variables if x != target}
        return Blanket(
            target,
            self.knowledge,
            pc=self.graph.neighbours(target),
            separators={x: z for x, z in apart.items() if z is not None},
            spouses={y: names for y, names in spouses.items() if names},
            done=True,
        )


def sizes_up_to(most: int | None, among: Sequence[str], *, first: int = 0) -> range:
    """Return the sizes of conditioning sets to try: up to `most`, or all if that is None."""
    return range(first, (len(among) if most is None else min(most, len(among))) + 1)
