"""Random networks: a random acyclic graph, random numbers of levels, tables drawn from Dirichlet distributions.

P. Erdos and A. Renyi (1959), On random graphs; A.-L. Barabasi and R. Albert (1999), Emergence of scaling in random
networks.

Edges are drawn one by one and kept if they go forward in a random order of the variables, are new, and leave the
degrees within their bounds. In an Erdos-Renyi graph all pairs are equally likely. In a scale-free one, the more effects
a cause already has, the likelier it is to be drawn, so that a few variables have many effects and most have few, as in
networks of genes.
"""

from __future__ import annotations

from collections import Counter
from math import log
from typing import TYPE_CHECKING, TypedDict

import numpy as np
from numpy.typing import NDArray

from elcs.errors import DataError
from elcs.networks.checks import check_count
from elcs.networks.network import Network

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["random_network"]

KINDS = ("erdos-renyi", "scale-free")


class Degrees(TypedDict, total=False):
    """Bounds on the number of direct causes and direct effects of a variable."""

    max_parents: int
    max_children: int | None


def random_network(
    n_variables: int,
    n_edges: int,
    *,
    kind: str = "erdos-renyi",
    levels: tuple[int, int] = (2, 4),
    concentration: float = 1.0,
    random_state: int | np.random.Generator | None = None,
    name: str = "random",
    **degrees: Unpack[Degrees],
) -> Network:
    """Draw a network.

    Parameters
    ----------
    n_variables, n_edges : int
        Its size. The variables are X0, X1, ...; their order says nothing about cause and effect.
    kind : {'erdos-renyi', 'scale-free'}
        Whether all pairs are equally likely to be joined, or variables with many effects tend to get more.
    levels : pair of int
        The smallest and the largest number of levels; all numbers from one to the other are equally likely.
    concentration : float
        The parameter of the Dirichlet distribution of each row of each table. At 1 all rows are equally likely; the
        smaller it is, the nearer rows are to certainty, and the stronger the dependences.
    random_state : int or numpy.random.Generator, optional
        The seed; equal seeds give equal networks.
    name : str
        What to call it.
    **degrees
        ``max_parents`` and ``max_children``: bounds on the number of direct causes and direct effects of a variable. By
        default 4, and None for no bound.

    Raises
    ------
    DataError
        If an option makes no sense, or the degrees leave no room for that many edges.

    Examples
    --------
    >>> random_network(50, 60, kind="scale-free", random_state=1)
    Network('random', 50 variables, 60 edges)
    """
    unknown = [option for option in degrees if option not in Degrees.__annotations__]
    if unknown:
        raise DataError(f"random_network takes no {unknown[0]}=")
    max_parents, max_children = degrees.get("max_parents", 4), degrees.get("max_children")
    _check(n_variables, n_edges, kind, levels, max_parents, max_children, concentration)
    rng = np.random.default_rng(random_state)
    bound = n_variables if max_children is None else max_children
    edges = _draw_edges(n_variables, n_edges, max_parents, bound, scale_free=kind == "scale-free", rng=rng)

    place = rng.permutation(n_variables).tolist()  # so that the order of the columns says nothing
    names = tuple(f"X{i}" for i in range(n_variables))
    parents: dict[str, tuple[str, ...]] = dict.fromkeys(names, ())
    for cause, effect in edges:
        parents[names[place[effect]]] += (names[place[cause]],)
    counts = dict(zip(names, rng.integers(levels[0], levels[1] + 1, size=n_variables).tolist(), strict=True))
    tables = {v: _draw_table([counts[p] for p in parents[v]], counts[v], concentration, rng) for v in names}
    labels = {v: tuple(map(str, range(counts[v]))) for v in names}
    return Network(name, names, labels, parents, tables)


def _draw_edges(
    n: int, n_edges: int, max_parents: int, max_children: int, *, scale_free: bool, rng: np.random.Generator
) -> list[tuple[int, int]]:
    """Return pairs of cause and effect, numbered so that causes come before their effects."""
    edges: dict[tuple[int, int], None] = {}
    n_parents, n_children = Counter[int](), Counter[int]()
    urn = list(range(n))  # from which causes are drawn
    # After this many draws, a pair that has not come up would be a miracle (e to the power of -20).
    draws_left = int(n * n * (log(n * n) + 20))
    while len(edges) < n_edges and draws_left > 0:
        draws_left -= 1
        cause, effect = urn[rng.integers(len(urn))], int(rng.integers(n))
        if (
            cause < effect
            and (cause, effect) not in edges
            and n_parents[effect] < max_parents
            and n_children[cause] < max_children
        ):
            edges[cause, effect] = None
            n_parents[effect] += 1
            n_children[cause] += 1
            if scale_free:
                urn.append(cause)
    if len(edges) < n_edges:
        raise DataError(f"no room was found for {n_edges} edges, only for {len(edges)}; allow more parents or children")
    return list(edges)


def _draw_table(
    parent_counts: list[int], count: int, concentration: float, rng: np.random.Generator
) -> NDArray[np.float64]:
    return rng.dirichlet([concentration] * count, size=parent_counts)


def _check(
    n_variables: int,
    n_edges: int,
    kind: str,
    levels: tuple[int, int],
    max_parents: int,
    max_children: int | None,
    concentration: float,
) -> None:
    check_count("n_variables", n_variables, 1)
    check_count("n_edges", n_edges, 0)
    check_count("max_parents", max_parents, 0)
    if max_children is not None:
        check_count("max_children", max_children, 0)
    if kind not in KINDS:
        raise DataError(f"kind= takes {' or '.join(map(repr, KINDS))}, not {kind!r}")
    for count in levels:
        check_count("levels", count, 2)
    if len(levels) != 2 or levels[0] > levels[1]:
        raise DataError(f"levels= takes the smallest and the largest number of levels, not {levels!r}")
    if not 0 < concentration < float("inf"):
        raise DataError(f"concentration= takes a number above 0, not {concentration!r}")
    most = sum(min(i, max_parents) for i in range(n_variables))
    if n_edges > most:
        raise DataError(
            f"{n_variables} variables with at most {max_parents} parents each have at most {most} edges, not {n_edges}"
        )
