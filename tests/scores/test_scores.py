"""Local scores against sums done by hand, against formulas that share nothing with the code, and as a whole."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from making import all_dags, coded, datasets, rows_with

import elcs
from elcs.engines import MemoryEngine
from elcs.scores import BIC, BDeu, CountedScore, base

FOUR_ROWS = {"x": [0, 0, 1, 1], "y": [0, 0, 1, 1]}

Told = Callable[[elcs.Dataset, int, Sequence[int]], float]
"""The score of a family on some rows."""


def rows_of(data: elcs.Dataset, child: int, parents: Sequence[int]) -> list[tuple[tuple[int, ...], int, int]]:
    """Return, row by row, the levels of the parents, that of the child, and the weight."""
    weights = np.ones(data.n_rows, dtype=int) if data.weights is None else data.weights
    table = [data.codes[v].tolist() for v in (*parents, child)]
    return [(row[:-1], row[-1], int(w)) for row, w in zip(zip(*table, strict=True), weights, strict=True) if w]


def urn(data: elcs.Dataset, child: int, parents: Sequence[int], ess: float) -> float:
    """BDeu as the chance of foretelling one row after the other, from those before it."""
    n_levels, n_configurations = len(data.levels[child]), math.prod(len(data.levels[v]) for v in parents)
    seen: Counter[tuple[int, ...]] = Counter()
    told = 0.0
    for configuration, level, weight in rows_of(data, child, parents):
        for _ in range(weight):
            favourable = ess / n_configurations / n_levels + seen[(*configuration, level)]
            told += math.log(favourable / (ess / n_configurations + seen[configuration]))
            seen[(*configuration, level)] += 1
            seen[configuration] += 1
    return told


def likelihood(data: elcs.Dataset, child: int, parents: Sequence[int]) -> float:
    """The logarithm of the likelihood as the sum of what each row contributes."""
    rows = rows_of(data, child, parents)
    cells: Counter[tuple[int, ...]] = Counter()
    for configuration, level, weight in rows:
        cells[(*configuration, level)] += weight
        cells[configuration] += weight
    return sum(w * math.log(cells[(*c, level)] / cells[c]) for c, level, w in rows)


def price(data: elcs.Dataset, child: int, parents: Sequence[int]) -> float:
    """What BIC asks for the parameters."""
    parameters = (len(data.levels[child]) - 1) * math.prod(len(data.levels[v]) for v in parents)
    return parameters * math.log(max(data.total, 1)) / 2


def test_by_hand() -> None:
    bdeu, bic = BDeu(FOUR_ROWS, ess=1), BIC(FOUR_ROWS)
    # Foretelling x x y y with half a row of each to begin with: 1/2 * 3/4 * 1/6 * 3/8 = 3/128.
    assert bdeu.local("y") == pytest.approx(math.log(3 / 128))
    # With a quarter of a row for each level and each value of x, twice: 1/2 * 5/6 = 5/12.
    assert bdeu.local("y", ["x"]) == pytest.approx(2 * math.log(5 / 12))
    # A fair coin tossed four times, one parameter; then nothing left to chance, two parameters.
    assert bic.local("y") == pytest.approx(4 * math.log(1 / 2) - math.log(4) / 2)
    assert bic.local("y", ["x"]) == pytest.approx(-math.log(4))


@settings(max_examples=60, deadline=None)
@given(data=datasets(most_rows=60, most_levels=300), ess=st.sampled_from([0.1, 1.0, 10.0]), choice=st.randoms())
def test_formulas_that_share_nothing(data: elcs.Dataset, ess: float, choice: object) -> None:
    family = choice.sample(range(len(data.names)), choice.randint(1, len(data.names)))  # type: ignore[attr-defined]
    child, parents = family[0], family[1:]
    names = data.names[child], [data.names[v] for v in parents]
    assert BDeu(data, ess=ess).local(*names) == pytest.approx(urn(data, child, parents, ess), rel=1e-9, abs=1e-7)
    expected = likelihood(data, child, parents) - price(data, child, parents)
    assert BIC(data).local(*names) == pytest.approx(expected, rel=1e-9, abs=1e-7)


def weakest_first(data: elcs.Dataset, child: int, parents: Sequence[int], told: Told) -> float:
    """What parents add where values are missing, each on the rows that have all that are left."""
    left, added = list(parents), 0.0
    while left and any(data.columns[v].incomplete for v in (child, *left)):
        rows = rows_with(data, [child, *left])
        gains = {v: told(rows, child, left) - told(rows, child, [w for w in left if w != v]) for v in left}
        ranks = {v: gain * 2**20 for v, gain in gains.items()}
        near = [rank for rank in ranks.values() if rank < min(ranks.values()) + 10]
        assume(all(abs(rank % 1 - 0.5) > 0.01 for rank in near))  # else the last bits of a sum decide how it is rounded
        weakest = min(left, key=lambda v: (round(ranks[v]), data.names[v]))
        more = data.total / rows.total - 1 if rows.total else 0.0
        added += gains[weakest] + more * (gains[weakest] - math.log(len(data.names)))
        left.remove(weakest)
    return added + told(rows_with(data, [child]), child, left)


@settings(max_examples=60, deadline=None)
@given(data=datasets(most_rows=80, most_levels=300, gaps=True), choice=st.randoms())
def test_what_parents_with_gaps_add_is_measured_on_the_same_rows(data: elcs.Dataset, choice: object) -> None:
    family = choice.sample(range(len(data.names)), choice.randint(1, len(data.names)))  # type: ignore[attr-defined]
    child, parents = family[0], family[1:]
    names = data.names[child], [data.names[v] for v in parents]

    def bic(rows: elcs.Dataset, child: int, parents: Sequence[int]) -> float:
        return likelihood(rows, child, parents) - price(data, child, parents)

    formulas: list[tuple[CountedScore, Told]] = [(BDeu(data), partial(urn, ess=1.0)), (BIC(data), bic)]
    for score, told in formulas:
        expected = weakest_first(data, child, parents, told)
        assert score.local(*names) == pytest.approx(expected, rel=1e-9, abs=1e-7)
        assert score.families.scores(child, [parents])[0] == pytest.approx(expected, rel=1e-9, abs=1e-7)


@pytest.mark.parametrize("make", [BDeu, BIC])
def test_what_two_variables_tell_about_each_other_is_worth_the_same_both_ways(make: type[CountedScore]) -> None:
    rng = np.random.default_rng(3)
    a = rng.integers(0, 3, 400)
    b = (a + rng.integers(0, 2, 400)) % 4
    a[rng.random(400) < 0.5] = 3
    b[rng.random(400) < 0.1] = 4
    score = make(coded([a, b], [3, 4]))
    assert score.local("V0", ["V1"]) - score.local("V0") == pytest.approx(score.local("V1", ["V0"]) - score.local("V1"))


@pytest.mark.parametrize("make", [BDeu, BIC])
def test_gaps_elsewhere_change_nothing(make: type[CountedScore]) -> None:
    data = small_table()
    a, b, c = (codes.copy() for codes in data.codes)
    c[::7] = 4
    gaps, whole = make(coded([a, b, c], [2, 3, 4], data.weights)), make(data)
    assert gaps.local("V0", ["V1"]) == whole.local("V0", ["V1"])
    assert gaps.local("V0", ["V2"]) != whole.local("V0", ["V2"])


@pytest.mark.parametrize("make", [BDeu, BIC])
@settings(max_examples=40, deadline=None)
@given(data=datasets(most_rows=400, most_levels=20, gaps=True))
def test_counting_only_what_occurs_changes_nothing(make: type[CountedScore], data: elcs.Dataset) -> None:
    dense, sparse, renumbered = make(data), make(data), make(data)
    sparse._dense_cells = renumbered._dense_cells = 0
    with pytest.MonkeyPatch.context() as patch:
        for k in range(min(4, len(data.names))):
            family = data.names[0], data.names[1 : k + 1]
            assert sparse.local(*family) == pytest.approx(dense.local(*family), rel=1e-9, abs=1e-7)
            patch.setattr(base, "MOST_KEYS", 8)
            assert renumbered.local(*family) == sparse.local(*family)
            patch.undo()


@settings(max_examples=25, deadline=None)
@given(data=datasets(most_rows=200, most_levels=6, gaps=True))
def test_engines_and_weights(data: elcs.Dataset) -> None:
    weights = np.ones(data.n_rows, dtype=np.int64) if data.weights is None else data.weights
    repeated = coded([np.repeat(c, weights) for c in data.codes], [len(levels) for levels in data.levels])
    family = data.names[-1], data.names[:2] if len(data.names) > 2 else ()
    expected = BDeu(data).local(*family)
    assert BDeu(data, engine="reference").local(*family) == pytest.approx(expected, rel=1e-12, abs=1e-9)
    assert BDeu(data, engine=MemoryEngine(data)).local(*family) == expected
    assert BDeu(repeated).local(*family) == pytest.approx(expected, rel=1e-12, abs=1e-9)


def small_table(seed: int = 0, *, gaps: bool = False) -> elcs.Dataset:
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 2, 300), rng.integers(0, 3, 300)
    c = (a + b + rng.integers(0, 2, 300)) % 4
    weights = rng.integers(1, 5, 300)
    if gaps:
        for levels, column in ((2, a), (3, b), (4, c)):
            column[rng.random(300) < 0.2] = levels
    return coded([a, b, c], [2, 3, 4], weights)


@pytest.mark.parametrize("make", [BDeu, BIC])
def test_equivalent_networks_score_the_same(make: type[CountedScore]) -> None:
    score = make(small_table())
    names = dict(zip("ABC", score.variables, strict=True))
    classes: dict[tuple[object, ...], list[float]] = defaultdict(list)
    for graph in all_dags(3):
        skeleton = frozenset(map(frozenset, graph.edges))
        colliders = frozenset(
            (v, frozenset(pair))
            for v in graph
            for pair in combinations(graph.predecessors(v), 2)
            if frozenset(pair) not in skeleton
        )
        total = sum(score.local(names[v], [names[p] for p in graph.predecessors(v)]) for v in graph)
        classes[skeleton, colliders].append(total)
    assert len(classes) == 11
    for totals in classes.values():
        assert totals == pytest.approx([totals[0]] * len(totals), rel=1e-12)
    assert len({round(totals[0], 6) for totals in classes.values()}) == 11


@pytest.mark.parametrize("make", [BDeu, BIC])
def test_local_scores_add_up_to_that_of_the_joint_distribution(make: type[CountedScore]) -> None:
    data = small_table(1)
    a, b, c = data.codes
    score, joint = make(data), make(coded([a * 12 + b * 4 + c], [24], data.weights))
    total = score.local("V0") + score.local("V1", ["V0"]) + score.local("V2", ["V0", "V1"])
    assert total == pytest.approx(joint.local("V0"), rel=1e-12)


@pytest.mark.parametrize("make", [BDeu, BIC])
@pytest.mark.parametrize("gaps", [False, True])
def test_looking_terms_up_changes_nothing(
    make: type[CountedScore], gaps: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_up, forgetful, computed = (make(small_table(gaps=gaps)) for _ in range(3))
    families = [
        (child, [p for p in looked_up.variables if p != child][:k]) for child in looked_up.variables for k in (0, 1, 2)
    ]
    expected = [looked_up.local(*family) for family in families]
    monkeypatch.setattr(base, "MOST_REMEMBERED", 1)
    assert [forgetful.local(*family) for family in families] == expected
    assert len(forgetful._tables) <= (4 if gaps else 2)
    monkeypatch.setattr(base, "MOST_TABLED", 1)
    assert [computed.local(*family) for family in families] == pytest.approx(expected, rel=1e-12)
    assert not computed._tables


def test_a_table_far_larger_than_the_data() -> None:
    rng = np.random.default_rng(0)
    data = coded(list(rng.integers(0, 200, (30, 500))), [200] * 30)
    for score in (BDeu(data), BIC(data)):
        assert math.isfinite(score.local("V0", data.names[1:]))


def test_counters_and_memory() -> None:
    score = BDeu(small_table())
    assert score.variables == ("V0", "V1", "V2")
    first = score.local("V0", ["V1", "V2"])
    assert score.local("V0", ["V2", "V1"]) == score.local("V0", iter(("V1", "V2"))) == first
    assert (score.n_asked, score.n_computed) == (3, 1)
    score.clear_cache()
    assert score.local("V0", ["V1", "V2"]) == first
    assert (score.n_asked, score.n_computed) == (4, 2)
    forgetful, small = BDeu(small_table(), cache_size=0), BDeu(small_table(), cache_size=2)
    for _ in range(2):
        for child in score.variables:
            assert forgetful.local(child) == small.local(child)
    assert forgetful.n_computed == 6
    assert len(small._cache) <= 2


def test_limits() -> None:
    score = BIC(small_table())
    score.local("V0")
    score.limit(tests=2)
    score.local("V0")
    score.local("V1")
    with pytest.raises(elcs.BudgetError, match="number of tests and scores"):
        score.local("V0")
    score.limit(seconds=0)
    with pytest.raises(elcs.BudgetError, match="time"):
        score.local("V0")
    score.limit()
    score.local("V2")
    assert score.n_asked == 4


def test_settings() -> None:
    assert BDeu(FOUR_ROWS, ess=2.5).settings == {"ess": 2.5}
    assert BIC(FOUR_ROWS).settings == {}


@pytest.mark.parametrize("ess", [0, -1, math.inf, math.nan])
def test_wrong_sample_sizes(ess: float) -> None:
    with pytest.raises(elcs.ElcsError, match="ess must be positive"):
        BDeu(FOUR_ROWS, ess=ess)


def test_wrong_arguments() -> None:
    score = BDeu(small_table())
    with pytest.raises(elcs.DataError, match="no variable 'V9'"):
        score.local("V9")
    with pytest.raises(elcs.DataError, match="no variable 'v1'; did you mean 'V1'"):
        score.local("V0", ["v1"])
    for parents in (["V0"], ["V1", "V1"]):
        with pytest.raises(elcs.DataError, match="a variable appears twice"):
            score.local("V0", parents)
    with pytest.raises(elcs.ElcsError, match="engine must be one of memory, reference"):
        BDeu(small_table(), engine="abacus")  # type: ignore[arg-type]
    with pytest.raises(elcs.ElcsError, match="cache_size must not be negative"):
        BIC(small_table(), cache_size=-1)
