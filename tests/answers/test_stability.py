"""Half-samples, and what is counted in them."""

from __future__ import annotations

import json
import pickle
import re
import time
from collections import Counter

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from making import coded
from typer.testing import CliRunner

import elcs
from elcs.answers.stability import Shares
from elcs.cli.commands import app
from elcs.drawing.layout import layout
from elcs.engines import MemoryEngine, ReferenceEngine, Rule


def rows_of(data: elcs.Dataset) -> list[tuple[int, ...]]:
    """Return the observations, a row for each, in a fixed order."""
    weights = np.ones(data.n_rows, dtype=np.int64) if data.weights is None else data.weights
    return sorted(map(tuple, np.repeat(np.column_stack(data.codes), weights, axis=0).tolist()))


@given(seed=st.integers(0, 1000), n_rows=st.integers(2, 80), weighted=st.booleans())
def test_halves_are_complementary(seed: int, n_rows: int, weighted: bool) -> None:
    rng = np.random.default_rng(seed)
    weights = rng.integers(1, 9, n_rows) if weighted else None
    data = coded([np.arange(n_rows), rng.integers(0, 3, n_rows)], [n_rows, 3], weights)
    first, second = data.halves(np.random.default_rng(seed))
    assert sorted(rows_of(first) + rows_of(second)) == rows_of(data)
    assert (first.total, second.total) == (data.total // 2, data.total - data.total // 2)
    assert first.levels == second.levels == data.levels
    assert first.columns is second.columns is data.columns  # nothing is copied
    assert rows_of(data.halves(np.random.default_rng(seed))[0]) == rows_of(first)


def test_every_observation_of_a_weighted_row_is_as_likely() -> None:
    data = coded([[0, 1], [0, 1]], [2, 2], [30, 10])
    rng = np.random.default_rng(0)
    drawn = [rows_of(data.halves(rng)[0]).count((0, 0)) for _ in range(400)]
    assert np.mean(drawn) == pytest.approx(15, abs=0.4)
    assert np.std(drawn) == pytest.approx(np.sqrt(20 * 0.75 * 0.25 * 20 / 39), abs=0.2)  # hypergeometric


def test_levels_that_are_missing_in_a_half_are_no_degrees_of_freedom() -> None:
    rng = np.random.default_rng(0)
    x, y, z = rng.integers(0, 3, 400), rng.integers(0, 3, 400), rng.integers(0, 2, 400)
    x[:-1][x[:-1] == 2] = 0  # a level of one row: it is in one half only
    x[-1] = 2
    data = coded([x, y, z], [3, 3, 2])
    rule = Rule()
    dofs = set()
    for half in data.halves(rng):
        expected = ReferenceEngine(half).tester(rule, cache_size=0).test(0, 1, [2])
        found = MemoryEngine(half).tester(rule, cache_size=0).test(0, 1, [2])
        assert found[0] == pytest.approx(expected[0], rel=1e-9)
        assert found[1:] == expected[1:]
        dofs.add(found[1])
    assert dofs == {4, 6}


@pytest.fixture(scope="module")
def clear() -> elcs.Dataset:
    """Return a table with the graph a -> c <- b, c -> d, and e apart."""
    rng = np.random.default_rng(1)
    a, b, e = rng.integers(0, 2, (3, 4000))
    c = np.where(rng.random(4000) < 0.9, a | b, 1 - (a | b))
    d = np.where(rng.random(4000) < 0.85, c, 1 - c)
    return coded([a, b, c, d, e], [2] * 5)


def test_a_clear_answer(clear: elcs.Dataset) -> None:
    found = elcs.learn(clear, "V2").stability()
    assert found.n_samples == 100
    assert found.complete
    shares = found.shares
    assert all(shares[x].parent > 0.95 for x in ("V0", "V1"))
    assert shares["V3"].child > 0.95
    assert shares["V4"].blanket < 0.1
    assert list(shares)[-1] == "V4"
    spouse = elcs.blanket(clear, "V0").stability().shares["V1"]
    assert spouse.spouse == spouse.blanket > 0.95
    assert spouse.neighbour < 0.05


@pytest.mark.parametrize("method", ["elcs-exact", "emb-exact", "mmpc", "iamb", "pc-stable", "s2tmb"])
def test_shares_add_up(clear: elcs.Dataset, method: str) -> None:
    found = elcs.stability(clear, "V2", method=method, n_samples=10)
    assert set(found.shares) == {"V0", "V1", "V3", "V4"}
    for s in found.shares.values():
        assert s.neighbour == pytest.approx(s.parent + s.child + s.undirected)
        assert s.neighbour + s.spouse <= s.blanket + 1e-12 <= 1 + 2e-12
    order = [s.blanket for s in found.shares.values()]
    assert order == sorted(order, reverse=True)
    assert elcs.stability(clear, "V2", method=method, n_samples=10).shares == found.shares


def test_the_seed_and_nothing_else_decides(clear: elcs.Dataset) -> None:
    few = elcs.Table.from_codes(clear.names, [c[:300] for c in clear.codes], clear.levels)
    one = elcs.stability(few, "V2", n_samples=20)
    assert elcs.stability(few, "V2", n_samples=20, n_jobs=2).shares == one.shares
    assert elcs.stability(few, "V2", n_samples=20, random_state=1).shares != one.shares
    assert elcs.learn(few, "V2").stability(20).shares == one.shares


def test_the_options_of_the_run_are_those_of_the_halves(clear: elcs.Dataset) -> None:
    test = elcs.Chi2(clear, alpha=1e-300)
    assert elcs.learn(test, "V2").stability(4).shares["V4"].blanket == 0
    unreliable = elcs.G2(clear, rows_per_cell=1e6)
    with pytest.warns(elcs.DataWarning, match="no test of"):
        result = elcs.learn(unreliable, "V2")
    assert result.stability(4).shares == elcs.stability(unreliable, "V2", n_samples=4).shares
    assert elcs.blanket(elcs.BDeu(clear, ess=1e-3), "V2", method="s2tmb").stability(4).shares["V3"].neighbour == 1


def test_weights_count_observations() -> None:
    table = {"a": [0, 0, 1, 1], "b": [0, 1, 0, 1], "n": [900, 100, 100, 900]}
    found = elcs.learn(elcs.Dataset.from_any(table, weights="n"), "a").stability(20)
    assert found.shares["b"].neighbour == 1


def test_what_does_not_vary_in_a_half_does_no_harm() -> None:
    rare = np.zeros(200, dtype=np.int64)
    rare[0] = 1
    other = np.arange(200) % 2
    data = elcs.Table.from_any({"rare": rare, "other": other, "same": other})
    assert elcs.stability(data, "rare", n_samples=10).n_samples == 10
    assert elcs.stability(data, "other", n_samples=10).shares["same"].neighbour == 1
    with pytest.warns(elcs.DataWarning, match="no test of"):
        tiny = elcs.learn({"a": [0, 1], "b": [0, 1]}, "a")
    assert tiny.stability(2).n_samples == 2


def test_in_words_and_as_data(clear: elcs.Dataset) -> None:
    found = elcs.stability(clear, "V2", n_samples=10)
    lines = str(found).splitlines()
    assert lines[0] == "V2 (elcs-hybrid): how often each comes back in 10 half-samples"
    assert lines[2].split() == ["V0", "100%", "100%", "100%", "0%", "0%", "0%"]
    assert "standard error of a share is at most 16 points" in lines[-1]
    data = json.loads(found.to_json())
    assert data == found.to_dict()
    assert data["shares"]["V3"]["child"] == 1


def test_errors(clear: elcs.Dataset) -> None:
    result = elcs.learn(clear, "V2")
    with pytest.raises(elcs.ElcsError, match="even number"):
        result.stability(5)
    with pytest.raises(elcs.ElcsError, match="n_jobs must be"):
        result.stability(n_jobs=0)
    graph: nx.DiGraph[str] = nx.DiGraph([("a", "b")])
    with pytest.raises(elcs.ElcsError, match="DSeparation cannot be asked about half of the rows"):
        elcs.stability(elcs.DSeparation(graph), "a")
    with pytest.raises(elcs.ElcsError, match="does not know the table"):
        elcs.learn(elcs.DSeparation(graph), "a").stability()
    with pytest.raises(elcs.DataError, match="too many to draw half of"):
        coded([[0, 1]], [2], [10**9, 1]).halves(np.random.default_rng(0))


def test_a_saved_result_leaves_the_table_behind(clear: elcs.Dataset) -> None:
    result = elcs.learn(clear, "V2")
    saved = pickle.dumps(result)
    assert len(saved) < 20_000  # the table alone has as many cells
    again = pickle.loads(saved)
    assert again == result
    assert again.explain() == result.explain()
    with pytest.raises(elcs.ElcsError, match="loaded from a file"):
        again.stability()


def test_limits_return_what_was_counted(clear: elcs.Dataset) -> None:
    start = time.monotonic()
    found = elcs.stability(clear, "V2", n_samples=1_000_000, timeout=0.3)
    assert time.monotonic() - start < 5
    assert not found.complete
    assert 0 < found.n_samples < 1_000_000
    assert found.shares["V3"].child > 0.9
    assert "stopped before the end" in str(found)
    assert elcs.stability(clear, "V2", timeout=0).n_samples == 0
    assert elcs.stability(clear, "V2", timeout=0, n_jobs=2).n_samples == 0


def test_directions_that_half_samples_do_not_bear_out_are_left_open() -> None:
    network = elcs.networks.load("child")
    table, n_opened, n_turned = network.sample(1000, random_state=1), 0, 0
    for target in table.names:
        result = elcs.learn(table, target, method="elcs-exact")
        stability = result.stability(20)
        steady = result.steady(stability)
        shares = stability.shares
        assert set(steady.parents) == {x for x in result.parents if shares[x].parent >= 0.7}
        assert set(steady.children) == {x for x in result.children if shares[x].child >= 0.7}
        assert set(steady.neighbours) == set(result.neighbours)
        assert set(steady.markov_blanket) == set(result.markov_blanket)
        assert set(steady.spouses) <= set(steady.children)
        opened = set(steady.undirected) - set(result.undirected)
        n_opened += len(opened)
        for x in opened:
            told = steady.explain(x)
            forth, back = (shares[x].parent, shares[x].child)[:: 1 if x in result.parents else -1]
            often = f"this comes back in only {forth:.0%} of the half-samples, and the opposite in {back:.0%}, so the"
            assert told.count(f"{often} direction is not decided") == 1
            leans = steady.leanings.get(x)
            assert (leans is not None) == ((forth - back) ** 2 * 20 >= 4 * (forth + back - (forth - back) ** 2) > 0)
            if leans is not None:
                assert getattr(shares[x], leans) == max(forth, back)
                n_turned += leans != result.roles[x]
            assert steady.to_dict()["leanings"].get(x) == leans
            assert (f"{x} (leans to" in str(steady)) == (leans is not None)
            for line in [line for line in layout(steady).links if line.variable == x]:
                assert line.line == ("open" if leans is None else "leaning")
            assert x in result.parents + result.children  # the answer before is as it was
        assert steady.to_dict()["half_samples"] == 20
        assert "  directions are those that come back in 70% of 20 half-samples or more" in str(steady).splitlines()
        sides = Counter(re.findall(r"</a> \(leans to (\w+)\)", steady.to_html()))
        assert sides == Counter({"parent": "cause", "child": "effect"}[role] for role in steady.leanings.values())
    assert n_opened > 5
    assert n_turned > 0


def test_directions_by_tests_that_were_not_checked_are_labelled() -> None:
    said = "directions were not checked by half-samples"
    table = elcs.Table.from_any(elcs.data.SAMPLE)
    graph = elcs.learn_graph(table, method="elcs-global")
    for found in (elcs.learn(table, "satisfaction", method="elcs-exact"), graph, graph.around("satisfaction")):
        steady = found.steady(found.stability(20))  # type: ignore[arg-type]
        for answer, unchecked in ((found, True), (steady, False)):
            assert (f"  {said}" in str(answer).splitlines()) == unchecked
            assert answer.to_dict()["unchecked_directions"] == unchecked
            assert (f"<li>{said.capitalize()}.</li>" in answer.to_html()) == unchecked
            assert (said in answer._repr_html_()) == unchecked
    steady_graph = graph.steady(graph.stability(20))
    assert steady_graph.around("satisfaction").half_samples == 20
    for other in (elcs.learn(table, "satisfaction"), elcs.blanket(table, "churn", method="iamb")):
        assert not other.to_dict()["unchecked_directions"]
        assert "half-samples" not in str(other)


def test_no_half_samples_are_no_table() -> None:
    table = elcs.Table.from_any(elcs.data.SAMPLE)
    none = elcs.learn(table, "churn").stability(20, timeout=0)
    assert str(none) == "churn (elcs-hybrid): no half-sample was finished in the time allowed"
    none_of_all = elcs.learn_graph(table).stability(20, timeout=0)
    assert str(none_of_all) == "elcs-hybrid: no half-sample was finished in the time allowed"
    assert all(str(found) in found._repr_html_() for found in (none, none_of_all))


def test_what_somebody_said_needs_no_half_samples() -> None:
    table = elcs.Table.from_any(elcs.data.SAMPLE)
    result = elcs.learn(table, "contract", method="elcs-exact", knowledge={"exogenous": ["age"]})
    nothing = elcs.Stability("contract", "elcs-exact", 20, {x: Shares(*[0.0] * 6) for x in table.names}, 1.0, True)
    steady = result.steady(nothing)
    assert steady.parents == ("age",)
    assert steady.children == ()
    assert steady.members == ("satisfaction",)  # a spouse no longer, but still in the blanket


def test_few_half_samples_decide_nothing() -> None:
    result = elcs.learn(elcs.networks.load("child").sample(1000, random_state=1), "Sick", method="elcs-exact")
    few = result.steady(result.stability(4))
    assert (few.parents, few.children, few.half_samples) == (result.parents, result.children, 0)


def test_directions_of_a_whole_graph_are_checked_too() -> None:
    table = elcs.networks.load("child").sample(1000, random_state=1)
    graph = elcs.learn_graph(table, method="pc-stable")
    shares = graph.stability(20)
    steady = graph.steady(shares)
    assert steady.half_samples == 20
    assert set(steady.directed) < set(graph.directed)
    opened = set(graph.directed) - set(steady.directed)
    assert set(steady.leanings) <= opened | {(b, a) for a, b in opened}
    assert all(shares.between(*edge).forth > shares.between(*edge).back for edge in steady.leanings)
    pairs = [{frozenset(edge) for edge in (*found.directed, *found.undirected)} for found in (graph, steady)]
    assert pairs[0] == pairs[1]
    assert "  directions are those that come back in 70% of 20 half-samples or more" in str(steady).splitlines()
    assert steady.to_dict()["half_samples"] == 20
    halves = [half for i in range(10) for half in table.halves(np.random.default_rng([0, i]))]
    found = [set(elcs.learn_graph(half, method="pc-stable").directed) for half in halves]
    assert set(steady.directed) == {a for a in graph.directed if sum(a in half for half in found) >= 14}
    assert graph.steady(graph.stability(4)) == graph
    with pytest.raises(elcs.ElcsError, match="does not know the table"):
        pickle.loads(pickle.dumps(graph)).stability()


def test_the_command_line_checks_whole_graphs_by_tests() -> None:
    sample = str(elcs.data.SAMPLE)
    asked = ["graph", sample, "--method", "elcs-global", "--stability"]
    run = CliRunner().invoke(app, [*asked, "20"])
    assert run.exit_code == 0
    assert "directions are those that come back in 70% of 20 half-samples or more" in run.output
    assert "directions were not checked by half-samples" in CliRunner().invoke(app, [*asked, "0"]).output
    run = CliRunner().invoke(app, ["graph", sample, "--stability", "20"])
    assert run.exit_code == 0
