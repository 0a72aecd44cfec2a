"""`describe` says what is read, what is left out and what is wrong, of every table that can be read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import elcs

N = 200
RNG = np.random.default_rng(0)
GOOD = {"pay": RNG.normal(30, 5, N).round(1) + 0.05, "side": list("ab") * (N // 2)}


def lines(table: Any, **options: Any) -> list[str]:
    return elcs.describe(table, **options).splitlines()


def starting(told: list[str], word: str) -> list[str]:
    return [line.removeprefix(word) for line in told if line.startswith(word)]


def test_all_problems_are_told_at_once() -> None:
    table = {
        **GOOD,
        "mixed": [1, "a"] * (N // 2),
        "list": [[1]] * N,
        "endless": np.where(np.arange(N) < 9, np.inf, 0.5),
        "word": ["x", "y"] * (N // 2),
        "count": [-1, 2] * (N // 2),
    }
    options: dict[str, Any] = {"kinds": {"word": "integer", "wrod": "text"}, "weights": "count", "bins": {"side": 3}}
    with pytest.raises(elcs.DataError) as refused:
        elcs.learn(table, "pay", **options)
    told = str(refused.value).split("\n- ")
    assert told[0] == "7 things are wrong:"
    for said in (
        "'list' (list)",
        "'mixed' (integer and text)",
        "'endless' holds infinite numbers",
        "'word' cannot be what kinds= says",
        "no column 'wrod'; did you mean 'word'",
        "weights= has negative values",
        "'side' does not hold numbers; take it out of bins=",
    ):
        assert sum(said in line for line in told) == 1
    shown = lines(table, **options)
    assert starting(shown, "problem: ") == told[1:]
    assert shown[0] == "200 observations of 6 columns"
    assert "mixed    mixed             -  integer and text" in shown
    assert "list     unsupported       -  list" in shown
    assert "endless  number            -  0.5 to inf" in shown


def test_one_problem_is_told_without_a_list() -> None:
    with pytest.raises(elcs.DataError, match=r"^types are mixed in 'm'"):
        elcs.Table.from_any({**GOOD, "m": [1, "a"] * (N // 2)})


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        ({"x": [0, 1] * 10}, "at least two columns are needed; the table has 1: 'x'"),
        (
            {"x": [0, 1] * 10, "y": [1] * 20},
            "at least two columns that vary are needed; the table has 1; left out: 'y'",
        ),
        ({"x": [[0]] * 9}, "cannot be levels: 'x' (list)"),
        ({"x": [0, 1], "y": [1, 10**400]}, ""),
        (
            {"x": [0, 1] * 10, "y": [10**400 + i for i in range(20)]},
            "'y' holds whole numbers too large to compute with",
        ),
        (pd.DataFrame([[0, 1], [1, 0]], columns=["a", "a"]), "more than one column named 'a'"),
        (pa.table([pa.array([0, 1]), pa.array([1, 0])], names=["a", "a"]), "more than one column named 'a'"),
        (pd.DataFrame([[0, 1], [1, 0]], columns=["a", ""]), "columns without a name, at position 2"),
    ],
)
def test_no_table_that_can_be_read_is_refused(table: Any, problem: str) -> None:
    told = lines(table)
    assert told[1].startswith("column ")
    if not problem:
        assert not starting(told, "problem: ")
        return
    assert any(problem in line for line in starting(told, "problem: "))
    with pytest.raises(elcs.DataError):
        elcs.Table.from_any(table)


def test_the_share_missing_is_shown_where_there_is_one() -> None:
    assert lines(GOOD)[1] == "column  kind    levels  first levels"
    gaps = {
        **GOOD,
        "old": [None, *(i % 30 for i in range(1, N))],
        "late": [None if i % 4 else 0.5 + i for i in range(N)],
    }
    told = lines(gaps)
    assert told[1] == "column  kind     levels  missing  first levels"
    assert [line.split()[3] for line in told[2:]] == ["-", "-", "<1%", "75%"]
    weighted = elcs.Table.from_any({"x": [0, 1, None], "y": [0, 1, 1]}, weights=[1, 1, 8]).describe()
    assert "x       integer       2      80%  0 10%, 1 10%" in weighted.splitlines()


def test_what_is_left_out_is_told_with_the_reason_and_without_a_warning() -> None:
    told = lines({**GOOD, "id": [f"k{i}" for i in range(N)], "same": [1] * N})
    assert starting(told, "left out: ") == ["id (an identifier: all values differ)", "same (constant: always 1)"]


def test_values_that_may_stand_for_missing_ones() -> None:
    ages = RNG.integers(18, 90, N)
    table = {
        **GOOD,
        "age": np.where(np.arange(N) < 3, -999, ages),
        "visits": np.where(np.arange(N) < 5, -1, RNG.integers(0, 20, N)),
        "grade": np.where(np.arange(N) == 5, 999, RNG.normal(50, 9, N)),
        "text": ["?" if i < 7 else str(i % 50) for i in range(N)],
        "degrees": RNG.integers(-20, 30, N),
        "up": RNG.integers(0, 999, N) + 1,
        "old": ages,
        "size": ["small" if i % 3 else str(1 + i % 8) for i in range(N)],
        "letters": list("abcd?") * (N // 5),
    }
    assert [line.split(", which")[0] for line in starting(lines(table), "look at: ")] == [
        "'age' has -999 in 3 rows",
        "'visits' has -1 in 5 rows",
        "'grade' has 999.0 in 1 row",
        "'text' has '?' in 7 rows where all others hold numbers",
    ]


def test_columns_that_hold_the_same_thing_are_told() -> None:
    (told,) = starting(lines({**GOOD, "twice": 2 * np.array(GOOD["pay"])}), "look at: ")
    assert "'pay' and 'twice'" in told


def test_files_and_tables(tmp_path: Path) -> None:
    pd.DataFrame(GOOD).to_csv(tmp_path / "t.csv", index=False)
    table = elcs.Table.from_any(tmp_path / "t.csv")
    assert elcs.describe(tmp_path / "t.csv") == elcs.describe(table) == table.describe()
    with pytest.raises(elcs.DataError, match="there is no file"):
        elcs.describe(tmp_path / "u.csv")
    (tmp_path / "twice.csv").write_text("a,b,a\n" + "1,2,3\n2,3,4\n" * 5)
    told = lines(tmp_path / "twice.csv")
    assert [line.split("  ")[0] for line in told[2:5]] == ["a", "b", "a (column 3)"]
    assert "twice.csv' has more than one column named 'a'" in told[-1]
