"""Counts of all combinations of some columns, fetched a few wide ones at a time, and kept as long as they fit.

They come from a table that is asked where it lives, or from a table in memory with many rows that have weights.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Protocol

from elcs.data import Table
from elcs.data.columns import Column
from elcs.data.warehouse.cube import Cube
from elcs.data.warehouse.expecting import Expectation
from elcs.engines.collapsing import collapse
from elcs.engines.joining import Set, joined
from elcs.engines.memory import MemoryEngine
from elcs.errors import DataError

__all__ = ["Cubes", "Held"]

WIDENED = 10
"""To how many columns cubes are widened in the first round; in all others to as many as they may have."""

LATE = 3
"""From this round on cubes are widened by what has to do with them: a learner that goes through candidates one by one
asks about few variables, the next candidate not among them. On TPR of Alarm it takes 5 rounds instead of 11."""

FOR_SCORES, LARGE, NARROWER = 30, 1 << 14, 2
"""How many columns a cube may have that is fetched for scores. If it has so many rows, a narrower one is made of it for
questions about so many times fewer columns."""

TOGETHER, WORTH, EXPECTED = 10, 12, 6
"""If a large cube answers 12 tests in a row about 10 columns in all, a narrower one is made of it, which takes about as
long as they did. Eight targets of a million distinct rows of Insurance take 12.4 s instead of 17.7. Where 6 such tests
are to come, as they were guessed, it is made at once: the whole graph of 6.4 million of Alarm takes 6.3 s, not 7.8."""


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
    room : int
        How many bytes the cubes that are kept may take.
    widest : int
        How many columns a cube may have.
    counted : str
        What is counted, in words.
    at_hand : bool
        Whether the rows are in memory, so that a cube costs little to count again.
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
    def room(self) -> int: ...
    @property
    def widest(self) -> int: ...
    @property
    def counted(self) -> str: ...
    @property
    def at_hand(self) -> bool: ...
    @property
    def first(self) -> tuple[Cube, ...]: ...

    def expected(self, positions: Sequence[int]) -> float:
        """Return how many combinations of these columns to expect, judged by the sample."""

    def most_rows(self, positions: Sequence[int]) -> int:
        """Return how many combinations of these columns may be fetched."""

    def count(self, positions: Sequence[int]) -> Cube | None:
        """Count the combinations of some columns; None if there are more than fit."""


class Held:
    """A cube that is kept; it is laid out when it is first asked. A `narrow` one was made of another."""

    def __init__(self, cube: Cube, *, narrow: bool = False) -> None:
        self.narrow = narrow
        self.variables = frozenset(cube.positions)
        self.position = {v: n for n, v in enumerate(cube.positions)}
        self.n_rows = cube.table.n_rows
        a_row = 8 + sum(codes.itemsize for codes in cube.table.codes) + sum(map(len, cube.table.levels)) // 8
        self.n_bytes = self.n_rows * a_row
        self.table = cube.table
        self._together, self._n_together = Set(), 0

    def asked_about(self, question: Sequence[int]) -> Set | None:
        """Note a question; return what so many were about in a row that a narrower cube is worth it, else None."""
        together = self._together.union(question)
        if len(together) > TOGETHER:
            self._together, self._n_together = Set(question), 1
            return None
        self._together, self._n_together = together, self._n_together + 1
        return together if self._n_together % WORTH == 0 else None

    @cached_property
    def engine(self) -> MemoryEngine:
        """What counts it."""
        return MemoryEngine(self.table)

    def narrowed(self, variables: Set) -> Held:
        """Return a cube of some of its variables."""
        at = sorted(variables)
        return Held(Cube(tuple(at), collapse(self.table, [self.position[v] for v in at])), narrow=True)


class Cubes:
    """The cubes that were fetched of a table, and how to fetch more.

    Parameters
    ----------
    table : Countable
        What they come from.

    Attributes
    ----------
    n_rounds, n_fetched : int
        How often cubes were fetched, and how many.
    doing : str
        What is being fetched, for those who wait.
    """

    def __init__(self, table: Countable) -> None:
        self.table = table
        self.n_rounds = self.n_fetched = 0
        self.doing = ""
        self._held: list[Held] = []
        self._expected: dict[Set, float] = {}
        self._sample = Expectation(table.drawn.columns, table.total)
        for cube in table.first:
            self._hold(Held(cube))

    def covering(self, variables: Iterable[int]) -> Held | None:
        """Return the smallest cube that holds these variables, if there is one."""
        wanted = frozenset(variables)
        return next((held for held in self._held if wanted <= held.variables), None)

    def answering(self, question: Sequence[int]) -> Held | None:
        """Return the cube that answers a test, if there is one; a narrower one is made of it if that is worth it."""
        held = self.covering(question)
        narrow = None if held is None or held.n_rows <= LARGE else held.asked_about(question)
        return held if held is None or narrow is None else self._narrow(held, narrow)

    def fetched(self, variables: Sequence[int], often: Sequence[int] = ()) -> Held:
        """Return a cube that holds these variables; one is fetched if there is none, with those asked about `often`."""
        if self.covering(variables) is None:
            self.fetch([frozenset(variables)], often)
        held = self.covering(variables)
        assert held is not None
        return held

    def holding(
        self, core: Set, others: Sequence[int], before_fetching: Callable[[], None]
    ) -> Iterator[tuple[Held, list[int]]]:
        """Yield cubes that hold some variables, each with those of the others that it holds; in the end all were there.

        What no cube holds is fetched, with as many columns more as a cube may have.
        """
        left = list(others)
        while True:
            held = self._most_of(core, left)
            if held is None:
                self._fetch_each([[self._as_many(core, left)]], "for scores", FOR_SCORES, None, before_fetching)
                continue
            some = [v for v in left if v in held.variables]
            wanted = core.union(some)
            if held.n_rows > LARGE and NARROWER * len(wanted) <= len(held.variables):
                held = self._narrow(held, wanted)
            yield held, some
            left = [v for v in left if v not in held.variables]
            if not left:
                return

    def _most_of(self, core: Set, others: Sequence[int]) -> Held | None:
        """Return the cube that holds most of the others, the smallest if there are several; it must hold the core."""
        held = max(
            (held for held in self._held if core <= held.variables),
            key=lambda held: len(held.variables.intersection(others)),
            default=None,
        )
        return None if held is None or (others and held.variables.isdisjoint(others)) else held

    def _as_many(self, core: Set, others: Sequence[int]) -> Set:
        """Return the core with as many of the others as a cube may have, one at least if there is any."""
        union = core.union(others[:1])
        for v in others[1:]:
            if len(union) < FOR_SCORES and self._fits(union | {v}):
                union |= {v}
        return union

    def fetch(self, sets: Iterable[Set], often: Sequence[int] = (), check: Callable[[], None] = lambda: None) -> None:
        """Fetch cubes that cover these sets, as many as fit in memory; `check` is called before each.

        Narrow cubes are widened, the more the later it is: a late round asks for little, and would be followed by
        others. First by the variables that are asked about most (`often`), later by those near the ones in the cube.
        """
        self.n_rounds += 1
        width = WIDENED if self.n_rounds == 1 else self.table.widest
        plan = joined(sets, self.table.widest, self._fits)
        self._fetch_each(plan, f"round {self.n_rounds}", width, often if self.n_rounds < LATE else None, check)

    def _fetch_each(
        self, plan: list[list[Set]], when: str, width: int, often: Sequence[int] | None, check: Callable[[], None]
    ) -> None:
        room, before = self.table.room, list(self._held)
        for n, members in enumerate(plan, start=1):
            self.doing = f"{when}, counting {n} of {len(plan)}"
            check()
            for cube in self._cubes(members, often, width):
                room -= sum(held.n_bytes for held in self._with_narrow(Held(cube), members))
            if room < 0:
                break
        self.doing = ""
        self._make_room(before)

    def _with_narrow(self, held: Held, sets: Sequence[Set]) -> Iterator[Held]:
        """Hold a cube, and narrow ones made of it for those of the sets that are worth it."""
        yield self._hold(held)
        if held.n_rows > LARGE:
            for some in joined([wanted for wanted in sets if wanted <= held.variables], TOGETHER):
                if len(some) >= EXPECTED:
                    yield self._hold(held.narrowed(Set().union(*some)))

    def _make_room(self, some: Iterable[Held]) -> None:
        """Let some cubes go if all do not fit, the largest first; what they told is remembered as answers.

        What would have to be asked for again goes last.
        """
        going = sorted(some, key=lambda held: (held.narrow and not self.table.at_hand, held.n_rows))
        while going and sum(held.n_bytes for held in self._held) > self.table.room:
            self._held.remove(going.pop())

    def _cubes(self, members: list[Set], often: Sequence[int] | None = (), width: int = 0) -> Iterable[Cube]:
        """Fetch the union of some sets; if it has more combinations than fit, that of a half of them at a time.

        It is widened by what is asked about often or, if that is not said, by what is near.
        """
        union = frozenset[int]().union(*members)
        for v in self._near(union) if often is None else often:
            if len(union) < width and self._fits(union | {v}):
                union |= {v}
        self.n_fetched += 1
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

    def _near(self, variables: Set) -> list[int]:
        """Return the other variables, those first that have most to do with one of these in the sample."""
        others = (v for v in range(len(self.table.names)) if v not in variables)
        return sorted(others, key=lambda v: -max(self._sample.association(v, w) for w in variables))

    def _too_many(self, variables: Iterable[int]) -> str:
        at = sorted(variables)
        names, most = [self.table.names[v] for v in at], self.table.most_rows(at)
        return (
            f"{', '.join(map(repr, names))} have more than {most:,} {self.table.counted}, too many "
            "for the memory that may be used; raise memory= (--memory), lower max_cond_size= (--max-cond-size), or "
            "merge levels"
        )

    def _fits(self, variables: Set) -> bool:
        return self._expect(variables) <= self.table.most_rows(sorted(variables))

    def _expect(self, variables: Set) -> float:
        """Return how many rows a cube of these variables is to have."""
        if variables not in self._expected:
            self._expected[variables] = self.table.expected(sorted(variables))
        return self._expected[variables]

    def _narrow(self, held: Held, variables: Set) -> Held:
        """Make a cube of some columns of another; nothing goes for it that would have to be asked for again."""
        before = list(self._held)
        narrow = self._hold(held.narrowed(variables))
        self._make_room(before if self.table.at_hand else [held for held in self._held if held.narrow])
        return narrow

    def _hold(self, held: Held) -> Held:
        self._held = sorted([*self._held, held], key=lambda h: h.n_rows)
        return held
