"""A plan is declared once, checked once, and says what would have no effect."""

from __future__ import annotations

import inspect
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

import elcs
from elcs.cli import options
from elcs.data.reading import ReadingKeywords
from elcs.learners import registry
from elcs.study.plan import PlanKeywords


def test_keywords_are_the_fields() -> None:
    assert list(PlanKeywords.__annotations__) == [f.name for f in fields(elcs.Plan)]
    assert list(ReadingKeywords.__annotations__) == [f.name for f in fields(elcs.Reading)]


def test_every_field_of_the_plan_has_an_option_of_the_command() -> None:
    assert ["method", *options.PLAN, "options"] == [f.name for f in fields(elcs.Plan)]


@pytest.mark.parametrize("question", [elcs.learn, elcs.blanket, elcs.learn_graph, elcs.stability, elcs.compare])
def test_a_person_who_asks_what_a_question_takes_sees_all_keywords(question: Any) -> None:
    parameters = inspect.signature(question).parameters
    refused = {elcs.compare: {"method", "options"}, elcs.stability: {"max_tests"}}.get(question, set())
    refused |= set() if question is elcs.learn else {"depth"}
    for f in (*fields(elcs.Plan), *fields(elcs.Reading)):
        assert (f.name in parameters) == (f.name not in refused)
    assert parameters["alpha"].default == 0.01
    assert parameters["missing"].default == "testwise"
    if question is elcs.blanket:
        assert parameters["method"].default == "emb-exact"


@pytest.mark.parametrize(
    "plan",
    [
        elcs.Plan(),
        elcs.Plan(method="elcs-exact", alpha=0.05, max_cond_size=None, options={"blanket": "emb"}),
        elcs.Plan(method="mmhc", score="bic", ci_test="chi2", max_tests=10, timeout=2.5, options={"tabu": 5}),
    ],
)
def test_a_plan_survives_being_written_down(plan: elcs.Plan) -> None:
    assert elcs.Plan.from_json(plan.to_json()) == plan
    assert elcs.Plan.from_dict(plan.to_dict()) == plan


def test_classes_are_written_down_by_name_and_what_has_none_is_refused() -> None:
    assert elcs.Plan(ci_test=elcs.Chi2, score=elcs.BIC).to_dict()["ci_test"] == "chi2"
    with pytest.raises(elcs.ElcsError, match="ci_test=DSeparation cannot be written to a file; give it by name"):
        elcs.Plan(ci_test=elcs.DSeparation).to_json()
    with pytest.raises(elcs.ElcsError, match="a plan has no colour; it has method, alpha"):
        elcs.Plan.from_json('{"colour": 1}')


def test_a_plan_is_printed_as_a_person_would_say_it() -> None:
    plan = elcs.Plan(method="mmhc", score=elcs.BIC, max_cond_size=None, max_tests=5000, timeout=2, options={"tabu": 5})
    told = "mmhc, auto, alpha 0.01, bic, sets of any size, at most 5,000 tests and scores, at most 2 s, tabu 5"
    assert str(plan) == told
    assert str(elcs.Plan(method="notears")) == "notears"
    assert str(elcs.Plan(method="s2tmb")) == "s2tmb, sets of up to 3"
    assert str(elcs.Plan(method="s2tmb", score="bdeu")) == "s2tmb, bdeu, sets of up to 3"


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("alpha", 0, "alpha must lie between 0 and 1, not 0"),
        ("alpha", "0.01", "alpha must lie between 0 and 1, not '0.01'"),
        ("alpha", float("nan"), "alpha must lie between 0 and 1"),
        ("ci_test", "z", "ci_test must be one of auto, g2, chi2, careful, mixed"),
        ("score", "nonsense", "score must be one of auto, bdeu, bic, blocks"),
        ("max_cond_size", -1, "max_cond_size must be a whole number of at least 0, not -1"),
        ("max_cond_size", 2.5, "max_cond_size must be a whole number"),
        ("max_tests", True, "max_tests must be a whole number"),
        ("timeout", -1, "timeout must be a number of seconds, not -1"),
        ("timeout", float("inf"), "timeout must be a number of seconds, not inf"),
        ("timeout", float("nan"), "timeout must be a number of seconds, not nan"),
        ("method", "elsc", "there is no method 'elsc'; did you mean 'elcs'"),
    ],
)
def test_wrong_values_are_refused(field: str, value: Any, message: str) -> None:
    with pytest.raises(elcs.ElcsError, match=message):
        elcs.Plan(**{field: value})
    with pytest.raises(elcs.ElcsError, match=message):
        elcs.learn(elcs.data.SAMPLE, "churn", **{field: value})


