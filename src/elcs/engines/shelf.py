"""The cubes that are kept: which of them holds what is asked about, and which go if there is no room for all."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Sequence
from functools import cached_property

from elcs.data.warehouse.cube import Cube
from elcs.engines.collapsing import collapse
from elcs.engines.joining import Set, mask_of
from elcs.engines.memory import MemoryEngine

__all__ = ["TOGETHER", "Held", "Shelf"]

TOGETHER, WORTH = 10, 12
"""If a large cube answers 12 tests in a row about 10 columns in all, a narrower one is made of it, which takes about as
long as they did. Eight targets of a million distinct rows of Insurance take 12.4 s instead of 17.7."""


class Held:
    """A cube that is kept; it is laid out when it is first asked. A `narrow` one was made of another."""

    def __init__(self, cube: Cube, *, narrow: bool = False) -> None:
        self.narrow = narrow
        self.variables = frozenset(cube.positions)
        self.mask = mask_of(cube.positions)
        self.position = {v: n for n, v in enumerate(cube.positions)}
        self.n_rows = cube.table.n_rows
        a_row = 8 + sum(codes.itemsize for codes in cube.table.codes) + sum(map(len, cube.table.levels)) // 8
        self.n_bytes = self.n_rows * a_row
        self.table = cube.table
        self.used = 0  # when, by the clock of the shelf
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


class Shelf:
    """Cubes, those of fewer rows first.

    Attributes
    ----------
    held : list of Held
        The cubes.
    n_bytes : int
        What they take.
    """

    def __init__(self) -> None:
        self.held: list[Held] = []
        self.n_bytes = 0
        self._clock = 0

    def put(self, held: Held) -> Held:
        """Keep a cube."""
        insort(self.held, held, key=lambda h: h.n_rows)
        self.n_bytes += held.n_bytes
        return self._using(held)

    def covering(self, variables: Iterable[int]) -> Held | None:
        """Return the smallest cube that holds these variables, if there is one."""
        wanted = mask_of(variables)
        found = next((held for held in self.held if wanted & ~held.mask == 0), None)
        return None if found is None else self._using(found)

    def most_of(self, core: Set, others: Sequence[int]) -> Held | None:
        """Return the cube that holds most of the others, the smallest if there are several; it must hold the core."""
        mask, wanted = mask_of(core), mask_of(others)
        found = max(
            (held for held in self.held if mask & ~held.mask == 0),
            key=lambda held: (held.mask & wanted).bit_count(),
            default=None,
        )
        return None if found is None or (others and not found.mask & wanted) else self._using(found)

    def let_go(self, going: Iterable[Held], room: int) -> None:
        """Let cubes go, in this order, until the others take no more bytes than there is room for."""
        for held in going:
            if self.n_bytes <= room:
                return
            self.held.remove(held)
            self.n_bytes -= held.n_bytes

    def _using(self, held: Held) -> Held:
        self._clock += 1
        held.used = self._clock
        return held
