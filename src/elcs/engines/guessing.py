"""The engine for tables that are too large to go through for every question: guess from a sample, settle on the whole.

A question is answered from the smallest *cube* that covers it, exactly: a cube holds the counts of all combinations of
some columns. If there is none, one is fetched. To fetch few of them, whoever can ask everything again may have answers
guessed from a sample instead: each question is noted, `settle` fetches what was guessed as a few wide cubes, and the
learner is run again, until nothing is guessed any more. With every round at least the first answer that was guessed
becomes exact, so that this ends.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from elcs.data.naming import counted
from elcs.engines.base import Answer, Answers, Otherwise, Rule, Tester, Verdict
from elcs.engines.cubes import Countable, Cubes
from elcs.engines.memory import MemoryEngine
from elcs.engines.scoring import CubeScorer
from elcs.engines.sequential import SequentialTester, question_of
from elcs.engines.shelf import Held
from elcs.errors import BudgetError

__all__ = ["CubeEngine", "CubeTester"]

NOT_TESTED: Answer = (0.0, 0, int(Verdict.UNRELIABLE), 0, 1)


class CubeEngine:
    """Counts a table by cubes.

    Parameters
    ----------
    table : Countable
        What the cubes come from.

    Attributes
    ----------
    cubes : Cubes
        What was fetched so far.
    """

    name = "memory"

    def __init__(self, table: Countable) -> None:
        self.levels = tuple(len(levels) for levels in table.levels)
        self.total = table.total
        self.cubes = Cubes(table)
        self.drawn = MemoryEngine(table.drawn)

    def counts(self, variables: Sequence[int]) -> NDArray[np.int64]:
        """Return the contingency table of these variables, one axis each."""
        held = self.cubes.fetched(variables)
        return held.engine.counts([held.position[v] for v in variables])

    def family_sum(
        self, variables: Sequence[int], of_cells: NDArray[np.float64], of_configurations: NDArray[np.float64]
    ) -> float:
        """Add up a function of the cells, minus one of the cells without the last variable."""
        held = self.cubes.fetched(variables)
        return held.engine.family_sum([held.position[v] for v in variables], of_cells, of_configurations)

    def scorer(self, *, ess: float = 0.0, price: float = 0.0) -> CubeScorer:
        """Return what scores families: by BDeu, or BIC at this price of a parameter if `ess` is 0."""
        return CubeScorer(self.cubes, len(self.levels), ess=ess, price=price)

    def tester(self, rule: Rule, *, cache_size: int) -> Tester:
        """Return a tester."""
        return CubeTester(self, rule, cache_size=max(cache_size, 1 << 16))


class CubeTester(SequentialTester):
    """Answers from cubes, and guesses where there is none.

    Parameters
    ----------
    engine : CubeEngine
        What counts.
    rule : Rule
        How counts become verdicts.
    cache_size : int
        Number of answers to remember.

    Attributes
    ----------
    otherwise : {"fetch", "guess", "stop", "skip"}
        What to do about a question that no cube covers: fetch one, guess, stop as at a limit, or say that it was not
        tested.
    """

    otherwise: Otherwise = "fetch"

    def __init__(self, engine: CubeEngine, rule: Rule, *, cache_size: int) -> None:
        super().__init__(self._answer, cache_size=cache_size, rows=engine.total)
        self.engine = engine
        self._rule = rule
        self._drawn = engine.drawn.tester(rule, cache_size=0)
        self._testers: WeakKeyDictionary[Held, Tester] = WeakKeyDictionary()  # so that cubes can go
        self._guessed: dict[tuple[int, ...], None] = {}
        self._settled: set[tuple[int, ...]] = set()
        self._often: Counter[int] = Counter()
        self._ending: dict[tuple[int, ...], tuple[int, ...]] = {}  # what was searched, by the guess that ended it

    def settle(self, check: Callable[[], None] = lambda: None) -> bool:
        """Fetch what was guessed since the last call; False if nothing was, so that all answers given are exact."""
        self.engine.cubes.unsettled = False
        if self.otherwise == "skip":  # what was not tested shall not be remembered
            self.clear_cache()
            self._guessed.clear()
            self._ending.clear()
        if not self._guessed:
            return False
        for question in self._guessed:
            self._cache.pop(question, None)
        often, sets = self._most_asked, [frozenset(question) for question in self._guessed]
        ending, self._ending = self._ending, {}
        ahead = (frozenset((*question, z)) for question, among in ending.items() for z in among)
        again = [question for question in self._guessed if question in self._settled]
        if len(self._settled) > self._cache_size:
            self._settled.clear()
        self._settled.update(self._guessed)
        self._guessed.clear()
        self.engine.cubes.fetch(sets, often, check, ahead)
        for question in again:  # its cube had gone before it was asked again, as scores need room for theirs
            if self.engine.cubes.shelf.covering(question) is not None:  # there may have been no room for all
                self._computed(question)
        self._often.clear()
        return True

    @property
    def doing(self) -> str:
        """What is being fetched right now, if anything is."""
        return self.engine.cubes.doing

    @property
    def _most_asked(self) -> list[int]:
        return [v for v, _ in self._often.most_common()]

    def independent(self, x: int, y: int, given: Sequence[int]) -> bool:
        """Tell whether the verdict is independent."""
        if self._hopeless((x, y, *given)):
            self.unreliable += 1
            return False
        return super().independent(x, y, given)

    def association(self, x: int, y: int, given: Sequence[int]) -> float:
        """Return the statistic if the verdict is dependent, else 0."""
        return 0.0 if self._hopeless((x, y, *given)) else super().association(x, y, given)

    def separator(
        self, x: int, y: int, among: Sequence[int], sizes: Sequence[int], containing: Sequence[int]
    ) -> list[int] | None:
        """Return the positions in `among` of the first subset that separates x and y.

        If this is a guess and wrong, the search will go on among the others, of which a note is made.
        """
        found = super().separator(x, y, among, sizes, containing)
        if found is not None:
            question = question_of(x, y, [among[i] for i in found])
            if question in self._guessed:
                self._ending[question] = tuple(among)
        return found

    def test_many(self, questions: NDArray[np.int32], skip_unreliable: bool) -> Answers:
        """Answer many questions, each a row padded with -1."""
        if not skip_unreliable:
            return super().test_many(questions, False)
        rows = [[v for v in row if v >= 0] for row in questions.tolist()]
        skipped = (*NOT_TESTED[:3], self.engine.total, 1)
        answers = [skipped if self._hopeless(row) else self.test(row[0], row[1], row[2:]) for row in rows]
        return self._in_columns(answers)

    def _hopeless(self, question: Sequence[int]) -> bool:
        """Tell whether a question cannot be tested for sure, and charge for it if so; gaps leave even fewer rows."""
        cells = math.prod(float(self.engine.levels[v]) for v in question)
        if self.engine.total >= self._rule.rows_per_cell * cells:
            return False
        self.budget.spend()
        self.asked += 1
        return True

    def _answer(self, x: int, y: int, given: tuple[int, ...]) -> Answer:
        question = (x, y, *given)
        self._often.update(question)
        held = self.engine.cubes.answering(question)
        if held is None and self.otherwise == "fetch":
            held = self.engine.cubes.fetched(question, self._most_asked)
        if held is not None:
            if held not in self._testers:
                self._testers[held] = held.engine.tester(self._rule, cache_size=0)
            at = held.position
            return self._testers[held].test(at[x], at[y], [at[z] for z in given])
        if self.otherwise == "stop":
            raise BudgetError(f"{counted(len(question), 'column')} would have to be counted")
        self._guessed[question] = None
        if self.otherwise == "skip":
            return NOT_TESTED
        self.engine.cubes.unsettled = True
        return self._guess(x, y, given)

    def _guess(self, x: int, y: int, given: tuple[int, ...]) -> Answer:
        """Answer from the sample; where it says dependent, what the statistic would be with all rows."""
        statistic, dof, _, rows, best_of = self._drawn.test(x, y, given)
        grown = self.engine.total / max(self.engine.drawn.total, 1)
        cells = math.prod(float(self.engine.levels[v]) for v in (x, y, *given))
        verdict = self._rule.verdict(statistic, dof, total=int(rows * grown), cells=cells)
        if verdict == Verdict.DEPENDENT:
            statistic = dof + (statistic - dof) * grown
        return statistic, dof, int(verdict), int(rows * grown), best_of
