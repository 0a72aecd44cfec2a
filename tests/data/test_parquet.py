"""Parquet files: the table that was written, whoever reads it, and how each way of being broken is told."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import parquet as pq

from elcs.data import Dataset
from elcs.data.sources import open_table
from elcs.errors import DataError, DataWarning

TEXTS = st.sampled_from(["x", "y", "", " ", "NA", "ü", "1", "007"]) | st.text(max_size=3)


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data(), st.integers(1, 30), st.integers(1, 30))
def test_a_file_is_the_table_that_was_written(tmp_path: Path, data: st.DataObject, n_rows: int, at_once: int) -> None:
    """Texts are read as codes, a group of rows at a time, and columns by name, which begins other names."""

    def column(values: st.SearchStrategy[Any], kind: pa.DataType) -> pa.Array:
        return pa.array(data.draw(st.lists(st.none() | values, min_size=n_rows, max_size=n_rows)), kind)

    written = pa.table(
        {
            "a": column(TEXTS, pa.string()),
            "a.b": column(TEXTS, pa.large_string()),
            "a.b.c": column(TEXTS, pa.string()).dictionary_encode(),
            "b": column(st.integers(0, 3), pa.int8()),
            "*": column(st.floats(0, 1), pa.float64()),
            "^b$": column(st.booleans(), pa.bool_()),
            "none": pa.nulls(n_rows),
            "when": column(st.dates(), pa.date32()),
        }
    )
    pq.write_table(written, tmp_path / "t.parquet", row_group_size=at_once)
    read, whole = (
        open_table(x, names=None, encoding="utf-8").load(written.column_names, ())
        for x in (tmp_path / "t.parquet", written)
    )
    assert list(read) == written.column_names
    for name, one in read.items():
        other = whole[name]
        assert one.codes.tolist() == other.codes.tolist()
        assert (one.levels, one.kind, one.has_missing) == (other.levels, other.kind, other.has_missing)


def test_a_text_that_no_row_has_is_no_level(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": ["x", "y", "y", "x"], "b": [0, 1, 0, 1]})
    table = pa.Table.from_pandas(frame)
    encoded = pa.DictionaryArray.from_arrays(pa.array([1, 2, 2, 1]), pa.array(["w", "x", "y"]))
    pq.write_table(table.set_column(0, "a", encoded), tmp_path / "t.parquet", store_schema=False)
    assert Dataset.from_any(tmp_path / "t.parquet").levels[0] == ("x", "y")


def test_only_what_is_wanted_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pd.DataFrame({f"c{i}": ["x", "y", "y", "x"] for i in range(9)}).to_parquet(tmp_path / "t.parquet")
    asked: list[list[str]] = []
    read = pq.ParquetFile.read

    def noted(file: pq.ParquetFile, columns: list[str]) -> pa.Table:
        asked.append(columns)
        return read(file, columns=columns)

    monkeypatch.setattr(pq.ParquetFile, "read", noted)
    assert Dataset.from_any(tmp_path / "t.parquet", columns=["c7", "c2"]).names == ("c2", "c7")
    assert asked == [["c2"], ["c7"]]


@pytest.mark.parametrize("library", ["pyarrow", "polars"])
def test_either_library_reads_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, library: str) -> None:
    frame = pd.DataFrame({"a": [2, 1, 2], "b": ["x", "y", "y"]})
    frame.to_parquet(tmp_path / "t.pq")
    importlib.import_module(library)  # while it can still find its own parts
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name == library)
    data = Dataset.from_any(tmp_path / "t.pq")
    assert data.levels == ((1, 2), ("x", "y"))
    assert [codes.tolist() for codes in data.codes] == [[1, 0, 1], [0, 1, 1]]


@pytest.mark.parametrize("library", ["pyarrow", "polars"])
def test_an_index_that_was_stored_is_no_column(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, library: str) -> None:
    frame = pd.DataFrame({"a": [2, 1, 2], "b": ["x", "y", "y"]}, index=[7, 3, 5])
    frame.to_parquet(tmp_path / "t.pq")
    frame.rename_axis("customer").to_parquet(tmp_path / "named.pq")
    importlib.import_module(library)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name == library)
    data = Dataset.from_any(tmp_path / "t.pq")
    assert (data.names, data.dropped) == (("a", "b"), ())
    with pytest.warns(DataWarning, match="'customer' .the row index of a data frame; reset_index"):
        assert Dataset.from_any(tmp_path / "named.pq").names == ("a", "b")
    assert Dataset.from_any(tmp_path / "named.pq", drop=["customer"]).names == ("a", "b")
    with pytest.raises(DataError, match="target 'customer' is the row index"):
        Dataset.from_any(tmp_path / "named.pq", target="customer")


def test_without_a_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    (tmp_path / "t.parquet").write_bytes(b"PAR1")
    with pytest.raises(DataError, match=r'pip install "elcs\[parquet\]"'):
        Dataset.from_any(tmp_path / "t.parquet")


@pytest.mark.parametrize("last", [["x", "y", "y"], [0, 1, 1]])
def test_a_name_twice(tmp_path: Path, last: list[object]) -> None:
    columns = [pa.array(["x", "y", "x"]), pa.array([0, 1, 1]), pa.array(last)]
    pq.write_table(pa.Table.from_arrays(columns, names=["a", "b", "a"]), tmp_path / "t.parquet")
    with pytest.raises(DataError, match=r"t\.parquet' has more than one column named 'a'"):
        Dataset.from_any(tmp_path / "t.parquet")


def test_a_broken_file(tmp_path: Path) -> None:
    (tmp_path / "t.parquet").write_bytes(b"PAR1 and nothing more")
    with pytest.raises(DataError, match=r"t\.parquet' cannot be read as Parquet"):
        Dataset.from_any(tmp_path / "t.parquet")
