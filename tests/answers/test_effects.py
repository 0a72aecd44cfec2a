"""Effects, from a table to a sentence, held to networks whose truth is known."""

from __future__ import annotations

import json
import pickle
import re
from dataclasses import replace
from functools import cache

import networkx as nx
import numpy as np
import pytest
from making import NASTY

import elcs
from elcs import networks
from elcs.answers.effect import Effect
from elcs.answers.effect_words import Say
from elcs.estimation import estimate
from elcs.graph.pdag import Reason
from elcs.graph.rules import ARRANGEMENT

SAMPLE = elcs.Table.from_any(elcs.data.SAMPLE)


def informed(network: networks.Network, n: int, method: str = "elcs-exact") -> elcs.Study:
    """Bind a large sample to perfect tests, so that the graph is right."""
    plan = elcs.Plan(method=method, max_cond_size=None)
    table = network.sample(n, random_state=1)
    return elcs.Study(plan, table=table, tests=elcs.DSeparation(network.to_networkx()))


def truth(network: networks.Network, cause: str, effect: str) -> dict[str, dict[str, float]]:
    return {
        x: dict(zip(network.levels[effect], network.do(cause, x).marginal(effect), strict=True))
        for x in network.levels[cause]
    }


def misses(found: Effect, true: dict[str, dict[str, float]], spare: float) -> list[tuple[object, object]]:
    """Return where the truth lies outside of what is called possible."""
    ends = found.intervals
    return [
        (x, y)
        for x in found.points
        for y, p in true[str(x)].items()
        if y in ends[x] and not ends[x][y][0] - spare <= p <= ends[x][y][1] + spare
    ]


@cache
def network_of(name: str) -> networks.Network:
    if not name.isdigit():
        return networks.load(name)
    return networks.random_network(7, 9, levels=(2, 3), random_state=int(name))


@pytest.mark.parametrize("method", ["elcs-exact", "elcs-global"])
@pytest.mark.parametrize("name", ["asia", "sachs", "1", "2", "3"])
def test_the_truth_is_within_what_is_called_possible(name: str, method: str) -> None:
    network = network_of(name)
    study = informed(network, 40_000, method)
    wrong, n = [], 0
    for cause in network.variables:
        for effect in network.variables:
            if cause != effect:
                found = elcs.effect(study, cause, effect)
                n += 1
                wrong += [(cause, effect, *at) for at in misses(found, truth(network, cause, effect), spare=0.02)]
                assert found.no_effect <= (not nx.has_path(network.to_networkx(), cause, effect))
    assert len(wrong) <= 0.01 * n, wrong


def test_the_guide_to_the_sample() -> None:
    found = elcs.effect(SAMPLE, "outages", "satisfaction")
    assert found.identified
    assert not found.no_effect
    assert found.shown
    (only,) = found.possible
    assert (only.kind, only.adjusted_for) == ("optimal", ("price_rise",))
    assert set(only.parents) == {(), ("region",), ("support_calls",)}
    assert set(only.outcomes) == {"few", "many", "none"}
    assert sum(only.outcomes["none"].values()) == pytest.approx(1)
    assert "would rise from 42% to 57% (55% to 59%)" in found.say("none", "high")
    assert "would fall" in found.say("none", "low")
    assert found.say("none") == found.say("none", "low")
    assert "influences both" in str(found)


def test_all_that_is_possible_is_given_where_an_edge_is_undecided() -> None:
    found = elcs.effect(SAMPLE, "outages", "support_calls")
    assert not found.identified
    assert {one.kind for one in found.possible} == {"none", "parents"}
    low, high = found.range["many"]["2+"]
    assert low < 0.2 < 0.5 < high
    assert "depending on what causes outages" in found.say("many", "2+")
    assert "what you know about the causes of outages narrows this" in str(found)
    assert "if support_calls causes outages: outages cannot be a cause of support_calls" in str(found)
    assert repr(found) == "Effect('outages' on 'support_calls', 2 possible)"


def test_what_cannot_be_a_cause_has_no_effect() -> None:
    for found, said in (
        (elcs.effect(SAMPLE, "satisfaction", "outages"), "has no effect on"),  # an arrow says so
        (elcs.effect(SAMPLE, "churn", "outages", method="elcs-global"), "has no effect on"),
        (elcs.effect(SAMPLE, "churn", "age"), "shows no effect of"),  # a test says so
        (elcs.effect(SAMPLE, "churn", "age", method="elcs-global"), "shows no effect of"),  # no path leads there
    ):
        assert found.no_effect
        assert found.identified
        level = next(iter(found.today))
        assert said in found.say(found.points[0], level)
        assert found.range[found.points[0]][level][0] == pytest.approx(found.today[level])