@pytest.mark.parametrize(
    ("method", "field", "value"),
    [
        ("elcs-exact", "score", "bic"),
        ("s2tmb", "alpha", 0.05),
        ("s2tmb", "ci_test", "chi2"),
        ("notears", "alpha", 0.05),
        ("notears", "max_cond_size", 2),
        ("notears", "score", "bic"),
    ],
)
def test_what_has_no_effect_on_the_method_is_refused(method: str, field: str, value: Any) -> None:
    with pytest.raises(elcs.ElcsError, match=f"{field}= has no effect on {method}"):
        elcs.Plan(method=method, **{field: value})
    ask = elcs.blanket if method == "s2tmb" else elcs.learn
    with pytest.raises(elcs.ElcsError, match=f"{field}= has no effect on {method}"):
        ask(elcs.data.SAMPLE, "churn", method=method, **{field: getattr(elcs.Plan, field)})  # even if it is the default


def test_options_are_checked_against_the_method() -> None:
    with pytest.raises(elcs.ElcsError, match="elcs-exact takes no option 'tabu'; it takes blanket, cautious"):
        elcs.Plan(method="elcs-exact", options={"tabu": 3})
    with pytest.raises(elcs.ElcsError, match="pc-stable takes no option 'n_jobs'; it takes confirm"):
        elcs.learn_graph(elcs.data.SAMPLE, method="pc-stable", n_jobs=2)
    with pytest.raises(elcs.ElcsError, match="'sll' asks for scores, 'elcs-exact' for tests"):
        elcs.Plan(method="elcs-exact", options={"blanket": "sll"})


def test_keywords_change_a_plan() -> None:
    plan = elcs.Plan(alpha=0.001, options={"blanket": "emb"})
    result = elcs.learn(elcs.data.SAMPLE, "churn", plan=plan, max_cond_size=2, method="elcs-exact")
    assert result.plan == replace(plan, max_cond_size=2, method="elcs-exact")
    assert result.settings == {"ci_test": "G2", "alpha": 0.001, "max_cond_size": 2, "blanket": "emb"}
    assert elcs.learn(elcs.data.SAMPLE, "churn", plan=result.plan).to_dict()["evidence"] == result.to_dict()["evidence"]
    assert elcs.learn_graph(elcs.data.SAMPLE, plan=elcs.Plan(alpha=0.001)).plan == elcs.Plan("elcs-hybrid", alpha=0.001)


def test_the_columns_decide_which_score_is_asked() -> None:
    levels, both = {"a": [0, 1] * 50, "b": list("xxyy") * 25}, {"a": [0, 1] * 50, "b": [0.5, 1.5, 2.5, 3.0] * 25}
    asked = {name: elcs.Plan(method="s2tmb", score=name) for name in ("auto", "bdeu", "bic", "blocks")}
    for table, made in ((levels, "BDeu"), (both, "Blocks")):
        assert type(asked["auto"].make_scores(elcs.Table.from_any(table))).__name__ == made
        assert elcs.blanket(table, "a", method="s2tmb").settings["score"] == made
        assert type(asked["blocks"].make_scores(elcs.Table.from_any(table))) is elcs.Blocks
    for name in ("bdeu", "bic"):
        with pytest.raises(elcs.DataError, match="column 'b' holds fractional numbers"):
            asked[name].make_scores(elcs.Table.from_any(both))
    assert elcs.Plan.from_json(asked["auto"].to_json()) == asked["auto"] == elcs.Plan(method="s2tmb")
    assert elcs.Plan(score=elcs.Blocks).to_dict()["score"] == "blocks"


def test_all_methods_are_compared_on_numbers_too() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 500))
    found = elcs.compare({"a": a, "b": b, "c": a + b + rng.normal(size=500), "side": a > b}, "c")
    assert list(found.results) == ["elcs-hybrid", "elcs-exact", "mb-by-mb", "pc-stable", "iamb"]
    assert found.results["elcs-hybrid"].settings["score"] == "Blocks"
    assert found.agreement["a"].blanket == found.agreement["b"].blanket == 5


def test_a_comparison_takes_what_concerns_one_of_its_methods() -> None:
    found = elcs.compare(elcs.data.SAMPLE, "churn", ["iamb", "s2tmb"], score="bic", alpha=0.05)
    assert found.results["iamb"].settings["alpha"] == 0.05
    assert found.results["s2tmb"].settings["score"] == "BIC"
    with pytest.raises(elcs.ElcsError, match="score= has no effect on any of the methods iamb, gs"):
        elcs.compare(elcs.data.SAMPLE, "churn", ["iamb", "gs"], score="bic")
    with pytest.raises(elcs.ElcsError, match="compare takes no method="):
        elcs.compare(elcs.data.SAMPLE, "churn", ["iamb"], method="gs")
    with pytest.raises(elcs.ElcsError, match="compare takes no tabu="):
        elcs.compare(elcs.data.SAMPLE, "churn", ["mmhc"], plan=elcs.Plan("mmhc", options={"tabu": 3}))
    study = elcs.Study.of(elcs.data.SAMPLE, elcs.Plan(alpha=0.05))
    assert elcs.compare(study, "churn", ["iamb"]).results["iamb"].settings["alpha"] == 0.05
    with pytest.raises(elcs.ElcsError, match="no method 'imab'"):
        elcs.compare(elcs.data.SAMPLE, "churn", ["imab"])


