"""Whole graphs by tests: exact with perfect ones, and what the result object offers."""

from __future__ import annotations

import json
import pickle

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from making import all_dags, dags, golden, graph_of

import elcs
from elcs.engines import SequentialTester, Verdict
from elcs.graph.cpdag import cpdag

METHODS = ["elcs-global", "pc-stable", "gsbn"]


def check(method: str, graph: nx.DiGraph[str]) -> None:
    essential = cpdag(graph)
    found = elcs.learn_graph(elcs.DSeparation(graph), method=method, max_cond_size=None)
    assert found.complete
    assert not found.conflicts
    assert set(found.directed) == set(essential.reasons)
    assert {frozenset(e) for e in found.undirected} == {frozenset(e) for e in essential.undirected_edges()}


@pytest.mark.parametrize("n", [2, 3, 4])
@pytest.mark.parametrize("method", METHODS)
def test_every_graph_of_few_nodes(method: str, n: int) -> None:
    for graph in all_dags(n):
        check(method, graph)


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=60, deadline=None)
@given(graph=dags(most_nodes=9))
def test_random_graphs(method: str, graph: nx.DiGraph[str]) -> None:
    check(method, graph)


@pytest.mark.parametrize("name", ["alarm", "child", "insurance"])
@pytest.mark.parametrize("method", ["elcs-global", "pc-stable"])
def test_known_networks(method: str, name: str) -> None:
    check(method, graph_of(golden("graphs")[name]))


@pytest.fixture(scope="module")
def child() -> elcs.Dataset:
    return elcs.networks.load("child").sample(5000, random_state=4)


@pytest.mark.parametrize("method", METHODS)
def test_the_local_view_is_that_of_the_graph(child: elcs.Dataset, method: str) -> None:
    graph = elcs.learn_graph(child, method=method)
    for target in child.names[:6]:
        local = elcs.learn(child, target, method=method)
        assert set(local.parents) == set(graph.parents(target))
        assert set(local.children) == set(graph.children(target))
        assert set(local.undirected) == set(graph.undecided(target))
        assert set(local.markov_blanket) == set(graph.markov_blanket(target))
        assert set(local.neighbours) == set(graph.neighbours(target))
        for name in local.evidence:
            assert name in local.explain(name)
        assert json.loads(local.to_json())["method"] == method


@pytest.mark.parametrize("method", ["elcs-global", "gsbn"])
def test_processes_change_the_cost_and_nothing_else(child: elcs.Dataset, method: str) -> None:
    one = elcs.learn_graph(child, method=method)
    two = elcs.learn_graph(child, method=method, n_jobs=2)
    assert (one.directed, one.undirected, one.separators) == (two.directed, two.undirected, two.separators)
    assert two.n_tests == one.n_tests
    assert two.n_computed >= one.n_computed
    stopped = elcs.learn_graph(child, method=method, n_jobs=2, max_tests=100)
    assert not stopped.complete
    with pytest.raises(elcs.ElcsError, match="n_jobs must be"):
        elcs.learn_graph(child, method=method, n_jobs=0)


def test_a_test_that_cannot_travel_says_so() -> None:
    ci = elcs.CITest("ab", SequentialTester(lambda x, y, given: (0.0, 0, Verdict.INDEPENDENT), cache_size=0))
    assert elcs.learn_graph(ci).undirected == ()
    with pytest.raises(elcs.ElcsError, match="use n_jobs=1"):
        elcs.learn_graph(ci, n_jobs=2)


def test_tests_travel_with_their_options_and_limits(child: elcs.Dataset) -> None:
    ci = elcs.Chi2(child, alpha=0.05, rows_per_cell=2.0, engine="reference")
    ci.limit(tests=2)
    copy = pickle.loads(pickle.dumps(ci))
    x, y, z = child.names[:3]
    assert type(copy) is elcs.Chi2
    assert copy.test(x, y, [z]) == ci.test(x, y, [z])
    copy.test(x, y)
    with pytest.raises(elcs.BudgetError):
        copy.test(x, z)


