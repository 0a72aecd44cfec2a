"""BIC: the log-likelihood, less half the logarithm of the number of rows for each parameter.

G. Schwarz (1978), Estimating the dimension of a model, Annals of Statistics 6(2).
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from elcs.engines.base import Engine
from elcs.scores.base import CountedScore, Term

__all__ = ["BIC"]


class BIC(CountedScore):
    """The Bayesian information criterion, on the scale of the log-likelihood; takes what `CountedScore` takes.

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
        super().__init__(data, engine=engine, cache_size=cache_size)
        self._price = math.log(max(self.engine.total, 1)) / 2

    def terms(self, n_levels: int, n_configurations: int) -> tuple[Term, Term, float]:
        """Return the terms of the log-likelihood, and the price of the parameters."""
        return _n_log_n, _n_log_n, -self._price * n_configurations * (n_levels - 1)

    @property
    def _compiled(self) -> tuple[float, float] | None:
        return (0.0, self._price) if type(self) is BIC else None


def _n_log_n(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    from scipy.special import xlogy  # here, because it takes longer to import than all the rest

    return np.asarray(xlogy(counts, counts), dtype=np.float64)
