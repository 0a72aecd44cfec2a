"""The search for the best network, held to scores in Python and to all networks of a few variables."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from itertools import combinations, permutations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import all_dags, coded, datasets, houses, houses_with_gaps

import elcs
from elcs.graph.cpdag import essential_graph
from elcs.learners.steps.best_network import best_network
from elcs.scores import BIC, Arrangement, BDeu, Blocks, Score

pytestmark = pytest.mark.filterwarnings("ignore::elcs.DataWarning")

Network = Mapping[str, frozenset[str]]


def table(seed: int, n: int = 5, n_rows: int = 300) -> elcs.Table:
    rng = np.random.default_rng(seed)
    columns: list[np.ndarray] = []
    for _ in range(n):
        push = rng.normal(size=n_rows) + sum(rng.choice([0, 0, 1.5, -1.5]) * column for column in columns)
        columns.append((push > 0) + (push > 1) * 1)
    return coded([columns[i] for i in rng.permutation(n)], [3] * n)


def all_near(score: Score) -> dict[str, list[str]]:
    return {x: [y for y in score.variables if y != x] for x in score.variables}


def total(score: Score, network: Network, price: float) -> float:
    return sum(score.local(y, parents) - price * len(parents) for y, parents in network.items())


def graph_of(network: Network) -> nx.DiGraph[str]:
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(network)
    graph.add_edges_from((x, y) for y, parents in network.items() for x in parents)
    return graph


def essential(network: Network) -> tuple[set[tuple[str, str]], set[frozenset[str]]]:
    graph = essential_graph({y: sorted(parents) for y, parents in network.items()})
    return set(graph.reasons), {frozenset(edge) for edge in graph.undirected_edges()}


@settings(max_examples=40, deadline=None)
@given(datasets(most_rows=400, gaps=True), st.sampled_from([BDeu, BIC]), st.randoms(use_true_random=False))
def test_the_kernel_scores_families_as_python_does(data: elcs.Table, kind: type[Score], random: object) -> None:
    score = kind(data)
    n = len(score.variables)
    for child in range(n):
        others = [v for v in range(n) if v != child]
        sets = [list(chosen) for size in range(min(4, n)) for chosen in combinations(others, size)][:12]
        for parents, found in zip(sets, score.families.scores(child, sets), strict=True):
            expected = score.measure(child, parents)
            assert found == pytest.approx(expected, rel=1e-9, abs=1e-7)


@pytest.mark.parametrize("kind", [BDeu, BIC])
def test_the_kernel_scores_many_parents_at_once_as_python_does(kind: type[Score]) -> None:
    rng = np.random.default_rng(2)
    columns: dict[str, list[str | None]] = {}
    for i in range(12):  # of two, three and four levels; every third column has gaps
        levels, gaps = rng.choice(list("abcd"[: 2 + i % 3 % 2 + i // 9]), 200), rng.random(200) < 0.2
        columns[f"V{i}"] = [None if i % 3 == 2 and gap else str(x) for x, gap in zip(levels, gaps, strict=True)]
    score = kind(elcs.Table.from_any(columns))
    for child, base in ((0, []), (0, [1]), (3, [0, 1]), (2, []), (3, [2])):
        others = [v for v in range(12) if v != child and v not in base]
        expected = [score.measure(child, sorted([*base, x])) - score.measure(child, base) for x in others]
        assert score.families.gains(child, base, others) == pytest.approx(expected, rel=1e-9, abs=1e-7)


@pytest.mark.parametrize("make", [lambda: Blocks(houses()), lambda: Blocks(houses_with_gaps())])
def test_the_kernel_scores_blocks_as_python_does(make: Callable[[], Blocks]) -> None:
    score = make()
    for child in range(5):
        sets = [[v for v in range(5) if v != child][:size] for size in range(5)]
        assert score.families.scores(child, sets) == pytest.approx([score.measure(child, s) for s in sets], rel=1e-12)


def test_families_are_checked() -> None:
    families = BDeu(table(0)).families
    with pytest.raises(ValueError, match="twice"):
        families.scores(0, [[1, 1]])
    with pytest.raises(IndexError, match="no such variable"):
        families.scores(0, [[7]])


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("price", [0.0, 1.6])
def test_finds_the_best_of_all_networks(seed: int, price: float) -> None:
    score = BDeu(table(seed, n=4), ess=5)
    names = dict(zip("ABCD", score.variables, strict=True))
    best = max(
        total(score, {names[y]: frozenset(names[x] for x in dag.predecessors(y)) for y in dag}, price)
        for dag in all_dags(4)
    )
    search = Arrangement(score, all_near(score), price=price)
    search.stir(10)
    assert search.total == pytest.approx(best, abs=1e-3)
    assert total(score, search.network, price) == pytest.approx(best, abs=1e-3)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", [BDeu, BIC])
def test_finds_the_optimum_over_eight_variables(seed: int, kind: type[Score]) -> None:
    score = kind(table(seed, n=8))
    optimum = best_network(score, score.variables, {}, max_parents=3)
    assert len(optimum) == 8
    search = Arrangement(score, all_near(score))
    search.stir(20)
    assert nx.is_directed_acyclic_graph(graph_of(search.network))
    assert search.total >= total(score, optimum, 0.0) - 1e-3


def found_with_seeds(score: Score) -> list[tuple[set[tuple[str, str]], set[frozenset[str]]]]:
    """The different essential graphs that searches with five seeds end in."""
    found: list[tuple[set[tuple[str, str]], set[frozenset[str]]]] = []
    for seed in range(5):
        search = Arrangement(score, all_near(score), price=2.2, seed=seed)
        search.stir(20)
        if (one := essential(search.network)) not in found:
            found.append(one)
    return found


@pytest.mark.parametrize("seed", range(10))
def test_random_numbers_do_not_matter(seed: int) -> None:
    score = BDeu(table(seed, n=9, n_rows=150), ess=5)
    assert len(found_with_seeds(score)) == 1


@pytest.mark.parametrize("seed", range(12))
def test_random_numbers_do_not_matter_where_columns_are_copies(seed: int) -> None:
    columns = table(seed, n=6).codes
    score = BDeu(coded([*columns, *columns[:4]], [3] * 10), ess=5)  # many networks score the same
    assert len(found_with_seeds(score)) == 1


@pytest.mark.parametrize("seed", range(4))
def test_long_searches_and_wide_ones_stay_acyclic(seed: int) -> None:
    data = elcs.networks.load("insurance").sample(500, random_state=seed)
    score = BDeu(data, ess=5)
    search = Arrangement(score, {x: [] for x in score.variables}, price=3.3, seed=seed)
    for _ in range(4):  # from nothing, all candidates come by expansion
        search.expand()
        search.stir(20)
    before = search.total
    search.widen()
    search.stir(20)
    assert search.total >= before - 1e-3
    assert nx.is_directed_acyclic_graph(graph_of(search.network))
    assert total(score, search.network, 3.3) == pytest.approx(search.total, abs=1e-2)


def wanted_in_some_member(
    score: Score, network: Network, candidates: set[frozenset[str]], price_far: float
) -> set[frozenset[str]]:
    """Return the pairs that are no candidates and of which an arrow gains something in an equivalent network.

    Those with a candidate in common come first, and the others only if there are none of these.
    """
    names = dict(zip("ABCD", score.variables, strict=True))
    found: tuple[set[frozenset[str]], ...] = (set(), set())
    for drawn in all_dags(4):
        dag = nx.relabel_nodes(drawn, names)
        member = {y: frozenset(dag.predecessors(y)) for y in dag}
        if essential(member) != essential(network):
            continue
        for y, parents in member.items():
            for x in set(dag) - {y} - nx.descendants(dag, y):
                far = not any({frozenset((x, z)), frozenset((y, z))} <= candidates for z in set(dag) - {x, y})
                sets = [parents | {x}, *(parents - {p} | {x} for p in parents)]
                gain = (
                    max(score.local(y, s) - 1.4 * len(s) for s in sets) - score.local(y, parents) + 1.4 * len(parents)
                )
                if frozenset((x, y)) not in candidates and gain > price_far * far + 1e-4:
                    found[far].add(frozenset((x, y)))
    return found[0] or found[1]


@pytest.mark.parametrize("seed", range(30))
def test_pairs_become_candidates_that_some_member_of_the_class_wants(seed: int) -> None:
    score = BDeu(table(seed, n=4), ess=5)
    a, b, c, d = score.variables
    near = [{a: [b], c: [d], b: [], d: []}, {a: [b], b: [c], c: [], d: []}, {a: [b, c, d], b: [], c: [], d: []}][
        seed % 3
    ]
    price_far = [0.0, 3.0][seed % 2]
    search = Arrangement(score, near, price=1.4, price_far=price_far)
    search.stir(5)
    before = {frozenset(pair) for pair in search.pairs}
    wanted = wanted_in_some_member(score, search.network, before, price_far)
    assert search.expand() == len(wanted)
    assert {frozenset(pair) for pair in search.pairs} == before | wanted


@pytest.mark.parametrize("seed", range(6))
def test_what_is_far_goes_on_paying_for_it(seed: int) -> None:
    score = BDeu(table(seed, n=6, n_rows=300), ess=5)
    first, second, *others = score.variables
    search = Arrangement(score, {first: [second], second: [], **{x: [] for x in others}}, price=1.0, price_far=2.0)
    for _ in range(3):
        search.expand()
        search.stir(10)
    network = search.network
    edges = [frozenset((x, y)) for y, parents in network.items() for x in parents]
    far = [edge for edge in edges if edge != {first, second}]  # two with one candidate have none in common
    assert far
    assert search.total == pytest.approx(total(score, network, 1.0) - 2.0 * len(far), abs=1e-3)


@pytest.mark.parametrize("seed", range(20))
def test_five_variables_are_arranged_without_chance(seed: int) -> None:
    score = BDeu(table(seed, n=5), ess=5)
    best = -math.inf
    for order in permutations(score.variables):
        families = (
            max(
                score.local(y, parents) - 1.4 * len(parents)
                for k in range(i + 1)
                for parents in combinations(order[:i], k)
            )
            for i, y in enumerate(order)
        )
        best = max(best, sum(families))
    for chance in range(4):
        search = Arrangement(score, all_near(score), price=1.4, seed=chance)
        search.stir(0)  # no kick
        assert search.total == pytest.approx(best, abs=1e-3)
        assert total(score, search.network, 1.4) == pytest.approx(search.total, abs=1e-3)


@pytest.mark.parametrize("seed", range(8))
def test_places_for_a_few_among_many_make_no_circle(seed: int) -> None:
    score = BDeu(table(seed, n=14, n_rows=200), ess=5)
    search = Arrangement(score, all_near(score), price=1.4, seed=seed)
    before = search.total
    search.stir(0)
    assert search.total >= before - 1e-3
    assert nx.is_directed_acyclic_graph(graph_of(search.network))
    assert total(score, search.network, 1.4) == pytest.approx(search.total, abs=1e-2)


def test_two_causes_that_show_only_together_beside_two_others() -> None:
    rng = np.random.default_rng(0)
    n = 2000
    a, b, c, d, *noise = rng.integers(0, 2, (16, n))
    flipped = rng.random((2, n)) < 0.1
    effect = 2 * (a ^ b ^ flipped[0]) + (a ^ c ^ d ^ flipped[1])
    score = BDeu(coded([a, b, c, d, *noise, effect], [*[2] * 16, 4]), ess=5)
    *causes, last = score.variables
    search = Arrangement(score, {last: causes, **{x: [] for x in causes}}, price=3.0)
    search.stir(10)
    assert search.network[last] == set(causes[:2])
    before = search.total
    assert search.deepen() == pytest.approx(search.total - before)
    assert search.network[last] == set(causes[:4])
    assert search.deepen() == 0


def test_candidates_that_no_network_wants_change_nothing() -> None:
    rng = np.random.default_rng(4)
    related = table(4, n=5, n_rows=400)
    noise = [rng.integers(0, 3, 400) for _ in range(12)]
    score = BDeu(coded([*related.codes, *noise], [3] * 17), ess=5)
    five = list(score.variables[:5])
    few = Arrangement(score, {x: [y for y in five if y != x] for x in five}, price=6.0)
    many = Arrangement(score, all_near(score), price=6.0)
    few.stir(20)
    many.stir(20)
    assert not any(many.network[x] for x in score.variables[5:])
    assert essential({x: many.network[x] for x in five}) == essential(few.network)
    for y, parents in few.network.items():
        for x in parents:
            assert many.margin([(x, y)]) == pytest.approx(few.margin([(x, y)]), abs=1e-6)
    assert len(many.pairs) == 17 * 16 / 2


def test_expansion_finds_what_only_another_parent_shows() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 2, (2, 500))
    score = BDeu(coded([a, b, np.where(rng.random(500) < 0.9, a ^ b, 1 - (a ^ b))], [2, 2, 2]))
    search = Arrangement(score, {"V0": ["V2"], "V1": [], "V2": []})
    search.stir(5)
    assert search.pairs == [("V0", "V2")]
    assert not any(search.network.values())  # nothing shows in pairs
    search = Arrangement(score, {"V0": ["V2"], "V1": ["V2"], "V2": []})
    search.stir(5)
    assert search.network["V2"] == {"V0", "V1"}


@pytest.mark.parametrize("seed", [1, 3, 5])
def test_margins_are_those_of_all_networks(seed: int) -> None:
    score = BDeu(table(seed, n=4), ess=5)
    names = dict(zip("ABCD", score.variables, strict=True))
    search = Arrangement(score, all_near(score), price=1.4)
    search.stir(20)
    networks = [{names[y]: frozenset(names[x] for x in dag.predecessors(y)) for y in dag} for dag in all_dags(4)]
    totals = [total(score, network, 1.4) for network in networks]
    for y, parents in search.network.items():
        for x in parents:
            without = max(t for t, network in zip(totals, networks, strict=True) if x not in network[y])
            assert search.margin([(x, y)]) == pytest.approx(max(totals) - without, abs=1e-3)
            apart = [x not in network[y] and y not in network[x] for network in networks]
            without = max(t for t, fits in zip(totals, apart, strict=True) if fits)
            assert search.margin([(x, y), (y, x)]) == pytest.approx(max(totals) - without, abs=1e-3)


@pytest.mark.parametrize("seed", range(5))
def test_arrows_can_be_forbidden_and_required(seed: int) -> None:
    score = BDeu(table(seed, n=4), ess=5)
    names = dict(zip("ABCD", score.variables, strict=True))
    first, second, *_ = score.variables

    def permits(cause: str, effect: str) -> bool | None:
        if (cause, effect) == (first, second):
            return None
        return effect != first

    fitting = []
    for dag in all_dags(4):
        network = {names[y]: frozenset(names[x] for x in dag.predecessors(y)) for y in dag}
        if first in network[second] and not network[first]:
            fitting.append(total(score, network, 1.0))
    search = Arrangement(score, all_near(score), price=1.0, permits=permits, seed=seed)
    search.stir(10)
    assert first in search.network[second]
    assert not search.network[first]
    assert search.total == pytest.approx(max(fitting), abs=1e-3)


def test_more_candidates_than_a_set_can_hold() -> None:
    rng = np.random.default_rng(0)
    hub = rng.integers(0, 3, 300)
    columns = [
        hub,
        *(np.where(rng.random(300) < share, hub, rng.integers(0, 3, 300)) for share in np.linspace(0, 1, 90)),
    ]
    score = BDeu(coded(columns, [3] * 91), ess=5)
    search = Arrangement(score, {"V0": score.variables[1:], **{x: [] for x in score.variables[1:]}}, price=math.log(91))
    assert len(search.pairs) == 64
    assert ("V0", "V90") in search.pairs  # the strongest
    assert ("V0", "V1") not in search.pairs


def test_scores_of_others_can_be_arranged() -> None:
    class Twice(BDeu):
        def measure(self, child: int, parents: object) -> float:
            return 2 * super().measure(child, parents)  # type: ignore[arg-type]

    data = table(1, n=5)
    own, twice = (Arrangement(kind(data), all_near(kind(data))) for kind in (BDeu, Twice))
    own.stir(10)
    twice.stir(10)
    assert twice.total == pytest.approx(2 * own.total, abs=1e-2)


def test_what_is_asked_for_is_counted_and_limited() -> None:
    score = BDeu(table(0, n=8))
    Arrangement(score, all_near(score))
    assert score.n_asked >= score.n_computed > 100
    search = Arrangement(score, {x: [] for x in score.variables})
    score.limit(tests=5)
    with pytest.raises(elcs.BudgetError):
        search.expand()
    score = BDeu(table(0, n=8))
    score.limit(seconds=0.0)
    with pytest.raises(elcs.BudgetError):
        Arrangement(score, all_near(score)).stir(10_000)
