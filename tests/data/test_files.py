"""Files: what is read from them, and how each way of being broken is told."""

from __future__ import annotations

import builtins
import gzip
import time
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from elcs.data import Dataset, files, prepare
from elcs.errors import DataError, DataWarning


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def column(tmp_path: Path, *cells: str, **options: Any) -> tuple[tuple[object, ...], str]:
    """Read a file with these cells in a column, and return its levels and its kind."""
    rows = "".join(f"{cell},{i % 2}\n" for i, cell in enumerate(cells))
    data = Dataset.from_any(write(tmp_path / "t.csv", "x,other\n" + rows), **options)
    return data.levels[0], data.kinds[0]


@pytest.mark.parametrize(
    ("cells", "levels", "kind"),
    [
        (["7", "-3", "0", "10"], (-3, 0, 7, 10), "integer"),
        (["007", "7", "12"], ("007", "12", "7"), "text"),
        (["1", "1.0", "2e0", "+3", "-0"], (0, 1, 2, 3), "integer"),
        (
            ["12345678901234567890123", "12345678901234567890124"],
            (12345678901234567890123, 12345678901234567890124),
            "integer",
        ),
        (["true", "FALSE", "True"], (False, True), "boolean"),
        (["true", "1"], ("1", "true"), "text"),
        (["b", "a", "B"], ("B", "a", "b"), "text"),
        (["None", "Mild", "none"], ("Mild", "None", "none"), "text"),
        (["1", "x"], ("1", "x"), "text"),
        (["1_000", "2"], ("1_000", "2"), "text"),
        (["inf", "x"], ("inf", "x"), "text"),
        (["inf", "-inf"], ("-inf", "inf"), "text"),
        (["1e999", "1"], ("1", "1e999"), "text"),
        (["9" * 5000, "1"], ("1", "9" * 5000), "text"),
        (['"a,b"', '"say ""hi"""', '"two\nlines"'], ("a,b", 'say "hi"', "two\nlines"), "text"),
        ([" a", "a ", "\ta", '" a "', "b"], ("a", "b"), "text"),
        ([" 1", "2 ", " 3 "], (1, 2, 3), "integer"),
    ],
)
def test_kinds_from_strings(tmp_path: Path, cells: list[str], levels: tuple[object, ...], kind: str) -> None:
    assert column(tmp_path, *cells) == (levels, kind)


@pytest.mark.parametrize("written", ["inf", "-inf", "Infinity", "+INF"])
def test_infinite_numbers_are_a_problem_as_in_a_data_frame(tmp_path: Path, written: str) -> None:
    for cells in ((written, "1", "2"), (written, "1.5", "2")):
        with pytest.raises(DataError, match="^column 'x' holds infinite numbers; replace them"):
            column(tmp_path, *cells)


def test_kinds_can_be_overridden(tmp_path: Path) -> None:
    assert column(tmp_path, "1.0", "1", "2", kinds={"x": "text"}) == (("1", "1.0", "2"), "text")
    assert column(tmp_path, "007", "12", kinds={"x": "integer"}) == ((7, 12), "integer")
    assert column(tmp_path, "0.5", "2.5", kinds={"x": "category"}) == ((0.5, 2.5), "category")


def test_fractions_need_bins(tmp_path: Path) -> None:
    assert column(tmp_path, "0.5", "1.5", ".25", "8.") == ((), "number")
    assert column(tmp_path, "0.5", "1.5", ".25", "8.", bins=2) == (("[0.25, 1.5)", "[1.5, 8]"), "binned")


@pytest.mark.parametrize("token", ["", "NA", "N/A", "NaN", "nan", "null", "NULL", '""', "  ", '" "'])
def test_missing_cells(tmp_path: Path, token: str) -> None:
    with pytest.raises(DataError, match=r"'x' \(2, first in line 3\)"):
        column(tmp_path, "1", token, "2", token, missing="error")
    assert column(tmp_path, "1", token, "2", missing="level") == ((1, 2, "(missing)"), "integer")


