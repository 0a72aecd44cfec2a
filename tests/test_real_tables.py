"""Real tables, taken as they are, get an answer, and the answer holds what everybody knows of them."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from sklearn import datasets

import elcs

KNOWN = {
    "diabetes": {"bmi", "s5"},
    "wine": {"proline", "flavanoids", "color_intensity"},
    "breast_cancer": {"worst texture"},
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
    assert result.settings["ci_test"] == "Mixed"
    assert KNOWN[name] <= set(result.neighbours)
    assert result.neighbours == elcs.learn(frame, "target").neighbours
    assert set(result.evidence) == set(frame) - {"target"}
    assert "NaN" not in result.to_json()
    assert "too few rows to test" not in result.explain()
    found = result.stability(20)
    assert any(found.shares[x].neighbour > 0.5 for x in KNOWN[name])


def test_an_identifier_and_a_recoding_are_told_apart_from_what_can_be_learnt() -> None:
    frame = load("breast_cancer")
    frame.insert(0, "patient", range(1, len(frame) + 1))
    frame["diagnosis"] = frame["target"].map({0: "malignant", 1: "benign"})
    with pytest.warns(elcs.DataWarning) as warned:
        result = elcs.learn(frame, "target")
    told = [str(warning.message) for warning in warned]
    assert any("left out columns: 'patient' (an identifier: it numbers the rows)" in text for text in told)
    assert any("column 'diagnosis' tells the target 'target' in every row" in text for text in told)
    assert "diagnosis" in result.neighbours
    assert "left out         patient (an identifier: it numbers the rows)" in str(result)
