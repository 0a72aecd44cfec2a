"""Which directions of the network that scores best are decided, and which ones the data only lean to.

Ours. Observations compel a direction if all networks that score the same share it. But a network with that arrow turned
or left out may score almost as well. A direction is *decided* if three things hold:

1. it is compelled in the network found;
2. every network found without that arrow scores at least 3 nats less: it makes the data 20 times less likely;
3. the data do not contradict the independence it rests on (p >= 0.01): that of the two causes of a common effect given
   the parents of one of them, the fewer if both will do; for a direction that follows from others, the least along the
   way. A test that could not be made says nothing. Of the directions that rest on tests without a stratum in which
   both vary about two thirds were right on ten random networks with near-certain relations. Of those that rest on
   tests with too few rows, 34 of 39 were right at 500 rows on the networks below: they are left open all the same.

What people know is decided, and what follows from it as far as the rest that it follows from.

Most wrong ones rest on one edge between two causes that the rows are too few to see, or follow from others: on 18
random networks 0.70, 0.66 and 0.89 of those are right at 500, 1,000 and 5,000 rows, of the rest 0.98, 0.99 and 0.99.
Stricter rules were tried on random networks, where they help: margins of 5 to 10 nats, p >= 0.05, agreement with a
prior worth four times as many rows, chains whose ends must depend on each other. On networks made by experts the last
two cost many right directions for each wrong one, and so does a margin that grows with the number of directions that
rest on each other: 62, 60 and 32 right ones for 8, 16 and 9 wrong ones. That the direction is compelled before the
search is widened as well costs 94, 72 and 18 right ones for 5, 7 and 13 wrong ones. The others were not tried there.

Guarantee: none, but a count. On eleven networks whose truth is known, four tables each, 0.983 of the decided
directions are right at 5,000 rows, 0.965 at 1,000 and 0.946 at 500; on Insurance 0.83 at 1,000 and at 500
(docs/algorithms.md has all).
Cost: a short search around each arrow.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from elcs.graph.cpdag import essential_graph
from elcs.graph.knowledge import NOTHING, Knowledge
from elcs.graph.pdag import PDAG, Conflict, Edge, Question, Reason
from elcs.graph.rules import ARRANGEMENT, KNOWLEDGE, Rule
from elcs.independence.base import CITest
from elcs.learners.steps.arrange import BETTER, Near, arrange, begin, widen_for_margins
from elcs.scores import Arrangement
from elcs.scores.score import Score

__all__ = ["contradict", "decide", "draw", "separator_in", "weigh_edges"]

LEAST_MARGIN = 3.0
LEAST_P = 0.01

Network = Mapping[str, frozenset[str]]


def draw(graph: PDAG, network: Network, *, decided: bool, rule: Rule = ARRANGEMENT) -> PDAG:
    """Note the edges of a network, and the directions that it compels: if these must be `decided`, only as leanings.

    `rule` is what v-structures are said to follow from. Returns the essential graph of the network.
    """
    essential = _essential(network, graph.knowledge, rule)
    for y in sorted(network):
        for x in sorted(network[y]):
            graph.add_edge(x, y)
    for (cause, effect), reason in essential.reasons.items():
        if reason.rule == KNOWLEDGE:
            continue  # which the graph knows
        if decided:
            graph.leanings[cause, effect] = reason
        else:
            graph.orient(cause, effect, reason)
    graph.settled.update(network)
    return essential


def decide(
    ci: CITest,
    graph: PDAG,
    search: Arrangement,
    network: Network,
    essential: PDAG,
    arcs: Iterable[Edge],
) -> None:
    """Give a direction to those of some edges that lean to it and that are decided.

    Where networks without the arrow score as well, nothing leans; the reason is kept for those who cite it.

    Parameters
    ----------
    ci : CITest
        What answers the questions.
    graph : PDAG
        The edges and what they lean to.
    search : Arrangement
        The search that found the network.
    network : mapping
        The network that it found.
    essential : PDAG
        Its essential graph.
    arcs : iterable of edges
        What is to be judged.
    """
    arcs = [arc for arc in arcs if arc in graph.leanings]
    supports = _supports(ci, network, essential, arcs)
    for arc, (_, reason) in supports.items():  # also for what these rest on, so that it can be cited
        if arc in graph.leanings and graph.leanings[arc].margin is None:
            graph.leanings[arc] = reason
    for arc, judged in _judged(search, supports, arcs):
        graph.leanings[arc] = judged.reason
        if judged.decided:
            graph.orient(*arc, judged.reason)
            del graph.leanings[arc]
        elif judged.tied:
            graph.tied[arc] = graph.leanings.pop(arc)


def contradict(ci: CITest, score: Score, near: Near, graph: PDAG) -> None:
    """Note as conflicts the directions that the data alone would decide, and that knowledge forbids.

    All is arranged once more, as if nothing were known.
    """
    search = begin(score, near)
    arrange(search)
    network = search.network
    essential = _essential(network, NOTHING)
    denied = [arc for arc in essential.reasons if graph.knowledge.forbids(*arc)]
    if denied:
        widen_for_margins(search)
    for (cause, effect), judged in _judged(search, _supports(ci, network, essential, denied), denied):
        if judged.decided:
            said = Reason(KNOWLEDGE, said=graph.knowledge.forbids(cause, effect))
            against = replace(judged.reason, rule=ARRANGEMENT)  # whatever rule compels the arrow in it
            graph.conflicts.append(Conflict((effect, cause), said, against, followed=True))


class _Judged(NamedTuple):
    """What speaks for a direction, whether that is enough, and whether as much speaks against it."""

    reason: Reason
    decided: bool
    tied: bool


def _judged(
    search: Arrangement, supports: Mapping[Edge, Support], arcs: Sequence[Edge]
) -> Iterator[tuple[Edge, _Judged]]:
    """Judge directions that the network found compels, one by one."""
    for arc in arcs:
        p, reason = supports[arc]
        margin = max(search.margin([arc]), 0.0)
        decided = margin >= LEAST_MARGIN and p >= LEAST_P
        yield arc, _Judged(replace(reason, margin=margin), decided, tied=margin < BETTER)


def weigh_edges(graph: PDAG, search: Arrangement, pairs: Iterable[Edge]) -> None:
    """Note for some edges by how much the best arrangement without them is worse."""
    for a, b in pairs:
        graph.margins[frozenset((a, b))] = max(search.margin([(a, b), (b, a)]), 0.0)


def separator_in(network: Network, a: str, z: str) -> tuple[str, ...]:
    """Return a set that separates two variables that are not adjacent in a network."""
    return _Ancestry(network).parents_between(a, z)


def _essential(network: Network, knowledge: Knowledge, rule: Rule = ARRANGEMENT) -> PDAG:
    """Return the essential graph of a network, given what is known; variables in the order of their names."""
    return essential_graph({y: sorted(network[y]) for y in sorted(network)}, rule, knowledge)


Support = tuple[float, Reason]
"""The p-value of the independence that a direction rests on, and the reason that cites it."""


def _supports(ci: CITest, network: Network, essential: PDAG, arcs: Sequence[Edge]) -> dict[Edge, Support]:
    """Return what directions rest on: the common effect that the tests speak for most, or other directions.

    For these other directions, the same.
    """
    wanted: dict[Edge, None] = {}
    more = list(arcs)
    while more := [arc for arc in more if arc not in wanted]:
        wanted.update(dict.fromkeys(more))
        more = [premise for arc in more for premise in essential.reasons[arc].premises]
    ancestry = _Ancestry(network)
    colliders = {
        (a, b): [
            (a, z, ancestry.parents_between(a, z)) for z in sorted(network[b] - {a}) if not essential.adjacent(a, z)
        ]
        for a, b in wanted
    }
    chains = {
        (a, b): [(b, z, ancestry.parents_between(b, z)) for z in reason.variables if not essential.adjacent(b, z)]
        for (a, b), reason in essential.reasons.items()
        if (a, b) in wanted and reason.premises
    }
    asked: dict[Question, None] = {}
    for (_, b), questions in colliders.items():
        for x, z, given in questions:
            asked[x, z, given] = asked[x, z, (*given, b)] = None
    for questions in chains.values():
        asked.update(dict.fromkeys(questions))
    p = {}
    for question, test in zip(asked, ci.test_many(list(asked)), strict=True):
        p[question] = test.p_value if test.made else 0.0
    supports: dict[Edge, Support] = {}
    for arc in essential.reasons:  # in the order in which they were derived: premises first
        if arc not in wanted:
            continue
        reason = essential.reasons[arc]
        if reason.rule == KNOWLEDGE:
            supports[arc] = 1.0, reason
            continue
        best = _best_collider(arc[1], colliders[arc], p)
        if reason.premises:
            least = min(
                [supports[premise][0] for premise in reason.premises] + [p[question] for question in chains[arc]]
            )
            if best is None or least > best[0]:
                best = least, replace(reason, tests=tuple(chains[arc]))
        supports[arc] = (0.0, reason) if best is None else best
    return supports


def _best_collider(effect: str, questions: Iterable[Question], p: Mapping[Question, float]) -> Support | None:
    """Return the other cause that is independent of this one, and depends on it most once the effect is held fixed."""
    ranked = []
    for x, z, given in questions:
        apart, together = p[x, z, given], p[x, z, (*given, effect)]
        tests = ((x, z, given), (x, z, (*given, effect)))
        ranked.append(((min(apart, 0.05), -together), apart, Reason(ARRANGEMENT, (z,), tests)))
    if not ranked:
        return None
    _, apart, reason = max(ranked, key=lambda rank: rank[0])
    return apart, reason


class _Ancestry:
    """Which variables of a network are above which, as bits: a graph of 2,000 variables has millions of such pairs."""

    def __init__(self, network: Network) -> None:
        self._network = network
        self._bit = {x: 1 << i for i, x in enumerate(network)}
        self._known: dict[str, int] = {}

    def parents_between(self, a: str, z: str) -> tuple[str, ...]:
        """Return the parents of the one of the two that is not above the other; if neither is, the smaller set."""
        if self._above(z) & self._bit[a]:
            return tuple(sorted(self._network[z]))
        if self._above(a) & self._bit[z]:
            return tuple(sorted(self._network[a]))
        return min((tuple(sorted(self._network[x])) for x in (a, z)), key=lambda given: (len(given), given))

    def _above(self, z: str) -> int:
        known = self._known
        waiting = [z]
        while waiting:
            y = waiting[-1]
            if unknown := [x for x in self._network[y] if x not in known]:
                waiting.extend(unknown)
                continue
            waiting.pop()
            if y not in known:
                known[y] = 0
                for x in self._network[y]:
                    known[y] |= known[x] | self._bit[x]
        return known[z]
