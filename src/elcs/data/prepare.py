"""The steps from encoded columns to a table that can be tested: the options of the user, and every complaint.

A step appends what it finds wrong to a list of problems, and goes on as well as it can, so that all problems of a table
are told at once.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elcs.data.bins import into_bins
from elcs.data.levels import Factor, as_kind
from elcs.data.naming import quoted, that
from elcs.data.reading import available_memory
from elcs.data.times import TIMES
from elcs.errors import DataError

Factors = dict[str, Factor]

MAX_LEVELS = 65536
MOST_LABELS = 10
"""More different whole numbers, or dates, than this are a quantity."""
MOST_LABELS_EVER = 4
"""So many different whole numbers are labels even where there are fewer than ten rows for each."""
MAX_BITMAPS = 64
"""Columns with more levels than this are counted from their codes alone."""
MISSING_LEVEL = "(missing)"
MOST_OBSERVATIONS = 2**36
"""Up to here G2 is right to 1e-4, whatever the weights; at 2**40 it would be off by 0.001, at 2**60 by 100."""


def check_memory(n_rows: int, n_columns: int, *, n_bitmaps: int | None = None, held: int = 0) -> None:
    """Refuse a table that cannot fit: a byte per cell for the codes, and a bit per row for each bitmap.

    Each level gets a bitmap. While the number of levels is unknown, it is taken to be two per column. `held` are the
    bytes that are needed besides while the table is read, for the text of different cells above all.
    """
    n_bitmaps = 2 * n_columns if n_bitmaps is None else n_bitmaps
    needed, available = n_rows * (n_columns + n_bitmaps / 8) + held, available_memory()
    if available is not None and needed > available:
        raise DataError(
            f"the table is too large: {n_rows:,} rows x {n_columns:,} columns = {n_rows * n_columns:,} cells "
            f"need about {needed / 2**30:,.1f} GiB, and this machine has {available / 2**30:,.1f} GiB; "
            "keep fewer columns (columns=, drop=), or a sample of the rows"
        )


def refuse(problems: Sequence[str]) -> None:
    """Raise one error that tells all problems, if there are any."""
    if len(problems) == 1:
        raise DataError(problems[0])
    if problems:
        listed = "".join(f"\n- {problem}" for problem in problems)
        raise DataError(f"{len(problems)} things are wrong:{listed}")


def check_types(factors: Mapping[str, Factor], problems: list[str]) -> dict[str, Factor]:
    """Complain of types that have no levels, and of types mixed within a column; return these columns."""
    unsupported = [f"{name!r} ({f.detail})" for name, f in factors.items() if f.kind == "unsupported"]
    if unsupported:
        problems.append(
            f"values of these columns cannot be levels: {', '.join(unsupported)}; turn them into text or "
            "numbers, or leave them out with drop="
        )
    mixed = {name: f.detail for name, f in factors.items() if f.kind == "mixed"}
    if mixed:
        problems.append(
            f"types are mixed in {', '.join(f'{name!r} ({detail})' for name, detail in mixed.items())}; "
            f"convert the values, or pass kinds={dict.fromkeys(mixed, 'text')!r} to read them as text"
        )
    return {name: factor for name, factor in factors.items() if factor.kind in ("mixed", "unsupported")}


def weights_from(factor: Factor, n_rows: int, problems: list[str]) -> NDArray[np.int64] | None:
    """Check that weights are whole numbers of at least 0, and return them as an array."""
    fault = ""
    if factor.has_missing:
        fault = "missing values"
    elif factor.kind == "number":
        fault = f"fractions, such as {next(v for v in factor.levels if not v.is_integer())}"
    elif factor.kind != "integer":
        fault = f"values of kind {factor.kind!r}"
    elif len(factor.codes) != n_rows:
        fault = f"{len(factor.codes)} values for {n_rows} rows"
    elif factor.levels[0] < 0:
        fault = f"negative values, such as {factor.levels[0]}"
    elif factor.levels[-1] * n_rows >= 2**63:
        fault = f"values too large to add up, such as {factor.levels[-1]}"
    elif not any(factor.levels):
        fault = "0 for every row, which leaves no rows"
    counts: NDArray[np.int64] | None = None
    if not fault:
        counts = np.array(factor.levels, dtype=np.int64)[factor.codes]
        if counts.sum() > MOST_OBSERVATIONS:
            fault = f"a sum of {counts.sum():,}, and {MOST_OBSERVATIONS:,} observations are the most that are counted"
    if fault:
        problems.append(f"weights= has {fault}; it must say how often each row occurs: 0, 1, 2, ...")
        return None
    return counts


def usable_rows(
    factors: Factors, rows: NDArray[np.bool_], missing: str, place: Callable[[int], str], problems: list[str]
) -> NDArray[np.bool_]:
    """Return which rows to keep, according to `missing`; `place` says where a row is."""
    if missing in ("level", "testwise"):
        return rows
    empty = [name for name, factor in factors.items() if not factor.levels]
    if empty:
        problems.append(f"no row has a value in column {quoted(empty)}; leave it out with drop=")
    gaps = {name: factor for name, factor in factors.items() if factor.has_missing and factor.levels}
    if missing == "drop":
        whole = rows.copy()
        for factor in gaps.values():
            whole &= factor.codes != len(factor.levels)
        if whole.any():
            return whole
        problems.append(
            f"missing='drop' leaves no rows: each has a missing value in {quoted(gaps)}; leave out the "
            "columns that lack most values with drop=, or pass missing='level'"
        )
        return rows
    found = []
    for name, factor in gaps.items():
        gap = rows & (factor.codes == len(factor.levels))
        if gap.any():
            found.append(f"{name!r} ({gap.sum():,}, first in {place(int(gap.argmax()))})")
    if found:
        problems.append(say_gaps(found))
    return rows


def say_gaps(found: Sequence[str]) -> str:
    """Complain of values that are missing where none may be; `found` names the columns, and how many lack them."""
    return (
        f"values are missing in {', '.join(found)}; pass missing='testwise' (--missing testwise) to use the rows that "
        "have what a test is about, missing='drop' (--missing drop) to leave such rows out altogether, or "
        f"missing='level' (--missing level) to make {MISSING_LEVEL!r} a level of its own"
    )


def apply_kinds(factors: Factors, kinds: Mapping[str, str], problems: list[str]) -> Factors:
    """Read columns as the user says they are; one that cannot be that stays what it is."""
    read = dict(factors)
    impossible = []
    for name, factor in factors.items():
        try:
            read[name] = as_kind(factor, kinds[name]) if name in kinds else factor
        except ValueError:
            impossible.append(name)
    if impossible:
        problems.append(
            f"column {quoted(impossible)} cannot be what kinds= says: not all of its values are "
            "whole numbers, or numbers at all; say 'text' or 'category'"
        )
    return read


def apply_bins(
    factors: Factors, bins: int | Mapping[str, int] | None, weights: NDArray[np.int64] | None, problems: list[str]
) -> Factors:
    """Cut columns into bins, as `bins` says."""
    named = dict(bins) if isinstance(bins, Mapping) else {}
    others = named.pop("*", None) if isinstance(bins, Mapping) else bins
    total = _total(factors, weights)
    quantities = [name for name, f in factors.items() if f.kind == "number" or is_quantity(f, total)]
    counts = ({} if others is None else dict.fromkeys(quantities, others)) | named
    counts = {name: count for name, count in counts.items() if name in factors}
    wordy = [name for name in counts if factors[name].kind not in ("integer", "number", *TIMES)]
    if wordy:
        them = "it" if len(wordy) == 1 else "them"
        problems.append(f"{that(wordy, 'does', 'do')} not hold numbers; take {them} out of bins=")
    return factors | {
        name: into_bins(factors[name], count, weights)
        for name, count in counts.items()
        if name not in wordy and factors[name].n_codes > 1
    }


def _total(factors: Factors, weights: NDArray[np.int64] | None) -> int:
    """Return the number of observations."""
    if weights is not None:
        return int(weights.sum())
    return next((len(factor.codes) for factor in factors.values()), 0)


def check_finite(factors: Factors, weights: NDArray[np.int64] | None, problems: list[str]) -> set[str]:
    """Complain of numbers without end, and of whole numbers that no float can hold; return the columns with these."""
    endless = [name for name, f in factors.items() if f.kind == "number" and any(map(math.isinf, _ends(f)))]
    if endless:
        problems.append(f"{that(endless, 'holds', 'hold')} infinite numbers; replace them, or use drop= (--drop)")
    longest = sys.float_info.max
    total = _total(factors, weights)
    quantities = {name: f for name, f in factors.items() if is_quantity(f, total)}
    too_large = [name for name, f in quantities.items() if any(abs(end) > longest for end in _ends(f))]
    if too_large:
        they = that(too_large, "holds", "hold")
        problems.append(f"{they} whole numbers too large to compute with; use drop= (--drop)")
    return set(too_large)


def _ends(factor: Factor) -> list[Any]:
    """Return the first level and the last, if there are any."""
    return [*factor.levels[:1], *factor.levels[-1:]]


def missing_as_level(factors: Factors, weights: NDArray[np.int64] | None, problems: list[str]) -> Factors:
    """Give missing values a level of their own, the last."""
    gaps = {name: f for name, f in factors.items() if f.has_missing}
    total = _total(factors, weights)
    uncut = [
        name
        for name, f in gaps.items()
        if (f.kind == "number" and len(f.levels) > 1) or (f.kind in TIMES and is_quantity(f, total))
    ]
    if uncut:
        what = "fractional numbers" if all(gaps[name].kind == "number" for name in uncut) else "fractions or dates"
        problems.append(
            f"{that(uncut, 'holds', 'hold')} {what}, and missing='level' needs levels: pass bins=4 "
            "(--bins 4) as well, to cut such columns into four bins"
        )
    return factors | {
        name: replace(f, levels=[*f.levels, MISSING_LEVEL], has_missing=False, kind=_with_levels(f.kind))
        for name, f in gaps.items()
        if name not in uncut
    }


def _with_levels(kind: str) -> str:
    return "category" if kind == "number" else kind


def is_crowded(factor: Factor, total: int) -> bool:
    """Tell whether a column has so many levels that this many rows say nothing about most of them."""
    n_levels = len(factor.levels)
    return (n_levels > 20 and n_levels * 10 > total) or n_levels > MAX_LEVELS


def refuse_unfit(uncut: Mapping[str, str], crowded: Mapping[str, int], total: int, instead: str) -> None:
    """Refuse columns that cannot be asked about as levels: quantities, by their kinds, and too many levels.

    `instead` is what takes quantities as they are.
    """
    faults = []
    if uncut:
        what = "fractional numbers" if set(uncut.values()) == {"number"} else "fractional numbers, dates or times"
        faults.append(
            f"{that(uncut, 'holds', 'hold')} {what}; pass bins=4 (--bins 4) to cut such columns into four bins of "
            "about the same number of rows, kinds={...: 'category'} to make each value a level, or choose "
            f"{instead}"
        )
    if crowded:
        listed = ", ".join(f"{name!r} ({n_levels:,} levels)" for name, n_levels in crowded.items())
        faults.append(
            f"too many levels for {total:,} rows: {listed}; leave out identifiers with drop= (--drop), "
            "merge levels, or cut numbers into bins with bins={...: 4} (--bins COLUMN=4)"
        )
    refuse(faults)


def is_quantity(factor: Factor, total: int) -> bool:
    """Tell whether whole numbers, dates or times are a quantity rather than labels: many, or few rows for each.

    To take labels for quantities costs far more than the reverse, so few different numbers always are labels.
    """
    n_levels = len(factor.levels)
    many = n_levels > MOST_LABELS or (n_levels > MOST_LABELS_EVER and n_levels * 10 > total)
    return factor.kind in ("integer", *TIMES) and many and MISSING_LEVEL not in factor.levels
