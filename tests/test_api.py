"""`learn` and `blanket` on data: what they return, how they explain it, and how they fail."""

from __future__ import annotations

import json
import pickle
import re
import warnings
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from making import graph_of

import elcs
from elcs.answers.evidence import Disagreement

TRUTH = graph_of(
    "region>outages outages>satisfaction price_rise>satisfaction outages>support_calls satisfaction>referral "
    "satisfaction>churn age>contract contract>churn churn>winback_offer"
)


@pytest.fixture(scope="module")
def sample() -> elcs.Dataset:
    return elcs.Dataset.from_any(elcs.data.SAMPLE)


@pytest.mark.parametrize("method", ["elcs-exact", "elcs", "elcs-ii", "elcs-no-n"])
def test_finds_the_truth_of_the_sample(sample: elcs.Dataset, method: str) -> None:
    result = elcs.learn(sample, "satisfaction", method=method)
    assert set(result.parents) == {"outages", "price_rise"}
    assert set(result.children) == {"referral", "churn"}
    assert result.undirected == ()
    assert dict(result.spouses) == {"churn": ("contract",)}
    assert set(result.neighbours) == set(nx.all_neighbors(TRUTH, "satisfaction"))
    assert set(result.markov_blanket) == {"outages", "price_rise", "referral", "churn", "contract"}
    assert result.learned == ("satisfaction",)
    assert result.method == method
    assert result.n_tests >= result.n_computed > 0
    assert result.complete


def test_what_data_cannot_decide_stays_open(sample: elcs.Dataset) -> None:
    assert elcs.learn(sample, "contract").undirected == ("age",)
    assert elcs.learn(sample, "age").undirected == ("contract",)


@pytest.mark.parametrize("method", ["emb-exact", "emb", "emb-ii"])
def test_blankets_of_the_sample(sample: elcs.Dataset, method: str) -> None:
    for target in sample.names:
        truth = {*nx.all_neighbors(TRUTH, target), *(p for c in TRUTH[target] for p in TRUTH.pred[c])} - {target}
        assert set(elcs.blanket(sample, target, method=method).markov_blanket) == truth


def test_order_of_columns_changes_nothing(sample: elcs.Dataset) -> None:
    columns = dict(zip(sample.names, sample.codes, strict=True))
    rng = np.random.default_rng(0)
    for target in ("satisfaction", "churn", "contract"):
        expected = elcs.learn(columns, target)
        for _ in range(5):
            mixed = {name: columns[name] for name in rng.permutation(sample.names).tolist()}
            found = elcs.learn(mixed, target)
            assert set(found.parents) == set(expected.parents)
            assert set(found.children) == set(expected.children)
            assert set(found.undirected) == set(expected.undirected)


@pytest.mark.parametrize("method", ["elcs-exact", "elcs"])
def test_engines_agree(sample: elcs.Dataset, method: str) -> None:
    compiled, plain = elcs.G2(sample), elcs.G2(sample, engine="reference")
    for target in sample.names:
        one, other = (elcs.learn(ci, target, method=method) for ci in (compiled, plain))
        assert one.neighbours == other.neighbours
        assert (one.parents, one.children, one.spouses) == (other.parents, other.children, other.spouses)
        assert one.n_tests == other.n_tests


def test_equal_runs_give_equal_results(sample: elcs.Dataset) -> None:
    for method in ("elcs-exact", "elcs"):
        one, other = (elcs.learn(sample, "churn", method=method).to_dict() for _ in range(2))
        assert {**one, "seconds": 0} == {**other, "seconds": 0}


def test_a_shared_cache_saves_tests(sample: elcs.Dataset) -> None:
    ci = elcs.G2(sample)
    first, second = (elcs.learn(ci, "churn", method="elcs-exact") for _ in range(2))
    assert first.n_tests == second.n_tests
    assert second.n_computed == 0 < first.n_computed


