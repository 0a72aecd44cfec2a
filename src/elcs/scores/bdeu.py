"""BDeu: the logarithm of the marginal likelihood under a prior that favours no network of an equivalence class.

D. Heckerman, D. Geiger and D. M. Chickering (1995), Learning Bayesian networks: the combination of knowledge and
statistical data, Machine Learning 20(3), with the uniform prior of W. Buntine (1991).
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from elcs.engines.base import Engine
from elcs.errors import ElcsError
from elcs.scores.base import Score

__all__ = ["BDeu"]

# Families share a few priors, one for each number of cells. Looking ln Γ up takes a third off the time of a score.
MOST_TABLED = 1 << 16  # rows
MOST_TABLES = 64


class BDeu(Score):
    """The Bayesian Dirichlet score, equivalent and uniform.

    Parameters
    ----------
    data : table
        Anything that `Dataset.from_any` takes.
    ess : float
        The equivalent sample size: how many rows the prior weighs. The larger, the more edges, and where levels are
        rare (as in Alarm) many of those that 10 adds are due to chance; hence 1.
    engine, cache_size
        As for `Score`.

    Examples
    --------
    >>> import elcs
    >>> score = BDeu({"rain": [0, 0, 1, 1] * 25, "wet": [0, 0, 1, 1] * 24 + [0, 1, 1, 1], "dice": [1, 2] * 50})
    >>> score.local("wet", ["rain"]) > score.local("wet") > score.local("wet", ["dice"])
    True
    >>> score.n_asked, score.n_computed
    (3, 3)
    """

    def __init__(
        self,
        data: Any,
        *,
        ess: float = 1.0,
        engine: Literal["memory", "reference"] | Engine = "memory",
        cache_size: int = 1 << 20,
    ) -> None:
        if not 0 < ess < float("inf"):
            raise ElcsError(f"ess must be positive, not {ess!r}")
        from scipy.special import gammaln  # here, because it takes longer to import than all the rest

        super().__init__(data, engine=engine, cache_size=cache_size)
        self.ess = ess
        self._gammaln = gammaln
        self._tables: dict[float, NDArray[np.float64]] = {}

    @property
    def settings(self) -> dict[str, float]:
        """The equivalent sample size."""
        return {"ess": self.ess}

    def measure(
        self, cells: NDArray[np.int64], configurations: NDArray[np.int64], n_levels: int, n_configurations: int
    ) -> float:
        """Return the logarithm of the probability of the child's column given those of the parents."""
        of_configuration = self.ess / n_configurations
        return self._risen(cells, of_configuration / n_levels) - self._risen(configurations, of_configuration)

    def _risen(self, counts: NDArray[np.int64], prior: float) -> float:
        """Return the sum of ln Γ(n + prior) - ln Γ(prior) over the counts n."""
        table = self._tables.get(prior)
        if table is None:
            if self.engine.total > MOST_TABLED or len(self._tables) >= MOST_TABLES:
                return float(np.add.reduce(self._gammaln(counts + prior))) - len(counts) * math.lgamma(prior)
            table = self._gammaln(np.arange(self.engine.total + 1) + prior) - math.lgamma(prior)
            self._tables[prior] = table
        return float(np.add.reduce(table[counts]))
