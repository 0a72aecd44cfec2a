"""Tests on contingency tables: the likelihood-ratio test G2 and Pearson's chi-squared test.

The statistic is summed over the strata, that is, the combinations of levels of the conditioning variables, and
so are the degrees of freedom, which are counted over the levels that occur in each stratum. A test is reliable
if there are at least five rows per cell of the full table. Where values are missing, a test rests on the rows that have
all of its variables, as if there were no others.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar, Literal

from elcs.data import Table
from elcs.engines import Engine, Rule, make_engine
from elcs.errors import ElcsError
from elcs.independence.base import CITest, TestResult

__all__ = ["G2", "Chi2"]


class G2(CITest):
    """The G2 test of conditional independence between discrete variables.

    Parameters
    ----------
    data : table
        Anything that `Table.from_any` takes.
    alpha : float
        Level of significance.
    engine : {"memory", "reference"} or Engine
        What counts the rows: the compiled engine, the one in plain numpy, or an engine already made from these data.
    cache_size : int
        Number of answers to remember (32 bytes each); 0 switches the cache off.
    rows_per_cell : float
        A test with fewer rows per cell than this is not reliable.

    Examples
    --------
    >>> import elcs
    >>> ci = elcs.G2({"rain": [0, 0, 1, 1] * 25, "wet": [0, 0, 1, 1] * 24 + [0, 1, 1, 1], "dice": [1, 2] * 50})
    >>> ci.independent("rain", "wet")
    False
    >>> ci.test("rain", "dice", ["wet"])
    TestResult(statistic=1.36669, dof=1, p_value=0.2424, reliable=True, independent=True)
    >>> ci.n_asked, ci.n_computed
    (2, 2)
    """

    accepts = ("discrete",)
    statistic: ClassVar[Literal["g2", "chi2"]] = "g2"
    statistic_name = "G2"

    def __init__(
        self,
        data: Any,
        *,
        alpha: float = 0.01,
        engine: Literal["memory", "reference"] | Engine = "memory",
        cache_size: int = 1 << 20,
        rows_per_cell: float = 5.0,
    ) -> None:
        if not 0 < alpha < 1:
            raise ElcsError(f"alpha must lie between 0 and 1, not {alpha!r}")
        if cache_size < 0:
            raise ElcsError(f"cache_size must not be negative, but is {cache_size!r}")
        table = Table.from_any(data)
        table.require(self.accepts)
        self.alpha = alpha
        self.engine = make_engine(engine, table)
        import scipy.special  # noqa: F401  # needed by the first test, which should not be charged for it

        rule = Rule(statistic=self.statistic, alpha=alpha, rows_per_cell=rows_per_cell)
        super().__init__(table.names, self.engine.tester(rule, cache_size=cache_size), table)


class Chi2(G2):
    """Pearson's chi-squared test of conditional independence; takes what `G2` takes.

    Examples
    --------
    >>> import elcs
    >>> elcs.Chi2({"a": [0, 1] * 50, "b": [0, 0, 1, 1] * 25}).test("a", "b").p_value
    1.0
    """

    statistic = "chi2"
    statistic_name = "chi2"

    def strength(self, result: TestResult) -> float | None:
        """Return the square root of chi2 / n, which for two levels each is their correlation; at most 1."""
        return math.sqrt(min(result.statistic / result.n_rows, 1.0)) if result.n_rows > 0 else None
