"""A table whose rows stay where they are: what is known of it are its levels, and counts when they are asked for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from elcs.data import prepare
from elcs.data.columns import Discrete
from elcs.data.listing import Description, Listing
from elcs.data.profile import Profile, first_levels
from elcs.data.table import Table
from elcs.data.warehouse.copying import Copy
from elcs.data.warehouse.cube import Cube, Margin, cube_of, say_no_rows
from elcs.data.warehouse.expecting import expected_rows
from elcs.data.warehouse.frames import Frame
from elcs.data.warehouse.groups import N_GROUPS, Groups
from elcs.errors import DataError

__all__ = ["COPIED", "FETCHED", "KEPT", "WIDENED", "WIDEST_IF_QUICK", "RemoteHalf", "RemoteTable", "list_margins"]

FETCHED, KEPT, KEPT_OF_HALVES, COPIED = 2, 4, 8, 4
"""One part in so many of the memory is for what is being fetched, for what is kept of it, for what is kept of it by
groups, or of half-samples of a copy, and once more for one half-sample; and for that copy."""

WIDEST, WIDEST_IF_QUICK, WIDENED = 30, 20, 20
"""How many columns a cube may have. Where each is a pass over the table, one column more costs the same however many
there are, and saves other cubes. Where cubes are quick to count, those of more columns have more rows, and tests take
longer: four targets of 6.4 million distinct rows of Alarm 6.7 s with 30, 6.0 with 20. And there they are widened by
what was not asked for to a twentieth of the rows and no more. Wider ones answer more, but take longer to make and ask,
and fewer can be kept: the whole graph takes 8 s by scores, and 19 with a fourth."""


@dataclass(frozen=True, eq=False, repr=False)
class RemoteTable(Table):
    """A table of which only counts are fetched, from where it lives or from a copy of its distinct rows.

    Attributes
    ----------
    frame : Frame
        What is asked.
    copy : Copy, optional
        A copy of its distinct rows, which is asked in its place.
    margins : tuple of Margin
        The columns, one by one.
    drawn : Table
        A sample of its rows, to guess from.
    memory : int
        How many bytes may be fetched at once, and kept.
    surveyed : tuple of Cube
        What had to be counted to find the levels.
    """

    frame: Frame = field(kw_only=True)
    copy: Copy | None = field(kw_only=True, default=None)
    margins: tuple[Margin, ...] = field(kw_only=True)
    drawn: Table = field(kw_only=True)
    memory: int = field(kw_only=True)
    surveyed: tuple[Cube, ...] = field(kw_only=True, default=())

    def __post_init__(self) -> None:
        self.keep("profile", lambda _: _profile(self))
        self.keep("remarks", lambda _: list[str]())

    def __getstate__(self) -> NoReturn:
        raise DataError("a table of which only counts are fetched cannot be sent to another process, or kept in a file")

    @property
    def _counting(self) -> Frame | Copy:
        return self.frame if self.copy is None else self.copy

    @property
    def total(self) -> int:
        """The number of observations."""
        return self._counting.total

    @property
    def widest(self) -> int:
        """How many columns a cube may have."""
        return WIDEST if self.copy is None else WIDEST_IF_QUICK

    @property
    def counted(self) -> str:
        """What is counted, in words."""
        return "combinations"

    @property
    def quick(self) -> bool:
        """Whether a cube costs little to count."""
        return self.copy is not None

    @property
    def first(self) -> tuple[Cube, ...]:
        """What has been counted already."""
        return self.surveyed

    @property
    def divisible(self) -> bool:
        """Whether it can be halved."""
        return self.copy is not None or self.frame.cannot_number is None

    def require_divisible(self) -> None:
        """Refuse the table if its rows cannot be told apart where they live."""
        if not self.divisible:
            raise DataError(
                f"half-samples cannot be drawn where the table lives: {self.frame.cannot_number}; raise memory= "
                "(--memory) or keep fewer columns (columns=, drop=), so that the distinct rows are fetched"
            )

    @property
    def has_rows(self) -> bool:
        """Whether its rows are at hand."""
        return False

    def level_counts(self, position: int) -> NDArray[np.int64]:
        """Return how many observations there are of each level of a column."""
        return self.margins[position].counts[:-1]

    def require_rows(self, what: str, *, tests_do: bool = True) -> NoReturn:
        """Refuse: the rows are not at hand."""
        raise DataError(say_no_rows(what, tests_do=tests_do))

    def halves(self, rng: np.random.Generator) -> tuple[Table, Table]:
        """Split the observations at random into two halves, which have about the same number of rows.

        The observations of each row of a copy are split at random. Without a copy the rows are in groups by a hash of
        their numbers, and a half has half of the groups.
        """
        self.require_divisible()
        if self.copy is not None:
            one, other = self.copy.halves(self.margins, rng)
            return replace(self, copy=one, surveyed=()), replace(self, copy=other, surveyed=())
        room = self.memory // KEPT_OF_HALVES
        groups = self.keep("groups", lambda _: Groups(self.frame, self.margins, self.drawn, room))
        chosen = np.zeros(N_GROUPS, dtype=bool)
        chosen[rng.permutation(N_GROUPS)[: N_GROUPS // 2]] = True
        known = {one.name: getattr(self, one.name) for one in fields(self) if one.init}
        return (
            RemoteHalf(**known, groups=groups, chosen=chosen),
            RemoteHalf(**known, groups=groups, chosen=~chosen),
        )

    def expected(self, positions: Sequence[int]) -> float:
        """Return how many combinations of these columns to expect."""
        return expected_rows([self.drawn.columns[v] for v in positions], self.total)

    def most_rows(self, positions: Sequence[int]) -> int:
        """Return how many combinations of these columns may be fetched."""
        return max(self.memory // (FETCHED * self._counting.row_bytes(positions)), 1)

    @property
    def room(self) -> int:
        """How many bytes cubes that are kept may take."""
        half = self.copy is not None and self.copy.is_half
        return self.memory // (KEPT_OF_HALVES if half else KEPT)

    @property
    def widened(self) -> float:
        """How many rows a cube may have with columns that were not asked for; as many as fit where queries are dear."""
        return math.inf if self.copy is None else self.copy.n_rows / WIDENED

    def count(self, positions: Sequence[int]) -> Cube | None:
        """Count the combinations of some columns; None if there are more than fit."""
        at = tuple(sorted(positions))
        counted = self._counting.count(at, self.most_rows(at))
        return None if counted is None else cube_of(at, [self.margins[i] for i in at], counted, self.frame.title)

    def describe(self) -> Description:
        """Say in a table what each column was taken for, and how often its first levels occur."""
        return Description.of(list_margins(self.margins, self.total, self.dropped))

    def __repr__(self) -> str:
        return f"RemoteTable({self.total:,} observations of {len(self.columns)} columns, of which counts are fetched)"


@dataclass(frozen=True, eq=False, repr=False)
class RemoteHalf(RemoteTable):
    """Half of the rows of a table that is asked for counts where it lives.

    Attributes
    ----------
    groups : Groups
        The rows of the table in groups.
    chosen : array of bool
        Which of the groups are in this half.
    """

    groups: Groups = field(kw_only=True)
    chosen: NDArray[np.bool_] = field(kw_only=True)

    @property
    def total(self) -> int:
        """The number of observations."""
        return int(self.groups.sizes[self.chosen].sum())

    @property
    def counted(self) -> str:
        """What is counted, in words."""
        return f"combinations in the {N_GROUPS} groups of rows that half-samples are made of"

    @property
    def first(self) -> tuple[Cube, ...]:
        """What has been counted already, for whichever half."""
        return tuple(cube.half(self.chosen) for cube in self.groups.cubes)

    @property
    def room(self) -> int:
        """How many bytes cubes that are kept may take."""
        return self.memory // KEPT_OF_HALVES

    def expected(self, positions: Sequence[int]) -> float:
        """Return how many combinations of these columns and the groups to expect."""
        return self.groups.expected(positions)

    def most_rows(self, positions: Sequence[int]) -> int:
        """Return how many combinations of these columns and the groups may be fetched: few enough to be kept."""
        return max(self.memory // (FETCHED * self.groups.row_bytes(positions)), 1)

    def count(self, positions: Sequence[int]) -> Cube | None:
        """Count the combinations of some columns; None if there are more than fit."""
        counted = self.groups.count(tuple(sorted(positions)), self.most_rows(positions))
        return None if counted is None else counted.half(self.chosen)


def list_margins(margins: Sequence[Margin], total: int, left_out: Sequence[tuple[str, str]]) -> Listing:
    """List columns of which only counts are known."""
    every = [
        Discrete(c.name, c.taken_for, np.arange(len(counts)), c.levels, incomplete=c.incomplete)
        for c, _, counts in margins
    ]
    return Listing(every, {column.name: counts for column, _, counts in margins}, total, left_out)


def _profile(table: RemoteTable) -> Profile:
    """Return the profile of a table from its margins."""
    missing = []
    for column, _, counts in table.margins:
        level = column.levels.index(prepare.MISSING_LEVEL) if prepare.MISSING_LEVEL in column.levels else -1
        missing.append(int(counts[level]))
    return Profile(
        total=table.total,
        names=table.names,
        kinds=table.kinds,
        n_levels=tuple(len(column.levels) for column in table.columns),
        first_levels=tuple(first_levels(column) for column in table.columns),
        dropped=table.dropped,
        missing=tuple(missing),
        gaps=table.reading.missing,
    )
