"""The order of rows that were counted: it depends on what they hold alone."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from elcs.data.warehouse.order import add_codes, add_numbers, ordered_by, share


@given(st.lists(st.one_of(st.integers(0, 3), st.integers(0, (1 << 64) - 1), st.integers((1 << 64) - 3, (1 << 64) - 1))))
def test_keys_that_begin_alike_are_told_apart(keys: list[int]) -> None:
    """Keys of a few units differ in their last bits alone, which make room for the numbers of the rows."""
    found = ordered_by(np.array(keys, dtype=np.uint64))
    assert found.tolist() == sorted(range(len(keys)), key=lambda row: keys[row])


@given(st.lists(st.tuples(*[st.integers(0, 6)] * 10), min_size=1))
def test_parts_of_a_number_add_what_columns_do(rows: list[tuple[int, ...]]) -> None:
    columns = np.array(rows, dtype=np.uint8).T
    one_by_one, at_once = np.zeros((2, len(rows)), dtype=np.uint64)
    numbers, bits = np.zeros(len(rows), dtype=np.uint32), np.zeros(31, dtype=np.uint64)
    for i, codes in enumerate(columns):
        add_codes(one_by_one, codes, i)
        numbers |= codes.astype(np.uint32) << np.uint32(3 * i)
        bits[3 * i : 3 * i + 3] = share(i) << np.arange(3, dtype=np.uint64)
    add_numbers(at_once, numbers, bits)
    np.testing.assert_array_equal(one_by_one, at_once)
