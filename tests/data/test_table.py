"""From any table to a `Dataset`: options, refusals and what the result promises."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elcs import G2
from elcs.data import Dataset, prepare
from elcs.errors import DataError, DataWarning

TABLE: dict[str, list[Any]] = {
    "Größe": [10, 9, 2, 10],
    "ok": [True, False, True, False],
    "name": ["b", "a", "b", "c"],
    "half": [0.5, 1.5, 0.25, 8.0],
}


def same(one: Dataset, other: Dataset) -> bool:
    return (
        (one.names, one.levels, one.kinds) == (other.names, other.levels, other.kinds)
        and all(map(np.array_equal, one.codes, other.codes))
        and all(a.dtype == b.dtype for a, b in zip(one.codes, other.codes, strict=True))
    )


def test_same_table_in_any_container_is_the_same_dataset(tmp_path: Path) -> None:
    frame = pd.DataFrame(TABLE)
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_csv(tmp_path / "t.tsv.gz", index=False, sep="\t")
    frame.to_parquet(tmp_path / "t.parquet")
    expected = Dataset.from_any(TABLE, bins=2)
    assert expected.kinds == ("integer", "boolean", "text", "binned")
    tables: list[Any] = [
        tmp_path / "t.csv",
        str(tmp_path / "t.tsv.gz"),
        tmp_path / "t.parquet",
        frame,
        pl.DataFrame(TABLE),
        pa.table(TABLE),
        {name: np.array(column) for name, column in TABLE.items()},
        {name: pd.Series(column) for name, column in TABLE.items()},
    ]
    for table in tables:
        assert same(Dataset.from_any(table, bins=2), expected)
    array = frame.to_numpy()
    assert same(Dataset.from_any(array, bins=2, names=list(TABLE)), expected)


def test_what_a_dataset_promises() -> None:
    data = Dataset.from_any(np.array([[1, 5], [2, 5], [2, 6]]))
    assert data.names == ("V0", "V1")
    assert (data.n_rows, data.total, data.weights, data.dropped) == (3, 3, None, ())
    for codes in data.codes:
        assert codes.flags.c_contiguous
        assert not codes.flags.writeable
    with pytest.raises(AttributeError):
        data.names = ()
    assert data.index("V1") == 1
    with pytest.raises(DataError, match="no column 'v1'; did you mean"):
        data.index("v1")
    assert same(pickle.loads(pickle.dumps(data)), data)
    assert repr(data) == "Table(3 rows, 2 columns)"


def test_the_callers_arrays_stay_as_they_are() -> None:
    column = np.array([0, 1, 0, 1], dtype=np.uint8)
    weights = np.array([1, 1, 2, 1])
    Dataset.from_any({"x": column, "y": column}, weights=weights)
    assert column.flags.writeable
    assert weights.flags.writeable


def test_a_dataset_is_returned_as_it_is() -> None:
    with pytest.warns(DataWarning):
        data = Dataset.from_any({"x": [0, 1], "y": [0, 1], "c": [7, 7]})
    assert Dataset.from_any(data, target="x") is data
    with pytest.raises(DataError, match="bins= cannot be applied to a table that is already encoded"):
        Dataset.from_any(data, bins=2)
    with pytest.raises(DataError, match="no column 'z'"):
        Dataset.from_any(data, target="z")
    with pytest.raises(DataError, match="target 'c' is constant: always 7"):
        Dataset.from_any(data, target="c")


def test_describe_is_a_readable_table() -> None:
    table = {
        "x": [1, 2, 3, 4, 5],
        "long name": ["a", "b", "a", "a", "a"],
        "c": [0] * 5,
        "n": [1, 1, 1, 1, 16],
    }
    with pytest.warns(DataWarning):
        data = Dataset.from_any(table, weights="n")
    assert data.describe().splitlines() == [
        "20 observations of 2 columns",
        "column     kind     levels  first levels",
        "x          integer       -  1 to 5",
        "long name  text          2  a 95%, b 5%",
        "left out: c (constant: always 0)",
    ]
    assert repr(data) == "Table(5 rows that count 20, 2 columns)"


def test_describe_shortens_long_labels() -> None:
    data = Dataset.from_any({"x": ["a" * 5000, "b"], "y": [0, 1]})
    assert f"text          2  {'a' * 21}... 50%, b 50%" in data.describe()


# Weights


@given(st.lists(st.tuples(st.integers(0, 3), st.booleans(), st.integers(0, 4)), min_size=1))
def test_weights_count_as_repeated_rows(rows: list[tuple[int, bool, int]]) -> None:
    rows += [(0, True, 1), (1, False, 1)]
    x, y, counts = map(list, zip(*rows, strict=True))
    weighted = Dataset.from_any({"x": x, "y": y, "n": counts}, weights="n")
    repeated = Dataset.from_any({"x": np.repeat(x, counts), "y": np.repeat(y, counts)})
    assert weighted.names == ("x", "y")
    assert weighted.levels == repeated.levels
    assert weighted.weights is not None
    assert weighted.weights.min() > 0
    assert weighted.total == repeated.total == sum(counts)
    for few, many in zip(weighted.codes, repeated.codes, strict=True):
        assert np.array_equal(np.repeat(few, weighted.weights), many)
    as_array = Dataset.from_any({"x": x, "y": y}, weights=np.array(counts, dtype=float))
    assert same(as_array, weighted)


@pytest.mark.parametrize(
    ("weights", "fault"),
    [
        ([1, 2], "2 values for 4 rows"),
        ([1, -1, 1, 1], "negative values, such as -1"),
        ([0.5, 1, 1, 1], "fractions, such as 0.5"),
        ([None, 1, 1, 1], "missing values"),
        (np.array([np.nan, 1, 1, 1]), "missing values"),
        ([0, 0, 0, 0], "leaves no rows"),
        (["a", "b", "c", "d"], "values of kind 'text'"),
        ([2**62] * 4, "too large to add up"),
    ],
)
def test_bad_weights(weights: Any, fault: str) -> None:
    with pytest.raises(DataError, match=f"weights= has .*{fault}.*how often each row occurs: 0, 1, 2"):
        Dataset.from_any({"x": [0, 1, 0, 1], "y": [0, 1, 1, 1]}, weights=weights)


@pytest.mark.parametrize("weights", [3, b"ab", np.ones((2, 2)), 1.5])
def test_weights_that_are_no_column(weights: Any) -> None:
    with pytest.raises(DataError, match="weights= takes the name of a column, or a number for each row"):
        Dataset.from_any({"x": [0, 1], "y": [0, 1]}, weights=weights)


def test_unknown_weights_column() -> None:
    with pytest.raises(DataError, match="no column 'cuont'; did you mean 'count'"):
        Dataset.from_any({"x": [0, 1], "y": [0, 1], "count": [1, 2]}, weights="cuont")


# Bins


def test_bins_hold_as_many_rows_each() -> None:
    values = np.random.default_rng(0).normal(size=1000)
    data = Dataset.from_any({"x": values, "y": np.arange(1000) % 2}, bins=4)
    assert np.bincount(data.codes[0]).tolist() == [250] * 4
    assert data.kinds == ("binned", "integer")
    starts = [values[data.codes[0] == code].min() for code in range(4)]
    assert [str(label)[0] + str(label)[-1] for label in data.levels[0]] == ["[)", "[)", "[)", "[]"]
    assert [float(str(label)[1:].split(",")[0]) for label in data.levels[0]] == pytest.approx(starts, rel=1e-3)


def test_bins_by_column_take_integers_too() -> None:
    data = Dataset.from_any({"x": range(8), "y": [0.5, 1.5] * 4}, bins={"x": 4, "y": 2})
    assert data.levels == (("[0, 2)", "[2, 4)", "[4, 6)", "[6, 7]"), ("[0.5, 1.5)", "[1.5, 1.5]"))
    left = Dataset.from_any({"x": range(8), "y": [0.5, 1.5] * 4}, bins={"x": 4})
    assert left.kinds == ("binned", "number")
    with pytest.raises(DataError, match="'y' holds fractional"):
        G2(left)


def test_bins_for_one_column_and_for_all_others() -> None:
    table = {"age": range(0, 100, 2), "pay": [i + 0.5 for i in range(50)], "y": [0, 1] * 25}
    data = Dataset.from_any(table, bins={"*": 2, "age": 5})
    assert [len(levels) for levels in data.levels] == [5, 2, 2]
    assert data.kinds == ("binned", "binned", "integer")


@given(
    values=st.lists(st.floats(-100, 100).map(lambda v: round(v, 1) + 0.05), min_size=4, max_size=60, unique=True),
    counts=st.lists(st.integers(1, 5), min_size=60, max_size=60),
)
def test_weighted_bins_are_bins_of_repeated_rows(values: list[float], counts: list[int]) -> None:
    counts = counts[: len(values)]
    side = [i % 2 for i in range(len(values))]
    weighted = Dataset.from_any({"x": values, "y": side}, weights=counts, bins=3)
    repeated = Dataset.from_any({"x": np.repeat(values, counts), "y": np.repeat(side, counts)}, bins=3)
    assert weighted.levels[0] == repeated.levels[0]
    assert np.array_equal(np.repeat(weighted.codes[0], counts), repeated.codes[0])


@pytest.mark.parametrize(
    ("values", "n_bins", "counts"),
    [
        ([0.0] * 75 + [0.5, 1.0, 1.5, 2.0, 2.5] * 5, 4, [75, 25]),
        ([0.0] * 95 + [0.5, 1.0, 1.5, 2.0, 2.5], 4, [95, 5]),
        ([0.5, 1.0, 1.5, 2.0, 2.5] + [3.0] * 95, 4, [5, 95]),
        ([0.5] * 99 + [1.5], 2, [99, 1]),
        ([0.5] * 20 + [1.0] * 60 + [1.5] * 20, 4, [20, 60, 20]),
        ([0.5] * 20 + [1.0] * 60 + [1.5] * 20, 2, [20, 80]),
    ],
)
def test_tied_values_stay_in_one_bin(values: list[float], n_bins: int, counts: list[int]) -> None:
    data = Dataset.from_any({"x": values, "y": [0, 1] * 50}, bins=n_bins)
    assert np.bincount(data.codes[0]).tolist() == counts
    assert len(data.levels[0]) == len(counts)


def test_edges_that_nearly_agree_are_told_apart() -> None:
    data = Dataset.from_any({"x": [1.0000001, 1.0000002, 1.0000003, 1.0000004], "y": [0, 1] * 2}, bins=2)
    assert data.levels[0] == ("[1.0000001, 1.0000003)", "[1.0000003, 1.0000004]")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bins": 1}, "at least 2, not 1"),
        ({"bins": 2.5}, r"whole numbers of at least 2, not 2\.5"),
        ({"bins": True}, "not True"),
        ({"bins": {"x": "4"}}, "not '4'"),
        ({"bins": {"z": 4}}, "no column 'z'"),
        ({"bins": {"y": 4}}, "'y' does not hold numbers.*take it out of bins="),
        ({"bins": {"x": 4}, "kinds": {"x": "text"}}, "both name column 'x'"),
    ],
)
def test_bad_bins(options: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        Dataset.from_any({"x": [1, 2, 3], "y": ["a", "b", "a"]}, **options)


# Missing values

HOLES: list[Any] = [
    {"x": [1, 2, None, 2], "y": ["a", None, None, "b"], "z": [0, 1, 0, 1]},
    pd.DataFrame({"x": [1, 2, np.nan, 2], "y": ["a", None, None, "b"], "z": [0, 1, 0, 1]}),
    pd.DataFrame(
        {
            "x": pd.array([1, 2, None, 2], dtype="Int64"),
            "y": pd.Series(["a", np.nan, None, "b"], dtype=object),
            "z": [0, 1, 0, 1],
        }
    ),
    pd.DataFrame({"x": [1, 2, pd.NA, 2], "y": pd.Categorical(["a", None, None, "b"]), "z": [0, 1, 0, 1]}),
    pl.DataFrame({"x": [1, 2, None, 2], "y": ["a", None, None, "b"], "z": [0, 1, 0, 1]}),
    pl.DataFrame({"x": [1, 2, float("nan"), 2], "y": ["a", None, None, "b"], "z": [0, 1, 0, 1]}, strict=False),
    pa.table({"x": [1, 2, None, 2], "y": ["a", None, None, "b"], "z": [0, 1, 0, 1]}),
    {"x": np.ma.masked_equal([1, 2, 9, 2], 9), "y": ["a", None, float("nan"), "b"], "z": [0, 1, 0, 1]},
]


@pytest.mark.parametrize("table", HOLES, ids=range(len(HOLES)))
def test_missing_values(table: Any) -> None:
    message = r"'x' \(1, first in row 2, .*'y' \(2, first in row 1, .*missing='drop'.*missing='level'"
    with pytest.raises(DataError, match=message):
        Dataset.from_any(table, missing="error")
    kept = Dataset.from_any(table)
    assert kept.levels == ((1, 2), ("a", "b"), (0, 1))
    assert [codes.tolist() for codes in kept.codes] == [[0, 1, 2, 1], [0, 2, 2, 1], [0, 1, 0, 1]]
    assert kept.incomplete == ("x", "y")
    assert kept.columns[1].missing.tolist() == [False, True, True, False]
    dropped = Dataset.from_any(table, missing="drop")
    assert [codes.tolist() for codes in dropped.codes] == [[0, 1]] * 3
    assert dropped.levels == ((1, 2), ("a", "b"), (0, 1))
    level = Dataset.from_any(table, missing="level")
    assert level.levels == ((1, 2, "(missing)"), ("a", "b", "(missing)"), (0, 1))
    assert [codes.tolist() for codes in level.codes] == [[0, 1, 2, 1], [0, 2, 2, 1], [0, 1, 0, 1]]


def test_missing_values_of_binned_and_boolean_columns() -> None:
    table = {"x": [0.5, None, 1.5, 2.5, 3.5], "y": [True, False, None, True, True]}
    for container in (dict, pl.DataFrame, pa.table, pd.DataFrame):
        data = Dataset.from_any(container(table), bins=2, missing="level")
        assert data.levels == (("[0.5, 2.5)", "[2.5, 3.5]", "(missing)"), (False, True, "(missing)"))
        assert data.codes[0].tolist() == [0, 2, 0, 1, 1]


def test_missing_values_in_rows_that_do_not_count() -> None:
    data = Dataset.from_any({"x": [1, None, 2], "y": [0, 1, 1], "n": [1, 0, 1]}, weights="n")
    assert data.levels == ((1, 2), (0, 1))


@pytest.mark.parametrize("column", [[None] * 4, np.full(4, np.nan), pl.Series([None] * 4), pa.nulls(4)])
def test_columns_without_a_value(column: Any) -> None:
    table = {"x": column, "y": [0, 1, 0, 1], "z": [0, 1, 1, 1]}
    for missing in ("error", "drop"):
        with pytest.raises(DataError, match="no row has a value in column 'x'; leave it out"):
            Dataset.from_any(table, missing=missing)
    with pytest.warns(DataWarning, match=r"'x' \(no values\)"):
        assert Dataset.from_any(table).names == ("y", "z")
    with pytest.warns(DataWarning, match=r"'x' \(constant: always '\(missing\)'\)"):
        assert Dataset.from_any(table, missing="level").names == ("y", "z")


def test_dropping_leaves_no_rows() -> None:
    with pytest.raises(DataError, match="leaves no rows: .*'x', 'y'"):
        Dataset.from_any({"x": [1, None], "y": [None, 1], "z": [0, 1]}, missing="drop")


def test_unknown_way_with_missing_values() -> None:
    with pytest.raises(DataError, match="'testwise', 'drop', 'level' or 'error', not 'impute'"):
        Dataset.from_any({"x": [0, 1], "y": [0, 1]}, missing="impute")


# Columns that are kept, left out or refused


def test_columns_and_drop() -> None:
    table = {"a": [0, 1], "b": [0, 1], "c": [0, 1], "d": [[0], [1]]}
    assert Dataset.from_any(table, columns=["c", "a"]).names == ("a", "c")
    assert Dataset.from_any(table, drop=["d", "a"]).names == ("b", "c")
    assert Dataset.from_any(table, columns=["a", "b", "c"], drop=["a"]).names == ("b", "c")
    with pytest.raises(DataError, match="no column 'bb'; did you mean 'b'"):
        Dataset.from_any(table, columns=["a", "bb"])
    with pytest.raises(DataError, match="no column 'bb'; did you mean 'b'"):
        Dataset.from_any(table, drop=["bb"])
    with pytest.raises(DataError, match=r"drop=\['a'\]"):
        Dataset.from_any(table, drop="a")


def test_constant_columns_are_left_out_with_one_warning() -> None:
    table = {"a": [0, 1], "b": ["x", "x"], "c": [1, 0], "d": [3, 3]}
    with pytest.warns(DataWarning, match=r"'b' \(constant: always 'x'\), 'd' \(constant: always 3\)") as warned:
        data = Dataset.from_any(table, target="a")
    assert len(warned) == 1
    assert warned[0].filename == __file__
    assert data.names == ("a", "c")
    assert data.dropped == (("b", "constant: always 'x'"), ("d", "constant: always 3"))


def test_constant_fractions_need_no_bins() -> None:
    with pytest.warns(DataWarning, match=r"'c' \(constant: always 0\.5\)"):
        Dataset.from_any({"a": [0, 1], "b": [1, 0], "c": [0.5, 0.5]})
    data = Dataset.from_any({"a": [0, 1], "c": [0.5, None]}, bins=2, missing="level")
    assert data.levels[1] == ("[0.5, 0.5]", "(missing)")
    assert data.kinds[1] == "binned"


def test_the_target_must_be_there_and_vary() -> None:
    table = {"alpha": [0, 1], "beta": [1, 1], "gamma": [0, 1]}
    with pytest.raises(DataError, match="no column 'alhpa'; did you mean 'alpha'"):
        Dataset.from_any(table, target="alhpa")
    with pytest.raises(DataError, match="target 'beta' is constant: always 1"):
        Dataset.from_any(table, target="beta")
    with pytest.raises(DataError, match="target 'alpha' is not among the variables: drop=, columns= or weights="):
        Dataset.from_any(table, target="alpha", drop=["alpha"])


def test_fewer_than_two_columns() -> None:
    with pytest.raises(DataError, match="at least two columns are needed; the table has 1: 'x'"):
        Dataset.from_any({"x": [0, 1]})
    with pytest.raises(DataError, match="at least two columns are needed; the table has 1: 'x'"):
        Dataset.from_any({"x": [0, 1], "n": [1, 1]}, weights="n")
    with pytest.raises(DataError, match="two columns that vary are needed; the table has 1; left out: 'y' .constant"):
        Dataset.from_any({"x": [0, 1], "y": [1, 1]})


def test_identifiers_and_crowded_text_are_left_out_with_a_warning() -> None:
    few = {
        "id": range(100),
        "key": [f"k{i}" for i in range(100)],
        "word": [f"w{i % 60}" for i in range(100)],
        "day": list(range(20)) * 5,
        "y": [0, 1] * 50,
    }
    with pytest.warns(DataWarning, match="'id' .*'key' .*'word'") as warned:
        table = Dataset.from_any(few)
    assert len(warned) == 1
    assert table.names == ("day", "y")
    assert dict(table.dropped) == {
        "id": "an identifier: it numbers the rows",
        "key": "an identifier: all values differ",
        "word": "60 levels, too many for 100 rows",
    }
    assert "left out: key (an identifier: all values differ)" in table.describe()
    for target in ("id", "key"):
        with pytest.raises(DataError, match=f"target '{target}' is an identifier"):
            Dataset.from_any(few, target=target)
    weighted = Dataset.from_any({"x": [f"k{i}" for i in range(21)], "y": [0, 1, 0] * 7}, weights=[10] * 21)
    assert weighted.names == ("x", "y")  # ten rows each


NUMBERS = np.random.default_rng(3).permutation(90)[:40]


@pytest.mark.parametrize(
    ("name", "values", "why"),
    [
        ("staff", NUMBERS, "it numbers the rows"),  # with gaps, in any order
        ("seen", np.cumsum(NUMBERS * 100 + 1), "it rises from row to row"),
        ("memberID", NUMBERS * 1000, "all values differ"),
        ("case number", NUMBERS * 1000, "all values differ"),
        ("paid", NUMBERS * 1000, ""),
        ("code", NUMBERS * 1000, ""),
        ("id", np.repeat(NUMBERS[:20], 2), ""),
    ],
)
def test_identifiers_among_whole_numbers(name: str, values: Any, why: str) -> None:
    table = {name: values, "a": [0, 1] * 20, "b": [0, 0, 1, 1] * 10}
    if not why:
        assert Dataset.from_any(table).names == (name, "a", "b")
        return
    with pytest.warns(DataWarning, match=rf"left out columns: '{name}' \(an identifier: {why}\)"):
        assert Dataset.from_any(table).names == ("a", "b")
    for options in ({"kinds": {name: "number"}}, {"bins": {name: 3}}, {"weights": [2] * 40}):
        assert Dataset.from_any(table, **options).names == (name, "a", "b")
    with pytest.raises(DataError, match=rf"target '{name}' is an identifier.*kinds=\{{'{name}': 'number'\}}"):
        Dataset.from_any(table, target=name)
    with pytest.warns(DataWarning, match="an identifier"):
        assert Dataset.from_any(table, bins=4).names == ("a", "b")
    fewer = {key: list(column)[:19] for key, column in table.items()}
    assert Dataset.from_any(fewer).names == (name, "a", "b")


def test_identifiers_are_judged_before_rows_are_left_out() -> None:
    gaps = [None if i % 4 else i % 3 for i in range(100)]
    key, a = np.random.default_rng(0).permutation(100), [0, 1, 1, 0, 1] * 20
    table = {"key": key, "a": a, "b": gaps, "n": [1, 1, 1, 1, 0, 1, 1] * 14 + [1, 1]}
    for options in ({"missing": "drop"}, {"weights": "n"}):
        with pytest.warns(DataWarning, match="'key' .an identifier: it numbers the rows"):
            assert "key" not in Dataset.from_any(table, **options).names  # type: ignore[arg-type]


def test_many_different_whole_numbers_are_a_quantity() -> None:
    few, many = [i % 10 for i in range(200)], [i % 11 for i in range(200)]
    scarce, always = [i % 5 for i in range(40)], [i % 4 for i in range(40)]
    table = Dataset.from_any({"few": few, "many": many})
    assert [column.kind for column in table.columns] == ["discrete", "numeric"]
    assert [column.kind for column in Dataset.from_any({"s": scarce, "a": always}).columns] == ["numeric", "discrete"]
    assert table.kinds == ("integer", "integer")
    assert "many    integer       -  0 to 10" in table.describe()
    assert [c.kind for c in Dataset.from_any({"f": few, "m": many}, kinds={"f": "number"}).columns] == ["numeric"] * 2
    for kind in ("integer", "category", "text"):
        assert Dataset.from_any({"f": few, "m": many}, kinds={"m": kind}).columns[1].kind == "discrete"
    assert Dataset.from_any({"f": few, "m": many}, bins=4).kinds == ("integer", "binned")
    assert G2(table).test("few", "many").dof == 90  # as levels, where the test only knows levels
    with pytest.raises(DataError, match=r"too many levels for 209 rows: 'x' \(21 levels\)"):
        G2({"x": (list(range(21)) * 10)[1:], "y": ([0, 1] * 105)[1:]})


def test_more_levels_than_codes() -> None:
    with pytest.raises(DataError, match=r"'x' \(65,537 levels\)"):
        G2({"x": np.arange(655_370) % 65_537, "y": np.arange(655_370) % 2})


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame([[0, 1, 2]] * 2, columns=["a", "b", "a"]),
        pd.DataFrame([[0, 1, 2]] * 2, columns=["a", 1, "1"]).rename(columns={"1": "a"}),
        pa.table([pa.array([0]), pa.array([1]), pa.array([1])], names=["a", "b", "a"]),
    ],
)
def test_duplicate_names(table: Any) -> None:
    with pytest.raises(DataError, match="more than one column named 'a'; names must differ"):
        Dataset.from_any(table)


def test_names_that_agree_once_they_are_text() -> None:
    with pytest.raises(DataError, match="more than one column named '1'"):
        Dataset.from_any(pd.DataFrame({1: [0, 1], "1": [0, 1]}))


def test_empty_names() -> None:
    with pytest.raises(DataError, match="without a name, at position 2, 4"):
        Dataset.from_any(np.zeros((2, 4)), names=["a", "", "c", " "])


def test_names_that_are_numbers_become_text() -> None:
    assert Dataset.from_any(pd.DataFrame([[0, 1], [1, 0]])).names == ("0", "1")
    assert Dataset.from_any({0: [0, 1], 1: [0, 1]}).names == ("0", "1")


@pytest.mark.parametrize("name", ["*", "^k$", "^.*$", "^(k|y)$", "^nothing$"])
def test_names_that_are_patterns_to_polars(name: str) -> None:
    columns = {"k": [1, 2, 3], name: ["a", None, "b"], "x": [0.0, 1.0, None], "y": [True, False, None]}
    for names in (list(columns), list(columns)[::-1]):
        plain = dict(zip(names, columns.values(), strict=True))
        mine, other = (Dataset.from_any(x, missing="level") for x in (pl.DataFrame(plain), plain))
        assert (mine.names, mine.levels) == (other.names, other.levels)
        assert all(map(np.array_equal, mine.codes, other.codes))
    assert Dataset.from_any({"one": pl.Series(name, [1, 2]), "two": [1, 2]}).levels == ((1, 2), (1, 2))


def test_wrong_names() -> None:
    with pytest.raises(DataError, match="3 names for 2 columns"):
        Dataset.from_any(np.eye(2), names=["a", "b", "c"])
    with pytest.raises(DataError, match="names= goes with a numpy array"):
        Dataset.from_any({"a": [0, 1], "b": [0, 1]}, names=["x", "y"])


@pytest.mark.parametrize("shape", [(4,), (2, 2, 2)])
def test_arrays_of_other_dimensions(shape: tuple[int, ...]) -> None:
    with pytest.raises(DataError, match=rf"has {len(shape)} dimension\(s\); it must have two, rows and columns"):
        Dataset.from_any(np.zeros(shape))


@pytest.mark.parametrize("empty", [{"a": [], "b": []}, pl.DataFrame({"a": [], "b": []}), np.empty((0, 2))])
def test_no_rows(empty: Any) -> None:
    with pytest.raises(DataError, match="has no rows"):
        Dataset.from_any(empty)


def test_unequal_lengths() -> None:
    with pytest.raises(DataError, match="different numbers of rows: 'a' 2, 'b' 3"):
        Dataset.from_any({"a": [0, 1], "b": [0, 1, 2]})


@pytest.mark.parametrize("column", ["text", 3, None, np.eye(2)])
def test_dict_values_that_are_no_columns(column: Any) -> None:
    with pytest.raises(DataError, match="'a' of the dict is not one-dimensional; give a list or an array"):
        Dataset.from_any({"a": column, "b": [0, 1]})


@pytest.mark.parametrize("table", [3, None, [1, 2], pd.Series([1, 2])])
def test_things_that_are_no_table(table: Any) -> None:
    with pytest.raises(DataError, match=f"from {type(table).__name__}; pass a path, a pandas"):
        Dataset.from_any(table)


# Memory and time to import


def test_a_table_too_large_is_refused_before_it_is_touched() -> None:
    with pytest.raises(DataError, match="1,000,000,000,000 cells need about .* GiB"):
        Dataset.from_any(np.broadcast_to(np.int8(0), (10**9, 1000)))


@pytest.mark.parametrize(("available", "fits"), [(24.9, False), (25, True), (None, True)])
def test_memory_is_a_byte_a_cell_and_a_bit_a_level(
    monkeypatch: pytest.MonkeyPatch, available: int | None, fits: bool
) -> None:
    memory: Callable[[], int | None] = lambda: available  # noqa: E731
    monkeypatch.setattr(prepare, "available_memory", memory)
    column = [0, 1] * 5
    if fits:
        Dataset.from_any({"a": column, "b": column})
    else:
        with pytest.raises(DataError, match="10 rows x 2 columns = 20 cells.*columns=, drop="):
            Dataset.from_any({"a": column, "b": column})


def test_importing_and_encoding_arrays_needs_no_data_frame_library() -> None:
    program = (
        "import sys, numpy as np; from elcs.data import Dataset; Dataset.from_any(np.eye(3)); "
        "Dataset.from_any({'a': [0, 1], 'b': ['x', 'y']}); "
        "print([m for m in ('narwhals', 'pandas', 'polars', 'pyarrow') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
