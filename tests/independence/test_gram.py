"""Tests on correlations give what plain numpy gives, row by row."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats
from scipy.special import ndtri

import elcs
from elcs.data import Discrete

Matrix = NDArray[np.float64]


def scores(values: Matrix) -> Matrix:
    """Normal scores among the values that are there."""
    there = ~np.isnan(values)
    ranks = stats.rankdata(values[there])
    u: Matrix = np.full(len(values), np.nan)
    u[there] = ndtri((ranks - 0.5) / len(ranks))
    scaled: Matrix = (u - np.nanmean(u)) / np.nanstd(u)
    return scaled


def blocks(table: elcs.Table, i: int, kind: str) -> dict[str, Matrix]:
    """The columns of a variable, a row for each observation; NaN where it has no value."""
    weights = np.ones(table.n_rows, dtype=int) if table.weights is None else table.weights
    column = table.columns[i]
    if isinstance(column, Discrete) and kind != "fisher":
        codes = np.repeat(column.codes, weights).astype(int)
        counts = np.bincount(codes, minlength=len(column.levels))[: len(column.levels)]
        frequent = sorted((level for level in range(len(counts)) if counts[level]), key=lambda level: -counts[level])
        shown = sorted(frequent[1:] if len(frequent) <= 31 else frequent[:30])
        indicators = np.column_stack([codes == level for level in shown] or [np.zeros((len(codes), 0))]).astype(float)
        indicators[codes == len(column.levels)] = np.nan
        return dict.fromkeys(("plain", "expanded", "given"), indicators)
    values = np.repeat(column.numbers(), weights)
    if kind not in ("mixed", "careful"):
        return dict.fromkeys(("plain", "expanded", "given"), values[:, None])
    u = scores(values)
    levels, counts = np.unique(values[~np.isnan(values)], return_counts=True)
    most = levels[counts.argmax()]
    spike = [values == most] if 0.2 <= counts.max() / counts.sum() < 1 else []
    return {
        "plain": u[:, None],
        "expanded": np.column_stack([u, u**2 - 1, *spike]),
        "given": np.column_stack([u, u**2 - 1, u**3 - 3 * u, *spike]),
    }


def residuals(columns: Matrix, on: Matrix) -> Matrix:
    columns, on = columns - columns.mean(axis=0), on - on.mean(axis=0)
    columns = columns / np.maximum(columns.std(axis=0), 1e-300)
    return columns - on @ np.linalg.lstsq(on, columns, rcond=None)[0] if on.shape[1] else columns


def measure(left: Matrix, right: Matrix, on: Matrix, kind: str) -> tuple[float, int]:
    """Return the statistic and its degrees of freedom by canonical correlations of residuals."""
    n, r = len(left), np.linalg.matrix_rank(on - on.mean(axis=0)) if on.shape[1] else 0
    a, b = (np.linalg.svd(residuals(side, on), full_matrices=False)[0] for side in (left, right))
    c = np.linalg.svd(a.T @ b, compute_uv=False)
    dof = a.shape[1] * b.shape[1]
    if kind in ("mixed", "careful"):
        return (n - 1 - r) * float((c**2).sum()), dof
    if kind == "dg":
        return -n * float(np.log1p(-(c**2)).sum()), dof
    return (n - r - 3) * float(np.arctanh(c[0])) ** 2, dof


def held_fixed(held: list[dict[str, Matrix]], n: int, kind: str) -> Matrix:
    """Return the columns that a conditioning set is held fixed by, in n rows."""
    on = np.column_stack([np.zeros((n, 0)), *(z["given"] for z in held)])
    if kind == "careful":
        pairs = [(len(z["plain"].T) * len(w["plain"].T), z["plain"], w["plain"]) for z, w in combinations(held, 2)]
        for width in sorted({width for width, *_ in pairs if width <= 25}):
            both = [a * b for n_columns, z, w in pairs if n_columns == width for a in z.T for b in w.T]
            if len(on.T) + len(both) > min(n / 10, 64):
                break
            on = np.column_stack([on, *both])
    return on


def reference(table: elcs.Table, x: int, y: int, given_: list[int], kind: str) -> tuple[float, int]:
    """Return the p-value, and the rows that have all of the variables."""
    every = [blocks(table, v, kind) for v in (x, y, *given_)]
    there = ~np.any([np.isnan(block["given"]).any(axis=1) for block in every], axis=0)
    one, other, *held = [{name: columns[there] for name, columns in block.items()} for block in every]
    n = int(there.sum())
    on = held_fixed(held, n, kind)
    pairs = [(one["expanded"], other["expanded"])]
    if all(len(side["plain"].T) < len(side["expanded"].T) for side in (one, other)):
        pairs = [(one["expanded"], other["plain"]), (one["plain"], other["expanded"])]
    tails = []
    for left, right in pairs:
        statistic, dof = measure(left, right, on, kind)
        tails.append(stats.chi2.sf(statistic, dof))
    return float(min(1.0, len(pairs) * min(tails))), n


TESTS = {"mixed": elcs.Mixed, "careful": elcs.Careful, "dg": elcs.DegenerateGaussian, "fisher": elcs.FisherZ}


def drawn(seed: int, *, weighted: bool, numbers_only: bool, missing: float = 0.0) -> elcs.Table:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(100, 900))
    base = rng.normal(size=(n, 5))
    base[:, 1] += base[:, 0]
    base[:, 3] = base[:, 3] ** 3 + base[:, 1]
    base[:, 4] = np.where(rng.random(n) < 0.4, 0.0, base[:, 4])
    table: dict[str, Any] = {f"n{i}": base[:, i] for i in range(5)}
    if not numbers_only:
        table["two"] = (base[:, 0] + rng.normal(size=n) > 0).astype(int)
        table["four"] = np.array(list("abcd"))[np.digitize(base[:, 2] + rng.normal(size=n), [-1, 0, 1])]
        table["six"] = np.array(list("uvwxyz"))[np.digitize(base[:, 1] + rng.normal(size=n), [-2, -1, 0, 1, 2])]
        if n >= 500:  # with fewer rows it would be left out
            table["forty"] = [f"level {i}" for i in (40 * rng.random(n) ** 2).astype(int)]
    if missing:
        table = {name: [None if rng.random() < missing else x for x in column] for name, column in table.items()}
        table["n1"] = base[:, 1]  # not all variables have gaps
    return elcs.Table.from_any(table, weights=rng.integers(0, 4, n) if weighted else None)


@settings(deadline=None, max_examples=60)
@given(
    st.sampled_from(sorted(TESTS)), st.integers(0, 10**6), st.booleans(), st.sampled_from([0.0, 0.02, 0.1]), st.data()
)
def test_p_values_are_those_of_plain_numpy(
    kind: str, seed: int, weighted: bool, missing: float, data: st.DataObject
) -> None:
    table = drawn(seed, weighted=weighted, numbers_only=kind == "fisher", missing=missing)
    ci = TESTS[kind](table)
    for _ in range(3):  # what is remembered of one question must not spoil the next
        x, y, *rest = data.draw(st.permutations(range(len(table.names))))
        z = rest[: data.draw(st.integers(0, 3))]
        found = ci.test(table.names[x], table.names[y], [table.names[i] for i in z])
        expected, n_rows = reference(table, x, y, z, kind)
        assert found.n_rows == n_rows
        assert found.reliable
        assert found.p_value == pytest.approx(expected, rel=0, abs=1e-9)
        assert found.p_value == pytest.approx(expected, rel=1e-7, abs=1e-12)  # small ones too
        assert found.independent == (found.p_value >= 0.01) or found.p_value == pytest.approx(0.01)


@pytest.mark.parametrize("kind", sorted(TESTS))
def test_half_samples_rest_on_the_rows_of_the_half(kind: str) -> None:
    table = drawn(3, weighted=False, numbers_only=kind == "fisher", missing=0.1)
    half, _ = table.halves(np.random.default_rng(0))
    found = TESTS[kind](half).test("n0", "n3", ["n1", "n2"])
    expected, n_rows = reference(half, 0, 3, [1, 2], kind)
    assert found.n_rows == n_rows < half.total
    assert found.p_value == pytest.approx(expected, rel=1e-8)


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(sorted(TESTS)), st.integers(0, 10**6), st.booleans(), st.data())
def test_partial_correlations_are_those_of_plain_numpy(
    kind: str, seed: int, weighted: bool, data: st.DataObject
) -> None:
    table = drawn(seed, weighted=weighted, numbers_only=kind == "fisher")
    x, y, *rest = data.draw(st.permutations(range(len(table.names))))
    z = rest[: data.draw(st.integers(0, 3))]
    ci = TESTS[kind](table)
    before = ci.n_asked
    found = ci.correlation(table.names[x], table.names[y], [table.names[i] for i in z])
    assert ci.n_asked == before
    if {"four", "six", "forty"} & {table.names[x], table.names[y]}:
        assert found is None
        return
    sides = [blocks(table, i, kind)["plain"] for i in (x, y)]
    for side, i in zip(sides, (x, y), strict=True):
        if kind != "fisher" and table.names[i] == "two":  # the second level counts, whichever is shown
            side[:] = np.repeat(table.columns[i].numbers(), 1 if table.weights is None else table.weights)[:, None]
    on = held_fixed([blocks(table, i, kind) for i in z], len(sides[0]), kind)
    left, right = (residuals(side, on)[:, 0] for side in sides)
    assert found == pytest.approx(float(np.corrcoef(left, right)[0, 1]), abs=1e-8)


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
@pytest.mark.parametrize("test", [elcs.Mixed, elcs.DegenerateGaussian])
def test_the_sign_is_that_of_the_second_level_however_frequent_it_is(test: type[elcs.Mixed], share: float) -> None:
    age = np.linspace(20.5, 80, 100)
    table = {
        "age": age,
        "churn": np.where(np.arange(100) >= 100 * (1 - share), "yes", "no"),
        "three": list("abca") * 25,
    }
    ci = test(table)
    r, back = ci.correlation("age", "churn"), ci.correlation("churn", "age")
    assert r is not None
    assert r > 0.6
    assert r == back
    assert ci.correlation("age", "three") is None
    flipped = test({**table, "churn": np.where(table["churn"] == "yes", "ja", "nein")})
    assert flipped.correlation("age", "churn") == pytest.approx(-r)


def test_what_has_no_correlation_has_none() -> None:
    table = {"a": [0, 1] * 40, "b": [0, 0, 1, 1] * 20}
    assert elcs.G2(table).correlation("a", "b") is None
    assert elcs.Mixed({"a": np.arange(80) / 3, "b": np.arange(80) / 7}).correlation("a", "b") == pytest.approx(1)
    with pytest.raises(elcs.ElcsError, match="no variable 'bbb'"):
        elcs.G2(table).correlation("a", "bbb")
    with pytest.raises(elcs.ElcsError, match="appears twice"):
        elcs.Mixed(table).correlation("a", "a")
    a = np.arange(80) % 7 + 0.5
    assert elcs.Mixed({"a": a, "b": 2 * a, "c": np.arange(80) / 7}).correlation("a", "c", ["b"]) is None


@pytest.mark.parametrize("n", [400, 40_000])
def test_strengths_do_not_depend_on_the_test_nor_on_the_rows(n: int) -> None:
    rng = np.random.default_rng(n)
    x = rng.normal(size=n)
    y = 0.6 * x + 0.8 * rng.normal(size=n)
    for test in (elcs.Mixed, elcs.FisherZ, elcs.DegenerateGaussian):
        ci = test({"x": x, "y": y})
        r = ci.correlation("x", "y")
        assert r is not None
        assert ci.strength(ci.test("x", "y")) == pytest.approx(r, abs=0.05 if test is elcs.Mixed else 1e-9)
        assert r == pytest.approx(0.6, abs=0.08)
    levels = {"x": x > 0, "y": y > 0}
    by_counts, pearson, by_trace = (test(levels) for test in (elcs.G2, elcs.Chi2, elcs.Mixed))
    strengths = [ci.strength(ci.test("x", "y")) for ci in (by_counts, pearson, by_trace)]
    phi = by_trace.correlation("x", "y")
    assert phi is not None
    assert strengths == pytest.approx([phi] * 3, abs=0.02)
    nothing = elcs.DSeparation(nx.DiGraph([("x", "y")]))
    assert nothing.strength(nothing.test("x", "y")) is None


def test_two_discrete_columns_give_pearsons_test() -> None:
    table = elcs.Table.from_any(elcs.data.SAMPLE)
    mixed, pearson = elcs.Mixed(table), elcs.Chi2(table)
    for y in ("churn", "age", "outages", "support_calls"):
        one, other = mixed.test("satisfaction", y), pearson.test("satisfaction", y)
        assert one.statistic == pytest.approx(other.statistic * (table.total - 1) / table.total, rel=1e-9)
        assert one.dof == other.dof


@pytest.mark.parametrize("kind", ["mixed", "dg", "fisher"])
def test_collinear_columns_lower_the_rank_and_nothing_vanishes(kind: str) -> None:
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 500))
    table = {"a": a, "twice": 2 * a, "b": b, "effect": a + b + 0.5 * rng.normal(size=500)}
    ci = TESTS[kind](table)
    determined = ci.test("a", "effect", ["twice"])
    assert (determined.dof, determined.reliable, determined.independent) == (0, False, False)
    doubled = ci.test("b", "effect", ["a", "twice"])
    assert doubled.dof == ci.test("b", "effect", ["a"]).dof
    assert doubled.statistic == pytest.approx(ci.test("b", "effect", ["a"]).statistic, rel=0.01)
    assert ci.association("a", "twice") > 100
    assert np.isfinite(ci.test("a", "twice").statistic)


def test_a_sum_of_what_is_held_fixed_is_recognised_though_ranks_hide_it() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.standard_exponential((2, 1000))
    ci = elcs.Mixed({"a": a, "b": b, "total": a + b, "effect": a + 0.5 * rng.normal(size=1000), "side": b > 1})
    determined = ci.test("a", "effect", ["total", "b"])
    assert (determined.dof, determined.reliable, determined.independent) == (0, False, False)
    assert ci.test("a", "effect", ["total"]).reliable
    assert ci.test("a", "effect", ["total", "side"]).reliable
    assert "a" in elcs.blanket(ci, "effect").neighbours


def test_too_few_rows_are_not_trusted() -> None:
    rng = np.random.default_rng(0)
    table = {name: rng.normal(size=15) for name in "abcd"}
    ci = elcs.Mixed(table)
    assert ci.test("a", "b").reliable
    assert not ci.test("a", "b", ["c"]).reliable


def test_half_samples_and_processes_know_these_tests() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=800)
    table = {
        "x": x,
        "y": x + 0.3 * rng.normal(size=800),
        "z": rng.normal(size=800),
        "side": x + rng.normal(size=800) > 0,
    }
    result = elcs.blanket(table, "x", ci_test="mixed")
    assert "y" in result.neighbours
    found = result.stability(4)
    assert found.shares["y"].neighbour == 1
    assert result.stability(4, n_jobs=2).shares == found.shares


def test_fishers_test_wants_numbers() -> None:
    with pytest.raises(elcs.DataError, match="'b' holds levels, not numbers; choose ci_test='careful'"):
        elcs.FisherZ({"a": [0.5, 1.5] * 20, "b": list("xy") * 20})
    assert elcs.FisherZ({"a": [0.5, 1.5] * 20, "n": [*range(0, 78, 2), 0]}).test("a", "n").dof == 1


@pytest.mark.parametrize("kind", sorted(TESTS))
def test_numbers_without_end_are_refused_and_large_ones_are_not(kind: str) -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 200))
    with pytest.raises(elcs.DataError, match="column 'x' holds infinite numbers"):
        TESTS[kind]({"x": np.where(x > 2, np.inf, x), "y": y})
    usual = TESTS[kind]({"x": x, "y": x + y, "z": y}).test("x", "y", ["z"])
    for factor in (1e200, 1e-200):
        scaled = TESTS[kind]({"x": x * factor, "y": x + y, "z": y * factor}).test("x", "y", ["z"])
        assert scaled.statistic == pytest.approx(usual.statistic, rel=1e-6)


def test_the_clock_is_heeded_between_tests_that_go_through_many_rows() -> None:
    rng = np.random.default_rng(0)
    ci = elcs.Careful({f"v{i}": rng.normal(size=100_000) for i in range(12)})
    pairs = list(combinations(ci.variables, 2))
    questions = [(x, y, z) for x, y in pairs for z in pairs if not {x, y} & {*z}]
    ci.budget = elcs.engines.Budget(None, 0.03)
    with pytest.raises(elcs.BudgetError, match="time"):
        ci.test_many(questions)  # thousands, of which each needs products that no other has needed
