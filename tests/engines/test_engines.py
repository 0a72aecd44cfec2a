"""The compiled engine is held to the reference engine, on every instruction set of the processor."""

from __future__ import annotations

import math
import os
import threading
from itertools import combinations
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import coded, datasets, rows_with

import elcs
from elcs.engines import Budget, MemoryEngine, ReferenceEngine, Rule, Verdict, _kernels

CPUS = _kernels.available_cpus()


def engine_on(cpu: str, data: elcs.Dataset, threads: int = 1) -> MemoryEngine:
    before = os.environ.get("ELCS_CPU")
    os.environ["ELCS_CPU"] = cpu
    try:
        return MemoryEngine(data, threads=threads)
    finally:
        if before is None:
            del os.environ["ELCS_CPU"]
        else:
            os.environ["ELCS_CPU"] = before


def draw_question(draw: st.DrawFn, n_columns: int) -> tuple[int, int, list[int]]:
    chosen = draw(st.permutations(range(n_columns)))
    return chosen[0], chosen[1], list(chosen[2 : 2 + draw(st.integers(0, 6))])


@st.composite
def cases(draw: st.DrawFn) -> tuple[elcs.Dataset, tuple[int, int, list[int]]]:
    data = draw(datasets(gaps=True))
    return data, draw_question(draw, len(data.names))


def check_answer(data: elcs.Dataset, engine: MemoryEngine, x: int, y: int, z: list[int], rule: Rule) -> None:
    expected, dof, verdict, *rest = ReferenceEngine(data).tester(rule, cache_size=0).test(x, y, z)
    tester = engine.tester(rule, cache_size=0)
    found = tester.test(x, y, z)
    assert found[0] == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert found[1] == dof
    assert list(found[3:]) == rest == [rows_with(data, (x, y, *z)).total, 1]
    if dof == 0 or abs(expected - rule.critical(dof)) > 1e-6:
        assert found[2] == verdict
        assert tester.independent(x, y, z) == (verdict == Verdict.INDEPENDENT)
        assert tester.association(x, y, z) == (found[0] if verdict == Verdict.DEPENDENT else 0.0)


@pytest.mark.parametrize("cpu", CPUS)
@pytest.mark.parametrize("statistic", ["g2", "chi2"])
@settings(max_examples=120, deadline=None)
@given(case=cases())
def test_statistics_agree(
    cpu: str, statistic: Literal["g2", "chi2"], case: tuple[elcs.Dataset, tuple[int, int, list[int]]]
) -> None:
    data, (x, y, z) = case
    check_answer(data, engine_on(cpu, data), x, y, z, Rule(statistic=statistic, rows_per_cell=0.05))


@pytest.mark.parametrize("cpu", CPUS)
@pytest.mark.parametrize("statistic", ["g2", "chi2"])
@settings(max_examples=60, deadline=None)
@given(data=datasets(gaps=True), pick=st.data())
def test_many_questions_that_share_a_set_are_answered_like_single_ones(
    cpu: str, statistic: Literal["g2", "chi2"], data: elcs.Dataset, pick: st.DataObject
) -> None:
    x, *rest = pick.draw(st.permutations(range(len(data.names))))
    runs = []
    for _ in range(2):
        given = rest[: pick.draw(st.integers(0, len(rest) - 1))]
        runs += [(x, y, given) for y in rest if y not in given] * 4
    width = max(len(given) for _, _, given in runs) + 2
    questions = np.array([[x, y, *z] + [-1] * (width - 2 - len(z)) for x, y, z in runs], dtype=np.int32)
    rule = Rule(statistic=statistic, rows_per_cell=1)
    single = engine_on(cpu, data).tester(rule, cache_size=0)
    expected = [single.test(*question) for question in runs]
    tester = engine_on(cpu, data).tester(rule, cache_size=0)
    found = tester.test_many(questions, skip_unreliable=False)
    assert list(zip(*[a.tolist() for a in found[:3]], strict=True)) == [a[:3] for a in expected]
    assert np.broadcast_to(found[3], len(runs)).tolist() == [a[3] for a in expected]
    if data.incomplete == ():
        assert found[3:] == (data.total, 1)
    skipped = zip(*[a.tolist() for a in tester.test_many(questions, skip_unreliable=True)[:3]], strict=True)
    assert list(skipped) == [a[:3] if a[2] != Verdict.UNRELIABLE else (0.0, 0, a[2]) for a in expected]


