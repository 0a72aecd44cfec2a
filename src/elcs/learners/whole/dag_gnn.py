"""DAG-GNN: the whole graph, as the matrix that links the variables inside an autoencoder.

Y. Yu, J. Chen, T. Gao and M. Yu (2019), DAG-GNN: DAG structure learning with graph neural networks, Proceedings of the
36th International Conference on Machine Learning. A linear structural model X = (I - Aᵀ)⁻¹ Z is bent by a small neural
network at either end: the encoder is Z = (I - Aᵀ) f(X), the decoder X = g((I - Aᵀ)⁻¹ Z), and f and g are the same for
all variables. The evidence lower bound is maximised, subject to A having no cycles, by an augmented Lagrangian whose
subproblems go to Adam.

Guarantee: the output has no cycles, and equal seeds give equal graphs on the same machine. Nothing else. Like NOTEARS
it depends on the scale of the columns, and it takes codes of categories for quantities.
Cost: O(b n h + n³) per step for n variables, b rows per step and h hidden units, whatever the number of rows; thousands
of steps.

Differences from the paper. Both variances are one and Z is its mean, so that the squared errors plus the squares of Z
are minimised; that is no longer a bound on the likelihood. It was chosen because with noise in Z, or variances that are
learnt, the matrix came out empty or nearly so on codes of categories in the few runs that were made. Categories are not
spread over a column per level.
Training is much shorter: a number of steps per round instead of epochs, and the penalty stops growing at 1e8. Cycles
that are left then are broken where their weights are smallest.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elcs.engines import Numbers
from elcs.errors import DataError
from elcs.learners.notes import Whole
from elcs.learners.steps.drawn_graphs import alone, load_torch
from elcs.learners.steps.weights import draw, permitted

__all__ = ["Autoencoder", "dag_gnn"]

LEARNING_RATE = 3e-3
"""The learning rate of Adam; `steps` goes with it."""


def dag_gnn(
    numbers: Numbers,
    notes: Whole,
    *,
    hidden: int = 32,
    steps: int = 300,
    batch_size: int = 100,
    threshold: float = 0.3,
    standardise: bool = False,
    seed: int = 0,
) -> None:
    """Learn the whole graph; needs PyTorch.

    A run that is stopped notes nothing, because its weights still have cycles.

    Parameters
    ----------
    numbers : Numbers
        The table as numbers.
    notes : Whole
        What to fill in.
    hidden : int
        Hidden units of the two networks.
    steps : int
        Steps of Adam per round; there are about a dozen rounds.
    batch_size : int
        Rows per step, drawn at random.
    threshold : float
        Weights up to this size are not edges.
    standardise : bool
        Whether to give all columns variance one first, so that their units do not matter.
    seed : int
        Decides the first weights and which rows are drawn; the generator of PyTorch is left as it was.
    """
    torch = load_torch("dag-gnn")
    x = torch.from_numpy(numbers.centred(standardise=standardise))
    weights = None if numbers.weights is None else torch.from_numpy(numbers.weights.astype(np.float64))

    def drawn() -> Any:
        """Draw the rows of a step, each as often as it counts."""
        if weights is None:
            return torch.randint(len(x), (batch_size,))
        return torch.multinomial(weights, batch_size, replacement=True)

    with alone(torch, seed):
        model = Autoencoder(permitted(notes), hidden, LEARNING_RATE)
        rho, alpha, h = 1.0, 0.0, math.inf
        while h > 1e-8 and rho < 1e8:
            for _ in range(steps):
                numbers.evaluate()
                model.train(x[drawn()], rho, alpha)
            last, h = h, float(model.acyclicity().detach())
            alpha += rho * h
            if h > 0.25 * last:
                rho *= 10
    found = model.weights.detach().numpy()
    if not np.isfinite(found).all():
        raise DataError("the fit diverged: the columns are too large or differ too much in scale; standardise them")
    draw(notes, found, threshold)


class Autoencoder:
    """The matrix A and the networks f and g, with Adam to train them.

    Parameters
    ----------
    permitted : array of bool
        Which entries of A may differ from zero.
    hidden : int
        Hidden units of f and g.
    learning_rate : float
        That of Adam.
    """

    def __init__(self, permitted: NDArray[np.bool_], hidden: int, learning_rate: float) -> None:
        self.torch = torch = load_torch("dag-gnn")
        self._one = torch.eye(len(permitted), dtype=torch.float64)
        self._permitted = torch.from_numpy(permitted.astype(np.float64))
        self._a = torch.zeros_like(self._one, requires_grad=True)

        def network() -> Any:
            layers = torch.nn.Linear(1, hidden), torch.nn.ReLU(), torch.nn.Linear(hidden, 1)
            return torch.nn.Sequential(*layers).double()

        self._f, self._g = network(), network()
        trained = [self._a, *self._f.parameters(), *self._g.parameters()]
        self._adam = torch.optim.Adam(trained, lr=learning_rate, fused=True)  # a sixth off the time of a step

    @property
    def weights(self) -> Any:
        """The matrix A: causes in rows, effects in columns."""
        return self._a * self._permitted

    def loss(self, rows: Any) -> Any:
        """Return the evidence lower bound per row, with its sign reversed and constants left out."""
        mix = self._one - self.weights
        codes, at = self.torch.unique(rows, return_inverse=True)  # few in a table of categories: a quarter less time
        z = self._f(codes[:, None])[at, 0] @ mix
        back = self._g(self.torch.linalg.solve(mix, z, left=False)[..., None])[..., 0]
        return 0.5 * ((rows - back) ** 2 + z**2).sum(1).mean()

    def acyclicity(self) -> Any:
        """Return tr((I + A∘A/n)^n) - n, which is 0 if and only if A has no cycles."""
        n = len(self._one)
        return self.torch.linalg.matrix_power(self._one + self.weights**2 / n, n).trace() - n

    def train(self, rows: Any, rho: float, alpha: float) -> float:
        """Take a step down the augmented Lagrangian, and return the loss before it."""
        loss, h = self.loss(rows), self.acyclicity()
        self._adam.zero_grad()
        (loss + alpha * h + 0.5 * rho * h * h).backward()
        self._adam.step()
        return float(loss.detach())
