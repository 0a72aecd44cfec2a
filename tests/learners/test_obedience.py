"""With a perfect test and knowledge that is true, learners return the MPDAG: what all graphs that fit agree on."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations, product
from typing import Any

import networkx as nx
import pytest
from making import all_dags, graph_of, short_sighted

import elcs
from elcs.graph.cpdag import cpdag

EXACT = ["elcs-exact", "elcs-cautious", "elcs-global", "pc-stable"]

Graph = frozenset[tuple[str, str]]


def v_structures(edges: Graph) -> frozenset[tuple[frozenset[str], str]]:
    near = {frozenset(edge) for edge in edges}
    pairs = ((a, b, c) for (a, c), (b, d) in combinations(sorted(edges), 2) if c == d)
    return frozenset((frozenset((a, b)), c) for a, b, c in pairs if frozenset((a, b)) not in near)


@cache
def members(edges: Graph) -> tuple[Graph, ...]:
    """Return all graphs that imply the same independences, by trying every direction of every edge."""
    found = []
    for turned in product((False, True), repeat=len(edges)):
        other = frozenset(edge[::-1] if turn else edge for edge, turn in zip(sorted(edges), turned, strict=True))
        if v_structures(other) == v_structures(edges) and nx.is_directed_acyclic_graph(nx.DiGraph(list(other))):
            found.append(other)
    return tuple(found)


def fits(edges: Graph, nodes: list[str], known: elcs.Knowledge) -> bool:
    """Tell, without the help of what is tested, whether a graph fits what is said."""
    tier = {x: i for i, names in enumerate(known.tiers, 1) for x in names}
    for a, b in edges:
        if a in known.outcomes or b in known.exogenous or (a, b) in known.forbidden:
            return False
        if a in tier and b in tier and (tier[a] > tier[b] or (tier[a] == tier[b] and tier[a] in known.closed)):
            return False
    return set(known.required) <= set(edges)


def agreed(edges: Graph, nodes: list[str], known: elcs.Knowledge) -> tuple[set[tuple[str, str]], set[frozenset[str]]]:
    """Return the arrows on which all graphs that fit agree, and the edges on which they do not."""
    fitting = [other for other in members(edges) if fits(other, nodes, known)]
    arrows = set(frozenset.intersection(*fitting))
    return arrows, {frozenset(edge) for edge in edges} - {frozenset(edge) for edge in arrows}


def kinds(graph: nx.DiGraph[str], rng: random.Random) -> Iterator[elcs.Knowledge]:
    """Yield true knowledge of each kind, and mixtures of all."""
    order = list(nx.topological_sort(graph))
    said: dict[str, Any] = {name: [] for name in ("tiers", "required", "forbidden", "exogenous", "outcomes")}
    cuts = sorted(rng.sample(range(1, len(order)), min(len(order) - 1, rng.randint(1, 3))))
    tiers = [order[i:j] for i, j in zip([0, *cuts], [*cuts, len(order)], strict=True)]
    said["tiers"] = [sorted(x for x in tier if rng.random() < rng.choice([0.6, 1.0])) for tier in tiers]
    closed = [i for i, tier in enumerate(said["tiers"], 1) if not any(graph.has_edge(a, b) for a in tier for b in tier)]
    said["required"] = [edge for edge in graph.edges if rng.random() < 0.3]
    pairs = [(a, b) for a in graph for b in graph if a != b and not graph.has_edge(a, b)]
    said["forbidden"] = [pair for pair in pairs if rng.random() < 0.3]
    said["exogenous"] = [x for x in graph if not graph.in_degree(x) and rng.random() < 0.6]
    said["outcomes"] = [x for x in graph if not graph.out_degree(x) and rng.random() < 0.6]
    for name, value in said.items():
        one: Any = {name: value, "closed": closed if name == "tiers" else []}
        yield elcs.Knowledge(**one)
    mixed = {name: value for name, value in said.items() if rng.random() < 0.6}
    yield elcs.Knowledge(**mixed)
    yield elcs.Knowledge(required=said["required"], forbidden=said["forbidden"])


def check(graph: nx.DiGraph[str], known: elcs.Knowledge, *, methods: list[str] = EXACT) -> None:
    nodes, edges = list(graph), frozenset(graph.edges)
    arrows, open_edges = agreed(edges, nodes, known)
    for method in methods:
        ci = elcs.DSeparation(graph)
        if method in ("elcs-global", "pc-stable"):
            whole = elcs.learn_graph(ci, method=method, max_cond_size=None, knowledge=known)
            assert set(whole.directed) == arrows, (method, edges, known)
            assert {frozenset(edge) for edge in whole.undirected} == open_edges, (method, edges, known)
            assert not whole.conflicts
            continue
        for target in nodes:
            found = elcs.learn(ci, target, method=method, max_cond_size=None, knowledge=known)
            told = (method, target, sorted(edges), known)
            assert set(found.parents) == {a for a, b in arrows if b == target}, told
            assert set(found.children) == {b for a, b in arrows if a == target}, told
            assert set(found.undirected) == {x for e in open_edges if target in e for x in e - {target}}, told
            spouses = {a for y in found.children for a in graph.predecessors(y)} - {target, *found.neighbours}
            assert {x for names in found.spouses.values() for x in names} == spouses, told
            assert not found.conflicts, told


def random_graph(rng: random.Random) -> nx.DiGraph[str]:
    """Draw a graph of 5 to 7 nodes, with few enough edges for all directions to be tried."""
    while True:
        names = [chr(ord("A") + i) for i in range(rng.randint(5, 7))]
        order, share = rng.sample(names, len(names)), rng.choice([0.3, 0.5, 0.7])
        graph: nx.DiGraph[str] = nx.DiGraph()
        graph.add_nodes_from(names)
        graph.add_edges_from(pair for pair in combinations(order, 2) if rng.random() < share)
        if graph.number_of_edges() <= 10:
            return graph


@pytest.mark.parametrize("n", [2, 3, 4])
def test_every_graph_of_few_nodes(n: int) -> None:
    for i, graph in enumerate(all_dags(n)):
        for known in dict.fromkeys(kinds(graph, random.Random(i))):
            check(graph, known)


@pytest.mark.parametrize("seed", range(8))
def test_random_graphs(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(12):
        graph = random_graph(rng)
        for known in kinds(graph, rng):
            check(graph, known)


def test_larger_graphs_of_which_most_pairs_are_kept_apart() -> None:
    rng = random.Random(3)
    for _ in range(10):
        graph: nx.DiGraph[str] = nx.DiGraph()
        graph.add_nodes_from(names := [f"N{i}" for i in range(rng.randint(8, 11))])
        for i, effect in enumerate(order := rng.sample(names, len(names))):
            graph.add_edges_from((cause, effect) for cause in rng.sample(order[:i], min(i, rng.randint(0, 3))))
        pairs = [(a, b) for a in graph for b in graph if a != b and not graph.has_edge(a, b)]
        known = elcs.Knowledge(forbidden=[pair for pair in pairs if rng.random() < 0.8])
        truth, ci = cpdag(graph, known), elcs.DSeparation(graph)
        for target in graph:
            found = elcs.learn(ci, target, max_cond_size=None, knowledge=known)
            assert set(found.parents) == set(truth.parents(target))
            assert set(found.children) == set(truth.children(target))
            spouses = {a for y in found.children for a in graph.predecessors(y)} - {target, *found.neighbours}
            assert {x for some in found.spouses.values() for x in some} == spouses


def test_what_is_kept_apart_still_tells_spouses_from_others() -> None:
    """B and A are not neighbours, and only A separates C from E: else C passes for another cause of E."""
    known: dict[str, Any] = {
        "tiers": [["B", "C", "D"], ["A"]],
        "required": [("D", "A"), ("F", "D")],
        "forbidden": [("A", "C"), ("B", "A"), ("C", "D"), ("E", "A"), ("E", "B"), ("E", "D"), ("F", "B"), ("F", "E")],
        "exogenous": ["F"],
        "outcomes": ["E"],
    }
    check(graph_of("A>E B>D B>E C>A D>A F>C F>D", order="ABCDEF"), elcs.Knowledge(**known))


def test_local_learners_stay_local_and_knowledge_saves_work() -> None:
    """A blanket more is rare: what is known to be directed is not walked along, and a detour may be longer."""
    rng = random.Random(5)
    blankets, tests, more, asked = [0, 0], [0, 0], 0, 0
    for _ in range(60):
        graph = random_graph(rng)
        ci = elcs.DSeparation(graph)
        for known in kinds(graph, rng):
            for target in graph:
                found = [elcs.learn(ci, target, max_cond_size=None, knowledge=k) for k in (None, known)]
                for i, result in enumerate(found):
                    blankets[i] += len(result.learned)
                    tests[i] += result.n_tests
                more += len(found[1].learned) > len(found[0].learned)
                asked += 1
    assert more < 0.01 * asked
    assert blankets[1] < 0.8 * blankets[0]
    assert tests[1] < 0.8 * tests[0]


def test_one_word_ends_a_walk() -> None:
    chain = graph_of("A>B B>C C>D D>E E>F")
    before = elcs.learn(elcs.DSeparation(chain), "A")
    after = elcs.learn(elcs.DSeparation(chain), "A", knowledge={"exogenous": ["A"]})
    assert (before.undirected, len(before.learned)) == (("B",), 6)
    assert (after.children, after.learned) == (("B",), ("A",))
    assert after.n_tests < before.n_tests / 4


class Watched(elcs.DSeparation):
    """Perfect tests that keep a list of the pairs and sets they were asked about."""

    def __init__(self, graph: nx.DiGraph[str]) -> None:
        super().__init__(graph)
        self.asked: list[tuple[str, str, tuple[str, ...]]] = []
        measure = self._tester._measure  # type: ignore[attr-defined]

        def watched(x: int, y: int, given: tuple[int, ...]) -> Any:
            names = self.variables
            self.asked.append((names[x], names[y], tuple(names[z] for z in given)))
            return measure(x, y, given)

        self._tester._measure = watched  # type: ignore[attr-defined]


@pytest.mark.parametrize("method", ["elcs-global", "pc-stable"])
def test_no_pair_is_tested_that_is_kept_apart_and_no_set_with_what_comes_later(method: str) -> None:
    graph = graph_of("A>C B>C C>D C>E D>F E>F")
    known = elcs.Knowledge(tiers=[["A", "B"], ["C"], ["D", "E"], ["F"]], closed=[1, 3])
    tier = {x: i for i, names in enumerate(known.tiers) for x in names}
    before, ci = Watched(graph), Watched(graph)
    elcs.learn_graph(before, method=method, max_cond_size=None)
    found = elcs.learn_graph(ci, method=method, max_cond_size=None, knowledge=known)
    assert set(found.directed) == set(graph.edges)
    assert len(ci.asked) < len(before.asked)
    for x, y, given in ci.asked:
        assert not known.apart(x, y)
        assert all(tier[z] <= max(tier[x], tier[y]) for z in given), (x, y, given)


LEARNERS = [method.name for method in elcs.methods() if method.needs != "torch"]
SAYINGS: list[dict[str, Any]] = [
    {
        "tiers": [["age", "region"], ["outages", "contract"], ["satisfaction"], ["churn", "winback_offer"]],
        "closed": [1],
    },
    {"required": [["age", "satisfaction"], ["churn", "satisfaction"]]},  # the data deny both
    {"forbidden": [["satisfaction", "churn"], ["churn", "satisfaction"]]},
    {"exogenous": ["churn", "age"], "outcomes": ["outages"]},
]


@pytest.mark.parametrize("method", LEARNERS)
def test_every_learner_obeys(method: str) -> None:
    whole = next(m.kind for m in elcs.methods() if m.name == method) == "whole"
    ask = elcs.learn if method in {m.name for m in elcs.methods() if m.kind in ("local", "whole")} else elcs.blanket
    for known in (elcs.Knowledge(**said) for said in SAYINGS):
        for target in ("satisfaction", "churn", "age"):
            found = ask(elcs.data.SAMPLE, target, method=method, knowledge=known)
            assert not [x for x in found.parents if known.forbids(x, target)]
            assert not [x for x in found.children if known.forbids(target, x)]
            assert not [x for x in found.neighbours if known.apart(x, target)]
            assert {a for a, b in known.required if b == target} <= set(found.parents)
            assert {b for a, b in known.required if a == target} <= set(found.children)
            assert not [x for y, names in found.spouses.items() for x in names if known.forbids(x, y)]
            assert all(found.explain(x) for x in found.evidence)
        if whole:
            graph = elcs.learn_graph(elcs.data.SAMPLE, method=method, knowledge=known)
            assert not [arrow for arrow in graph.directed if known.forbids(*arrow)]
            assert set(known.required) <= set(graph.directed)
            assert nx.is_directed_acyclic_graph(graph.to_networkx(undirected="drop"))


def test_dag_gnn_obeys() -> None:
    known = elcs.Knowledge(required=[("referral", "age")], exogenous=["referral"], outcomes=["age"])
    columns = ["age", "satisfaction", "outages", "referral"]
    graph = elcs.learn_graph(
        elcs.data.SAMPLE, method="dag-gnn", columns=columns, knowledge=known, options={"steps": 20}
    )
    assert ("referral", "age") in graph.directed
    assert not [arrow for arrow in graph.directed if known.forbids(*arrow)]


@pytest.mark.parametrize("method", ["notears", "mmhc"])
def test_arcs_that_close_a_circle_with_a_required_one_are_given_up(method: str) -> None:
    """Truth: a -> b -> c. Somebody insists that c causes a, which fits if the other arrows turn or go."""
    table = elcs.networks.load("asia").sample(2000, random_state=0)
    truth = elcs.learn_graph(table, method=method)
    for cause, effect in truth.directed:
        found = elcs.learn_graph(table, method=method, knowledge={"required": [(effect, cause)]})
        assert (effect, cause) in found.directed
        assert nx.is_directed_acyclic_graph(found.to_networkx())


def best(score: elcs.Score, known: elcs.Knowledge, names: Sequence[str]) -> float:
    """Return the score of the best network that fits, by trying all."""
    rename = dict(zip("ABCD", names, strict=True))
    scores = []
    for graph in (nx.relabel_nodes(graph, rename) for graph in all_dags(4)):
        if fits(frozenset(graph.edges), list(names), known):
            scores.append(sum(score.local(v, tuple(graph.predecessors(v))) for v in graph))
    return max(scores)


@pytest.mark.parametrize("said", SAYINGS[1:])
def test_the_best_network_is_the_best_that_fits(said: dict[str, Any]) -> None:
    from elcs.learners.steps.best_network import best_network

    names = ["age", "satisfaction", "churn", "outages"]
    score, known = elcs.BDeu(elcs.Table.from_any(elcs.data.SAMPLE, columns=names)), elcs.Knowledge(**said)
    network = best_network(score, names, {}, max_parents=None, knowledge=known)
    edges = frozenset((a, b) for b, parents in network.items() for a in parents)
    assert fits(edges, names, known)
    total = sum(score.local(b, tuple(parents)) for b, parents in network.items())
    assert total == pytest.approx(best(score, known, names))


@pytest.mark.parametrize("method", ["elcs-exact", "elcs-cautious", "elcs-global", "pc-stable", "cmb", "mb-by-mb"])
def test_a_required_arrow_that_a_test_denies_is_a_conflict(method: str) -> None:
    found = elcs.learn(
        elcs.data.SAMPLE, "satisfaction", method=method, knowledge={"required": [("age", "satisfaction")]}
    )
    assert "age" in found.parents
    (conflict,) = (c for c in found.conflicts if c.second.rule == "separated")
    said = "You said that age causes satisfaction, but a test separates them: "
    assert conflict.say().startswith(said)
    assert conflict.say().endswith("(p = 0.74). What you said was followed.")
    told = found.explain("age").count("You said that age causes satisfaction")
    assert told == len(found.evidence["age"].disagreements)
    assert found.evidence["age"].separated_by is not None


@pytest.mark.parametrize("method", ["elcs-exact", "elcs-global", "pc-stable"])
def test_a_v_structure_against_a_tier_is_a_conflict(method: str) -> None:
    """Tests show a -> c <- b, but c comes before a; then they show nothing about b either."""
    found = elcs.learn(short_sighted("ac bc", "acb"), "c", method=method, knowledge={"tiers": [["c"], ["a"]]})
    assert found.children == ("a",)
    assert found.undirected == ("b",)
    assert [conflict.say() for conflict in found.conflicts] == [
        "You said that c comes before a, so c -> a, but by the rule "
        + ("spouse" if method == "elcs-exact" else "v-structure")
        + " it is the opposite. What you said was followed."
    ]


def test_columns_that_nothing_causes_may_go_together_all_the_same() -> None:
    """Both are causes of an effect, so each is in the blanket of the other, whatever the data say about the two."""
    table = {"sex": list("mmff" * 50), "age": list("yyyo" * 50), "class": list("1233" * 50)}
    table["class"][::7] = ["1"] * len(table["class"][::7])
    table["age"][::5] = ["o"] * 40
    table["sex"][::3] = ["f"] * 67
    found = elcs.learn(table, "sex", knowledge={"exogenous": ["sex", "age"]})
    assert found.evidence["age"].kept_apart_by == ("nothing causes sex", "nothing causes age")
    assert "age" not in found.neighbours
    assert found.explain("age").startswith("age is not directly connected with sex: you said that nothing causes")


def test_what_follows_from_knowledge_cites_it() -> None:
    found = elcs.learn(elcs.DSeparation(graph_of("A>B B>C")), "B", knowledge={"required": [("A", "B")]})
    assert found.children == ("C",)
    direction = found.evidence["C"].direction
    assert direction is not None
    assert direction.statements == ("A causes B",)
    assert found.explain("C").endswith("This rests on what you said: A causes B.")
    assert found.explain("A").endswith("You said that A causes B.")
    told = found.to_dict()
    assert told["knowledge"] == {"required": [["A", "B"]]}
    assert told["from_knowledge"] == [{"cause": "A", "effect": "B", "said": "A causes B"}]
    assert told["evidence"]["C"]["direction"]["premises"][0]["said"] == "A causes B"


def test_a_learner_that_cannot_obey_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    from elcs.learners import registry

    monkeypatch.setattr(registry, "_METHODS", {method.name: method for method in elcs.methods()})

    def nothing(ci: elcs.CITest, notes: Any, *, max_cond_size: int | None = 3) -> None:
        notes.done = True

    elcs.register(elcs.Method("deaf", "blanket", nothing, "finds nothing", obeys=False))
    assert elcs.blanket(elcs.data.SAMPLE, "churn", method="deaf").complete
    with pytest.raises(elcs.ElcsError, match="deaf cannot obey what is known beforehand; choose another method"):
        elcs.blanket(elcs.data.SAMPLE, "churn", method="deaf", knowledge={"exogenous": ["age"]})
    with pytest.raises(elcs.ElcsError, match="deaf cannot obey"):
        elcs.compare(elcs.data.SAMPLE, "churn", ["iamb", "deaf"], knowledge={"exogenous": ["age"]})