def test_a_budget_that_ends_many_questions_leaves_nothing_behind() -> None:
    rng = np.random.default_rng(5)
    data = coded([rng.integers(0, 3, 500) for _ in range(9)], [3] * 9)
    tester = MemoryEngine(data).tester(Rule(), cache_size=0)
    expected = tester.test(0, 1, [2])
    tester.budget = Budget(tests=3)
    with pytest.raises(elcs.BudgetError):
        tester.test_many(np.array([[0, y, 8] for y in range(1, 8)], dtype=np.int32), skip_unreliable=False)
    tester.budget = Budget()
    assert tester.test(0, 1, [2]) == expected


@pytest.mark.parametrize("cpu", CPUS)
@pytest.mark.parametrize("statistic", ["g2", "chi2"])
@settings(max_examples=60, deadline=None)
@given(case=cases())
def test_rows_with_gaps_might_as_well_not_be_there(
    cpu: str, statistic: Literal["g2", "chi2"], case: tuple[elcs.Dataset, tuple[int, int, list[int]]]
) -> None:
    data, (x, y, z) = case
    rule = Rule(statistic=statistic, rows_per_cell=1)
    found, expected = (
        engine_on(cpu, some).tester(rule, cache_size=0).test(x, y, z) for some in (data, rows_with(data, (x, y, *z)))
    )
    assert found == expected  # to the last bit


@pytest.mark.parametrize("cpu", CPUS)
@settings(max_examples=80, deadline=None)
@given(data=datasets(gaps=True), pick=st.data())
def test_counts_agree(cpu: str, data: elcs.Dataset, pick: st.DataObject) -> None:
    most = pick.draw(st.integers(1, len(data.names)))
    variables = pick.draw(st.permutations(range(len(data.names))))[:most]
    while math.prod(len(data.levels[v]) for v in variables) > 1e6:
        variables = variables[1:]
    engine = engine_on(cpu, data)
    np.testing.assert_array_equal(engine.counts(variables), ReferenceEngine(data).counts(variables))


@pytest.mark.parametrize("cpu", CPUS)
@pytest.mark.parametrize("n_rows", [0, 1, 63, 64, 65, 511, 512, 513, 8191, 8193, 32768, 32769, 100_000])
def test_sizes_around_the_blocks(cpu: str, n_rows: int) -> None:
    rng = np.random.default_rng(n_rows)
    levels = [2, 3, 4, 5, 3, 2, 40, 300]
    data = coded([(r * rng.random(n_rows) ** 2).astype(int) for r in levels], levels)
    engine = engine_on(cpu, data)
    for z in [[], [2], [2, 3], [2, 3, 4], [2, 3, 4, 5], [6], [7], [6, 4], [2, 3, 4, 5, 6]]:
        check_answer(data, engine, 0, 1, z, Rule())
    check_answer(data, engine, 6, 7, [], Rule())
    check_answer(data, engine, 6, 1, [7], Rule())


@pytest.mark.parametrize("cpu", CPUS)
@pytest.mark.parametrize("gaps", [False, True])
def test_threads_change_nothing(cpu: str, gaps: bool) -> None:
    n_rows = 1_100_003
    rng = np.random.default_rng(1)
    levels = [3, 3, 3, 20, 20]
    data = coded([rng.integers(0, r + gaps, n_rows) for r in levels], levels)
    one, three = engine_on(cpu, data), engine_on(cpu, data, threads=3)
    for variables in [(0, 1), (0, 1, 2), (3, 4), (3, 4, 0), (0, 3)]:
        np.testing.assert_array_equal(one.counts(variables), three.counts(variables))
        assert one.counts(variables).sum() == rows_with(data, variables).n_rows


@given(data=datasets(most_rows=300, most_levels=6, gaps=True), pick=st.data())
def test_sums_of_terms_equal_the_reference(data: elcs.Dataset, pick: st.DataObject) -> None:
    variables = pick.draw(st.permutations(range(len(data.names))))[:4]
    of_cells, of_configurations = np.random.default_rng(0).random((2, data.total + 1))
    expected = ReferenceEngine(data).family_sum(variables, of_cells, of_configurations)
    found = MemoryEngine(data).family_sum(variables, of_cells, of_configurations)
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)
    with pytest.raises(ValueError, match="a term is needed for each number of rows"):
        MemoryEngine(data).family_sum(variables, of_cells, of_configurations[:-1])


