"""Bayesian networks to learn from, read, packaged, tiled or random, and the data sets that belong to them."""

from elcs.networks.bif import read_bif, write_bif
from elcs.networks.library import available, load
from elcs.networks.network import Network, Summary
from elcs.networks.random_networks import random_network
from elcs.networks.source import Source
from elcs.networks.tiling import tile

__all__ = [
    "Network",
    "Source",
    "Summary",
    "available",
    "load",
    "random_network",
    "read_bif",
    "tile",
    "write_bif",
]