@pytest.mark.parametrize("method", ["elcs-hybrid", "elcs-exact", "elcs-global"])
def test_the_optimal_set_is_held_fixed_however_the_graph_is_found(method: str) -> None:
    found = elcs.effect(SAMPLE, "satisfaction", "churn", method=method)
    assert found.possible[0].adjusted_for == ("contract",)
    assert elcs.learn_graph(SAMPLE).effect("satisfaction", "churn").range == found.range
    parents = estimate(SAMPLE, "satisfaction", "churn", ["outages", "price_rise"])
    low, high = parents.interval(parents.points.index("low"), parents.levels.index("yes"))
    narrower = np.subtract(*found.intervals["low"]["yes"][::-1])
    assert narrower < 0.9 * (high - low)


def test_where_directions_only_lean_tests_find_the_optimal_set() -> None:
    graph = elcs.learn_graph(SAMPLE)
    assert graph._graph is not None
    graph._graph.leanings["region", "outages"] = Reason(ARRANGEMENT)
    assert graph.effect("satisfaction", "churn").possible[0].adjusted_for == ("contract",)


def test_an_effect_that_a_test_misses_is_within_its_interval() -> None:
    rng = np.random.default_rng(11)
    x = rng.integers(0, 2, (400, 300))
    y = (rng.random((400, 300)) < 0.4 + 0.1 * x).astype(int)
    missed = [elcs.effect({"x": a, "y": b}, "x", "y", method="elcs-exact") for a, b in zip(x, y, strict=True)]
    missed = [found for found in missed if found.no_effect]
    assert len(missed) > 100
    held = [found.intervals[1][1][0] <= 0.5 <= found.intervals[1][1][1] for found in missed]
    assert np.mean(held) > 0.9
    one = missed[0]
    assert one.range[1][1] == (one.today[1], one.today[1])
    assert "the table shows no effect of x on y" in one.say(1, 1)
    assert "x is independent of y, so no effect on it is shown" in str(one)
    assert "influences both" in str(one)
    assert not one.shown


@pytest.mark.filterwarnings("ignore:'sum' follows from:elcs.DataWarning")
def test_what_follows_from_the_effect_is_not_held_fixed() -> None:
    """A test misses that `sum` depends on `a`; that it lies behind `y` is what the graph leans to."""
    rng = np.random.default_rng(3)
    a, b, c = rng.integers(0, 2, 2000), rng.integers(0, 3, 2000), rng.integers(0, 3, 2000)
    y = (a + b + c > 2).astype(int)
    z = y ^ (rng.random(2000) < 0.2)
    (one,) = elcs.effect({"a": a, "b": b, "y": y, "z": z, "sum": b + z}, "a", "y").possible
    assert one.adjusted_for == ("b",)
    assert one.intervals[1][1][0] < 2 / 3 < one.intervals[1][1][1]


def test_what_may_follow_from_the_effect_is_not_held_fixed() -> None:
    """The graph leaves open whether `b` is a cause of `y`, and tests take it for one; it is an effect."""
    rng = np.random.default_rng(1168)
    w, x = rng.normal(size=400), rng.integers(0, 2, 400)
    y = 0.3 * x + 0.6 * w + rng.normal(size=400)
    table = {"x": x, "w": w, "y": y, "b": 0.3 * y + rng.normal(size=400)}
    assert "b" in elcs.learn(table, "y").undirected
    (one,) = elcs.effect(table, "x", "y").possible
    assert one.adjusted_for == ()


@pytest.mark.filterwarnings("ignore::elcs.DataWarning")
def test_nothing_behind_the_effect_is_held_fixed_nor_ways_counted_that_close_a_circle() -> None:
    table = elcs.networks.load("insurance").sample(1000, random_state=1)
    graph = elcs.learn_graph(table)
    arrows: nx.DiGraph[str] = nx.DiGraph(graph.directed)
    arrows.add_nodes_from(graph.nodes)
    for cause in graph.nodes:
        for effect in (*graph.children(cause), *graph.undecided(cause)):
            for one in elcs.effect(table, cause, effect).possible:
                assert not nx.descendants(arrows, effect).intersection(one.adjusted_for)
                for parents in one.parents:
                    effects = {v for v in graph.neighbours(cause) if v not in parents}
                    assert not effects.union(*(nx.descendants(arrows, v) for v in effects)).intersection(parents)


