"""The score for numbers and levels: as plain numpy gives it, the same for equivalent networks, never infinite."""

from __future__ import annotations

import math
import pickle
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import all_dags
from numpy.typing import NDArray
from scipy import stats
from scipy.special import ndtri

import elcs
from elcs.data import Discrete

Matrix = NDArray[np.float64]


def drawn(seed: int, *, weighted: bool = False, rows: int | None = None) -> elcs.Table:
    """Draw a table of numbers and levels: skewed, with ties, with a spike, with rare levels."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(100, 1500)) if rows is None else rows
    a, b, c, d = rng.normal(size=(4, n))
    b += a
    table = {
        "a": a,
        "skewed": np.exp(b),
        "ties": np.round(c + b, 1),
        "spike": np.where(rng.random(n) < 0.4, 0.0, d + a * a),
        "two": np.where(a + rng.normal(size=n) > 0, "yes", "no"),
        "four": np.array(list("abcd"))[np.digitize(c + 0.5 * rng.normal(size=n), [-1.7, 0, 1])],
    }
    weights = rng.integers(0, 4, n) if weighted else None
    return elcs.Table.from_any(table, weights=weights)


def block(table: elcs.Table, name: str) -> Matrix:
    """The columns of a variable, a row for each observation that has it."""
    weights = np.ones(table.n_rows, dtype=int) if table.weights is None else table.weights
    column = table.columns[table.index(name)]
    weights = np.where(column.missing, 0, weights)
    if isinstance(column, Discrete):
        codes = np.repeat(column.codes, weights)
        counts = np.bincount(codes)
        shown = [level for level in range(len(counts)) if counts[level] and level != counts.argmax()]
        return np.column_stack([codes == level for level in shown]).astype(float)
    values = np.repeat(column.values, weights)
    u = ndtri((stats.rankdata(values) - 0.5) / len(values))
    u = (u - u.mean()) / u.std()
    _, at, counts = np.unique(values, return_inverse=True, return_counts=True)
    spike = [at == counts.argmax()] if counts.max() >= 0.2 * len(at) else []
    return np.column_stack([u, u**2 - 1, u**3 - 3 * u, *spike])


def shares(columns: Matrix) -> Matrix:
    """What share of the rows each column tells of."""
    is_indicator = np.isin(columns, (0, 1)).all(axis=0)
    return np.where(is_indicator, columns.mean(axis=0), 1.0)


def log_left(y: Matrix, x: Matrix | None) -> float:
    """Regress columns on others, each with a millionth of noise; return the log-determinant of what is left."""
    own, noise = y.T @ y / len(y), 1e-6
    own += noise * np.eye(len(own))
    if x is not None:
        both, of_x = x.T @ y / len(y), x.T @ x / len(y)
        own -= both.T @ np.linalg.solve(of_x + noise * np.eye(len(of_x)), both)
    return float(np.linalg.slogdet(own)[1])


def reference(table: elcs.Table, child: str, parents: Sequence[str]) -> float:
    """Regress the block on those of the parents, and take the determinant of what is left."""
    y = stats.zscore(block(table, child))
    n, p = len(y), len(table.names)
    cost = 0.0
    x = np.column_stack([stats.zscore(block(table, x)) for x in parents]) if parents else None
    for parent in parents:
        rows = n * np.outer(shares(block(table, child)), shares(block(table, parent)))
        cost += max(1, math.sqrt(n / 500)) / 2 * np.log(np.maximum(rows, 10)).sum() + math.log(p)
    return -n / 2 * log_left(y, x) - cost


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10**6), st.booleans(), st.data())
def test_it_is_what_plain_numpy_gives(seed: int, weighted: bool, data: st.DataObject) -> None:
    table = drawn(seed, weighted=weighted)
    child, *rest = data.draw(st.permutations(table.names))
    parents = rest[: data.draw(st.integers(0, 4))]
    found = elcs.Blocks(table).local(child, parents)
    assert found == pytest.approx(reference(table, child, parents), rel=1e-9, abs=1e-7)


def derived(seed: int) -> elcs.Table:
    """Draw numbers and levels of which some follow from others, exactly or almost."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(80, 600))
    a, b = rng.normal(size=(2, n))
    table = {
        "a": a,
        "b": b,
        "copy": a.copy(),
        "twice": 2 * a,
        "bent": np.exp(a),
        "almost": a + 1e-4 * rng.normal(size=n),
        "sum": a + b,
        "side": a > 0,
        "other side": np.where(a > 0, "no", "yes"),
        "quarter": np.array(list("abcd"))[2 * (a > 0) + (b > 0)],
        "mostly": np.where(np.arange(n) == 7, 1.5, 0.25),
        "effect": a + b + 0.5 * rng.normal(size=n),
    }
    return elcs.Table.from_any(table)


