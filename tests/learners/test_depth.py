"""Everything up to some steps from the target: exact with a perfect test, and a part of the whole graph on data."""

from __future__ import annotations

import json
import pickle
from typing import Any

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import all_dags, dags, golden, graph_of

import elcs
from elcs.graph.cpdag import cpdag

EXACT = ["elcs-exact", "elcs-cautious", "psl", "elcs-global", "pc-stable"]


def check(method: str, graph: nx.DiGraph[str], depth: int) -> None:
    essential, ci = cpdag(graph), elcs.DSeparation(graph)
    for target in graph:
        near = nx.ego_graph(graph.to_undirected(), target, depth)
        part = elcs.learn(ci, target, method=method, max_cond_size=None, depth=depth).part
        assert part is not None
        assert part.nodes == tuple(x for x in graph if x in near)
        told = (method, target, depth, sorted(graph.edges))
        assert (part.directed, part.undirected) == essential.edges_among(part.nodes), told
        assert all(ci.independent(min(pair), max(pair), given) for pair, given in part.separators.items())
        assert {frozenset(pair) for pair in nx.complement(near).edges} >= set(part.separators)


@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("method", EXACT)
def test_every_graph_of_four_nodes(method: str, depth: int) -> None:
    for graph in all_dags(4):
        check(method, graph, depth)


@pytest.mark.parametrize("method", EXACT)
@settings(max_examples=25, deadline=None)
@given(graph=dags(most_nodes=9), depth=st.integers(1, 4))
def test_random_graphs(method: str, graph: nx.DiGraph[str], depth: int) -> None:
    check(method, graph, depth)


@pytest.mark.parametrize("method", ["elcs-exact", "psl"])
def test_alarm(method: str) -> None:
    check(method, graph_of(golden("graphs")["alarm"]), 2)


def test_ours_learns_fewer_blankets_where_an_edge_stays_open() -> None:
    """T - A is open; everything beyond the v-structure C -> D <- E cannot change that."""
    ci = elcs.DSeparation(graph_of("T>A C>D E>D A>C D>F F>G G>H"))
    ours, theirs = (elcs.learn(ci, "T", method=m, max_cond_size=None, depth=1) for m in ("elcs-exact", "psl"))
    assert ours.undirected == theirs.undirected == ("A",)
    assert set(ours.learned) < set(theirs.learned)


@pytest.mark.parametrize("method", ["elcs-hybrid", "mmhc", "ges"])
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_the_part_is_that_of_the_whole_graph(method: str, depth: int) -> None:
    table = elcs.networks.load("child").sample(1500, random_state=4)
    whole = elcs.learn_graph(table, method=method)
    skeleton = whole.to_networkx(undirected="both").to_undirected()
    for target in ("Disease", "LungParench", "Age"):
        part = elcs.learn(table, target, method=method, depth=depth).part
        assert part is not None
        near = nx.ego_graph(skeleton, target, depth)
        assert set(part.nodes) == set(near)
        assert set(part.directed) == {(a, b) for a, b in whole.directed if a in near and b in near}
        assert {frozenset(e) for e in part.undirected} == {frozenset(e) for e in whole.undirected if {*e} <= {*near}}
        margins = {edge: margin for edge, margin in whole.leanings.items() if {*edge} <= {*near}}
        assert part.leanings == margins


def test_a_region_of_a_large_table_holds_the_part() -> None:
    network = elcs.networks.tile(elcs.networks.load("child"), 6, random_state=1)
    table = network.sample(2000, random_state=0)
    assert len(table.names) > 100
    target = table.names[0]
    result = elcs.learn(table, target, depth=2)
    assert result.part is not None
    truth = nx.ego_graph(network.to_networkx().to_undirected(), target, 2)
    found = {frozenset(e) for e in (*result.part.directed, *result.part.undirected)}
    true = {frozenset(e) for e in truth.edges}
    assert len(found & true) >= 0.7 * len(true)
    assert len(result.learned) < len(table.names) / 2


def test_what_a_part_can_do() -> None:
    result = elcs.learn(elcs.data.SAMPLE, "satisfaction", depth=2)
    part = result.part
    assert part is not None
    assert "depth" in result.settings
    assert part.effect("outages", "satisfaction").identified
    assert json.loads(result.to_json())["part"]["nodes"] == list(part.nodes)
    assert pickle.loads(pickle.dumps(result)).part == part
    assert '"outages" -> "satisfaction"' in part.to_dot()
    assert elcs.learn(elcs.data.SAMPLE, "satisfaction").part is None
    assert "part" not in elcs.learn(elcs.data.SAMPLE, "satisfaction").to_dict()
    assert result.stability(4).n_samples == 4


def test_a_run_that_is_stopped_has_the_part_it_knew() -> None:
    ci = elcs.DSeparation(graph_of(golden("graphs")["alarm"]))
    target = ci.variables[0]
    whole = elcs.learn(ci, target, method="elcs-exact", depth=3)
    assert whole.part is not None
    for limit in range(0, whole.n_tests, max(1, whole.n_tests // 20)):
        stopped = elcs.learn(ci, target, method="elcs-exact", depth=3, max_tests=limit)
        assert not stopped.complete
        assert stopped.part is not None
        assert not stopped.part.complete
        assert target in stopped.part.nodes


@pytest.mark.parametrize("depth", [0, -1, 1.5, "2", True])
def test_what_is_no_depth(depth: Any) -> None:
    with pytest.raises(elcs.ElcsError, match="depth must be a whole number of at least 1"):
        elcs.learn(elcs.data.SAMPLE, "churn", depth=depth)


def test_where_depth_has_no_effect_it_is_refused() -> None:
    with pytest.raises(elcs.ElcsError, match="cmb takes no depth=; these do: elcs-exact"):
        elcs.learn(elcs.data.SAMPLE, "churn", method="cmb", depth=2)
    for ask in (elcs.blanket, elcs.stability, elcs.compare):
        with pytest.raises(elcs.ElcsError, match="takes no depth="):
            ask(elcs.data.SAMPLE, "churn", depth=2)
    with pytest.raises(elcs.ElcsError, match="learn_graph takes no depth="):
        elcs.learn_graph(elcs.data.SAMPLE, depth=2)
    assert str(elcs.Plan("psl", depth=2)) == "psl, auto, alpha 0.01, sets of up to 3, up to 2 steps away"
