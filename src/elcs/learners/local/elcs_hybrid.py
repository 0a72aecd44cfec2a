"""ELCS-hybrid around one variable: tests propose the edges, a score arranges them, and only decided directions count.

Ours; the steps are those of `whole/elcs_hybrid.py`. A table of up to 100 columns is arranged as a whole, and the edges
at the target are reported: the answer is the one that the whole graph gives. In a larger table, or if a `radius` is
given, a region is arranged. HITON-PC is run for the target, for those it finds, and so on up to `radius` steps away.
What the outermost find joins the region, with edges to these only.

Guarantee: as for the whole graph, as far as the region holds what a direction at the target rests on. A direction may
rest on a v-structure any number of steps away; such edges stay without direction. With a radius of two there are 1.1 to
2 times as many errors as with the whole graph (`benchmarks/accuracy.py`).
Cost: of a region, HITON-PC for the variables up to two steps away, one test for each column of the table in each of
them; after that, what it costs depends on the region alone, mostly 10 to 25 variables.
"""

from __future__ import annotations

from elcs.graph.pdag import PDAG, Reason
from elcs.graph.rules import ARRANGEMENT, KNOWLEDGE
from elcs.independence.base import CITest
from elcs.learners.notes import Blanket, Local
from elcs.learners.pc.hiton_pc import hiton_pc
from elcs.learners.steps.arrange import Near, arrange, begin, either_found, widen_for_margins
from elcs.learners.steps.best_network import Parents, neighbours_in, spouses_in
from elcs.learners.steps.decide import contradict, decide, draw, separator_in, weigh_edges
from elcs.scores import Arrangement
from elcs.scores.score import Score

__all__ = ["elcs_hybrid"]

WHOLE_UP_TO = 100
"""A table of no more columns than this is arranged as a whole: Alarm takes 40 ms instead of 10."""


def elcs_hybrid(
    ci: CITest,
    notes: Local,
    *,
    score: Score,
    max_cond_size: int | None = 3,
    decided: bool = True,
    radius: int | None = None,
    depth: int | None = None,
) -> None:
    """Learn the edges at ``notes.target`` and their directions.

    Takes what `elcs_hybrid_whole` takes; `radius` is how many steps away from the target neighbours are looked for: by
    default everywhere in a table of up to 100 columns, else two. If a `depth` is given, all edges among the variables
    up to so many steps away are learnt, and the radius is one more.
    """
    target, graph = notes.target, notes.graph
    whole = radius is None and len(ci.variables) <= WHOLE_UP_TO
    found = _region(ci, notes, radius or (depth or 1) + 1, max_cond_size, everywhere=whole)
    candidates = either_found({x: own.pc for x, own in found.items()})
    search = begin(score, candidates, knowledge=graph.knowledge)
    at = None if whole else _within(candidates, target, depth or 0)
    try:
        arrange(search, at)
    finally:  # a search that is stopped leaves the best network so far
        network = search.network
        essential = draw(graph, network, decided=decided)
        _note_overruled(notes, network)
        _note_surroundings(ci, notes, network)
    near = notes.open(target).pc
    if decided:
        widen_for_margins(search, at)
        decide(ci, graph, search, network, essential, [arc for x in near for arc in ((x, target), (target, x))])
        weigh_edges(graph, search, [(target, x) for x in near])
        shared = spouses_in(network, target)
        arcs = [(spouse, y) for y in graph.children(target) for spouse in shared.get(y, ())]
        arcs += [(x, y) for x in near for y in near if x in network[y] or y in network[x]]  # which circles rest on
        decide(ci, graph, search, network, essential, arcs)
        if depth is not None:
            _decide_part(ci, notes, search, network, essential, depth)
    _note_spouses(notes, network)
    if graph.knowledge:
        contradict(ci, score, candidates, graph)


def _decide_part(
    ci: CITest,
    notes: Local,
    search: Arrangement,
    network: Parents,
    essential: PDAG,
    depth: int,
) -> None:
    """Judge all other edges among the variables up to so many steps from the target."""
    target, graph = notes.target, notes.graph
    part = graph.within(target, depth)
    pairs = [(x, y) for y in part for x in part if x in network[y] and target not in (x, y)]
    decide(ci, graph, search, network, essential, [arc for x, y in pairs for arc in ((x, y), (y, x))])
    weigh_edges(graph, search, pairs)


def _region(
    ci: CITest, notes: Local, radius: int, max_cond_size: int | None, *, everywhere: bool
) -> dict[str, Blanket]:
    """Find the neighbours of all variables up to so many steps away from the target, or of all that there are."""
    found: dict[str, Blanket] = {}
    ring = [notes.target, *(x for x in ci.variables if everywhere and x != notes.target)]
    for _ in range(1 if everywhere else radius + 1):
        for x in ring:
            found[x] = notes.open(x)
            hiton_pc(ci, found[x], max_cond_size=max_cond_size)
            found[x].done = x != notes.target
        ring = sorted({y for x in ring for y in found[x].pc if y not in found})
    return found


def _within(candidates: Near, target: str, steps: int) -> set[str]:
    """Return the variables that are up to so many steps from the target."""
    within = {target}
    for _ in range(steps):
        within.update([y for x in within for y in candidates[x]])
    return within


def _note_overruled(notes: Local, network: Parents) -> None:
    """Note what the tests have separated, and the score has joined."""
    for effect, causes in network.items():
        for a, b in [pair for cause in causes for pair in ((cause, effect), (effect, cause))]:
            apart = notes.blankets[a].separators.get(b) if a in notes.blankets else None
            if apart is not None:
                notes.graph.overruled[frozenset((a, b))] = apart


def _note_surroundings(ci: CITest, notes: Local, network: Parents) -> None:
    """Note the neighbours that the network gives the target, and what separates the others from it."""
    target, own = notes.target, notes.open(notes.target)
    before, own.pc = own.pc, neighbours_in(network, target)
    for x in before:
        if x in own.pc:
            continue
        other = notes.blankets.get(x)
        apart = None if other is None else other.separators.get(target)
        if apart is None and ci.independent(target, x, nothing_left := separator_in(network, target, x)):
            apart = nothing_left
        if apart is not None:
            own.separators[x] = apart
    for x in own.pc:
        apart = own.separators.pop(x, None)
        if apart is not None and own.requires(x):
            notes.graph.dispute(target, x, apart)
    own.done = True


def _note_spouses(notes: Local, network: Parents) -> None:
    """Note the other causes of the target's effects; what is not known to be one is only a member of the blanket."""
    target, graph, own = notes.target, notes.graph, notes.open(notes.target)
    for y, spouses in spouses_in(network, target).items():
        for x in spouses:
            reason = graph.reasons.get((x, y))
            if reason is None or (target, y) not in graph.reasons:
                own.members.append(x)
                continue
            apart = own.separators.setdefault(x, separator_in(network, target, x))
            tests = ((x, target, apart), (x, target, tuple(dict.fromkeys((*apart, y)))))
            if reason.rule != KNOWLEDGE:
                graph.reasons[x, y] = Reason(ARRANGEMENT, (target,), tests, margin=reason.margin)
            own.spouses.setdefault(y, []).append(x)
    known = own.all_spouses
    own.members = [x for x in dict.fromkeys(own.members) if x not in known]
