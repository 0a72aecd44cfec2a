"""What a table holds, for a person to read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from elcs.data.columns import Column, Discrete

__all__ = ["Listing"]

_FIRST = 4
_LONGEST = 24


@dataclass(frozen=True)
class Listing:
    """A table with a line for each column; `str()` writes it.

    Attributes
    ----------
    columns : sequence of Discrete and Numeric
        The columns to learn from.
    weights : array of int64 or None
        How often each row counts.
    total : int
        The number of observations.
    left_out : sequence of (str, str)
        Columns that are left out, each with the reason.
    broken : mapping of str to (str, str)
        Columns that cannot be used, each with its kind and with what is wrong.
    remarks, problems : sequence of str
        What deserves a look, and what must be changed before anything can be learnt.
    """

    columns: Sequence[Column]
    weights: NDArray[np.int64] | None
    total: int
    left_out: Sequence[tuple[str, str]] = ()
    broken: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    remarks: Sequence[str] = ()
    problems: Sequence[str] = ()

    def __str__(self) -> str:
        rows = [("column", "kind", "levels", "missing", "first levels")]
        rows += [self._row(column) for column in self.columns]
        rows += [(name, kind, "-", "-", why) for name, (kind, why) in self.broken.items()]
        if all(row[3] == "-" for row in rows[1:]):
            rows = [(*row[:3], "", row[4]) for row in rows]
        widths = [max(len(row[i]) for row in rows) for i in range(4)]
        lines = [f"{self.total:,} observations of {len(rows) - 1} columns"]
        for name, kind, count, missing, first in rows:
            gaps = f"{missing:>{widths[3]}}  " if widths[3] else ""
            lines.append(f"{name:<{widths[0]}}  {kind:<{widths[1]}}  {count:>{widths[2]}}  {gaps}{first}")
        lines += [f"left out: {name} ({reason})" for name, reason in self.left_out]
        lines += [f"look at: {remark}" for remark in self.remarks]
        lines += [f"problem: {problem}" for problem in self.problems]
        return "\n".join(lines)

    def _row(self, column: Column) -> tuple[str, str, str, str, str]:
        count = str(len(column.levels)) if isinstance(column, Discrete) else "-"
        return column.name, column.taken_for, count, self._missing(column), self._spread(column)

    def _missing(self, column: Column) -> str:
        if not column.incomplete:
            return "-"
        share = np.average(column.missing, weights=self.weights)
        return "<1%" if share < 0.01 else f"{share:.0%}"

    def _spread(self, column: Column) -> str:
        if not isinstance(column, Discrete):
            return column.range
        shares = np.bincount(column.codes, self.weights, minlength=len(column.levels)) / self.total
        first = zip(map(shortened, column.levels[:_FIRST]), shares, strict=False)
        return ", ".join(f"{level} {share:.0%}" for level, share in first) + (
            ", ..." if len(column.levels) > _FIRST else ""
        )


def shortened(level: object) -> str:
    """Write a level in a few letters."""
    text = str(level)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
