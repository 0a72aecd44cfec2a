"""MMHC, and the climb that it shares with the score-based blanket learners."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import coded, datasets

import elcs
from elcs.learners.notes import Blanket, Whole
from elcs.learners.pc.mmpc import mmpc
from elcs.learners.steps import climb as climbing
from elcs.learners.steps.climb import GAIN, Parents, climb
from elcs.learners.whole.mmhc import mmhc
from elcs.scores import BIC, BDeu, Score

Near = Mapping[str, Sequence[str]]


def empty(names: Sequence[str]) -> Parents:
    return {x: frozenset() for x in names}


def graph_of(network: Parents) -> nx.DiGraph[str]:
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(network)
    graph.add_edges_from((x, y) for y, parents in network.items() for x in parents)
    return graph


def total(score: Score, network: Parents) -> float:
    return sum(score.local(y, parents) for y, parents in network.items())


def steps(network: Parents, near: Near, most: int) -> Iterator[Parents]:
    """Yield all networks that one permitted step leads to, in the order in which the climb looks at them."""
    for y, parents in network.items():
        for x in near[y]:
            ways: list[Parents] = []
            if x in parents:
                ways = [{y: parents - {x}}, {y: parents - {x}, x: network[x] | {y}}]
            elif y not in network[x]:
                ways = [{y: parents | {x}}]
            for way in ways:
                to = {**network, **way}
                fits = all(len(to[v]) <= most for v in way if len(to[v]) > len(network[v]))
                if fits and nx.is_directed_acyclic_graph(graph_of(to)):
                    yield to


def promise(score: Score, here: Parents, to: Parents, near: Near, most: int) -> float:
    """Return what the climb ranks steps by that gain the same."""
    changed = [y for y in here if to[y] != here[y]]

    def gain(network: Parents, x: str, y: str) -> float:
        parents = network[y] ^ {x}
        fits = len(parents) <= max(most, len(network[y]) - 1)
        return score.local(y, parents) - score.local(y, network[y]) if fits else -np.inf

    if len(changed) == 1:
        (y,) = changed
        others = [x for x in near[y] if {x} != to[y] ^ here[y]]
        finite = [x for x in others if min(gain(here, x, y), gain(to, x, y)) > -np.inf]
        return sum((gain(here, x, y) - gain(to, x, y)) * (1 if x in here[y] else -1) for x in finite)
    best = -np.inf
    for y in changed:
        for x in near[y]:
            if x not in changed and y in to[x]:
                best = max(best, gain(to, x, y) + gain(to, y, x))
            elif x not in changed:
                best = max(best, gain(to, x, y), gain(to, x, y) + gain(to, y, x) if x in to[y] else -np.inf)
    return best


def naive_climb(score: Score, start: Parents, near: Near, most: int, tabu: int, patience: int) -> Parents:
    """Climb as the paper says, scoring every network from scratch."""
    here = best = start
    visited = deque([here], maxlen=tabu)
    since = 0
    while True:
        gains = [(total(score, to) - total(score, here), to) for to in steps(here, near, most) if to not in visited]
        equal = [to for gain, to in gains if gain > max(gain for gain, _ in gains) - GAIN]
        if not equal or (total(score, equal[0]) <= total(score, best) + GAIN and since >= patience):
            return best
        promises = [promise(score, here, to, near, most) for to in equal]
        here = next(to for to, p in zip(equal, promises, strict=True) if p >= max(promises) - GAIN)
        since += 1
        visited.append(here)
        if total(score, here) > total(score, best) + GAIN:
            best, since = here, 0


def table(seed: int, n: int = 6, n_rows: int = 400) -> elcs.Dataset:
    """Draw a table of columns that each depend on some before, in no particular order."""
    rng = np.random.default_rng(seed)
    levels = rng.integers(2, 4, n).tolist()
    columns: list[np.ndarray] = []
    for r in levels:
        push = rng.normal(size=n_rows)
        for column in columns:
            push += rng.choice([0, 0, 1.2, -1.2]) * column
        columns.append(np.searchsorted(np.quantile(push, np.arange(1, r) / r), push))
    order = rng.permutation(n)
    return coded([columns[i] for i in order], [levels[i] for i in order])


def some_near(names: Sequence[str], rng: np.random.Generator) -> dict[str, list[str]]:
    """Permit three edges in four."""
    n = len(names)
    permitted = np.triu(rng.random((n, n)) < 0.75, 1)
    permitted |= permitted.T
    return {y: [x for j, x in enumerate(names) if permitted[i, j]] for i, y in enumerate(names)}


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(("tabu", "patience", "most"), [(0, 0, 5), (100, 15, 5), (3, 6, 2)])
def test_climbs_as_one_that_scores_every_network(seed: int, tabu: int, patience: int, most: int) -> None:
    score: Score = (BDeu if seed % 2 else BIC)(table(seed))
    near = some_near(score.variables, np.random.default_rng(seed))
    network = empty(score.variables)
    climb(score, network, near, max_parents=most, tabu=tabu, patience=patience)
    assert network == naive_climb(score, empty(score.variables), near, most, tabu, patience)
    best = total(score, network)
    assert best >= total(score, empty(score.variables))
    assert all(total(score, to) <= best + GAIN for to in steps(network, near, most))


@pytest.mark.parametrize("seed", range(6))
def test_starts_from_any_network(seed: int) -> None:
    score = BDeu(table(seed))
    names = score.variables
    start = {x: frozenset(names[:i]) for i, x in enumerate(names)}
    near = {y: [x for x in names if x != y] for y in names}
    network = dict(start)
    climb(score, network, max_parents=3)  # more parents than permitted may stay, but none join them
    assert network == naive_climb(score, start, near, 3, 0, 0)


@pytest.mark.parametrize("seed", range(6))
def test_gains_and_paths_are_right_at_every_step(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    score = BDeu(table(seed, n=8))
    best_step = climbing._Climber.best_step
    seen: list[int] = []

    def checked(self: climbing._Climber, visited: deque[int]) -> tuple[float, climbing.Step | None]:
        network = dict(zip(self.names, self.parents, strict=True))
        graph = graph_of(network)
        assert nx.is_directed_acyclic_graph(graph)
        fresh = climbing._Climber(score, network, near, 3)
        assert fresh.gains == self.gains
        assert (fresh.network, fresh.present, fresh.children) == (self.network, self.present, self.children)
        for x, below in zip(self.names, self.below, strict=True):
            assert {y for i, y in enumerate(self.names) if below >> i & 1} == nx.descendants(graph, x)
        seen.append(self.network)
        return best_step(self, visited)

    near = some_near(score.variables, np.random.default_rng(seed))
    monkeypatch.setattr(climbing._Climber, "best_step", checked)
    climb(score, empty(score.variables), near, max_parents=3, tabu=100, patience=15)
    assert len(seen) > 16
    assert len(set(seen)) == len(seen)  # no network is visited twice


@given(datasets(most_rows=600, most_levels=40), st.integers(0, 4))
@settings(max_examples=30, deadline=None)
def test_networks_are_acyclic_and_within_the_skeleton(data: elcs.Dataset, size: int) -> None:
    ci, score = elcs.G2(data), BDeu(data)
    notes = Whole(ci.variables)
    mmhc(ci, notes, score=score, max_cond_size=size)
    network = {y: frozenset(notes.graph.parents(y)) for y in ci.variables}
    assert nx.is_directed_acyclic_graph(graph_of(network))
    assert total(score, network) >= total(score, empty(ci.variables))
    assert not notes.graph.undirected_edges()
    assert not notes.graph.conflicts
    found = {x: Blanket(x) for x in ci.variables}
    for own in found.values():
        mmpc(ci, own, max_cond_size=size)
    near = {y: [x for x in own.pc if y in found[x].pc] for y, own in found.items()}
    assert all(x in near[y] for y, parents in network.items() for x in parents)
    assert all(total(score, to) <= total(score, network) + GAIN for to in steps(network, near, len(near)))
    apart = {frozenset((x, y)) for x in near for y in near if x != y and y not in near[x]}
    assert set(notes.separators) == apart


@pytest.mark.parametrize(("name", "least"), [("asia", 0.75), ("child", 0.9), ("alarm", 0.9)])
def test_finds_the_edges_of_known_networks(name: str, least: float) -> None:
    network = elcs.networks.load(name)
    graph = elcs.learn_graph(network.sample(5000, random_state=1), method="mmhc")
    truth = {frozenset(edge) for edge in network.edges}
    found = {frozenset(edge) for edge in graph.directed}
    assert 2 * len(truth & found) / (len(truth) + len(found)) >= least
    assert graph.complete
    assert nx.is_directed_acyclic_graph(graph.to_networkx())
    assert not graph.undirected


@pytest.mark.parametrize("name", ["child", "alarm"])
def test_columns_in_any_order_give_equivalent_networks(name: str) -> None:
    data = elcs.networks.load(name).sample(3000, random_state=2)
    rng = np.random.default_rng(0)
    found = set()
    for _ in range(3):
        order = rng.permutation(len(data.names))
        shuffled = replace(data, columns=tuple(data.columns[i] for i in order))
        essential = elcs.learn_graph(shuffled, method="mmhc").cpdag()
        found.add((frozenset(essential.directed), frozenset(map(frozenset, essential.undirected))))
    assert len(found) == 1


def test_equal_runs_give_equal_results() -> None:
    data = elcs.networks.load("child").sample(2000, random_state=3)
    first, second = (elcs.learn_graph(data, method="mmhc") for _ in range(2))
    assert first.directed == second.directed
    assert first.separators == second.separators
    assert (first.n_tests, first.n_computed) == (second.n_tests, second.n_computed)


def test_a_climb_that_is_stopped_leaves_what_it_climbed() -> None:
    data = elcs.networks.load("child").sample(2000, random_state=3)
    ci, score = elcs.G2(data), BDeu(data)
    whole = Whole(ci.variables)
    mmhc(ci, whole, score=score)
    last, sizes = -np.inf, set()
    for limit in range(0, score.n_asked, 19):
        notes, limited = Whole(ci.variables), BDeu(data)
        limited.limit(tests=limit)
        with pytest.raises(elcs.BudgetError):
            mmhc(ci, notes, score=limited)
        network = {y: frozenset(notes.graph.parents(y)) for y in ci.variables}
        assert nx.is_directed_acyclic_graph(graph_of(network))
        assert total(score, network) >= last
        last = total(score, network)
        sizes.add(len(notes.graph.reasons))
        assert notes.separators == whole.separators
        assert not notes.graph.settled
    assert len(sizes) > 10


def test_limits_count_tests_and_scores() -> None:
    data = elcs.networks.load("asia").sample(1000, random_state=1)
    full = elcs.learn_graph(data, method="mmhc")
    assert full.complete
    assert "tests and scores" in str(full)
    assert full.settings["score"] == "BDeu"
    assert full.settings["alpha"] == 0.01
    for limits in ({"max_tests": 20}, {"timeout": 0.0}):
        stopped = elcs.learn_graph(data, method="mmhc", **limits)
        assert not stopped.complete
        assert stopped.n_tests < full.n_tests
        assert nx.is_directed_acyclic_graph(stopped.to_networkx())


def test_the_score_given_is_the_one_asked() -> None:
    score = BIC(elcs.networks.load("asia").sample(1000, random_state=1))
    graph = elcs.learn_graph(score, method="mmhc")
    assert score.n_asked > 0
    assert graph.settings["score"] == "BIC"


def test_says_why() -> None:
    result = elcs.learn(elcs.data.SAMPLE, "satisfaction", method="mmhc")
    assert set(result.neighbours) == {"price_rise", "outages", "referral", "churn"}
    assert result.to_json()
    rules = {x: e.direction.rule for x, e in result.evidence.items() if e.direction is not None}
    assert rules == {"price_rise": "climb", "outages": "climb", "churn": "climb", "referral": "Meek 1"}
    told = result.explain("price_rise")
    assert "In the network that scores best among those tried, price_rise and outages are two causes" in told
    assert "independent" in result.explain("age")
    open_edge = elcs.learn(elcs.data.SAMPLE, "age", method="mmhc").explain("contract")
    assert "one with the edge turned round scores as well" in open_edge
