"""A study binds a plan to a table: one layout, one budget, the same again from other rows."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import elcs
from elcs.data import Discrete
from elcs.engines import MemoryEngine, SequentialTester, Verdict
from elcs.scores.base import Term


def fractions(n: int = 600) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    cause = rng.normal(size=n)
    return pd.DataFrame({"cause": cause, "effect": 2 * cause + rng.normal(size=n), "other": rng.normal(size=n)})


def found_by_all(stability: elcs.Stability) -> tuple[str, ...]:
    return tuple(x for x, shares in stability.shares.items() if shares.neighbour == 1)


QUESTIONS: dict[str, Any] = {
    "learn": lambda data, **keywords: elcs.learn(data, "effect", **keywords).neighbours,
    "blanket": lambda data, **keywords: elcs.blanket(data, "effect", **keywords).neighbours,
    "learn_graph": lambda data, **keywords: elcs.learn_graph(data, **keywords).neighbours("effect"),
    "compare": lambda data, **keywords: elcs.compare(data, "effect", ["elcs"], **keywords).results["elcs"].neighbours,
    "stability": lambda data, **keywords: tuple(
        x
        for x, shares in elcs.stability(data, "effect", n_samples=4, **keywords).shares.items()
        if shares.neighbour == 1
    ),
}
every_question = pytest.mark.parametrize("question", QUESTIONS.values(), ids=QUESTIONS)


@every_question
def test_every_question_takes_the_options_of_reading(question: Any, tmp_path: Path) -> None:
    frame = fractions()
    with pytest.raises(elcs.DataError, match=r"holds? fractional numbers; pass bins=4"):
        question(frame, ci_test="g2")
    assert question(frame) == ("cause",)
    assert question(frame, bins=4) == ("cause",)
    cut = pd.DataFrame({name: (frame[name] > 0).map({True: "high", False: "low"}) for name in frame})
    gaps = cut.assign(other=cut["other"].where(cut.index % 7 > 0))
    assert question(gaps, missing="drop") == ("cause",)
    assert question(gaps, missing="level") == ("cause",)
    assert question(cut.assign(id=range(len(cut))), drop=["id"]) == ("cause",)
    assert question(cut.assign(id=range(len(cut))), columns=["cause", "effect"]) == ("cause",)
    assert question(cut.groupby(list(cut)).size().rename("n").reset_index(), weights="n") == ("cause",)
    assert question((frame > 0).to_numpy(), names=list(frame), kinds={"other": "text"}) == ("cause",)
    path = tmp_path / "t.csv"
    cut.replace("high", "hoch – ü").to_csv(path, index=False, encoding="utf-16")
    assert question(path, encoding="utf-16") == ("cause",)
    with pytest.raises(elcs.DataError, match="bins= takes whole numbers of at least 2"):
        question(frame, bins=1)


@every_question
@pytest.mark.parametrize("ready", [elcs.Table.from_any, elcs.G2, lambda frame: elcs.Study.of(frame, elcs.Plan())])
def test_what_was_read_already_takes_no_option_of_reading(question: Any, ready: Any) -> None:
    table = ready({name: (fractions()[name] > 0) for name in fractions()})
    with pytest.raises(elcs.DataError, match="bins=.* already"):
        question(table, bins=4)


def test_nothing_is_said_in_vain_beside_a_ready_test_or_score() -> None:
    ci, score = elcs.G2(elcs.data.SAMPLE, alpha=0.05), elcs.BDeu(elcs.data.SAMPLE, ess=2.0)
    for keywords in ({"alpha": 0.01}, {"ci_test": "chi2"}, {"plan": elcs.Plan(alpha=0.001)}):
        with pytest.raises(elcs.ElcsError, match="no effect on a G2 that has already been made"):
            elcs.learn(ci, "churn", **keywords)
        with pytest.raises(elcs.ElcsError, match="no effect on a G2 that has already been made"):
            elcs.compare(ci, "churn", ["iamb"], **keywords)
    with pytest.raises(elcs.ElcsError, match="score= has no effect on a BDeu that has already been made"):
        elcs.blanket(score, "churn", method="s2tmb", score="bic")
    assert elcs.blanket(ci, "churn", method="s2tmb", score="bic").settings["score"] == "BIC"  # from its table
    assert elcs.blanket(score, "churn", method="emb", alpha=0.05).settings["alpha"] == 0.05


@pytest.mark.parametrize("target", [["churn", "age"], ("churn",), 3.5, None])
def test_the_target_is_one_column(target: Any) -> None:
    with pytest.raises(elcs.DataError, match=r"the target must be the name of one column, not .*one column at a time"):
        elcs.learn(elcs.data.SAMPLE, target)


def test_tests_and_scores_are_paid_from_one_budget() -> None:
    table = elcs.Table.from_any(elcs.data.SAMPLE)
    whole = elcs.learn_graph(table, method="mmhc")
    ci, score = elcs.G2(table), elcs.BDeu(table)
    study = elcs.Study(elcs.Plan(method="mmhc"), table=table, tests=ci, scores=score)
    assert elcs.learn_graph(study).n_tests == ci.n_asked + score.n_asked == whole.n_tests
    n_tests = ci.n_asked
    for limit in (0, 5, n_tests - 1, n_tests, n_tests + 1, n_tests + 40, whole.n_tests - 1):
        part = elcs.learn_graph(table, method="mmhc", max_tests=limit)
        assert (part.n_tests, part.complete) == (limit, False)
    exactly = elcs.learn_graph(table, method="mmhc", max_tests=whole.n_tests)
    assert exactly.complete
    assert exactly.directed == whole.directed
    assert (ci.budget.tests_left, score.budget.seconds_left) == (None, None)  # limits end with the run


def test_a_table_is_laid_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    make = MemoryEngine.__init__

    def counted(engine: MemoryEngine, data: elcs.Table) -> None:
        made.append(data)
        make(engine, data)

    monkeypatch.setattr(MemoryEngine, "__init__", counted)
    table = elcs.Table.from_any(elcs.data.SAMPLE)
    for target in table.names:
        elcs.learn(table, target)
    elcs.blanket(table, "churn", method="s2tmb")
    elcs.learn_graph(table, method="mmhc")
    elcs.compare(table, "churn")
    assert made == [table]
    again = pickle.loads(pickle.dumps(table))  # a copy does not take the layout along
    elcs.learn(again, "churn")
    assert len(made) == 2


def test_a_study_remembers_and_a_table_does_not() -> None:
    table = elcs.Table.from_any(elcs.data.SAMPLE)
    by_tests = elcs.Plan(method="elcs-exact")
    first, second = (elcs.learn(table, "churn", plan=by_tests) for _ in range(2))
    assert first.n_computed == second.n_computed > 0
    study = elcs.Study.of(table, by_tests)
    assert elcs.learn(study, "churn").n_computed == first.n_computed
    assert elcs.learn(study, "churn").n_computed == 0
    assert elcs.learn(study, "churn", timeout=60.0).n_computed == 0
    assert elcs.learn(study, "churn", alpha=0.05).n_computed > 0
    assert elcs.blanket(study, "churn", method="iamb").settings["alpha"] == 0.01


class Nearness(elcs.CITest):
    """A test of one's own: dependent if two columns agree in so many rows."""

    accepts = ("discrete",)
    statistic_name = "agreement"

    def __init__(self, data: Any, share: float = 0.8, *, alpha: float = 0.01) -> None:
        table = elcs.Table.from_any(data)
        self.share = share
        super().__init__(table.names, SequentialTester(self.measure, cache_size=100), table)

    def measure(self, x: int, y: int, given: tuple[int, ...]) -> tuple[float, int, int]:
        assert self.data is not None
        one, other = self.data.columns[x], self.data.columns[y]
        assert isinstance(one, Discrete)
        assert isinstance(other, Discrete)
        agree = float(np.average(one.codes == other.codes, weights=self.data.weights))
        return agree, 1, Verdict.DEPENDENT if agree > self.share else Verdict.INDEPENDENT