def test_every_claim_has_its_evidence(sample: elcs.Dataset) -> None:
    ci = elcs.G2(sample)
    result = elcs.learn(ci, "satisfaction", method="elcs-exact")
    assert set(result.evidence) == set(sample.names) - {"satisfaction"}
    for name, evidence in result.evidence.items():
        tests = [evidence.association, evidence.separated_by, evidence.opened_by]
        if evidence.direction:
            assert evidence.role in ("parent", "child")
            tests += evidence.direction.tests
        for test in tests:
            if test is not None:  # the statistics are those of the test itself
                assert test.result == ci.test(test.x, test.y, test.given)
        if name in result.neighbours:
            assert evidence.sets_tried > 0
            assert evidence.separated_by is None
            assert evidence.direction is not None
        else:
            assert evidence.separated_by is not None
            assert evidence.separated_by.result.independent
    assert {n: e.direction.rule for n, e in result.evidence.items() if e.direction} == {
        "price_rise": "Lemma 1a",
        "outages": "Lemma 1a",
        "referral": "Lemma 1b",
        "churn": "spouse",
    }


def test_explanations(sample: elcs.Dataset) -> None:
    result = elcs.learn(sample, "satisfaction", method="elcs-exact")
    assert "Only a common effect does that, so satisfaction -> churn." in result.explain("churn")
    assert "so outages -> satisfaction" in result.explain("outages")
    assert "the influence passes through satisfaction" in result.explain("referral")
    assert "independent once outages is held fixed (p = " in result.explain("region")
    assert "it belongs to its Markov blanket" in result.explain("contract")
    assert result.explain().count("\n") == len(result.markov_blanket) - 1
    assert "the direction stays open" in elcs.learn(sample, "age").explain("contract")
    assert "this method does not say" in elcs.blanket(sample, "age", method="mmpc").explain("contract")
    with pytest.raises(elcs.DataError, match="did you mean 'churn'"):
        result.explain("chrn")


@pytest.mark.parametrize(
    ("edges", "target", "variable", "rule", "words"),
    [
        ("C>E F>E", "C", "E", "spouse", "Only a common effect does that, so C -> E"),
        ("C>E F>E", "E", "C", "Lemma 1a", "Only a common effect does that, so C -> E"),
        ("A>B B>C D>B", "B", "C", "Lemma 1b", "the influence passes through B, so B -> C"),
        ("A>C A>B C>B D>C", "A", "B", "N-structure", "D and A are independent"),
        ("A>C A>B C>B D>C", "B", "C", "Meek 1", "would show as two causes of C"),
        ("A>D B>A C>A C>D", "D", "C", "Meek 2", "would close a circle; hence C -> D"),
    ],
)
def test_rules_in_words(edges: str, target: str, variable: str, rule: str, words: str) -> None:
    result = elcs.learn(elcs.DSeparation(graph_of(edges)), target, max_cond_size=None)
    direction = result.evidence[variable].direction
    assert direction is not None
    assert direction.rule == rule
    assert words in result.explain(variable)
    assert all(premise.tests or premise.premises for premise in direction.premises)


def test_conflicts_are_recorded() -> None:
    # Two blankets that contradict each other: a test that lies about one pair makes them.
    truth = elcs.DSeparation(graph_of("A>B B>C C>D E>C"))
    assert elcs.learn(truth, "B", max_cond_size=None).conflicts == ()
    rng = np.random.default_rng(12)
    seen: list[Disagreement] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", elcs.DataWarning)
        for _ in range(40):
            codes = rng.integers(0, 2, (8, 250))
            codes[2] ^= codes[0] & codes[1] & (rng.random(250) < 0.8)
            codes[3] ^= codes[2] & codes[4] & (rng.random(250) < 0.8)
            ci = elcs.G2({f"V{i}": column for i, column in enumerate(codes)}, alpha=0.3)
            for target in ci.variables:
                seen += elcs.learn(ci, target, method="elcs").conflicts
    assert seen
    first = seen[0]
    assert (first.first.cause, first.first.effect) == (first.second.effect, first.second.cause)


