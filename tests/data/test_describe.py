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
    rows = np.arange(N)
    table = {
        **GOOD,
        "age": np.where(rows < 3, -999, ages),
        "visits": np.where(rows < 5, -1, RNG.integers(0, 20, N)),
        "grade": np.where(rows == 5, 999, RNG.normal(50, 9, N)),
        "change": np.where(rows < 9, -999, RNG.normal(0, 1, N)),  # beside other negative numbers
        "both": np.select([rows < 4, rows < 6], [-99, 9999], RNG.integers(1, 6, N)),
        "text": ["?" if i < 7 else str(i % 50) for i in range(N)],
        "degrees": RNG.integers(-20, 30, N),
        "up": RNG.integers(0, 999, N) + 1,
        "old": ages,
        "size": ["small" if i % 3 else str(1 + i % 8) for i in range(N)],
        "letters": list("abcd?") * (N // 5),
        "origin": ["n/a", "Unknown", "here", "there"] * (N // 4),
        "two": ["none", "some"] * (N // 2),
        "often": ["none", "none", "none", "few", "many"] * (N // 5),
        "calls": ["0", "1", "2", "3+"] * (N // 4),
    }
    told = [line.split(", which") for line in starting(lines(table), "look at: ")]
    assert [parts[0] for parts in told if len(parts) == 2] == [
        "'age' has -999 in 3 rows",
        "'visits' has -1 in 5 rows",
        "'grade' has 999 in 1 row",
        "'change' has -999 in 9 rows",
        "'both' has -99 or 9999 in 6 rows",
        "'text' has '?' in 7 rows where all others hold numbers",
        "'letters' has '?' in 40 rows",
        "'origin' has 'Unknown' or 'n/a' in 100 rows",
    ]


def test_values_that_may_stand_for_missing_ones_beside_a_level_for_missing() -> None:
    rows = np.arange(N)
    table = {**GOOD, "both": [None if i < 9 else v for i, v in enumerate(np.where(rows < 12, -99, rows % 5).tolist())]}
    told = starting(lines(table, missing="level"), "look at: ")
    assert [line.split(", which")[0] for line in told] == ["'both' has -99 in 3 rows"]


AMOUNT = RNG.permutation(60_000)[:N] + 1_000


@pytest.mark.parametrize(
    ("values", "look"),
    [
        ([f"{x:,}" for x in AMOUNT], "numbers with thousands separators"),
        ([f"{x / 7:.2f}".replace(".", ",") for x in AMOUNT], "numbers with a decimal comma"),
        ([f"${x / 7:.2f}" for x in AMOUNT], "numbers with a currency sign"),
        ([f"{x:,} €" for x in AMOUNT], "numbers with a currency sign"),
        ([f"{x / 700:.1f}%" for x in AMOUNT], "numbers with a percent sign"),
        ([f"{x % 12 + 1}/{x % 28 + 1}/{1900 + x % 110}" for x in AMOUNT], "dates, such as '"),
        ([f"{x % 28 + 1:02d}.{x % 12 + 1:02d}.{1900 + x % 110}" for x in AMOUNT], "dates, such as '"),
        ([f"{['Jan', 'May', 'Dec'][x % 3]}-{1900 + x % 110}" for x in AMOUNT], "dates, such as '"),
        ([f"{x / 7:.2f}" for x in AMOUNT], "numbers"),  # of a data frame, in which text stays text
    ],
    ids=range(9),
)
def test_numbers_and_dates_in_disguise_are_told(values: list[str], look: str) -> None:
    table = {**GOOD, "x": values}
    (told,) = starting(lines(table), "look at: ")
    assert told.startswith(f"'x' is text, but its values look like {look}")
    assert "convert them before" in told
    with pytest.warns(elcs.DataWarning, match=rf"'x' \(.*; its values look like {look}"):
        elcs.learn(table, "side")
    with pytest.raises(elcs.DataError, match=rf"target 'x' .*look like {look}.*(convert them to|write them as)"):
        elcs.learn(table, "x")
    assert not starting(lines(table, kinds={"x": "text"}), "look at: ")  # somebody said that they are labels


def test_a_few_strings_may_look_otherwise() -> None:
    few = ["-" if i % 25 == 0 else f"{x:,}" for i, x in enumerate(AMOUNT)]
    many = ["-" if i % 5 == 0 else f"{x:,}" for i, x in enumerate(AMOUNT)]
    numbers = ["?" if i % 25 == 0 else f"{x / 7:.2f}" for i, x in enumerate(AMOUNT)]
    with pytest.warns(elcs.DataWarning) as warned:
        elcs.learn({**GOOD, "few": few, "many": many, "numbers": numbers}, "side")
    told = str(warned[0].message)
    assert "'few' (193 levels, too many for 200 rows; all but '-' (8 rows) look like numbers with thousands" in told
    assert "'many' (161 levels, too many for 200 rows)" in told
    assert "'numbers' (193 levels, too many for 200 rows; all but '?' (8 rows) look like numbers)" in told
    with pytest.raises(elcs.DataError, match="target 'numbers' has 193 levels.*and leave the other cells empty"):
        elcs.learn({**GOOD, "numbers": numbers}, "numbers")


def test_labels_are_no_numbers_in_disguise() -> None:
    labels = {
        "age": ["18-34", "35-54", "55+", "0-17"] * (N // 4),
        "month": ["Jan", "Feb", "Mar", "Apr"] * (N // 4),
        "postcode": ["01234", "04321", "00007", "09999"] * (N // 4),
        "version": ["1.2.3", "1.2.4", "2.0.1", "2.0.2"] * (N // 4),
        "stars": ["1", "2", "3", "4"] * (N // 4),
    }
    assert not [line for line in starting(lines({**GOOD, **labels}), "look at: ") if " look like " in line]


def test_free_text_is_no_identifier() -> None:
    remark = [f"came late on day {i}" if i % 5 == 0 else None for i in range(N)]
    ticket = [f"T{i}" if i % 20 == 0 else None for i in range(N)]
    assert starting(lines({**GOOD, "remark": remark, "ticket": ticket}), "left out: ") == [
        "remark (free text: all values differ)",
        "ticket (an identifier: all values differ)",
    ]


def test_columns_that_may_be_identifiers_are_told() -> None:
    n = 300
    rng = np.random.default_rng(1)
    pay, side = rng.normal(size=n), rng.integers(0, 2, n)
    table = {
        "pay": pay,
        "side": side,
        "id": np.repeat(np.arange(150), 2),
        "patient.no": rng.permutation(np.repeat(np.arange(100) * 1000, 3)),
        "count": np.repeat(np.arange(150), 2),
        "area": rng.permutation(10**6)[:n],
    }
    assert starting(lines(table), "look at: ") == [
        "each value of 'id' occurs 2 times; if rows repeat the same thing, they are not independent",
        "each value of 'patient.no' occurs 3 times; if rows repeat the same thing, they are not independent",
        "all values of 'area' differ; if it is an identifier, leave it out (drop=, --drop)",
        *[line for line in starting(lines(table), "look at: ") if "'id' and 'count'" in line],
    ]
    assert "all values of 'area' differ" not in elcs.describe(table, kinds={"area": "number"})


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


def test_numbers_levels_and_names_are_written_to_be_read() -> None:
    n = 1000
    rng = np.random.default_rng(0)
    salary = rng.integers(20_000, 90_000, n)
    table = {
        "salary": salary,
        "debt": rng.normal(0, 1e6, n),
        "tiny": rng.normal(0, 1e-6, n),
        "far": rng.choice([10**15 - 1, 10**16, *range(10)], n),
        "town": [f"t{i % 40}" if i % 3 else "zurich" for i in range(n)],
        "rare": ["yes" if i == 7 else "no" for i in range(n)],
        "height\n(cm)": rng.integers(0, 3, n),
        "note": [("two\nlines", "one")[i % 2] for i in range(n)],
        "empty\r\ncolumn": [None] * n,
    }
    told = elcs.describe(table)
    assert f"salary       integer       -  {salary.min():,} to {salary.max():,}" in told
    assert "e+" not in told.split("debt")[1].splitlines()[0]
    assert "e-0" in told.split("tiny")[1].splitlines()[0]
    assert "0 to 1e+16" in told
    assert "zurich 33%, t" in told
    assert "no 100%, yes <1%" in told
    assert "\nheight (cm)  integer" in told
    assert "one 50%, two lines 50%" in told
    assert "left out: empty column (no values)" in told
    with pytest.warns(elcs.DataWarning):
        assert str(elcs.learn(table, "height\n(cm)")).startswith("height (cm) (elcs-hybrid)\n")


def test_one_is_not_many() -> None:
    assert lines({"x": [1]})[0] == "1 observation of 0 columns"
    assert lines({"x": [1, 2]})[0] == "2 observations of 1 column"
    gaps = {f"x{i}": np.where(RNG.random(N) < 0.1, np.nan, RNG.integers(0, 2, N)) for i in range(6)}
    assert "and 1 more column)" in str(elcs.learn(gaps, "x0"))


def test_a_target_that_is_left_out_is_told_in_whole_sentences() -> None:
    table = {**GOOD, "empty": [None] * N, "word": [f"w{i % 150}" for i in range(N)], "same": [1] * N}
    for target, said in {
        "empty": "target 'empty' has no values; nothing can be learnt about it",
        "word": "target 'word' has 150 levels, too many for 200 rows; merge levels",
        "same": "target 'same' is constant: always 1; nothing can be learnt about it",
    }.items():
        with pytest.raises(elcs.DataError, match=f"^{said}"):
            elcs.learn(table, target)
        with pytest.warns(elcs.DataWarning):
            read = elcs.Table.from_any(table)
        with pytest.raises(elcs.DataError, match=f"^{said}"):
            elcs.learn(read, target)
