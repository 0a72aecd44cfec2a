from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elcs import DataError
from elcs.graph.dseparation import Separation
from elcs.networks import Network, load, random_network, tile
from elcs.networks.tiling import random_table


def crossing(network: Network) -> list[tuple[str, str]]:
    return [(a, b) for a, b in network.edges if a.rsplit("_", 1)[1] != b.rsplit("_", 1)[1]]


@settings(max_examples=60, deadline=None)
@given(
    shape=st.sampled_from([(4, 2, 3, 3), (4, 3, 3, 2), (5, 3, 2, 2), (3, 2, 4, 2), (3, 1, 4, 3), (2, 1, 6, 3)]),
    max_parents=st.integers(0, 3),
    seed=st.integers(0, 10_000),
)
def test_each_copy_is_distributed_as_the_original(
    joint: Callable[[Network], np.ndarray], shape: tuple[int, int, int, int], max_parents: int, seed: int
) -> None:
    n, n_edges, k, most_levels = shape
    small = random_network(n, n_edges, levels=(2, most_levels), concentration=0.5, random_state=seed)
    large = tile(small, k, max_parents=max_parents, random_state=seed)
    whole, expected = joint(large), joint(small)
    for copy in range(k):
        others = tuple(i for i in range(k * n) if i // n != copy)
        np.testing.assert_allclose(whole.sum(axis=others), expected, atol=1e-12)


def test_copies_of_asia_by_enumeration(joint: Callable[[Network], np.ndarray]) -> None:
    asia = load("asia")
    large = tile(asia, 2, random_state=3)
    assert crossing(large)
    whole = joint(large)
    for copy in range(2):
        others = tuple(i for i in range(16) if i // 8 != copy)
        np.testing.assert_allclose(whole.sum(axis=others), joint(asia), atol=1e-13)


def test_copies_keep_their_edges_and_only_roots_get_new_parents() -> None:
    alarm, large = load("alarm"), tile(load("alarm"), 4, random_state=5)
    for copy in range(1, 5):
        for v in alarm.variables:
            assert large.levels[f"{v}_{copy}"] == alarm.levels[v]
            if alarm.parents[v]:
                assert large.parents[f"{v}_{copy}"] == tuple(f"{p}_{copy}" for p in alarm.parents[v])
                np.testing.assert_array_equal(large.tables[f"{v}_{copy}"], alarm.tables[v])
            else:
                assert len(large.parents[f"{v}_{copy}"]) <= 2
    for parent, child in crossing(large):
        assert int(parent.rsplit("_", 1)[1]) < int(child.rsplit("_", 1)[1])
    assert large.variables[:38] == (*(f"{v}_1" for v in alarm.variables), f"{alarm.variables[0]}_2")
    assert large.name == "alarm4"
    assert tile(alarm, 2, name="other").name == "other"


@pytest.mark.parametrize("name", ["alarm", "child", "insurance"])
def test_roots_of_a_copy_stay_independent(name: str) -> None:
    small, large = load(name), load(f"{name}10")
    separation = Separation(large.to_networkx())
    place = {v: i for i, v in enumerate(separation.nodes)}
    roots = [v for v in small.variables if not small.parents[v]]
    for copy in range(1, 11):
        for a, b in combinations(roots, 2):
            assert separation.separated(place[f"{a}_{copy}"], place[f"{b}_{copy}"], ())


@pytest.mark.filterwarnings("ignore::elcs.DataWarning")
@pytest.mark.parametrize("name", ["alarm", "child", "insurance"])
def test_marginals_of_every_copy_in_a_sample(name: str) -> None:
    small, large = load(name), load(f"{name}10")
    n = 50_000
    data = large.sample(n, random_state=1)
    for v in small.variables:
        expected = small.marginal(v)
        for copy in range(1, 11):
            if f"{v}_{copy}" in data.names:
                i = data.index(f"{v}_{copy}")
                counts = dict(zip(data.levels[i], np.bincount(data.codes[i]), strict=True))
                found = np.array([counts.get(level, 0) for level in small.levels[v]]) / n
                assert (np.abs(found - expected) <= 5.5 * np.sqrt(expected * (1 - expected) / n) + 1e-12).all()


def test_seeds() -> None:
    child = load("child")
    assert tile(child, 5, random_state=1) == tile(child, 5, random_state=1)
    assert tile(child, 5, random_state=1).edges != tile(child, 5, random_state=2).edges
    assert tile(child, 5, random_state=np.random.default_rng(1)) == tile(child, 5, random_state=1)


def test_numbers_of_new_parents_spread_evenly() -> None:
    counts = np.zeros(3)
    for seed in range(30):
        large = tile(load("child"), 10, random_state=seed)
        counts += np.bincount([len(large.parents[f"BirthAsphyxia_{i}"]) for i in range(2, 11)], minlength=3)
    assert (np.abs(counts - 90) < 5 * np.sqrt(270 * 2 / 9)).all()


def test_one_copy_and_no_joints() -> None:
    asia = load("asia")
    assert [tuple(t.shape) for t in tile(asia, 1).tables.values()] == [t.shape for t in asia.tables.values()]
    assert not crossing(tile(asia, 3, max_parents=0))


def test_tables_of_joints_are_random_and_fit() -> None:
    rng = np.random.default_rng(0)
    weights = rng.dirichlet([0.3] * 12).reshape(3, 4)
    weights[0, 0] = 0.0
    weights /= weights.sum()
    target = np.array([0.001, 0.0, 0.6, 0.399])
    table = random_table(weights, target, rng)
    assert table.shape == (3, 4, 4)
    np.testing.assert_allclose(np.tensordot(weights, table, 2), target, atol=1e-13)
    np.testing.assert_allclose(table.sum(axis=-1), 1)
    assert np.ptp(table[..., 2]) > 0.1


@pytest.mark.parametrize(
    ("options", "message"), [({"k": 0}, "k= takes"), ({"k": 2, "max_parents": -1}, "max_parents=")]
)
def test_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        tile(load("asia"), **options)
