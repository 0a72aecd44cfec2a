"""The best network over a few variables, by its score.

T. Silander and P. Myllymäki (2006), A simple approach for finding the globally optimal Bayesian network structure,
UAI: among the best networks over a set of variables there is one in which some variable is a sink, with the best
parents among the others, and the others form a best network of their own. Sets of variables are numbered by the bits
of an integer.

Guarantee: no network with at most `max_parents` parents per variable scores higher, as long as the variables are few
(`MOST_VARIABLES`) and so are the families (`MOST_FAMILIES`). Beyond that, the network is one that no single edge
added, removed or turned improves, found by climbing from the network given.
Cost: n families for each set of up to `max_parents` of n variables, then O(n² 2ⁿ) additions in numpy.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import chain, combinations
from math import comb, inf

import numpy as np
from numpy.typing import NDArray

from elcs.graph.cpdag import essential_graph
from elcs.graph.knowledge import NOTHING, Knowledge
from elcs.graph.pdag import Reason
from elcs.graph.rules import BEST_SCORE
from elcs.learners.notes import Blanket
from elcs.learners.steps.climb import Parents, climb
from elcs.scores.score import Score

__all__ = ["Parents", "best_network", "neighbours_in", "orient_by", "spouses_in", "strongest_first"]

MOST_VARIABLES = 15
MOST_FAMILIES = 8000


def best_network(
    score: Score,
    variables: Sequence[str],
    start: Parents,
    *,
    max_parents: int | None,
    knowledge: Knowledge = NOTHING,
) -> Parents:
    """Return the network over these variables that scores best among those with the arcs that knowledge permits.

    `start`, which must be such a network, matters only if they are too many. What is required may exceed `max_parents`.
    """
    n = len(variables)
    known = knowledge.among(variables)
    required = {y: frozenset(a for a, b in known.required if b == y) for y in variables}
    most = n - 1 if max_parents is None else min(max(max_parents, *map(len, required.values())), n - 1)
    if n <= MOST_VARIABLES and n * sum(comb(n - 1, size) for size in range(most + 1)) <= MOST_FAMILIES:
        return _optimum(_Permitted(score, known, required) if known else score, variables, most)
    network = {x: start.get(x, frozenset()) & frozenset(variables) for x in variables}
    if any(parents - network[x] for x, parents in required.items()):  # nothing that is required may close a circle
        network = required
    climb(score, network, knowledge=known, max_parents=most)
    return network


class _Permitted:
    """A score by which a family is impossible if knowledge forbids one of its arcs, or requires one that it lacks."""

    def __init__(self, score: Score, known: Knowledge, required: Parents) -> None:
        self.score, self.known, self.required = score, known, required

    def local(self, child: str, parents: tuple[str, ...]) -> float:
        """Return the score of a family."""
        if self.required[child].difference(parents) or any(self.known.forbids(x, child) for x in parents):
            return -inf
        return self.score.local(child, parents)


def neighbours_in(network: Parents, target: str) -> list[str]:
    """Return the variables adjacent to the target."""
    return [x for x, parents in network.items() if target in parents or x in network[target]]


def spouses_in(network: Parents, target: str) -> dict[str, list[str]]:
    """Return, for each child of the target, its other parents that are not adjacent to the target."""
    near = {target, *neighbours_in(network, target)}
    return {
        child: others
        for child, parents in network.items()
        if target in parents and (others := [x for x in network if x in parents and x not in near])
    }


def strongest_first(score: Score, variables: Sequence[str], near: Sequence[str]) -> list[str]:
    """Sort variables by how much their score gains from the best single parent in `near`."""
    alone = {x: score.local(x) for x in variables}
    gain = {x: max((score.local(x, (y,)) - alone[x] for y in near), default=0.0) for x in variables}
    return sorted(variables, key=gain.__getitem__, reverse=True)


def orient_by(notes: Blanket, network: Parents) -> None:
    """Note which neighbours are parents and which are children, where all networks of this score agree.

    What follows only from the direction of an edge away from the target is left alone: that edge may be there only
    because the network does not hold what lies between its ends.
    """
    target = notes.target
    notes.note_known()
    for y, spouses in notes.spouses.items():
        notes.children.setdefault(y, Reason(BEST_SCORE, (spouses[0],)))
    pc = set(notes.pc)
    families = {y: [x for x in network if x in parents] for y, parents in network.items()}
    essential = essential_graph(families, BEST_SCORE, notes.knowledge)
    for (cause, effect), reason in essential.reasons.items():  # in the order in which they were derived
        y, known = (effect, notes.children) if cause == target else (cause, notes.parents)
        near = target in (cause, effect) and y in pc and y not in notes.children and y not in notes.parents
        if near and all(_noted(notes, *premise) for premise in reason.premises):
            known[y] = reason


def _noted(notes: Blanket, cause: str, effect: str) -> bool:
    """Tell whether an edge is one of the target's, with the direction noted."""
    return effect in notes.children if cause == notes.target else effect == notes.target and cause in notes.parents


def _optimum(score: Score | _Permitted, variables: Sequence[str], most: int) -> Parents:
    """Find the best network exactly, set by set."""
    n = len(variables)
    best, chosen = _best_parents(score, variables, most)
    total = np.zeros(1 << n)
    sink = np.zeros(1 << n, dtype=np.int64)
    for sets, lasts, rests in _levels(n):
        sums = total[rests] + best[lasts, rests]
        at = sums.argmax(axis=1)
        rows = np.arange(len(sets))
        total[sets], sink[sets] = sums[rows, at], lasts[rows, at]
    network: Parents = {}
    left = (1 << n) - 1
    while left:
        last = int(sink[left])
        left ^= 1 << last
        parents = int(chosen[last, left])
        network[variables[last]] = frozenset(variables[i] for i in range(n) if parents >> i & 1)
    return {x: network[x] for x in variables}


def _best_parents(
    score: Score | _Permitted, variables: Sequence[str], most: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return, for each variable and each set of others, the best score with parents in that set, and the parents."""
    n = len(variables)
    best = np.full((n, 1 << n), -inf)
    for i, child in enumerate(variables):
        others = [x for x in variables if x != child]
        families = chain.from_iterable(combinations(others, size) for size in range(most + 1))
        best[i, _candidates(n, i, most)] = [score.local(child, parents) for parents in families]
    chosen = np.tile(np.arange(1 << n), (n, 1))
    for j in range(n):  # what is best without j is open to sets with j as well
        split = (n, 1 << (n - j - 1), 2, 1 << j)
        values, parents = best.reshape(split), chosen.reshape(split)
        without = values[:, :, 0] >= values[:, :, 1]
        np.copyto(values[:, :, 1], values[:, :, 0], where=without)
        np.copyto(parents[:, :, 1], parents[:, :, 0], where=without)
    return best, chosen


@lru_cache(maxsize=1024)
def _candidates(n: int, child: int, most: int) -> NDArray[np.int64]:
    """Return the sets of up to `most` of n variables, without the child."""
    bits = [1 << j for j in range(n) if j != child]
    return np.array([sum(subset) for size in range(most + 1) for subset in combinations(bits, size)], dtype=np.int64)


@lru_cache(maxsize=MOST_VARIABLES)
def _levels(n: int) -> list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]]:
    """Return, for each size, the sets of that size, the members of each, and each set without each of its members."""
    levels = []
    for size in range(1, n + 1):
        members = np.array(list(combinations(range(n), size)), dtype=np.int64)
        sets = (1 << members).sum(axis=1)
        levels.append((sets, members, sets[:, None] ^ (1 << members)))
    return levels
