"""Copies and recodings of a column are recognised, and nothing else is taken for one."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

import elcs
from elcs.data.determined import copies, entangled

RNG = np.random.default_rng(0)
WEIGHT = RNG.normal(3, 0.7, 200).round(3)
OTHER = {"noise": RNG.normal(size=200), "side": RNG.integers(0, 2, 200)}


@pytest.mark.parametrize(
    ("target", "copy"),
    [
        (WEIGHT < 2.5, WEIGHT),  # a number and its class
        (WEIGHT, WEIGHT < 2.5),
        (np.digitize(WEIGHT, [2, 3, 4]), WEIGHT),
        (WEIGHT, np.exp(-WEIGHT)),  # a number on another scale
        (RNG.integers(0, 3, 200), None),  # a recoding of labels
    ],
)
def test_copies_are_warned_about_by_name(target: Any, copy: Any) -> None:
    copy = np.array(["x", "y", "z"])[target] if copy is None else copy
    table = {"target": target, "copy": copy, **OTHER}
    assert entangled(elcs.Table.from_any(table), "target") == ["copy"]
    with pytest.warns(elcs.DataWarning, match=r"column 'copy' tells the target 'target' in every row.*drop="):
        elcs.learn(table, "target")
    elcs.learn(table, "target", drop=["copy"])


def test_what_is_only_close_is_no_copy() -> None:
    low = WEIGHT < 2.5
    almost = low.copy()
    almost[0] = not almost[0]
    towns = np.arange(200) // 2  # two rows for each tell anything by chance
    table = {"low": low, "almost": almost, "town": [f"t{i}" for i in towns], "near": WEIGHT + RNG.normal(0, 0.1, 200)}
    with pytest.warns(elcs.DataWarning, match="left out columns: 'town'"):
        assert entangled(elcs.Table.from_any({**table, **OTHER}), "low") == []


RAIN = RNG.normal(size=400)
TOWN = RNG.integers(0, 6, 400)
REST = {"x": RNG.normal(size=400), "y": RNG.integers(0, 3, 400), "z": RNG.integers(0, 2, 400)}
GAPS = RNG.random((2, 400)) < 0.2


@pytest.mark.parametrize(
    "copy",
    [
        {"a": RAIN, "b": np.exp(-RAIN)},
        {"a": np.digitize(RAIN, [-0.5, 0.5]), "b": RAIN},
        {"a": TOWN, "b": np.array(list("uvwxyz"))[TOWN]},
        {"a": np.array(list("uvwxyz"))[TOWN], "b": TOWN // 2},  # a town and its county
        {"a": np.where(GAPS[0], np.nan, RAIN), "b": np.where(GAPS[1], np.nan, 3 * RAIN)},
        {"a": np.where(GAPS[0], np.nan, TOWN), "b": np.where(GAPS[1], np.nan, 5 - TOWN)},
        {"a": np.where(GAPS[0], np.nan, RAIN), "b": np.where(GAPS[1], np.nan, RAIN > 0)},
    ],
    ids=range(7),
)
def test_columns_that_hold_the_same_thing_are_found(copy: Any) -> None:
    assert copies(elcs.Table.from_any({**REST, **copy}).columns) == [["a", "b"]]


def test_they_are_warned_about_in_one_line() -> None:
    table = {**REST, "rain": RAIN, "inches": RAIN / 25.4, "wet": RAIN > 0, "town": TOWN, "code": 10 - TOWN}
    with pytest.warns(elcs.DataWarning, match=r"'rain', 'inches' and 'wet'; 'town' and 'code'.*keep one") as warned:
        elcs.learn(table, "x")
    assert len(warned) == 1
    with pytest.warns(elcs.DataWarning, match="'rain', 'inches' and 'wet'"):
        elcs.learn_graph(table)
    with pytest.warns(elcs.DataWarning) as warned:  # what is said of the target is not said again
        elcs.learn(table, "rain")
    told = [str(warning.message) for warning in warned]
    assert ["'inches', 'wet' tell the target 'rain'" in told[0], "'town' and 'code'. " in told[1]] == [True, True]
    assert "'wet'" not in told[1]
    elcs.learn(table, "x", drop=["inches", "wet", "code"])


def test_what_nearly_agrees_is_not_the_same_thing() -> None:
    off = RAIN.copy()
    off[17] = -off[17]
    swapped = TOWN.copy()
    swapped[200] = (swapped[200] + 1) % 6
    rare = np.arange(400) == 5
    rarer = rare | (np.arange(400) == 300)
    table = {**REST, "a": RAIN, "b": off, "c": TOWN, "d": swapped, "e": rare, "f": rarer, "g": rare}
    assert copies(elcs.Table.from_any(table).columns) == []  # one row in which 'e' and 'g' agree is no sign


def test_looking_for_copies_is_cheap() -> None:
    rng = np.random.default_rng(0)
    shape = 10_000
    columns: dict[str, Any] = {f"n{i}": rng.normal(size=shape) for i in range(50)}
    columns |= {f"d{i}": rng.integers(0, 2 + i % 4, shape) for i in range(50)}
    table = elcs.Table.from_any(columns)
    took = []
    for _ in range(5):
        start = time.perf_counter()
        assert copies(table.columns) == []
        took.append(time.perf_counter() - start)
    assert min(took) < 0.3  # 0.03 s where nothing else runs
    wide = elcs.Table.from_any({f"c{i}": RAIN * (i + 1) for i in range(201)})
    assert copies(wide.columns) == []
