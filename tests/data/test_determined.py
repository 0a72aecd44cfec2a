"""Copies and recodings of a column are recognised, and nothing else is taken for one."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

import elcs
from elcs.data.determined import Tie, remarks, ties, ties_of

RNG = np.random.default_rng(0)
WEIGHT = RNG.normal(3, 0.7, 200).round(3)
OTHER = {"noise": RNG.normal(size=200), "side": RNG.integers(0, 2, 200)}


LEVELS = RNG.integers(0, 3, 200)


@pytest.mark.parametrize(
    ("target", "other", "said"),
    [
        (LEVELS, np.array(["x", "y", "z"])[LEVELS], "column 'other' holds the same thing as the target 'target'"),
        (WEIGHT, 5 - 2 * WEIGHT, "column 'other' holds the same thing as the target 'target'"),
        (WEIGHT < 2.5, WEIGHT, "'other' tells the target 'target' in every row; if one is made from the other"),
        (np.digitize(WEIGHT, [2, 3, 4]), WEIGHT, "'other' tells the target 'target' in every row; if"),
        (WEIGHT, WEIGHT < 2.5, "the target 'target' tells 'other' in every row; if one is made from the other"),
        (WEIGHT, np.exp(WEIGHT), "'other' rises with the target 'target' in every row; if one is made"),
        (WEIGHT, np.exp(-WEIGHT), "'other' falls as the target 'target' rises in every row; if one is made"),
    ],
    ids=range(7),
)
def test_what_the_target_has_to_do_with_others_is_warned_about(target: Any, other: Any, said: str) -> None:
    table = {"target": target, "other": other, **OTHER}
    with pytest.warns(elcs.DataWarning, match=rf"^{said}.*drop=") as warned:
        result = elcs.learn(table, "target")
    assert len(warned) == 1
    told = str(warned[0].message)
    assert result.to_dict()["data"]["remarks"] == [told]
    assert elcs.learn(table, "target", drop=["other"]).to_dict()["data"]["remarks"] == []


def test_what_is_only_close_is_no_copy() -> None:
    low = WEIGHT < 2.5
    almost = low.copy()
    almost[0] = not almost[0]
    towns = np.arange(200) // 2  # two rows for each tell anything by chance
    table = {"low": low, "almost": almost, "town": [f"t{i}" for i in towns], "near": WEIGHT + RNG.normal(0, 0.1, 200)}
    with pytest.warns(elcs.DataWarning, match="left out columns: 'town'"):
        assert ties_of(elcs.Table.from_any({**table, **OTHER}).columns, "low") == []


RAIN = RNG.normal(size=400)
TOWN = RNG.integers(0, 6, 400)
REST = {"x": RNG.normal(size=400), "y": RNG.integers(0, 3, 400), "z": RNG.integers(0, 2, 400)}
GAPS = RNG.random((2, 400)) < 0.2


@pytest.mark.parametrize(
    ("one", "other", "how"),
    [
        (RAIN, 3 - 2 * RAIN, "same"),
        (RAIN, np.exp(-RAIN), "falls"),
        (RAIN, RAIN**3, "rises"),
        (RAIN, np.digitize(RAIN, [-0.5, 0.5]), "tells"),
        (TOWN, np.array(list("uvwxyz"))[TOWN], "same"),
        (np.array(list("uvwxyz"))[TOWN], TOWN // 2, "tells"),  # a town and its county
        (np.where(GAPS[0], np.nan, RAIN), np.where(GAPS[1], np.nan, 3 * RAIN), "same"),
        (np.where(GAPS[0], np.nan, TOWN), np.where(GAPS[1], np.nan, 5 - TOWN), "same"),
        (np.where(GAPS[0], np.nan, RAIN), np.where(GAPS[1], np.nan, RAIN > 0), "tells"),
    ],
    ids=range(9),
)
def test_what_columns_have_to_do_with_each_other_is_found(one: Any, other: Any, how: Any) -> None:
    assert ties(elcs.Table.from_any({**REST, "a": one, "b": other}).columns) == [Tie("a", "b", how)]
    turned = elcs.Table.from_any({**REST, "b": other, "a": one})
    first, second = ("a", "b") if how == "tells" else ("b", "a")
    assert ties(turned.columns) == [Tie(first, second, how)]


def told_of(table: Any, target: str) -> list[str]:
    with pytest.warns(elcs.DataWarning) as warned:
        elcs.learn(table, target)
    return [str(warning.message).split(". They")[0].split("; if")[0] for warning in warned]


def test_each_sort_is_warned_about_in_one_line() -> None:
    table = {**REST, "rain": RAIN, "inches": RAIN / 25.4, "wet": RAIN > 0, "town": TOWN, "code": 10 - TOWN}
    assert told_of(table, "x") == [
        "these columns hold the same thing: 'rain' and 'inches'; 'town' and 'code'",
        "'rain' tells 'wet' in every row",
    ]
    with pytest.warns(elcs.DataWarning) as warned:
        graph = elcs.learn_graph(table)
    assert graph.to_dict()["data"]["remarks"] == [str(warning.message) for warning in warned]
    assert [line.split(". A copy")[0] for line in told_of(table, "rain")] == [
        "column 'inches' holds the same thing as the target 'rain'",
        "these columns hold the same thing: 'town' and 'code'",
        "the target 'rain' tells 'wet' in every row",
    ]
    elcs.learn(table, "x", drop=["inches", "wet", "code"])


def test_columns_that_follow_from_others_are_told() -> None:
    rng = np.random.default_rng(5)
    hour, minute, more = rng.integers(0, 24, 400), rng.integers(0, 60, 400), rng.normal(size=400)
    gaps = np.where(rng.random(400) < 0.3, np.nan, 2.0 * minute + 1)
    mostly_empty = np.where(rng.random(400) < 0.98, np.nan, rng.normal(size=400))
    table: dict[str, Any] = {"hour": hour, "minute": minute, "clock": 100 * hour + minute, "z": REST["z"], "more": more}
    (told,) = told_of(table, "z")
    assert told.startswith("'clock' follows from 'hour' and 'minute' in every row")
    assert told_of({**table, "rare": mostly_empty}, "z") == [told]
    (told,) = told_of({**table, "clock": more + gaps + hour}, "clock")
    assert told.startswith("the target 'clock' follows from 'hour', 'minute' and 'more' in every row")
    almost = 100 * hour + minute + (np.arange(400) == 17)
    assert remarks(elcs.Table.from_any({**table, "clock": almost}).columns) == []
    wide = elcs.Table.from_any({f"c{i}": rng.normal(size=25) for i in range(30)})
    assert remarks(wide.columns) == []  # with so few rows each follows from the others


def test_a_sum_is_noticed_though_its_terms_are_taken_for_levels() -> None:
    rng = np.random.default_rng(0)
    first, second, third = rng.integers(0, 4, (3, 500))
    table = {"first": first, "second": second, "third": third, "total": first + second + third, "other": first ^ 1}
    told = remarks(elcs.Table.from_any(table | {"words": np.array(list("ab"))[rng.integers(0, 2, 500)]}).columns)
    assert [text for text in told if text.startswith("'total' follows from 'first', 'second' and 'third' in every row")]
    table["total"][7] += 1
    assert not [text for text in remarks(elcs.Table.from_any(table).columns) if "'total'" in text]


def test_what_nearly_agrees_is_not_the_same_thing() -> None:
    off = RAIN.copy()
    off[17] = -off[17]
    swapped = TOWN.copy()
    swapped[200] = (swapped[200] + 1) % 6
    rare = np.arange(400) == 5
    rarer = rare | (np.arange(400) == 300)
    table = {**REST, "a": RAIN, "b": off, "c": TOWN, "d": swapped, "e": rare, "f": rarer, "g": rare}
    assert ties(elcs.Table.from_any(table).columns) == []  # one row in which 'e' and 'g' agree is no sign


def test_looking_for_copies_is_cheap() -> None:
    rng = np.random.default_rng(0)
    shape = 10_000
    columns: dict[str, Any] = {f"n{i}": rng.normal(size=shape) for i in range(50)}
    columns |= {f"d{i}": rng.integers(0, 2 + i % 4, shape) for i in range(50)}
    table = elcs.Table.from_any(columns)
    took = []
    for _ in range(5):
        start = time.perf_counter()
        assert remarks(table.columns) == []
        took.append(time.perf_counter() - start)
    assert min(took) < 0.3  # 0.03 s where nothing else runs
    wide = elcs.Table.from_any({f"c{i}": RAIN * (i + 1) for i in range(201)})
    assert remarks(wide.columns) == []