def test_learners_of_networks_decide_no_more_than_observations_do() -> None:
    graph = elcs.learn_graph(SAMPLE, method="mmhc")
    assert not graph.undirected
    assert len(graph.effect("outages", "support_calls").possible) == 2
    assert graph.cpdag().effect("outages", "support_calls").range == graph.effect("outages", "support_calls").range


def test_what_is_known_narrows_what_is_possible() -> None:
    known = elcs.Knowledge(tiers=[["region"], ["outages"], ["support_calls", "satisfaction"]])
    found = elcs.effect(SAMPLE, "outages", "support_calls", knowledge=known)
    assert found.identified
    assert found.range["many"]["2+"][0] > 0.4
    assert elcs.effect(SAMPLE, "satisfaction", "region", knowledge=known).no_effect
    for method in ("mmhc", "elcs-global"):
        graph = elcs.learn_graph(SAMPLE, method=method, knowledge=known)
        assert graph.effect("outages", "support_calls").identified


def test_directions_that_are_not_decided_stay_possible() -> None:
    for found in (
        elcs.effect(SAMPLE, "outages", "satisfaction", method="elcs-hybrid"),
        elcs.learn_graph(SAMPLE, method="elcs-hybrid").effect("outages", "satisfaction"),
    ):
        low, high = found.intervals["none"]["high"]
        assert low < 0.56 < high
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 2, (2, 400))
    x = np.where(rng.random(400) < 0.62, a | b, rng.integers(0, 2, 400))
    y = np.where(rng.random(400) < 0.7, x, rng.integers(0, 2, 400))
    result = elcs.learn({"a": a, "b": b, "x": x, "y": y}, "x", method="elcs-hybrid")
    found = elcs.effect({"a": a, "b": b, "x": x, "y": y}, "x", "y", method="elcs-hybrid")
    leaning = {v for v, role in result.leanings.items() if role == "parent"}
    assert frozenset(leaning | set(result.parents)) in {frozenset(p) for one in found.possible for p in one.parents}


def test_the_truth_about_child_is_within_what_is_called_possible() -> None:
    network = networks.load("child")
    study = informed(network, 20_000, "elcs-global")
    pairs = sorted((x, y) for x in network.variables for y in nx.descendants(network.to_networkx(), x))[::5]
    wrong = [
        (*pair, *at) for pair in pairs for at in misses(elcs.effect(study, *pair), truth(network, *pair), spare=0.02)
    ]
    assert len(wrong) <= 2, wrong


def test_half_samples_learn_the_graph_anew() -> None:
    found = elcs.effect(SAMPLE, "outages", "satisfaction", n_samples=20, random_state=3)
    again = elcs.effect(SAMPLE, "outages", "satisfaction", n_samples=20, random_state=3)
    assert found.relearnt is not None
    assert found.relearnt == again.relearnt
    assert found.relearnt.n_samples == 20
    low, high = found.relearnt.intervals["none"]["high"]
    assert low < found.range["none"]["high"][0] < high
    assert "learnt anew from 20 half-samples" in str(found)
    with pytest.raises(elcs.ElcsError, match="half-samples come in pairs"):
        elcs.effect(SAMPLE, "outages", "satisfaction", n_samples=3)


def test_a_limit_is_heeded() -> None:
    found = elcs.effect(SAMPLE, "outages", "satisfaction", max_tests=3)
    assert not found.complete
    assert "stopped before the end" in str(found)
    stopped = elcs.effect(SAMPLE, "outages", "satisfaction", n_samples=2000, timeout=0.05)
    assert not stopped.complete


def test_effects_around_a_variable() -> None:
    result = elcs.learn(SAMPLE, "satisfaction")
    effects = result.effects()
    assert [e.cause for e in effects.of_causes] == ["price_rise", "outages"]
    assert [e.effect for e in effects.on_effects] == ["referral", "churn"]
    assert len(effects) == 4
    assert effects["outages"].range == elcs.effect(SAMPLE, "outages", "satisfaction").range
    assert str(effects["churn"]) in str(effects)
    with pytest.raises(elcs.DataError, match="no neighbour 'age'"):
        effects["age"]
    assert effects["churn"].relearnt is None
    relearnt = elcs.learn(SAMPLE, "churn").effects(n_samples=4)["contract"].relearnt
    assert relearnt is not None
    with pytest.raises(elcs.ElcsError, match="does not know the table"):
        pickle.loads(pickle.dumps(result)).effects()
    with pytest.raises(elcs.ElcsError, match="does not know the table"):
        pickle.loads(pickle.dumps(elcs.learn_graph(SAMPLE))).effect("outages", "churn")


