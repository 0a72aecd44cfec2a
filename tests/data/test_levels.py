"""What counts as a level, in which order, and which columns have none."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elcs import G2
from elcs.data import Dataset
from elcs.errors import DataError

OTHER = ["no", "yes", "no", "yes"]


def encode(column: Any, **options: Any) -> Dataset:
    """Encode a column of four values beside one that needs no attention."""
    return Dataset.from_any({"x": column, "other": OTHER}, **options)


def decode(data: Dataset, name: str) -> list[object]:
    position = data.index(name)
    return [data.levels[position][code] for code in data.codes[position]]


def varied(values: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    """Draw columns of few distinct values, at least two of which occur."""
    pools = st.lists(values, min_size=2, max_size=20, unique=True)
    return pools.flatmap(lambda pool: st.lists(st.sampled_from(pool)).map(lambda column: [*pool, *column]))


text = st.text(max_size=5).filter(str.strip)  # blanks are missing
any_column = st.one_of(varied(st.integers(-(2**63), 2**63 - 1)), varied(text), varied(st.booleans()))
containers: list[Callable[[dict[str, Any]], Any]] = [
    dict,
    pd.DataFrame,
    lambda columns: pd.DataFrame(columns).astype("object"),
    lambda columns: pl.DataFrame(columns, strict=False),
    pa.table,
    lambda columns: np.array(list(columns.values()), dtype=object).T,
]


@pytest.mark.parametrize("container", containers)
@given(column=any_column)
def test_levels_of_codes_give_back_the_column(container: Callable[[dict[str, Any]], Any], column: list[Any]) -> None:
    data = Dataset.from_any(container({"V0": column, "V1": column}))
    assert decode(data, "V1") == column
    assert list(data.levels[0]) == sorted(set(column))
    assert {type(level) for level in data.levels[0]} == {type(column[0])}


@given(column=any_column, seed=st.randoms(use_true_random=False))
def test_order_of_rows_does_not_change_levels(column: list[Any], seed: Any) -> None:
    shuffled = column.copy()
    seed.shuffle(shuffled)
    given_order = Dataset.from_any({"x": column, "y": column})
    assert Dataset.from_any({"x": shuffled, "y": shuffled}).levels == given_order.levels


@pytest.mark.parametrize("container", [*containers, lambda columns: pl.DataFrame(columns).cast(pl.Categorical)])
def test_blanks_are_missing(container: Callable[[dict[str, Any]], Any]) -> None:
    data = Dataset.from_any(container({"V0": ["a", " ", "b", ""], "V1": ["\t", "x", "y", "x"]}))
    assert data.levels == (("a", "b"), ("x", "y"))
    assert [column.missing.tolist() for column in data.columns] == [[False, True, False, True], [True] + [False] * 3]


def test_blanks_among_numbers_are_no_second_type() -> None:
    assert encode([1, " ", 2, 1]).kinds[0] == "integer"


def test_numbers_are_ordered_by_value_and_text_by_letter() -> None:
    assert encode([10, 9, 2, 10]).levels[0] == (2, 9, 10)
    assert encode(["10", "9", "2", "10"]).levels[0] == ("10", "2", "9")
    assert encode([True, False, True, True]).levels[0] == (False, True)


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", ">i4"])
def test_every_numpy_number_holding_whole_values(dtype: str) -> None:
    data = encode(np.array([3, 100, 3, 7], dtype=dtype))
    assert data.levels[0] == (3, 7, 100)
    assert data.codes[0].tolist() == [0, 2, 0, 1]
    assert data.kinds[0] == "integer"


@pytest.mark.parametrize(
    "column",
    [
        np.array([-128, 127, 0, 127], dtype=np.int8),
        np.array([-(2**63), 2**63 - 1, 0, 0]),
        np.array([2**64 - 1, 2**64 - 2, 0, 0], dtype=np.uint64),
        np.array([2**64 - 1, 2**64 - 2, 2**64 - 1, 2**64 - 1], dtype=np.uint64),
        [2**80, -(2**80), 2**80 + 1, 0],
        pl.Series([2**80, 1, 2, 1], dtype=pl.Int128),
    ],
)
def test_extreme_integers(column: Any) -> None:
    assert decode(encode(column), "x") == list(column)


@pytest.mark.parametrize(
    ("column", "levels", "kind"),
    [
        (np.array([True, False, True, True]), (False, True), "boolean"),
        (np.array(["b", "a", "b", "b"]), ("a", "b"), "text"),
        (np.array(["b", "a", "b", "b"], dtype=object), ("a", "b"), "text"),
        (np.array([1, 2, 2, 2], dtype=object), (1, 2), "integer"),
        ([1.0, 2.0, 2.0, 1], (1, 2), "integer"),
        ([1e300, 0.0, 1e300, 0.0], (0, int(1e300)), "integer"),
        (np.array([1e300, 0.0, 1e300, 0.0]), (0, int(1e300)), "integer"),
        ([Decimal(1), Decimal("2.0"), 1, 2], (1, 2), "integer"),
        ([np.int8(1), np.int64(2), 1, 2], (1, 2), "integer"),
        ((np.True_, False, True, np.False_), (False, True), "boolean"),
        ([np.str_("a"), "b", "a", "b"], ("a", "b"), "text"),
        (range(4), (0, 1, 2, 3), "integer"),
        (pa.array(["b", "a", "b", "b"]), ("a", "b"), "text"),
        (pl.Series(["1.0", "2", "1", "1"], dtype=pl.Decimal(5, 1)), (1, 2), "integer"),
        (pd.Series([1, 2, 1, 1], dtype="Int64"), (1, 2), "integer"),
        (pd.Series([True, False, True, True], dtype="boolean"), (False, True), "boolean"),
        (pd.Series(["b", "a", "b", "b"], dtype="string"), ("a", "b"), "text"),
    ],
)
def test_sorts_of_columns(column: Any, levels: tuple[object, ...], kind: str) -> None:
    data = encode(column)
    assert data.levels[0] == levels
    assert data.kinds[0] == kind
    assert [type(level) for level in data.levels[0]] == [type(level) for level in levels]


CATEGORIES = ["z", "b", "a"]


@pytest.mark.parametrize(
    ("column", "levels"),
    [
        (pd.Categorical(["a", "b", "a", "b"], categories=CATEGORIES), ("b", "a")),
        (pd.Categorical(["a", "b", "a", "b"], categories=CATEGORIES, ordered=True), ("b", "a")),
        (pd.Categorical([1, 3, 1, 3], categories=[3, 2, 1]), (3, 1)),
        (pd.cut([1, 2, 3, 4], [0, 2, 4]), ("(0, 2]", "(2, 4]")),
        (pl.Series(["a", "b", "a", "b"], dtype=pl.Enum(CATEGORIES)), ("b", "a")),
        (pl.Series(["a", "128", "a", "128"], dtype=pl.Enum(["a", "128"])), ("a", "128")),
        (pl.Series(["b", "a", "b", "a"], dtype=pl.Categorical), ("a", "b")),
        (pa.chunked_array([pa.array(["b", "a", "b", "a"]).dictionary_encode()]), ("a", "b")),
    ],
)
def test_categories_keep_a_declared_order_and_lose_unobserved_levels(column: Any, levels: tuple[object, ...]) -> None:
    data = encode(pd.Series(column) if isinstance(column, pd.Categorical) else column)
    assert data.levels[0] == levels
    assert data.kinds[0] == "category"


def test_more_than_256_levels_take_two_bytes() -> None:
    column = np.tile(np.arange(257), 20)
    data = Dataset.from_any({"x": column, "y": column % 256})
    assert [codes.dtype for codes in data.codes] == [np.uint16, np.uint8]
    assert np.array_equal(data.codes[0], column)


def test_sparse_integers_and_dense_ones_get_the_same_codes() -> None:
    column = np.array([5, 3, 5, 4] * 10)
    sparse = Dataset.from_any({"x": column * 10**12, "y": column})
    assert np.array_equal(sparse.codes[0], sparse.codes[1])
    assert sparse.levels[0] == (3 * 10**12, 4 * 10**12, 5 * 10**12)


@pytest.mark.parametrize(
    ("column", "mixture"),
    [
        ([1, "a", 2, 1], "integer and text"),
        ([True, 1, 0, 1], "boolean and integer"),
        ([True, 1.0, False, None], "boolean and number"),
        (np.array([1, "a", 2, 1], dtype=object), "integer and text"),
        (pd.Series([1, "a", 2, 1], dtype=object), "integer and text"),
    ],
)
def test_mixed_types_are_refused_unless_taken_as_text(column: Any, mixture: str) -> None:
    with pytest.raises(DataError, match=rf"'x' \({mixture}\).*kinds=\{{'x': 'text'\}}"):
        encode(column)
    assert encode(column, kinds={"x": "text"}, missing="level").levels[0][0] in ("1", "0", "1.0", "False")


@pytest.mark.parametrize(
    ("column", "found"),
    [
        ([[1], [2], [1], [2]], "list"),
        ([b"a", b"b", b"a", b"b"], "bytes"),
        ([{"a": 1}] * 4, "dict"),
        (np.array([b"a", b"b"] * 2), "S1"),
        (np.array([1j, 2, 3, 4]), "complex128"),
        (pl.Series([[1], [2], [1], [2]]), "List"),
        (pl.Series([{"a": 1}] * 4), "Struct"),
        (pa.chunked_array([pa.array([b"a", b"b"] * 2)]), "(Binary|Unknown)"),
    ],
)
def test_unsupported_types_are_refused(column: Any, found: str) -> None:
    with pytest.raises(DataError, match=rf"'x' \(.*{found}.*'x2'.*leave them out with drop="):
        Dataset.from_any({"x": column, "x2": column, "other": OTHER})


def test_all_fractional_columns_are_named() -> None:
    with pytest.raises(DataError, match=r"columns 'x', 'z' hold fractional.*bins=4 \(--bins 4\)"):
        G2({"x": [0.5, 1, 2, 3], "y": OTHER, "z": np.array([1, 2, 2, 0.5])})


def test_kinds_override_what_was_found() -> None:
    assert encode([2.5, 0.5, 10, 2.5], kinds={"x": "category"}).levels[0] == (0.5, 2.5, 10.0)
    assert encode([2.5, 0.5, 10, 2.5], kinds={"x": "text"}).levels[0] == ("0.5", "10.0", "2.5")
    assert encode([2139.0, 501, 10, 501], kinds={"x": "text"}).levels[0] == ("10", "2139", "501")
    assert encode(["007", "7", "10", "7"], kinds={"x": "integer"}).levels[0] == (7, 10)
    assert encode([True, False] * 2, kinds={"x": "integer"}).levels[0] == (0, 1)
    data = encode([2139, None, 10, 501], kinds={"x": "text"}, missing="level")
    assert decode(data, "x") == ["2139", "(missing)", "10", "501"]
    assert data.kinds[0] == "text"


@pytest.mark.parametrize("column", [["a", "1", "2", "3"], [0.5, 1, 2, 3]])
def test_kinds_that_the_values_contradict(column: Any) -> None:
    with pytest.raises(DataError, match="'x' cannot be what kinds= says.*say 'text' or 'category'"):
        encode(column, kinds={"x": "integer"})


def test_unknown_kind() -> None:
    with pytest.raises(DataError, match="'float' for column 'x'; it takes 'text', 'integer', 'category' or 'number'"):
        encode(OTHER, kinds={"x": "float"})
    with pytest.raises(DataError, match="no column 'xx'"):
        encode(OTHER, kinds={"xx": "text"})
