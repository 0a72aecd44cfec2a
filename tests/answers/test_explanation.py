"""What is said of a variable, in full: what it is to the target, how sure that is, and what stays open."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from making import graph_of, houses, short_sighted

import elcs
from elcs.engines import SequentialTester, Verdict
from elcs.graph.rules import listed


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
    result = elcs.learn(elcs.data.SAMPLE, "age", ci_test=ci_test, method="elcs-exact")
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


@pytest.mark.parametrize("ci_test", ["mixed", "dg"])
@pytest.mark.parametrize(
    ("target", "x", "tendency"),
    [
        ("price", "size", "the higher size, the higher price"),
        ("price", "age", "the higher age, the lower price"),
        ("price", "tax", "the higher price, the higher tax"),  # the cause comes first
        ("size", "garden", "the higher size, the more often garden is yes"),
        ("garden", "size", "the higher size, the more often garden is yes"),
    ],
)
def test_says_which_way_numbers_go(ci_test: str, target: str, x: str, tendency: str) -> None:
    result = elcs.learn(houses(), target, ci_test=ci_test)
    r = result.evidence[x].correlation
    assert r is not None
    begins = f"{x} and {target} are directly connected (r = {r:.2g}, p < 1e-15): {tendency}. "
    assert result.explain(x).startswith(begins)
    assert pickle.loads(pickle.dumps(result)).explain(x) == result.explain(x)


def test_says_that_a_level_becomes_rarer_and_how_levels_go_together() -> None:
    table = houses()
    table["shed"] = np.where(table["garden"] == "yes", "ja", "nein")
    table["shed"][::7] = "ja"
    result = elcs.learn(table, "garden")
    assert ": where shed is nein, garden is less often yes. " in result.explain("shed")
    rarer = elcs.learn({k: v for k, v in table.items() if k != "garden"}, "size")
    assert "the higher size, the less often shed is nein. " in rarer.explain("shed")


def test_a_u_shape_is_called_neither_rising_nor_falling() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=1000)
    result = elcs.learn({"x": x, "y": x * x + 0.5 * rng.normal(size=1000)}, "y")
    assert result.explain("x").startswith(
        "x and y are directly connected (r = -0.029, T = 587.8, p < 1e-15): y does not simply rise or fall with x. "
    )
    levels = elcs.learn({"x": x, "far": np.where(np.abs(x) + 0.3 * rng.normal(size=1000) > 1, "yes", "no")}, "x")
    assert ": how often far is yes does not simply rise or fall with x. " in levels.explain("far")


def untestable(*, reliable: int) -> elcs.CITest:
    """Build a test of a chain a - b - c of which only tests given so many variables or fewer can be made."""

    def measure(x: int, y: int, given: tuple[int, ...]) -> tuple[float, int, int, int, int]:
        near = y - x == 1
        verdict = Verdict.DEPENDENT if near or not given else Verdict.INDEPENDENT
        return (9.0 if near else 8.0), 1, verdict if len(given) <= reliable else Verdict.UNRELIABLE, 100, 1

    return elcs.CITest("abc", SequentialTester(measure, cache_size=100))


def test_says_how_many_sets_could_not_be_tested() -> None:
    result = elcs.learn(untestable(reliable=0), "b")
    evidence = result.evidence["c"]
    assert (evidence.sets_tried, evidence.sets_untested) == (2, 1)
    assert evidence.to_dict()["sets_untested"] == 1
    assert result.explain("c").startswith(
        "c and b are directly connected (statistic = 9.0, p = 0.0027): of the 2 sets of other variables that were "
        "tried, 1 could not be tested (too few rows); the other one does not make them independent."
    )
    assert elcs.learn(untestable(reliable=1), "b").evidence["c"].sets_untested == 0


def test_a_tester_of_ones_own_need_not_know_of_correlations_nor_count_what_it_cannot_test() -> None:
    class Bare:
        def __init__(self, tester: SequentialTester) -> None:
            self.budget = tester.budget
            self.test, self.test_many, self.separator = tester.test, tester.test_many, tester.separator
            self.independent, self.association = tester.independent, tester.association
            self.asked, self.computed = 0, 0

    ci = short_sighted("ab bc")
    bare = elcs.CITest(ci.variables, Bare(ci._tester))  # type: ignore[arg-type]
    assert elcs.learn(bare, "b", method="pc-stable").explain() == elcs.learn(ci, "b", method="pc-stable").explain()
    assert (bare.correlation("a", "b"), bare.n_unreliable) == (None, 0)


@pytest.mark.parametrize("ci", [elcs.G2, elcs.Chi2])
def test_sets_that_could_not_be_tested_are_counted_as_they_are(ci: type[elcs.G2]) -> None:
    rng = np.random.default_rng(0)
    a = rng.integers(0, 3, 80)
    table = {"a": a, **{name: (a + (rng.random(80) < 0.2)) % 3 for name in "bcde"}}
    for engine in ("memory", "reference"):
        evidence = elcs.blanket(ci(table, engine=engine), "a", method="mmpc").evidence["b"]
        # 9 cells need 45 rows, 27 need 135: of all sets, only the empty one can be tested
        assert evidence.sets_untested == evidence.sets_tried - 1 > 2


def test_says_that_no_set_could_be_tested() -> None:
    rng = np.random.default_rng(0)
    a = rng.normal(size=200)
    table = {"a": a, "b": 2 * a, "c": a + rng.normal(size=200), "d": rng.normal(size=200)}
    with pytest.warns(elcs.DataWarning):
        result = elcs.learn(table, "a")
    assert "(too few rows, or the set leaves nothing of one of the two)" in result.explain("c")


@pytest.mark.parametrize("seed", range(6))
def test_p_values_are_on_the_side_of_the_sentence(seed: int) -> None:
    """The best arrangement and a test of two columns may disagree; then the sentence says so."""
    rng = np.random.default_rng(seed)
    columns: dict[str, Any] = {}
    for i in range(9):
        causes = [columns[f"v{j}"] for j in rng.choice(i, min(i, 2), replace=False)]
        columns[f"v{i}"] = sum((rng.normal() * x for x in causes), rng.normal(size=150))
    graph = elcs.learn_graph(columns)
    for v in columns:
        around = graph.around(v)
        for x, evidence in around.evidence.items():
            text = around.explain(x)
            if "they are independent" in text:
                assert evidence.separated_by is not None
                assert evidence.separated_by.result.independent
            if "the two are dependent once" in text:
                assert evidence.opened_by is not None
                assert evidence.opened_by.dependent
            if "are directly connected (" in text:
                assert evidence.association is not None
                assert not evidence.association.result.independent
            for found in (evidence.direction, evidence.leans):
                if found is not None and "but less so with" in found.say():
                    apart, together = found.tests[:2]
                    assert together.dependent
                    assert not apart.dependent


Told = list[tuple[elcs.LocalStructure, str, str]]


@pytest.fixture(scope="module")
def told() -> Told:
    """All that `elcs-hybrid` says about the surroundings of all variables, from too few rows to be sure of all."""
    tables = [elcs.networks.load("alarm").sample(1000, random_state=1)]
    with pytest.warns(elcs.DataWarning, match="left out"):
        tables.append(elcs.networks.load("insurance").sample(500, random_state=1))
    results = [elcs.learn(table, x, method="elcs-hybrid") for table in tables for x in table.names]
    return [(result, x, result.explain(x)) for result in results for x in result.markov_blanket]


def test_a_direction_that_is_open_is_not_called_known(told: Told) -> None:
    n_open = 0
    for result, x, words in told:
        direction = result.evidence[x].direction
        for premise in direction.premises if direction else ():
            arrow = f"{premise.cause} -> {premise.effect}"
            end = premise.cause if premise.effect == result.target else premise.effect
            if result.target in (premise.cause, premise.effect) and end in result.undirected:
                assert not premise.claimed
                assert f"In the arrangement that fits best, {arrow} (which is not decided by itself)" in words
                n_open += 1
            assert (f"{arrow} is known" in words) <= premise.claimed
    assert n_open > 0


def test_says_that_tests_alone_would_separate_what_the_score_joins(told: Told) -> None:
    n_overruled = 0
    for result, x, words in told:
        evidence = result.evidence[x]
        if not evidence.connected:
            continue
        test = evidence.separated_by
        assert evidence.sets_tried or test
        n_overruled += test is not None
        if test is not None and test.given:
            assert f"would separate them given {listed(test.given)} ({test.said}); the arrangement that fits" in words
        assert ("sets of other variables that were tried" in words) <= (test is None)
    assert n_overruled > 10


def test_evidence_of_a_whole_graph_says_what_the_score_overruled() -> None:
    graph = elcs.learn_graph(elcs.networks.load("alarm").sample(1000, random_state=1), method="elcs-hybrid")
    pairs = [(a, b) for a, b in graph.edges if graph.evidence(a, b).separated_by]
    assert len(pairs) == 7
    assert all("ests alone would" in graph.explain(a, b) for a, b in pairs)
    assert not {frozenset(pair) for pair in pairs} & set(graph.separators)


def test_names_the_test_that_keeps_a_direction_from_being_decided(told: Told) -> None:
    denied = [words for _, _, words in told if "being independent" in words and "which a test denies (p =" in words]
    assert len(denied) > 5
    assert not any("bear out what it rests on" in words for _, _, words in told)


def test_a_difference_that_is_next_to_none_is_not_called_a_factor_of_1() -> None:
    rng = np.random.default_rng(112)
    data = {"a": rng.normal(size=60)}
    data["b"] = data["a"] / 2 + rng.normal(size=60)
    data["c"] = rng.normal(size=60) + 0.4 * data["a"]
    data["d"] = data["b"] / 2 + 0.4 * data["c"] + rng.normal(size=60)
    result = elcs.learn(data, "a")
    margin = result.evidence["c"].margin
    assert margin is not None
    assert 0.01 < margin < 0.04
    assert "The best arrangement we found without this edge fits almost as well." in result.explain("c")


def test_a_variable_is_not_explained_by_itself() -> None:
    with pytest.raises(elcs.DataError, match="'churn' is the target of this answer; explain.. says what other"):
        elcs.learn(elcs.data.SAMPLE, "churn").explain("churn")
    graph = elcs.learn_graph(elcs.data.SAMPLE)
    for ask in (graph.explain, graph.evidence):
        with pytest.raises(elcs.DataError, match="'churn' is given twice; name two different variables"):
            ask("churn", "churn")
        with pytest.raises(elcs.DataError, match="there is no variable 'chrn'"):
            ask("chrn", "chrn")
    with pytest.raises(elcs.DataError, match="'churn' is the target of this answer"):
        graph.around("churn").explain("churn")


def test_says_through_which_effect_a_variable_may_be_in_the_blanket(told: Told) -> None:
    members = [(result, x, words) for result, x, words in told if x in result.members]
    assert len(members) > 5
    for result, x, words in members:
        first, second = result.evidence[x].would_share
        assert (first.cause, second.cause, first.effect) == (result.target, x, second.effect)
        shared = first.effect
        undecided = [f"{arrow.cause} -> {arrow.effect}" for arrow in (first, second) if not arrow.claimed]
        assert f"if both are causes of {shared}, as in the arrangement that fits best; but " in words
        assert any(arrow in words for arrow in undecided)
