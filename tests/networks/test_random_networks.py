from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elcs import DataError
from elcs.networks import load, random_network


@settings(max_examples=60, deadline=None)
@given(
    n=st.integers(1, 30),
    kind=st.sampled_from(["erdos-renyi", "scale-free"]),
    max_parents=st.integers(0, 4),
    seed=st.integers(0, 99),
    data=st.data(),
)
def test_bounds_hold(n: int, kind: str, max_parents: int, seed: int, data: st.DataObject) -> None:
    n_edges = data.draw(st.integers(0, sum(min(i, max_parents) for i in range(n))))
    network = random_network(n, n_edges, kind=kind, max_parents=max_parents, levels=(2, 3), random_state=seed)
    summary = network.summary()
    assert (summary.variables, summary.edges) == (n, n_edges)
    assert summary.max_in_degree <= max_parents
    assert 2 <= summary.min_levels <= summary.max_levels <= 3
    assert nx.is_directed_acyclic_graph(network.to_networkx())


def test_bound_on_children() -> None:
    network = random_network(200, 300, kind="scale-free", max_children=5, random_state=1)
    assert network.summary().max_out_degree == 5


def test_scale_free_networks_have_hubs() -> None:
    hubs = [random_network(300, 450, kind="scale-free", random_state=s).summary().max_out_degree for s in range(5)]
    flat = [random_network(300, 450, random_state=s).summary().max_out_degree for s in range(5)]
    assert min(hubs) > 1.5 * max(flat)


def test_all_pairs_are_equally_likely() -> None:
    counts = np.zeros((6, 6))
    for seed in range(600):
        network = random_network(6, 5, levels=(2, 2), max_parents=5, random_state=seed)
        for a, b in network.edges:
            counts[int(a[1:]), int(b[1:])] += 1
    expected = 600 * 5 / 30
    off_diagonal = counts[~np.eye(6, dtype=bool)]
    assert (np.abs(off_diagonal - expected) < 5 * np.sqrt(expected)).all()


def test_seeds() -> None:
    assert random_network(20, 25, random_state=1) == random_network(20, 25, random_state=1)
    assert random_network(20, 25, random_state=1) != random_network(20, 25, random_state=2)


def test_concentration() -> None:
    sure = random_network(50, 60, concentration=0.01, random_state=1)
    even = random_network(50, 60, concentration=1000, random_state=1)
    assert np.mean([t.max(axis=-1).mean() for t in sure.tables.values()]) > 0.95
    assert max(np.ptp(t).max() for t in even.tables.values()) < 0.2


def test_gene_like() -> None:
    gene = load("gene-like")
    summary = gene.summary()
    assert (summary.variables, summary.edges, summary.min_levels, summary.max_levels) == (801, 972, 3, 5)
    assert summary.max_in_degree <= 4
    assert gene.sample(1000, random_state=1).names == gene.variables


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_variables": 0}, "n_variables= takes a whole number of at least 1"),
        ({"n_edges": -1}, "n_edges= takes"),
        ({"n_edges": 1.5}, "n_edges= takes"),
        ({"kind": "small-world"}, "kind= takes 'erdos-renyi' or 'scale-free', not 'small-world'"),
        ({"levels": (1, 3)}, "levels= takes"),
        ({"levels": (4, 3)}, "levels= takes"),
        ({"levels": (2, 2.5)}, "levels= takes"),
        ({"max_parents": -1}, "max_parents= takes"),
        ({"max_children": -1}, "max_children= takes"),
        ({"concentration": 0}, "concentration= takes"),
        ({"n_edges": 100}, "10 variables with at most 4 parents each have at most 30 edges, not 100"),
        ({"n_edges": 20, "max_children": 1}, "no room was found for 20 edges, only for 9"),
    ],
)
def test_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        random_network(**{"n_variables": 10, "n_edges": 10, "random_state": 1, **options})
