"""What to hold fixed so that a comparison shows the effect of one variable on another.

The direct causes of a variable suffice: among rows in which they are equal, nothing but chance decides its value (Pearl
2009, Causality, 3.3). Where edges at the cause have no direction, every set of parents that fits gives one effect, and
all of them together are what observations allow (Maathuis, Kalisch & Bühlmann 2009, Annals of Statistics 37(6): IDA). A
set fits if it makes no new v-structure at the variable and closes no circle of three through it. This can be seen in
the surroundings of the variable, and it is exact for essential graphs, also for those narrowed by knowledge (Fang & He
2020, IDA with background knowledge, UAI).

The optimal set gives the narrowest interval of all sets that suffice (Henckel, Perković & Maathuis 2022, Journal of the
Royal Statistical Society B 84(2)). It holds the other causes of whatever lies on the way from the cause to the effect,
which takes noise away, and leaves out what only moves the cause. A whole graph shows it. Without one, tests find it
around the cause and the effect (Schubert, Claassen & Magliacane 2026, AISTATS: LOAD, local optimal adjustments
discovery): among the cause and the variables on which it has no effect, the optimal set is what influences the effect
directly. Given the direct causes of the cause, one test tells for each variable whether it is such a one. So the set is
found for every possible set of direct causes, also where it is open which of them is right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple, Protocol

from elcs.errors import ElcsError
from elcs.graph.knowledge import Knowledge
from elcs.graph.meek import apply_meek_rules
from elcs.graph.pdag import PDAG, Reason
from elcs.graph.rules import Rule

__all__ = [
    "Adjustment",
    "Independence",
    "TooManySetsError",
    "adjust_in_whole",
    "adjust_locally",
    "optimal_set",
    "oriented",
    "parent_sets",
]

MOST_SETS = 1000
"""So many sets of parents are considered; more than a handful come only from graphs that cannot be right."""

SUPPOSED = Rule("supposed", lambda why: f"{why.cause} -> {why.effect} is supposed.")


class TooManySetsError(ElcsError):
    """So much is open at the cause that nothing can be said about its effects."""


class Adjustment(NamedTuple):
    """A set to hold fixed, and why it suffices.

    Attributes
    ----------
    kind : {"none", "independent", "parents", "optimal"}
        Whether there is no effect, as the arrows say, or as the two are independent given the direct causes of the
        cause; or these are held fixed, as far as they matter; or the optimal set.
    adjusted_for : tuple of str
        The set; empty if the arrows say that there is no effect.
    parents : tuple of tuples of str
        The sets of direct causes of the cause for which this holds.
    """

    kind: Literal["none", "independent", "parents", "optimal"]
    adjusted_for: tuple[str, ...]
    parents: tuple[tuple[str, ...], ...]


class Independence(Protocol):
    """What `adjust_locally` asks."""

    @property
    def variables(self) -> Sequence[str]:
        """All variables."""

    def told(self, a: str, b: str, given: Sequence[str]) -> Literal["independent", "dependent", "unknown"]:
        """Tell whether two variables are independent given others, as far as that can be tested."""

    def direct_causes(self, y: str, among: Sequence[str]) -> Sequence[str]:
        """Return what influences y directly among variables that it does not influence."""


def parent_sets(graph: PDAG, x: str) -> list[tuple[str, ...]]:
    """Return every set of direct causes that x may have, the known ones alone first.

    Pairs about which nothing is known may be adjacent. An edge that only leans to a direction may be part of a
    v-structure, or not.

    Examples
    --------
    >>> from elcs.graph.cpdag import essential_graph
    >>> parent_sets(essential_graph({"a": [], "b": ["a"], "c": ["b"]}), "b")
    [(), ('a',), ('c',)]
    """
    known, undecided, children = sorted(graph.parents(x)), sorted(graph.undirected(x)), graph.children(x)
    weighed = graph.weighed
    leaning = {u for u in undecided if frozenset((u, x)) in weighed}

    def new_v_structure(u: str, others: Iterable[str]) -> bool:
        return u not in leaning and any(graph.non_adjacent(u, v) for v in others if v not in leaning)

    chosen: list[tuple[str, ...]] = [()]
    for u in undecided:
        if new_v_structure(u, known):
            continue
        chosen += [(*some, u) for some in chosen if not new_v_structure(u, some)]
        if len(chosen) > MOST_SETS:
            raise TooManySetsError(f"more than {MOST_SETS:,} sets of direct causes of {x} fit the graph")
    fitting = []
    for some in chosen:
        parents, effects = (*known, *some), [*children, *(u for u in undecided if u not in some)]
        if _reached(effects, graph.children).isdisjoint(parents):  # else there would be a circle
            fitting.append(parents)
    return sorted(fitting, key=len) or [tuple(known)]  # a graph that contradicts itself has no set that fits


def oriented(graph: PDAG, x: str, parents: Iterable[str]) -> PDAG:
    """Return the graph with these parents of x, its other neighbours as effects, and all that follows from it."""
    causes = set(parents)
    supposed = replace(
        graph,
        settled=set(graph.settled),
        separators={},
        reasons=dict(graph.reasons),
        conflicts=[],
        _adjacent={v: dict(others) for v, others in graph._adjacent.items()},
    )
    undecided = supposed.undirected(x)
    for u in undecided:
        supposed.orient(*((u, x) if u in causes else (x, u)), Reason(SUPPOSED))
    if undecided and not supposed.weighed:  # the rules hold only where all v-structures are known
        apply_meek_rules(supposed)
    return supposed


def adjust_locally(graph: PDAG, x: str, y: str, tests: Independence) -> list[Adjustment]:
    """Return what the surroundings of x say about its effects on y: every possible adjustment, by optimal sets.

    If the two are not adjacent, and independent given the direct causes of x, there is no effect; otherwise there is
    one (Fang, Liu, Geng & He 2022, A local method for identifying causal relations under Markov equivalence, Artificial
    Intelligence 305). Whatever x has no effect on may be held fixed beside its direct causes, and of all that only the
    direct causes of y matter: they are the optimal set. Where all sets of direct causes of x lead to the same one, it
    does not matter which of them is right.

    An effect of y is an effect of x too, but so little of x may be left there that no test shows it, and it must not be
    held fixed. Another cause of y depends on x once y is held fixed, while an effect of y does not; so that is asked as
    well. What may lie behind x or y, as edges that are open or only lean may point either way, is not even asked about:
    the set then suffices in every graph in which x has these direct causes. It does no harm to leave out what is no
    direct cause of x. A direct cause of x is left out only if a test says that y does not depend on it given x and all
    the rest.

    Parameters
    ----------
    graph : PDAG
        The graph around x.
    x, y : str
        The cause and the effect.
    tests : Independence
        What answers questions about independence.
    """
    found = []
    for parents in parent_sets(graph, x):
        before = _reached(parents, graph.parents)
        if _excluded(graph.knowledge, x, y) or y in before:
            found.append(Adjustment("none", (), (parents,)))
            continue
        behind = _possibly_behind(graph, x, y, before)
        others = [v for v in tests.variables if v not in behind and v not in (x, *parents)]
        apart = [v for v in others if tests.told(x, v, parents) == "independent"]
        pool = [*parents, *(v for v in apart if tests.told(x, v, (*parents, y)) == "dependent")]
        best = _that_matter(x, y, parents, tests.direct_causes(y, [x, *pool]), tests)
        if not graph.adjacent(x, y) and tests.told(x, y, parents) == "independent":
            found.append(Adjustment("independent", best, (parents,)))
        else:
            found.append(Adjustment("parents" if set(best) <= set(parents) else "optimal", best, (parents,)))
    return _merged(found)


def _possibly_behind(graph: PDAG, x: str, y: str, before: set[str]) -> set[str]:
    """Return what may be an effect of y, or of x, given what comes before x: edges without direction may point any way.

    Nothing leads from a variable back to what is known to come before it: that would close a circle.
    """

    def ahead(start: str) -> set[str]:
        closed = before | {x} | _reached(graph.parents(start), graph.parents)
        return _reached([start], lambda v: set(graph.children(v) + graph.undirected(v)) - closed)

    return set().union(*(ahead(v) for v in (y, *graph.neighbours(x)) if v not in before))


def _that_matter(x: str, y: str, parents: Sequence[str], causes: Sequence[str], tests: Independence) -> tuple[str, ...]:
    """Return the direct causes of y, and those of x but for the ones that do not matter to y."""
    kept = [*parents, *(v for v in causes if v != x and v not in parents)]
    for u in reversed(parents):  # first those that may be none
        rest = [v for v in kept if v != u]
        if tests.told(y, u, (x, *rest)) == "independent":
            kept = rest
    return tuple(kept)


def adjust_in_whole(graph: PDAG, x: str, y: str) -> list[Adjustment]:
    """Return what a whole graph says about the effects of x on y: every possible adjustment, by optimal sets.

    If no path leads from x to y, the two are independent given the direct causes of x. That rests on edges that are not
    there, which is less sure than an arrow: tests miss weak ones.

    Examples
    --------
    >>> from elcs.graph.cpdag import essential_graph
    >>> graph = essential_graph({"region": [], "outages": ["region"], "price": [], "mood": ["outages", "price"]})
    >>> adjust_in_whole(graph, "outages", "mood")
    [Adjustment(kind='optimal', adjusted_for=('price',), parents=((), ('region',)))]
    """
    found = []
    for parents in parent_sets(graph, x):
        supposed = oriented(graph, x, parents)
        if _excluded(graph.knowledge, x, y) or y in _reached(parents, supposed.parents):
            found.append(Adjustment("none", (), (parents,)))
            continue
        if y not in _reached([x], lambda v: supposed.children(v) + supposed.undirected(v)):
            found.append(Adjustment("independent", parents, (parents,)))
            continue
        best = optimal_set(supposed, x, y)
        found.append(
            Adjustment("parents", parents, (parents,)) if best is None else Adjustment("optimal", best, (parents,))
        )
    return _merged(found)


def optimal_set(graph: PDAG, x: str, y: str) -> tuple[str, ...] | None:
    """Return the optimal set to hold fixed, if the graph says which it is.

    All edges at x must have a direction, and arrows and edges without direction must not form circles. They never do in
    an essential graph in which the edges at x were given directions. In one that knowledge narrows, or that contradicts
    itself, they may. Where edges only lean to a direction, the graph does not say enough.
    """
    if graph.undirected(x) or graph.weighed or not _is_chain_graph(graph):
        return None
    ahead = _reached(graph.children(x), lambda v: graph.children(v) + graph.undirected(v))
    behind = _reached([y], lambda v: [u for u in graph.parents(v) + graph.undirected(v) if u != x])
    between = ahead & behind
    after = _reached(between, lambda v: graph.children(v) + graph.undirected(v))
    others = {u for v in between for u in graph.parents(v)} - after - {x}
    return tuple(v for v in graph.variables if v in others)


def _excluded(known: Knowledge, x: str, y: str) -> bool:
    """Tell whether x cannot be a cause of y, directly or indirectly, by what is known beforehand."""
    return bool(known) and (known.comes_before(y, x) or y in known.exogenous or x in known.outcomes)


def _reached(start: Iterable[str], steps: Callable[[str], Iterable[str]]) -> set[str]:
    found = set(start)
    ahead = list(found)
    while ahead:
        new = [v for v in steps(ahead.pop()) if v not in found]
        found.update(new)
        ahead += new
    return found


def _is_chain_graph(graph: PDAG) -> bool:
    """Tell whether no circle of arrows and undirected edges has an arrow in it."""
    part: dict[str, int] = {}
    for v in graph.variables:
        if v not in part:
            part.update(dict.fromkeys(_reached([v], graph.undirected), len(part)))
    above: dict[int, set[int]] = {i: set() for i in part.values()}
    for cause, effect in graph.reasons:
        above[part[effect]].add(part[cause])
    while above:
        first = [i for i, causes in above.items() if not causes]
        if not first:
            return False
        for i in first:
            del above[i]
        for causes in above.values():
            causes.difference_update(first)
    return True


def _merged(found: Sequence[Adjustment]) -> list[Adjustment]:
    """Return each adjustment once, with all sets of parents for which it holds."""
    sets: dict[tuple[str, frozenset[str]], Adjustment] = {}
    for one in found:
        key = one.kind, frozenset(one.adjusted_for)
        first = sets.get(key)
        sets[key] = one if first is None else first._replace(parents=first.parents + one.parents)
    return list(sets.values())
