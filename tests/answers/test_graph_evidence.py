"""A whole graph gives its evidence as a local result does, and half-samples say how stable its edges are."""

from __future__ import annotations

import pickle
from itertools import permutations

import numpy as np
import pytest

import elcs
from elcs.learners.separators import Separators
from elcs.study.question import GRAPH

SAMPLE = elcs.data.SAMPLE


@pytest.mark.parametrize("method", ["elcs-global", "pc-stable", "gsbn", "mmhc"])
def test_evidence_is_that_of_a_local_question_to_the_same_method(method: str) -> None:
    study = elcs.Study.of(SAMPLE, GRAPH.put(None, {"method": method}))
    graph = elcs.learn_graph(study)
    for v in graph.nodes:
        local, around = elcs.learn(study, v), graph.around(v)
        assert around == local or around.roles == local.roles
        assert around.evidence == local.evidence
        assert around.explain() == local.explain()


def test_every_pair_has_evidence_that_agrees_with_the_graph() -> None:
    graph = elcs.learn_graph(SAMPLE)
    for a, b in permutations(graph.nodes, 2):
        evidence = graph.evidence(a, b)
        assert (evidence.role == "parent") == ((a, b) in graph.directed)
        assert (evidence.role in ("parent", "child", "undirected")) == (a in graph.neighbours(b))
        assert evidence.association is not None
        separated = graph.separators.get(frozenset((a, b)))
        assert (None if evidence.separated_by is None else set(evidence.separated_by.given)) == (
            None if separated is None else set(separated)
        )
        if evidence.direction is not None:
            arrow = (evidence.direction.cause, evidence.direction.effect)
            assert arrow in graph.directed
        assert a in graph.explain(a, b)
        assert b in graph.explain(a, b)


def test_the_surroundings_of_a_variable_copy_no_separators(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = elcs.learn_graph(SAMPLE)
    monkeypatch.setattr(Separators, "__setitem__", None)  # 2,000 variables have two million, which each would copy
    assert set(graph.around("churn").neighbours) == set(graph.neighbours("churn"))


def test_the_evidence_for_all_edges_is_that_for_each_and_keeps_nothing_else() -> None:
    graph = elcs.learn_graph(SAMPLE)
    told = graph.to_dict()["evidence"]
    assert not graph._around
    edges = (*graph.directed, *graph.undirected)
    assert told == [{"pair": [a, b], **graph.evidence(a, b).to_dict()} for a, b in edges]
    assert set(graph.strengths) == {frozenset(edge) for edge in edges}


def test_json_lists_the_sets_that_separate_and_counts_the_pairs_that_need_none() -> None:
    graph = elcs.learn_graph(SAMPLE)
    told = graph.to_dict()
    sets = {frozenset(entry["pair"]): tuple(entry["given"]) for entry in told["separators"]}
    assert sets == {pair: given for pair, given in graph.separators.items() if given}
    assert told["independent_pairs"] == sum(not given for given in graph.separators.values()) > 0
    n = len(graph.nodes)
    assert len(graph.edges) + len(sets) + told["independent_pairs"] == n * (n - 1) // 2


def test_the_evidence_for_edges_asks_about_no_other_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = elcs.learn_graph(SAMPLE, method="pc-stable")
    asked: list[int] = []
    whole = elcs.G2.test_each

    def test_each(self: elcs.CITest, x: str, others: list[str]) -> object:
        asked.append(len(others))
        return whole(self, x, others)

    monkeypatch.setattr(elcs.CITest, "test_each", test_each)
    assert set(graph.evidence_of_edges()) == set(graph.edges)
    assert sum(asked) == len(graph.edges)


def test_explaining_one_variable_and_all() -> None:
    graph = elcs.learn_graph(SAMPLE)
    assert len(graph.explain().splitlines()) == len(graph.directed) + len(graph.undirected)
    assert len(graph.explain("churn").splitlines()) == len(graph.neighbours("churn"))
    with pytest.raises(elcs.ElcsError, match="churm"):
        graph.explain("churm")
    with pytest.raises(elcs.ElcsError, match="churm"):
        graph.explain("churn", "churm")
    with pytest.raises(elcs.ElcsError, match="churn"):
        graph.explain("churn", "churn")


def test_perfect_tests_have_evidence_too() -> None:
    true = elcs.networks.load("asia").to_networkx()
    graph = elcs.learn_graph(elcs.DSeparation(true), max_cond_size=None)
    assert "lung and tub are independent" in graph.explain("tub", "either")
    assert graph.around("either").parents == ("tub", "lung")


def test_a_directed_graph_turned_into_its_class_says_what_all_members_share() -> None:
    cpdag = elcs.learn_graph(SAMPLE, method="mmhc").cpdag()
    assert "both are causes of churn" in cpdag.explain("contract", "churn")
    assert "the direction stays open" in cpdag.explain("age", "contract")
    assert len(cpdag.explain().splitlines()) == len(cpdag.directed) + len(cpdag.undirected)


def test_a_saved_graph_says_what_it_does_not_know() -> None:
    whole = elcs.learn_graph(SAMPLE)
    saved = pickle.dumps(whole)
    graph = pickle.loads(saved)
    assert graph.to_dict()["evidence"] == []
    told = {tuple(entry["pair"]): entry for entry in whole.to_dict()["evidence"]}
    assert set(told) == {*whole.directed, *whole.undirected}
    assert told["outages", "satisfaction"]["direction"]["rule"] == "better arrangement"
    assert len(saved) < 60_000
    for verb, arguments in (("around", ["churn"]), ("explain", ["age", "churn"]), ("stability", [2])):
        with pytest.raises(elcs.ElcsError, match="does not know the table"):
            getattr(graph, verb)(*arguments)
    with pytest.raises(elcs.ElcsError, match="does not know the table"):
        elcs.CausalGraph(("a",), "made up").around("a")


def test_stability_counts_what_halves_say() -> None:
    graph = elcs.learn_graph(SAMPLE, method="pc-stable")
    stability = graph.stability(6, random_state=3)
    table = elcs.Table.from_any(SAMPLE)
    found = [
        elcs.learn_graph(half, method="pc-stable")
        for i in range(3)
        for half in table.halves(np.random.default_rng([3, i]))
    ]
    for a, b in permutations(graph.nodes, 2):
        shares = stability.between(a, b)
        assert shares.forth == pytest.approx(sum((a, b) in g.directed for g in found) / 6)
        assert shares.back == stability.between(b, a).forth
        assert shares.edge == pytest.approx(sum(b in g.neighbours(a) for g in found) / 6)
        assert shares.edge == pytest.approx(shares.forth + shares.back + shares.undirected)
    shares_of = stability.of(graph)
    assert set(shares_of) == {*graph.directed, *graph.undirected}
    again = graph.stability(6, random_state=3, n_jobs=2)
    assert again.shares == stability.shares
    assert stability.to_dict()["n_samples"] == 6
    assert "how often each edge comes back in 6 half-samples" in str(stability)
    assert "Of 6 half-samples, 100% have an edge between outages and satisfaction" in stability.say(
        "outages", "satisfaction"
    )
    with pytest.raises(elcs.ElcsError, match="even number"):
        graph.stability(3)
    with pytest.raises(elcs.ElcsError, match="nothing"):
        stability.between("nothing", "churn")


def test_a_limit_stops_the_counting() -> None:
    stopped = elcs.learn_graph(SAMPLE).stability(100, timeout=0.0)
    assert not stopped.complete
    assert stopped.n_samples == 0
    assert stopped.between("outages", "satisfaction").edge == 0
