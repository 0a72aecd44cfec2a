"""With a perfect test, the exact learners return the essential graph at the target, the blanket, and nothing else."""

from __future__ import annotations

import networkx as nx
import pytest
from hypothesis import given, settings
from making import all_dags, dags, golden, graph_of

import elcs
from elcs.evaluation import neighbourhoods, true_blanket
from elcs.graph.cpdag import cpdag


def check(graph: nx.DiGraph[str]) -> None:
    essential, ci = cpdag(graph), elcs.DSeparation(graph)
    for target in graph:
        for method in ("elcs-cautious", "elcs-exact"):
            result = elcs.learn(ci, target, method=method, max_cond_size=None)
            assert set(result.parents) == set(essential.parents(target)), target
            assert set(result.children) == set(essential.children(target)), target
            assert set(result.undirected) == set(essential.undirected(target)), target
            assert set(result.markov_blanket) == true_blanket(graph, target), target
            assert not result.conflicts
            assert result.complete
        blanket = elcs.blanket(ci, target, max_cond_size=None)
        assert set(blanket.markov_blanket) == true_blanket(graph, target), target
        assert set(blanket.parents) <= set(result.parents)
        assert set(blanket.children) <= set(result.children)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_every_graph_of_few_nodes(n: int) -> None:
    for graph in all_dags(n):
        check(graph)


@settings(max_examples=60, deadline=None)
@given(graph=dags(most_nodes=12))
def test_random_graphs(graph: nx.DiGraph[str]) -> None:
    check(graph)


@pytest.mark.parametrize("name", ["alarm", "child", "insurance"])
def test_known_networks(name: str) -> None:
    check(graph_of(golden("graphs")[name]))


@pytest.mark.parametrize("pc", ["hiton-pc", "mmpc"])
def test_any_learner_of_parents_and_children_will_do(pc: str) -> None:
    graph = graph_of(golden("graphs")["child"])
    ci = elcs.DSeparation(graph)
    for target in graph:
        result = elcs.blanket(ci, target, max_cond_size=None, options={"pc": pc})
        assert set(result.markov_blanket) == true_blanket(graph, target)


@pytest.mark.parametrize("method", ["hiton-pc", "mmpc"])
@settings(max_examples=60, deadline=None)
@given(graph=dags(most_nodes=8))
def test_learners_of_parents_and_children_miss_none(method: str, graph: nx.DiGraph[str]) -> None:
    ci = elcs.DSeparation(graph)
    for target in graph:
        result = elcs.blanket(ci, target, method=method, max_cond_size=None)
        neighbours = set(graph.predecessors(target)) | set(graph.successors(target))
        assert neighbours <= set(result.neighbours)
        for x in set(graph) - set(result.neighbours) - {target}:
            test = result.evidence[x].separated_by
            assert test is not None
            assert test.result.independent


@pytest.mark.filterwarnings("ignore:left out columns")
def test_on_data_caution_prevents_false_directions() -> None:
    network = elcs.networks.load("insurance")
    truth = neighbourhoods(network.to_networkx(), identifiable=True)
    tables = [elcs.G2(network.sample(1000, random_state=seed)) for seed in range(4)]

    def directions(method: str) -> tuple[int, int]:
        false = right = 0
        for ci in tables:
            for target in ci.variables:
                result, known = elcs.learn(ci, target, method=method), truth[target]
                false += len(set(result.parents) - known.parents) + len(set(result.children) - known.children)
                right += len(set(result.parents) & known.parents) + len(set(result.children) & known.children)
        return false, right

    false, right = directions("elcs-cautious")
    rash, right_of_rash = directions("elcs-exact")
    assert false < 0.8 * rash
    assert right > 0.9 * right_of_rash


@pytest.mark.filterwarnings("ignore:left out columns")
@pytest.mark.parametrize(("name", "rows"), [("hailfinder", 300), ("child", 300), ("insurance", 300)])
@pytest.mark.parametrize("method", ["elcs-exact", "elcs-cautious", "elcs-global"])
def test_no_direction_rests_on_a_test_that_could_not_be_made(name: str, rows: int, method: str) -> None:
    table = elcs.networks.load(name).sample(rows, random_state=0)
    study = elcs.Study.of(table, elcs.Plan(method=method))
    cited = 0
    for target in table.names[:15]:
        reasons = [e.direction for e in elcs.learn(study, target).evidence.values() if e.direction is not None]
        while reasons:
            reason = reasons.pop()
            reasons += reason.premises
            for test in reason.tests:
                cited += 1
                assert test.result.reliable, (target, reason.cause, reason.effect, reason.rule, test)
    assert cited > 10
