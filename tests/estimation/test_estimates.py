"""Estimates with a given adjustment set, held to plain formulas, to other ways to compute them, and to known truths."""

from __future__ import annotations

import numpy as np
import pytest
from making import coded

import elcs
from elcs.errors import DataError
from elcs.estimation import MEAN, estimate, points_of, unchanged


def confounded(n: int = 4000, seed: int = 0) -> elcs.Table:
    """Make a table of V2 -> V0 -> V1 <- V2."""
    rng = np.random.default_rng(seed)
    z = rng.integers(0, 3, n)
    x = (rng.random(n) < np.array([0.2, 0.5, 0.8])[z]).astype(int)
    y = (rng.random(n) < 0.1 + 0.3 * x + 0.25 * z).astype(int)
    return coded([x, y, z], [2, 2, 3])


def test_filled_strata_give_the_textbook_formula() -> None:
    table = confounded()
    x, y, z = table.codes
    fit = estimate(table, "V0", "V1", ["V2"])
    for level in (0, 1):
        expected = sum((z == k).mean() * y[(x == level) & (z == k)].mean() for k in range(3))
        assert fit.outcomes[level, 1] == pytest.approx(expected, abs=1e-12)
    assert fit.overlap == 1
    assert fit.n_rows == 4000
    assert fit.counts == ((x == 0).sum(), (x == 1).sum())


def test_adjustment_removes_confounding() -> None:
    table = confounded(40_000)
    crude, adjusted = (estimate(table, "V0", "V1", given) for given in ([], ["V2"]))
    assert adjusted.difference(1, 1, 0)[0] == pytest.approx(0.3, abs=0.02)
    assert crude.difference(1, 1, 0)[0] > 0.4
    low, high = adjusted.interval(1, 1)
    assert low < 0.1 + 0.3 + 0.25 < high


@pytest.mark.parametrize("given", [[], ["V2"], ["V2", "V3", "V4"]])
def test_the_spread_is_that_of_a_bootstrap(given: list[str]) -> None:
    rng = np.random.default_rng(1)
    n = 1500
    x, y, z = (codes.astype(int) for codes in confounded(n).codes)
    columns = [x, y, z, rng.integers(0, 4, n), (z + rng.integers(0, 2, n)) % 3]
    sizes = [2, 2, 3, 4, 3]
    fit = estimate(coded(columns, sizes), "V0", "V1", given)
    drawn = []
    for _ in range(300):
        rows = rng.integers(0, n, n)
        again = estimate(coded([c[rows] for c in columns], sizes), "V0", "V1", given)
        drawn.append([*again.outcomes[:, 1], again.outcomes[1, 1] - again.today[1]])
    errors = np.std(drawn, axis=0)
    for i in (0, 1):
        low, high = fit.interval(i, 1)
        assert (high - low) / 2 / 1.96 == pytest.approx(errors[i], rel=0.15)
    _, low, high = fit.difference(1, 1)
    assert (high - low) / 2 / 1.96 == pytest.approx(errors[2], rel=0.15)


@pytest.mark.parametrize("given", [["V2"], ["V2", "V3"]])
def test_weights_count_rows(given: list[str]) -> None:
    rng = np.random.default_rng(2)
    columns = [rng.integers(0, k, 300) for k in (2, 3, 3, 5)]
    weights = rng.integers(0, 4, 300)
    weighed = estimate(coded(columns, [2, 3, 3, 5], weights), "V0", "V1", given)
    repeated = estimate(coded([np.repeat(c, weights) for c in columns], [2, 3, 3, 5]), "V0", "V1", given)
    assert np.allclose(weighed.outcomes, repeated.outcomes)
    assert np.allclose([weighed.interval(i, 0) for i in (0, 1)], [repeated.interval(i, 0) for i in (0, 1)])
    assert weighed.n_rows == repeated.n_rows == weights.sum()


def test_gaps_leave_rows_out() -> None:
    rng = np.random.default_rng(3)
    columns = [rng.integers(0, 2, 500), rng.integers(0, 2, 500), rng.integers(0, 3, 500)]
    gaps = rng.random(500) < 0.3
    whole = coded([c[~gaps] for c in columns], [2, 2, 3])
    columns[2] = np.where(gaps, 3, columns[2])
    lacking = coded(columns, [2, 2, 3])
    assert np.allclose(estimate(lacking, "V0", "V1", ["V2"]).outcomes, estimate(whole, "V0", "V1", ["V2"]).outcomes)
    assert estimate(lacking, "V0", "V1", []).n_rows == 500