@pytest.mark.parametrize("given", ["class", "instance"])
def test_a_test_of_ones_own_keeps_the_table_in_sight(given: str) -> None:
    rng = np.random.default_rng(1)
    x = rng.integers(0, 2, 400)
    table = elcs.Table.from_any({"x": x, "y": x ^ (rng.random(400) < 0.05), "z": rng.integers(0, 2, 400)})
    if given == "class":
        result = elcs.blanket(table, "x", method="hiton-pc", ci_test=Nearness)
    else:
        result = elcs.blanket(Nearness(table, 0.99), "x", method="hiton-pc")
    assert result.neighbours == (("y",) if given == "class" else ())
    assert result.profile is not None
    assert result.profile.names == ("x", "y", "z")
    assert "400 observations of 3 columns" in result.to_html()
    found = result.stability(4)
    assert found.shares["y"].neighbour == (1.0 if given == "class" else 0.0)  # the share is not forgotten
    assert given == "instance" or "(agreement = 1.0" in result.explain("y") or "agreement = 0.9" in result.explain("y")


class Priced(elcs.CountedScore):
    """A score of one's own, with a parameter that its `settings` do not mention."""

    def __init__(self, data: Any, price: float, *, engine: Any = "memory") -> None:
        super().__init__(data, engine=engine)
        self.price = price

    def terms(self, n_levels: int, n_configurations: int) -> tuple[Term, Term, float]:
        of_cells, of_configurations, constant = elcs.BIC.terms(elcs.BIC(self.data), n_levels, n_configurations)
        return of_cells, of_configurations, constant - self.price * (n_configurations > 1)


