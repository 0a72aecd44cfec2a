"""Copies of the distinct rows of a table: the answers are those of the rows, and the table is asked once."""

from __future__ import annotations

import gc
import os
import signal
import threading
import warnings
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from time import monotonic
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import elcs
from elcs import DataError
from elcs.cli.progress import stopped_by_ctrl_c
from elcs.data.warehouse import storing
from elcs.data.warehouse.frames import Frame
from elcs.data.warehouse.remote import RemoteTable
from elcs.data.warehouse.storing import Store

SMALL = "150 kB"
"""So much memory that the distinct rows below do not fit."""


@pytest.fixture(autouse=True)
def few_rows_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Copy the distinct rows of small tables too."""
    monkeypatch.setattr("elcs.data.warehouse.survey.COPIED_FROM", 0)


@pytest.fixture(scope="module")
def rows() -> pl.DataFrame:
    """Rows of Alarm, a seventh of them distinct, with gaps, a rare level, a column of many levels, and weights."""
    names = ["HISTORY", "CVP", "PCWP", "HYPOVOLEMIA", "LVEDVOLUME", "LVFAILURE", "STROKEVOLUME", "HR", "CO", "HRBP"]
    table = elcs.networks.load("alarm").sample(20_000, random_state=11)
    rng = np.random.default_rng(3)
    columns: dict[str, list[Any]] = {}
    for name in names:
        codes, levels = table.codes[table.index(name)], table.levels[table.index(name)]
        columns[name] = [str(levels[code]) for code in codes]
    columns["CVP"] = [
        None if gap else text for gap, text in zip(rng.random(20_000) < 0.02, columns["CVP"], strict=True)
    ]
    columns["many"] = [f"level {n}" for n in rng.integers(20, size=20_000) // (1 + (np.array(columns["CO"]) == "LOW"))]
    columns["rare"] = ["a", "b"] * 9_999 + ["seldom", "other"]
    columns["times"] = rng.integers(1, 3, size=20_000).tolist()
    return pl.DataFrame(columns)


OPEN: list[duckdb.DuckDBPyConnection] = []
"""The connections of relations; older versions of DuckDB close those that nobody holds."""


def relation(rows: pl.DataFrame) -> Any:
    """Return rows as a relation of DuckDB."""
    connection = duckdb.connect()
    OPEN.append(connection)
    connection.register("given", rows.to_arrow())
    connection.execute("CREATE TABLE t AS FROM given")
    return connection.table("t")


def copied(rows: pl.DataFrame, **reading: Any) -> RemoteTable:
    """Open rows in DuckDB, by a copy."""
    table = elcs.Table.from_any(relation(rows), **{"memory": SMALL, **reading})
    assert isinstance(table, RemoteTable)
    assert table.copy is not None
    return table


def told(result: Any) -> dict[str, Any]:
    """All that an answer says, but for what it cost and how the table was read."""
    return {**result.to_dict(), "seconds": 0, "n_computed": 0, "n_tests": 0, "settings": {}}


@pytest.mark.parametrize("method", ["elcs-hybrid", "elcs-exact", "iamb"])
@pytest.mark.parametrize(
    "reading",
    [{}, {"missing": "level"}, {"missing": "drop"}, {"weights": "times"}, {"drop": ["many"], "memory": "60 kB"}],
)
def test_the_answer_is_that_of_the_rows(rows: pl.DataFrame, reading: dict[str, Any], method: str) -> None:
    asked = copied(rows, **reading)
    whole = elcs.Table.from_any(rows, **{name: value for name, value in reading.items() if name != "memory"})
    question = elcs.blanket if method == "iamb" else elcs.learn
    for target in ("CO", "LVEDVOLUME"):
        assert told(question(asked, target, method=method)) == told(question(whole, target, method=method))


def test_the_default_method_is_that_of_rows_at_hand(rows: pl.DataFrame) -> None:
    asked = copied(rows)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        graph = elcs.learn_graph(asked)
        compared = elcs.compare(asked, "CO")
    assert graph.method == "elcs-hybrid"
    assert told(graph) == told(elcs.learn_graph(rows))
    assert next(iter(compared.results)) == "elcs-hybrid"


def test_the_table_is_asked_once_and_left_as_it_was(rows: pl.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    connection = duckdb.connect()
    connection.register("given", rows.to_arrow())
    table = elcs.Table.from_any(connection.table("given"), memory=SMALL)
    assert not connection.execute("SELECT * FROM duckdb_tables()").fetchall()
    connection.close()

    def asked(self: Frame, query: Any, what: str) -> Any:
        raise AssertionError(what)

    monkeypatch.setattr(Frame, "_collect", asked)
    result = elcs.learn(table, "CO")
    assert result.stability(4).n_samples == 4
    assert told(result) == told(elcs.learn(rows, "CO"))


def test_quantities_that_are_cut() -> None:
    rng = np.random.default_rng(0)
    cause = rng.normal(size=9000).round(2)
    table = {"cause": cause, "effect": (cause + rng.normal(size=9000)).round(2), "other": rng.integers(0, 3, 9000)}
    whole = elcs.Table.from_any(table, bins=3)
    asked = copied(pl.DataFrame(table), bins=3, memory="20 kB")
    assert asked.levels == whole.levels
    assert elcs.G2(asked).test("cause", "effect", ["other"]) == elcs.G2(whole).test("cause", "effect", ["other"])


@pytest.mark.parametrize(
    "values",
    [
        [date(2024, 1, 1) + timedelta(days=n) for n in range(30)],
        [datetime(2024, 1, 1, 12) + timedelta(hours=n) for n in range(30)],
        [Decimal(n) / 4 for n in range(30)],
        [2**40 + n for n in range(30)],
        [n / 8 for n in range(30)],
        [f"{n} ' \" \0 漢" for n in range(30)],
        [time(10, n) for n in range(30)],
    ],
    ids=["date", "datetime", "decimal", "integer", "fraction", "text", "time"],
)
def test_values_of_any_kind_come_back_as_they_were(values: list[Any]) -> None:
    """Columns of so many levels are no parts of numbers."""
    picked, others = np.random.default_rng(1).integers([[30], [4]], size=(2, 6000))
    columns = {"y": picked % 3 == 0, "z": np.arange(6000) % 5, "w": others, "v": (others + picked) % 7}
    frame = pl.DataFrame({"x": [values[n] for n in picked], **columns})
    kinds = {"x": "category"}
    whole = elcs.Table.from_any(frame, kinds=kinds)
    asked = copied(frame, kinds=kinds, memory="30 kB")
    assert asked.levels == whole.levels
    assert elcs.G2(asked).test("x", "y", ["z"]) == elcs.G2(whole).test("x", "y", ["z"])


def test_a_level_that_no_sample_has(rows: pl.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("elcs.data.warehouse.frames.SAMPLE_ROWS", 1000)
    fetched, fill = [0], Store.fill

    def noted(*given: Any) -> bool:
        fetched[0] += 1
        return fill(*given)

    monkeypatch.setattr(Store, "fill", noted)
    asked, whole = copied(rows), elcs.Table.from_any(rows)
    assert fetched[0] == 2  # it was noticed, and then fetched as it is
    assert asked.levels == whole.levels
    assert elcs.G2(asked).test("rare", "CO", ["HR"]) == elcs.G2(whole).test("rare", "CO", ["HR"])


def test_where_most_rows_differ_none_is_copied(rows: pl.DataFrame) -> None:
    differing = rows.with_columns(
        extra=pl.Series([f"level {n}" for n in np.random.default_rng(0).integers(40, size=20_000)])
    )
    table = elcs.Table.from_any(relation(differing), memory=SMALL)
    assert isinstance(table, RemoteTable)
    assert table.copy is None
    assert not table.quick


# Half-samples


def halves_of(table: RemoteTable, seed: int) -> tuple[RemoteTable, RemoteTable]:
    one, other = table.halves(np.random.default_rng(seed))
    assert isinstance(one, RemoteTable)
    assert isinstance(other, RemoteTable)
    return one, other


def counts_of(table: RemoteTable) -> dict[tuple[Any, ...], int]:
    """Return how often each distinct row occurs, by what it holds."""
    assert table.copy is not None
    factors, counts = table.copy.count(range(len(table.names)), 10**6) or ([], np.zeros(0, dtype=np.int64))
    values = [[[*factor.levels, None][code] for code in factor.codes] for factor in factors]
    return dict(zip(zip(*values, strict=True), counts.tolist(), strict=True))


@pytest.mark.parametrize("weights", [None, "times"])
def test_two_halves_are_the_whole(rows: pl.DataFrame, weights: str | None) -> None:
    table = copied(rows, weights=weights, **({} if weights else {"drop": ["times"]}))
    one, other = halves_of(table, 0)
    assert one.total + other.total == table.total
    assert abs(one.total - other.total) < 5 * table.total**0.5
    whole, *halves = map(counts_of, (table, one, other))
    assert {row: sum(half.get(row, 0) for half in halves) for row in whole} == whole
    often = max(whole, key=lambda row: whole[row])
    assert abs(halves[0][often] - halves[1][often]) < 5 * whole[often] ** 0.5


def test_halves_depend_on_the_rows_and_the_seed_alone(rows: pl.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not on the order of the rows, on threads, or on which columns are parts of numbers."""
    monkeypatch.setattr(storing, "AT_ONCE", 2048)
    first = counts_of(halves_of(copied(rows), 7)[0])
    assert first == counts_of(halves_of(copied(rows.sample(fraction=1, shuffle=True, seed=5)), 7)[0])
    assert first != counts_of(halves_of(copied(rows), 8)[0])
    monkeypatch.setattr("elcs.data.warehouse.packing.MOST_LEVELS", 3)
    assert first == counts_of(halves_of(copied(rows), 7)[0])