def test_thin_and_empty_strata_give_shares_and_say_so() -> None:
    rng = np.random.default_rng(4)
    columns = [rng.integers(0, 3, 200), rng.integers(0, 3, 200), *(rng.integers(0, 6, 200) for _ in range(3))]
    fit = estimate(coded(columns, [3, 3, 6, 6, 6]), "V0", "V1", ["V2", "V3", "V4"])
    assert fit.overlap is not None
    assert fit.overlap < 0.1
    assert np.isfinite(fit.outcomes).all()
    assert np.allclose(fit.outcomes.sum(axis=1), 1)
    assert ((fit.outcomes >= 0) & (fit.outcomes <= 1)).all()
    for i in range(3):
        for j in range(3):
            low, high = fit.interval(i, j)
            assert 0 <= low <= fit.outcomes[i, j] <= high <= 1


def test_a_regression_that_misses_does_not_pull_thin_cells_along() -> None:
    """What the few treated would be has nothing to do with z, but most rows, and so the regression, say otherwise."""
    errors = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        z = rng.integers(0, 2, (7, 6000))
        met = z.mean(axis=0)
        x = (rng.random(6000) < 0.03 + 0.2 * met**3).astype(int)
        y = (rng.random(6000) < np.where(x | (met < 0.5), 0.02, 0.98)).astype(int)
        fit = estimate(coded([x, y, *z], [2] * 9), "V0", "V1", [f"V{i}" for i in range(2, 9)])
        errors.append(fit.outcomes[1, 1] - 0.02)
        low, high = fit.interval(1, 1)
        assert low < 0.02 < high
    assert abs(np.mean(errors)) < 0.006  # 0.012 if the regression counts for two observations


def test_strata_that_keep_a_level_away_are_not_taken_to_be_like_others() -> None:
    """Nobody with a low z is treated, and just there the treatment would do harm."""
    rng = np.random.default_rng(0)
    z = rng.integers(0, 40, 8000)
    x = ((rng.random(8000) < 0.5) & (z >= 20)).astype(int)
    y = (rng.random(8000) < 0.5 + 0.4 * x).astype(int)
    fit = estimate(coded([x, y, z], [2, 2, 40]), "V0", "V1", ["V2"])
    low, high = fit.interval(1, 1)
    assert low < 0.5 * 0.9 + 0.5 * 0.1 < high
    assert fit.overlap == pytest.approx(0.5, abs=0.02)
    low, high = fit.interval(0, 1)  # those that are not treated are everywhere
    assert low < 0.5 < high
    assert high - low < 0.06


def test_strata_that_lack_a_level_by_chance_cost_little() -> None:
    rng = np.random.default_rng(1)
    z = rng.integers(0, 400, 2000)
    x = rng.integers(0, 2, 2000)
    y = (rng.random(2000) < 0.3 + 0.3 * x).astype(int)
    fit = estimate(coded([x, y, z], [2, 2, 400]), "V0", "V1", ["V2"])
    assert fit.overlap is not None
    assert fit.overlap < 0.95
    low, high = fit.interval(1, 1)
    assert low < 0.6 < high
    assert high - low < 0.12


def numbers(n: int = 3000, seed: int = 0) -> dict[str, np.ndarray]:
    """Make z -> x -> y <- z, with a line, and a levelled cause g of y that z moves."""
    rng = np.random.default_rng(seed)
    z = rng.normal(3, 2, n)
    x = 1 + 0.8 * z + rng.normal(0, 1, n)
    g = np.where(rng.random(n) < 1 / (1 + np.exp(-(z - 3))), "b", "a")
    y = 2 * x - 3 * z + 4 * (g == "b") + rng.normal(0, 1, n)
    return {"x": x, "y": y, "z": z, "g": g, "w": np.where(y > 0, "up", "down")}


def test_the_slope_of_numbers_is_that_of_least_squares() -> None:
    data = numbers()
    table = elcs.Table.from_any(data)
    fit = estimate(table, "x", "y", ["z", "g"])
    assert fit.levels == (MEAN,)
    slope, low, high = fit.slope_interval(0)
    assert low < 2 < high
    assert high - low < 0.2
    assert slope == pytest.approx(2, abs=0.1)
    assert fit.points == points_of(table, "x")
    assert fit.difference(4, 0, 0)[0] == pytest.approx(2 * (fit.points[4] - fit.points[0]), rel=0.05)  # type: ignore[operator]
    assert fit.overlap is not None
    assert fit.overlap > 0.5