def test_a_variable_on_its_own_has_no_effects() -> None:
    rng = np.random.default_rng(0)
    effects = elcs.learn({"a": rng.integers(0, 2, 300), "b": rng.integers(0, 2, 300)}, "a").effects()
    assert len(effects) == 0
    assert "no direct causes" in str(effects)


def deliveries(n: int = 4000) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(4)
    km = rng.gamma(2, 3, n)
    weather = rng.choice(["dry", "rain"], n, p=[0.7, 0.3])
    minutes = 20 + 2 * km + np.where(weather == "rain", 8.0, 0.0) + rng.normal(0, 4, n)
    tip = np.where(rng.random(n) < 0.2, np.nan, 6 - minutes / 15 + rng.normal(0, 1, n))
    return {"km": km, "weather": weather, "minutes": minutes, "tip": tip}


def test_numbers_have_slopes_and_curves() -> None:
    data = deliveries()
    found = elcs.effect(data, "km", "minutes")
    assert found.identified
    (only,) = found.possible
    slope, low, high = only.slope["mean"]
    assert low < 2 < high
    assert slope == pytest.approx(2, abs=0.1)
    assert len(found.points) == 5
    assert only.overlap is not None
    assert "extrapolated" not in str(found)
    assert "if km grows by 1, the mean of minutes changes by +" in str(found)
    assert "the mean of minutes would" in found.say(found.points[0])
    by_level = elcs.effect(data, "weather", "minutes")
    assert by_level.possible[0].differences["rain"]["mean"][0] == pytest.approx(8 * 0.7, abs=0.5)
    with_gaps = elcs.effect(data, "minutes", "tip")
    assert with_gaps.possible[0].slope["mean"][0] == pytest.approx(-1 / 15, abs=0.02)
    assert with_gaps.possible[0].n_rows < 4000
    assert elcs.effect(data, "km", "minutes", n_samples=4).relearnt is not None


def test_dates_are_written_as_dates() -> None:
    rng = np.random.default_rng(0)
    u = rng.normal(size=800)
    days = np.round(100 * u + 60 * rng.normal(size=800)).astype(int)
    table = {"u": u, "day": np.datetime64("2020-01-01") + days, "z": rng.normal(size=800)}
    text = str(elcs.effect(table, "u", "day", knowledge={"exogenous": ["u"]}))
    assert "today        2019-12-30" in text
    assert re.search(r"u = 1\.29 +2020-05-1\d \(2020-05-\d\d to 2020-05-\d\d\)", text)
    assert re.search(r"if u grows by 1, the mean of day changes by \+\d+ days \(", text)


def test_causes_that_are_dates_are_written_as_dates_and_grow_by_days() -> None:
    rng = np.random.default_rng(0)
    days = np.round(100 * rng.normal(size=800)).astype(int)
    sold = 0.05 * days + rng.normal(size=800)
    table = {"day": np.datetime64("2020-01-01") + days, "sold": sold, "z": rng.normal(size=800)}
    found = elcs.effect(table, "day", "sold", knowledge={"exogenous": ["day"]})
    text = str(found)
    assert "if day grows by one day, the mean of sold changes by +0.0" in text
    assert all(re.match(r"\d{4}-\d\d-\d\d$", Say(found).point(x)) for x in found.points)
    assert re.search(r"day = 20\d\d-\d\d-\d\d +-?\d", text)
    assert re.match(r"If day were 20\d\d-\d\d-\d\d, the mean of sold would ", found.say(found.points[0]))


def test_json_holds_everything_and_no_nan() -> None:
    for found in (
        elcs.effect(SAMPLE, "outages", "support_calls", n_samples=2),
        elcs.effect(deliveries(300), "km", "tip"),
        elcs.effect(SAMPLE, "churn", "age"),
    ):
        told = json.loads(found.to_json())
        json.dumps(told, allow_nan=False)
        assert told["possible"][0]["adjusted_for"] == list(found.possible[0].adjusted_for)
        assert set(told["range"]) == {str(x) for x in found.points}
    effects = json.loads(elcs.learn(SAMPLE, "churn").effects().to_json())
    assert len(effects["of_causes"]) == 2


