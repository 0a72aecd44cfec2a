"""Columns that hold the same thing as another: a copy, a recoding, a number and its class.

Once such a column is held fixed, nothing is left of the other. A test on levels then finds independence, so that every
true cause disappears behind the copy; a test on numbers cannot tell any more.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elcs.data.columns import Column
from elcs.data.table import Table
from elcs.errors import DataWarning

__all__ = ["copies", "determines", "entangled", "say_copies", "warn_of_copies"]

ROWS_PER_LEVEL = 5
"""With fewer rows for each level of a column, it determines any other by chance."""
MOST_COLUMNS = 200
"""In a table with more columns, pairs are not looked for."""
MOST_CHECKS = 100
"""So many pairs that agree in the rows looked at first are checked in all rows."""
FIRST_ROWS = 300
"""How many rows, spread over the table, are looked at first."""


def warn_of_copies(table: Table, target: str | None) -> None:
    """Warn of columns that hold the same thing as the target, and of others that hold the same thing as each other."""
    of_target = [] if target is None else entangled(table, target)
    if of_target:
        listed, tell = ", ".join(map(repr, of_target)), "tells" if len(of_target) == 1 else "tell"
        warnings.warn(
            f"column {listed} {tell} the target {target!r} in every row, or the other way round. A copy or a "
            "recoding of the target says nothing new and gets in the way of the tests; leave it out (drop=, --drop)",
            DataWarning,
            stacklevel=5,
        )
    groups = copies([column for column in table.columns if column.name not in (target, *of_target)])
    if groups:
        warnings.warn(say_copies(groups), DataWarning, stacklevel=5)


def say_copies(groups: Collection[Sequence[str]]) -> str:
    """Say that the columns of each group hold the same thing."""
    listed = "; ".join(" and ".join([", ".join(map(repr, group[:-1])), repr(group[-1])]) for group in groups)
    return (
        f"these columns hold the same thing, as a copy, a recoding or a number and its class do: {listed}. They hide "
        "each other's causes and effects; keep one of them, and leave out the rest (drop=, --drop)"
    )


def entangled(table: Table, target: str) -> list[str]:
    """Return the columns that determine the target, or that the target determines.

    Examples
    --------
    >>> weight = [2.1 + i / 50 for i in range(60)]
    >>> low = [w < 2.5 for w in weight]
    >>> entangled(Table.from_any({"weight": weight, "low": low, "sex": ["f", "m"] * 30}), "low")
    ['weight']
    """
    own = table.columns[table.index(target)]
    others = [column for column in table.columns if column.name != target]
    return [column.name for column in others if determines(column, own) or determines(own, column)]


def copies(columns: Sequence[Column]) -> list[list[str]]:
    """Return the groups of columns that determine each other, or one of which determines the others.

    Pairs that some rows rule out already are not looked at any further. In a wide table nothing is looked for.

    Examples
    --------
    >>> town = ["york", "bath", "ely"] * 30
    >>> table = Table.from_any({"town": town, "number": [len(t) for t in town], "rain": [0, 1, 1, 0, 0] * 18})
    >>> copies(table.columns)
    [['town', 'number']]
    """
    if not 2 <= len(columns) <= MOST_COLUMNS:
        return []
    group = list(range(len(columns)))  # for each column, the first of its group
    checks = 0
    with np.errstate(invalid="ignore"):  # infinite numbers are complained of elsewhere
        for one, other in _likely_pairs(columns):
            if group[one] == group[other]:
                continue
            checks += 1
            if checks > MOST_CHECKS:
                break
            if determines(columns[one], columns[other]):
                first, second = sorted((group[one], group[other]))
                group = [first if g == second else g for g in group]
    named = list(zip((column.name for column in columns), group, strict=True))
    found = [[name for name, g in named if g == first] for first in sorted(set(group))]
    return [names for names in found if len(names) > 1]


def _likely_pairs(columns: Sequence[Column]) -> Iterator[tuple[int, int]]:
    """Yield the pairs of which the first may determine the second, as far as some of the rows can tell."""
    rows = _telling_rows(columns)
    cells = np.stack([_numbers(column, rows) for column in columns], axis=1)
    numeric = np.array([column.kind == "numeric" for column in columns])
    n_levels = np.array([len(column.levels) for column in columns])
    for i, column in enumerate(columns):
        order = np.argsort(cells[:, i])
        steps = np.diff(cells[order], axis=0)
        steps[np.isnan(steps[:, i])] = np.nan  # from here on, the column itself is missing
        rises, falls = steps > 0, steps < 0  # neither, where a value is missing
        if column.kind == "discrete":
            within = steps[:, i] == 0
            likely = ~numeric & ~(rises[within] | falls[within]).any(axis=0)
        else:
            in_order = ~(rises.any(axis=0) & falls.any(axis=0))
            in_pieces = (rises | falls).sum(axis=0) < n_levels
            likely = np.where(numeric, in_order, in_pieces)
        yield from ((i, int(j)) for j in np.flatnonzero(likely) if j != i)


def _telling_rows(columns: Sequence[Column]) -> NDArray[np.intp]:
    """Choose rows from all over the table, and of each column of levels one with its rarest."""
    n_rows = len(columns[0].missing)
    chosen = set(np.linspace(0, n_rows - 1, min(FIRST_ROWS, n_rows)).astype(int).tolist())
    for column in columns:
        if column.kind == "discrete":
            counts = np.bincount(column.codes, minlength=len(column.levels))[: len(column.levels)]
            rarest = np.where(counts > 0, counts, n_rows).argmin()
            chosen.add(int((column.codes == rarest).argmax()))
    return np.array(sorted(chosen))


def _numbers(column: Column, rows: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the values in these rows, of levels their codes; NaN where one is missing."""
    if column.kind == "numeric":
        return column.values[rows]
    codes = column.codes[rows].astype(np.float64)
    codes[codes == len(column.levels)] = np.nan
    return codes