def test_a_numeric_cause_that_follows_from_what_is_held_fixed_has_little_overlap() -> None:
    rng = np.random.default_rng(0)
    z = rng.gamma(2, 2, 2000)
    x = z + rng.normal(0, 0.05, 2000)
    y = x + z + rng.normal(0, 1, 2000)
    table = elcs.Table.from_any({"x": x, "y": y, "z": z})
    fit = estimate(table, "x", "y", ["z"])
    assert fit.overlap is not None
    assert fit.overlap < 0.1
    assert estimate(table, "x", "y", []).overlap == 1
    for i in range(5):  # nothing is outside of what was ever seen
        low, high = fit.interval(i, 0)
        assert y.min() <= low <= fit.outcomes[i, 0] <= high <= y.max()


def test_a_cause_of_levels_with_numbers_held_fixed() -> None:
    table = elcs.Table.from_any(numbers(6000))
    fit = estimate(table, "g", "y", ["z"])
    change, low, high = fit.difference(1, 0, 0)
    assert low < 4 < high
    assert change == pytest.approx(4, abs=0.3)
    assert fit.overlap is not None
    assert fit.overlap > 0.9
    shares = estimate(table, "g", "w", ["z"])
    assert np.allclose(shares.outcomes.sum(axis=1), 1)


def test_an_effect_that_differs_with_a_number_is_averaged_over_the_population() -> None:
    rng = np.random.default_rng(5)
    z = rng.normal(0, 1, 8000)
    t = np.where(rng.random(8000) < 1 / (1 + np.exp(-1.5 * z)), "b", "a")
    y = (t == "b") * (1 + 2 * z) + z + rng.normal(0, 1, 8000)
    change, low, high = estimate(elcs.Table.from_any({"t": t, "y": y, "z": z}), "t", "y", ["z"]).difference(1, 0, 0)
    assert low < 1 < high
    assert change == pytest.approx(1, abs=0.15)


def test_no_effect_is_what_is_today() -> None:
    table = confounded()
    fit = unchanged(table, "V0", "V1")
    assert np.allclose(fit.outcomes, fit.today)
    assert fit.difference(0, 1) == pytest.approx((0, 0, 0), abs=1e-9)
    assert fit.interval(0, 1) == pytest.approx(fit.interval_today(1))


def test_levels_with_few_rows_are_left_out() -> None:
    x = np.repeat([0, 1, 2], [60, 60, 3])
    table = coded([x, np.tile([0, 1, 1], 41)], [3, 2])
    fit = estimate(table, "V0", "V1", [])
    assert fit.points == (0, 1)
    assert fit.few == (2,)
    assert fit.n_rows == 123


def test_what_cannot_be_estimated_is_refused() -> None:
    few = coded([[0, 1] * 9, [0, 1] * 9], [2, 2])
    with pytest.raises(DataError, match="only 18 rows have all of V0, V1; an estimate needs at least 20"):
        estimate(few, "V0", "V1", [])
    rare = coded([[0] * 60 + [1] * 2, [0, 1] * 31], [2, 2])
    with pytest.raises(DataError, match="fewer than two levels of 'V0' have 5 rows or more"):
        estimate(rare, "V0", "V1", [])
    many = np.arange(40_000) % 8_000
    with pytest.raises(DataError, match="'V0' has 8,000 levels and the effect 2, too many for an estimate"):
        estimate(coded([many, many // 2 % 2, many % 7], [8000, 2, 7]), "V0", "V1", ["V2"])
    table = elcs.Table.from_any({"x": [1.5] * 40 + [2.5, 3.5, 4.5], "y": [*([0.5, 1.5] * 20), None, None, None]})
    with pytest.raises(DataError, match="'x' does not vary in 40 rows"):
        estimate(table, "x", "y", [])


def test_a_share_of_none_or_all_has_an_interval() -> None:
    table = coded([[0] * 100 + [1] * 100, [0] * 100 + [0, 1] * 50], [2, 2])
    fit = estimate(table, "V0", "V1", [])
    low, high = fit.interval(0, 1)
    assert low == 0
    assert 0.02 < high < 0.06
