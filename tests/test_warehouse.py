"""Tables that are asked where they live: the answers are those of the same rows in memory."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dask.dataframe as dd
import duckdb
import narwhals as nw
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import elcs
from elcs import DataError
from elcs.answers.gathering import cite
from elcs.data.warehouse.frames import Frame
from elcs.data.warehouse.groups import N_GROUPS
from elcs.data.warehouse.remote import RemoteHalf, RemoteTable
from elcs.engines import CubeEngine, MemoryEngine
from elcs.engines.collapsed import Collapsed
from elcs.engines.cubes import Cubes
from elcs.engines.guessing import CubeTester
from elcs.engines.shelf import TOGETHER

pytestmark = pytest.mark.filterwarnings("ignore:the distinct rows of the table do not fit")

TINY, SMALL = "100 kB", "1.5 MB"
"""So much memory that only counts can be fetched of the rows below, and so much that the distinct ones can."""

HOSTILE = {
    "HR": 'a"b',
    "CO": "c`d",
    "HRBP": "e.f",
    "HREKG": "g'h; DROP TABLE t --",
    "HRSAT": "ünï 漢",
    "CATECHOL": "select",
    "TPR": " blank ",
    "BP": "c0",
    "STROKEVOLUME": "n",
    "HISTORY": "w",
}


COLUMNS = [*HOSTILE, "CVP", "PCWP", "HYPOVOLEMIA", "LVEDVOLUME", "LVFAILURE", "VENTLUNG", "VENTALV", "PRESS"]


@pytest.fixture(scope="module")
def rows() -> pl.DataFrame:
    """Rows of Alarm; ten columns have hostile names, two have gaps."""
    table = elcs.networks.load("alarm").sample(6000, random_state=3)
    rng = np.random.default_rng(0)
    columns = {}
    for name in COLUMNS:
        codes, levels = table.codes[table.index(name)], table.levels[table.index(name)]
        texts = np.array([str(level) for level in levels], dtype=object)[codes]
        gaps = rng.random(6000) < (0.1 if name in ("CVP", "CO") else 0)
        texts[gaps] = None
        columns[HOSTILE.get(name, name)] = texts.tolist()
    return pl.DataFrame(columns)


OPEN: list[duckdb.DuckDBPyConnection] = []
"""The connections of relations; older versions of DuckDB close those that nobody holds."""


def in_duckdb(rows: pl.DataFrame) -> Any:
    connection = duckdb.connect()
    OPEN.append(connection)
    connection.register("t", rows.to_arrow())
    return connection.table("t")


ENGINES: dict[str, Callable[[pl.DataFrame], Any]] = {
    "polars": lambda rows: rows.lazy(),
    "duckdb": in_duckdb,
    "dask": lambda rows: dd.from_pandas(rows.to_pandas(), npartitions=3),  # type: ignore[no-untyped-call]
}


def told(result: Any) -> dict[str, Any]:
    """All that an answer says, but for what it cost and how the table was read."""
    return {**result.to_dict(), "seconds": 0, "n_computed": 0, "settings": {}}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("memory", [TINY, SMALL, None])
def test_the_answer_is_that_of_the_rows_in_memory(rows: pl.DataFrame, engine: str, memory: str | None) -> None:
    lazy = ENGINES[engine](rows)
    for target in ("c0", "VENTLUNG", "c`d"):
        found = elcs.learn(lazy, target, method="elcs-exact", memory=memory)
        whole = elcs.learn(rows, target, method="elcs-exact")
        assert told(found) == told(whole)
        assert whole.n_computed <= found.n_computed <= found.n_tests  # those of all rounds


def test_how_a_table_is_fetched_depends_on_the_memory(rows: pl.DataFrame) -> None:
    tables = [elcs.Table.from_any(rows.lazy(), memory=memory) for memory in (TINY, SMALL, None)]
    assert [isinstance(table, RemoteTable) for table in tables] == [True, False, False]
    assert [table.weights is None for table in tables[1:]] == [False, True]
    assert tables[0].describe().splitlines()[1:] == tables[2].describe().splitlines()[1:]


def test_every_target_through_duckdb(rows: pl.DataFrame) -> None:
    asked, whole = elcs.Table.from_any(in_duckdb(rows), memory=TINY), elcs.Table.from_any(rows)
    for target in rows.columns:
        assert told(elcs.learn(asked, target)) == told(elcs.learn(whole, target, method="elcs-exact"))


def test_blankets_graphs_and_comparisons(rows: pl.DataFrame) -> None:
    asked, whole = elcs.Table.from_any(rows.lazy(), memory=TINY), elcs.Table.from_any(rows)
    assert told(elcs.blanket(asked, "c0")) == told(elcs.blanket(whole, "c0"))
    graph = elcs.learn_graph(asked)
    assert graph.method == "elcs-global"
    assert told(graph) == told(elcs.learn_graph(whole, method="elcs-global"))
    methods = ["elcs-exact", "iamb", "pc-stable"]
    assert elcs.compare(asked, "c0", methods).roles == elcs.compare(whole, "c0", methods).roles


def test_statistics_are_the_same_to_the_last_bit(rows: pl.DataFrame) -> None:
    rng = np.random.default_rng(1)
    asked, whole = elcs.G2(elcs.Table.from_any(rows.lazy(), memory=TINY)), elcs.G2(rows)
    for _ in range(200):
        x, y, *given = rng.permutation(rows.columns)[: rng.integers(2, 6)].tolist()
        assert asked.test(x, y, given) == whole.test(x, y, given)
    assert isinstance(asked.engine, CubeEngine)


def test_columns_that_are_counted_once_more_may_come_in_another_order(rows: pl.DataFrame) -> None:
    """To find the levels, columns are counted by what they have to do with each other, not as the table has them."""
    asked, whole = elcs.G2(elcs.Table.from_any(rows.lazy(), memory=TINY)), elcs.G2(rows)
    cubes = asked.engine.cubes  # type: ignore[attr-defined]
    first = next(held for held in cubes.shelf.held if list(held.position) != sorted(held.position))
    names = [asked.variables[v] for v in sorted(first.variables)][:4]
    assert asked.test(names[0], names[1], names[2:]) == whole.test(names[0], names[1], names[2:])
    cubes.shelf.held.clear()
    cubes.fetch([first.variables])
    assert asked.test(names[1], names[2], names[3:]) == whole.test(names[1], names[2], names[3:])


def test_pearson_differs_by_rounding_at_most(rows: pl.DataFrame) -> None:
    rng = np.random.default_rng(2)
    asked, whole = elcs.Chi2(elcs.Table.from_any(rows.lazy(), memory=TINY)), elcs.Chi2(rows)
    for _ in range(100):
        x, y, *given = rng.permutation(rows.columns)[: rng.integers(2, 5)].tolist()
        one, two = asked.test(x, y, given), whole.test(x, y, given)
        assert one.statistic == pytest.approx(two.statistic, rel=1e-12)
        assert (one.dof, one.reliable, one.independent) == (two.dof, two.reliable, two.independent)


def test_many_distinct_rows_in_memory_are_counted_by_cubes(monkeypatch: pytest.MonkeyPatch, rows: pl.DataFrame) -> None:
    monkeypatch.setattr("elcs.engines.MOST_WEIGHTED", 100)
    counted = elcs.Table.from_any(rows.lazy(), memory=SMALL)
    assert isinstance(elcs.G2(counted).engine, CubeEngine)
    for method in ("elcs-exact", "elcs-hybrid"):
        assert told(elcs.learn(counted, "c0", method=method)) == told(elcs.learn(rows, "c0", method=method))
    graph = elcs.learn_graph(counted)
    assert graph.method == "elcs-hybrid"
    assert told(graph) == told(elcs.learn_graph(rows))


def test_of_many_rows_in_memory_the_distinct_ones_are_counted(
    monkeypatch: pytest.MonkeyPatch, rows: pl.DataFrame
) -> None:
    few, whole = rows.select(rows.columns[:9]), elcs.learn_graph(rows.select(rows.columns[:9]))
    monkeypatch.setattr("elcs.engines.MOST_ROWS", 1000)
    assert told(elcs.learn_graph(few)) == told(whole)
    monkeypatch.setattr("elcs.engines.MOST_WEIGHTED", 100)
    table = elcs.Table.from_any(few)
    assert isinstance(elcs.G2(table).engine, CubeEngine)
    assert told(elcs.learn_graph(table)) == told(whole)
    differing = elcs.Table.from_any(np.random.default_rng(0).integers(0, 5, (2000, 12)))
    assert not isinstance(elcs.G2(differing).engine, CubeEngine)


@pytest.mark.parametrize("memory", [TINY, SMALL])
@pytest.mark.parametrize("make", [elcs.BDeu, elcs.BIC])
def test_scores_by_cubes(
    monkeypatch: pytest.MonkeyPatch, rows: pl.DataFrame, make: type[elcs.BDeu | elcs.BIC], memory: str
) -> None:
    """Those of the rows in memory, where values are missing too; narrow cubes are made of wide ones."""
    monkeypatch.setattr("elcs.engines.MOST_WEIGHTED", 100)
    monkeypatch.setattr("elcs.engines.cubes.LARGE", 10)
    table = elcs.Table.from_any(rows.lazy(), memory=memory)
    asked, whole = make(table), make(rows)
    assert isinstance(asked.engine, CubeEngine)
    rng = np.random.default_rng(7)
    for _ in range(40):
        child, *rest = rng.permutation(rows.columns)[: rng.integers(2, 9)].tolist()
        parents, others = rest[: len(rest) // 3], rest[len(rest) // 3 :]
        assert asked.gains(child, parents, others) == pytest.approx(whole.gains(child, parents, others), abs=1e-6)
        assert asked.local(child, parents) == pytest.approx(whole.local(child, parents), abs=1e-6)


def test_a_score_of_ones_own_by_cubes(rows: pl.DataFrame) -> None:
    class Half(elcs.BDeu):
        """Not compiled, as it is no score that the kernel knows."""

    asked, whole = Half(elcs.Table.from_any(rows.lazy(), memory=TINY)), elcs.BDeu(rows)
    for child, parents in (("c0", []), ("CVP", ["c0"]), ("PRESS", ["CVP", "VENTLUNG", "VENTALV", "c`d"])):
        assert asked.local(child, parents) == pytest.approx(whole.local(child, parents), abs=1e-6)
        assert asked.gains(child, parents, ["HYPOVOLEMIA"]) == pytest.approx(
            whole.gains(child, parents, ["HYPOVOLEMIA"]), abs=1e-6
        )


def test_whoever_asks_for_scores_where_the_table_lives_gets_them(rows: pl.DataFrame) -> None:
    asked = elcs.Table.from_any(rows.lazy(), memory="300 kB")
    assert isinstance(asked, RemoteTable)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = elcs.learn(asked, "VENTLUNG", method="elcs-hybrid", options={"radius": 2})
    assert told(found) == told(elcs.learn(rows, "VENTLUNG", method="elcs-hybrid", options={"radius": 2}))


def test_a_default_that_gives_way_to_tests_says_so(rows: pl.DataFrame) -> None:
    asked = elcs.Table.from_any(rows.lazy(), memory=TINY)
    with pytest.warns(elcs.DataWarning, match="tests alone, without elcs-hybrid.*--memory"):
        assert elcs.learn(asked, "VENTLUNG").method == "elcs-exact"
    with pytest.warns(elcs.DataWarning, match="tests alone, without elcs-hybrid.*--memory"):
        compared = elcs.compare(asked, "VENTLUNG")
    assert list(compared.results) == ["elcs-exact", "mb-by-mb", "pc-stable", "iamb"]


def test_cubes_of_whole_numbers_that_are_quantities(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    age = rng.integers(0, 30, 4000)
    table = {"age": age, "old": (age + rng.integers(0, 9, 4000) > 15).astype(int), "n": rng.integers(1, 4, 4000)}
    whole = elcs.G2(elcs.Table.from_any(table, weights="n")).test("age", "old")
    monkeypatch.setattr("elcs.engines.MOST_WEIGHTED", 100)
    counted = elcs.G2(elcs.Table.from_any(table, weights="n"))
    assert isinstance(counted.engine, CubeEngine)
    assert counted.test("age", "old") == whole


# What a reading says


@pytest.fixture(scope="module")
def mixed() -> pl.DataFrame:
    """Numbers, whole numbers, truth values, dates, an identifier, a constant and free text, with gaps."""
    rng = np.random.default_rng(5)
    n = 3000
    pay = rng.normal(size=n).round(2)
    return pl.DataFrame(
        {
            "id": np.arange(n),
            "text": [f"note {i}" for i in range(n)],
            "pay": [None if rng.random() < 0.05 else value for value in pay.tolist()],
            "kids": rng.integers(0, 4, n),
            "rich": (pay + rng.normal(size=n)) > 0,
            "happy": np.where(pay + rng.normal(size=n) > 0, "yes", np.where(rng.random(n) < 0.1, " ", "no")),
            "always": ["x"] * n,
            "even": [0.5] * n,
            "times": rng.integers(1, 4, n),
        }
    )


@pytest.mark.parametrize("reading", [{}, {"missing": "level"}, {"missing": "drop"}, {"weights": "times"}])
@pytest.mark.parametrize("engine", ENGINES)
def test_readings_of_a_distant_table(mixed: pl.DataFrame, engine: str, reading: dict[str, Any]) -> None:
    keywords: dict[str, Any] = {"bins": 3, "drop": ["id", "text"], **reading}
    with pytest.warns(elcs.DataWarning, match="left out columns: 'always'"):
        whole = elcs.Table.from_any(mixed, **keywords)
    with pytest.warns(elcs.DataWarning, match="left out columns: 'always'"):
        asked = elcs.Table.from_any(ENGINES[engine](mixed), memory="20 kB", **keywords)
    assert isinstance(asked, RemoteTable)
    assert (asked.names, asked.levels, asked.kinds, asked.total) == (
        whole.names,
        whole.levels,
        whole.kinds,
        whole.total,
    )
    assert asked.describe() == whole.describe()
    for target in asked.names:
        assert told(elcs.learn(asked, target)) == told(elcs.learn(whole, target, method="elcs-exact", ci_test="g2"))


def test_values_that_must_not_be_missing_are_refused_in_the_same_words(mixed: pl.DataFrame) -> None:
    refused = []
    for table, memory in ((mixed, None), (mixed.lazy(), "20 kB")):
        with pytest.raises(DataError, match=r"missing='drop' \(--missing drop\).*\(--missing level\)") as error:
            elcs.Table.from_any(table, memory=memory, missing="error", bins=3, drop=["id", "text"])
        refused.append(re.sub(r", first in row [^)]*", "", str(error.value)))
    assert refused[0] == refused[1]


def test_identifiers_and_free_text_are_not_counted(mixed: pl.DataFrame) -> None:
    with pytest.warns(elcs.DataWarning, match="'id' .an identifier.*'text' .an identifier"):
        table = elcs.Table.from_any(mixed.lazy(), memory="20 kB", bins=3)
    assert "id" not in table.names
    with pytest.raises(DataError, match="target 'id' is an identifier"):
        elcs.learn(mixed.lazy(), "id", memory="20 kB", bins=3)


def test_quantities_of_many_values_are_cut_where_they_are() -> None:
    rng = np.random.default_rng(7)
    size = rng.normal(size=20_000)
    table = {"size": size, "weight": size + rng.normal(size=20_000), "big": np.where(size > 0, "yes", "no")}
    asked = elcs.Table.from_any(pl.LazyFrame(table), bins=4, memory="330 kB")
    assert isinstance(asked, RemoteTable)
    assert told(elcs.learn(asked, "big")) == told(elcs.learn(table, "big", bins=4, method="elcs-exact"))


def test_columns_that_are_not_counted_are_told(mixed: pl.DataFrame) -> None:
    """Also where the distinct rows of the others are fetched."""
    with pytest.warns(elcs.DataWarning, match="'id' .an identifier"):
        table = elcs.Table.from_any(mixed.lazy(), memory="20 kB", columns=["id", "kids", "rich"])
    assert table.weights is not None
    assert "id" in dict(table.dropped)


def test_dates_must_be_cut_before(mixed: pl.DataFrame) -> None:
    days = pl.date_range(pl.date(2020, 1, 1), pl.date(2028, 3, 18), eager=True)[: len(mixed)]
    table = mixed.select("rich", "happy", "pay").with_columns(day=days, later=days.shuffle(1))
    for bins in (4, {"pay": 4, "day": 3}):
        with pytest.raises(DataError, match="columns 'day', 'later' hold dates.*cut them before") as refused:
            elcs.learn(table.lazy(), "rich", memory="20 kB", bins=bins)
        assert "bins" not in str(refused.value)
    kept = elcs.learn(table.lazy(), "rich", memory="20 kB", bins=4, drop=["day", "later"])
    assert kept.markov_blanket == ("happy", "pay")


def test_what_is_said_to_be_a_category_is_not_cut(mixed: pl.DataFrame) -> None:
    days = pl.date_range(pl.date(2020, 1, 1), pl.date(2020, 1, 30), eager=True)
    day, size = pl.concat([days] * 100), pl.Series(range(30)).sample(3000, with_replacement=True, seed=1)
    table = mixed.select("rich", "happy", "pay", "kids").with_columns(day=day, size=size)
    kinds = {"day": "category", "size": "category"}
    asked = elcs.Table.from_any(table.lazy(), bins=3, kinds=kinds, memory="20 kB")
    whole = elcs.Table.from_any(table, bins=3, kinds=kinds)
    assert isinstance(asked, RemoteTable)
    assert (asked.levels, asked.kinds) == (whole.levels, whole.kinds)


def test_quantities_need_bins(mixed: pl.DataFrame) -> None:
    with pytest.raises(DataError, match="'pay' holds quantities.*bins=4"):
        elcs.learn(mixed.lazy(), "rich", memory="20 kB")


def test_a_description_says_which_columns_need_bins(mixed: pl.DataFrame) -> None:
    table = mixed.drop("id", "text").lazy()
    told = elcs.describe(table, memory="20 kB")
    assert re.search(r"^pay +binned +4 ", told, re.MULTILINE)
    assert re.search(r"^problem: column '?pay'? holds quantities.*pass bins=4", told.splitlines()[-1])
    cut = elcs.describe(table, memory="20 kB", bins={"pay": 3})
    assert re.search(r"^pay +binned +3 ", cut, re.MULTILINE)
    assert "problem" not in cut
    assert "problem: there is no column 'nothing'" in elcs.describe(table, memory="20 kB", drop=["nothing"])


@pytest.mark.parametrize("memory", ["3 kB", "20 kB", None])
def test_a_description_refuses_no_table_that_can_be_read(mixed: pl.DataFrame, memory: str | None) -> None:
    days = pl.date_range(pl.date(2020, 1, 1), pl.date(2028, 3, 18), eager=True)[: len(mixed)]
    table = mixed.with_columns(day=days, several=pl.concat_list("kids", "times"))
    told = elcs.describe(table.lazy(), memory=memory)
    assert told.startswith("3,000 observations of ")
    assert re.search(r"^several +unsupported ", told, re.MULTILINE)
    assert "problem: values of these columns cannot be levels: 'several' (List" in told
    assert "left out: always (constant: always 'x')" in told
    assert re.search(r"^kids +integer +4 +- +0 2", told, re.MULTILINE)
    if memory is not None:
        assert re.search(r"^day +date +- +- +to be cut before", told, re.MULTILINE)
        assert "problem: column 'pay' holds quantities" in told
        assert "problem: column 'day' holds dates or times" in told
    assert ("'pay' has more than 187 different values" in told) == (memory == "3 kB")


@pytest.mark.parametrize("memory", ["20 kB", None])
def test_what_deserves_a_look_where_rows_are_fetched(memory: str | None, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    sizes = rng.choice([-999, *range(30)], 3000)
    lines = [f"{size},{size},{'ab'[size % 2]},${size % 4}.50" for size in sizes.tolist()]
    (tmp_path / "t.csv").write_text("\n".join(["size,same,side,price", *lines]))
    told = elcs.describe(tmp_path / "t.csv")
    assert told.count("look at: ") == 5
    assert elcs.describe(tmp_path / "t.csv", engine="duckdb", memory=memory) == told
    (tmp_path / "t.csv").write_text("a,b\nx,y\n")
    assert elcs.describe(tmp_path / "t.csv", engine="duckdb") == elcs.describe(tmp_path / "t.csv")


@pytest.mark.parametrize(
    ("ask", "what"),
    [
        (lambda table: elcs.learn(table, "c0", score="blocks"), "the score Blocks needs the rows"),
        (lambda table: elcs.learn(table, "c0", method="elcs-exact", ci_test="mixed"), "a test on correlations needs"),
        (lambda table: elcs.effect(table, "c0", "CVP"), "the size of an effect needs the rows"),
        (lambda table: elcs.learn_graph(table, method="notears"), "fitting numbers needs the rows"),
        (lambda table: elcs.learn_graph(table, n_jobs=2), "cannot be sent to another process"),
    ],
)
def test_what_needs_the_rows_says_so(rows: pl.DataFrame, ask: Callable[[Any], Any], what: str) -> None:
    with pytest.raises(elcs.ElcsError, match=what):
        ask(elcs.Table.from_any(rows.lazy(), memory=TINY))


# Columns as parts of numbers


@pytest.fixture
def odd(monkeypatch: pytest.MonkeyPatch) -> pl.DataFrame:
    """Columns of few levels with gaps, quotes, blanks and numbers, and one with a level that no sample has."""
    monkeypatch.setattr("elcs.data.warehouse.frames.SAMPLE_ROWS", 2000)
    rng = np.random.default_rng(7)
    kinds: list[list[Any]] = [["a", None, "A"], ["it's", '"', "漢"], ["", "y", "x"], ["NA", "b", None], [-3, 2**40, 0]]
    kinds += [[True, False, None], [None, 1, 2], ["a\0b", "a", "a\0"]]
    columns = {f"x{i}": [kinds[i % 8][code] for code in rng.integers(3, size=20_000)] for i in range(24)}
    columns["rare"] = ["a", "b"] * 9_999 + ["seldom", "other"]
    columns["many"] = [f"level {code}" for code in rng.integers(40, size=20_000)]
    return pl.DataFrame(columns)


def as_counts(frame: Frame, positions: list[int]) -> dict[tuple[Any, ...], int]:
    """Return what a frame counts, by value."""
    found = frame.count(positions, 10**6)
    assert found is not None
    values = [[[*factor.levels, None][code] for code in factor.codes] for factor in found[0]]
    counts: dict[tuple[Any, ...], int] = {}
    for key, n in zip(zip(*values, strict=True), found[1].tolist(), strict=True):
        counts[key] = counts.get(key, 0) + n
    return counts


def test_columns_that_are_counted_as_numbers_are_the_same(odd: pl.DataFrame, queries: list[int]) -> None:
    plain, packed = (Frame(nw.from_native(in_duckdb(odd)), odd.columns) for _ in range(2))
    packed.sample()
    queries.clear()
    assert packed.row_bytes(range(26)) < plain.row_bytes(range(26)) / 2
    for positions in ([*range(26)], [3, 24, 0], [*range(25, 5, -1)]):
        assert packed.row_bytes(positions) <= plain.row_bytes(positions) == 16 * len(positions)
        assert as_counts(packed, positions) == as_counts(plain, positions)
        for one, other in zip(*(frame.count(positions, 10**6)[0] for frame in (packed, plain)), strict=True):  # type: ignore[index]
            assert (one.levels, one.kind, one.has_missing) == (other.levels, other.kind, other.has_missing)
    assert len(queries) == 12 + 1  # a level that is not in the sample is noticed once


def test_distinct_rows_come_in_an_order_that_depends_on_them_alone(odd: pl.DataFrame) -> None:
    shuffled = odd.sample(fraction=1, shuffle=True, seed=1)
    frames = [Frame(nw.from_native(lazy), odd.columns) for lazy in (in_duckdb(odd), in_duckdb(shuffled), odd.lazy())]
    frames[0].sample()  # so that columns are counted as parts of numbers
    assert len({frame.row_bytes(range(26)) for frame in frames}) == 2
    found = [frame.count(range(26), 10**6) for frame in frames]
    assert found[0] is not None
    for other in found[1:]:
        assert other is not None
        np.testing.assert_array_equal(other[1], found[0][1])
        for one, same in zip(other[0], found[0][0], strict=True):
            np.testing.assert_array_equal(one.codes, same.codes)


def test_a_level_that_no_sample_has_is_a_level(odd: pl.DataFrame) -> None:
    for memory in ("4 MB", "1 MB"):
        asked = elcs.Table.from_any(in_duckdb(odd), memory=memory, missing="testwise")
        whole = elcs.Table.from_any(odd, missing="testwise")
        assert isinstance(asked, RemoteTable) == (memory == "1 MB")
        assert dict(zip(asked.names, asked.levels, strict=True)) == dict(zip(whole.names, whole.levels, strict=True))
        assert elcs.G2(asked).test("x0", "rare", ["x1"]) == elcs.G2(whole).test("x0", "rare", ["x1"])


def test_late_rounds_fetch_what_is_near(rows: pl.DataFrame) -> None:
    table = elcs.Table.from_any(rows)
    near = [table.index(name) for name in ("CVP", "VENTALV", "LVEDVOLUME", "VENTLUNG")]
    cubes = Cubes(Collapsed(table))
    for _ in range(2):
        cubes.fetch([frozenset(near[:2])])
        assert cubes.shelf.covering(near) is None
    cubes.fetch([frozenset(near[:2])])
    assert cubes.shelf.covering(near) is not None


def test_a_narrow_cube_answers_many_tests_about_few(monkeypatch: pytest.MonkeyPatch, rows: pl.DataFrame) -> None:
    monkeypatch.setattr("elcs.engines.cubes.LARGE", 100)
    table = elcs.Table.from_any(rows)
    counted = Collapsed(table)
    cubes = Cubes(counted)
    wide = cubes.fetched(range(14))
    assert all(cubes.answering((0, y)) is wide for y in range(1, 14))  # about too many columns
    pairs = [(x, y) for x in range(5) for y in range(x + 1, 6)]
    narrow = [cubes.answering(pair) for pair in pairs][-1]
    assert narrow is not None
    assert narrow is not wide
    assert narrow.variables >= set(range(6))
    assert len(narrow.variables) <= TOGETHER
    at = [narrow.position[v] for v in (5, 2, 0)]
    np.testing.assert_array_equal(narrow.engine.counts(at), MemoryEngine(table).counts([5, 2, 0]))
    outside = (0, min(wide.variables - narrow.variables))
    assert cubes.answering(outside) is wide
    counted.quick, counted.room = False, 0
    for pair in [(x, y) for x in range(8, 13) for y in range(x + 1, 14)]:
        assert cubes.answering(pair) is not None
    assert cubes.shelf.covering(range(14)) is wide  # or it would have to be fetched again
    assert cubes.shelf.covering((0, 1)) is wide  # there was no room for narrow ones


def test_narrow_cubes_are_made_at_once_where_many_tests_are_to_come(
    monkeypatch: pytest.MonkeyPatch, rows: pl.DataFrame
) -> None:
    monkeypatch.setattr("elcs.engines.cubes.LARGE", 100)
    table = elcs.Table.from_any(rows)
    counted = Collapsed(table)
    cubes = Cubes(counted)
    pairs = [frozenset((x, y)) for x in range(5) for y in range(x + 1, 5)]
    sets = [frozenset((0, *range(5, 14))), *pairs]
    cubes.fetch(sets)
    assert cubes.n_fetched == 1
    narrow, wide = cubes.shelf.covering(range(5)), cubes.shelf.covering(range(14))
    assert narrow is not None
    assert wide is not None
    assert (narrow.variables, narrow.narrow, wide.narrow) == (frozenset(range(5)), True, False)
    np.testing.assert_array_equal(narrow.engine.counts([4, 2, 0]), MemoryEngine(table).counts([4, 2, 0]))
    counted.quick = False
    distant = Cubes(counted)
    distant.fetch(sets)
    assert not any(held.narrow for held in distant.shelf.held)  # they would drive out what has to be asked for again


# Half-samples


ENOUGH, IN_DUCKDB = "700 kB", "200 kB"
"""So much memory that the distinct rows below do not fit, but counts of half-samples do; DuckDB gives numbers."""


@pytest.fixture(scope="module")
def noisy() -> pl.DataFrame:
    """Rows of Alarm with columns that have nothing to do with the others and make most rows differ."""
    table = elcs.networks.load("alarm").sample(12_000, random_state=5)
    names = ["HISTORY", "CVP", "PCWP", "HYPOVOLEMIA", "LVEDVOLUME", "LVFAILURE", "STROKEVOLUME", "HR", "CO"]
    columns = {}
    for name in names:
        codes, levels = table.codes[table.index(name)], table.levels[table.index(name)]
        columns[name] = [str(levels[code]) for code in codes]
    for name, numbers in zip("abcd", np.random.default_rng(0).integers(4, size=(4, 12_000)), strict=True):
        columns[name] = [str(number) for number in numbers]
    return pl.DataFrame(columns)


def rows_of(half: elcs.Table) -> dict[str, list[Any]]:
    """Fetch the rows of a half-sample of a table that is asked where it lives."""
    assert isinstance(half, RemoteHalf)
    *columns, groups = half.frame.in_groups(N_GROUPS).rows()[0]
    kept = half.chosen[[int(groups.levels[code]) for code in groups.codes]]
    return {
        name: [[*column.levels, None][code] for code in column.codes[kept]]
        for name, column in zip(half.names, columns, strict=True)
    }


@pytest.mark.parametrize("engine", ENGINES)
def test_a_half_answers_as_its_rows_in_memory(noisy: pl.DataFrame, engine: str) -> None:
    table = elcs.Table.from_any(ENGINES[engine](noisy), memory=IN_DUCKDB if engine == "duckdb" else ENOUGH)
    assert isinstance(table, RemoteTable)
    halves = table.halves(np.random.default_rng(1))
    assert sum(half.total for half in halves) == 12_000
    for half in halves:
        whole = elcs.Table.from_any(rows_of(half))
        assert 5400 < half.total == whole.total < 6600
        asked, read = elcs.G2(half), elcs.G2(whole)
        for x, y, *given in (["HR", "CO"], ["CVP", "PCWP", "LVEDVOLUME"], ["HISTORY", "HR", "CO", "a"]):
            assert asked.test(x, y, given) == read.test(x, y, given)


def test_halves_are_halves_of_the_observations_and_not_of_the_distinct_rows() -> None:
    """Equal rows are told apart: of one row that occurs 3,000 times, each half has about 1,500."""
    table = elcs.Table.from_any(pl.LazyFrame({"a": [0, 1] * 3000, "b": [0, 1] * 3000}), memory="1 kB")
    for half in table.halves(np.random.default_rng(0)):
        assert (np.diag(elcs.G2(half).engine.counts([0, 1])) > 1200).all()


def test_stability_where_the_table_lives(noisy: pl.DataFrame, queries: list[int]) -> None:
    table = elcs.Table.from_any(noisy.lazy(), memory=ENOUGH)
    result = elcs.learn(table, "LVEDVOLUME")
    queries.clear()
    found = result.stability(40)
    assert len(queries) < 40  # all half-samples share what was counted
    whole = elcs.learn(noisy, "LVEDVOLUME", method="elcs-exact").stability(40)
    assert found.n_samples == 40
    for name, share in whole.shares.items():
        assert found.shares[name].neighbour == pytest.approx(share.neighbour, abs=0.3)
    assert result.steady(found).half_samples == 40


def test_rows_that_cannot_be_numbered_are_not_halved(noisy: pl.DataFrame) -> None:
    few = noisy.with_columns(times=pl.Series([1, 2] * 6000))
    weighted = elcs.Table.from_any(few.lazy(), memory=ENOUGH, weights="times")
    with pytest.raises(DataError, match="half-samples cannot be drawn .* a row that counts several times"):
        elcs.stability(weighted, "CVP")
    connection = duckdb.connect()
    connection.register("given", noisy.to_arrow())
    connection.execute("CREATE TABLE t AS SELECT *, (3 * random())::INT e, (3 * random())::INT f FROM given")
    shuffled = elcs.Table.from_any(connection.sql("FROM t ORDER BY random()"), memory="400 kB")
    with pytest.raises(DataError, match="numbers its rows differently with each query"):
        elcs.stability(shuffled, "CVP", n_samples=2)


def test_words_for_memory_and_engines() -> None:
    assert [elcs.Reading(memory=m).bytes for m in (10, "10", "2 kB", "1.5MB", "3 g")] == [
        10,
        10,
        2000,
        1_500_000,
        3 * 10**9,
    ]
    for wrong in ("much", -1, 0, "4 XB", True):
        with pytest.raises(DataError, match="memory= takes"):
            elcs.Reading(memory=wrong)
    with pytest.raises(DataError, match="engine= takes"):
        elcs.Reading(engine="oracle")
    with pytest.raises(DataError, match="memory= has no effect on a table that is in memory"):
        elcs.learn({"a": [0, 1] * 9, "b": [0, 1] * 9}, "a", memory="1 GB")
    with pytest.raises(DataError, match="engine= goes with files"):
        elcs.learn(pl.LazyFrame({"a": [0, 1] * 9, "b": [0, 1] * 9}), "a", engine="duckdb")


# What can go wrong


def test_an_empty_table() -> None:
    with pytest.raises(DataError, match="no rows"):
        elcs.learn(pl.LazyFrame({"a": [], "b": []}, schema={"a": pl.String, "b": pl.String}), "a")


@pytest.mark.parametrize(
    ("query", "what"),
    [
        ("SELECT o.status, c.status, o.x FROM o JOIN c USING (k)", "more than one column named 'status'; names must"),
        ('SELECT o.x, o.status AS " " FROM o JOIN c USING (k)', "columns without a name, at position 2"),
    ],
)
def test_names_that_tell_no_column_are_refused_before_anything_is_asked(
    query: str, what: str, queries: list[int]
) -> None:
    connection = duckdb.connect()
    for name in "oc":
        connection.execute(
            f"CREATE TABLE {name} AS SELECT range AS k, range % 2 AS status, range % 3 AS x FROM range(9)"
        )
    with pytest.raises(DataError, match=f"the duckdb table has {what}"):
        elcs.learn(connection.sql(query), "x")
    assert not queries
    assert what in str(elcs.describe(connection.sql(query)))


def test_columns_of_lists_are_refused() -> None:
    with pytest.raises(DataError, match=r"cannot be levels: 'b' \(List"):
        elcs.learn(pl.LazyFrame({"a": [1, 2], "b": [[1], [2]]}), "a")


@pytest.mark.parametrize("memory", ["2 kB", "12 kB", None])
@pytest.mark.parametrize("values", ["to_days(i::INT % 5)", "encode((i % 5)::VARCHAR)"])
def test_columns_without_levels_are_refused_however_much_is_fetched(values: str, memory: str | None) -> None:
    """What comes back shows it, and not what the engine says of the column."""
    connection = duckdb.connect()
    connection.execute(
        f"CREATE TABLE t AS SELECT {values} AS x, (i % 2)::VARCHAR AS y, chr(65 + (i // 3 % 7)::INT) AS z "
        "FROM range(400) r(i)"
    )
    for table in (connection.table("t"), connection.table("t").to_arrow_table()):
        keywords: Any = {} if isinstance(table, pa.Table) else {"memory": memory}
        with pytest.raises(DataError, match="values of these columns cannot be levels: 'x'"):
            elcs.learn(table, "y", **keywords)
        with pytest.raises(DataError, match="values of these columns cannot be levels: 'x'"):
            elcs.learn(table, "x", **keywords)
        assert "cannot be levels: 'x'" in str(elcs.describe(table, **keywords))


def test_huge_weights() -> None:
    plain = {"a": [0, 0, 1, 1], "b": [0, 1, 0, 1], "n": [10**10, 10**10 - 10**6, 10**10, 10**10]}
    asked = elcs.G2(elcs.Table.from_any(pl.LazyFrame(plain), weights="n", memory="200 B"))
    assert asked.test("a", "b") == elcs.G2(elcs.Table.from_any(plain, weights="n")).test("a", "b")
    with pytest.raises(DataError, match="4,000,000,000,000 observations, and 68,719,476,736 are the most"):
        elcs.Table.from_any(pl.LazyFrame({**plain, "n": [10**12] * 4}), weights="n", memory="200 B")


@pytest.mark.parametrize("memory", ["2 kB", "6 kB", None])
def test_levels_that_collate_together_are_told_apart(memory: str | None) -> None:
    """DuckDB groups what it takes for equal, and returns one of the values; nothing would be right then."""
    rng = np.random.default_rng(0)
    numbers = dict(zip("bd", rng.integers(4, size=(2, 3000)), strict=True))
    columns = {"a": rng.choice(["x", "X", "y", "Y", "x "], 3000), **numbers}
    connection = duckdb.connect()
    connection.register("given", pl.DataFrame(columns).to_arrow())
    connection.execute("CREATE TABLE t (a VARCHAR COLLATE NOCASE, b INTEGER, d INTEGER)")
    connection.execute("INSERT INTO t FROM given")
    asked = elcs.Table.from_any(connection.table("t"), memory=memory)
    assert asked.levels[0] == ("X", "Y", "x", "x ", "y")
    assert elcs.G2(asked).test("a", "b") == elcs.G2(columns).test("a", "b")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("memory", ["6 kB", "40 kB", None])
@pytest.mark.parametrize("names", [("status", "Status"), ("k", "*"), ("k", "^k$"), ("k", "^.*$"), ("#1", "#2")])
def test_names_that_could_mean_other_columns(names: tuple[str, str], memory: str | None, engine: str) -> None:
    """To DuckDB names that differ in case alone are the same, and `*` is all columns; to Polars some are patterns."""
    rng = np.random.default_rng(0)
    one, other, another = (rng.integers(n, size=3000) for n in (4, 3, 8))
    values = (one, other, one + 2 * other + rng.integers(2, size=3000), another)
    columns = dict(zip((*names, "sum", "more"), values, strict=True))
    if engine == "duckdb":  # in which no table can have two such columns, but a relation can
        lazy = in_duckdb(pl.DataFrame(dict(zip("abcd", values, strict=True))))
        lazy = lazy.project(", ".join(f'{x} AS "{name}"' for x, name in zip("abcd", columns, strict=True)))
    else:
        lazy = ENGINES[engine](pl.DataFrame(columns))
    asked = elcs.Table.from_any(lazy, memory=memory)
    assert isinstance(asked, RemoteTable) == (memory == "6 kB")
    assert asked.names == tuple(columns)
    for x, y, z in ((*names, "sum"), ("sum", *names), (names[1], "sum", names[0])):
        assert elcs.G2(asked).test(x, y, [z]) == elcs.G2(columns).test(x, y, [z])


def test_other_tables_of_the_same_connection_are_left_alone() -> None:
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t AS SELECT 1 AS one")
    connection.execute("CREATE TABLE u AS SELECT range % 2 AS a, range % 3 AS b FROM range(300000)")
    asked = elcs.Table.from_any(connection.table("u"), memory="1 kB")
    assert asked.levels == ((0, 1), (0, 1, 2))
    assert sum(half.total for half in asked.halves(np.random.default_rng(0))) == 300_000


def test_a_table_that_changes_is_not_answered(rows: pl.DataFrame) -> None:
    connection = duckdb.connect()
    connection.register("given", rows.to_arrow())
    connection.execute("CREATE TABLE t AS FROM given")
    asked = elcs.Table.from_any(connection.table("t"), memory=TINY)
    connection.execute("INSERT INTO t FROM given LIMIT 7")
    with pytest.raises(DataError, match="has changed: it had 6,000 observations at first, and now 6,007"):
        elcs.learn(asked, "VENTLUNG")


def test_a_level_that_turns_up_later_is_not_answered(rows: pl.DataFrame) -> None:
    connection = duckdb.connect()
    connection.register("given", rows.to_arrow())
    connection.execute("CREATE TABLE t AS FROM given")
    asked = elcs.Table.from_any(connection.table("t"), memory=TINY)
    connection.execute("UPDATE t SET PRESS = 'strange' WHERE PRESS = (SELECT min(PRESS) FROM t)")
    with pytest.raises(DataError, match="column 'PRESS' now holds 'strange'"):
        elcs.learn(asked, "VENTLUNG")


def test_values_that_are_missing_later_are_no_level(rows: pl.DataFrame) -> None:
    connection = duckdb.connect()
    connection.register("given", rows.to_arrow())
    connection.execute("CREATE TABLE t AS FROM given")
    asked = elcs.Table.from_any(connection.table("t"), memory=TINY)
    assert not asked.columns[asked.index("PRESS")].incomplete
    connection.execute("UPDATE t SET PRESS = NULL WHERE PRESS = (SELECT min(PRESS) FROM t)")
    with pytest.raises(DataError, match="has changed: column 'PRESS' now lacks values"):
        elcs.learn(asked, "VENTLUNG")


def test_an_engine_that_fails_half_way(rows: pl.DataFrame) -> None:
    connection = duckdb.connect()
    connection.register("given", rows.to_arrow())
    connection.execute("CREATE TABLE t AS FROM given")
    asked = elcs.Table.from_any(connection.table("t"), memory=TINY)
    connection.execute("DROP TABLE t")
    with pytest.raises(DataError, match="the duckdb table could not be asked for counts of .*t does not exist"):
        elcs.learn(asked, "VENTLUNG")


def test_a_connection_that_is_closed(rows: pl.DataFrame) -> None:
    connection = duckdb.connect()
    connection.register("t", rows.to_arrow())
    table = connection.table("t")
    connection.close()
    for ask in (lambda: elcs.learn(table, "c0"), lambda: elcs.describe(table)):
        with pytest.raises(DataError, match="the duckdb table could not be asked for its columns.*keep its connection"):
            ask()


def test_what_an_engine_cannot_be_asked(rows: pl.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise RuntimeError("not supported")

    monkeypatch.setattr(nw.LazyFrame, "filter", refuse)
    with pytest.raises(DataError, match="the polars table could not be asked for some of its rows: not supported"):
        elcs.learn(rows.lazy(), "c0", missing="drop")


def test_more_combinations_than_fit_are_refused_with_their_number(rows: pl.DataFrame) -> None:
    asked = elcs.Table.from_any(rows.lazy(), memory="2 kB")
    with pytest.raises(DataError, match=r"has more than \d+ different values, too many for the memory"):
        elcs.learn(rows.lazy(), "CVP", memory="0.03 kB", columns=["CVP", "VENTLUNG", "PRESS"])
    with pytest.raises(DataError, match=r"have more than \d+ combinations, too many for the memory"):
        elcs.learn(asked, "VENTLUNG")


@pytest.fixture
def queries(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Note how many rows each query returned."""
    seen: list[int] = []
    collect = Frame._collect

    def noted(self: Frame, frame: Any, what: str) -> Any:
        found = collect(self, frame, what)
        seen.append(len(found) if what.startswith("counts") else 0)
        return found

    monkeypatch.setattr(Frame, "_collect", noted)
    return seen