def test_halves_do_not_depend_on_rows_that_are_read_as_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blanks, and whatever is in a column that is left out, are distinct where the table lives."""
    monkeypatch.setattr(storing, "AT_ONCE", 2048)
    rng = np.random.default_rng(4)
    columns = {f"c{n}": rng.integers(4, size=12_000).astype(str) for n in range(5)}
    blank = pl.Series([[None, "", " ", "x", "y"][n] for n in rng.integers(5, size=12_000)])
    rows = pl.DataFrame(columns).with_columns(blank=blank, left=pl.Series([None, "one"] * 6000))
    found = []
    for threads, seed in ((1, None), (2, 0), (2, 1)):
        shuffled = rows if seed is None else rows.sample(fraction=1, shuffle=True, seed=seed)
        asked = relation(shuffled)
        OPEN[-1].execute(f"SET threads = {threads}")
        with pytest.warns(elcs.DataWarning, match="left out columns: 'left'"):
            table = elcs.Table.from_any(asked, memory="100 kB")
        assert isinstance(table, RemoteTable)
        half = halves_of(table, 3)[0]
        found.append((half.total, elcs.G2(half).test("c0", "blank", ["c1", "c2"])))
    assert found[0] == found[1] == found[2]


def test_a_half_of_a_half(rows: pl.DataFrame) -> None:
    one, _ = halves_of(copied(rows), 0)
    quarters = halves_of(one, 1)
    assert sum(quarter.total for quarter in quarters) == one.total
    counts = list(map(counts_of, quarters))
    assert {row: sum(some.get(row, 0) for some in counts) for row in counts_of(one)} == counts_of(one)


def test_ctrl_c_while_halves_are_drawn(rows: pl.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    table = copied(rows)
    assert table.copy is not None
    fill = Store.fill

    def slow(self: Store, name: str, batches: Any, columns: str = "*") -> bool:
        fill(self, name, batches, columns)
        os.kill(os.getpid(), signal.SIGINT)
        self.connection.execute("SELECT count(*) FROM range(100000000000) r(i) WHERE hash(i) % 7 = 3")
        return True

    with monkeypatch.context() as patch:
        patch.setattr(Store, "fill", slow)
        start = monotonic()
        with pytest.raises((KeyboardInterrupt, elcs.BudgetError)), stopped_by_ctrl_c():
            table.halves(np.random.default_rng(0))
        assert monotonic() - start < 20
    gc.collect()
    assert len(table.copy._store.connection.execute("SHOW TABLES").fetchall()) == 1
    assert sum(half.total for half in halves_of(table, 0)) == table.total


def test_a_half_answers_as_its_rows_in_memory(rows: pl.DataFrame) -> None:
    for half in halves_of(copied(rows), 2):
        counts = counts_of(half)
        columns = dict(zip(half.names, zip(*counts, strict=True), strict=True))
        whole = elcs.Table.from_any({**columns, "weight": [*counts.values()]}, weights="weight")
        for question in (["HR", "CO"], ["CVP", "PCWP", "LVEDVOLUME"], ["HISTORY", "CO", "many", "rare"]):
            x, y, *given = question
            assert elcs.G2(half).test(x, y, given) == elcs.G2(whole).test(x, y, given)


def test_the_tables_of_halves_go_with_them(rows: pl.DataFrame) -> None:
    table = copied(rows)
    assert table.copy is not None
    connection = table.copy._store.connection

    def n_tables() -> int:
        gc.collect()
        return len(connection.execute("SHOW TABLES").fetchall())

    halves = halves_of(table, 0)
    both = n_tables()
    halves = halves[:1]  # type: ignore[assignment]
    assert n_tables() == both  # they share one
    del halves
    assert n_tables() == both - 1
    elcs.stability(table, "CO", method="elcs-exact", n_samples=6)
    assert n_tables() == both - 1


def test_a_table_goes_while_another_is_asked() -> None:
    """Whoever holds it last may be anywhere, and a connection that is busy takes no other query."""
    store = Store(0, 1)
    lent = [store.lend()]
    store.fill(lent[0].table, [pa.table({"x": [1]})])
    endless = "SELECT count(*) FROM range(100000000000) r(i) WHERE hash(i) % 7 = 3"

    def ask() -> None:
        with pytest.raises(duckdb.Error):
            store.connection.execute(endless)

    asking = threading.Thread(target=ask)
    asking.start()
    lent.clear()
    gc.collect()
    assert asking.is_alive()
    store.connection.interrupt()
    while asking.is_alive():
        store.connection.interrupt()  # again: it may not have begun
        asking.join(0.1)
    assert not store.connection.execute("SHOW TABLES").fetchall()


# What can go wrong


def test_what_does_not_fit_goes_to_a_file_that_goes_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(storing, "LEAST_MEMORY", 48_000_000)
    connection = duckdb.connect()
    numbers = ", ".join(f"chr((65 + hash(i // 8 + {n}) % 20)::INT) AS c{n}" for n in range(40))
    connection.execute(f"CREATE TABLE t AS SELECT {numbers} FROM range(1600000) r(i)")
    table = elcs.Table.from_any(connection.table("t"), memory="12 MB")
    assert isinstance(table, RemoteTable)
    assert table.copy is not None
    assert table.copy.n_rows == 200_000
    (directory,) = tmp_path.iterdir()
    assert directory.stat().st_mode & 0o077 == 0  # nobody else reads it
    used = table.copy._store.connection.execute("SELECT sum(memory_usage_bytes) FROM duckdb_memory()").fetchall()
    assert used[0][0] <= 48_000_000 < 200_000 * 40 * 16
    assert elcs.G2(table).test("c0", "c1").n_rows == 1_600_000
    del table
    gc.collect()
    assert not any(tmp_path.iterdir())


def test_without_room_for_the_file_only_counts_are_fetched(rows: pl.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: Store, table: str, batches: Any, columns: str) -> None:
        next(batches)  # which leaves others to be fetched
        raise duckdb.OutOfMemoryException("failed to offload data block")

    monkeypatch.setattr(Store, "fill", full)
    monkeypatch.setattr(storing, "AT_ONCE", 2048)
    table = elcs.Table.from_any(relation(rows), memory=SMALL)
    assert isinstance(table, RemoteTable)
    assert table.copy is None
    assert told(elcs.learn(table, "CO", method="elcs-exact")) == told(elcs.learn(rows, "CO", method="elcs-exact"))


def test_without_a_place_for_the_file_only_counts_are_fetched(
    rows: pl.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", "/nowhere")
    table = elcs.Table.from_any(relation(rows), memory=SMALL)
    assert isinstance(table, RemoteTable)
    assert table.copy is None


def test_counts_that_do_not_fit_into_the_copy_are_split(rows: pl.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of single questions are refused with their number."""
    table, other = copied(rows), copied(rows)
    ask, most = Store.ask, [0.0]

    def full(self: Store, query: str) -> Any:
        found = ask(self, query)
        if "GROUP BY" in query and len(found) > most[0]:
            raise duckdb.OutOfMemoryException("failed to allocate data")
        return found

    monkeypatch.setattr(Store, "ask", full)
    most[0] = 600
    found = elcs.learn(table, "CO", method="elcs-exact", max_cond_size=1)
    assert told(found) == told(elcs.learn(rows, "CO", method="elcs-exact", max_cond_size=1))
    most[0] = 1
    with pytest.raises(DataError, match=r"have more than [\d,]+ combinations, too many for the memory"):
        elcs.learn(other, "CO", method="elcs-exact")