def test_stability_refuses_a_limit_that_would_spoil_it() -> None:
    for keywords in ({"max_tests": 10}, {"plan": elcs.Plan(max_tests=10)}):
        with pytest.raises(elcs.ElcsError, match="stability takes no max_tests="):
            elcs.stability(elcs.data.SAMPLE, "churn", **keywords)
    assert elcs.stability(elcs.data.SAMPLE, "churn", n_samples=2, max_tests=None).complete


def test_a_plan_is_its_own() -> None:
    options = {"blanket": "emb"}
    plan = elcs.Plan("elcs", options=options)
    options["blanket"] = "nonsense"
    assert plan.options == {"blanket": "emb"}
    assert elcs.Plan(ci_test=elcs.Chi2) == elcs.Plan(ci_test="chi2")  # a class that has a name goes by it
    numbers: Any = {"alpha": np.float32(0.5), "max_cond_size": np.int64(2), "max_tests": np.int64(7)}
    assert elcs.Plan(**numbers).max_tests == 7


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"plan": {"alpha": 0.1}}, "plan must be an elcs.Plan, not {'alpha': 0.1}"),
        ({"options": None}, "options must be a mapping"),
        ({"options": ["a"]}, "options must be a mapping"),
        ({"options": {"blanket": "emb"}, "blanket": "iamb"}, "'blanket' is given twice"),
        ({"method": ""}, "there is no method ''"),
        ({"method": ["elcs"]}, "method must be the name of a method"),
        ({"ci_test": ["g2"]}, "ci_test must be one of"),
        ({"score": ["bic"]}, "score must be one of"),
        ({"ci_test": lambda table, alpha: None}, "ci_test= must make a CITest; it made None"),
        ({"alfa": 0.05}, "elcs-hybrid takes no option 'alfa'; did you mean 'alpha'"),
        ({"max_tests": 10**30}, "max_tests must be a whole number"),
        ({"timeout": 10**400}, "timeout must be a number of seconds"),
        ({"kinds": ["text"]}, "kinds= takes a mapping"),
        ({"drop": 5}, "drop= takes a list of names, not 5"),
        ({"drop": [["age"]]}, "drop= takes a list of names"),
        ({"encoding": None}, "encoding= takes the name of an encoding"),
    ],
)
def test_anything_else_is_refused_in_words(keywords: dict[str, Any], message: str) -> None:
    with pytest.raises(elcs.ElcsError, match=message):
        elcs.learn(elcs.data.SAMPLE, "churn", **keywords)


@pytest.mark.parametrize("text", ["garbage", "[1]", "5", None, '{"options": null}'])
def test_what_is_no_plan_is_refused(text: Any) -> None:
    with pytest.raises(elcs.ElcsError, match="plan|mapping"):
        elcs.Plan.from_json(text)
    with pytest.raises(elcs.ElcsError, match="a study needs an elcs.Plan"):
        elcs.Study.of(elcs.data.SAMPLE, text)


def test_defaults_that_are_spelled_out_change_nothing() -> None:
    spelled = "".join(["test", "wise"])  # another object than the default
    assert elcs.Reading(missing=spelled) == elcs.Reading()
    table = elcs.Table.from_any(elcs.data.SAMPLE)
    assert elcs.learn(table, "churn", missing=spelled).parents == elcs.learn(table, "churn", missing="testwise").parents


def test_a_method_that_is_registered_again_is_asked_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_METHODS", {method.name: method for method in elcs.methods()})

    def nothing(ci: elcs.CITest, notes: Any, *, max_cond_size: int | None = 3) -> None:
        notes.open(notes.target).done = True

    elcs.register(elcs.Method("passing", "local", nothing, "finds nothing"))
    assert elcs.learn(elcs.data.SAMPLE, "churn", method="passing").complete
    elcs.register(elcs.Method("passing", "blanket", nothing, "finds nothing"))
    with pytest.raises(elcs.ElcsError, match="'passing' is a blanket learner"):
        elcs.learn(elcs.data.SAMPLE, "churn", method="passing")
