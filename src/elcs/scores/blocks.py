"""The score for tables of numbers and levels: each variable is a block of columns, as if all of them were Gaussian.

The criterion of G. Schwarz (1978), Estimating the dimension of a model, Annals of Statistics 6(2), on blocks of columns
as in B. Andrews, J. Ramsey and G. F. Cooper (2019), Learning high-dimensional directed acyclic graphs with mixed
data-types, PMLR 104. The blocks are those by which the test `Mixed` holds variables fixed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

from elcs.engines._kernels import Families
from elcs.engines.gram import MOST_LEVELS, GramEngine, by_ranks
from elcs.scores.score import Score

__all__ = ["Blocks"]


class Blocks(Score):
    """The score for tables of numbers and levels, whatever the numbers are distributed like.

    A numeric column becomes a block of columns: its normal score u, u² - 1, u³ - 3u and, if a fifth of the rows share
    one value, the indicator of that value. A discrete column becomes the indicators of its levels but the most
    frequent, or of the 30 most frequent levels if there are more than 31. The score of a variable is the log-likelihood
    of its block given those of its parents, as if all columns were Gaussian: -n/2 times the logarithm of the
    determinant of the correlations that are left.

    A parent costs ln p, and f/2 ln m for each column of its block and each column of the child's; p is the number of
    variables, m how many rows tell of that parameter, and f the square root of n/500, but at least 1, where n is the
    number of rows. All rows tell of a number, and of a level those that have it: of the parameter of two columns,
    n times the shares of both, but at least ten. Blocks only approximate how variables depend on each other, and with
    many rows false edges would make up for that; hence f.

    Where values are missing, families rest on different rows. So parents are taken off one by one, the weakest first;
    what each adds is measured on the rows that have it and all that are left, and scaled up to all rows. Parents with
    which fewer than thirty rows more than columns are left are worth nothing.

    Without gaps, networks of one equivalence class score the same. To each column noise is added, a millionth of its
    variance: so the score is finite where one follows from others, as a copy does, what has nothing to do with them
    does not change it, and it is still the same for all networks of a class.

    Where it errs: with fewer than about 50 rows three parents can explain anything, and it finds edges where there are
    none. Columns of many levels have many parameters, so it misses weak edges at them that tests find: at 2,000 rows,
    what 20 levels tell of a number is an edge from about a fifth of its variance on, what 40 tell from about a third.

    Parameters
    ----------
    data : table
        Anything that `Table.from_any` takes.
    cache_size : int
        Number of scores to remember (about 150 bytes each); 0 switches the cache off.

    Examples
    --------
    >>> import elcs, numpy as np
    >>> x = np.linspace(-1, 1, 101)
    >>> score = elcs.Blocks({"x": x, "square": x * x, "side": np.arange(101) % 2 == 0})
    >>> score.local("square", ["x"]) > score.local("square") > score.local("square", ["side"])
    True
    """

    most_levels = MOST_LEVELS
    few_rows: ClassVar[float] = 500

    def __init__(self, data: Any, *, cache_size: int = 1 << 20) -> None:
        super().__init__(data, cache_size=cache_size)
        self.price_of_parent = math.log(len(self.variables))
        engine = GramEngine.of(self.data, by_ranks)
        self._blocks = engine.blocks(few_rows=self.few_rows, price_of_parent=self.price_of_parent)

    def measure(self, child: int, parents: Sequence[int]) -> float:
        """Return the log-likelihood of the child's block given those of the parents, less what the parents cost."""
        return self._blocks.score(child, parents)

    def _make_families(self) -> Families:
        if type(self).measure is not Blocks.measure:
            return super()._make_families()
        return Families.blocks(self._blocks, cache_size=self._cache_size)