@pytest.mark.parametrize("weights", ["n / 2.0", "n::DOUBLE / 2", "CASE WHEN n = 1 THEN 'inf'::DOUBLE ELSE n END"])
def test_weights_with_fractions_are_refused(weights: str) -> None:
    connection = duckdb.connect()
    connection.execute(
        f"CREATE TABLE t AS SELECT a::VARCHAR AS a, b::VARCHAR AS b, {weights} AS w "
        "FROM range(7) r(a), range(5) s(b), range(3) t(n)"
    )
    for memory in ("1 kB", None):
        with pytest.raises(DataError, match="weights= has fractions"):
            elcs.Table.from_any(connection.table("t"), weights="w", memory=memory)


def test_what_a_column_is_taken_for(rows: pl.DataFrame) -> None:
    """An ENUM is a category, however it is counted."""
    connection = duckdb.connect()
    connection.register("given", rows.to_arrow())
    connection.execute("CREATE TYPE levels AS ENUM (SELECT DISTINCT many FROM given)")
    connection.execute("CREATE TABLE t AS SELECT * REPLACE (many::levels AS many) FROM given")
    asked = elcs.Table.from_any(connection.table("t"), memory=SMALL)
    whole = elcs.Table.from_any(connection.table("t"))
    assert isinstance(asked, RemoteTable)
    assert asked.describe().splitlines() == whole.describe().splitlines()


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ("CREATE OR REPLACE VIEW v AS FROM t LIMIT 0", "has changed: it had 20,000 observations at first, and now 0"),
        ("CREATE OR REPLACE VIEW v AS FROM t LIMIT 19999", "has changed: it had 20,000 observations at first, and now"),
        ("DROP VIEW v", "could not be asked for its distinct rows: "),
        (
            "CREATE OR REPLACE VIEW v AS SELECT * REPLACE (error('no more')::VARCHAR AS CO) FROM t",
            "distinct rows: .*no more",
        ),
    ],
)
def test_a_table_that_changes_or_fails_while_it_is_copied(
    rows: pl.DataFrame, monkeypatch: pytest.MonkeyPatch, change: str, what: str
) -> None:
    connection = duckdb.connect()
    connection.register("given", rows.to_arrow())
    connection.execute("CREATE TABLE t AS FROM given")
    connection.execute("CREATE VIEW v AS FROM t")
    fill = Store.fill

    def changed(self: Store, table: str, batches: Any, columns: str = "*") -> bool:
        connection.execute(change)
        return fill(self, table, batches, columns)

    monkeypatch.setattr(Store, "fill", changed)
    with pytest.raises(DataError, match=what):
        elcs.Table.from_any(connection.sql("FROM v"), memory=SMALL)


@pytest.mark.skipif(duckdb.__version__ < "2", reason="a relation does not tell its connection")
def test_ctrl_c_while_rows_are_copied(rows: pl.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    connection = duckdb.connect()
    connection.register("given", rows.to_arrow())
    connection.execute("CREATE TABLE t AS FROM given")
    connection.execute("CREATE VIEW v AS FROM t")
    fill = Store.fill

    def endless(self: Store, table: str, batches: Any, columns: str = "*") -> bool:
        connection.execute("CREATE OR REPLACE VIEW v AS SELECT t.* FROM t, range(100000000000)")
        threading.Timer(1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        return fill(self, table, batches, columns)

    monkeypatch.setattr(Store, "fill", endless)
    start = monotonic()
    with pytest.raises((KeyboardInterrupt, elcs.BudgetError)), stopped_by_ctrl_c():
        elcs.Table.from_any(connection.sql("FROM v"), memory=SMALL)
    assert monotonic() - start < 20
