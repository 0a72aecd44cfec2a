"""Finding the levels of all columns of a lazy table, so that it can be asked for counts."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elcs.data import leaving, naming, prepare
from elcs.data.bins import into_bins
from elcs.data.columns import Discrete
from elcs.data.draft import Draft
from elcs.data.levels import Factor
from elcs.data.listing import Listing
from elcs.data.table import Table
from elcs.data.times import TIMES
from elcs.data.warehouse.copying import Copy, copy_of
from elcs.data.warehouse.counting import CELL, Counted
from elcs.data.warehouse.cube import Distant, Margin, cube_of
from elcs.data.warehouse.expecting import Expectation
from elcs.data.warehouse.frames import Frame
from elcs.data.warehouse.lazy import Lazy
from elcs.data.warehouse.remote import COPIED, FETCHED, RemoteTable, list_margins
from elcs.errors import DataWarning

__all__ = ["Survey"]

AT_ONCE = 20
"""So many columns are counted together to find their levels: no dearer than one by one, and of use later on."""

BINS = 4
"""Into how many bins quantities are cut that must be cut, to show what would come of it."""

COMPANY = 3
"""So many columns that have most to do with the target are counted with it and all others."""

COPIED_FROM, COPIED_SHARE = 1 << 18, 2 / 3
"""Distinct rows are copied of a table with at least so many rows, if they are to be at most this share of them. Of a
million rows of Insurance, half of them distinct, a target takes .9 s instead of 1.6. With all of them distinct it would
still pay, but the copy would be as large as the table."""

_At = tuple[int, ...]


class Survey:
    """Counts all columns of a lazy table, some at a time."""

    def __init__(self, lazy: Lazy) -> None:
        self.lazy = lazy
        self.cuts: dict[str, list[Any]] = {}
        self.left_out = dict(lazy.left_out)
        self.broken = {name: (factor.kind, factor.detail) for name, factor in lazy.broken.items()}
        self.gaps: dict[int, str] = {}
        self.problems: list[str] = []
        self.copy: Copy | None = None

    def table(self, target: str | None) -> RemoteTable:
        """Find the levels of all columns, and make a table that is asked for counts."""
        self._cut_quantities()
        prepare.refuse(self.problems)
        self._copy()
        cubes = self._count_all(target)
        margins = self._margins(cubes)
        if target in self.left_out:
            self.problems.append(leaving.say_of_target(str(target), self.left_out[str(target)]))
        prepare.refuse(self.problems)
        if self.left_out:
            warnings.warn(f"left out columns: {self._listed_left_out()}", DataWarning, stacklevel=7)
        return self._remote(margins, cubes)

    def listing(self, problems: Sequence[str]) -> Listing:
        """List the columns, with what is wrong with the table after what is known to be; quantities are cut."""
        self._cut_quantities(BINS)
        margins = self._margins(self._count_all(None))
        told = list_margins([margins[i] for i in sorted(margins)], self.lazy.frame.total, [*self.left_out.items()])
        return replace(told, broken=self.broken, problems=[*problems, *self.problems])

    def _margins(self, cubes: Mapping[_At, Counted]) -> dict[int, Margin]:
        """Return the columns to learn from, by their positions."""
        margins: dict[int, Margin] = {}
        for positions, counted in cubes.items():
            for i, factor in zip(positions, counted[0], strict=True):
                if i in margins or self.lazy.frame.names[i] in self.left_out:
                    continue
                margin, why = self._margin(i, factor, counted[1], self.problems)
                if why:
                    self.left_out[self.lazy.frame.names[i]] = why
                else:
                    margins[i] = margin
        if self.gaps:
            self.problems.append(prepare.say_gaps([self.gaps[i] for i in sorted(self.gaps)]))
        if len(margins) + len(self.broken) < 2:
            self.problems.append(f"at least two columns that vary are needed; left out: {self._listed_left_out()}")
        return margins

    def _listed_left_out(self) -> str:
        return ", ".join(f"{name!r} ({why})" for name, why in self.left_out.items())

    @property
    def _kept(self) -> list[int]:
        return [i for i in self.lazy.kept if self.lazy.frame.names[i] not in self.broken]

    def _remote(self, margins: Mapping[int, Margin], cubes: Mapping[_At, Counted]) -> RemoteTable:
        """Put the table together, its columns renumbered without those that were left out."""
        at = {i: n for n, i in enumerate(sorted(margins))}
        ordered = tuple(margins[i] for i in at)
        frame = self.lazy.frame.only(list(at))
        surveyed = []
        for positions, (factors, counts) in cubes.items():
            kept = [(at[i], factor) for i, factor in zip(positions, factors, strict=True) if i in at]
            if kept:
                where = [n for n, _ in kept]
                counted = [factor for _, factor in kept], counts
                surveyed.append(cube_of(where, [ordered[n] for n in where], counted, frame.title))
        drawn = [
            Discrete(m.column.name, m.column.taken_for, m.codes(factor, frame.title), m.column.levels, False, True)
            for m, factor in zip(ordered, (self.lazy.sampled[i] for i in at), strict=True)
        ]
        return RemoteTable(
            tuple(margin.column for margin in ordered),
            dropped=tuple(self.left_out.items()),
            reading=self.lazy.reading,
            frame=frame,
            copy=None if self.copy is None else self.copy.only(list(at)),
            margins=ordered,
            drawn=Table(tuple(drawn)),
            memory=self.lazy.memory,
            surveyed=tuple(surveyed),
        )

    def _margin(self, i: int, raw: Factor, counts: NDArray[np.int64], problems: list[str]) -> tuple[Margin, str]:
        """Do to the values of a column what the reading says, and say why nothing can be learnt from it, if so."""
        name, n_raw = self.lazy.frame.names[i], len(raw.levels)
        by_value = np.bincount(raw.codes, counts, minlength=n_raw + 1).astype(np.int64)
        kind = raw.kind if self.lazy.sampled[i].kind != "category" else "category"  # which a copy takes for text
        values = Factor(np.arange(n_raw + raw.has_missing), raw.levels, kind, raw.has_missing, raw.detail)
        weights = by_value[: n_raw + raw.has_missing]
        labels = self.cuts.get(name)
        if labels is not None:
            read = Factor(values.codes, labels, "binned", raw.has_missing)
            if self.lazy.reading.missing == "level":
                read = prepare.missing_as_level({name: read}, weights, problems)[name]
        else:
            reading = self.lazy.reading.of_levels(name)
            draft = Draft({name: self.lazy.as_read(values)}, weights, reading, len(weights)).prepared()
            problems += draft.problems
            read = draft.factors.get(name, values)
            fractions = read.kind == "number" and len(read.levels) > 1  # where all are equal in the sample
            many = fractions or prepare.is_quantity(read, self.lazy.frame.total)
            if many and (reading.kinds or {}).get(name) != read.kind:
                problems.append((_say_times if read.kind in TIMES else _say_quantities)([name]))
        if raw.has_missing and self.lazy.reading.missing == "error":
            self.gaps[i] = f"{name!r} ({weights[-1]:,})"
        why = leaving.does_not_vary(read)
        lookup = {None: len(read.levels), **dict(zip([*raw.levels, None], read.codes.tolist(), strict=False))}
        by_level = np.bincount(read.codes, weights, minlength=len(read.levels) + 1).astype(np.int64)
        column = Distant(name, read.kind, tuple(read.labels), incomplete=read.has_missing)
        return Margin(column, lookup, by_level), why

    def _cut_quantities(self, otherwise: int | None = None) -> None:
        """Cut quantities into bins where they are, as the reading says; complain of the others.

        To show what would come of it, the others can be cut too, into so many bins.
        """
        uncut, times = dict[int, str](), dict[int, str]()
        for i in self.lazy.kept:
            name, factor = self.lazy.frame.names[i], self.lazy.expect.factors[i]
            said = (self.lazy.reading.kinds or {}).get(name)
            many = factor.kind == "number" or prepare.is_quantity(factor, self.lazy.frame.total)
            many = many and said not in ("category", "text")
            n_bins = self.lazy.reading.bins_of(name, quantity=many)
            if factor.kind in TIMES and (many or n_bins is not None):
                times[i] = name
                self.broken[name] = (factor.kind, "to be cut before")
            elif n_bins is None:
                uncut |= {i: name} if many and len(factor.levels) > 1 and said in (None, "number") else {}
            elif factor.kind in ("integer", "number"):
                self._cut(i, n_bins)
        self.problems += [_say_quantities([*uncut.values()])] if uncut else []
        self.problems += [_say_times([*times.values()])] if times else []
        if otherwise is not None:
            for i in uncut:
                self._cut(i, otherwise)
        if self.cuts:
            self.lazy.sampled = self.lazy.frame.sample()
            named = zip(self.lazy.frame.names, self.lazy.sampled, strict=True)
            read = [factor if name in self.cuts else self.lazy.as_read(factor) for name, factor in named]
            self.lazy.expect = Expectation(read, self.lazy.frame.n_rows)

    def _cut(self, i: int, n_bins: int) -> None:
        name = self.lazy.frame.names[i]
        most = self.lazy.memory // CELL
        counted = self.lazy.frame.count([i], most)
        if counted is None:
            self._give_up(i, most, "to find where to cut it; round it, cut it before, or raise memory= (--memory)")
            return
        (values,), counts = counted
        numbers = self.lazy.as_read(values)
        if len(numbers.levels) < 2:
            return
        binned = into_bins(numbers, n_bins, counts)
        of_level = np.zeros(len(numbers.levels), dtype=np.int64)
        present = numbers.codes < len(numbers.levels)
        of_level[numbers.codes[present]] = binned.codes[present]
        edges = [numbers.levels[j] for j in np.flatnonzero(np.diff(of_level, prepend=0))]
        self.lazy.frame.cut(i, edges)
        self.cuts[name] = binned.levels

    def _give_up(self, i: int, most: int, what_for: str) -> None:
        """Note that a column cannot be used, because it has too many different values."""
        name, many = self.lazy.frame.names[i], f"more than {most:,} different values"
        if name not in self.broken:
            self.broken[name] = (self.lazy.expect.factors[i].kind, many)
            self.problems.append(f"column {name!r} has {many}, too many {what_for}")

    def _copy(self) -> None:
        """Copy the distinct rows if they are so few that this pays."""
        frame, kept = self.lazy.frame, self._kept
        if frame.n_rows >= COPIED_FROM and kept and self.lazy.expect.rows(kept) <= frame.n_rows * COPIED_SHARE:
            self.copy = copy_of(frame, kept, self.lazy.memory // COPIED)

    @property
    def _counting(self) -> Frame | Copy:
        return self.lazy.frame if self.copy is None else self.copy

    def _count_all(self, target: str | None) -> dict[_At, Counted]:
        """Count all columns, some at a time, so that their levels are known; the target comes with each of them.

        Columns that have much to do with each other are counted together: these are the counts that will be asked for.
        """
        cubes: dict[_At, Counted] = {}
        fixed: list[int] = []
        if target is not None:
            at = self.lazy.frame.names.index(target)
            near = sorted(self._kept, key=lambda i: (i != at, -self.lazy.expect.association(at, i)))
            fixed = near[: 1 + COMPANY]
        waiting = [i for i in self._kept if i not in fixed]
        while True:
            fixed = [i for i in fixed if self.lazy.frame.names[i] not in self.broken]
            chosen = list(fixed)
            while waiting and len(chosen) < AT_ONCE:
                to = chosen or waiting[:1]
                nearest = max(waiting, key=lambda i: (max(self.lazy.expect.association(i, j) for j in to), -i))
                more = [*chosen, nearest]
                if len(chosen) > len(fixed) and self.lazy.expect.rows(more) > self._most(more):
                    break
                chosen.append(nearest)
                waiting.remove(nearest)
            if chosen:
                self._count(chosen, len(fixed), cubes)
            if not waiting:
                return cubes

    def _most(self, positions: Sequence[int]) -> int:
        return max(self.lazy.memory // (FETCHED * self._counting.row_bytes(positions)), 1)

    def _count(self, chosen: Sequence[int], n_fixed: int, cubes: dict[_At, Counted]) -> None:
        """Count columns; if there are more combinations than fit, those of a half of them at a time."""
        found = self._counting.count(chosen, self._most(chosen))
        if found is not None:
            cubes[tuple(chosen)] = found
        elif len(chosen) > 1:
            n_fixed = n_fixed if n_fixed < len(chosen) else 0
            fixed, others = chosen[:n_fixed], chosen[n_fixed:]
            if len(others) == 1:
                self._count(fixed, 0, cubes)
                self._count(others, 0, cubes)
            else:
                self._count([*fixed, *others[::2]], n_fixed, cubes)
                self._count([*fixed, *others[1::2]], n_fixed, cubes)
        else:
            what_to_do = "leave it out with drop= (--drop), or raise memory= (--memory)"
            self._give_up(chosen[0], self._most(chosen), f"for the memory that may be used; {what_to_do}")


def _say_quantities(names: Sequence[str]) -> str:
    return (
        f"{_say_no_levels(names, 'quantities')}; pass bins=4 (--bins 4) to cut quantities into four bins, "
        "kinds={...: 'category'} to make each value a level, or leave them out with drop= (--drop)"
    )


def _say_times(names: Sequence[str]) -> str:
    return (
        f"{_say_no_levels(names, 'dates or times')}, into which it cannot cut these; cut them before, say into years "
        "or months, pass kinds={...: 'category'} to make each value a level, or leave them out with drop= (--drop)"
    )


def _say_no_levels(names: Sequence[str], what: str) -> str:
    column, hold = ("column", "holds") if len(names) == 1 else ("columns", "hold")
    return (
        f"{column} {naming.quoted(names)} {hold} {what}, and a table that does not fit in memory can be asked about "
        "levels only"
    )
