"""The sentence of every rule, in full, as somebody reads it who asks why."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from making import graph_of

import elcs
from elcs.answers.evidence import Direction
from elcs.graph import rules
from elcs.graph.rules import BEST_CLIMBED, LEMMA_1B, MEEK_2, MEEK_3, V_STRUCTURE, Rule, listed


def said(result: elcs.MarkovBlanket, x: str) -> tuple[str, str]:
    direction = result.evidence[x].direction
    assert direction is not None
    assert direction.say() in result.explain(x)
    return direction.rule, direction.say()


@pytest.mark.parametrize(
    ("edges", "target", "x", "method", "rule", "sentence"),
    [
        (
            "C>E F>E",
            "C",
            "E",
            "elcs-exact",
            "spouse",
            "F and C are independent (p = 1), but not once E is held fixed (p < 1e-15). Only a common effect does "
            "that, so C -> E.",
        ),
        (
            "S>C S>F R>C R>F C>E F>E",
            "C",
            "E",
            "elcs-exact",
            "spouse",
            "F and C are independent given R and S (p = 1), but not once E is held fixed as well (p < 1e-15). Only a "
            "common effect does that, so C -> E.",
        ),
        (
            "A>C A>B C>B D>C",
            "A",
            "B",
            "elcs-exact",
            "N-structure",
            "D and A are independent (p = 1), but not once B is held fixed (p < 1e-15). Only a common effect does "
            "that, so A -> B.",
        ),
        (
            "C>E F>E",
            "E",
            "F",
            "elcs-exact",
            "Lemma 1a",
            "C and F are independent (p = 1), but not once E is held fixed (p < 1e-15). Only a common effect does "
            "that, so F -> E.",
        ),
        (
            "A>B B>C D>B",
            "B",
            "C",
            "elcs-exact",
            "Lemma 1b",
            "A is a cause of B, and A and C are connected (p < 1e-15) but no longer once B is held fixed (p = 1): the "
            "influence passes through B, so B -> C.",
        ),
        (
            "S>C S>F C>E F>E",
            "E",
            "C",
            "cmb",
            "C2",
            "C and F are independent given S (p = 1), but not once E is held fixed as well (p < 1e-15). Only a common "
            "effect does that, so C -> E.",
        ),
        (
            "C>E F>E",
            "E",
            "C",
            "mb-by-mb",
            "v-structure",
            "C and F are independent (p = 1), but not once E is held fixed (p < 1e-15). Only a common effect does "
            "that, so C -> E.",
        ),
        (
            "C>E F>E",
            "E",
            "C",
            "pcd-by-pcd",
            "v-structure",
            "F and C are independent (p = 1), though both are connected with E, which is not held fixed. Only a "
            "common effect allows that, so C -> E.",
        ),
        (
            "A>C A>B C>B D>C",
            "B",
            "C",
            "elcs-exact",
            "Meek 1",
            "D -> C is known and D is not connected with B. If B were a cause of C as well, D and B would show as two "
            "causes of C, and they do not; so C -> B.",
        ),
        (
            "A>D B>A C>A C>D",
            "D",
            "C",
            "elcs-exact",
            "Meek 2",
            "C -> A and A -> D are known, so D -> C would close a circle; hence C -> D.",
        ),
        (
            "A>B A>C A>D B>D C>D",
            "A",
            "D",
            "elcs-exact",
            "Meek 3",
            "B and C are causes of D, connected with A and not with each other. Were D a cause of A, there would be a "
            "circle, or B and C would show as two causes of A; so A -> D.",
        ),
    ],
)
def test_a_rule_says_what_its_tests_show(
    edges: str, target: str, x: str, method: str, rule: str, sentence: str
) -> None:
    ci = elcs.DSeparation(graph_of(edges))
    assert said(elcs.learn(ci, target, method=method, max_cond_size=None), x) == (rule, sentence)


def test_a_rule_says_that_it_rests_on_scores() -> None:
    sample = elcs.data.SAMPLE
    assert said(elcs.blanket(sample, "satisfaction", method="s2tmb"), "churn") == (
        "score",
        "In the network that scores best, satisfaction and contract are two causes of churn that are not connected "
        "with each other, and no network that scores as well turns the edge round; so satisfaction -> churn.",
    )
    assert said(elcs.learn(sample, "satisfaction", method="mmhc"), "churn") == (
        "climb",
        "In the network that scores best among those tried, satisfaction and contract are two causes of churn that "
        "are not connected with each other, and no network that implies the same turns the edge round; so "
        "satisfaction -> churn.",
    )
    assert said(elcs.learn(sample, "age", method="mmhc"), "contract") == (
        "climb",
        "In the network that scores best among those tried, contract is a cause of age; but one with the edge turned "
        "round scores as well.",
    )


def test_a_rule_says_that_it_rests_on_a_fit() -> None:
    line = [float(i % 17) for i in range(100)]
    result = elcs.learn({"a": line, "b": [2 * v + i % 3 for i, v in enumerate(line)]}, "a", method="notears")
    assert said(result, "b") == (
        "fit",
        "In the graph that fits the numbers best, a -> b; other graphs, among them graphs with this edge turned "
        "round, may fit almost as well.",
    )


@pytest.mark.parametrize(
    ("others", "sentence"),
    [
        (("b",), "a and b are not connected with each other, and both are causes of c."),
        ((), "a and another variable are not connected with each other, and both are causes of c."),
    ],
)
def test_a_graph_tells_common_effects_without_tests(others: tuple[str, ...], sentence: str) -> None:
    assert Direction("a", "c", V_STRUCTURE, others, (), ()).say() == sentence


def test_a_rule_that_is_saved_keeps_its_sentence() -> None:
    for rule in (LEMMA_1B, BEST_CLIMBED):
        again = pickle.loads(pickle.dumps(rule))
        assert isinstance(again, Rule)
        assert (again, again.say) == (rule, rule.say)


def test_every_rule_can_be_had_by_name() -> None:
    made = {name: rule for name, rule in vars(rules).items() if isinstance(rule, Rule)}
    assert set(made) <= set(rules.__all__)
    assert len(set(made.values())) == len(made)


@pytest.mark.parametrize(
    ("names", "words"), [(["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c", "d"], "a, b, c and d")]
)
def test_names_are_listed_as_a_person_would(names: list[str], words: str) -> None:
    assert listed(names) == words


def test_a_rule_says_which_of_its_premises_is_open() -> None:
    def arrow(cause: str, effect: str, **rest: Any) -> Direction:
        return Direction(cause, effect, V_STRUCTURE, (), (), (), **rest)

    sure, unsure = arrow("a", "b"), arrow("b", "c", margin=1.0, claimed=False)
    far, unsteady = arrow("b", "c", claimed=False), arrow("b", "c", share=0.4, opposite=0.3, claimed=False)
    told = {
        (sure, arrow("b", "c")): "a -> b and b -> c are known, so",
        (sure, unsure): "In the arrangement that fits best, a -> b and b -> c (b -> c is not decided by itself), so",
        (sure, far): "In the arrangement that fits best, a -> b and b -> c, so",
        (sure, unsteady): "By all rows a -> b and b -> c, though too few half-samples bear that out, so",
        (arrow("a", "b", margin=2.0, claimed=False), unsure): (
            "In the arrangement that fits best, a -> b and b -> c (neither is decided by itself), so"
        ),
    }
    for premises, words in told.items():
        assert Direction("a", "c", MEEK_2, ("b",), (), premises).say().startswith(f"{words} c -> a would close")
    third = Direction("a", "d", MEEK_3, ("b", "c"), (), (arrow("b", "d"), arrow("c", "d", margin=1.0, claimed=False)))
    assert third.say().startswith(
        "In the arrangement that fits best, b -> d and c -> d (c -> d is not decided by itself). b and c are connected "
        "with a and not with each other."
    )
