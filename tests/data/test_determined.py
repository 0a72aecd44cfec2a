"""Copies and recodings of a column are recognised, and nothing else is taken for one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import elcs
from elcs.data.determined import entangled

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
