"""What is said of a variable, in full: what it is to the target, how sure that is, and what stays open."""

from __future__ import annotations

import pytest
from making import graph_of, short_sighted

import elcs


@pytest.mark.parametrize(
    ("edges", "target", "x", "method", "words"),
    [
        (
            "A>B",
            "A",
            "B",
            "elcs-exact",
            "B and A are directly connected (p < 1e-15): the one set that was tried does not make them independent. "
            "The data fit B -> A and A -> B equally well, so the direction stays open.",
        ),
        (
            "A>B B>C",
            "B",
            "C",
            "elcs-exact",
            "C and B are directly connected (p < 1e-15): none of the 2 sets of other variables that were tried makes "
            "them independent. The data fit C -> B and B -> C equally well, so the direction stays open.",
        ),
        (
            "A>B",
            "A",
            "B",
            "pc-stable",
            "B and A are directly connected (p < 1e-15). The data fit B -> A and A -> B equally well, so the "
            "direction stays open.",
        ),
        (
            "A>C B>C",
            "C",
            "A",
            "pc-stable",
            "A and C are directly connected (p < 1e-15). A and B are independent (p = 1), but not once C is held "
            "fixed (p < 1e-15). Only a common effect does that, so A -> C.",
        ),
        (
            "A>C B>C",
            "A",
            "B",
            "elcs-exact",
            "B is not directly connected with A: they are independent (p = 1). But the two are dependent once their "
            "common effect C is held fixed (p < 1e-15), so B helps to predict A: it belongs to its Markov blanket.",
        ),
        (
            "A>B B>C",
            "A",
            "C",
            "elcs-exact",
            "C is not directly connected with A: they are independent once B is held fixed (p = 1).",
        ),
        (
            "A>B A>C B>D C>D",
            "A",
            "D",
            "elcs-exact",
            "D is not directly connected with A: they are independent once B and C are held fixed (p = 1).",
        ),
    ],
)
def test_explains_what_a_graph_shows(edges: str, target: str, x: str, method: str, words: str) -> None:
    result = elcs.learn(elcs.DSeparation(graph_of(edges)), target, method=method, max_cond_size=None)
    assert result.explain(x) == words


@pytest.mark.parametrize(
    ("method", "words"),
    [
        (
            "mmpc",
            "B and A are directly connected (p < 1e-15): the one set that was tried does not make them independent. "
            "Whether B is a cause or an effect, this method does not say.",
        ),
        (
            "iamb",
            "B belongs to the Markov blanket of A; the method does not say whether as cause, effect or otherwise.",
        ),
    ],
)
def test_says_that_a_method_does_not_tell_directions(method: str, words: str) -> None:
    assert elcs.blanket(elcs.DSeparation(graph_of("A>B")), "A", method=method).explain("B") == words


def test_says_that_a_run_was_stopped() -> None:
    result = elcs.learn(elcs.DSeparation(graph_of("A>B B>C")), "B", max_tests=2)
    assert result.explain("A") == (
        "A and B are directly connected (p < 1e-15). The run was stopped before the direction was settled."
    )
    assert result.explain("C") == "The run was stopped before it was settled whether C is connected with B."


@pytest.mark.parametrize(("ci_test", "strength"), [("g2", "G2 = 772.7"), ("chi2", "chi2 = 733.1")])
def test_names_the_statistic_of_data(ci_test: str, strength: str) -> None:
    result = elcs.learn(elcs.data.SAMPLE, "age", ci_test=ci_test)
    assert result.explain("contract") == (
        f"contract and age are directly connected ({strength}, p < 1e-15): the one set that was tried does not make "
        "them independent. The data fit contract -> age and age -> contract equally well, so the direction stays open."
    )
    assert "(p = 0." in result.explain("region")


def test_says_what_rests_on_scores() -> None:
    result = elcs.blanket(elcs.data.SAMPLE, "satisfaction", method="s2tmb")
    assert result.explain("churn").startswith("churn and satisfaction are directly connected. In the network that")
    assert result.explain("contract") == (
        "contract is not directly connected with satisfaction, but in the best network found the two have a common "
        "effect, churn, so contract helps to predict satisfaction: it belongs to its Markov blanket."
    )


@pytest.mark.filterwarnings("ignore:no test of 'a'")
def test_says_that_there_are_too_few_rows() -> None:
    result = elcs.learn({"a": [0, 1, 0, 1, 0], "b": [0, 1, 0, 1, 1]}, "a")
    assert result.explain("b") == "b was not considered for a: there are too few rows to test the two."
    apart = result.evidence["b"].separated_by
    assert apart is not None
    assert apart.said == "too few rows to test"


@pytest.mark.parametrize(
    ("ci", "target", "x", "method", "words"),
    [
        (
            short_sighted("ab pb bc", "abp"),
            "b",
            "c",
            "elcs-cautious",
            "c and b are directly connected (p < 1e-15): none of the 4 sets of other variables that were tried makes "
            "them independent. Two rules disagree here: Meek 1 says b -> c, v-structure the opposite; the edge was "
            "left without direction.",
        ),
        (
            short_sighted("ab pb bc", "abp"),
            "c",
            "b",
            "elcs-cautious",
            "b and c are directly connected (p < 1e-15): the one set that was tried does not make them independent. "
            "Two rules disagree here: Meek 1 says b -> c, v-structure the opposite; the edge was left without "
            "direction.",
        ),
        (
            short_sighted("ac cd bd", "acd cdb"),
            "c",
            "d",
            "pc-stable",
            "d and c are directly connected (p < 1e-15). a and d are independent (p = 1), but not once c is held "
            "fixed (p < 1e-15). Only a common effect does that, so d -> c. Two rules disagree here: v-structure says "
            "d -> c, v-structure the opposite; the first was followed.",
        ),
    ],
)
def test_says_that_rules_disagree_and_which_was_followed(
    ci: elcs.CITest, target: str, x: str, method: str, words: str
) -> None:
    assert elcs.learn(ci, target, method=method).explain(x) == words