def test_what_cannot_be_asked_is_refused() -> None:
    with pytest.raises(elcs.DataError, match="'churn' is given as the cause and as the effect"):
        elcs.effect(SAMPLE, "churn", "churn")
    with pytest.raises(elcs.DataError, match="no column 'chrun'; did you mean 'churn'"):
        elcs.effect(SAMPLE, "outages", "chrun")
    with pytest.raises(elcs.DataError, match="the effect must be the name of one column"):
        elcs.effect(SAMPLE, "outages", ["churn"])  # type: ignore[arg-type]
    with pytest.raises(elcs.ElcsError, match="effects need a table, which DSeparation does not have"):
        elcs.effect(elcs.DSeparation(nx.DiGraph([("a", "b")])), "a", "b")
    with pytest.raises(elcs.DataError, match="no level 'never' of outages; its levels are 'few', 'many', 'none'"):
        elcs.effect(SAMPLE, "outages", "churn").say("never")
    with pytest.raises(elcs.DataError, match="there is no level 'perhaps' of churn; its levels are 'no', 'yes'"):
        elcs.effect(SAMPLE, "outages", "churn").say("none", "perhaps")


@pytest.mark.filterwarnings("ignore::elcs.DataWarning")
def test_a_constant_column_is_refused() -> None:
    table = elcs.Table.from_any({"a": [0, 1] * 50, "b": [0, 1, 1, 0] * 25, "c": [7] * 100})
    for cause, effect in (("a", "c"), ("c", "a")):
        with pytest.raises(elcs.DataError, match="constant"):
            elcs.effect(table, cause, effect)


@pytest.mark.filterwarnings("ignore::elcs.DataWarning")
def test_too_few_rows_give_an_empty_estimate_with_its_reason() -> None:
    found = elcs.effect({"a": [0, 1] * 8, "b": [0, 1] * 7 + [1, 0]}, "a", "b")
    assert not found.estimates
    assert "only 16 rows" in found.possible[0].problem
    assert "no estimate, because only 16 rows" in str(found)
    assert found.points == ()
    json.dumps(found.to_dict(), allow_nan=False)


def known_causes(data: dict[str, np.ndarray]) -> elcs.Study:
    """Bind a table to perfect tests of z -> x <- v, x -> y <- z."""
    graph = nx.DiGraph([("z", "x"), ("v", "x"), ("x", "y"), ("z", "y")])
    return elcs.Study(elcs.Plan(), table=elcs.Table.from_any(data), tests=elcs.DSeparation(graph))


def test_little_overlap_is_said() -> None:
    rng = np.random.default_rng(6)
    z, v = rng.integers(0, 4, 3000), rng.integers(0, 2, 3000)
    x = np.where(rng.random(3000) < np.array([0.0, 0.0, 0.5, 0.9])[z] + 0.1 * v * (z > 1), "yes", "no")
    y = np.where(rng.random(3000) < 0.2 + 0.15 * z + 0.2 * (x == "yes"), "up", "down")
    found = elcs.effect(known_causes({"z": z, "v": v, "x": x, "y": y}), "x", "y")
    (only,) = found.possible
    assert set(only.adjusted_for) == {"z", "v"}
    assert only.overlap is not None
    assert only.overlap < 0.6
    assert "the rest is extrapolated" in str(found)
    low, high = only.intervals["yes"]["up"]
    assert low < 0.625 < high
    assert high - low > 0.2


def test_no_overlap_is_not_called_0_percent() -> None:
    rng = np.random.default_rng(6)
    z, v = rng.integers(0, 4, 3000), rng.integers(0, 2, 3000)
    x = np.where(z > 1, "none", np.where(rng.random(3000) < 0.2 + 0.5 * v, "fast", "slow"))
    y = np.where(rng.random(3000) < 0.2 + 0.15 * z + 0.2 * (x == "fast"), "up", "down")
    known = {"required": [("z", "x"), ("v", "x")]}
    found = elcs.effect({"z": z, "v": v, "x": x, "y": y}, "x", "y", knowledge=known)
    assert [one.overlap for one in found.possible] == [0]
    told = " ".join(found.notes())
    assert "; no row lies where all levels of x occur, so some of this is extrapolated for every row" in told
    assert "0%" not in told


