from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from elcs.networks import Network


def joint_by_enumeration(network: Network) -> np.ndarray:
    """Return the whole joint distribution, an axis for each variable, by multiplying all tables."""
    product = np.ones([len(network.levels[v]) for v in network.variables])
    for v in network.variables:
        scope = (*network.parents[v], v)
        axes = [network.variables.index(u) for u in scope]
        ordered = network.tables[v].transpose(np.argsort(axes))
        product *= ordered.reshape([len(network.levels[u]) if u in scope else 1 for u in network.variables])
    return product


@pytest.fixture(scope="session")
def joint() -> Callable[[Network], np.ndarray]:
    return joint_by_enumeration