@pytest.mark.parametrize("cpu", CPUS)
@pytest.mark.parametrize("n_rows", [1, 63, 700, 5000, 100_000])
def test_a_mask_of_rows_equals_the_rows_taken(cpu: str, n_rows: int) -> None:
    rng = np.random.default_rng(n_rows)
    levels = [2, 3, 4, 2, 5, 70, 300]
    columns = [np.minimum(rng.integers(0, r, n_rows), rng.integers(0, r, n_rows)) for r in levels]
    mask = rng.random(n_rows) < 0.5
    data = coded(columns, levels, mask), coded([column[mask] for column in columns], levels)
    masked, taken = (engine_on(cpu, some) for some in data)
    for variables in ([0], [5], [0, 1], [2, 6], [0, 1, 2], [5, 6, 0], [0, 1, 2, 3, 4]):
        assert np.array_equal(masked.counts(variables), taken.counts(variables))
    questions = [(0, y, *given, -1, -1, -1)[:5] for given in ((), (2,), (2, 4), (5, 6)) for y in (1, 3)]
    questions += [(0, y, 2, -1, -1) for y in (1, 3, 4, 5, 6)]  # enough alike to share a split
    for rule in (Rule(), Rule("chi2")):
        testers = [engine.tester(rule, cache_size=0) for engine in (masked, taken)]
        found, expected = (tester.test_many(np.array(questions, dtype=np.int32), False) for tester in testers)
        assert found[0] == pytest.approx(expected[0], rel=1e-12, abs=1e-9)
        assert found[1].tolist() == expected[1].tolist()
        assert found[2].tolist() == expected[2].tolist()


def test_weights_equal_repeated_rows() -> None:
    rng = np.random.default_rng(2)
    levels = [2, 3, 4, 3]
    columns = [rng.integers(0, r, 200) for r in levels]
    weights = rng.integers(1, 30, 200)
    weighted = MemoryEngine(coded(columns, levels, weights)).tester(Rule(), cache_size=0)
    repeated = MemoryEngine(coded([np.repeat(c, weights) for c in columns], levels)).tester(Rule(), cache_size=0)
    for z in [[], [2], [2, 3]]:
        assert weighted.test(0, 1, z) == repeated.test(0, 1, z)


def test_statistics_do_not_lose_digits_on_large_samples() -> None:
    # Two independent variables, ten million rows, exactly as expected but for one row moved.
    weights = np.array([2_500_001, 2_499_999, 2_500_000, 2_500_000])
    data = coded([[0, 0, 1, 1], [0, 1, 0, 1]], [2, 2], weights)
    statistic, dof, *_ = MemoryEngine(data).tester(Rule(), cache_size=0).test(0, 1, [])
    assert dof == 1
    assert statistic == pytest.approx(4.0e-7, rel=2e-3)


@settings(max_examples=60, deadline=None)
@given(data=datasets(most_rows=600, most_levels=6, gaps=True), pick=st.data())
def test_separator_is_the_sequential_search(data: elcs.Dataset, pick: st.DataObject) -> None:
    x, y, *rest = pick.draw(st.permutations(range(len(data.names))))
    among = rest[: pick.draw(st.integers(0, len(rest)))]
    containing = [v for v in among if pick.draw(st.booleans())]
    first = pick.draw(st.integers(0, 2))
    sizes = list(range(first, pick.draw(st.integers(first, 5))))
    rule = Rule(alpha=0.2, rows_per_cell=1)
    tester = MemoryEngine(data).tester(rule, cache_size=pick.draw(st.sampled_from([0, 1000])))
    found = tester.separator(x, y, among, sizes, containing)

    asked, expected = 0, None
    one = MemoryEngine(data).tester(rule, cache_size=0)
    for subset in (s for size in sizes for s in combinations(range(len(among)), size)):
        if containing and not {among[i] for i in subset} & set(containing):
            continue
        asked += 1
        if one.independent(x, y, [among[i] for i in subset]):
            expected = list(subset)
            break
    assert (found, tester.asked) == (expected, asked)
    reference = ReferenceEngine(data).tester(rule, cache_size=0)
    assert reference.separator(x, y, among, sizes, containing) == expected
    assert reference.asked == asked


def small_engine() -> MemoryEngine:
    rng = np.random.default_rng(3)
    return MemoryEngine(coded([rng.integers(0, 2, 500) for _ in range(12)], [2] * 12))


