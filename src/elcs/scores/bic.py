"""BIC: the likelihood less half the logarithm of the number of rows for each parameter.

G. Schwarz (1978), Estimating the dimension of a model, Annals of Statistics 6(2).
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from elcs.engines.base import Engine
from elcs.scores.base import Score

__all__ = ["BIC"]

_sum = np.add.reduce


class BIC(Score):
    """The Bayesian information criterion, on the scale of the log-likelihood; takes what `Score` takes.

    Examples
    --------
    >>> import elcs
    >>> score = BIC({"rain": [0, 0, 1, 1] * 25, "wet": [0, 0, 1, 1] * 24 + [0, 1, 1, 1], "dice": [1, 2] * 50})
    >>> score.local("wet", ["rain"]) > score.local("wet") > score.local("wet", ["dice"])
    True
    """

    def __init__(
        self,
        data: Any,
        *,
        engine: Literal["memory", "reference"] | Engine = "memory",
        cache_size: int = 1 << 20,
    ) -> None:
        from scipy.special import xlogy  # here, because it takes longer to import than all the rest

        super().__init__(data, engine=engine, cache_size=cache_size)
        self._xlogy = xlogy
        self._price = math.log(max(self.engine.total, 1)) / 2

    def measure(
        self, cells: NDArray[np.int64], configurations: NDArray[np.int64], n_levels: int, n_configurations: int
    ) -> float:
        """Return the log-likelihood less the price of the parameters."""
        likelihood = _sum(self._xlogy(cells, cells)) - _sum(self._xlogy(configurations, configurations))
        return float(likelihood) - self._price * n_configurations * (n_levels - 1)
