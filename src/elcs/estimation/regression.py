"""Regression: where the cause or something that is held fixed is a number.

The effect is regressed on the cause and on what is held fixed, numbers with their squares, levels with an indicator
each. A numeric cause has its square too, so that its curve can bend. How the effect of the cause differs with what is
held fixed (interactions) is estimated as well, pulled towards no difference as if by one observation, as long as there
are twenty observations for each coefficient. Shares of levels are regressed like numbers. All columns that are held
fixed are centred, so that the mean over the population is what the cause alone says.

The spread comes from influences, as for strata, with the residuals of a jackknife (HC3).
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from elcs.estimation.cells import Standardised
from elcs.estimation.rows import Rows

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

__all__ = ["regress_on_levels", "regress_on_numbers"]

ENOUGH = 20
"""Observations for each coefficient from which on interactions are estimated."""

Floats = NDArray[np.float64]


def regress_on_levels(rows: Rows, x: NDArray[np.int64], n_points: int) -> Standardised:
    """Estimate what would be at each level of a discrete cause; `x` is -1 in rows that only count as population."""
    held = _features(rows)
    at = np.eye(n_points)[:, 1:]
    with _libraries().limit(limits=1, user_api="blas"):
        made, _, _ = _regress(rows, at[x] * (x >= 0)[:, None], at, held, x >= 0, interacting=n_points - 1)
        return made._replace(overlap=_overlap(rows, x, n_points, held))


def regress_on_numbers(rows: Rows, points: Floats) -> Standardised:
    """Estimate what would be at some values of a numeric cause, and how much the effect changes with it."""
    x = rows.cause.astype(np.float64)
    middle, spread = _scale(x, rows.weights)
    x, at = (x - middle) / spread, (points - middle) / spread
    own, held = np.column_stack([x, x * x]), _features(rows)
    with _libraries().limit(limits=1, user_api="blas"):
        made, coefficients, moved = _regress(
            rows, own, np.column_stack([at, at * at]), held, np.ones(len(x), dtype=np.bool_), interacting=1
        )
        overlap = _overlap_of_numbers(rows, x, at, held)
    bend = 2 * x[:, None] * coefficients[2]  # the slope of a curve is a mean over the values of the cause
    return made._replace(
        overlap=overlap,
        slope=coefficients[1] / spread,
        slope_influence=(moved + bend) / spread,
    )


@cache
def _libraries() -> ThreadpoolController:
    """Return the libraries that multiply matrices; with one thread 950 regressions take 10 s, with two 26 s."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _regress(
    rows: Rows, own: Floats, at: Floats, held: Floats, fitted: NDArray[np.bool_], *, interacting: int
) -> tuple[Standardised, Floats, Floats]:
    """Fit, and return also the coefficients, and how far each observation moves the first one of the cause.

    `own` are the columns of the cause, the first few of which interact with those held fixed; `at` is what they would
    be at each point.
    """
    total = rows.total
    parts = [np.ones((len(own), 1)), own, held]
    n_own, n_held = own.shape[1], held.shape[1]
    crossed = n_held > 0 and total >= ENOUGH * (1 + n_own + n_held * (1 + interacting))
    if crossed:
        parts += [own[:, [i]] * held for i in range(interacting)]
    design = np.hstack(parts)
    weights = np.where(fitted, rows.weights, 0.0)
    moments = (design * weights[:, None]).T @ design
    pulled = np.zeros(design.shape[1])
    pulled[1 + n_own + n_held :] = 1.0
    inverse = np.linalg.pinv(moments + np.diag(pulled), hermitian=True, rcond=1e-10)
    coefficients = inverse @ (design.T @ (weights[:, None] * rows.outcome))
    reach = design @ inverse
    leverage = np.einsum("ij,ij->i", reach, design)
    residual = (rows.outcome - design @ coefficients) * fitted[:, None] / (1 - np.minimum(leverage, 0.9))[:, None]
    residual *= total

    here = np.hstack([np.ones((len(at), 1)), at])
    outcomes = here @ coefficients[: 1 + n_own]
    with_point = np.repeat(coefficients[1 + n_own : 1 + n_own + n_held, None], len(at), axis=1)
    if crossed:
        differing = coefficients[1 + n_own + n_held :].reshape(interacting, n_held, -1)
        with_point = with_point + np.einsum("pi,ihy->hpy", at[:, :interacting], differing)
    influence: Floats = np.tensordot(held, with_point, axes=1)
    influence += (reach[:, : 1 + n_own] @ here.T)[:, :, None] * residual[:, None, :]
    return Standardised(outcomes, influence, None), coefficients, reach[:, [1]] * residual


def _features(rows: Rows) -> Floats:
    """Return the columns that stand for what is held fixed, centred over the population."""
    made = []
    for values in rows.given:
        if values.dtype.kind == "f":
            middle, spread = _scale(values.astype(np.float64), rows.weights)
            scaled = (values.astype(np.float64) - middle) / spread
            made += [scaled[:, None], (scaled**2)[:, None]]
        else:
            _, codes = np.unique(values, return_inverse=True)
            made.append(np.eye(int(codes.max(initial=0)) + 1)[codes.reshape(-1)][:, 1:])
    held = np.hstack(made) if made else np.zeros((len(rows.weights), 0))
    centred: Floats = held - np.average(held, axis=0, weights=rows.weights)
    return centred


def _scale(values: Floats, weights: Floats) -> tuple[float, float]:
    middle = float(np.average(values, weights=weights))
    spread = float(np.sqrt(np.average((values - middle) ** 2, weights=weights)))
    return middle, spread or 1.0


def _overlap_of_numbers(rows: Rows, x: Floats, at: Floats, held: Floats) -> float:
    """Return the share of the population in which the cause may have one of some values, on average over these.

    The cause is regressed on what is held fixed. In a row it may be as far from what is expected as it is in 98 of 100.
    """
    design = np.hstack([np.ones((len(x), 1)), held])
    moments = (design * rows.weights[:, None]).T @ design
    expected = design @ (np.linalg.pinv(moments, hermitian=True, rcond=1e-10) @ (design.T @ (rows.weights * x)))
    low, high = np.quantile(x - expected, [0.01, 0.99])
    apart = at[:, None] - expected
    return float(np.mean(((apart >= low) & (apart <= high)) @ rows.weights) / rows.total)


def _overlap(rows: Rows, x: NDArray[np.int64], n_points: int, held: Floats) -> float:
    """Return the share of the population that every level of the cause reaches.

    How likely a level is, given what is held fixed, is regressed; a level reaches from the least likely of its rows to
    the most likely.
    """
    design = np.hstack([np.ones((len(x), 1)), held])
    moments = (design * rows.weights[:, None]).T @ design
    levels = np.eye(n_points + 1)[x][:, :n_points]  # the last one is for rows that only count as population
    fit = np.linalg.pinv(moments, hermitian=True, rcond=1e-10) @ (design.T @ (rows.weights[:, None] * levels))
    likely = design @ fit
    reached = np.ones(len(x), dtype=np.bool_)
    for i in range(n_points):
        own = likely[x == i, i]
        reached &= (likely[:, i] >= own.min()) & (likely[:, i] <= own.max())
    return float(rows.weights[reached].sum() / rows.total)
