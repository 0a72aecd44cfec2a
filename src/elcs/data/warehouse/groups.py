"""The rows of a table in groups, so that half-samples can be counted where it lives.

A row belongs to one of 32 groups by a hash of its number, and a half-sample is half of the groups. All half-samples
share the same counts by group, so that a hundred of them take little more than one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from elcs.data.columns import Discrete
from elcs.data.levels import Factor
from elcs.data.table import Table
from elcs.data.warehouse.cube import Cube, Margin, alike, cube_of
from elcs.data.warehouse.expecting import expected_rows
from elcs.data.warehouse.frames import Frame
from elcs.errors import DataError

__all__ = ["N_GROUPS", "GroupedCube", "Groups"]

N_GROUPS = 32
"""With 32 groups cubes take 1.7 times as long as without; with fewer, half-samples would be too much alike."""


class GroupedCube(NamedTuple):
    """How often combinations of values occur in each group.

    Attributes
    ----------
    positions : tuple of int
        The columns, by their positions in the table.
    columns : tuple of Discrete
        The combinations that occur.
    starts : array
        Where in the following two each combination begins.
    groups, counts : array
        In which groups a combination occurs, and how often.
    """

    positions: tuple[int, ...]
    columns: tuple[Discrete, ...]
    starts: NDArray[np.int32]
    groups: NDArray[np.uint8]
    counts: NDArray[np.integer[Any]]

    def half(self, chosen: NDArray[np.bool_]) -> Cube:
        """Return the counts of some of the groups."""
        counts = np.add.reduceat(np.where(chosen[self.groups], self.counts, 0), self.starts, dtype=np.int64)
        return Cube(self.positions, Table(self.columns, counts))

    @property
    def n_bytes(self) -> int:
        """The memory it takes."""
        codes = sum(column.codes.nbytes for column in self.columns)
        return codes + self.starts.nbytes + self.groups.nbytes + self.counts.nbytes


class Groups:
    """The rows of a table in groups, and what was counted of them.

    Parameters
    ----------
    frame : Frame
        What is asked.
    margins : sequence of Margin
        Its columns.
    drawn : Table
        A sample of the rows.
    room : int
        How many bytes cubes that are kept may take.

    Attributes
    ----------
    sizes : array of int64
        The number of observations in each group.
    cubes : list of GroupedCube
        What was counted, the latest last.
    """

    def __init__(self, frame: Frame, margins: Sequence[Margin], drawn: Table, room: int) -> None:
        self.cubes: list[GroupedCube] = []
        self._frame = frame.in_groups(N_GROUPS)
        self._margins = margins
        self._room = room
        codes = np.random.default_rng([N_GROUPS, 0x5EED]).integers(N_GROUPS, size=drawn.n_rows).astype(np.uint8)
        self._drawn = (*drawn.columns, Discrete("group", "integer", codes, tuple(range(N_GROUPS))))
        self._by_level: dict[int, NDArray[np.int64]] = {}
        counted = self._frame.count([len(margins)], N_GROUPS)
        assert counted is not None
        (found,), counts = counted
        self.sizes = np.bincount(_numbers(found), counts, minlength=N_GROUPS).astype(np.int64)

    def expected(self, positions: Sequence[int]) -> float:
        """Return how many combinations of these columns and the groups to expect."""
        return expected_rows([self._drawn[v] for v in (*positions, -1)], self._frame.total)

    def row_bytes(self, positions: Sequence[int]) -> int:
        """Return the bytes that a combination of values of these columns takes while it is fetched, in one group."""
        return self._frame.row_bytes([*positions, len(self._margins)])

    def count(self, positions: tuple[int, ...], most: int) -> GroupedCube | None:
        """Count the combinations of some columns in each group; None if there are more than `most`."""
        found = self._frame.count([*positions, len(self._margins)], most)
        if found is None:
            return None
        (*factors, last), counts = found
        groups = _numbers(last)
        table = cube_of(positions, [self._margins[v] for v in positions], (factors, counts), self._frame.title).table
        for v, codes in zip(positions, table.codes, strict=True):
            self._check(v, codes, groups, counts)
        order, starts = alike(table.codes, [len(levels) + 1 for levels in table.levels])
        columns = tuple(
            Discrete(c.name, c.taken_for, c.codes[order[starts]], c.levels, False, c.incomplete)
            for c in table.columns
            if isinstance(c, Discrete)
        )
        small = np.uint32 if counts.max(initial=0) < 1 << 32 else np.int64
        cube = GroupedCube(positions, columns, starts.astype(np.int32), groups[order], counts[order].astype(small))
        self._room -= cube.n_bytes
        if self._room >= 0:
            self.cubes.append(cube)
        else:
            self._room += cube.n_bytes
        return cube

    def _check(self, position: int, codes: NDArray[np.integer[Any]], groups: NDArray[np.uint8], counts: Any) -> None:
        """Refuse a table whose rows change their numbers: each level must occur in each group as often as before."""
        width = len(self._margins[position].column.levels) + 1
        by_level = np.bincount(groups.astype(np.int64) * width + codes, counts, minlength=N_GROUPS * width)
        if not np.array_equal(self._by_level.setdefault(position, by_level.astype(np.int64)), by_level):
            raise DataError(
                f"{self._frame.title} numbers its rows differently with each query, so that no half-samples can be "
                "drawn; ask about a copy whose rows keep their order, or raise memory= (--memory), so that the "
                "distinct rows are fetched"
            )


def _numbers(factor: Factor) -> NDArray[np.uint8]:
    """Return the group of each row that was fetched."""
    numbers: NDArray[np.uint8] = np.array([int(level) for level in factor.levels], dtype=np.uint8)[factor.codes]
    return numbers