def test_missing_tokens_are_one_level(tmp_path: Path) -> None:
    assert column(tmp_path, "a", "NA", "", "nan", missing="level") == (("a", "(missing)"), "text")


def test_line_of_a_missing_cell_below_a_cell_of_several_lines(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"first in line 5"):
        column(tmp_path, '"one\ntwo"', "a", "", missing="error")


def test_line_of_a_missing_cell_below_blank_lines(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", "sep=,\n\na,b\n1,2\n\n2,\n")
    with pytest.raises(DataError, match=r"'b' \(1, first in line 6\)"):
        Dataset.from_any(path, missing="error")


def test_column_without_values(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", "x,y,z\n,1,a\nNA,2,b\n")
    with pytest.raises(DataError, match="no row has a value in column 'x'; leave it out with drop="):
        Dataset.from_any(path, missing="error")
    for missing in ("level", "testwise"):
        with pytest.warns(DataWarning, match="'x'"):
            assert Dataset.from_any(path, missing=missing).names == ("y", "z")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv", "a,b\n1,x\n2,y\n"),
        ("T.CSV", "a,b\n1,x\n2,y"),
        ("t.csv", "\ufeffa,b\n1,x\n2,y\n\n\n"),
        ("t.csv", "a,b\r\n1,x\r\n2,y\r\n"),
        ("t.csv", "a,b\r1,x\r2,y\r"),
        ("t.csv", "a;b\n1;x\n2;y\n"),
        ("t.txt", "a\tb\n1\tx\n2\ty\n"),
        ("t.txt", "a|b\n1|x\n2|y\n"),
        ("t.tsv", "a\tb\n1\tx\n2\ty\n"),
        ("t.tab", "a\tb\n1\tx\n2\ty\n"),
        ("t.csv", "a, b\n1, x\n2, y\n"),
        ("t.csv", " a ,b \n1 , x\n 2,y\t\n"),
        ("t.csv", "a,b\n\n1,x\n   \n\n2,y\n"),
        ("t.csv", "\n\na,b\n1,x\n2,y\n"),
        ("t.csv", "sep=;\na;b\n1;x\n2;y\n"),
        ("t.csv", '"sep=|"\r\na|b\r\n1|x\r\n2|y\r\n'),
        ("t.csv", "sep=\t\na\tb\n1\tx\n2\ty\n"),
    ],
)
def test_ways_to_write_a_file(tmp_path: Path, name: str, content: str) -> None:
    plain = write(tmp_path / name, content)
    zipped = write(tmp_path / f"{name}.gz", gzip.compress(content.encode()))
    for path in (plain, str(plain), zipped):
        data = Dataset.from_any(path)
        assert data.names == ("a", "b")
        assert data.levels == ((1, 2), ("x", "y"))


def test_a_tab_separated_file_may_hold_commas(tmp_path: Path) -> None:
    assert Dataset.from_any(write(tmp_path / "t.tsv", "a,1\tb\n1\tx\n2\ty\n")).names == ("a,1", "b")


