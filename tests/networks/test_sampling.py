from __future__ import annotations

import numpy as np
import pytest

from elcs import DataError, Dataset, DataWarning
from elcs.networks import Network, load
from elcs.networks.sampling import cumulative

N = 50_000


def codes_of(network: Network, data: Dataset, name: str) -> np.ndarray:
    """Return the codes of a column in the order of the levels of the network."""
    i = data.index(name)
    order = np.array([network.levels[name].index(str(level)) for level in data.levels[i]])
    return order.take(data.codes[i])


@pytest.mark.filterwarnings("ignore::elcs.DataWarning")
@pytest.mark.parametrize("name", ["asia", "sachs", "child", "insurance", "alarm", "win95pts"])
def test_tables_and_marginals_are_recovered(name: str) -> None:
    network = load(name)
    data = network.sample(N, random_state=1)
    for v in data.names:
        scope = [u for u in (*network.parents[v], v) if u in data.names]
        if len(scope) <= len(network.parents[v]):
            continue  # a parent that does not vary
        shape = network.tables[v].shape
        where = np.ravel_multi_index([codes_of(network, data, u) for u in scope], shape)
        counts = np.bincount(where, minlength=network.tables[v].size).reshape(shape)
        rows = counts.sum(axis=-1, keepdims=True)
        table = network.tables[v]
        error = np.abs(counts - rows * table)
        assert (error <= 6 * np.sqrt(rows * table * (1 - table)) + 1).all(), v
        marginal = network.marginal(v)
        found = counts.sum(axis=tuple(range(counts.ndim - 1))) / N
        assert (np.abs(found - marginal) <= 5 * np.sqrt(marginal * (1 - marginal) / N) + 1e-12).all(), v


def test_equal_seeds_give_equal_samples() -> None:
    asia = load("asia")
    first, second = asia.sample(500, random_state=3), asia.sample(500, random_state=3)
    for a, b in zip(first.codes, second.codes, strict=True):
        np.testing.assert_array_equal(a, b)
    other = asia.sample(500, random_state=4)
    assert any((a != b).any() for a, b in zip(first.codes, other.codes, strict=True))
    rng = np.random.default_rng(3)
    np.testing.assert_array_equal(asia.sample(500, random_state=rng).codes, first.codes)
    assert any((a != b).any() for a, b in zip(first.codes, asia.sample(500, random_state=rng).codes, strict=True))


def test_columns_are_those_of_the_network() -> None:
    sachs = load("sachs")
    data = sachs.sample(5000, random_state=1)
    assert data.names == sachs.variables
    assert data.levels == tuple(sachs.levels[v] for v in sachs.variables)
    assert set(data.kinds) == {"category"}
    assert not any(codes.flags.writeable for codes in data.codes)


def coin(*tables: list[float]) -> Network:
    names = tuple(f"c{i}" for i in range(len(tables)))
    labels = [f"l{i}" for i in range(1000)]
    levels = {v: tuple(labels[: len(table)]) for v, table in zip(names, tables, strict=True)}
    return Network(
        "coins", names, levels, dict.fromkeys(names, ()), dict(zip(names, map(np.array, tables), strict=True))
    )


def test_levels_that_do_not_occur_are_no_levels() -> None:
    data = coin([0.5, 0.0, 0.5], [0.0, 0.5, 0.5]).sample(100, random_state=1)
    assert data.levels == (("l0", "l2"), ("l1", "l2"))
    assert all(codes.max() == 1 for codes in data.codes)


def test_columns_that_do_not_vary_are_left_out() -> None:
    with pytest.warns(DataWarning, match=r"left out columns: 'c1' \(constant: always 'l0'\)") as caught:
        data = coin([0.5, 0.5], [1.0, 0.0], [0.5, 0.5]).sample(100, random_state=1)
    assert caught[0].filename == __file__
    assert data.names == ("c0", "c2")
    assert data.dropped == (("c1", "constant: always 'l0'"),)


def test_many_levels() -> None:
    data = coin([1 / 400] * 400, [0.5, 0.5]).sample(20_000, random_state=1)
    assert data.codes[0].dtype == np.uint16
    assert len(data.levels[0]) == 400
    short = coin([1 / 300] * 300, [0.5, 0.5], [0.5, 0.5])
    with pytest.warns(DataWarning, match=r"left out columns: 'c0' \(230 levels, too many for 400 rows\)"):
        assert short.sample(400, random_state=1).names == ("c1", "c2")


def test_rounding_draws_nothing_impossible() -> None:
    ends = cumulative(np.array([[0.1] * 10 + [0.0], [0.0] * 10 + [1.0]]))
    assert ends.shape == (10, 2)
    assert ends[9, 0] == 1.0  # the sum of ten times 0.1 is less
    assert (ends[:, 1] == 0).all()


@pytest.mark.parametrize("n", [0, -1, 2.5, True, "10"])
def test_number_of_rows(n: object) -> None:
    with pytest.raises(DataError, match="n= takes a whole number of at least 1"):
        load("asia").sample(n)  # type: ignore[arg-type]


def test_a_sample_too_large_for_memory_is_refused_at_once() -> None:
    with pytest.raises(DataError, match="too large"):
        load("asia").sample(10**14)
