"""What a table holds, for a person to read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from elcs.data.columns import Column, Discrete
from elcs.data.naming import counted, one_line

__all__ = ["Listing"]

_FIRST = 4
_MANY = 10
"""Of more levels than this the most frequent ones are shown, not the first."""
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
        rows += [(one_line(name), kind, "-", "-", why) for name, (kind, why) in self.broken.items()]
        if all(row[3] == "-" for row in rows[1:]):
            rows = [(*row[:3], "", row[4]) for row in rows]
        widths = [max(len(row[i]) for row in rows) for i in range(4)]
        lines = [f"{counted(self.total, 'observation')} of {counted(len(rows) - 1, 'column')}"]
        for name, kind, count, missing, first in rows:
            gaps = f"{missing:>{widths[3]}}  " if widths[3] else ""
            lines.append(f"{name:<{widths[0]}}  {kind:<{widths[1]}}  {count:>{widths[2]}}  {gaps}{first}")
        lines += [f"left out: {one_line(name)} ({reason})" for name, reason in self.left_out]
        lines += [f"look at: {remark}" for remark in self.remarks]
        lines += [f"problem: {problem}" for problem in self.problems]
        return "\n".join(lines)

    def _row(self, column: Column) -> tuple[str, str, str, str, str]:
        count = f"{len(column.levels):,}" if isinstance(column, Discrete) else "-"
        return one_line(column.name), column.taken_for, count, self._missing(column), self._spread(column)

    def _missing(self, column: Column) -> str:
        if not column.incomplete:
            return "-"
        share = np.average(column.missing, weights=self.weights)
        return "<1%" if share < 0.01 else f"{share:.0%}"

    def _spread(self, column: Column) -> str:
        if not isinstance(column, Discrete):
            return column.range
        n_levels = len(column.levels)
        counts = np.bincount(column.codes, self.weights, minlength=n_levels)[:n_levels]
        shown = np.arange(n_levels) if n_levels <= _MANY else np.argsort(-counts, kind="stable")
        told = [f"{shortened(column.levels[i])} {_percent(counts[i] / self.total)}" for i in shown[:_FIRST]]
        return ", ".join([*told, *(["..."] if n_levels > _FIRST else [])])


def _percent(share: float) -> str:
    return "<1%" if 0 < share < 0.005 else f"{share:.0%}"


def shortened(level: object) -> str:
    """Write a level in a few letters."""
    text = one_line(str(level))
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