def test_other_encodings(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", "Größe,b\nä,1\nö,2\n".encode("latin-1"))
    message = (
        r"t\.csv' is not in the encoding utf-8: byte 0xf6 in line 1; pass encoding='latin-1' \(--encoding latin-1\)"
    )
    with pytest.raises(DataError, match=message):
        Dataset.from_any(path)
    assert Dataset.from_any(path, encoding="latin-1").levels[0] == ("ä", "ö")
    with pytest.raises(DataError, match="no encoding 'latin-x'"):
        Dataset.from_any(path, encoding="latin-x")
    wide = write(tmp_path / "w.csv", "a,b\n1,2\n2,1\n".encode("utf-16"))
    with pytest.raises(DataError, match="byte 0xff in line 1; pass encoding='utf-16'"):
        Dataset.from_any(wide)
    assert Dataset.from_any(wide, encoding="utf-16").names == ("a", "b")


def test_a_bad_byte_far_down(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", b"a,b\n" + b"1,2\n2,1\n" * 100_000 + b"\xe4,2\n")
    with pytest.raises(DataError, match="byte 0xe4 in line 200002"):
        Dataset.from_any(path)


def test_rows_in_many_chunks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_BLOCK", 97)
    values = np.random.default_rng(0).integers(0, 300, (5003, 3))
    frame = pd.DataFrame(values, columns=["a", "b", "c"])
    frame.to_csv(tmp_path / "t.csv", index=False)
    data = Dataset.from_any(tmp_path / "t.csv")
    expected = Dataset.from_any(frame)
    assert data.levels == expected.levels
    assert all(map(np.array_equal, data.codes, expected.codes))
    assert [codes.dtype for codes in data.codes] == [np.uint16] * 3


def test_columns_that_are_not_wanted_are_not_looked_at(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", "a,n,b,c\n1,2,x,\n2,3,y,0.5\n")
    data = Dataset.from_any(path, drop=["c"], weights="n")
    assert data.names == ("a", "b")
    assert data.total == 5


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty"),
        ("\n \n\n", "holds nothing but blank lines"),
        ("sep=,\n", "holds nothing but blank lines"),
        ("a,b\n", "has a header but no rows"),
        ("a,b\n\n\n", "has a header but no rows"),
        ("a,b\n1,2\n1,2,3\n", "has 3 cells in line 3, and 2 in its header"),
        ("a,b\n1,2\n1\n", "has 1 cell in line 3, and 2 in its header"),
        ('a,b\n"1\n1",2\n1\n', "has 1 cell in line 4"),
        ("a,b\n1,2\n\n1,2\n1\n", "has 1 cell in line 5"),
        ("sep=,\n\na,b\n1,2\n1\n", "has 1 cell in line 5"),
        ('\na,b\n1,2\n\n"1,2\n', "cannot be split at line 5 .*quote"),
        ('a,b\n1,2\n"1,2\n3,4\n', "cannot be split at line 3 .*quote"),
        ('a,b\n1,2\n"1,2\n' + "3,4\n" * 100_000, "cannot be split at line 3 .*quote"),
        ('"a,b\n1,2\n', "cannot be split at line 1 .*quote"),
        ("a,b\n1,2\n1,\0\n", "has a NUL byte in line 3"),
        ("a,b,a,b\n1,2,1,2\n", r"t\.csv' has more than one column named 'a', 'b'"),
        ("0,0\n1,0\n", "named '0'; names must differ, and a file must have them in its first line"),
        (",b\n0,1\n0,2\n", r"t\.csv' has columns without a name, at position 1.*index=False"),
        ("a b\n1 2\n", "at least two columns are needed; the table has 1: 'a b'"),
    ],
)
def test_broken_text(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        Dataset.from_any(write(tmp_path / "t.csv", content))


def test_every_message_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"t\.csv' is empty"):
        Dataset.from_any(write(tmp_path / "t.csv", ""))


@pytest.mark.parametrize("filler", [b"x", b"1,", b"\n1"])
def test_a_line_that_never_ends_is_refused_early(tmp_path: Path, filler: bytes) -> None:
    path = tmp_path / "t.csv"
    with path.open("wb") as stream:
        stream.write(b'a,b\n"')
        for _ in range(200):
            stream.write(filler * (2**20 // len(filler)))
    start = time.perf_counter()
    tracemalloc.start()
    with pytest.raises(DataError, match=r"more than 16 MiB, line 2|cannot be split at line 2"):
        Dataset.from_any(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert time.perf_counter() - start < 5
    assert peak < 64 * 2**20


def test_a_sparse_file_of_nothing(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", "a,b\n")
    with path.open("r+b") as stream:
        stream.truncate(200 * 2**20)
    with pytest.raises(DataError, match="NUL byte in line 2"):
        Dataset.from_any(path)


def test_a_text_file_too_large_for_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "t.csv", "a,b\n" + "0,1\n1,0\n" * 50_000)
    monkeypatch.setattr(prepare, "available_memory", lambda: 50_000)
    with pytest.raises(DataError, match=r"too large: \d\d,000 rows x 2 columns"):
        Dataset.from_any(path)


def test_missing_file(tmp_path: Path) -> None:
    write(tmp_path / "customers.csv", "a,b\n")
    with pytest.raises(DataError, match=r"there is no file '.*costumers\.csv'; did you mean 'customers\.csv'"):
        Dataset.from_any(tmp_path / "costumers.csv")
    with pytest.raises(DataError, match="there is no file .*, and no folder '.*elsewhere' either"):
        Dataset.from_any(tmp_path / "elsewhere" / "t.csv")


def test_a_folder(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is a folder; give the file in it"):
        Dataset.from_any(tmp_path)


def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "t.csv", "a,b\n1,2\n")

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(builtins, "open", refuse)  # a mode would not stop a superuser
    with pytest.raises(DataError, match=r"t\.csv' cannot be read: Permission denied"):
        Dataset.from_any(path)


@pytest.mark.parametrize("name", ["t.xlsx", "t", "t.gz"])
def test_unknown_format(tmp_path: Path, name: str) -> None:
    with pytest.raises(DataError, match=r"cannot tell the format .*\.csv \.tsv .*\.parquet \.pq"):
        Dataset.from_any(write(tmp_path / name, "a,b\n1,2\n"))


@pytest.mark.parametrize("broken", [b"a,b\n1,2\n", gzip.compress(b"a,b\n1,2\n" * 99)[:-9]], ids=["plain", "cut"])
def test_broken_gzip(tmp_path: Path, broken: bytes) -> None:
    with pytest.raises(DataError, match=r"t\.csv\.gz' is not a valid gzip file"):
        Dataset.from_any(write(tmp_path / "t.csv.gz", broken))


def test_gzip_with_a_wrong_sum(tmp_path: Path) -> None:
    broken = bytearray(gzip.compress(b"a,b\n" + b"1,2\n" * 99))
    broken[-8] ^= 1
    with pytest.raises(DataError, match="is not a valid gzip file"):
        Dataset.from_any(write(tmp_path / "t.csv.gz", bytes(broken)))


def test_an_arrow_table_knows_its_index() -> None:
    frame = pd.DataFrame({"a": [2, 1, 2], "b": ["x", "y", "y"]}, index=[7, 3, 5])
    assert Dataset.from_any(pa.Table.from_pandas(frame)).names == ("a", "b")
    with pytest.warns(DataWarning, match="the row index of a data frame"):
        assert Dataset.from_any(pa.Table.from_pandas(frame.rename_axis("i"))).names == ("a", "b")


@pytest.mark.parametrize(
    "index",
    [
        [1, 0, 2],
        [7, 3, 5],
        ["Fee82", "Fee85", "Hall85"],
        [1962.25, 1962.5, 1962.75],
        ["2024-01-01", "2024-01-02", "2024-01-03"],
        [None] * 3,
    ],
)
def test_row_names_that_pandas_or_r_wrote_to_text_are_no_column(tmp_path: Path, index: list[object]) -> None:
    frame = pd.DataFrame({"a": [2, 1, 2], "b": ["x", "y", "y"]}, index=index)
    frame.to_csv(tmp_path / "t.csv")
    with pytest.warns(DataWarning, match=r"left out columns: '\(column 1\)' \(a row index without a name\)"):
        assert Dataset.from_any(tmp_path / "t.csv").names == ("a", "b")


@pytest.mark.parametrize("index", [[1, 1, 2], ["x", None, "y"]])
def test_a_column_without_a_name_that_may_hold_something_is_refused(tmp_path: Path, index: list[object]) -> None:
    pd.DataFrame({"a": [2, 1, 2], "b": ["x", "y", "y"]}, index=index).to_csv(tmp_path / "t.csv")
    with pytest.raises(DataError, match=r"t\.csv' has columns without a name, at position 1.*index=False"):
        Dataset.from_any(tmp_path / "t.csv")