def test_what_has_nothing_to_do_with_columns_that_follow_from_others_does_not_score() -> None:
    """Of counts, their sum follows; which of the three is taken to do so must not depend on a coin."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        one = rng.choice(7, 800, p=[0.68, 0.23, 0.03, 0.02, 0.02, 0.01, 0.01])
        other = np.minimum(6, rng.poisson(0.4 + 0.2 * (one > 0)))
        coin = rng.choice(["a", "b"], 800)
        table = elcs.Table.from_any({"one": one, "other": other, "sum": one + other + 1, "coin": coin})
        score = elcs.Blocks(table)
        for child, *parents in (("one", "other", "sum"), ("other", "one", "sum"), ("sum", "one", "other")):
            assert score.local(child, [*parents, "coin"]) < score.local(child, parents)


def test_what_follows_from_its_parents_scores_well_and_no_more() -> None:
    table = derived(0)
    score = elcs.Blocks(table)
    for child in table.names:
        others = [x for x in table.names if x != child]
        families = [parents for k in range(4) for parents in combinations(others, k)]
        assert np.isfinite([score.local(child, parents) for parents in [*families, others]]).all()
    for copy in ("copy", "twice", "bent"):
        gain = score.local(copy, ["a"]) - score.local(copy)
        assert 1000 < gain < table.total / 2 * 3 * math.log(1e6)
        assert score.local("effect", [copy]) == pytest.approx(score.local("effect", ["a"]), rel=1e-9)
        assert score.local("effect", ["a", copy]) < score.local("effect", ["a"])  # it says nothing new, and costs
        assert score.local("effect", ["a", "b", copy]) < score.local("effect", ["a", "b"])
    assert score.local("side", ["other side"]) > score.local("side", ["a"]) > score.local("side")
    assert score.local("side", ["quarter"]) > score.local("side", ["a"])


@pytest.mark.parametrize(
    "names", [("a", "copy", "b", "sum"), ("side", "quarter", "a", "twice"), ("almost", "a", "copy")]
)
@settings(deadline=None, max_examples=5)
@given(seed=st.integers(0, 10**6))
def test_equivalent_networks_score_the_same_though_columns_follow_from_others(names: Sequence[str], seed: int) -> None:
    assert_equivalent(elcs.Blocks(derived(seed)), names)


@settings(deadline=None, max_examples=10)
@given(st.integers(0, 10**6), st.booleans(), st.data())
def test_equivalent_networks_score_the_same(seed: int, weighted: bool, data: st.DataObject) -> None:
    table = drawn(seed, weighted=weighted)
    totals = assert_equivalent(elcs.Blocks(table), data.draw(st.permutations(table.names))[:4])
    assert len(totals) == 185
    assert len(set(np.round(totals, 6))) == 185


def assert_equivalent(score: elcs.Score, names: Sequence[str]) -> list[float]:
    """Check that networks with one skeleton and the same colliders score the same; return the score of each class."""
    known = dict(zip("ABCD", names, strict=False))
    classes: dict[tuple[object, ...], list[float]] = defaultdict(list)
    for graph in all_dags(len(names)):
        skeleton = frozenset(map(frozenset, graph.edges))
        colliders = frozenset(
            (v, frozenset(pair))
            for v in graph
            for pair in combinations(graph.predecessors(v), 2)
            if frozenset(pair) not in skeleton
        )
        total = sum(score.local(known[v], [known[p] for p in graph.predecessors(v)]) for v in graph)
        classes[skeleton, colliders].append(total)
    for totals in classes.values():
        assert totals == pytest.approx([totals[0]] * len(totals), rel=1e-12, abs=1e-9)
    return [totals[0] for totals in classes.values()]


@pytest.mark.parametrize("seed", range(3))
def test_weights_and_half_samples_are_rows(seed: int) -> None:
    table = drawn(seed, weighted=True)
    assert table.weights is not None
    whole = elcs.Blocks(table)
    for some, score in [
        (table, whole),
        *((half, whole.recipe(half)) for half in table.halves(np.random.default_rng(0))),
    ]:
        assert some.weights is not None
        rows = np.repeat(np.arange(some.n_rows), some.weights)
        columns = {
            c.name: np.asarray(c.levels)[c.codes[rows]] if isinstance(c, Discrete) else c.values[rows]
            for c in some.columns
        }
        repeated = elcs.Blocks(columns)
        for child, *parents in (some.names, some.names[::-1], some.names[2:4], some.names[-1:]):
            assert score.local(child, parents) == pytest.approx(repeated.local(child, parents), rel=1e-9, abs=1e-7)


def test_a_column_that_does_not_vary_in_a_half_tells_nothing() -> None:
    table = drawn(0, rows=400)
    side = table.columns[table.index("two")]
    number = table.columns[table.index("spike")]
    assert isinstance(side, Discrete)
    kept = (side.codes == 0) & (number.numbers() == 0)
    half = replace(table, weights=kept.astype(np.int64))
    score, ci = elcs.Blocks(half), elcs.Mixed(half)
    for constant in ("two", "spike"):
        assert ci.test("a", constant).dof == 0
        assert score.local(constant, ["a", "four"]) == -2 * math.log(6)
        assert score.local("a", [constant]) == pytest.approx(score.local("a") - math.log(6))


def test_cache_counters_and_limits() -> None:
    score = elcs.Blocks(drawn(0))
    first = score.local("a", ["two", "ties"])
    assert score.local("a", ["ties", "two"]) == first
    assert (score.n_asked, score.n_computed) == (2, 1)
    score.clear_cache()
    assert score.local("a", ["ties", "two"]) == first
    assert (score.n_asked, score.n_computed) == (3, 2)
    forgetful = elcs.Blocks(drawn(0), cache_size=0)
    assert [forgetful.local("a", ["ties", "two"]) for _ in range(2)] == [first] * 2
    assert forgetful.n_computed == 2
    score.limit(tests=1)
    score.local("two")
    with pytest.raises(elcs.BudgetError, match="number of tests and scores"):
        score.local("two")
    again = pickle.loads(pickle.dumps(forgetful))
    assert again.local("a", ["ties", "two"]) == first
    assert again._cache_size == 0


def test_wrong_arguments() -> None:
    score = elcs.Blocks(drawn(0))
    with pytest.raises(elcs.DataError, match="no variable 'tow'; did you mean 'two'"):
        score.local("a", ["tow"])
    with pytest.raises(elcs.DataError, match="a variable appears twice"):
        score.local("a", ["two", "two"])
    with pytest.raises(elcs.ElcsError, match="cache_size must not be negative"):
        elcs.Blocks(drawn(0), cache_size=-1)
    with pytest.raises(elcs.DataError, match="infinite"):
        elcs.Blocks({"x": [0.5, 1.5, np.inf] * 20, "y": [0, 1, 0] * 20})


def with_gaps(seed: int, *, weighted: bool) -> elcs.Table:
    """Draw a table of which some columns lack values, some of them half of theirs."""
    rng = np.random.default_rng(seed)
    full = drawn(seed, weighted=weighted, rows=int(rng.integers(500, 1500)))
    columns: dict[str, Any] = {}
    for column in full.columns:
        held = np.array(column.levels)[column.codes] if isinstance(column, Discrete) else column.values
        values = held.astype(object)
        values[rng.random(full.n_rows) < rng.choice([0, 0, 0.05, 0.2, 0.5])] = None
        columns[column.name] = values.tolist()
    return elcs.Table.from_any(columns, weights=full.weights)


def reference_with_gaps(table: elcs.Table, child: str, parents: Sequence[str]) -> float:
    """Take parents off one by one, the weakest first, each on the rows that have all that are left."""
    weights = np.ones(table.n_rows, dtype=int) if table.weights is None else table.weights
    has = {column.name: ~np.repeat(column.missing, weights) for column in table.columns}
    blocks = {}
    for v in (child, *parents):
        of = block(table, v)
        blocks[v] = np.zeros((len(has[v]), of.shape[1]))
        blocks[v][has[v]] = of
    n, left, sum_of_gains = len(has[child]), sorted(parents), 0.0

    def unexplained(given: Sequence[str], rows: Matrix) -> float:
        y, *x = (blocks[v][rows] for v in (child, *given))
        y = stats.zscore(y[:, y.std(axis=0) > 0])
        if not x:
            return log_left(y, None)
        z = np.column_stack(x)
        return log_left(y, stats.zscore(z[:, z.std(axis=0) > 0]))

    def cost(parent: str, rows: int) -> float:
        telling = rows * np.outer(*(shares(blocks[v][has[v]]) for v in (child, parent)))
        return float(max(1, math.sqrt(rows / 500)) / 2 * np.log(np.maximum(telling, 10)).sum()) + math.log(
            len(table.names)
        )

    while left and not all(has[v].all() for v in (child, *left)):
        rows = np.all([has[v] for v in (child, *left)], axis=0)
        n_rows, whole = int(rows.sum()), unexplained(left, rows)
        gains = {
            v: n_rows / 2 * (unexplained([w for w in left if w != v], rows) - whole) - cost(v, n_rows) for v in left
        }
        weakest = min(left, key=gains.__getitem__)
        sum_of_gains += n / n_rows * gains[weakest]
        left.remove(weakest)
    rows = np.all([has[v] for v in (child, *left)], axis=0)
    return sum_of_gains - n / 2 * unexplained(left, rows) - sum(cost(v, n) for v in left)


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10**6), st.booleans(), st.data())
def test_with_gaps_it_is_what_plain_numpy_gives(seed: int, weighted: bool, data: st.DataObject) -> None:
    table = with_gaps(seed, weighted=weighted)
    child, *rest = data.draw(st.permutations(table.names))
    parents = rest[: data.draw(st.integers(0, 4))]
    found = elcs.Blocks(table).local(child, parents)
    assert found == pytest.approx(reference_with_gaps(table, child, parents), rel=1e-9, abs=1e-6)


def test_gaps_do_not_change_what_a_parent_is_worth() -> None:
    rng = np.random.default_rng(0)
    x, noise, z = rng.normal(size=(3, 4000))
    y = x + noise
    gone = rng.random((3, 4000)) < 0.2
    full = elcs.Blocks({"x": x, "y": y, "z": z})
    holes = elcs.Blocks({"x": np.where(gone[0], np.nan, x), "y": np.where(gone[1], np.nan, y), "z": z})
    for parents in (["x"], ["x", "z"]):
        gain = [score.local("y", parents) - score.local("y") for score in (full, holes)]
        assert gain[1] == pytest.approx(gain[0], rel=0.1)
    assert holes.local("y", ["x"]) - holes.local("y") == pytest.approx(holes.local("x", ["y"]) - holes.local("x"))
    assert holes.local("y", ["z"]) < holes.local("y")


def test_columns_that_lack_most_of_their_values_are_not_explained_by_chance() -> None:
    """Correlations over the rows that each two columns share once gave all of these eight parents."""
    rng = np.random.default_rng(3)
    table = {}
    for i in range(24):
        x = rng.normal(size=150)
        x[rng.random(150) < rng.choice([0, 0.1, 0.5, 0.8])] = np.nan
        table[f"x{i}"] = x
    graph = elcs.learn_graph(table)
    assert len(graph.directed) + len(graph.undirected) <= 3


def test_a_family_with_too_few_rows_is_worth_nothing() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 90))
    for n_rows, fits in ((36, True), (35, False)):  # six columns, and thirty more
        table = {"x": np.where(np.arange(90) < n_rows, x, np.nan), "y": np.where(np.arange(90) < n_rows, 2 * x, y)}
        score = elcs.Blocks(table | {"z": rng.normal(size=90)})
        assert (score.local("y", ["x"]) > score.local("y")) == fits
        assert np.isfinite(score.local("y", ["x", "z"]))


def made_of_causes(seed: int) -> tuple[dict[str, Any], set[tuple[str, str]]]:
    """Draw numbers and levels from a network: a > c < b, c > d > e, b > f."""
    rng = np.random.default_rng(seed)
    n = 2000
    a, b = rng.normal(size=(2, n))
    c = a + b + 0.7 * rng.normal(size=n)
    d = np.digitize(c + 0.5 * rng.normal(size=n), [-1, 1])
    e = d + 0.6 * rng.normal(size=n)
    f = np.where(b + 0.5 * rng.normal(size=n) > 0, "high", "low")
    table = {"f": f, "e": e, "d": np.array(["low", "medium", "high"])[d], "c": np.exp(c), "b": b, "a": a}
    return table, {("a", "c"), ("b", "c"), ("c", "d"), ("d", "e"), ("b", "f")}


@pytest.mark.parametrize("seed", range(5))
def test_mmhc_finds_the_network_behind_numbers_and_levels(seed: int) -> None:
    table, edges = made_of_causes(seed)
    found = elcs.learn_graph(table, method="mmhc")
    assert found.settings["score"] == "Blocks"
    assert nx.Graph([*found.directed, *found.undirected]).edges == nx.Graph(list(edges)).edges
    assert {("a", "c"), ("b", "c"), ("c", "d"), ("d", "e")} <= set(found.cpdag().directed)


@pytest.mark.parametrize("score", ["auto", lambda table: elcs.Blocks(table)])
def test_half_samples_in_other_processes(score: Any) -> None:
    result = elcs.learn(made_of_causes(0)[0], "c", method="mmhc", score=score)
    found = result.stability(4)
    assert {x for x, shares in found.shares.items() if shares.neighbour == 1} == {"a", "b", "d"}
    assert result.stability(4, n_jobs=2).shares == found.shares
    assert pickle.loads(pickle.dumps(result)).parents == result.parents


@pytest.mark.parametrize("method", ["s2tmb", "sll"])
def test_blankets_by_scores(method: str) -> None:
    table, _ = made_of_causes(1)
    assert set(elcs.blanket(table, "d", method=method).neighbours) == {"c", "e"}
    assert set(elcs.blanket(table, "a", method=method).markov_blanket) == {"c", "b"}


@pytest.mark.parametrize("levels", [20, 40])
def test_columns_of_many_levels(levels: int) -> None:
    """An edge at such a column is kept if it explains much, and there is none if it explains nothing."""
    rng = np.random.default_rng(levels)
    shop = rng.integers(0, levels, 1000)
    columns = {"shop": np.array([f"s{i}" for i in shop]), "noise": rng.normal(size=1000)}
    columns["kind"] = np.array(list("abcdef"))[rng.integers(0, 6, 1000)]
    columns["sales"] = rng.normal(size=levels)[shop] + 1.2 * rng.normal(size=1000)  # two fifths of the variance
    score = elcs.Blocks(columns)
    assert score.local("sales", ["shop"]) > score.local("sales")
    assert score.local("shop", ["sales"]) > score.local("shop")
    for name in ("noise", "kind"):
        assert score.local(name, ["shop"]) < score.local(name)