def test_values_of_a_numeric_cause_that_hardly_occur_are_said_to_be_extrapolated() -> None:
    rng = np.random.default_rng(0)
    z, v = rng.normal(0, 3, 2000), rng.normal(0, 0.1, 2000)
    x = z + v
    data = {"z": z, "v": v, "x": x, "y": x + 2 * z + rng.normal(0, 1, 2000)}
    told = str(elcs.effect(known_causes(data), "x", "y"))
    assert "of the rows are like those in which such a value of x occurs, the rest is extrapolated" in told


def test_many_ways_are_not_all_written_down() -> None:
    found = elcs.effect(SAMPLE, "outages", "support_calls")
    found = replace(found, possible=found.possible * 5)
    assert f"and {len(found.possible) - 6} more ways, which the JSON lists" in str(found)
    assert len(list(found.notes())) > len(found.possible)


def test_where_too_much_is_open_the_other_effects_are_still_told() -> None:
    rng = np.random.default_rng(0)
    hidden = rng.normal(size=300)
    data = {f"v{i:02}": hidden + rng.normal(0, 0.5, 300) for i in range(12)}  # all depend on each other
    data["set"] = rng.normal(size=300)
    data["last"] = data["v00"] + data["set"] + rng.normal(0, 0.5, 300)
    plan = elcs.Plan("elcs-exact", max_cond_size=0, knowledge={"outcomes": ["last"], "exogenous": ["set"]})
    effects = elcs.learn(data, "last", plan=plan).effects()
    assert effects.complete
    assert effects["set"].identified
    unknown = effects["v00"]
    assert not unknown.identified
    assert not unknown.no_effect
    assert unknown.range == {}
    assert "no estimate, because more than 1,000 sets of direct causes of v00 fit the graph" in str(effects)
    assert [one["identified"] for one in json.loads(effects.to_json())["of_causes"]].count(False) == 12


def test_what_is_estimated_when_time_is_up_is_returned() -> None:
    result = elcs.learn(elcs.data.SAMPLE, "satisfaction", timeout=60)
    assert result._records is not None
    study = result._records.study
    assert study is not None
    study.plan = replace(study.plan, timeout=0.0)
    stopped = result.effects()
    assert not stopped.complete
    assert not len(stopped)
    assert str(stopped) == "stopped before all effects were estimated"
    assert stopped.to_dict()["complete"] is False
    done: list[int] = []
    elcs.learn(elcs.data.SAMPLE, "satisfaction").effects(report=done.append)
    assert done == [0, 1, 2, 3]


def test_all_that_effects_need_shares_one_time_limit() -> None:
    result = elcs.learn(elcs.data.SAMPLE, "satisfaction", timeout=60)
    records = result._records
    assert records is not None
    allowed: list[float] = []

    def ask(study: elcs.Study, target: str) -> elcs.MarkovBlanket:
        assert study.plan.timeout is not None
        allowed.append(study.plan.timeout)
        return records.ask(study, target)

    effects = replace(result, _records=replace(records, ask=ask)).effects()
    assert effects.complete
    assert len(allowed) == len(effects.of_causes) == 2
    assert 60 > allowed[0] > allowed[1] > 0


def test_words_fit_what_they_say() -> None:
    rng = np.random.default_rng(1)
    z, v = rng.integers(0, 2, (2, 4000))
    x = np.where(rng.random(4000) < 0.4, z | v, rng.integers(0, 2, 4000))
    y = x - 2.0 * z + rng.normal(0, 1, 4000)
    told = str(elcs.effect(known_causes({"z": z, "v": v, "x": x, "y": y}), "x", "y"))
    assert "adjusted for z (the direct cause of x that matters to y); 4,000 rows" in told
    alone = str(elcs.effect({"x": x, "y": y}, "x", "y"))
    assert "if nothing causes x: adjusted for nothing (nothing causes x); 4,000 rows" in alone
    low, high = (f"{end:.3g}" for end in elcs.effect({"x": x, "y": y}, "x", "y").range[0]["mean"])
    assert f"{low} to {high} (" in alone