def test_a_score_of_ones_own_keeps_its_parameters() -> None:
    table = elcs.Table.from_any(elcs.data.SAMPLE)
    dear = Priced(table, price=1e9)
    assert dear.recipe(table).price == pickle.loads(pickle.dumps(dear)).price == 1e9
    result = elcs.blanket(dear, "churn", method="s2tmb")
    assert result.markov_blanket == ()
    assert all(shares.blanket == 0 for shares in result.stability(4).shares.values())
    assert elcs.blanket(Priced(data=table, price=0.0), "churn", method="s2tmb").stability(4).shares["contract"].blanket


def test_tests_say_what_they_accept() -> None:
    assert elcs.G2.accepts == elcs.Chi2.accepts == elcs.BDeu.accepts == ("discrete",)
    mixed = elcs.Table.from_any({"x": [0.5, 1.5] * 50, "n": [*range(0, 198, 2), 0], "y": [0, 1] * 50})
    assert [column.kind for column in mixed.columns] == ["numeric", "numeric", "discrete"]
    for make, instead in ((elcs.G2, "--ci-test careful"), (elcs.BDeu, "--score blocks")):
        told = rf"'x' holds fractional.*\({instead}\)\n- too many levels.*'n' \(99 levels\)"
        with pytest.raises(elcs.DataError, match=told):
            make(mixed)
    assert not elcs.DSeparation(elcs.networks.load("asia").to_networkx()).divisible
    assert elcs.G2(elcs.data.SAMPLE).divisible


def test_a_limit_of_ones_own_holds_and_stays() -> None:
    ci = elcs.G2(elcs.data.SAMPLE)
    ci.limit(tests=40)
    part = elcs.learn(ci, "satisfaction", method="elcs-exact")
    assert (part.complete, part.n_tests) == (False, 40)
    assert ci.budget.tests_left == 0
    assert elcs.learn(ci, "satisfaction", max_tests=1000, method="elcs-exact").complete  # another limit, for that run
    assert ci.budget.tests_left == 0


def test_a_test_of_some_columns_answers_about_these() -> None:
    table = elcs.Table.from_any(elcs.data.SAMPLE)
    some = elcs.Table.from_any(elcs.data.SAMPLE, columns=["churn", "contract", "satisfaction"])
    ci = elcs.CITest(some.names, elcs.G2(some)._tester, data=table)
    assert set(elcs.learn(ci, "churn").evidence) == {"contract", "satisfaction"}
    assert elcs.learn_graph(ci, method="pc-stable").nodes == some.names
    with pytest.raises(elcs.DataError, match="there is no column 'age'"):
        elcs.learn(ci, "age")


def test_functions_of_ones_own_stay_behind() -> None:
    own: Any = lambda table, alpha: elcs.G2(table, alpha=alpha)  # noqa: E731
    result = elcs.learn(elcs.data.SAMPLE, "churn", ci_test=own)
    assert pickle.loads(pickle.dumps(result)).parents == result.parents
    assert result.stability(4, n_jobs=2).shares == result.stability(4).shares
    assert pickle.loads(pickle.dumps(elcs.learn_graph(elcs.data.SAMPLE, ci_test=own))).directed


def test_a_result_tells_how_the_table_was_read() -> None:
    result = elcs.learn(elcs.data.SAMPLE, "churn", drop=["region"], missing="level")
    assert result.settings["drop"] == ["region"]
    assert result.to_dict()["settings"]["missing"] == "level"


def test_the_stability_of_another_target_is_refused() -> None:
    result = elcs.learn(elcs.data.SAMPLE, "churn")
    other = elcs.stability(elcs.data.SAMPLE, "age", n_samples=2)
    with pytest.raises(elcs.ElcsError, match="the stability of 'age', and the result is about 'churn'"):
        result.to_html(stability=other)


def test_an_engine_of_ones_own_choice_is_kept_for_other_rows() -> None:
    table = elcs.Table.from_any(elcs.data.SAMPLE)
    ci = elcs.G2(table, engine=elcs.engines.ReferenceEngine(table))
    assert ci.recipe(table.halves(np.random.default_rng(0))[0]).engine.name == "reference"


def test_many_rare_levels_are_warned_of_where_g2_would_be_misled() -> None:
    rng = np.random.default_rng(1)
    town = rng.zipf(1.5, 5000) % 200
    table = {"town": [f"t{i}" for i in town], "y": rng.integers(0, 2, 5000), "z": rng.integers(0, 2, 5000)}
    with pytest.warns(elcs.DataWarning, match=r"of the 1\d\d levels of 'town' have fewer than 10 rows.*ci_test='chi2'"):
        elcs.blanket(table, "y")
    elcs.blanket(table, "y", ci_test="chi2")  # no warning, or this would fail
    elcs.learn(table, "y")
    elcs.blanket({**table, "town": [f"t{i}" for i in rng.integers(0, 100, 5000)]}, "y")
