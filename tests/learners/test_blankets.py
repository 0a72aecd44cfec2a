"""Every blanket learner with perfect tests: exact where it is said to be, and wrong where it is said to be."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

import networkx as nx
import pytest
from hypothesis import given, settings
from making import all_dags, dags, golden, graph_of

import elcs
from elcs.engines import SequentialTester, Verdict
from elcs.evaluation import true_blanket
from elcs.learners.notes import Blanket
from elcs.learners.pc.getpc import get_pc, get_pcd

EXACT = ["gs", "iamb", "inter-iamb", "fast-iamb", "pcmb", "bamb", "ccmb", "emb-exact"]
MENDED = ["mmmb", "hiton-mb"]  # exact with symmetric=True
TELLING = ["mmmb", "hiton-mb", "pcmb", "stmb", "bamb", "ccmb"]  # neighbours from spouses
FLAWED = "T>K D>K D>I K>I"


def found(ci: elcs.CITest, target: str, method: str, *, max_cond_size: int | None = None, **options: Any) -> set[str]:
    return set(elcs.blanket(ci, target, method=method, max_cond_size=max_cond_size, **options).markov_blanket)


def check(graph: nx.DiGraph[str], method: str, targets: Iterable[str] | None = None, **options: Any) -> None:
    ci = elcs.DSeparation(graph)
    for target in targets or graph:
        assert found(ci, target, method, **options) == true_blanket(graph, target), target


def answering(names: str, dependences: dict[tuple[str, ...], float]) -> elcs.CITest:
    """Make a test that finds the target T, or others, dependent as told, however absurd: (x, y, *given): strength."""
    told = {(*sorted(question[:2]), *sorted(question[2:])): s for question, s in dependences.items()}

    def measure(x: int, y: int, given: tuple[int, ...]) -> tuple[float, int, int]:
        strength = told.get((*sorted((names[x], names[y])), *sorted(names[z] for z in given)), 0.0)
        return strength, 1, Verdict.DEPENDENT if strength else Verdict.INDEPENDENT

    return elcs.CITest(names, SequentialTester(measure, cache_size=100))


@pytest.mark.parametrize("method", EXACT)
def test_every_graph_of_few_nodes(method: str) -> None:
    for graph in (*all_dags(3), *list(all_dags(4))[::3]):
        check(graph, method)


@pytest.mark.parametrize("method", EXACT)
@settings(max_examples=30, deadline=None)
@given(graph=dags(most_nodes=10))
def test_random_graphs(method: str, graph: nx.DiGraph[str]) -> None:
    check(graph, method)


@pytest.mark.parametrize(
    ("method", "name"),
    # BAMB takes minutes on Insurance without a cap on its search among candidate spouses, and a cap of 4 is too low.
    [(m, n) for m in (*EXACT, *MENDED) for n in ("alarm", "child", "insurance") if (m, n) != ("bamb", "insurance")],
)
def test_known_networks(method: str, name: str) -> None:
    options: dict[str, Any] = {"symmetric": True} if method in MENDED else {}
    if (method, name) == ("bamb", "alarm"):
        options["max_cond_size"] = 4  # which is enough here, and saves minutes
    graph = graph_of(golden("graphs")[name])
    check(graph, method, list(graph)[:: 3 if name == "insurance" else 1], **options)


@pytest.mark.parametrize("name", ["alarm", "insurance"])
def test_get_pc_is_exact(name: str) -> None:
    graph = graph_of(golden("graphs")[name])
    ci = elcs.DSeparation(graph)
    for target in list(graph)[::3]:
        neighbours = set(graph.predecessors(target)) | set(graph.successors(target))
        notes, more = Blanket(target), Blanket(target)
        get_pc(ci, notes, max_cond_size=None)
        get_pcd(ci, more, max_cond_size=None)
        assert set(notes.pc) == neighbours
        assert neighbours <= set(more.pc)
        assert set(more.pc) - neighbours <= nx.descendants(graph, target)


@pytest.mark.parametrize("method", MENDED)
def test_symmetry_mends_a_flaw(method: str) -> None:
    ci = elcs.DSeparation(graph_of(FLAWED))
    assert found(ci, "T", method) == {"K", "D", "I"}
    assert found(ci, "T", method, symmetric=True) == {"K", "D"} == true_blanket(graph_of(FLAWED), "T")


@pytest.mark.parametrize("method", MENDED)
@settings(max_examples=30, deadline=None)
@given(graph=dags(most_nodes=10))
def test_without_symmetry_nothing_is_missed_and_with_it_all_is_right(method: str, graph: nx.DiGraph[str]) -> None:
    check(graph, method, symmetric=True)
    ci = elcs.DSeparation(graph)
    for target in graph:
        assert found(ci, target, method) >= true_blanket(graph, target)


@pytest.mark.parametrize("seed", range(10))
def test_stmb_loses_a_spouse(seed: int) -> None:
    order = random.Random(seed).sample("TKDIY", 5)
    graph = graph_of("T>K D>K D>I K>I I>Y T>Y", order)
    for pc in (None, "hiton-pc", "mmpc"):
        assert found(elcs.DSeparation(graph), "T", "stmb", pc=pc) == true_blanket(graph, "T") - {"I"}


@pytest.mark.parametrize("method", TELLING)
@settings(max_examples=15, deadline=None)
@given(graph=dags(most_nodes=9))
def test_what_the_notes_say_is_true(method: str, graph: nx.DiGraph[str]) -> None:
    ci = elcs.DSeparation(graph)
    for target in graph:
        result = elcs.blanket(ci, target, method=method, max_cond_size=None)
        for x, evidence in result.evidence.items():
            assert (evidence.separated_by is None) == (x in result.neighbours)
            assert evidence.separated_by is None or evidence.separated_by.result.independent
            assert evidence.opened_by is None or not evidence.opened_by.result.independent


@pytest.mark.parametrize("method", ["gs", "iamb", "inter-iamb", "fast-iamb"])
@settings(max_examples=15, deadline=None)
@given(graph=dags(most_nodes=9))
def test_members_are_not_told_apart_and_the_rest_is_separated(method: str, graph: nx.DiGraph[str]) -> None:
    ci = elcs.DSeparation(graph)
    for target in graph:
        result = elcs.blanket(ci, target, method=method)
        assert not result.neighbours
        for x, evidence in result.evidence.items():
            assert evidence.role == ("member" if x in result.members else "other")
            assert (evidence.separated_by is None) == (x in result.members)
            assert evidence.separated_by is None or evidence.separated_by.result.independent


@pytest.mark.parametrize("method", ["gs", "iamb", "inter-iamb", "fast-iamb"])
def test_growth_stops_where_tests_are_not_reliable(method: str) -> None:
    rng = random.Random(0)
    causes = [[rng.randrange(2) for _ in range(60)] for _ in range(8)]
    table = {f"c{i}": cause for i, cause in enumerate(causes)} | {"t": [sum(row) for row in zip(*causes, strict=True)]}
    with pytest.warns(elcs.DataWarning, match="too few rows"):
        result = elcs.blanket(table, "t", method=method, ci_test="g2")
    assert not result.members  # 9 levels by 2 are 18 cells: 90 rows are needed even without a condition
    table["t"] = [int(sum(row) > 4) for row in zip(*causes, strict=True)]
    result = elcs.blanket(table, "t", method=method)
    assert 0 < len(result.members) <= 3  # 60 rows are enough for 12 cells: two conditions


@pytest.mark.parametrize("method", ["inter-iamb", "fast-iamb"])
def test_contradictory_answers_come_to_an_end(method: str) -> None:
    # A enters, B enters because of it, A leaves because of B, then B leaves; and so on for ever.
    ci = answering("TAB", {("T", "A"): 2.0, ("T", "B", "A"): 1.0})
    assert elcs.blanket(ci, "T", method=method).complete


def test_ccmb_brings_back_a_masked_neighbour() -> None:
    # T > A and T > B, but the rows are too few to tell A and B apart: either seems to do without the other.
    ci = answering("TAB", {("T", "A"): 3.0, ("T", "B"): 2.0, ("A", "B"): 1.0})
    assert found(ci, "T", "hiton-mb") == {"A"}
    assert found(ci, "T", "ccmb") == {"A", "B"}
    # Here A has something to tell beyond B: nothing is masked, and B stays out.
    ci = answering("TAB", {("T", "A"): 3.0, ("T", "B"): 2.0, ("A", "B"): 1.0, ("T", "A", "B"): 1.0})
    assert found(ci, "T", "ccmb") == {"A"}


@pytest.mark.parametrize("method", ["elcs-m", "elcs-s", "elcs-b"])
def test_other_blankets_inside_elcs(method: str) -> None:
    ci = elcs.DSeparation(graph_of("X>T Z>T T>C D>C T>E"))
    result = elcs.learn(ci, "T", method=method, max_cond_size=None)
    assert set(result.parents) == {"X", "Z"}
    assert set(result.children) == {"C", "E"}
    assert dict(result.spouses) == {"C": ("D",)}


@pytest.mark.parametrize("method", [m.name for m in elcs.methods() if m.kind in ("blanket", "pc")])
def test_results_are_well_formed(method: str) -> None:
    result = elcs.blanket(elcs.data.SAMPLE, "satisfaction", method=method)
    assert result.complete
    assert {"outages", "price_rise", "referral", "churn"} <= set(result.markov_blanket)
    for name in result.evidence:
        assert name in result.explain(name)
    assert result.to_json()
    stopped = elcs.blanket(elcs.data.SAMPLE, "satisfaction", method=method, max_tests=12)
    assert not stopped.complete