def test_the_order_of_columns_does_not_matter_to_pc_stable(child: elcs.Dataset) -> None:
    frame = {name: np.asarray(codes) for name, codes in zip(child.names, child.codes, strict=True)}
    shuffled = dict(sorted(frame.items(), key=lambda item: item[0][::-1]))
    edges = []
    for table in (frame, shuffled):
        graph = elcs.learn_graph(table, method="pc-stable")
        edges.append({frozenset(edge) for edge in (*graph.directed, *graph.undirected)})
    assert edges[0] == edges[1]


def test_unconfirmed_v_structures_are_what_pc_gets_wrong(child: elcs.Dataset) -> None:
    truth = cpdag(elcs.networks.load("child").to_networkx())

    def wrong(**options: object) -> int:
        directed = elcs.learn_graph(child, **options).directed  # type: ignore[arg-type]
        return sum(edge not in truth.reasons for edge in directed)

    assert wrong(method="elcs-global") == wrong(method="pc-stable", confirm=True) == 0
    assert wrong(method="pc-stable") > 0


def test_of_two_claims_the_stronger_is_followed_and_the_conflict_reported() -> None:
    # a - c - d - b in a chain; a and d pass for causes of c, c and b for causes of d. The second claim is stronger.
    edges = {("a", "c"): 9.0, ("c", "d"): 8.0, ("b", "d"): 7.0}
    opened = {("a", "d", "c"): 2.0, ("b", "c", "d"): 3.0}
    names = "abcd"

    def measure(x: int, y: int, given: tuple[int, ...]) -> tuple[float, int, Verdict]:
        pair = names[x], names[y]
        for z in given:
            strength = opened.get((*pair, names[z]))
            if strength:
                return strength, 0, Verdict.DEPENDENT
        return (edges[pair], 0, Verdict.DEPENDENT) if pair in edges else (0.0, 0, Verdict.INDEPENDENT)

    graph = elcs.learn_graph(elcs.CITest(names, SequentialTester(measure, cache_size=0)))
    assert set(graph.directed) == {("b", "d"), ("c", "d"), ("a", "c")}
    assert [(c.edge, c.first.rule, c.followed) for c in graph.conflicts] == [(("c", "d"), "v-structure", True)]
    assert graph.to_dict()["conflicts"][0]["edge"] == ["c", "d"]


def test_stopped_on_the_way(child: elcs.Dataset) -> None:
    graph = elcs.learn_graph(child, max_tests=50)
    assert not graph.complete
    assert "stopped before the end" in str(graph)
    assert elcs.learn(child, child.names[0], method="elcs-global", max_tests=50).complete is False


def test_what_a_graph_can_be_turned_into() -> None:
    edges = (("a", "c"), ("b", "c"), ("c", 'd"'))
    graph = elcs.CausalGraph(("a", "b", "c", 'd"', "e"), "mine", edges, (("a", "e"),))
    assert graph.parents("c") == ("a", "b")
    assert graph.children("c") == ('d"',)
    assert graph.undecided("a") == ("e",)
    assert graph.markov_blanket("a") == ("c", "e", "b")
    with pytest.raises(elcs.ElcsError, match="did you mean 'a'"):
        graph.parents("A")
    with pytest.raises(elcs.ElcsError, match="undirected='both'"):
        graph.to_networkx()
    both = graph.to_networkx(undirected="both")
    assert both.edges["a", "e"]["directed"] is both.edges["e", "a"]["directed"] is False
    assert set(graph.to_networkx(undirected="drop").edges) == set(edges)
    assert '"d\\"";' in graph.to_dot()
    assert '"a" -> "e" [dir=none];' in graph.to_dot()
    assert json.loads(graph.to_json())["undirected"] == [["a", "e"]]
    assert "a - e" in str(graph)
    assert graph.cpdag() is graph


def test_the_essential_graph_of_a_directed_one() -> None:
    graph = elcs.CausalGraph(tuple("abcd"), "mine", (("a", "b"), ("b", "c"), ("d", "c"))).cpdag()
    assert set(graph.directed) == {("b", "c"), ("d", "c")}
    assert graph.undirected == (("a", "b"),)