def test_prints_as_a_small_table(sample: elcs.Dataset) -> None:
    result = elcs.learn(sample, "satisfaction")
    text = str(result)
    assert re.search(r"direct causes +price_rise, outages\n", text)
    assert re.search(r"other causes +contract \(of churn\)\n", text)
    assert repr(result).startswith("LocalStructure(target='satisfaction', parents=('price_rise', 'outages')")


def test_exports(sample: elcs.Dataset) -> None:
    result = elcs.learn(sample, "satisfaction")
    told = json.loads(result.to_json())
    assert told["children"] == ["referral", "churn"]
    assert told["evidence"]["churn"]["direction"]["rule"] == "better arrangement"
    graph = result.to_networkx()
    assert nx.is_directed_acyclic_graph(graph)
    assert set(graph.edges) == {
        ("price_rise", "satisfaction"),
        ("outages", "satisfaction"),
        ("satisfaction", "referral"),
        ("satisfaction", "churn"),
        ("contract", "churn"),
    }
    assert nx.utils.graphs_equal(nx.parse_gml(result.to_gml()), graph)
    assert '"contract" -> "churn";' in result.to_dot()
    assert pickle.loads(pickle.dumps(result)).to_dict() == result.to_dict()


def test_exports_do_not_pretend_to_be_acyclic(sample: elcs.Dataset) -> None:
    result = elcs.learn(sample, "contract")
    for export in (result.to_networkx, result.to_gml):
        with pytest.raises(elcs.ElcsError, match="no direction .between 'contract' and 'age'.*undirected='both'"):
            export()
    both = result.to_networkx(undirected="both")
    assert both.has_edge("age", "contract")
    assert both.has_edge("contract", "age")
    assert both["age"]["contract"]["directed"] is False
    assert "age" not in result.to_networkx(undirected="drop")
    assert '"contract" -> "age" [dir=none];' in result.to_dot()


def test_names_are_quoted_in_dot() -> None:
    data = {'a "b"\\': [0, 1] * 200, "c": [0, 1] * 199 + [1, 0]}
    assert r'"a \"b\"\\"' in elcs.learn(data, "c").to_dot()


@pytest.mark.parametrize("method", ["elcs", "elcs-exact"])
@pytest.mark.parametrize("limit", [0, 1, 9, 12, 40, 80, 95])
def test_max_tests(sample: elcs.Dataset, method: str, limit: int) -> None:
    ci = elcs.G2(sample)
    result = elcs.learn(ci, "satisfaction", method=method, max_tests=limit)
    assert result.n_tests == limit
    assert not result.complete
    assert result.parents == result.children == ()
    assert "stopped before the end" in str(result)
    for name in result.neighbours:
        assert "The run was stopped" in result.explain(name)
    json.loads(result.to_json())
    assert elcs.learn(ci, "satisfaction", method=method).complete  # the limit ends with the run


def test_a_stopped_run_keeps_what_is_settled(sample: elcs.Dataset) -> None:
    whole = elcs.learn(sample, "contract", method="elcs-exact")
    assert whole.learned == ("contract", "age")
    first = elcs.blanket(sample, "contract").n_tests
    part = elcs.learn(sample, "contract", max_tests=first + 5, method="elcs-exact")
    assert not part.complete
    assert part.learned == ("contract",)
    assert part.children == whole.children
    assert part.undirected == ("age",)


def test_timeout() -> None:
    rng = np.random.default_rng(0)
    hidden = rng.integers(0, 2, 60_000)
    noisy = {f"V{i}": hidden ^ (rng.random(60_000) < 0.3) for i in range(25)}
    table = elcs.Table.from_any(noisy)  # beforehand, or else reading may take all of the time
    result = elcs.learn(table, "V0", max_cond_size=None, timeout=0.3)
    assert not result.complete
    assert 0.2 < result.seconds < 30  # without a limit it would take hours


