"""What answers say about the table behind them: its rows, the test, what is missing and how that was treated."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest
from making import Testwise, graph_of, houses, houses_with_gaps

import elcs
from elcs.data.profile import profile

GAPS = "  312 of 10,000 values missing (age 250, tax 62)"
USES = "; each test uses the rows that have its columns: {} at the least, 1,938 in the middle"


@pytest.fixture(scope="module")
def gappy() -> elcs.LocalStructure:
    return elcs.learn(Testwise(houses_with_gaps()), "price", method="elcs-exact")


def test_an_answer_tells_rows_and_test() -> None:
    assert "\n  2,000 rows; Careful at alpha 0.01; Blocks\n" in str(elcs.learn(houses(), "price"))
    assert "\n  2,000 rows; FisherZ at alpha 0.05; Blocks\n" in str(
        elcs.learn_graph(houses(), ci_test="fisher-z", alpha=0.05, drop=["garden"])
    )
    assert "\n  4,000 rows; BDeu\n" in str(elcs.blanket(elcs.data.SAMPLE, "churn", method="s2tmb"))
    assert "\n  4,000 rows; G2 at alpha 0.01; BDeu\n" in str(
        elcs.compare(elcs.data.SAMPLE, "churn", ["elcs-exact", "s2tmb"])
    )
    assert "rows" not in str(elcs.learn(elcs.DSeparation(graph_of("A>B")), "A"))


def test_an_answer_tells_what_is_missing_and_which_rows_the_tests_had(gappy: elcs.LocalStructure) -> None:
    assert GAPS + USES.format("1,750") in str(gappy).splitlines()
    given = elcs.learn(
        houses_with_gaps(), "price", ci_test=Testwise, method="elcs-exact"
    )  # made by the plan, not beforehand
    assert str(given).splitlines()[:-1] == str(gappy).splitlines()[:-1]
    graph = elcs.learn_graph(Testwise(houses_with_gaps()), method="elcs-global")
    assert GAPS + USES.format("1,728") in str(graph).splitlines()  # age and tax are tested there too
    compared = elcs.compare(Testwise(houses_with_gaps()), "price", ["elcs-exact", "mmpc"])
    assert any(line.startswith(GAPS + "; each test uses") for line in str(compared).splitlines())
    lines = str(gappy.stability(2)).splitlines()
    assert lines[lines.index("  halves of 2,000 rows") + 1] == GAPS


def test_tests_name_their_rows_if_these_are_not_all(gappy: elcs.LocalStructure) -> None:
    assert gappy.explain("age") == (
        "age and price are directly connected (z² = 170.2, p < 1e-15, 1,750 rows): none of the 4 sets of other "
        "variables that were tried makes them independent. size and age are independent (p = 0.45, 1,750 rows), but "
        "not once price is held fixed (p < 1e-15, 1,750 rows). Only a common effect does that, so age -> price."
    )
    assert "are independent once size is held fixed (p = 0.55)" in gappy.explain("garden")
    assert pickle.loads(pickle.dumps(gappy)).explain() == gappy.explain()
    assert str(pickle.loads(pickle.dumps(gappy))) == str(gappy)


def test_other_treatments_are_told() -> None:
    table = {"a": ["x", "y", None, "y"] * 50, "b": [0, 0, 1, 1, None, 0, 1, 0] * 25, "c": [0, 1, 1, 1, 0] * 40}
    level = elcs.learn(table, "c", missing="level")
    assert "  75 of 600 values missing (a 50, b 25), taken for a level of their own" in str(level).splitlines()
    dropped = elcs.learn(table, "c", missing="drop")
    assert "  125 rows; G2 at alpha 0.01; BDeu\n  rows in which a value is missing were left out\n" in str(dropped)
    assert level.to_dict()["data"]["missing"] == {"a": 50, "b": 25}
    assert dropped.to_dict()["data"]["gaps"] == "drop"
    weighted = elcs.Table.from_any({"a": [0.5, None, 0.7], "b": [1, 2, None], "n": [5, 6, 7]}, weights="n")
    assert profile(weighted).missing == (6, 7)


def test_many_columns_with_gaps_are_counted() -> None:
    rng = np.random.default_rng(0)
    table = {f"v{i}": rng.normal(size=100) for i in range(9)}
    for i, column in enumerate(table.values()):
        column[:i] = np.nan
    told = elcs.learn(Testwise(table), "v0").background
    assert told is not None
    (gaps,) = told.say_gaps()
    assert gaps.startswith("36 of 900 values missing (v8 8, v7 7, v6 6, v5 5, v4 4, and 3 more columns); each test")


def test_levels_that_were_merged_are_told() -> None:
    rng = np.random.default_rng(0)
    shop = rng.integers(0, 40, 2000)
    table = {"shop": [f"shop {i}" for i in shop], "sales": shop % 3 + rng.normal(size=2000)}
    told = "  the 30 most frequent levels are told apart, the others taken for one: shop (40 levels)"
    result = elcs.learn(table, "sales", method="elcs-exact")
    assert told in str(result).splitlines()
    assert told in str(elcs.learn_graph(table, method="mmhc")).splitlines()
    assert result.to_dict()["data"]["merged_levels"] == {"shop": 40}
    assert result.neighbours == ("shop",)
    by_levels = elcs.learn(table, "sales", bins=3, method="elcs-exact")  # G2 tells all of them apart
    assert told not in str(by_levels)
    assert by_levels.to_dict()["data"]["merged_levels"] == {}


def test_json_tells_it_all(gappy: elcs.LocalStructure) -> None:
    data = json.loads(gappy.to_json())
    assert data["version"] == elcs.__version__
    assert data["ci_test"] is None  # a test of one's own has no name to give
    assert data["settings"]["ci_test"] == "Testwise"
    assert data["data"] == {
        "n_rows": 2000,
        "n_columns": 5,
        "gaps": "testwise",
        "left_out": {},
        "remarks": [],
        "missing": {"age": 250, "tax": 62},
        "test_rows": {"least": 1750, "median": 1938},
        "merged_levels": {},
    }
    assert data["evidence"]["age"]["association"]["n_rows"] == 1750
    mixed = elcs.learn(houses(), "price").to_dict()
    assert (mixed["ci_test"], mixed["settings"]["ci_test"]) == ("careful", "Careful")
    assert mixed["evidence"]["age"]["correlation"] == mixed["evidence"]["age"]["association"]["correlation"] < -0.2
    graph = json.loads(elcs.learn_graph(houses()).to_json())
    assert (graph["version"], graph["ci_test"], graph["data"]["n_rows"]) == (elcs.__version__, "careful", 2000)
    compared = json.loads(elcs.compare(elcs.data.SAMPLE, "churn", ["s2tmb", "iamb"]).to_json())
    assert (compared["ci_test"], compared["data"]["n_columns"]) == ("g2", 10)
    stable = json.loads(elcs.stability(elcs.data.SAMPLE, "churn", n_samples=2).to_json())
    assert (stable["version"], stable["data"]["n_rows"]) == (elcs.__version__, 4000)
    oracle = elcs.learn(elcs.DSeparation(graph_of("A>B")), "A").to_dict()
    assert (oracle["data"], oracle["ci_test"]) == (None, None)
