"""What a table holds, for a person to read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from elcs.data.columns import Column, Discrete
from elcs.data.naming import counted, one_line
from elcs.markup import clean, note, note_table

__all__ = ["Description", "Listing"]

_FIRST = 4
_MANY = 10
"""Of more levels than this the most frequent ones are shown, not the first."""
_LONGEST = 24


Weights = NDArray[np.int64] | None

HEADS = ("column", "kind", "levels", "missing", "first levels")


class Description(str):
    """What a table holds, as text; a notebook shows it as a table."""

    listing: Listing

    @classmethod
    def of(cls, listing: Listing) -> Description:
        """Write a listing."""
        made = cls(listing)
        made.listing = listing
        return made

    def _repr_html_(self) -> str:
        told = self.listing
        lines = "".join(f"<p>{clean(line)}</p>" for line in told.remarked)
        return note(f"<p>{told.size}</p>", note_table(HEADS, told.rows, numbers=HEADS[2:4]), lines)


@dataclass(frozen=True)
class Listing:
    """A table with a line for each column; `str()` writes it.

    Attributes
    ----------
    columns : sequence of Discrete and Numeric
        The columns to learn from.
    weights : array of int64, mapping or None
        How often each row counts; if columns have rows of their own, that for each.
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
    weights: Weights | Mapping[str, Weights]
    total: int
    left_out: Sequence[tuple[str, str]] = ()
    broken: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    remarks: Sequence[str] = ()
    problems: Sequence[str] = ()

    @property
    def rows(self) -> list[tuple[str, str, str, str, str]]:
        """The columns: their names, their kinds, how many levels they have, what is missing, the first levels."""
        broken = [(one_line(name), kind, "-", "-", why) for name, (kind, why) in self.broken.items()]
        return [*map(self._row, self.columns), *broken]

    @property
    def remarked(self) -> list[str]:
        """What is left out, what deserves a look, and what must be changed."""
        left_out = [f"left out: {one_line(name)} ({reason})" for name, reason in self.left_out]
        return [*left_out, *(f"look at: {x}" for x in self.remarks), *(f"problem: {x}" for x in self.problems)]

    def __str__(self) -> str:
        rows = [HEADS, *self.rows]
        if all(row[3] == "-" for row in rows[1:]):
            rows = [(*row[:3], "", row[4]) for row in rows]
        widths = [max(len(row[i]) for row in rows) for i in range(4)]
        lines = [self.size]
        for name, kind, count, missing, first in rows:
            gaps = f"{missing:>{widths[3]}}  " if widths[3] else ""
            lines.append(f"{name:<{widths[0]}}  {kind:<{widths[1]}}  {count:>{widths[2]}}  {gaps}{first}")
        return "\n".join([*lines, *self.remarked])

    @property
    def size(self) -> str:
        """How large the table is."""
        return f"{counted(self.total, 'observation')} of {counted(len(self.columns) + len(self.broken), 'column')}"

    def _row(self, column: Column) -> tuple[str, str, str, str, str]:
        count = f"{len(column.levels):,}" if isinstance(column, Discrete) else "-"
        return one_line(column.name), column.taken_for, count, self._missing(column), self._spread(column)

    def _weights(self, column: Column) -> Weights:
        return self.weights[column.name] if isinstance(self.weights, Mapping) else self.weights

    def _missing(self, column: Column) -> str:
        if not column.incomplete:
            return "-"
        share = np.average(column.missing, weights=self._weights(column))
        return "<1%" if share < 0.01 else f"{share:.0%}"

    def _spread(self, column: Column) -> str:
        if not isinstance(column, Discrete):
            return column.range
        n_levels = len(column.levels)
        counts = np.bincount(column.codes, self._weights(column), minlength=n_levels)[:n_levels]
        shown = np.arange(n_levels) if n_levels <= _MANY else np.argsort(-counts, kind="stable")
        told = [f"{shortened(column.levels[i])} {_percent(counts[i] / self.total)}" for i in shown[:_FIRST]]
        return ", ".join([*told, *(["..."] if n_levels > _FIRST else [])])


def _percent(share: float) -> str:
    return "<1%" if 0 < share < 0.005 else f"{share:.0%}"


def shortened(level: object) -> str:
    """Write a level in a few letters."""
    text = one_line(str(level))
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
