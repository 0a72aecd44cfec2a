"""What a table holds, for a person to read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from elcs.data.columns import Column, Discrete

__all__ = ["describe"]

_FIRST = 4
_LONGEST = 24


def describe(
    columns: Sequence[Column], weights: NDArray[np.int64] | None, total: int, dropped: Iterable[tuple[str, str]]
) -> str:
    """Say in a table what each column was taken for, and how often its first levels occur."""
    rows = [("column", "kind", "levels", "first levels")]
    for column in columns:
        count = str(len(column.levels)) if isinstance(column, Discrete) else "-"
        rows.append((column.name, column.taken_for, count, _spread(column, weights, total)))
    widths = [max(len(row[i]) for row in rows) for i in range(3)]
    lines = [f"{total:,} observations of {len(columns)} columns"]
    for name, kind, count, first in rows:
        lines.append(f"{name:<{widths[0]}}  {kind:<{widths[1]}}  {count:>{widths[2]}}  {first}")
    lines += [f"left out: {name} ({reason})" for name, reason in dropped]
    return "\n".join(lines)


def _spread(column: Column, weights: NDArray[np.int64] | None, total: int) -> str:
    if not isinstance(column, Discrete):
        return column.range
    shares = np.bincount(column.codes, weights, minlength=len(column.levels)) / total
    first = zip(map(_shortened, column.levels[:_FIRST]), shares, strict=False)
    return ", ".join(f"{level} {share:.0%}" for level, share in first) + (
        ", ..." if len(column.levels) > _FIRST else ""
    )


def _shortened(level: object) -> str:
    text = str(level)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
