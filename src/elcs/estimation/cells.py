"""Standardisation over strata: the mean of each cell, weighted by how many observations lie in its stratum.

A *stratum* is a combination of levels of what is held fixed, a *cell* the rows of a stratum with one level of the
cause. Where a cell has at least `FILLED` observations, its mean is taken as it is. A thin cell is shrunk towards a
regression on the cause and on each column that is held fixed (main effects), as if `PRIOR` more observations lay on it;
a cell without observations takes the regression alone. So nothing has to be decided about a table with many strata: the
thinner they are, the more the regression speaks.

A cell without observations may be far from the regression, and the interval must say so: each counts as one observation
whose value is not known. Without that, on Sachs, where some level of the cause is missing from strata with a tenth of
the population or more, 95 % intervals held the truth in 68 to 77 % of all cases (`benchmarks/effects.py`).

The spread of the estimates comes from influences: how much each observation moves them. An observation counts with what
it says beyond the others of its cell (as in a jackknife), because in thin cells it pulls the mean towards itself.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from elcs.estimation.rows import Rows, strata

__all__ = ["FILLED", "PRIOR", "Standardised", "standardise"]

FILLED = 10
"""Observations from which on the mean of a cell is taken as it is."""

PRIOR = 2.0
"""How many observations the regression counts for in a thin cell."""

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
    unseen : array or float
        The variance of each outcome that comes from cells without observations.
    slope, slope_influence : array or None
        For a numeric cause, how much the effect changes if the cause grows by 1.
    """

    outcomes: Floats
    influence: Floats
    overlap: float | None
    unseen: Floats | float = 0.0
    slope: Floats | None = None
    slope_influence: Floats | None = None


def standardise(rows: Rows, x: NDArray[np.int64], n_points: int) -> Standardised:
    """Standardise over strata; `x` numbers the points of the cause, and is -1 in rows that only count as population."""
    w, total = rows.weights, rows.total
    z, first = strata(rows.given, len(w))
    nz = len(first)
    has = x >= 0
    cell = (x * nz + z)[has]
    counts = np.bincount(cell, w[has], minlength=n_points * nz).reshape(n_points, nz)
    own = w[has, None] * rows.outcome[has]
    sums = np.stack([np.bincount(cell, y, minlength=n_points * nz).reshape(n_points, nz) for y in own.T], axis=2)
    in_stratum = np.bincount(z, w, minlength=nz)
    prior = np.where(counts < FILLED, PRIOR, 0.0)
    model = _Regression(rows, x, z, first, n_points) if prior.any() else None
    expected = 0.0 if model is None else prior[:, :, None] * model.predict(n_points)
    means = (sums + expected) / (counts + prior)[:, :, None]
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
    spread = _spread(means, rows)
    unseen = np.einsum("xz,xzy->xy", empty * (in_stratum / total) ** 2, spread)
    return Standardised(outcomes, influence, float(in_stratum[~empty.any(axis=0)].sum() / total), unseen)


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
