"""NOTEARS: the whole graph, by least squares under a smooth constraint that says "no cycles".

X. Zheng, B. Aragam, P. Ravikumar and E. P. Xing (2018), DAGs with NO TEARS: continuous optimization for structure
learning, Advances in Neural Information Processing Systems 31. Each variable is a weighted sum of its causes and noise;
W holds the weights. The squared errors and an l1 penalty are minimised subject to h(W) = 0, which holds if and only if
W has no cycles, by an augmented Lagrangian whose subproblems go to L-BFGS-B.

Guarantee: the output has no cycles. Nothing else, as the objective has local minima. On linear models whose noise has
the same variance in every variable the true graph has the least squared error in the limit of many rows, and is mostly
found. The answer depends on the scale of the columns: effects tend to vary more than their causes, and the method takes
what varies more for the effect (varsortability; Reisach, Seiler and Weichwald, 2021, NeurIPS 34). On codes of
categories both the straight line and the scale are arbitrary.
Cost: O(n³ log n) per evaluation for n variables, whatever the number of rows; thousands of evaluations.

Differences from the paper. h is tr((I + W∘W/q)^q) - n with q not below n, which is zero for the same W as
tr(exp(W∘W)) - n. It takes half the time at 37 variables and the same at 370, and overflows later. If the threshold
leaves cycles, the smallest weights on them are dropped as well. As in the paper, columns are not standardised unless
`standardise` asks for it, because the method relies on equal noise.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from elcs.engines import Numbers
from elcs.errors import DataError
from elcs.learners.notes import Whole
from elcs.learners.steps.weights import draw, permitted

__all__ = ["acyclicity", "notears"]


def notears(
    numbers: Numbers,
    notes: Whole,
    *,
    l1: float = 0.1,
    threshold: float = 0.3,
    standardise: bool = False,
) -> None:
    """Learn the whole graph.

    A run that is stopped notes nothing, because its weights still have cycles. The time is checked before each matrix
    product; what scipy does before the first evaluation (a second for 400 variables) cannot be stopped.

    Parameters
    ----------
    numbers : Numbers
        The table as numbers.
    notes : Whole
        What to fill in.
    l1 : float
        The penalty on the sum of the absolute weights.
    threshold : float
        Weights up to this size are not edges.
    standardise : bool
        Whether to give all columns variance one first, so that their units do not matter.
    """
    from scipy.optimize import Bounds, minimize
    from threadpoolctl import threadpool_limits

    n = len(numbers.variables)
    moments = numbers.moments(standardise=standardise)  # all that the squared errors need of the rows

    most = np.where(permitted(notes), np.inf, 0.0).ravel()
    bounds = Bounds(0.0, np.concatenate([most, most]))

    def evaluate(halves: NDArray[np.float64], rho: float, alpha: float) -> tuple[float, NDArray[np.float64]]:
        """Return the augmented Lagrangian and its gradient at W = W⁺ - W⁻, neither of them negative."""
        numbers.evaluate()
        positive, negative = halves.reshape(2, n, n)
        w = positive - negative
        left = moments - moments @ w
        h, h_gradient = acyclicity(w, numbers.budget.check_time)
        loss = 0.5 * (np.trace(left) - np.sum(w * left))
        value = loss + 0.5 * rho * h * h + alpha * h + l1 * halves.sum()
        gradient = (rho * h + alpha) * h_gradient - left
        if not (math.isfinite(value) and np.isfinite(gradient).all()):
            raise DataError("the weights grew without bound: the columns differ too much in scale; standardise them")
        return value, np.concatenate([gradient + l1, l1 - gradient]).ravel()

    def solve(start: NDArray[np.float64], rho: float, alpha: float) -> tuple[NDArray[np.float64], float]:
        """Return the minimum near a start, and its h, which is 0 if it has no cycles."""
        found = minimize(evaluate, start, args=(rho, alpha), jac=True, method="L-BFGS-B", bounds=bounds).x
        return found, acyclicity(np.subtract(*found.reshape(2, n, n)), numbers.budget.check_time)[0]

    # L-BFGS-B solves thousands of tiny triangular systems, where threads only wait for each other: on two busy cores
    # they took 4 to 16 times as much processor time as one thread.
    with threadpool_limits(limits=1, user_api="blas"):
        rho, alpha, h = 1.0, 0.0, math.inf
        halves = np.zeros(2 * n * n)
        while h > 1e-8 and rho < 1e16:
            found, new = solve(halves, rho, alpha)
            while new > 0.25 * h and rho < 1e16:
                rho *= 10
                found, new = solve(halves, rho, alpha)
            halves, h = found, new
            alpha += rho * h
    draw(notes, np.subtract(*halves.reshape(2, n, n)), threshold)


def acyclicity(w: NDArray[np.float64], breathe: Callable[[], None] = lambda: None) -> tuple[float, NDArray[np.float64]]:
    """Return a value that is 0 if and only if weights have no cycles, and its gradient.

    The value is tr((I + W∘W/q)^q) - n, where q is the least power of two, plus one, that is not below n: the weights
    of all closed walks of up to q steps, added up. The gradient needs the power q - 1, so squarings are enough. With a
    thousand variables each of them takes a while; `breathe` is called before each, and may raise an error.

    Examples
    --------
    >>> acyclicity(np.array([[0.0, 2.0], [0.0, 0.0]]))[0], acyclicity(np.array([[0.0, 2.0], [1.0, 0.0]]))[0]
    (0.0, 2.0)
    """
    n = len(w)
    squarings = (n - 2).bit_length()
    q = 2**squarings + 1
    walks = step = np.eye(n) + w * w / q
    with np.errstate(over="ignore", invalid="ignore"):
        for _ in range(squarings):
            breathe()
            walks = walks @ walks
        return float(np.sum(walks.T * step)) - n, 2.0 * w * walks.T
