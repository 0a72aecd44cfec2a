"""Where the data sets of a benchmark come from: a folder, if it has any of that network and size; else a sample."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from elcs.networks import Source, load

if TYPE_CHECKING:
    import networkx as nx

    from elcs.data import Table

__all__ = ["in_folder", "open_problem", "true_graph", "versions"]


def in_folder(network: str, samples: int, folder: str | None) -> Source | None:
    """Return what a folder has of a network, if it has data sets of this size."""
    if folder is None or not (Path(folder) / network).is_dir():
        return None
    source = Source.from_folder(Path(folder) / network)
    return source if source.versions(samples) else None


def versions(network: str, samples: int, folder: str | None, repetitions: int | None) -> list[int]:
    """Return the numbers of the data sets to use: all that the folder has, or three to sample, unless told how many."""
    source = in_folder(network, samples, folder)
    there = source.versions(samples) if source else range(1, (repetitions or 3) + 1)
    return list(there[:repetitions])


def true_graph(network: str, samples: int, folder: str | None) -> nx.DiGraph[str]:
    """Return the true graph of the data sets."""
    return (in_folder(network, samples, folder) or load(network)).to_networkx()


@lru_cache(maxsize=4)  # the methods come one after the other for each data set
def open_problem(
    network: str, samples: int, repetition: int, folder: str | None, seed: int
) -> tuple[nx.DiGraph[str], Table]:
    """Return the true graph and a data set."""
    source = in_folder(network, samples, folder) or Source.from_network(
        load(network), sizes=(samples,), versions=repetition, random_state=seed
    )
    return source.to_networkx(), source.load(samples, repetition)
