"""With a perfect test and knowledge that is true, learners return the MPDAG: what all graphs that fit agree on."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from itertools import combinations, product

import networkx as nx
import pytest
from making import all_dags

import elcs
from elcs.learners.notes import Local, Whole

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
    said: dict[str, list[object]] = {name: [] for name in ("tiers", "required", "forbidden", "exogenous", "outcomes")}
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
        yield elcs.Knowledge(**{name: value}, **({"closed": closed} if name == "tiers" else {}))
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


@pytest.mark.parametrize("n", [2, 3, 4])
def test_every_graph_of_few_nodes(n: int) -> None:
    for i, graph in enumerate(all_dags(n)):
        for known in kinds(graph, random.Random(i)):
            check(graph, known)
