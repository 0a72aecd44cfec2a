"""Finding the levels of all columns of a lazy table, so that it can be asked for counts."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elcs.data import leaving, naming, prepare
from elcs.data.bins import into_bins
from elcs.data.columns import Discrete
from elcs.data.draft import Draft
from elcs.data.levels import Factor
from elcs.data.table import Table
from elcs.data.warehouse.cube import Distant, Margin, cube_of
from elcs.data.warehouse.expecting import Expectation
from elcs.data.warehouse.frames import CELL, Counted
from elcs.data.warehouse.lazy import Lazy
from elcs.data.warehouse.remote import FETCHED, RemoteTable
from elcs.errors import DataError, DataWarning

__all__ = ["Survey"]

AT_ONCE = 20
"""So many columns are counted together to find their levels: no dearer than one by one, and of use later on."""

COMPANY = 3
"""So many columns that have most to do with the target are counted with it and all others."""

_At = tuple[int, ...]


class Survey:
    """Counts all columns of a lazy table, some at a time."""

    def __init__(self, lazy: Lazy) -> None:
        self.lazy = lazy
        self.cuts: dict[str, list[Any]] = {}

    def table(self, target: str | None) -> RemoteTable:
        """Find the levels of all columns, and make a table that is asked for counts."""
        self._cut_quantities()
        cubes = self._count_all(target)
        margins: dict[int, Margin] = {}
        left_out, problems = dict(self.lazy.left_out), list[str]()
        for positions, counted in cubes.items():
            for i, factor in zip(positions, counted[0], strict=True):
                if i in margins or self.lazy.frame.names[i] in left_out:
                    continue
                margin, why = self._margin(i, factor, counted[1], problems)
                if why:
                    left_out[self.lazy.frame.names[i]] = why
                else:
                    margins[i] = margin
        prepare.refuse(problems)
        if target in left_out:
            raise DataError(leaving.say_of_target(str(target), left_out[str(target)]))
        if len(margins) < 2:
            listed = ", ".join(f"{name!r} ({why})" for name, why in left_out.items())
            raise DataError(f"at least two columns that vary are needed; left out: {listed}")
        if left_out:
            listed = ", ".join(f"{name!r} ({why})" for name, why in left_out.items())
            warnings.warn(f"left out columns: {listed}", DataWarning, stacklevel=5)
        return self._remote(margins, cubes, left_out)

    def _remote(
        self, margins: Mapping[int, Margin], cubes: Mapping[_At, Counted], left_out: dict[str, str]
    ) -> RemoteTable:
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
            dropped=tuple(left_out.items()),
            reading=self.lazy.reading,
            frame=frame,
            margins=ordered,
            drawn=Table(tuple(drawn)),
            memory=self.lazy.memory,
            surveyed=tuple(surveyed),
        )

    def _margin(self, i: int, raw: Factor, counts: NDArray[np.int64], problems: list[str]) -> tuple[Margin, str]:
        """Do to the values of a column what the reading says, and say why nothing can be learnt from it, if so."""
        name, n_raw = self.lazy.frame.names[i], len(raw.levels)
        by_value = np.bincount(raw.codes, counts, minlength=n_raw + 1).astype(np.int64)
        values = Factor(np.arange(n_raw + raw.has_missing), raw.levels, raw.kind, raw.has_missing, raw.detail)
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
            if prepare.is_quantity(read, self.lazy.frame.total) and (reading.kinds or {}).get(name) != read.kind:
                problems.append(_say_quantities([name]))
            if raw.has_missing and self.lazy.reading.missing == "error":
                problems.append(f"{weights[-1]:,} values are missing in {name!r}; pass missing='testwise' or 'level'")
        why = leaving.does_not_vary(read)
        lookup = {None: len(read.levels), **dict(zip([*raw.levels, None], read.codes.tolist(), strict=False))}
        by_level = np.bincount(read.codes, weights, minlength=len(read.levels) + 1).astype(np.int64)
        column = Distant(name, read.kind, tuple(read.labels), incomplete=read.has_missing)
        return Margin(column, lookup, by_level), why

    def _cut_quantities(self) -> None:
        """Cut quantities into bins where they are, as the reading says; the others are refused."""
        uncut = []
        for i in self.lazy.kept:
            name, factor = self.lazy.frame.names[i], self.lazy.expect.factors[i]
            said = (self.lazy.reading.kinds or {}).get(name)
            many = factor.kind == "number" or prepare.is_quantity(factor, self.lazy.frame.total)
            n_bins = self.lazy.reading.bins_of(name, quantity=many)
            if n_bins is None:
                uncut += [name] if many and said in (None, "number") else []
            elif factor.kind in ("integer", "number"):
                self._cut(i, n_bins)
        if uncut:
            raise DataError(_say_quantities(uncut))
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
            raise DataError(
                f"column {name!r} has more than {most:,} different values, too many to find where to cut it; round it, "
                "cut it before, or raise memory= (--memory)"
            )
        (values,), counts = counted
        numbers = self.lazy.as_read(values)
        binned = into_bins(numbers, n_bins, counts)
        of_level = np.zeros(len(numbers.levels), dtype=np.int64)
        present = numbers.codes < len(numbers.levels)
        of_level[numbers.codes[present]] = binned.codes[present]
        edges = [numbers.levels[j] for j in np.flatnonzero(np.diff(of_level, prepend=0))]
        self.lazy.frame.cut(i, edges)
        self.cuts[name] = binned.levels

    def _count_all(self, target: str | None) -> dict[_At, Counted]:
        """Count all columns, some at a time, so that their levels are known; the target comes with each of them.

        Columns that have much to do with each other are counted together: these are the counts that will be asked for.
        """
        cubes: dict[_At, Counted] = {}
        fixed: list[int] = []
        if target is not None:
            at = self.lazy.frame.names.index(target)
            near = sorted(self.lazy.kept, key=lambda i: (i != at, -self.lazy.expect.association(at, i)))
            fixed = near[: 1 + COMPANY]
        waiting = [i for i in self.lazy.kept if i not in fixed]
        while waiting or not cubes:
            chosen = list(fixed)
            while waiting and len(chosen) < AT_ONCE:
                to = chosen or waiting[:1]
                nearest = max(waiting, key=lambda i: (max(self.lazy.expect.association(i, j) for j in to), -i))
                more = [*chosen, nearest]
                if len(chosen) > len(fixed) and self.lazy.expect.rows(more) > self._most(more):
                    break
                chosen.append(nearest)
                waiting.remove(nearest)
            self._count(chosen, len(fixed), cubes)
        return cubes

    def _most(self, positions: Sequence[int]) -> int:
        return max(self.lazy.memory // (FETCHED * self.lazy.frame.row_bytes(positions)), 1)

    def _count(self, chosen: Sequence[int], n_fixed: int, cubes: dict[_At, Counted]) -> None:
        """Count columns; if there are more combinations than fit, those of a half of them at a time."""
        found = self.lazy.frame.count(chosen, self._most(chosen))
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
            raise DataError(
                f"column {self.lazy.frame.names[chosen[0]]!r} has more than {self._most(chosen):,} different values, "
                "too many for the memory that may be used; leave it out with drop= (--drop), or raise memory= "
                "(--memory)"
            )


def _say_quantities(names: Sequence[str]) -> str:
    return (
        f"column {naming.quoted(names)} holds quantities, and a table that does not fit in memory can be asked about "
        "levels only; pass bins=4 (--bins 4) to cut quantities into four bins, kinds={...: 'category'} to make each "
        "value a level, or leave them out with drop= (--drop)"
    )
