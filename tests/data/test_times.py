"""Dates, durations and times of day are numbers, whatever they come in."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from elcs import G2, Mixed, Table, learn
from elcs.data import Numeric
from elcs.errors import DataError

N = 40
MOMENTS = [dt.datetime(2024, 2, 27, 6, 30) + i * dt.timedelta(hours=9, seconds=i) for i in range(N)]
DAYS = [(moment - dt.datetime(1970, 1, 1)) / dt.timedelta(days=1) for moment in MOMENTS]
SPANS = [dt.timedelta(minutes=7 * i, milliseconds=i) for i in range(N)]
CLOCKS = [dt.time(i % 24, i, i, 250_000) for i in range(N)]
OTHER = ["no", "yes"] * (N // 2)

BERLIN = [moment.replace(tzinfo=dt.timezone.utc).astimezone(dt.timezone(dt.timedelta(hours=1))) for moment in MOMENTS]

COLUMNS: list[tuple[Any, str, list[float]]] = [
    (MOMENTS, "date", DAYS),
    (BERLIN, "date", DAYS),
    (list(map(np.datetime64, MOMENTS)), "date", DAYS),
    (list(map(pd.Timestamp, MOMENTS)), "date", DAYS),
    (np.array(MOMENTS, dtype="M8[s]"), "date", DAYS),
    (np.array(MOMENTS, dtype="M8[ns]"), "date", DAYS),
    (pd.Series(MOMENTS), "date", DAYS),
    (pd.Series(MOMENTS, dtype=object), "date", DAYS),
    (pd.Series(MOMENTS).dt.tz_localize("UTC").dt.tz_convert("Europe/Berlin"), "date", DAYS),
    (pd.Series(MOMENTS, dtype=pd.ArrowDtype(pa.timestamp("us"))), "date", DAYS),
    (pl.Series(MOMENTS), "date", DAYS),
    (pl.Series(MOMENTS).dt.replace_time_zone("UTC").dt.convert_time_zone("Europe/Berlin"), "date", DAYS),
    (pa.chunked_array([pa.array(MOMENTS)]), "date", DAYS),
    (pa.chunked_array([pa.array(MOMENTS, pa.timestamp("ms", "Europe/Berlin"))]), "date", DAYS),
    ([moment.date() for moment in MOMENTS], "date", [day // 1 for day in DAYS]),
    (pl.Series([moment.date() for moment in MOMENTS]), "date", [day // 1 for day in DAYS]),
    (pa.chunked_array([pa.array([m.date() for m in MOMENTS], pa.date32())]), "date", [day // 1 for day in DAYS]),
    (pa.chunked_array([pa.array([m.date() for m in MOMENTS], pa.date64())]), "date", [day // 1 for day in DAYS]),
    (SPANS, "duration", [span.total_seconds() for span in SPANS]),
    (np.array(SPANS, dtype="m8[ms]"), "duration", [span.total_seconds() for span in SPANS]),
    (list(np.array(SPANS, dtype="m8[ms]")), "duration", [span.total_seconds() for span in SPANS]),
    (pd.Series(SPANS), "duration", [span.total_seconds() for span in SPANS]),
    (pl.Series(SPANS), "duration", [span.total_seconds() for span in SPANS]),
    (pa.chunked_array([pa.array(SPANS)]), "duration", [span.total_seconds() for span in SPANS]),
    (CLOCKS, "time", [i % 24 * 3600 + i * 61 + 0.25 for i in range(N)]),
    (pl.Series(CLOCKS), "time", [i % 24 * 3600 + i * 61 + 0.25 for i in range(N)]),
    (pa.chunked_array([pa.array(CLOCKS)]), "time", [i % 24 * 3600 + i * 61 + 0.25 for i in range(N)]),
]


def read(column: Any, **options: Any) -> Table:
    return Table.from_any({"x": column, "other": OTHER}, **options)


@pytest.mark.parametrize(("column", "kind", "values"), COLUMNS, ids=range(len(COLUMNS)))
def test_times_of_every_sort_are_numbers(column: Any, kind: str, values: list[float]) -> None:
    x = read(column).columns[0]
    assert isinstance(x, Numeric)
    assert x.taken_for == kind
    np.testing.assert_allclose(x.values, values, rtol=0, atol=1e-6)
    assert "1970" not in x.range


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        ([str(moment.date()) for moment in MOMENTS], [day // 1 for day in DAYS]),
        (list(map(str, MOMENTS)), DAYS),
        ([moment.isoformat() for moment in MOMENTS], DAYS),
        ([f"{moment.isoformat()}Z" for moment in MOMENTS], DAYS),
        ([f"{moment}.123" for moment in MOMENTS], [day + 0.123 / 86400 for day in DAYS]),
        (list(map(str, BERLIN)), DAYS),
        ([moment.strftime("%Y-%m-%dT%H:%M:%S%z") for moment in BERLIN], DAYS),
        (
            [f"{m:%Y-%m-%d %H:%M}" for m in MOMENTS],
            [day - m.second / 86400 for day, m in zip(DAYS, MOMENTS, strict=True)],
        ),
    ],
)
def test_dates_in_text_files(tmp_path: Path, cells: list[str], values: list[float]) -> None:
    x = from_file(tmp_path, cells).columns[0]
    assert isinstance(x, Numeric)
    assert x.taken_for == "date"
    np.testing.assert_allclose(x.values, values, rtol=0, atol=1e-9)


def from_file(folder: Path, cells: list[str], **options: Any) -> Table:
    path = folder / "t.csv"
    path.write_text("x,other\n" + "".join(f"{cell},{side}\n" for cell, side in zip(cells, OTHER, strict=False)))
    return Table.from_any(path, **options)


@pytest.mark.parametrize(
    "odd", ["2024-02-30", "2024-03", "yesterday", "2024-03-01 25:00", "2024-03-01T12:00Z", "24-03-01"]
)
def test_one_cell_that_is_no_such_date_makes_the_column_text(tmp_path: Path, odd: str) -> None:
    data = from_file(tmp_path, [*(["2024-03-01 12:00", "2024-03-02"] * 10)[:19], odd])
    assert data.kinds[0] == "text"
    assert odd in data.levels[0]


def test_gaps_between_dates() -> None:
    column: list[Any] = [None, *MOMENTS[1:-1], None]
    for gaps in (column, pd.Series(column), pl.Series(column), np.array(column, dtype="M8[us]"), [pd.NaT, *column[1:]]):
        x = read(gaps).columns[0]
        assert x.missing.tolist() == [True, *[False] * (N - 2), True]
        assert x.taken_for == "date"
    with pytest.raises(DataError, match="'x' holds fractions or dates, and missing='level' needs levels: pass bins=4"):
        read(column, missing="level")
    few: list[Any] = [None, dt.date(2024, 1, 1), dt.date(2024, 2, 1), dt.date(2024, 2, 1)] * 10
    assert read(few, missing="level").levels[0] == ("2024-01-01", "2024-02-01", "(missing)")


def test_few_dates_with_many_rows_each_are_levels(tmp_path: Path) -> None:
    months = [dt.date(2024, 1 + i % 3, 1) for i in range(N)]
    data = read(months)
    assert data.columns[0].kind == "discrete"
    assert data.kinds[0] == "date"
    assert data.levels[0] == ("2024-01-01", "2024-02-01", "2024-03-01")
    assert from_file(tmp_path, list(map(str, months))).levels == data.levels
    five = [dt.date(2024, 1 + i % 5, 1) for i in range(N)]  # eight rows for each are too few
    assert read(five).columns[0].kind == "numeric"
    assert read(months, kinds={"x": "number"}).columns[0].kind == "numeric"


def test_options_take_dates_as_they_take_numbers(tmp_path: Path) -> None:
    binned = read(MOMENTS, bins=2)
    assert binned.kinds[0] == "binned"
    assert binned.levels[0] == (f"[{MOMENTS[0]}, {MOMENTS[20]})", f"[{MOMENTS[20]}, {MOMENTS[-1]}]")
    months = [dt.date(2024, 1 + i % 3, 1) for i in range(N)]
    assert read(months, kinds={"x": "text"}).kinds[0] == "text"
    assert read(months, kinds={"x": "category"}).levels[0] == ("2024-01-01", "2024-02-01", "2024-03-01")
    cells = [f"{month}T00:00" for month in months]
    assert from_file(tmp_path, cells, kinds={"x": "text"}).levels[0][0] == "2024-01-01T00:00"
    days = read(months, kinds={"x": "number"}).columns[0].numbers()
    assert set(days) == {19723.0, 19754.0, 19783.0}
    with pytest.raises(DataError, match="'x' cannot be what kinds= says"):
        read(months, kinds={"x": "integer"})


def test_dates_with_and_without_a_zone_cannot_be_compared() -> None:
    with pytest.raises(DataError, match=r"'x' \(dates with a time zone and dates without\)"):
        read([*MOMENTS[1:], BERLIN[0]])


def test_what_tests_make_of_dates() -> None:
    rng = np.random.default_rng(0)
    day = np.datetime64("2020-01-01") + rng.integers(0, 1000, 500)
    price = (day - day.min()).astype(float) + rng.normal(0, 50, 500)
    table = {"day": day, "price": price, "noise": rng.normal(size=500)}
    assert learn(table, "price").neighbours == ("day",)
    assert not Mixed(table).independent("day", "price")
    with pytest.raises(
        DataError, match=r"'day', 'price', 'noise' hold fractional numbers, dates or times; pass bins=4"
    ):
        G2(table)
    week = np.datetime64("2020-01-01") + np.arange(500) % 14
    assert G2({"day": week, "side": np.arange(500) % 2}).test("day", "side").dof == 13


def test_a_constant_date_is_told_as_a_date() -> None:
    with pytest.warns(match="'x' .constant: always '2024-03-01'"):
        Table.from_any({"x": [dt.date(2024, 3, 1)] * N, "other": OTHER, "side": [0, 0, 1, 1] * 10})
