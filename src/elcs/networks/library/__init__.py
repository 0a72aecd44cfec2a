"""Networks by name: those of the literature that are packaged, and large ones that are built.

The packaged networks come from the Bayesian Network Repository; the file NOTICE says who published them. The others are
made when they are asked for, from a seed, so that they are the same every time. Their seeds are chosen so that the
numbers of edges, the degrees and the sizes of the sets of parents and children are those of the benchmark networks in
Yang, Wang, Yu, Cao and Wu (2022), Towards efficient local causal structure learning; their edges are not the same.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

from elcs.errors import unknown_name
from elcs.networks.bif import read_bif
from elcs.networks.network import Network
from elcs.networks.random_networks import random_network
from elcs.networks.tiling import tile

__all__ = ["available", "load"]

FOLDER = Path(__file__).parent

PACKAGED = ("alarm", "asia", "child", "hailfinder", "insurance", "pigs", "sachs", "win95pts")


def _tiled(name: str, max_parents: int, seed: int) -> Network:
    return tile(load(name), 10, max_parents=max_parents, random_state=seed)


def _gene_like() -> Network:
    return random_network(
        801, 972, kind="scale-free", levels=(3, 5), max_parents=4, max_children=10, random_state=0, name="gene-like"
    )


_BUILT: dict[str, Callable[[], Network]] = {
    "alarm10": partial(_tiled, "alarm", max_parents=2, seed=60),
    "child10": partial(_tiled, "child", max_parents=2, seed=12),
    "insurance10": partial(_tiled, "insurance", max_parents=5, seed=141),
    "gene-like": _gene_like,
}


def available() -> tuple[str, ...]:
    """Return the names that `load` knows.

    Examples
    --------
    >>> import elcs.networks
    >>> elcs.networks.available()  # doctest: +NORMALIZE_WHITESPACE
    ('alarm', 'alarm10', 'asia', 'child', 'child10', 'gene-like', 'hailfinder', 'insurance', 'insurance10', 'pigs',
     'sachs', 'win95pts')
    """
    return tuple(sorted((*PACKAGED, *_BUILT)))


@cache
def load(name: str) -> Network:
    """Return a network by its name.

    `alarm10`, `child10` and `insurance10` are ten copies each, joined by `tile`; `gene-like` is a random network
    as large as one that describes the expression of genes.

    Raises
    ------
    DataError
        If there is no such network; the message gives the nearest names.

    Examples
    --------
    >>> import elcs.networks
    >>> elcs.networks.load("alarm")
    Network('alarm', 37 variables, 46 edges)
    """
    if name in PACKAGED:
        return read_bif(FOLDER / f"{name}.bif.gz")
    if name in _BUILT:
        return _BUILT[name]()
    raise unknown_name(name, available(), what="network")
