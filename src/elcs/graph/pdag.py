"""Partly directed graphs under construction: what is known about the edges, and why.

Between two variables there is an edge with a direction, an edge without one, no edge, or nothing is known yet.
Variables become *settled* when all their edges have been found; a pair with no edge is known to be non-adjacent
only if one of the two is settled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from elcs.graph.knowledge import NOTHING, Knowledge
from elcs.graph.rules import KNOWLEDGE, SEPARATED, Rule

__all__ = ["PDAG", "Conflict", "Edge", "Question", "Reason"]

Edge = tuple[str, str]
"""Cause and effect."""

Question = tuple[str, str, tuple[str, ...]]
"""Two variables and what is held fixed: a test to be cited."""


@dataclass(frozen=True)
class Reason:
    """Why an edge has its direction.

    Attributes
    ----------
    rule : Rule
        The rule that gives it.
    variables : tuple of str
        The variables the rule looked at besides the two ends of the edge.
    tests : tuple of questions
        The tests it rests on.
    premises : tuple of edges
        The directions it rests on.
    said : str
        The statement it rests on, if somebody said so.
    margin : float or None
        By how much every network found without this arrow scores less, in nats, where a learner knows that.
    share, opposite : float or None
        In how many half-samples the direction came back, and the opposite one, if it is open because of that.
    """

    rule: Rule
    variables: tuple[str, ...] = ()
    tests: tuple[Question, ...] = ()
    premises: tuple[Edge, ...] = ()
    said: str = ""
    margin: float | None = None
    share: float | None = None
    opposite: float | None = None


@dataclass(frozen=True)
class Conflict:
    """Two rules that disagree about the direction of an edge, or a test that denies an edge of which somebody said so.

    Attributes
    ----------
    edge : tuple of str
        Cause and effect according to the first rule.
    first, second : Reason
        What speaks for this direction, and what for the other, or against the edge.
    followed : bool
        Whether the first rule was followed, because it had spoken before the second; if not, the edge was
        left without a direction.
    """

    edge: Edge
    first: Reason
    second: Reason
    followed: bool


@dataclass
class PDAG:
    """A partly directed graph, built edge by edge.

    Parameters
    ----------
    as_published : bool
        Do as the program of the ELCS paper does: a pair about which nothing is known counts as non-adjacent, and
        of two directions that Meek's rules derive at once the first one stands. Either can orient an edge that
        the data leave open.
    knowledge : Knowledge
        What is known beforehand. Arrows that it requires are there from the beginning. An edge of which it permits one
        direction gets that direction as soon as it is found, and one of which it permits neither is never added.

    Attributes
    ----------
    settled : set of str
        The variables whose edges have all been found.
    reasons : dict
        Why each edge that has a direction has it.
    conflicts : list of Conflict
        Where two reasons disagree.
    untested : set of pairs
        Pairs about which no test could be made: as far as anybody knows, they may be adjacent.
    leanings : dict
        For edges without direction, as cause and effect, the direction that the data lean to, and why.
    tied : dict
        For edges without direction, one that others may rest on, and why, although as much speaks against it.
    taken_back : dict
        For edges without direction, the one that they had before half-samples did not bear it out, and why.
    margins : dict
        For pairs that are adjacent, by how much every network found without the edge scores less, where that is known.
    overruled : dict
        For pairs that are adjacent, a set by which tests alone would separate them, where it is known.
    separators : dict
        For pairs that are not adjacent, as (a, c) or (c, a) or both, a set that separates them, where it is known.
    """

    as_published: bool = False
    knowledge: Knowledge = NOTHING
    settled: set[str] = field(default_factory=set)
    untested: set[frozenset[str]] = field(default_factory=set)
    separators: dict[Edge, tuple[str, ...]] = field(default_factory=dict)
    reasons: dict[Edge, Reason] = field(default_factory=dict)
    leanings: dict[Edge, Reason] = field(default_factory=dict)
    tied: dict[Edge, Reason] = field(default_factory=dict)
    taken_back: dict[Edge, Reason] = field(default_factory=dict)
    margins: dict[frozenset[str], float] = field(default_factory=dict)
    overruled: dict[frozenset[str], tuple[str, ...]] = field(default_factory=dict)
    conflicts: list[Conflict] = field(default_factory=list)
    # Dictionaries as ordered sets, so that equal runs give equal results.
    _adjacent: dict[str, dict[str, None]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for cause, effect in self.knowledge.required:
            self.add_edge(cause, effect)

    def add_edge(self, a: str, b: str) -> None:
        """Record that two variables are adjacent; a direction already known stays.

        What a variable's own surroundings showed stands: no edge is added to a settled variable. What knowledge says
        about the edge is followed at once.
        """
        if self.adjacent(a, b):
            return
        known = self.knowledge
        if a in self.settled or b in self.settled or (known and known.apart(a, b)):
            return
        self._adjacent.setdefault(a, {})[b] = None
        self._adjacent.setdefault(b, {})[a] = None
        for cause, effect in ((a, b), (b, a)) if known else ():
            said = known.directs(cause, effect)
            if said:
                self.reasons[cause, effect] = Reason(KNOWLEDGE, said=said)

    def orient(self, cause: str, effect: str, reason: Reason) -> None:
        """Record a direction, adding the edge if need be; if the opposite is already known, record a conflict."""
        self.add_edge(cause, effect)
        if not self.adjacent(cause, effect):
            return
        if (effect, cause) in self.reasons:
            self.conflicts.append(Conflict((effect, cause), self.reasons[effect, cause], reason, followed=True))
        else:
            self.reasons.setdefault((cause, effect), reason)

    def denies(self, cause: str, effect: str) -> bool:
        """Tell whether knowledge gave the edge between the two the opposite direction."""
        opposite = self.reasons.get((effect, cause))
        return opposite is not None and opposite.rule == KNOWLEDGE

    def dispute(self, a: str, b: str, given: tuple[str, ...]) -> None:
        """Record that a test separates two variables between which, as somebody said, there is an edge."""
        edge = (a, b) if (a, b) in self.reasons else (b, a)
        if not any(c.edge == edge and c.second.rule == SEPARATED for c in self.conflicts):
            against = Reason(SEPARATED, tests=((a, b, given),))
            self.conflicts.append(Conflict(edge, self.reasons[edge], against, followed=True))

    def contest(self, a: str, b: str, forth: Reason, back: Reason) -> None:
        """Record that as much speaks for a -> b as for b -> a, and leave the edge as it is."""
        self.conflicts.append(Conflict((a, b), forth, back, followed=False))

    def contested(self, a: str, b: str) -> bool:
        """Tell whether an edge was left without direction because of a conflict."""
        return any(not c.followed and c.edge in ((a, b), (b, a)) for c in self.conflicts)

    @property
    def weighed(self) -> set[frozenset[str]]:
        """The pairs whose edge is open as too little speaks for a direction; it may be part of a v-structure."""
        return {frozenset(edge) for edge in (*self.leanings, *self.tied, *self.taken_back)}

    @property
    def variables(self) -> list[str]:
        """All variables with an edge."""
        return list(self._adjacent)

    def neighbours(self, v: str) -> list[str]:
        """Return all variables adjacent to v."""
        return list(self._adjacent.get(v, ()))

    def parents(self, v: str) -> list[str]:
        """Return the known direct causes of v."""
        return [u for u in self._adjacent.get(v, ()) if (u, v) in self.reasons]

    def children(self, v: str) -> list[str]:
        """Return the known direct effects of v."""
        return [u for u in self._adjacent.get(v, ()) if (v, u) in self.reasons]

    def undirected(self, v: str) -> list[str]:
        """Return the neighbours of v whose edge has no direction."""
        return [u for u in self._adjacent.get(v, ()) if (u, v) not in self.reasons and (v, u) not in self.reasons]

    def adjacent(self, a: str, b: str) -> bool:
        """Tell whether an edge is known."""
        return b in self._adjacent.get(a, ())

    def non_adjacent(self, a: str, b: str) -> bool:
        """Tell whether it is known that there is no edge."""
        if self.adjacent(a, b):
            return False
        if self.as_published:
            return True
        return (a in self.settled or b in self.settled) and frozenset((a, b)) not in self.untested

    def separated_without(self, a: str, c: str, b: str) -> Question | None:
        """Return the test that found a and c independent given a set without b, if there is one."""
        for x, y in ((a, c), (c, a)):
            apart = self.separators.get((x, y))
            if apart is not None and b not in apart:
                return x, y, apart
        return None

    def doubtful(self, b: str, c: str) -> bool:
        """Tell whether a cause of b is separated from c without b, so that c may be a cause of b as well."""
        return any(self.non_adjacent(a, c) and self.separated_without(a, c, b) for a in self.parents(b))

    def undirected_edges(self) -> list[Edge]:
        """Return the edges without direction, each once."""
        pairs = ((a, b) for a, others in self._adjacent.items() for b in others)
        seen: dict[Edge, None] = {}
        for a, b in pairs:
            if (a, b) not in self.reasons and (b, a) not in self.reasons and (b, a) not in seen:
                seen[a, b] = None
        return list(seen)

    def edges_among(self, nodes: Sequence[str]) -> tuple[tuple[Edge, ...], tuple[Edge, ...]]:
        """Return the edges with and without direction among some variables, in the order of these."""
        place = {v: i for i, v in enumerate(nodes)}

        def order(edge: Edge) -> tuple[int, int]:
            return place[edge[0]], place[edge[1]]

        directed = [(a, b) for a, b in self.reasons if a in place and b in place]
        pairs = [(a, b) for a, b in self.undirected_edges() if a in place and b in place]
        undirected = [(a, b) if place[a] < place[b] else (b, a) for a, b in pairs]
        return tuple(sorted(directed, key=order)), tuple(sorted(undirected, key=order))

    def within(self, start: str, steps: int) -> list[str]:
        """Return the variables up to so many edges away, the nearest first, `start` itself included."""
        reached, ring = {start: None}, [start]
        for _ in range(steps):
            ring = [v for v in dict.fromkeys(v for u in ring for v in self.neighbours(u)) if v not in reached]
            reached.update(dict.fromkeys(ring))
        return list(reached)

    def nearest_unsettled(self, start: str) -> str | None:
        """Return the unsettled variable nearest to `start` along edges without direction, if there is one.

        Edges that are `doubtful` are not followed.
        """
        ring, reached = [start], {start}
        while ring:
            steps = ((u, v) for u in ring for v in self.undirected(u) if v not in reached)
            ring = list(dict.fromkeys(v for u, v in steps if not self.doubtful(u, v) and not self.doubtful(v, u)))
            for v in ring:
                if v not in self.settled:
                    return v
            reached.update(ring)
        return None