def test_cache_is_exact_bounded_and_optional() -> None:
    engine = small_engine()
    plain, cached, tiny = (engine.tester(Rule(), cache_size=size) for size in (0, 10_000, 5))
    questions = [(x, y, z) for x, y, *z in (*combinations(range(12), 3), *combinations(range(12), 2)) for _ in (1, 2)]
    for x, y, z in questions:
        assert plain.test(x, y, z) == cached.test(x, y, z) == tiny.test(x, y, z)
    assert plain.computed == plain.asked == cached.asked == tiny.asked == len(questions)
    assert cached.computed == tiny.computed == len(questions) // 2
    cached.test(1, 0, [5, 3])
    before = cached.computed
    assert cached.test(0, 1, [3, 5]) == cached.test(1, 0, [5, 3])
    assert cached.computed == before
    cached.clear_cache()
    cached.test(0, 1, [3, 5])
    assert cached.computed == before + 1


def test_cache_survives_growth() -> None:
    engine = small_engine()
    tester = engine.tester(Rule(), cache_size=1 << 20)
    questions = [(x, y, z) for x, y, *z in combinations(range(12), 6)] * 2
    answers = [tester.test(x, y, z) for x, y, z in questions]
    assert answers[: len(questions) // 2] == answers[len(questions) // 2 :]
    assert tester.computed == len(questions) // 2 > 512


@pytest.mark.parametrize("make", [MemoryEngine, ReferenceEngine])
def test_budgets(make: type[MemoryEngine] | type[ReferenceEngine]) -> None:
    rng = np.random.default_rng(4)
    columns = [rng.integers(0, 2, 400) for _ in range(13)]
    tester = make(coded([columns[0], *columns], [2] * 14)).tester(Rule(), cache_size=0)
    tester.budget = Budget(tests=3)
    with pytest.raises(elcs.BudgetError, match="number of tests"):
        tester.separator(0, 1, list(range(2, 14)), [1, 2, 3], [])
    assert tester.asked == 3
    tester.budget = Budget(seconds=0.0)
    with pytest.raises(elcs.BudgetError, match="time"):
        tester.test(0, 1, [2])
    tester.budget = Budget()
    tester.test(0, 1, [2])


def test_threads_of_python_may_share_a_tester() -> None:
    tester = small_engine().tester(Rule(), cache_size=50)
    questions = [(x, y, z) for x, y, *z in combinations(range(12), 3)]
    expected = [tester.test(x, y, z) for x, y, z in questions]
    wrong: list[int] = []

    def work() -> None:
        for (x, y, z), answer in zip(questions * 5, expected * 5, strict=True):
            if tester.test(x, y, z) != answer:
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert tester.asked == len(questions) * 21


@pytest.mark.parametrize(
    ("x", "y", "z", "error"),
    [(0, 0, [], ValueError), (0, 1, [1], ValueError), (0, 1, [2, 2], ValueError), (0, 99, [], IndexError)],
)
def test_impossible_questions(x: int, y: int, z: list[int], error: type[Exception]) -> None:
    with pytest.raises(error):
        small_engine().tester(Rule(), cache_size=10).test(x, y, z)


def test_the_kernel_checks_its_input() -> None:
    codes = np.array([0, 1, 2], dtype=np.uint8)
    for levels, gaps in ((2, False), (1, True)):
        with pytest.raises(ValueError, match="number of levels"):
            _kernels.Table([codes], [levels], [gaps], None, 1)
    with pytest.raises(ValueError, match="uint8 or uint16"):
        _kernels.Table([codes.astype(np.int64)], [3], [False], None, 1)  # type: ignore[list-item]
    with pytest.raises(ValueError, match="differ in length"):
        _kernels.Table([codes, codes[:2].copy()], [3, 3], [False, False], None, 1)
    with pytest.raises(ValueError, match="whether it has gaps"):
        _kernels.Table([codes], [3], [], None, 1)


def test_an_unknown_cpu_is_refused() -> None:
    with pytest.raises(ValueError, match="offers: baseline"):
        engine_on("z80", coded([[0, 1], [0, 1]], [2, 2]))


def test_tables_too_large_are_refused() -> None:
    data = coded([[0, 299]] * 5, [300] * 5)
    for engine in (MemoryEngine(data), ReferenceEngine(data)):
        with pytest.raises(elcs.DataError, match="2,430,000,000,000 cells"):
            engine.counts([0, 1, 2, 3, 4])