def test_a_target_independent_of_everything() -> None:
    rng = np.random.default_rng(1)
    result = elcs.learn({name: rng.integers(0, 2, 1000) for name in "abcd"}, "a", alpha=0.001)
    assert result.neighbours == result.markov_blanket == ()
    assert result.complete
    assert "are independent (p = " in result.explain("b")
    assert result.to_networkx().number_of_edges() == 0
    str(result)


def test_columns_that_could_not_be_tested_are_listed() -> None:
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2, 150)
    table = {"x": x, "y": x ^ (rng.random(150) < 0.1), "town": [f"t{i % 18}" for i in range(150)]}
    result = elcs.learn(table, "x", ci_test="g2")
    assert result.not_tested == ("town",)
    assert "not tested       town (too few rows)" in str(result)
    assert result.to_dict()["not_tested"] == ["town"]


def test_five_rows() -> None:
    with pytest.warns(elcs.DataWarning, match="no test of 'a' with another column is reliable"):
        result = elcs.learn({"a": [0, 1, 0, 1, 0], "b": [0, 1, 0, 1, 1]}, "a")
    assert result.neighbours == ()
    assert "too few rows" in result.explain("b")


def test_chi2_and_tests_of_ones_own(sample: elcs.Dataset) -> None:
    assert elcs.learn(sample, "churn", ci_test="chi2").settings["ci_test"] == "Chi2"
    result = elcs.learn(sample, "churn", ci_test=elcs.Chi2, alpha=0.05)
    assert result.settings["alpha"] == 0.05
    assert result.parents == ("contract", "satisfaction")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"target": "chrn"}, "no column 'chrn'; did you mean 'churn'"),
        ({"target": "churn", "method": "elcs-exct"}, "no method 'elcs-exct'; did you mean 'elcs-exact'"),
        ({"target": "churn", "method": "emb"}, "'emb' is a blanket learner"),
        ({"target": "churn", "ci_test": "z"}, "ci_test must be one of auto, g2, chi2"),
        ({"target": "churn", "alpha": 2}, "alpha must lie between 0 and 1"),
        ({"target": "churn", "max_cond_size": -1}, "max_cond_size must be a whole number of at least 0"),
        ({"target": "churn", "method": "elcs-exact", "blanket": "hiton-pc"}, "'hiton-pc' is a pc learner"),
        ({"target": "churn", "colour": 3}, "takes no option 'colour'"),
    ],
)
def test_wrong_arguments(sample: elcs.Dataset, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(elcs.ElcsError, match=message):
        elcs.learn(sample, **arguments)


def test_names_that_are_numbers_are_told() -> None:
    values = np.random.default_rng(0).integers(0, 2, (50, 3))
    for ask in (elcs.learn, elcs.compare):
        with pytest.raises(elcs.DataError, match=r"not 0; the columns of an array are 'V0', 'V1', \.\.\."):
            ask(values, 0)  # type: ignore[arg-type]
        with pytest.raises(elcs.DataError, match="not 1; names are text, so that of a column 1 is '1'"):
            ask(pd.DataFrame(values), 1)  # type: ignore[arg-type]
    assert elcs.learn(pd.DataFrame(values), "1").target == "1"


def test_learners_may_be_exchanged(sample: elcs.Dataset) -> None:
    usual = elcs.learn(sample, "satisfaction")
    loose: Any = {"method": "elcs-exact", "blanket": "emb"}  # type checkers know such options only in options=
    assert elcs.learn(sample, "satisfaction", **loose).parents == usual.parents
    assert elcs.blanket(sample, "satisfaction", options={"pc": "mmpc"}).parents == usual.parents


def test_methods_are_listed_with_their_sources() -> None:
    names = [method.name for method in elcs.methods()]
    assert {
        "elcs",
        "elcs-ii",
        "elcs-no-n",
        "elcs-exact",
        "emb",
        "emb-ii",
        "emb-exact",
        "hiton-pc",
        "mmpc",
    } <= set(names)
    assert len(names) == len(set(names))
    assert all(method.summary for method in elcs.methods())


@pytest.mark.parametrize("method", ["sll", "s2tmb"])
@pytest.mark.parametrize("score", ["bdeu", "bic", elcs.BIC])
def test_methods_that_ask_for_scores(sample: elcs.Dataset, method: str, score: Any) -> None:
    result = elcs.blanket(sample, "satisfaction", method=method, score=score)
    assert set(result.parents) == {"outages", "price_rise"}
    assert set(result.children) == {"referral", "churn"}
    assert dict(result.spouses) == {"churn": ("contract",)}
    assert result.n_tests > result.n_computed > 0
    assert "alpha" not in result.settings
    assert f"{result.n_tests:,} scores" in str(result)
    assert "two causes of churn that are not connected with each other" in result.explain("churn")
    assert "in the best network found the two have a common effect, churn" in result.explain("contract")
    assert result.explain("age") == "age was not found to be connected with satisfaction."
    told = json.loads(result.to_json())
    assert told["evidence"]["churn"]["direction"]["rule"] == "score"
    assert told["evidence"]["contract"]["opened_by"] is None
    assert nx.is_directed_acyclic_graph(result.to_networkx())


def test_scores_may_be_given_instead_of_a_table(sample: elcs.Dataset) -> None:
    expected = elcs.blanket(sample, "churn", method="s2tmb").markov_blanket
    for data in (elcs.BDeu(sample, ess=2.0), elcs.G2(sample)):
        assert elcs.blanket(data, "churn", method="s2tmb").markov_blanket == expected
    assert elcs.blanket(elcs.BDeu(sample, ess=2.0), "churn", method="s2tmb").settings["ess"] == 2.0


@pytest.mark.parametrize("method", ["sll", "s2tmb"])
@pytest.mark.parametrize("limit", [0, 1, 9, 80, 500])
def test_max_tests_limits_scores(sample: elcs.Dataset, method: str, limit: int) -> None:
    result = elcs.blanket(sample, "satisfaction", method=method, max_tests=limit)
    assert result.n_tests == limit
    assert not result.complete
    for name in result.neighbours:
        assert "The run was stopped" in result.explain(name)
    json.loads(result.to_json())


def test_tests_and_scores_do_not_mix(sample: elcs.Dataset) -> None:
    with pytest.raises(elcs.ElcsError, match="'sll' asks for scores, 'elcs-exact' for tests"):
        elcs.learn(sample, "churn", method="elcs-exact", options={"blanket": "sll"})
    with pytest.raises(elcs.ElcsError, match="score must be one of auto, bdeu, bic, blocks"):
        elcs.blanket(sample, "churn", method="sll", score="aic")
    with pytest.raises(elcs.ElcsError, match="scores need a table, which DSeparation does not have"):
        elcs.blanket(elcs.DSeparation(TRUTH), "churn", method="sll")
    with pytest.raises(elcs.DataError, match="no variable 'chrn'|no column 'chrn'"):
        elcs.blanket(elcs.BDeu(sample), "chrn", method="sll")
    assert elcs.blanket(elcs.BDeu(sample), "churn", method="emb").settings["ci_test"] == "G2"  # its table will do


def test_a_graph_says_what_its_edges_lean_to_and_that_there_are_too_few_rows() -> None:
    table = elcs.networks.load("child").sample(500, random_state=0)
    graph = elcs.learn_graph(table)
    assert graph.leanings
    for cause, effect in graph.leanings:
        assert f"(leans to {cause} -> {effect})" in str(graph)
    with pytest.warns(elcs.DataWarning, match="no test of two columns is reliable: there are too few rows"):
        elcs.learn_graph({"a": [1, 2, 1, 2, 1], "b": [0.1, 0.2, 0.3, 0.1, 0.5], "c": list("xyxyx")})
