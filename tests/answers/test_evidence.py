"""The evidence behind a result: each claim with its own tests and premises, each side of a conflict with its own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from making import graph_of, short_sighted

import elcs
from elcs.answers.evidence import say_p
from elcs.answers.gathering import cite, described, gather
from elcs.graph.pdag import PDAG, Reason
from elcs.graph.rules import V_STRUCTURE
from elcs.learners.notes import Blanket


def asked(x: str, y: str, *given: str, dependence: float = 0.0) -> dict[str, Any]:
    """Return what is told of a test of a graph, which has no degrees of freedom."""
    return {
        "x": x,
        "y": y,
        "given": list(given),
        "statistic": dependence,
        "dof": 0,
        "p_value": float(not dependence),
        "correlation": None,
        "n_rows": 0,
        "reliable": True,
        "independent": not dependence,
    }


def test_a_direction_is_told_with_its_tests_and_premises() -> None:
    result = elcs.learn(elcs.DSeparation(graph_of("A>B B>C D>B")), "B")
    assert result.to_dict()["evidence"]["C"] == {
        "role": "child",
        "correlation": None,
        "association": asked("B", "C", dependence=1.0),
        "sets_tried": 4,
        "sets_untested": 0,
        "separated_by": None,
        "shared_effects": [],
        "opened_by": None,
        "direction": {
            "cause": "B",
            "effect": "C",
            "rule": "Lemma 1b",
            "variables": ["A"],
            "tests": [asked("C", "A", dependence=0.5), asked("C", "A", "B")],
            "premises": [
                {
                    "cause": "A",
                    "effect": "B",
                    "rule": "Lemma 1a",
                    "variables": ["D"],
                    "tests": [asked("A", "D"), asked("A", "D", "B", dependence=0.5)],
                    "premises": [],
                    "said": None,
                    "margin": None,
                    "share": None,
                    "opposite": None,
                    "claimed": True,
                }
            ],
            "said": None,
            "margin": None,
            "share": None,
            "opposite": None,
            "claimed": True,
        },
        "disagreements": [],
        "kept_apart_by": [],
        "margin": None,
        "leans": None,
        "taken_back": None,
        "would_share": [],
    }


@pytest.mark.parametrize(
    ("edges", "target", "x", "rule", "others", "premises"),
    [
        ("A>C A>B C>B D>C", "B", "C", "Meek 1", ("D",), [("D", "C")]),
        ("A>D B>A C>A C>D", "D", "C", "Meek 2", ("A",), [("C", "A"), ("A", "D")]),
        ("A>B A>C A>D B>D C>D", "A", "D", "Meek 3", ("B", "C"), [("B", "D"), ("C", "D")]),
    ],
)
def test_a_direction_that_follows_from_others_names_them(
    edges: str, target: str, x: str, rule: str, others: tuple[str, ...], premises: list[tuple[str, str]]
) -> None:
    why = elcs.learn(elcs.DSeparation(graph_of(edges)), target).evidence[x].direction
    assert why is not None
    assert (why.rule, why.variables, why.tests) == (rule, others, ())
    assert [(premise.cause, premise.effect) for premise in why.premises] == premises
    assert all(premise.tests or premise.premises for premise in why.premises)


def test_a_spouse_is_told_with_what_separates_and_what_opens() -> None:
    result = elcs.learn(elcs.DSeparation(graph_of("S>C S>F C>E F>E C>G F>G")), "C")
    evidence = result.evidence["F"]
    assert (evidence.variable, evidence.target) == ("F", "C")
    assert evidence.to_dict() == {
        "role": "spouse",
        "correlation": None,
        "association": asked("C", "F", dependence=0.5),
        "sets_tried": 0,
        "sets_untested": 0,
        "separated_by": asked("C", "F", "S"),
        "shared_effects": ["E", "G"],
        "opened_by": asked("F", "C", "S", "E", dependence=0.5),
        "direction": None,
        "disagreements": [],
        "kept_apart_by": [],
        "margin": None,
        "leans": None,
        "taken_back": None,
        "would_share": [],
    }


@pytest.mark.parametrize(
    ("method", "target", "first", "second"),
    [
        # a and p are causes of b, d and q of c; as nothing is seen of what is two steps away, b - c should point away
        # from both ends.
        ("elcs-exact", "b", ("Meek 1", "a", [("a", "b")]), ("Meek 1", "d", [("d", "c")])),
        ("elcs-cautious", "b", ("Meek 1", "a", [("a", "b")]), ("v-structure", "a", [])),
        ("elcs-global", "c", ("Meek 1", "a", [("a", "b")]), ("Meek 1", "d", [("d", "c")])),
    ],
)
def test_a_conflict_tells_which_side_says_what(
    method: str,
    target: str,
    first: tuple[str, str, list[tuple[str, str]]],
    second: tuple[str, str, list[tuple[str, str]]],
) -> None:
    result = elcs.learn(short_sighted("ab pb bc cd cq", "abp dcq"), target, method=method)
    (open_end,) = result.undirected
    assert {target, open_end} == {"b", "c"}
    (conflict,) = result.conflicts
    assert not conflict.followed
    assert (conflict.first.cause, conflict.first.effect) == ("b", "c")
    assert (conflict.second.cause, conflict.second.effect) == ("c", "b")
    for side, (rule, other, premises) in ((conflict.first, first), (conflict.second, second)):
        assert (side.rule, side.variables) == (rule, (other,))
        assert [(p.cause, p.effect) for p in side.premises] == premises
        assert side.tests or side.premises
        assert all(p.tests for p in side.premises)
    by = "" if first[0] == second[0] else f" by the rule {second[0]}"
    assert conflict.say() == (
        f"The tests contradict each other: by the rule {first[0]}, b -> c, and{by} the opposite; the edge was left "
        "without direction."
    )
    followed = replace(conflict, followed=True).say()
    assert followed == conflict.say().replace("the edge was left without direction", "b -> c was followed")
    told = result.to_dict()
    assert told["conflicts"] == told["evidence"][open_end]["disagreements"]
    assert told["conflicts"] == [
        {"first": conflict.first.to_dict(), "second": conflict.second.to_dict(), "followed": False}
    ]


@pytest.mark.parametrize("target", ["c", "d"])
def test_what_was_known_before_is_the_first_side_and_followed(target: str) -> None:
    # a and d pass for causes of c, and b and c for causes of d.
    result = elcs.learn(short_sighted("ac cd bd", "acd cdb"), target, method="pc-stable")
    (conflict,) = result.conflicts
    assert conflict.followed
    sides = [(side.cause, side.effect, side.tests[1].to_dict()) for side in (conflict.first, conflict.second)]
    assert sides == [("d", "c", asked("a", "d", "c", dependence=1.0)), ("c", "d", asked("b", "c", "d", dependence=1.0))]
    assert result.evidence["d" if target == "c" else "c"].direction == conflict.first
    assert not any(result.evidence[x].disagreements for x in "ab")


def test_both_sides_of_an_open_edge_have_their_tests() -> None:
    ci, notes, graph = elcs.DSeparation(graph_of("p>t q>x t>x")), Blanket("t"), PDAG()
    graph.add_edge("t", "x")
    back, forth = (Reason(V_STRUCTURE, (other,), ((other, end, ()),)) for other, end in (("p", "t"), ("q", "x")))
    graph.contest("t", "x", forth, back)
    (conflict,) = gather(["x"], notes, graph, {"x": "undirected"}, described(ci, cite(ci, notes, graph)))[
        "x"
    ].disagreements
    assert conflict.first.tests[0].to_dict() == asked("q", "x", dependence=1.0)
    assert conflict.second.tests[0].to_dict() == asked("p", "t", dependence=1.0)


def test_what_separates_is_cited_though_the_learner_noted_no_test() -> None:
    ci, notes, graph = elcs.DSeparation(graph_of("a>c b>c")), Blanket("a", separators={"b": ()}), PDAG()
    evidence = gather(["b"], notes, graph, {}, described(ci, cite(ci, notes, graph)))["b"]
    assert (evidence.role, evidence.association) == ("other", None)
    assert evidence.separated_by is not None
    assert evidence.separated_by.result.independent


def test_p_values_are_written_down_to_where_it_does_not_matter() -> None:
    assert [say_p(p) for p in (1.0, 0.0456, 1e-15, 9e-16, 0.0)] == ["1", "0.046", "1e-15", "< 1e-15", "< 1e-15"]


def test_what_may_share_an_effect_cites_only_what_is_known() -> None:
    """Among near-copies a member of the blanket may lean to a neighbour that the target is no cause of."""
    rng, n = np.random.default_rng(3), 400
    hidden = rng.normal(size=(n, 4))
    columns: dict[str, Any] = {}
    for j in range(14):
        column = hidden @ rng.normal(size=4) * (rng.random() < 0.8)
        if j and rng.random() < 0.6:
            column = column + columns[f"v{rng.integers(0, j)}"]
        columns[f"v{j}"] = (column + rng.normal(size=n) * rng.choice([0.05, 0.3, 1])).round(3)
    for x in columns:
        result = elcs.learn(columns, x)
        assert all(result.explain(y) for y in columns if y != x)