def test_no_query_returns_more_than_fits(rows: pl.DataFrame, queries: list[int]) -> None:
    elcs.learn(rows.lazy(), "VENTLUNG", memory=TINY)
    assert 0 < max(queries) <= 100_000 // (2 * 16)
    assert len(queries) < 20


def test_limits_let_no_guess_through(rows: pl.DataFrame, queries: list[int]) -> None:
    whole = elcs.Table.from_any(rows)
    for method, limits in (("elcs-exact", (0, 5, 40, 200)), ("elcs-hybrid", (40, 1000, 2000))):
        for limit in limits:
            table = elcs.Table.from_any(rows.lazy(), memory="300 kB")
            found = elcs.learn(table, "VENTLUNG", method=method, max_tests=limit)
            assert told(found) == told(elcs.learn(whole, "VENTLUNG", method=method, max_tests=limit))
        queries.clear()
        table = elcs.Table.from_any(rows.lazy(), memory=TINY, target="VENTLUNG")
        opened = len(queries)
        stopped = elcs.learn(table, "VENTLUNG", method=method, timeout=0)
        assert not stopped.complete
        assert len(queries) == opened
        exact = elcs.G2(whole)
        for cited in stopped.evidence.values():
            if cited.association is not None:
                assert cited.association.result == exact.test("VENTLUNG", cited.variable)


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT there")
@pytest.mark.skipif(duckdb.__version__ < "2", reason="a relation does not tell its connection")
def test_ctrl_c_cancels_the_query_and_keeps_what_is_settled(rows: pl.DataFrame, tmp_path: Path) -> None:
    rows.write_parquet(tmp_path / "rows.parquet")
    script = f"""
import os, signal, threading, time, duckdb, elcs
from elcs.cli.progress import stopped_by_ctrl_c
connection = duckdb.connect()
connection.execute("CREATE VIEW t AS FROM '{tmp_path}/rows.parquet'")
table = elcs.Table.from_any(connection.table("t"), memory="{TINY}", target="PRESS")
connection.execute(
    "CREATE OR REPLACE VIEW t AS SELECT p.* EXCLUDE i FROM range(100000000000) r "
    "JOIN (SELECT *, row_number() OVER () AS i FROM '{tmp_path}/rows.parquet') p ON p.i = r.range % 6000"
)
threading.Timer(2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
start = time.time()
with stopped_by_ctrl_c():
    result = elcs.learn(table, "c0")
print(result.complete, time.time() - start < 20)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout.split()) == (0, ["False", "True"]), done.stderr


@pytest.mark.parametrize("method", ["elcs-hybrid", "mmhc", "ges"])
def test_nothing_is_fetched_once_a_run_was_stopped(
    monkeypatch: pytest.MonkeyPatch, rows: pl.DataFrame, queries: list[int], method: str
) -> None:
    fetched, exact = Frame._collect, elcs.G2(rows)
    for before in range(6):
        table = elcs.Table.from_any(rows.lazy(), memory=TINY, target="VENTLUNG")
        opened = len(queries)

        def interrupted(self: Frame, frame: Any, what: str, last: int = opened + before) -> Any:
            found = fetched(self, frame, what)
            if len(queries) > last:
                raise elcs.BudgetError("stopped by Ctrl-C")
            return found

        with monkeypatch.context() as patch:
            patch.setattr(Frame, "_collect", interrupted)
            found = elcs.learn(table, "VENTLUNG", method=method)
        if found.complete:  # with fewer queries
            assert before
            break
        assert len(queries) == opened + before + 1
        for cited in found.evidence.values():
            if cited.association is not None:
                assert cited.association.result == exact.test("VENTLUNG", cited.variable)


def test_a_run_that_is_stopped_while_it_guesses(
    monkeypatch: pytest.MonkeyPatch, rows: pl.DataFrame, queries: list[int]
) -> None:
    guess, guessed = CubeTester._guess, [0]

    def interrupted(*given: Any) -> Any:
        guessed[0] += 1
        if guessed[0] == 5:
            raise elcs.BudgetError("stopped by Ctrl-C")
        return guess(*given)

    monkeypatch.setattr(CubeTester, "_guess", interrupted)
    table = elcs.Table.from_any(rows.lazy(), memory=TINY, target="VENTLUNG")
    opened = len(queries)
    assert not elcs.learn(table, "VENTLUNG", method="pc-stable").complete
    assert (len(queries), guessed) == (opened, [5])


def test_a_run_that_is_stopped_while_evidence_is_looked_up(monkeypatch: pytest.MonkeyPatch, rows: pl.DataFrame) -> None:
    whole = elcs.learn(rows, "c0", method="elcs-exact")
    table = elcs.Table.from_any(rows.lazy(), memory=TINY, target="c0")
    runs = [0]

    def interrupted(*given: Any) -> Any:
        runs[0] += 1
        if runs[0] == 1:
            raise elcs.BudgetError("stopped by Ctrl-C")
        return cite(*given)

    monkeypatch.setattr("elcs.answers.assembling.cite", interrupted)
    found = elcs.learn(table, "c0", method="elcs-exact")
    assert (told(found), runs) == (told(whole), [2])  # all that it takes was counted when the table was opened


# Files


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "COLUMNS": "200"}
    command = [sys.executable, "-c", "from elcs.cli import main; main()", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120)


def test_several_files_on_the_command_line(rows: pl.DataFrame, tmp_path: Path) -> None:
    rows[:2500].write_parquet(tmp_path / "a.parquet")
    rows[2500:].write_parquet(tmp_path / "b.parquet")
    rows.write_parquet(tmp_path / "all.pq")
    options = ["--target", "c0", "--method", "elcs-exact", "--stability", "0"]
    several = run("learn", str(tmp_path / "*.parquet"), *options)
    assert several.returncode == 0, several.stderr
    lines = [line for line in run("learn", str(tmp_path / "all.pq"), *options).stdout.splitlines() if " ms" not in line]
    assert [line for line in several.stdout.splitlines() if line in lines] == lines
    tiny = run("learn", str(tmp_path / "all.pq"), *options, "--engine", "duckdb", "--memory", TINY)
    assert [line for line in tiny.stdout.splitlines() if line in lines] == lines
    nothing = run("learn", str(tmp_path / "*.csv"), *options)
    assert (nothing.returncode, nothing.stderr.count("there is no file")) == (1, 1)


def test_text_that_duckdb_reads_means_the_same(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    lines = ["id,size,paid,note"]
    for i in range(2000):
        size = rng.normal()
        note = ["", "NA", " a", "a", "b"][rng.integers(5)]
        lines.append(f"{i},{size:.3f},{str(size > 0.2 * rng.normal()).lower()},{note}")
    (tmp_path / "t.csv").write_text("\n".join(lines))
    for keywords in ({"bins": 4}, {"bins": 4, "missing": "level"}):
        with pytest.warns(elcs.DataWarning, match="'id'"):
            read = elcs.Table.from_any(tmp_path / "t.csv", **keywords)
        for memory in (None, "40 kB"):
            with pytest.warns(elcs.DataWarning, match="'id'"):
                asked = elcs.Table.from_any(tmp_path / "t.csv", engine="duckdb", memory=memory, **keywords)
            assert (asked.names, asked.levels, asked.kinds) == (read.names, read.levels, read.kinds)
            mine, other = (elcs.learn(t, "paid", method="elcs-exact") for t in (asked, read))
            assert told(mine)["evidence"] == told(other)["evidence"]


@pytest.mark.parametrize("memory", [None, "3 kB"])
def test_weights_of_text_files(tmp_path: Path, memory: str | None) -> None:
    rng = np.random.default_rng(2)
    columns = {name: rng.integers(6, size=500) for name in "abcw"}
    pl.DataFrame(columns).write_csv(tmp_path / "t.csv")
    whole = elcs.Table.from_any(tmp_path / "t.csv", weights="w")
    asked = elcs.Table.from_any(tmp_path / "t.csv", weights="w", engine="duckdb", memory=memory)
    assert isinstance(asked, RemoteTable) == (memory is not None)
    assert elcs.G2(asked).test("a", "b") == elcs.G2(whole).test("a", "b")
    (tmp_path / "t.csv").write_text("a,b,w\n0,1,many\n1,0,1\n")
    with pytest.raises(DataError, match="t.csv' could not be asked for .*many"):
        elcs.Table.from_any(tmp_path / "t.csv", weights="w", engine="duckdb", memory=memory)


def test_files_larger_than_the_memory_that_may_be_used_are_asked(rows: pl.DataFrame, tmp_path: Path) -> None:
    rows.write_parquet(tmp_path / "rows.parquet")
    assert isinstance(elcs.Table.from_any(tmp_path / "rows.parquet", memory=TINY), RemoteTable)
    with pytest.raises(DataError, match="which DuckDB reads"):
        elcs.Table.from_any(tmp_path / "*.parquet", engine="memory")


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_the_columns_of_a_file_have_the_same_names_however_it_is_read(tmp_path: Path, format: str) -> None:
    rng = np.random.default_rng(0)
    names = ["status", "Status", 'a "b"', "x; y", "^k$", "*", "Status_1", "status (column 2)"]
    if format == "parquet":  # in text, blanks around a name do not count
        names += [" x", " X"]
    columns = {name: rng.integers(i, i + 3, size=300) for i, name in enumerate(names)}

    def write(frame: pl.DataFrame, path: Path) -> None:
        frame.write_csv(path) if format == "csv" else frame.write_parquet(path)

    write(pl.DataFrame(columns), tmp_path / f"all.{format}")
    read = elcs.Table.from_any(tmp_path / f"all.{format}")
    for part in (0, 1):
        write(pl.DataFrame(columns)[150 * part : 150 * (part + 1)], tmp_path / f"part{part}.{format}")
    for path in (f"all.{format}", f"part*.{format}"):
        for memory in (None, "1 kB"):
            asked = elcs.Table.from_any(tmp_path / path, engine="duckdb", memory=memory)
            assert (asked.names, asked.levels, asked.total) == (read.names, read.levels, 300)


def test_names_that_a_file_has_twice_are_told_however_it_is_read(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b,a,\n0,1,1,0\n1,0,1,1\n")
    pq.write_table(pa.table([[0, 1]] * 4, names=["a", "b", "a", ""]), tmp_path / "t.parquet")
    for path, engine in (("t.csv", "memory"), ("t.csv", "duckdb"), ("t.parquet", "duckdb")):
        with pytest.raises(DataError, match=rf"{path}'? has more than one column named 'a'") as refused:
            elcs.learn(tmp_path / path, "b", engine=engine)
        assert "columns without a name, at position 4" in str(refused.value)


# Spark


def test_spark(rows: pl.DataFrame) -> None:
    """Three targets through Spark on this machine; where there is no Java, that is said, and CI fails."""
    if shutil.which("java") is None:
        assert not os.environ.get("CI"), "CI needs Java, which Spark runs on: tools/install_java.sh"
        pytest.skip("there is no Java, which Spark runs on: make java")
    script = Path(__file__).parent / "asking_spark.py"
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=400)
    assert done.stdout.split() == ["same"] * 7, done.stderr[-2000:]
