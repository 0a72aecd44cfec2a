"""Standardisation over strata: the mean of each cell, weighted by how many observations lie in its stratum.

A *stratum* is a combination of levels of what is held fixed, a *cell* the rows of a stratum with one level of the
cause. Where a cell has at least `FILLED` observations, its mean is taken as it is. A thin cell is shrunk towards a
regression on the cause and on each column that is held fixed (main effects); a cell without observations takes the
regression alone. So nothing has to be decided about a table with many strata: the thinner they are, the more the
regression speaks.

How many observations the regression counts for in a thin cell is read off the table, as in empirical Bayes: the
variance within cells, over that of the cells' means around the regression (Efron & Morris 1975, Journal of the American
Statistical Association 70(350)). Where relations are near-certain, a regression misses, and its errors may all have one
sign, so that many thin cells make them no smaller.

A cell without observations may be far from the regression, and the interval must say so. Each counts as one observation
whose value is not known. If its stratum has so many observations that the level should have occurred there, something
keeps it away, and nothing says how it would be: the errors of such cells may all have one sign, and they are added up
as if they had.

The spread of the estimates comes from influences: how much each observation moves them. An observation counts with what
it says beyond the others of its cell (as in a jackknife), because in thin cells it pulls the mean towards itself.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from elcs.estimation.rows import Rows, strata

__all__ = ["FILLED", "Standardised", "standardise"]

FILLED = 10
"""Observations from which on the mean of a cell is taken as it is, and for which a regression counts at most."""

LEAST_WORTH = 0.1
"""How many observations the regression counts for at least, so that a cell of one observation has a spread."""

Floats = NDArray[np.float64]


class Standardised(NamedTuple):
    """What would be, and how far each row moves it.

    Attributes
    ----------
    outcomes : array
        A row for each point of the cause, a column for each level of the effect.
    influence : array
        For each row of the table, how far one observation moves each of the outcomes, times their number.
    overlap : float or None
        The share of the observations in strata in which all levels of the cause occur.
    unseen : array or None
        The variance of each outcome that comes from cells without observations.
    slope, slope_influence : array or None
        For a numeric cause, how much the effect changes if the cause grows by 1.
    """

    outcomes: Floats
    influence: Floats
    overlap: float | None
    unseen: Floats | None = None
    slope: Floats | None = None
    slope_influence: Floats | None = None


def standardise(rows: Rows, x: NDArray[np.int64], n_points: int) -> Standardised:
    """Standardise over strata; `x` numbers the points of the cause, and is -1 in rows that only count as population."""
    w, total = rows.weights, rows.total
    z, first = strata(rows.given, len(w))
    nz = len(first)
    has = x >= 0
    cell = (x * nz + z)[has]
    counts: Floats = np.bincount(cell, w[has], minlength=n_points * nz).reshape(n_points, nz).astype(np.float64)
    own = w[has, None] * rows.outcome[has]
    by_level = [np.bincount(cell, y, minlength=n_points * nz).reshape(n_points, nz) for y in own.T]
    sums: Floats = np.stack(by_level, axis=2).astype(np.float64)
    in_stratum: Floats = np.bincount(z, w, minlength=nz).astype(np.float64)
    model = _Regression(rows, x, z, first, n_points) if (counts < FILLED).any() else None
    prior, expected = np.zeros_like(counts), np.zeros_like(sums)
    if model is not None:
        expected = model.predict(n_points)
        prior[counts < FILLED] = _worth(counts, sums, expected, _within(rows, x, z, counts, sums))
    means = (sums + prior[:, :, None] * expected) / (counts + prior)[:, :, None]
    outcomes = np.einsum("z,xzy->xy", in_stratum / total, means)

    influence = means.transpose(1, 0, 2)[z] - outcomes
    there = np.flatnonzero(has)
    held = (counts + prior)[x[there], z[there], None]
    beyond = (rows.outcome[there] - means[x[there], z[there]]) * held / (held - 1)
    influence[there, x[there]] += in_stratum[z[there], None] / held * beyond
    if model is not None:
        share = in_stratum * prior / (counts + prior)
        influence[there] += model.influence(share)[there]
    empty = counts == 0
    unseen = _unseen(empty * (in_stratum / total), _surprise(counts, in_stratum), _spread(means, rows))
    return Standardised(outcomes, influence, float(in_stratum[~empty.any(axis=0)].sum() / total), unseen)


def _within(rows: Rows, x: NDArray[np.int64], z: NDArray[np.int64], counts: Floats, sums: Floats) -> float:
    """Return the variance of observations within cells, all levels of the effect together; infinite if none repeats."""
    there = np.flatnonzero(x >= 0)
    means = sums / np.maximum(counts, 1)[:, :, None]
    apart = ((rows.outcome[there] - means[x[there], z[there]]) ** 2).sum(axis=1)
    repeated = float((counts - 1)[counts > 0].sum())
    return float(rows.weights[there] @ apart) / repeated if repeated > 0 else float("inf")


def _worth(counts: Floats, sums: Floats, expected: Floats, within: float) -> float:
    """Return how many observations the regression counts for in a thin cell.

    It is the ratio of two variances: that of observations within cells, and that of the means of thin cells around the
    regression. With n observations in a cell, the squared distance of its mean from the regression is expected to be
    the first over n, plus the second.
    """
    thin = (counts > 0) & (counts < FILLED)
    n = counts[thin]
    apart = ((sums[thin] / n[:, None] - expected[thin]) ** 2).sum(axis=1)
    between = float((n * apart - within).sum()) / max(float(n.sum()), 1.0)
    return float(np.clip(within / between, LEAST_WORTH, FILLED)) if between > 0 else float(FILLED)


def _surprise(counts: Floats, in_stratum: Floats) -> Floats:
    """Return how likely each level of the cause would occur in each stratum if it were as common there as elsewhere."""
    common = counts.sum(axis=1) / counts.sum()
    surprise: Floats = 1 - (1 - common[:, None]) ** in_stratum
    return surprise


def _unseen(share: Floats, surprise: Floats, spread: Floats) -> Floats:
    """Return the variance of each outcome that comes from cells without observations, given their share of the rows."""
    by_chance = np.einsum("xz,xzy->xy", share**2, spread)
    kept_away = np.einsum("xz,xzy->xy", share * surprise, np.sqrt(spread))
    unseen: Floats = by_chance + kept_away**2
    return unseen


def _spread(means: Floats, rows: Rows) -> Floats:
    """Return how far the mean of a cell may be from what is expected where nothing was observed: like one observation.

    A share that is expected to be 0 or 1 is far from certain: what is expected counts for half.
    """
    n_levels = rows.outcome.shape[1]
    if n_levels == 1:
        spread = np.average((rows.outcome - np.average(rows.outcome, axis=0, weights=rows.weights)) ** 2, axis=0)
        return np.broadcast_to(spread, means.shape)
    doubted: Floats = 0.5 * means + 0.5 / n_levels
    return doubted * (1 - doubted)


class _Regression:
    """The regression of the effect on the cause and on each column that is held fixed, by least squares."""

    def __init__(
        self, rows: Rows, x: NDArray[np.int64], z: NDArray[np.int64], first: NDArray[np.int64], n_points: int
    ) -> None:
        self.of_strata = np.hstack([np.ones((len(first), 1)), *(_indicators(levels)[first] for levels in rows.given)])
        self.of_points = np.eye(n_points)[:, 1:]
        design = np.hstack([self.of_points[x], self.of_strata[z]])
        fitted = np.where(x >= 0, rows.weights, 0.0)
        moments = (design * fitted[:, None]).T @ design
        self.inverse = np.linalg.pinv(moments, hermitian=True, rcond=1e-10)
        self.coefficients = self.inverse @ (design.T @ (fitted[:, None] * rows.outcome))
        self.shares = rows.outcome.shape[1] > 1
        leverage = np.einsum("ij,ij->i", design @ self.inverse, design)
        self.residual = (rows.outcome - design @ self.coefficients) / (1 - np.minimum(leverage, 0.9))[:, None]
        self.design = design

    def predict(self, n_points: int) -> Floats:
        """Return what is expected in each cell; shares are kept between 0 and 1."""
        of_point = self.of_points @ self.coefficients[: n_points - 1]
        expected: Floats = of_point[:, None, :] + (self.of_strata @ self.coefficients[n_points - 1 :])[None]
        if self.shares:
            expected = np.clip(expected, 0.0, 1.0)
            expected /= expected.sum(axis=2, keepdims=True)
        return expected

    def influence(self, share: Floats) -> Floats:
        """Return how far each observation moves the outcomes by way of the regression, on which `share` rests."""
        reach = np.hstack([share.sum(axis=1)[:, None] * self.of_points, share @ self.of_strata])
        moved: Floats = (self.design @ (self.inverse @ reach.T))[:, :, None] * self.residual[:, None, :]
        return moved


def _indicators(levels: NDArray[Any]) -> Floats:
    """Return a column for each level that occurs but the first."""
    _, codes = np.unique(levels, return_inverse=True)
    return np.eye(int(codes.max(initial=0)) + 1)[codes.reshape(-1)][:, 1:]