def test_no_test_can_say_that_a_column_does_not_matter_beside_a_cause_that_it_all_but_decides() -> None:
    """Given x, z seems to say nothing about y. But x was never set against z, and nobody knows what that would do."""
    rng = np.random.default_rng(3)
    z, v = rng.integers(0, 2, (2, 3000))
    x = np.where(rng.random(3000) < 0.01 * v, 1, z)
    y = np.where(rng.random(3000) < 0.02, 1 - x, x)
    graph = nx.DiGraph([("z", "x"), ("v", "x"), ("x", "y")])
    table, plan = elcs.Table.from_any({"z": z, "v": v, "x": x, "y": y}), elcs.Plan(method="elcs-exact")
    study = elcs.Study(plan, table=table, tests=elcs.DSeparation(graph))
    (only,) = elcs.effect(study, "x", "y").possible
    assert set(only.adjusted_for) == {"z", "v"}
    assert only.intervals[0][1][1] > 0.4


def test_names_may_hold_anything() -> None:
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2, 500)
    data = {NASTY[0]: np.where(x, NASTY[1], "b"), NASTY[2]: np.where(rng.random(500) < 0.8, x, 1 - x)}
    found = elcs.effect(data, NASTY[0], NASTY[2])
    assert NASTY[0] in str(found)


def test_other_programs_take_the_graph_and_the_set() -> None:
    found = elcs.effect(SAMPLE, "satisfaction", "churn")
    given = found.to_dowhy()
    graph = given["graph"]
    assert (given["treatment"], given["outcome"]) == ("satisfaction", "churn")
    assert nx.is_directed_acyclic_graph(graph)
    assert set(graph.predecessors("satisfaction")) == set(found.possible[0].adjusted_for)
    none = elcs.effect(SAMPLE, "satisfaction", "outages").to_dowhy()["graph"]
    assert not none.has_edge("satisfaction", "outages")
    with pytest.raises(elcs.ElcsError, match="no effect of number 7|none of number 7"):
        found.to_dowhy(7)


@pytest.mark.filterwarnings("ignore")  # theirs
def test_pgmpy_gives_the_same_estimate() -> None:
    models, inference = (pytest.importorskip(f"pgmpy.{part}") for part in ("models", "inference"))
    import pandas as pd

    rng = np.random.default_rng(8)
    z, v = rng.integers(0, 2, 20_000), rng.integers(0, 2, 20_000)
    w = np.where(rng.random(20_000) < 0.6, z, 1 - z)
    x = (rng.random(20_000) < 0.2 + 0.4 * z + 0.2 * v).astype(int)
    y = (rng.random(20_000) < 0.1 + 0.3 * x + 0.2 * z + 0.3 * w).astype(int)
    columns = {"x": x, "y": y, "z": z, "v": v, "w": w}
    graph = nx.DiGraph([("z", "x"), ("v", "x"), ("x", "y"), ("z", "y"), ("z", "w"), ("w", "y")])
    study = elcs.Study(elcs.Plan(), table=elcs.Table.from_any(columns), tests=elcs.DSeparation(graph))
    found = elcs.effect(study, "x", "y")
    assert set(found.possible[0].adjusted_for) == {"z", "w"}
    model = models.DiscreteBayesianNetwork(**found.to_pgmpy())
    model.fit(pd.DataFrame(columns))
    for level in (0, 1):
        held = set(model.get_role("adjustment"))
        theirs = inference.CausalInference(model).query(["y"], do={"x": level}, adjustment_set=held)
        assert found.possible[0].outcomes[level][1] == pytest.approx(theirs.get_value(y=1), abs=1e-6)
    none = elcs.effect(study, "x", "z").to_pgmpy()
    assert not models.DiscreteBayesianNetwork(**none).has_edge("x", "z")


@pytest.mark.filterwarnings("ignore")  # theirs
def test_dowhy_gives_the_same_estimate() -> None:
    dowhy = pytest.importorskip("dowhy")
    import pandas as pd

    rng = np.random.default_rng(7)
    z, v = rng.integers(0, 2, 5000), rng.integers(0, 2, 5000)
    x = (rng.random(5000) < 0.2 + 0.4 * z + 0.2 * v).astype(int)
    y = x + 2 * z + rng.normal(0, 1, 5000)
    columns = {"x": x, "y": y, "z": z, "v": v}
    found = elcs.effect(known_causes(columns), "x", "y")
    model = dowhy.CausalModel(pd.DataFrame(columns), **found.to_dowhy())
    theirs = model.estimate_effect(model.identify_effect(), method_name="backdoor.linear_regression").value
    ours = found.possible[0].outcomes
    assert ours[1]["mean"] - ours[0]["mean"] == pytest.approx(theirs, abs=0.02)
