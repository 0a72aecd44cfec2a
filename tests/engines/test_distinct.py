"""Distinct rows of coded columns, held to numpy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elcs.data import Table
from elcs.data.columns import Discrete
from elcs.engines._kernels import distinct
from elcs.engines.collapsing import collapse


@settings(max_examples=100, deadline=None)
@given(
    widths=st.lists(st.sampled_from([1, 2, 3, 200, 256, 60_000, 3_000_000_000]), min_size=1, max_size=9),
    n_rows=st.integers(0, 300) | st.integers(2000, 4200),  # in blocks of 2,048
    n_different=st.integers(1, 40),
    seed=st.integers(0, 1 << 32),
)
def test_combinations_are_told_apart_and_weighed(widths: list[int], n_rows: int, n_different: int, seed: int) -> None:
    """Nine wide columns have more combinations than 64 bits can tell apart."""
    rng = np.random.default_rng(seed)
    drawn = rng.integers(n_different, size=n_rows)
    codes = [rng.integers(width, size=n_different)[drawn].astype(np.min_scalar_type(width - 1)) for width in widths]
    weights = rng.integers(0, 1 << 40, size=n_rows)
    rows, counts = distinct(codes, widths, weights)
    table = np.column_stack([column.astype(np.int64) for column in codes])
    expected, first = np.unique(table, axis=0, return_index=True)
    assert rows.tolist() == sorted(first.tolist())
    weighed = dict.fromkeys(map(tuple, expected.tolist()), 0)
    for row, weight in zip(table.tolist(), weights.tolist(), strict=True):
        weighed[tuple(row)] += weight
    assert dict(zip(map(tuple, table[rows].tolist()), counts.tolist(), strict=True)) == weighed


def test_many_combinations_are_told_apart() -> None:
    """Room for them is made many times."""
    rng = np.random.default_rng(0)
    codes = [rng.integers(0, 4, 200_000).astype(np.uint8) for _ in range(31)]
    weights = rng.integers(0, 9, 200_000)
    for n in (9, 31):
        rows, counts = distinct(codes[:n], [4] * n, weights)
        keys = sum(column.astype(np.int64) << (2 * i) for i, column in enumerate(codes[:n]))
        _, first, where = np.unique(keys, return_index=True, return_inverse=True)
        order = np.argsort(first)
        np.testing.assert_array_equal(rows, first[order])
        np.testing.assert_array_equal(counts, np.bincount(where, weights)[order].astype(np.int64))


def test_a_gap_is_a_level_of_its_own_when_rows_are_told_apart() -> None:
    """The code after the last level is there only if a value is missing somewhere."""
    codes = [np.array(column, dtype=np.uint8) for column in ([0, 2, 1, 2, 0], [1, 0, 0, 0, 1])]
    gaps = (True, False)
    columns = [Discrete(f"c{i}", "integer", c, (0, 1), False, gaps[i]) for i, c in enumerate(codes)]
    found = collapse(Table(tuple(columns), np.array([1, 2, 3, 4, 5])), [0, 1])
    assert [column.tolist() for column in found.codes] == [[0, 2, 1], [1, 0, 0]]
    assert found.weights is not None
    assert found.weights.tolist() == [6, 6, 3]


def test_what_does_not_fit_together_is_refused() -> None:
    codes, weights = np.zeros(3, dtype=np.uint8), np.ones(3, dtype=np.int64)
    with pytest.raises(ValueError, match="differ in length"):
        distinct([codes[:2]], [2], weights)
    with pytest.raises(ValueError, match="one width"):
        distinct([codes], [2, 2], weights)
    with pytest.raises(ValueError, match="at least one code"):
        distinct([codes], [0], weights)
    with pytest.raises(ValueError, match="1, 2 or 4 bytes"):
        distinct([codes.astype(np.int64)], [2], weights)
