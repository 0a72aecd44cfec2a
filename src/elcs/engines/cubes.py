"""Counts of all combinations of some columns, fetched a few wide ones at a time, and kept as long as they fit.

They come from a table that is asked where it lives, or from a table in memory with many rows that have weights.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol

from elcs.data import Table
from elcs.data.columns import Column
from elcs.data.warehouse.cube import Cube
from elcs.data.warehouse.expecting import Expectation
from elcs.engines.joining import Set, joined
from elcs.engines.shelf import TOGETHER, Held, Shelf
from elcs.errors import DataError

__all__ = ["Cubes"]

WIDENED = 10
"""To how many columns cubes are widened in the first round; in all others to as many as they may have."""

LATE = 3
"""From this round on cubes are widened by what has to do with them: a learner that goes through candidates one by one
asks about few variables, the next candidate not among them. On TPR of Alarm it takes 5 rounds instead of 11. And where
a guess ended a search, what else it would have gone through is fetched too: of all targets of 100 million rows of Alarm
none takes more than 6 rounds instead of 27, and less is counted in all."""

FOR_SCORES, LARGE, NARROWER = 30, 1 << 16, 2
"""How many columns a cube may have that is fetched for scores. If it has so many rows, a narrower one is made of it for
questions about so many times fewer columns."""

EXPECTED = 6
"""Where so many tests about few columns are to come, as they were guessed, a narrow cube is made at once of the one
that was fetched: the whole graph of 6.4 million distinct rows of Alarm takes 2.2 s instead of 2.7."""


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
    widened : float
        How many rows a cube may have with columns that were not asked for.
    counted : str
        What is counted, in words.
    quick : bool
        Whether a cube costs little to count, as the rows are in memory, or in a copy.
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
    def widened(self) -> float: ...
    @property
    def counted(self) -> str: ...
    @property
    def quick(self) -> bool: ...
    @property
    def first(self) -> tuple[Cube, ...]: ...

    def expected(self, positions: Sequence[int]) -> float:
        """Return how many combinations of these columns to expect, judged by the sample."""

    def most_rows(self, positions: Sequence[int]) -> int:
        """Return how many combinations of these columns may be fetched."""

    def count(self, positions: Sequence[int]) -> Cube | None:
        """Count the combinations of some columns; None if there are more than fit."""


class Cubes:
    """The cubes that were fetched of a table, and how to fetch more.

    Parameters
    ----------
    table : Countable
        What they come from.

    Attributes
    ----------
    shelf : Shelf
        The cubes that are kept.
    n_rounds, n_fetched : int
        How often cubes were fetched, and how many.
    doing : str
        What is being fetched, for those who wait.
    unsettled : bool
        Whether a test was guessed that was not settled yet.
    """

    def __init__(self, table: Countable) -> None:
        self.table = table
        self.n_rounds = self.n_fetched = 0
        self.doing = ""
        self.unsettled = False
        self.shelf = Shelf()
        self._expected: dict[Set, float] = {}
        self._sample = Expectation(table.drawn.columns, table.total)
        for cube in table.first:
            self.shelf.put(Held(cube))

    def answering(self, question: Sequence[int]) -> Held | None:
        """Return the cube that answers a test, if there is one; a narrower one is made of it if that is worth it."""
        held = self.shelf.covering(question)
        narrow = None if held is None or held.n_rows <= LARGE else held.asked_about(question)
        return held if held is None or narrow is None else self._narrow(held, narrow)

    def fetched(self, variables: Sequence[int], often: Sequence[int] = ()) -> Held:
        """Return a cube that holds these variables; one is fetched if there is none, with those asked about `often`."""
        if self.shelf.covering(variables) is None:
            self.fetch([frozenset(variables)], often)
        held = self.shelf.covering(variables)
        assert held is not None
        return held

    def holding(
        self, core: Set, others: Sequence[int], often: Counter[int], before_fetching: Callable[[], None]
    ) -> Iterator[tuple[Held, list[int]]]:
        """Yield cubes that hold some variables, each with those of the others that it holds; in the end all were there.

        What no cube holds is fetched, with as many columns more as a cube may have: those that were asked about most
        `often` in this company, and then those that are near.
        """
        left = list(others)
        while True:
            held = self.shelf.most_of(core, left)
            if held is None:
                wanted = self._filled(core.union(left[:1]), left[1:], FOR_SCORES)
                likely = dict.fromkeys((*(v for v, _ in often.most_common()), *self._near(core)))
                self._fetch_each([(wanted, [wanted])], "for scores", FOR_SCORES, list(likely), before_fetching)
                continue
            some = [v for v in left if v in held.variables]
            wanted = core.union(some)
            if held.n_rows > LARGE and NARROWER * len(wanted) <= len(held.variables):
                held = self._narrow(held, wanted)
            yield held, some
            left = [v for v in left if v not in held.variables]
            if not left:
                return

    def _filled(self, core: Set, others: Sequence[int], width: int, most: float = math.inf) -> Set:
        """Return the core with as many of the others, in this order, as a cube of so many columns and rows may have."""
        more = [v for v in others if v not in core]
        while more and len(core) < width:
            some = more[: width - len(core)]
            n = bisect_left(range(1, len(some) + 1), True, key=lambda n: not self._fits(core.union(some[:n]), most))
            core, more = core.union(some[:n]), more[n + 1 :]
            if self.table.quick:  # to go on without the one that did not fit would cost more than it saves
                break
        return core

    def fetch(
        self,
        sets: Iterable[Set],
        often: Sequence[int] = (),
        check: Callable[[], None] = lambda: None,
        ahead: Iterable[Set] = (),
    ) -> None:
        """Fetch cubes that cover these sets, as many as fit in memory; `check` is called before each.

        Late rounds also cover what will be asked about if guesses are wrong (`ahead`), as far as that fits. Narrow
        cubes are widened, the more the later it is: a late round asks for little, and would be followed by others.
        First by the variables that are asked about most (`often`), later by those near the ones in the cube.
        """
        self.n_rounds += 1
        width = WIDENED if self.n_rounds == 1 else self.table.widest
        asked = frozenset(sets)
        groups = joined(asked, self.table.widest, self._fits, more=ahead if self.n_rounds >= LATE else ())
        plan = [(Set().union(*members), [wanted for wanted in members if wanted in asked]) for members in groups]
        plan.sort(key=lambda one: not one[1])  # what nobody has asked about yet comes last
        self._fetch_each(plan, f"round {self.n_rounds}", width, often if self.n_rounds < LATE else None, check)

    def _fetch_each(
        self,
        plan: list[tuple[Set, list[Set]]],
        when: str,
        width: int,
        often: Sequence[int] | None,
        check: Callable[[], None],
    ) -> None:
        """Fetch cubes, each of some columns, among which are sets that were asked about."""
        room, before = self.table.room, list(self.shelf.held)
        try:
            for n, (union, members) in enumerate(plan, start=1):
                self.doing = f"{when}, counting {n} of {len(plan)}"
                check()
                for cube in self._cubes(union, members, often, width):
                    room -= sum(held.n_bytes for held in self._with_narrow(Held(cube), members))
                if room < 0:
                    break
        finally:
            self.doing = ""
        self._make_room(before)

    def _with_narrow(self, held: Held, sets: Sequence[Set]) -> Iterator[Held]:
        """Hold a cube, and narrow ones made of it for those of the sets that are worth it."""
        yield self.shelf.put(held)
        if self.table.quick and held.n_rows > LARGE:  # elsewhere they would take the room of what is dear
            for some in joined([wanted for wanted in sets if wanted <= held.variables], TOGETHER):
                if len(some) >= EXPECTED:
                    yield self.shelf.put(held.narrowed(Set().union(*some)))

    def _make_room(self, some: Iterable[Held]) -> None:
        """Let some cubes go if all do not fit; what they told is remembered as answers.

        Those that have not been of use for longest go first, but what would have to be asked for again goes last.
        """
        if self.shelf.n_bytes > self.table.room:
            dear = not self.table.quick
            going = sorted(some, key=lambda held: (dear and not held.narrow, held.used))
            self.shelf.let_go(going, self.table.room)

    def _cubes(
        self, union: Set, members: list[Set], often: Sequence[int] | None = (), width: int = 0
    ) -> Iterable[Cube]:
        """Fetch a union of sets; if it has more combinations than fit, that of a half of its members at a time.

        It is widened by what is asked about often or, if that is not said, by what is near.
        """
        union = self._filled(union, self._near(union) if often is None else often, width, self.table.widened)
        self.n_fetched += 1
        cube = self.table.count(sorted(union))
        if cube is not None:
            yield cube
        elif len(members) > 1:
            for half in (members[::2], members[1::2]):
                yield from self._cubes(Set().union(*half), half)
        elif members and union != members[0]:
            yield from self._cubes(members[0], members)
        elif members:
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

    def _fits(self, variables: Set, most: float = math.inf) -> bool:
        return self._expect(variables) <= min(self.table.most_rows(sorted(variables)), most)

    def _expect(self, variables: Set) -> float:
        """Return how many rows a cube of these variables is to have."""
        if variables not in self._expected:
            self._expected[variables] = self.table.expected(sorted(variables))
        return self._expected[variables]

    def _narrow(self, held: Held, variables: Set) -> Held:
        """Make a cube of some columns of another; nothing goes for it that would have to be asked for again."""
        before = list(self.shelf.held)
        narrow = self.shelf.put(held.narrowed(variables))
        self._make_room(before if self.table.quick else [held for held in self.shelf.held if held.narrow])
        return narrow
