"""Large networks made of copies of a small one.

I. Tsamardinos, L. E. Brown and C. F. Aliferis (2006), The max-min hill-climbing Bayesian network structure learning
algorithm, Machine Learning 65, 31-78; I. Tsamardinos, A. Statnikov, L. E. Brown and C. F. Aliferis (2006), Generating
realistic large Bayesian networks by tiling, FLAIRS.

A variable without parents, a *root*, of a later copy gets up to `max_parents` parents from earlier copies, and with
them a table that leaves its distribution as it was. Nothing else is changed.

Guarantee. Each copy has exactly the joint distribution of the original. For that, the roots of a copy must stay
independent of each other, so they draw their parents from parts of the earlier copies that have no ancestor in
common. Parents of one root that come from different copies have none in common either; then the distribution of all
its parents is a product of distributions of the original, which is small enough to be computed exactly.

How many parents a root gets follows the tiled networks of the literature. The condition on ancestors and the way the
tables are made (see `random_table`) are our own.

Cost: for k copies, k² times the number of roots times the number of variables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, reduce
from itertools import groupby
from operator import itemgetter, or_
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from elcs.networks.checks import check_count
from elcs.networks.network import Network

__all__ = ["tile"]

_CLOSE = 1e-14
_MOST_ROUNDS = 10_000

Place = tuple[int, str]
"""A copy, and a variable in it."""


def tile(
    network: Network,
    k: int,
    *,
    max_parents: int = 2,
    random_state: int | np.random.Generator | None = None,
    name: str | None = None,
) -> Network:
    """Join copies of a network into a larger one in which each copy is distributed like the original.

    The number of parents that a root of a later copy should get is drawn from 0 to `max_parents`, all equally likely.
    It gets fewer if too few variables of the earlier copies are unrelated to those that the other roots of its copy
    depend on.

    Parameters
    ----------
    network : Network
        What to copy.
    k : int
        The number of copies. A variable X of the original becomes X_1 to X_k.
    max_parents : int
        The largest number of parents that a root gets.
    random_state : int or numpy.random.Generator, optional
        The seed; equal seeds give equal networks.
    name : str, optional
        What to call it; by default the name of the original followed by the number of copies.

    Examples
    --------
    >>> import elcs.networks
    >>> asia = elcs.networks.load("asia")
    >>> large = tile(asia, 3, random_state=1)
    >>> large
    Network('asia3', 24 variables, 28 edges)
    >>> asia.marginal("dysp").round(9), large.marginal("dysp_3").round(9)
    (array([0.4359706, 0.5640294]), array([0.4359706, 0.5640294]))
    """
    check_count("k", k, 1)
    check_count("max_parents", max_parents, 0)
    rng = np.random.default_rng(random_state)
    joints = _choose_joints(network, int(k), int(max_parents), rng)

    variables, levels, parents, tables = [], {}, {}, {}
    marginal = cache(network.marginal)
    for copy in range(k):
        for v in network.variables:
            here = _named((copy, v))
            joint = joints.get((copy, v), ())
            variables.append(here)
            levels[here] = network.levels[v]
            parents[here] = tuple(_named((copy, p)) for p in network.parents[v]) or tuple(map(_named, joint))
            tables[here] = network.tables[v]
            if joint:
                weights = _distribution(joint, marginal)
                tables[here] = random_table(weights, network.tables[v], rng)
    return Network(name or f"{network.name}{k}", tuple(variables), levels, parents, tables)


def _named(place: Place) -> str:
    return f"{place[1]}_{place[0] + 1}"


# Which variables are joined


class _Reached(NamedTuple):
    """A variable of some copy, and the set of sources, one bit each, that it descends from."""

    place: Place
    sources: int


def _choose_joints(network: Network, k: int, max_parents: int, rng: np.random.Generator) -> dict[Place, list[Place]]:
    """Return the parents of the roots that get some, those in the same copy next to each other.

    A *source* is a root that stays without parents. Variables that descend from different sources are independent.
    """
    roots = [v for v in network.variables if not network.parents[v]]
    n_sources = 0
    joints: dict[Place, list[Place]] = {}
    earlier: list[_Reached] = []
    for copy in range(k):
        wanted = rng.integers(max_parents + 1, size=len(roots)) if copy else np.zeros(len(roots), np.int64)
        sources: dict[str, int] = {}
        for root, chosen in _share_out(dict(zip(roots, wanted.tolist(), strict=True)), earlier, n_sources, rng):
            joints[copy, root] = sorted((reached.place for reached in chosen), key=lambda place: place[0])
            sources[root] = _union(chosen)
        for root in roots:
            if root not in sources:
                sources[root] = 1 << n_sources
                n_sources += 1
        for v in network.order:
            for parent in network.parents[v]:
                sources[v] = sources.get(v, 0) | sources[parent]
        earlier += [_Reached((copy, v), sources[v]) for v in network.variables]
    return joints


def _share_out(
    wanted: Mapping[str, int], earlier: Sequence[_Reached], n_sources: int, rng: np.random.Generator
) -> Iterator[tuple[str, list[_Reached]]]:
    """Yield parents for each root of a copy that gets some; no two roots get parents with a source in common."""
    hungry = [root for root in wanted if wanted[root]]
    taken = 0
    for done, i in enumerate(rng.permutation(len(hungry)).tolist()):
        # The sources that are left are shared out, or the first roots would leave none for the others.
        share = max(1, (n_sources - taken.bit_count()) // (len(hungry) - done))
        chosen: list[_Reached] = []
        for _ in range(wanted[hungry[i]]):
            fit = [reached for reached in earlier if not reached.sources & taken and _fits(reached, chosen, share)]
            if fit:
                chosen.append(fit[rng.integers(len(fit))])
        if chosen:
            taken |= _union(chosen)
            yield hungry[i], chosen


def _fits(reached: _Reached, chosen: Sequence[_Reached], share: int) -> bool:
    """Tell whether a variable can join the parents chosen for the same root, within its share of sources."""
    if (_union(chosen) | reached.sources).bit_count() > share:
        return False
    return all(
        reached.place != other.place and (reached.place[0] == other.place[0] or not reached.sources & other.sources)
        for other in chosen
    )


def _union(chosen: Sequence[_Reached]) -> int:
    return reduce(or_, (reached.sources for reached in chosen), 0)


# With which probabilities


def _distribution(joint: Sequence[Place], marginal: Callable[..., NDArray[np.float64]]) -> NDArray[np.float64]:
    """Return the joint distribution of parents; those from different copies are independent."""
    parts = [marginal(*(v for _, v in group)) for _, group in groupby(joint, key=itemgetter(0))]
    return reduce(np.multiply.outer, parts)


def random_table(
    weights: NDArray[np.float64], target: NDArray[np.float64], rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return a random table of probabilities given parents that leaves the distribution of a variable as it is.

    Each level of each parent shifts the log odds of the levels by amounts drawn from a normal distribution, so that
    each parent by itself matters, however many there are. Then the levels are scaled until, averaged over the
    configurations of the parents, they have the probabilities they should have: iterative proportional fitting.

    Parameters
    ----------
    weights : array
        The probability of each configuration of the parents, an axis for each.
    target : array
        The distribution that the variable must have.

    Examples
    --------
    >>> table = random_table(np.array([0.2, 0.8]), np.array([0.9, 0.1]), np.random.default_rng(1))
    >>> (np.array([0.2, 0.8]) @ table).round(12)
    array([0.9, 0.1])
    """
    logits = np.zeros((*weights.shape, len(target)))
    for axis, size in enumerate(weights.shape):
        shifts = rng.normal(size=(size, len(target)))
        logits += shifts.reshape([size if i == axis else 1 for i in range(weights.ndim)] + [-1])
    odds = np.exp(logits).reshape(-1, len(target))
    scale = target.copy()
    for _ in range(_MOST_ROUNDS):
        table = odds * scale
        table /= table.sum(axis=1, keepdims=True)
        reached = weights.ravel() @ table
        if np.abs(reached - target).max() < _CLOSE:
            break
        scale *= np.divide(target, reached, out=np.zeros_like(target), where=reached > 0)
    return table.reshape(logits.shape)
