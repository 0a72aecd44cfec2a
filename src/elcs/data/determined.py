"""Columns that hold what another holds: a copy, a recoding, a number and its class, a sum.

Once such a column is held fixed, nothing is left of the other. A test on levels then finds independence, so that every
true cause disappears behind the copy; a test on numbers cannot tell any more.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from elcs.data.columns import Column, Numeric
from elcs.data.formulas import formulas
from elcs.data.naming import quoted
from elcs.data.table import Table
from elcs.errors import DataWarning

__all__ = ["Tie", "determines", "remarks", "ties", "ties_of", "warn_of_copies"]

ROWS_PER_LEVEL = 5
"""With fewer rows for each level of a column, it determines any other by chance."""
MOST_COLUMNS = 200
"""In a table with more columns, pairs are not looked for."""
MOST_CHECKS = 100
"""So many pairs that agree in the rows looked at first are checked in all rows."""
FIRST_ROWS = 300
"""How many rows, spread over the table, are looked at first."""
NEXT_ROWS = 10_000
"""How many rows are looked at before all are: with 1.3 million rows, 72 pairs of columns take 5 ms instead of 0.5 s."""


class Tie(NamedTuple):
    """What two columns have to do with each other in every row.

    Attributes
    ----------
    one, other : str
        The columns.
    how : {'same', 'tells', 'rises', 'falls'}
        Each tells the other, or one is the other on another linear scale; one tells the other, but not the other way
        round; one rises, or falls, with the other throughout.
    """

    one: str
    other: str
    how: Literal["same", "tells", "rises", "falls"]


def warn_of_copies(table: Table, target: str | None) -> None:
    """Warn of columns that hold what others hold; the table keeps what was said."""
    for remark in table.keep("remarks", lambda table: remarks(table.columns, target)):
        warnings.warn(remark, DataWarning, stacklevel=5)


def remarks(columns: Sequence[Column], target: str | None = None) -> list[str]:
    """Say which columns hold the same thing, tell others or follow from others: of the target first, then of the rest.

    Examples
    --------
    >>> weight = [2.1 + i / 50 for i in range(60)]
    >>> table = Table.from_any({"weight": weight, "low": [w < 2.5 for w in weight], "sex": ["f", "m"] * 30})
    >>> remarks(table.columns)
    ["'weight' tells 'low' in every row; if one is made from the other, keep one of them (drop=, --drop)"]
    """
    of_target = ties_of(columns, target) if target is not None else []
    same = [name for tie in of_target if tie.how == "same" for name in (tie.one, tie.other) if name != target]
    rest = [column for column in columns if column.name not in (target, *same)]
    of_rest = ties(rest)
    groups = _groups([tie for tie in of_rest if tie.how == "same"])
    told = []
    if same:
        hold = "holds" if len(same) == 1 else "hold"
        told.append(
            f"column {quoted(same)} {hold} the same thing as the target {target!r}. A copy or a recoding of the target "
            "says nothing new and gets in the way of the tests; leave it out (drop=, --drop)"
        )
    if groups:
        listed = "; ".join(_and(group) for group in groups)
        told.append(
            f"these columns hold the same thing: {listed}. They hide each other's causes and effects; keep one of "
            "them, and leave out the rest (drop=, --drop)"
        )
    loose = [tie for tie in (*of_target, *of_rest) if tie.how != "same"]
    if loose:
        listed = ", ".join(_SAID[tie.how].format(*(_name(name, target) for name in tie[:2])) for tie in loose[:_NAMED])
        more = f", and so on ({len(loose) - _NAMED} more)" if len(loose) > _NAMED else ""
        told.append(f"{listed} in every row{more}; if one is made from the other, keep one of them (drop=, --drop)")
    copied = {name for group in groups for name in group[1:]} | set(same)
    sums = formulas([column for column in columns if column.name not in copied]) if len(columns) <= MOST_COLUMNS else []
    return told + [
        f"{_name(name, target)} follows from {_and(terms)} in every row, as a sum of multiples of them; if it is made "
        "from them, or one of them from it, leave one of these columns out (drop=, --drop)"
        for name, terms in sums
    ]


_SAID = {"tells": "{} tells {}", "rises": "{} rises with {}", "falls": "{} falls as {} rises"}
_NAMED = 10


def _name(name: str, target: str | None) -> str:
    return f"the target {name!r}" if name == target else repr(name)


def _and(names: Sequence[str]) -> str:
    return f"{quoted(names[:-1])} and {names[-1]!r}"


def _groups(same: Sequence[Tie]) -> list[list[str]]:
    """Put columns together that hold the same thing; each is tied to the first of its group."""
    groups: dict[str, list[str]] = {}
    for tie in same:
        groups.setdefault(tie.one, [tie.one]).append(tie.other)
    return list(groups.values())


def ties_of(columns: Sequence[Column], target: str) -> list[Tie]:
    """Return what the target has to do with each of the other columns.

    Examples
    --------
    >>> weight = [2.1 + i / 50 for i in range(60)]
    >>> low = [w < 2.5 for w in weight]
    >>> ties_of(Table.from_any({"weight": weight, "low": low, "sex": ["f", "m"] * 30}).columns, "low")
    [Tie(one='weight', other='low', how='tells')]
    """
    own = next(column for column in columns if column.name == target)
    return [found for column in columns if column is not own and (found := tie(column, own)) is not None]


def ties(columns: Sequence[Column]) -> list[Tie]:
    """Return what columns have to do with each other; of those that hold the same thing, the first stands for all.

    Pairs that some rows rule out already are not looked at any further. In a wide table nothing is looked for.

    Examples
    --------
    >>> town = ["york", "bath", "ely"] * 30
    >>> table = Table.from_any({"town": town, "code": [ord(t[0]) for t in town], "rain": [0, 1, 1, 0, 0] * 18})
    >>> ties(table.columns)
    [Tie(one='town', other='code', how='same')]
    """
    if not 2 <= len(columns) <= MOST_COLUMNS:
        return []
    copied: set[int] = set()
    looked_at: set[frozenset[int]] = set()
    found = []
    with np.errstate(invalid="ignore"):  # infinite numbers are complained of elsewhere
        for one, other in _likely_pairs(columns):
            pair = frozenset((one, other))
            if pair in looked_at or pair & copied:
                continue
            looked_at.add(pair)
            if len(looked_at) > MOST_CHECKS:
                break
            first, second = sorted(pair)
            told = tie(columns[first], columns[second])
            if told is not None:
                found.append(told)
                copied.update([second] if told.how == "same" else [])
    gone = {columns[i].name for i in copied}  # what was found before they were known to be copies says nothing new
    return [told for told in found if told.how == "same" or gone.isdisjoint(told[:2])]


def tie(one: Column, other: Column) -> Tie | None:
    """Return what two columns have to do with each other, if one tells the other."""
    if one.kind == other.kind == "numeric":
        if not determines(one, other):
            return None
        return Tie(one.name, other.name, _how_they_move(one, other))
    forth, back = determines(one, other), determines(other, one)
    if not (forth or back):
        return None
    first, second = (one, other) if forth else (other, one)
    return Tie(first.name, second.name, "same" if forth and back else "tells")


def _how_they_move(one: Numeric, other: Numeric) -> Literal["same", "rises", "falls"]:
    """Tell whether two numbers that move together are one on two scales, or how they move."""
    both = ~(one.missing | other.missing)
    x, y = one.values[both], other.values[both]
    low, high = x.argmin(), x.argmax()
    slope = (y[high] - y[low]) / (x[high] - x[low])
    if np.abs(y - y[low] - slope * (x - x[low])).max() < 1e-9 * abs(y[high] - y[low]):
        return "same"
    return "rises" if slope > 0 else "falls"


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
    if not _go_together(one[:NEXT_ROWS], other[:NEXT_ROWS]):
        return False
    n_levels = np.count_nonzero(np.bincount(one))
    if len(one) < ROWS_PER_LEVEL * n_levels or _n_rare(other) < ROWS_PER_LEVEL:
        return False
    return _go_together(one, other)


def _go_together(one: NDArray[Any], other: NDArray[Any]) -> bool:
    told = np.zeros(int(one.max(initial=0)) + 1, dtype=other.dtype)
    told[one] = other  # one of the codes it goes with
    return np.array_equal(told[one], other)


def _n_rare(codes: NDArray[Any]) -> int:
    """Return in how many rows the value is not the most common one."""
    return len(codes) - int(np.bincount(codes).max()) if len(codes) else 0
