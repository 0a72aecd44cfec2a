"""Columns of numbers that are worked out from a few others, as a sum of multiples of them, taken for levels or not.

Where the others are held fixed nothing is left of such a column, as with a copy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from elcs.data.columns import Column, Numeric

__all__ = ["formulas"]

MOST_TERMS = 3
"""From so many other columns one may follow."""
FEWEST_ROWS = 20
FIRST_ROWS = 300
"""How many rows, spread over the table, are looked at first."""
TOLERANCE = 1e-9
"""What may be left of a column, in standard deviations."""
MOST_EXACT = 1 << 53
_NO_TERM = 1e-6


def formulas(columns: Sequence[Column]) -> list[tuple[str, list[str]]]:
    """Return columns of numbers that follow from two or three others, and these.

    Examples
    --------
    >>> from elcs.data import Table
    >>> hour, minute = np.arange(60) % 23, np.arange(60) % 19
    >>> table = Table.from_any({"clock": 100 * hour + minute, "hour": hour, "minute": minute})
    >>> formulas(table.columns)
    [('clock', ['hour', 'minute'])]
    """
    from scipy.linalg import qr, solve_triangular  # here, because they take longer to import than all the rest
    from threadpoolctl import threadpool_limits

    numeric = [column for column in columns if _is_number(column)]
    gaps = [column.missing.mean() if column.incomplete else 0.0 for column in numeric]
    for most in (1.0, 0.5, 0.2, 0.1, 0.0):  # columns with many gaps leave too few rows that have all of them
        numeric = [column for column, share in zip(numeric, gaps, strict=True) if share <= most]
        gaps = [share for share in gaps if share <= most]
        rows = _whole_rows(numeric)
        if len(rows) >= _n_needed(numeric):
            break
    if len(numeric) < 3 or len(rows) < _n_needed(numeric):
        return []
    chosen = rows[np.linspace(0, len(rows) - 1, min(len(rows), max(FIRST_ROWS, _n_needed(numeric)))).astype(int)]
    cells = _standardised(np.stack([_values(column, chosen) for column in numeric], axis=1))
    with threadpool_limits(limits=1, user_api="blas"):  # on so small a matrix threads wait for each other, 0.2 s
        triangle, order = qr(cells, mode="r", pivoting=True)
    size = np.abs(np.diag(triangle))
    rank = int((size > TOLERANCE * size[0]).sum())
    found = []
    for i in range(rank, len(numeric)):
        if not np.any(cells[:, order[i]]):  # it does not vary in these rows
            continue
        shares = solve_triangular(triangle[:rank, :rank], triangle[:rank, i])
        terms = {int(order[j]): float(share) for j, share in enumerate(shares) if abs(share) > _NO_TERM}
        last = int(order[i])
        if 2 <= len(terms) <= MOST_TERMS and _holds(numeric, last, list(terms)):
            follows = _sum_of({**terms, last: -1.0})
            found.append((follows, sorted({*terms, last} - {follows})))
    return [(numeric[i].name, [numeric[j].name for j in rest]) for i, rest in sorted(found)]


def _sum_of(shares: Mapping[int, float]) -> int:
    """Return which of the columns whose multiples make 0 is best told as a sum: the one whose sign is alone."""
    for signed in ([i for i, share in shares.items() if share < 0], [i for i, share in shares.items() if share > 0]):
        if len(signed) == 1:
            return signed[0]
    return max(shares, key=lambda i: abs(shares[i]))


def _n_needed(columns: Sequence[Column]) -> int:
    """Return how many rows it takes: with as many columns as rows, each follows from the others."""
    return max(FEWEST_ROWS, 3 * len(columns))


def _is_number(column: Column) -> bool:
    if isinstance(column, Numeric):
        return not np.isinf(column.values).any()
    return column.taken_for == "integer" and all(isinstance(x, int) and abs(x) < MOST_EXACT for x in column.levels)


def _values(column: Column, rows: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the numbers in some rows that have the column."""
    if isinstance(column, Numeric):
        return column.values[rows]
    values: NDArray[np.float64] = np.array(column.levels, dtype=np.float64)[column.codes[rows]]
    return values


def _whole_rows(columns: Sequence[Column]) -> NDArray[np.intp]:
    """Return the rows that have all of these columns."""
    if not columns:
        return np.empty(0, np.intp)
    missing = [column.missing for column in columns if column.incomplete]
    return np.flatnonzero(~np.any(missing, axis=0)) if missing else np.arange(len(columns[0].missing))


def _standardised(cells: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return columns of mean 0 and deviation 1; those that do not vary become 0."""
    centred = cells - cells.mean(axis=0)
    deviations = centred.std(axis=0)
    return np.where(deviations > 0, centred / np.where(deviations > 0, deviations, 1), 0.0)


def _holds(columns: Sequence[Column], follows: int, terms: Sequence[int]) -> bool:
    """Tell whether a column follows from others in every row that has all of them."""
    own = [columns[i] for i in (follows, *terms)]
    rows = _whole_rows(own)
    cells = _standardised(np.stack([_values(column, rows) for column in own], axis=1))
    shares, *_ = np.linalg.lstsq(cells[:, 1:], cells[:, 0], rcond=None)
    return bool(np.abs(cells[:, 1:] @ shares - cells[:, 0]).max() < TOLERANCE)
