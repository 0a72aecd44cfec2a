"""BDeu: the logarithm of the marginal likelihood under a prior that favours no network of an equivalence class.

D. Heckerman, D. Geiger and D. M. Chickering (1995), Learning Bayesian networks: the combination of knowledge and
statistical data, Machine Learning 20(3), with the uniform prior of W. Buntine (1991).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from elcs.engines.base import Engine
from elcs.errors import ElcsError
from elcs.scores.base import CountedScore, Term

__all__ = ["BDeu"]


class BDeu(CountedScore):
    """The Bayesian Dirichlet score, equivalent and uniform.

    Parameters
    ----------
    data : table
        Anything that `Table.from_any` takes.
    ess : float
        The equivalent sample size: how many rows the prior is worth. The larger it is, the more edges are found. Where
        levels are rare (as in Alarm), many of the edges that 10 adds are due to chance; hence 1.
    engine, cache_size
        As for `CountedScore`.

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
        super().__init__(data, engine=engine, cache_size=cache_size)
        self.ess = ess

    @property
    def settings(self) -> dict[str, float]:
        """The equivalent sample size."""
        return {"ess": self.ess}

    def terms(self, n_levels: int, n_configurations: int) -> tuple[Term, Term, float]:
        """Return the terms of the log-probability of the child's column given those of the parents."""
        return _Rise(self.ess / n_configurations / n_levels), _Rise(self.ess / n_configurations), 0.0

    @property
    def _compiled(self) -> tuple[float, float] | None:
        return (self.ess, 0.0) if type(self) is BDeu else None


@dataclass(frozen=True)
class _Rise:
    """ln Γ(n + prior) - ln Γ(prior)."""

    prior: float

    def __call__(self, counts: NDArray[np.int64]) -> NDArray[np.float64]:
        from scipy.special import gammaln  # here, because it takes longer to import than all the rest

        risen: NDArray[np.float64] = gammaln(counts + self.prior) - math.lgamma(self.prior)
        return risen
