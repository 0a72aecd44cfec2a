"""Scores of families by cubes, many in one trip.

Nothing is guessed here: what is not at hand is fetched, in wide cubes. A search asks about a variable with each of its
candidates, then about subsets of these, and again with one candidate more. So a cube that is fetched for a variable
gets the columns that were asked about with it before: 6.4 million distinct rows of Alarm take 89 cubes instead of 170.
What to score follows from tests, so those that were guessed are settled first, and some of their cubes serve scores as
well: then it is 57.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from weakref import WeakKeyDictionary

from elcs.engines._kernels import Families
from elcs.engines.base import Otherwise, UnsettledError
from elcs.engines.cubes import Cubes
from elcs.engines.shelf import Held
from elcs.errors import BudgetError

__all__ = ["CubeScorer"]

OF_A_SCORE, FEW_SCORES = 200, 1 << 16
"""Scores are remembered in as much memory as cubes, at so many bytes each, and at least so many. The kernel does not
remember all that it asks for. What it asks for again may need cubes that are gone, and these drive out what was fetched
for tests: Insurance in 60 MB went round for ever."""


class CubeScorer:
    """A function that scores families, as the kernel asks for it (`Families.foreign`).

    Parameters
    ----------
    cubes : Cubes
        What the counts come from.
    n_variables : int
        How many variables the table has.
    ess, price : float
        The score, as `MemoryEngine.families` takes it.

    Attributes
    ----------
    otherwise : {"fetch", "guess", "stop", "skip"}
        What to do about a family that no cube holds: fetch one, or stop as at a limit. Where tests guess, they are
        settled before one is fetched.
    """

    otherwise: Otherwise = "fetch"

    def __init__(self, cubes: Cubes, n_variables: int, *, ess: float, price: float) -> None:
        self._cubes = cubes
        self._n_variables = n_variables
        self._ess = ess
        self._price = price
        self._often: defaultdict[int, Counter[int]] = defaultdict(Counter)  # what was asked about, by child
        self._families: WeakKeyDictionary[Held, Families] = WeakKeyDictionary()  # so that cubes can go
        self._known: dict[tuple[int, ...], float] = {}

    def __call__(self, child: int, parents: Sequence[int], others: Sequence[int]) -> list[float]:
        """Return the score with each of the others as one parent more, or with the parents alone if there are none."""
        if len(self._known) > max(self._cubes.table.room // OF_A_SCORE, FEW_SCORES):
            self._known.clear()
        families = [(child, *sorted((*parents, v))) for v in others] or [(child, *parents)]
        unknown = [v for v, family in zip(others, families, strict=False) if family not in self._known]
        if unknown or families[0] not in self._known:
            self._score(child, parents, unknown)
        return [self._known[family] for family in families]

    def _score(self, child: int, parents: Sequence[int], others: Sequence[int]) -> None:
        often = self._often[child]
        often.update(parents)
        often.update(others)
        for held, some in self._cubes.holding(frozenset((child, *parents)), others, often, self._before_fetching):
            at, families = held.position, self._families_of(held)
            base = [at[v] for v in parents]
            if not others:
                self._known[(child, *parents)] = families.scores(at[child], [base])[0]
                return
            for v, score in zip(some, families.with_each(at[child], base, [at[v] for v in some]), strict=True):
                self._known[(child, *sorted((*parents, v)))] = score

    def forget(self) -> None:
        """Forget all scores."""
        self._known.clear()

    def _families_of(self, held: Held) -> Families:
        if held not in self._families:
            self._families[held] = held.engine.families(
                ess=self._ess, price=self._price, cache_size=0, among=self._n_variables
            )
        return self._families[held]

    def _before_fetching(self) -> None:
        if self.otherwise in ("stop", "skip"):
            raise BudgetError("more columns would have to be counted")
        if self.otherwise == "guess" and self._cubes.unsettled:
            raise UnsettledError("what was guessed is to be settled first")

    @property
    def doing(self) -> str:
        """What is being fetched right now, if anything is."""
        return self._cubes.doing

    def settle(self, check: Callable[[], None]) -> bool:
        """Say that nothing was guessed."""
        self._cubes.unsettled = False
        return False
