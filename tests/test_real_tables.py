"""Real tables, taken as they are, get an answer, and the answer holds what everybody knows of them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import datasets

import elcs

KNOWN = {
    "diabetes": {"bmi", "s5"},
    "wine": {"proline", "flavanoids", "color_intensity"},
    "breast_cancer": {"texture"},  # the mean and the worst texture are the same thing, measured twice
    "iris": {"petal length (cm)", "petal width (cm)"},
}


def load(name: str) -> pd.DataFrame:
    options = {"scaled": False} if name == "diabetes" else {}
    frame: pd.DataFrame = getattr(datasets, f"load_{name}")(as_frame=True, **options).frame
    return frame


@pytest.mark.parametrize("name", KNOWN)
def test_numbers_and_levels_are_answered_without_options(name: str, tmp_path: Path) -> None:
    frame = load(name)
    frame.to_csv(tmp_path / "table.csv", index=False)
    result = elcs.learn(tmp_path / "table.csv", "target")
    assert result.complete
    assert result.settings["ci_test"] == "Careful"
    expected = [x for x in result.neighbours if any(known in x for known in KNOWN[name])]
    assert len(expected) == len(KNOWN[name])
    assert result.neighbours == elcs.learn(frame, "target").neighbours
    assert set(result.evidence) == set(frame) - {"target"}
    assert "NaN" not in result.to_json()
    assert "too few rows to test" not in result.explain()
    found = result.stability(20)
    assert any(found.shares[x].neighbour > 0.5 for x in expected)


def test_an_identifier_and_a_recoding_are_told_apart_from_what_can_be_learnt() -> None:
    frame = load("breast_cancer")
    frame.insert(0, "patient", range(1, len(frame) + 1))
    frame["diagnosis"] = frame["target"].map({0: "malignant", 1: "benign"})
    with pytest.warns(elcs.DataWarning) as warned:
        result = elcs.learn(frame, "target")
    told = [str(warning.message) for warning in warned]
    assert any("left out columns: 'patient' (an identifier: it numbers the rows)" in text for text in told)
    assert any("column 'diagnosis' holds the same thing as the target 'target'" in text for text in told)
    assert "diagnosis" in result.neighbours
    assert "left out         patient (an identifier: it numbers the rows)" in str(result)


def clinic(n: int = 600) -> pd.DataFrame:
    """Make a table such as a clinic keeps: numbers of patients, dates, codes for missing values, remarks, gaps."""
    rng = np.random.default_rng(7)
    admitted = pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 365 * 24 * 60, n), unit="min")
    age = rng.integers(18, 95, n)
    severity = rng.choice(["mild", "moderate", "severe"], n, p=[0.5, 0.3, 0.2])
    days = rng.gamma(2 + 2 * (severity == "severe"), 2, n).round(2)
    frame = pd.DataFrame(
        {
            "patient": [f"P{i:05d}" for i in rng.permutation(n)],
            "admitted": admitted,
            "discharged": admitted + pd.to_timedelta(days, unit="D").round("min"),
            "quarter": admitted.to_period("Q").to_timestamp(),
            "age": np.where(rng.random(n) < 0.02, -99, age),
            "weight_kg": np.where(rng.random(n) < 0.15, np.nan, rng.normal(75, 14, n).round(1)),
            "severity": severity,
            "severity_code": pd.Series(severity).map({"mild": 1, "moderate": 2, "severe": 3}),
            "pressure": [str(int(x)) if i % 20 else "?" for i, x in enumerate(rng.normal(125, 15, n))],
            "remark": [f"seen by nurse {i % 7}, bed {i}" for i in range(n)],
            "ward": "east",
        }
    )
    frame["stay"] = frame["discharged"] - frame["admitted"]
    return frame


TAKEN_FOR = {
    "admitted": "date",
    "discharged": "date",
    "quarter": "date",
    "age": "integer",
    "weight_kg": "number",
    "severity": "text",
    "severity_code": "integer",
}


@pytest.mark.parametrize("suffix", ["csv", "parquet", "frame"])
def test_a_clinic(suffix: str, tmp_path: Path) -> None:
    frame = clinic()
    table: Any = frame
    if suffix != "frame":
        table = tmp_path / f"clinic.{suffix}"
        frame.to_csv(table) if suffix == "csv" else frame.sample(frac=1, random_state=0).to_parquet(table)
    told = elcs.describe(table)
    lines = told.splitlines()
    listed = {line.split()[0]: line.split()[1] for line in lines[2:] if ": " not in line.split("  ")[0]}
    assert listed == TAKEN_FOR | ({"stay": "duration"} if suffix != "csv" else {})
    assert "left out: patient (an identifier: all values differ)" in lines
    assert "left out: ward (constant: always 'east')" in lines
    assert any(line.startswith("left out: pressure (") for line in lines)
    assert any(line.startswith("left out: remark (") for line in lines)
    assert ("left out: (column 1) (a row index without a name)" in lines) == (suffix == "csv")
    assert re.search(r"admitted +date +- +- +2023-01-0\d \d\d:\d\d:00 to 2023-12-\d\d \d\d:\d\d:00", told)
    assert re.search(r"quarter +date +4 +- +2023-01-01 \d+%, 2023-04-01 ", told)
    assert re.search(r"weight_kg +number +- +1[0-9]% ", told)
    assert "look at: 'age' has -99 in " in told
    assert "look at: 'pressure' has '?' in 30 rows where all others hold numbers" in told
    assert "hold the same thing: 'severity' and 'severity_code'. " in told
    assert "look at: 'admitted' tells 'quarter' in every row" in told
    assert ("'discharged' follows from 'admitted' and 'stay' in every row" in told) == (suffix != "csv")
    assert "problem: " not in told


def test_what_a_clinic_can_learn_from_whole_rows() -> None:
    frame = clinic().drop(columns=["patient", "remark", "ward", "pressure", "severity_code", "quarter", "discharged"])
    result = elcs.learn(frame, "stay", missing="drop")
    assert "severity" in result.neighbours
    assert result.complete
    assert result.profile is not None
    assert dict(zip(result.profile.names, result.profile.kinds, strict=True))["stay"] == "duration"


def test_sensors_with_clocks_in_two_zones(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    utc = pd.date_range("2024-03-30", periods=500, freq="17min", tz="UTC")
    frame = pd.DataFrame({"utc": utc, "berlin": utc.tz_convert("Europe/Berlin"), "t": rng.normal(size=500).round(2)})
    frame["hour"] = frame["utc"].dt.hour
    for table in (frame, tmp_path / "t.csv"):
        if isinstance(table, Path):
            frame.to_csv(table, index=False)
        read = elcs.Table.from_any(table)
        assert read.kinds == ("date", "date", "number", "integer")
        assert np.array_equal(read.columns[0].numbers(), read.columns[1].numbers())  # clocks change in between
        assert "'utc' and 'berlin'" in elcs.describe(table)


@pytest.mark.parametrize("name", ["wine", "breast_cancer", "diabetes", "iris", "linnerud"])
def test_known_tables_are_described_without_problems(name: str) -> None:
    told = elcs.describe(load(name))
    assert "problem: " not in told
    assert "left out: " not in told
    assert "code for missing" not in told
