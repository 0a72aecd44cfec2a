"""The engine for tables that are too large to go through for every question: guess from a sample, settle on the whole.

A question is answered from the smallest *cube* that covers it, exactly: a cube holds the counts of all combinations of
some columns. If there is none, one is fetched. To fetch few of them, whoever can ask everything again may have answers
guessed from a sample instead: each question is noted, `settle` fetches what was guessed as a few wide cubes, and the
learner is run again, until nothing is guessed any more. With every round at least the first answer that was guessed
becomes exact, so that this ends.

Cubes come from a table that is asked where it lives, or from a table in memory with many rows that have weights.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from elcs.data import Table
from elcs.data.columns import Column, Discrete
from elcs.data.naming import counted
from elcs.data.warehouse.expecting import expected_rows
from elcs.data.warehouse.frames import SAMPLE_ROWS
from elcs.data.warehouse.remote import Cube
from elcs.engines.base import Answer, Answers, Otherwise, Rule, Tester, Verdict
from elcs.engines.memory import MemoryEngine
from elcs.engines.sequential import SequentialTester
from elcs.errors import BudgetError, DataError

__all__ = ["Collapsed", "CubeEngine", "CubeTester"]

WIDEST = 20
"""A cube has at most so many columns."""

WIDENED = (0, 10, WIDEST)
"""To how many columns cubes are widened in the first round, the second, and all others."""

FEWER = 4
"""A cube of a table in memory must have so many times fewer rows, or else it is not worth making."""

JOINED = 8
"""How many cubes are considered for a set of columns to join."""

NOT_TESTED: Answer = (0.0, 0, int(Verdict.UNRELIABLE), 0, 1)

Set = frozenset[int]


class Countable(Protocol):
    """What cubes come from.

    Attributes
    ----------
    names, levels, columns : tuple
        As of a `Table`.
    total : int
        The number of observations.
    drawn : Table
        A sample of the rows, to guess from.
    memory : int
        How many bytes cubes may take.
    first : tuple of Cube
        What has been counted already.
    """

    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def levels(self) -> tuple[tuple[object, ...], ...]: ...
    @property
    def columns(self) -> tuple[Column, ...]: ...
    @property
    def total(self) -> int: ...
    @property
    def drawn(self) -> Table: ...
    @property
    def memory(self) -> int: ...
    @property
    def first(self) -> tuple[Cube, ...]: ...

    def most_rows(self, n_columns: int) -> int:
        """Return how many combinations of so many columns may be fetched."""

    def count(self, positions: Sequence[int]) -> Cube | None:
        """Count the combinations of some columns; None if there are more than fit."""


class Collapsed:
    """A table in memory with many rows that have weights, as something that cubes come from."""

    first: tuple[Cube, ...] = ()
    memory = 10**9

    def __init__(self, table: Table) -> None:
        self.names, self.levels, self.columns, self.total = table.names, table.levels, table.columns, table.total
        self._codes = table.codes
        self._weights = np.ones(table.n_rows, dtype=np.int64) if table.weights is None else table.weights
        ends, rng = np.cumsum(self._weights), np.random.default_rng(0)
        rows = np.searchsorted(ends, rng.integers(0, ends[-1], min(SAMPLE_ROWS, self.total)), "right")
        self.drawn = Table(self._taken(range(len(self.columns)), rows))

    def most_rows(self, n_columns: int) -> int:
        """Return how many combinations of so many columns may be fetched."""
        return len(self._weights) // FEWER

    def count(self, positions: Sequence[int]) -> Cube:
        """Count the combinations of some columns."""
        at = tuple(sorted(positions))
        keys, used = np.zeros(len(self._weights), dtype=np.uint64), 1
        for v in at:
            width = len(self.levels[v]) + 1
            if used * width >= 1 << 64:
                keys, used = np.unique(keys, return_inverse=True)[1].astype(np.uint64), len(self._weights)
            keys, used = keys * np.uint64(width) + self._codes[v], used * width
        order = np.argsort(keys)
        ordered = keys[order]
        firsts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
        counts = np.add.reduceat(self._weights[order], firsts)
        return Cube(at, Table(self._taken(at, order[firsts]), counts))

    def _taken(self, positions: Iterable[int], rows: NDArray[np.intp]) -> tuple[Discrete, ...]:
        """Return some rows of some columns; of whole numbers that are quantities, the levels."""
        columns = ((self.columns[v], self._codes[v][rows]) for v in positions)
        return tuple(Discrete(c.name, c.taken_for, codes, c.levels, False, c.incomplete) for c, codes in columns)


class _Held(NamedTuple):
    """A cube that was laid out."""

    variables: Set
    position: dict[int, int]
    engine: MemoryEngine
    n_rows: int
    n_bytes: int


class CubeEngine:
    """Counts a table by cubes.

    Parameters
    ----------
    table : Countable
        What the cubes come from.

    Attributes
    ----------
    n_rounds, n_cubes : int
        How often guesses were settled, and how many cubes that took.
    doing : str
        What is being fetched, for those who wait.
    """

    name = "memory"

    def __init__(self, table: Countable) -> None:
        self.table = table
        self.levels = tuple(len(levels) for levels in table.levels)
        self.incomplete = tuple(column.incomplete for column in table.columns)
        self.total = table.total
        self.drawn = MemoryEngine(table.drawn)
        self.n_rounds = self.n_cubes = 0
        self.doing = ""
        self._held: list[_Held] = []
        self._expected: dict[Set, float] = {}
        for cube in table.first:
            self._hold(cube)

    def covering(self, variables: Iterable[int]) -> _Held | None:
        """Return the smallest cube that holds these variables, if there is one."""
        wanted = frozenset(variables)
        return next((held for held in self._held if wanted <= held.variables), None)

    def counts(self, variables: Sequence[int]) -> NDArray[np.int64]:
        """Return the contingency table of these variables, one axis each."""
        held = self.fetched(variables)
        return held.engine.counts([held.position[v] for v in variables])

    def family_sum(
        self, variables: Sequence[int], of_cells: NDArray[np.float64], of_configurations: NDArray[np.float64]
    ) -> float:
        """Add up a function of the cells, minus one of the cells without the last variable."""
        held = self.fetched(variables)
        return held.engine.family_sum([held.position[v] for v in variables], of_cells, of_configurations)

    def tester(self, rule: Rule, *, cache_size: int) -> Tester:
        """Return a tester."""
        return CubeTester(self, rule, cache_size=max(cache_size, 1 << 16))

    def fetched(self, variables: Sequence[int], often: Sequence[int] = ()) -> _Held:
        """Return a cube that holds these variables; one is fetched if there is none, with those asked about `often`."""
        if self.covering(variables) is None:
            self.fetch([frozenset(variables)], often)
        held = self.covering(variables)
        assert held is not None
        return held

    def fetch(self, sets: Iterable[Set], often: Sequence[int] = (), check: Callable[[], None] = lambda: None) -> None:
        """Fetch cubes that cover these sets, as many as fit in memory; `check` is called before each.

        From the second round on, cubes are widened by the variables that are asked about most (`often`): a late round
        asks for little, and would be followed by others.
        """
        self.n_rounds += 1
        room, before = self.table.memory // 2, list(self._held)
        plan = self._plan(sets)
        for n, members in enumerate(plan, start=1):
            self.doing = f"round {self.n_rounds}, counting {n} of {len(plan)}"
            check()
            for cube in self._cubes(members, often, WIDENED[min(self.n_rounds, len(WIDENED)) - 1]):
                held = self._hold(cube)
                room -= held.n_bytes
            if room < 0:
                break
        self.doing = ""
        while before and sum(held.n_bytes for held in self._held) > self.table.memory // 2:
            self._held.remove(before.pop())  # the largest; what it told is remembered as answers

    def _cubes(self, members: list[Set], often: Sequence[int] = (), width: int = 0) -> Iterable[Cube]:
        """Fetch the union of some sets; if it has more combinations than fit, that of a half of them at a time."""
        union = frozenset[int]().union(*members)
        for v in often:
            if len(union) < width and self._fits(union | {v}):
                union |= {v}
        self.n_cubes += 1
        cube = self.table.count(sorted(union))
        if cube is not None:
            yield cube
        elif len(members) > 1:
            yield from self._cubes(members[::2])
            yield from self._cubes(members[1::2])
        elif union != members[0]:
            yield from self._cubes(members)
        else:
            raise DataError(self._too_many(union))

    def _too_many(self, variables: Iterable[int]) -> str:
        names = [self.table.names[v] for v in sorted(variables)]
        return (
            f"{', '.join(map(repr, names))} have more than {self.table.most_rows(len(names)):,} combinations, too many "
            "for the memory that may be used; raise memory= (--memory), lower max_cond_size= (--max-cond-size), or "
            "merge levels"
        )

    def _plan(self, sets: Iterable[Set]) -> list[list[Set]]:
        """Join sets into a few cubes: the largest first, each to the cube that it adds least to."""
        cubes: list[tuple[Set, list[Set]]] = []
        masks: list[int] = []  # the same as bits: there may be 100,000 sets
        for wanted in sorted(set(sets), key=lambda s: (-len(s), sorted(s))):
            mask = sum([1 << v for v in wanted])
            covering = next((n for n, cube in enumerate(masks) if mask & ~cube == 0), None)
            if covering is not None:
                cubes[covering][1].append(wanted)
                continue
            near = sorted(((mask & ~cube).bit_count(), n) for n, cube in enumerate(masks))
            for _, n in near[:JOINED]:
                cube, members = cubes[n]
                if len(cube | wanted) <= WIDEST and self._fits(cube | wanted):
                    cubes[n], masks[n] = (cube | wanted, [*members, wanted]), masks[n] | mask
                    break
            else:
                cubes.append((wanted, [wanted]))
                masks.append(mask)
        return [members for _, members in cubes]

    def _fits(self, variables: Set) -> bool:
        if variables not in self._expected:
            columns = [self.table.drawn.columns[v] for v in sorted(variables)]
            self._expected[variables] = expected_rows(columns, self.total)
        return self._expected[variables] <= self.table.most_rows(len(variables))

    def _hold(self, cube: Cube) -> _Held:
        n_rows = cube.table.n_rows
        n_bytes = n_rows * (8 + sum(column.codes.itemsize for column in cube.table.columns if column.codes is not None))
        position = {v: n for n, v in enumerate(cube.positions)}
        held = _Held(frozenset(cube.positions), position, MemoryEngine(cube.table), n_rows, n_bytes)
        self._held = sorted([*self._held, held], key=lambda h: h.n_rows)
        return held


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
        self._testers: dict[Set, Tester] = {}
        self._guessed: dict[tuple[int, ...], None] = {}
        self._often: Counter[int] = Counter()

    def settle(self, check: Callable[[], None] = lambda: None) -> bool:
        """Fetch what was guessed since the last call; False if nothing was, so that all answers given are exact."""
        if self.otherwise == "skip":  # what was not tested shall not be remembered
            self.clear_cache()
            self._guessed.clear()
        if not self._guessed:
            return False
        for question in self._guessed:
            self._cache.pop(question, None)
        often, sets = self._most_asked, [frozenset(question) for question in self._guessed]
        self._guessed.clear()
        self._often.clear()
        self._testers.clear()  # they keep cubes that may have to go
        self.engine.fetch(sets, often, check)
        return True

    @property
    def doing(self) -> str:
        """What is being fetched right now, if anything is."""
        return self.engine.doing

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
        held = self.engine.covering(question)
        if held is None and self.otherwise == "fetch":
            held = self.engine.fetched(question, self._most_asked)
        if held is not None:
            if held.variables not in self._testers:
                self._testers[held.variables] = held.engine.tester(self._rule, cache_size=0)
            at = held.position
            return self._testers[held.variables].test(at[x], at[y], [at[z] for z in given])
        if self.otherwise == "stop":
            raise BudgetError(f"{counted(len(question), 'column')} would have to be counted")
        self._guessed[question] = None
        if self.otherwise == "skip":
            return NOT_TESTED
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