def determines(one: Column, other: Column) -> bool:
    """Tell whether the value of one column tells that of the other, in every row that has both.

    Most rows differ in a quantity, so that it tells anything by chance. Of a quantity more is asked: each level of the
    other must be one interval of it, or the other must rise, or fall, with it throughout. Nothing is told by a column
    nearly all of whose values are the same.
    """
    if one.kind == "discrete" and other.kind == "numeric":
        return False
    both = ~(one.missing | other.missing) if one.incomplete or other.incomplete else slice(None)
    if one.kind == "discrete" and other.kind == "discrete":
        return _levels_determine(one.codes[both], other.codes[both])
    values = one.numbers()[both]
    told: NDArray[Any] = other.values[both] if other.kind == "numeric" else other.codes[both].astype(np.int64)
    order = np.argsort(values)
    moves, steps = np.diff(values[order]) > 0, np.diff(told[order])
    if moves.sum() < 2 * ROWS_PER_LEVEL or (steps[~moves] != 0).any():
        return False
    if other.kind == "numeric":
        return bool((steps[moves] > 0).all() or (steps[moves] < 0).all())
    return _n_rare(told) >= ROWS_PER_LEVEL and np.count_nonzero(steps) == len(np.unique(told)) - 1


def _levels_determine(one: NDArray[Any], other: NDArray[Any]) -> bool:
    """Tell whether each code of one goes with a single code of the other."""
    n_levels = np.count_nonzero(np.bincount(one))
    if len(one) < ROWS_PER_LEVEL * n_levels or _n_rare(other) < ROWS_PER_LEVEL:
        return False
    told = np.zeros(int(one.max()) + 1, dtype=other.dtype)
    told[one] = other  # one of the codes it goes with
    return np.array_equal(told[one], other)


def _n_rare(codes: NDArray[Any]) -> int:
    """Return in how many rows the value is not the most common one."""
    return len(codes) - int(np.bincount(codes).max()) if len(codes) else 0
