"""From encoded columns to a table that can be tested: the options of the user, and every refusal.

Each step looks at all columns before it complains, so that one message names everything that must be fixed.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from elcs.data.bins import into_bins
from elcs.data.levels import Factor, as_kind
from elcs.errors import DataError, unknown_name

Factors = dict[str, Factor]

MAX_LEVELS = 65536
MOST_LABELS = 10
"""More different whole numbers than this are a quantity."""
MOST_LABELS_EVER = 4
"""So many different whole numbers are labels even where there are fewer than ten rows for each."""
MAX_BITMAPS = 64
"""Columns with more levels than this are counted from their codes alone."""
MISSING_LEVEL = "(missing)"


def quoted(names: Collection[str]) -> str:
    """List names as a person would read them."""
    return ", ".join(map(repr, names))


def available_memory() -> int | None:
    """Return the bytes of memory of this machine, or None if the system does not say."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def check_memory(n_rows: int, n_columns: int, *, n_bitmaps: int | None = None) -> None:
    """Refuse a table that cannot fit: a byte per cell for the codes, and a bit per row for each bitmap.

    Each level gets a bitmap. While the number of levels is unknown, it is taken to be two per column.
    """
    n_bitmaps = 2 * n_columns if n_bitmaps is None else n_bitmaps
    needed, available = n_rows * (n_columns + n_bitmaps / 8), available_memory()
    if available is not None and needed > available:
        raise DataError(
            f"the table is too large: {n_rows:,} rows x {n_columns:,} columns = {n_rows * n_columns:,} cells "
            f"need about {needed / 2**30:,.1f} GiB, and this machine has {available / 2**30:,.1f} GiB; "
            "keep fewer columns (columns=, drop=), or a sample of the rows"
        )


def check_names(names: Sequence[str], title: str) -> None:
    """Refuse columns without a name, and names that occur twice."""
    nameless = [str(position) for position, name in enumerate(names, start=1) if not name.strip()]
    if nameless:
        raise DataError(
            f"{title} has columns without a name, at position {', '.join(nameless)}; name each column "
            "(pandas writes such a column for its index: use to_csv(index=False))"
        )
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise DataError(
            f"{title} has more than one column named {quoted(twice)}; names must differ, and a file must have them "
            "in its first line"
        )


def choose_columns(
    names: Sequence[str], columns: Collection[str] | None, drop: Collection[str] | None, weights: str | None
) -> list[str]:
    """Return the names of the variables, in the order of the table."""
    check_known([*(columns or ()), *(drop or ()), *([] if weights is None else [weights])], names)
    kept = set(names if columns is None else columns) - {*(drop or ()), weights}
    if len(kept) < 2:
        raise DataError(f"at least two columns are needed; the table has {len(kept)}: {quoted(kept)}")
    return [name for name in names if name in kept]


def check_known(given: Collection[str], names: Collection[str]) -> None:
    """Refuse a name that is not the name of a column."""
    known = set(names)
    for name in given:
        if name not in known:
            raise unknown_name(name, names, what="column")


def check_target(target: str | None, chosen: Collection[str], names: Collection[str]) -> None:
    """Refuse a target that is no column, or that was left out."""
    if target is not None and target in names and target not in chosen:
        raise DataError(f"target {target!r} is not among the variables: drop=, columns= or weights= leaves it out")
    check_known([] if target is None else [target], chosen)


def check_types(factors: Factors) -> None:
    """Refuse types that have no levels, and types mixed within a column."""
    unsupported = [f"{name!r} ({f.detail})" for name, f in factors.items() if f.kind == "unsupported"]
    if unsupported:
        raise DataError(
            f"values of these columns cannot be levels: {', '.join(unsupported)}; turn them into text or "
            "numbers, or leave them out with drop="
        )
    mixed = {name: f.detail for name, f in factors.items() if f.kind == "mixed"}
    if mixed:
        raise DataError(
            f"types are mixed in {', '.join(f'{name!r} ({detail})' for name, detail in mixed.items())}; "
            f"convert the values, or pass kinds={dict.fromkeys(mixed, 'text')!r} to read them as text"
        )


def weights_from(factor: Factor, n_rows: int) -> NDArray[np.int64]:
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
    if fault:
        raise DataError(f"weights= has {fault}; it must say how often each row occurs: 0, 1, 2, ...")
    counts: NDArray[np.int64] = np.array(factor.levels, dtype=np.int64)[factor.codes]
    return counts


def usable_rows(
    factors: Factors, rows: NDArray[np.bool_], missing: str, place: Callable[[int], str]
) -> NDArray[np.bool_]:
    """Return which rows to keep, according to `missing`; `place` says where a row is."""
    if missing in ("level", "testwise"):
        return rows
    empty = [name for name, factor in factors.items() if not factor.levels]
    if empty:
        raise DataError(f"no row has a value in column {quoted(empty)}; leave it out with drop=")
    gaps = {name: factor for name, factor in factors.items() if factor.has_missing}
    if missing == "drop":
        for factor in gaps.values():
            rows = rows & (factor.codes != len(factor.levels))
        if not rows.any():
            raise DataError(
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
        raise DataError(
            f"values are missing in {', '.join(found)}; pass missing='testwise' (--missing testwise) to use the rows "
            "that have what a test is about, missing='drop' to leave such rows out altogether, or missing='level' to "
            f"make {MISSING_LEVEL!r} a level of its own"
        )
    return rows


def apply_kinds(factors: Factors, kinds: Mapping[str, str]) -> Factors:
    """Read columns as the user says they are."""
    read: Factors = {}
    impossible = []
    for name, factor in factors.items():
        try:
            read[name] = as_kind(factor, kinds[name]) if name in kinds else factor
        except ValueError:
            impossible.append(name)
    if impossible:
        raise DataError(
            f"column {quoted(impossible)} cannot be what kinds= says: not all of its values are "
            "whole numbers, or numbers at all; say 'text' or 'category'"
        )
    return read


def apply_bins(factors: Factors, bins: int | Mapping[str, int] | None, weights: NDArray[np.int64] | None) -> Factors:
    """Cut columns into bins, as `bins` says."""
    named = dict(bins) if isinstance(bins, Mapping) else {}
    others = named.pop("*", None) if isinstance(bins, Mapping) else bins
    total = len(next(iter(factors.values())).codes) if weights is None else int(weights.sum())
    quantities = [name for name, f in factors.items() if f.kind == "number" or is_quantity(f, total)]
    counts = ({} if others is None else dict.fromkeys(quantities, others)) | named
    wordy = [name for name in counts if factors[name].kind not in ("integer", "number")]
    if wordy:
        raise DataError(f"column {quoted(wordy)} does not hold numbers; take it out of bins=")
    return factors | {
        name: into_bins(factors[name], count, weights) for name, count in counts.items() if factors[name].n_codes > 1
    }


def missing_as_level(factors: Factors) -> Factors:
    """Give missing values a level of their own, the last."""
    uncut = [name for name, f in factors.items() if f.has_missing and f.kind == "number" and len(f.levels) > 1]
    if uncut:
        raise DataError(
            f"column {quoted(uncut)} holds fractional numbers, and missing='level' needs levels: pass bins=4 "
            "(--bins 4) as well, to cut such columns into four bins"
        )
    return {
        name: replace(f, levels=[*f.levels, MISSING_LEVEL], has_missing=False, kind=_with_levels(f.kind))
        if f.has_missing
        else f
        for name, f in factors.items()
    }


def _with_levels(kind: str) -> str:
    return "category" if kind == "number" else kind


def is_crowded(factor: Factor, total: int) -> bool:
    """Tell whether a column has so many levels that this many rows say nothing about most of them."""
    n_levels = len(factor.levels)
    return (n_levels > 20 and n_levels * 10 > total) or n_levels > MAX_LEVELS


def refuse_unfit(fractional: Collection[str], crowded: Mapping[str, int], total: int) -> None:
    """Refuse columns that cannot be asked about as levels: fractional numbers, and too many levels for the rows."""
    faults = []
    if fractional:
        faults.append(
            f"column {quoted(fractional)} holds fractional numbers; pass bins=4 (--bins 4) to cut such "
            "columns into four bins of about the same number of rows, kinds={...: 'category'} to make each value a "
            "level, or choose a test for numbers: ci_test='mixed' (--ci-test mixed)"
        )
    if crowded:
        listed = ", ".join(f"{name!r} ({n_levels:,} levels)" for name, n_levels in crowded.items())
        faults.append(
            f"too many levels for {total:,} rows: {listed}; leave out identifiers with drop= (--drop), "
            "merge levels, or cut numbers into bins with bins={...: 4} (--bins COLUMN=4)"
        )
    if faults:
        raise DataError(". Also: ".join(faults))


def is_quantity(factor: Factor, total: int) -> bool:
    """Tell whether whole numbers are a quantity rather than labels: many of them, or few rows for each.

    To take labels for quantities costs far more than the reverse, so few different numbers always are labels.
    """
    n_levels = len(factor.levels)
    many = n_levels > MOST_LABELS or (n_levels > MOST_LABELS_EVER and n_levels * 10 > total)
    return factor.kind == "integer" and many and MISSING_LEVEL not in factor.levels


def unusable(factor: Factor, total: int) -> str:
    """Say why nothing can be learnt from a column, if that is so."""
    n_rows, n_levels = factor.n_present, len(factor.levels)
    total = total * n_rows // len(factor.codes)
    if n_levels == 0:
        return "no values"
    if n_levels == 1:
        return f"constant: always {factor.levels[0]!r}"
    if factor.kind == "integer":
        numbers_the_rows = n_levels == n_rows == total > 20 and factor.levels[-1] - factor.levels[0] == n_rows - 1
        return "an identifier: it numbers the rows" if numbers_the_rows else ""
    if factor.kind in ("text", "category") and is_crowded(factor, total):
        if n_levels == n_rows == total:
            return "an identifier: all values differ"
        return f"{n_levels:,} levels, too many for {total:,} rows"
    return ""


def split_unusable(factors: Mapping[str, Factor], target: str | None, total: int) -> tuple[Factors, dict[str, str]]:
    """Separate the columns to keep from those from which nothing can be learnt, each with the reason."""
    left_out = {name: why for name, factor in factors.items() if (why := unusable(factor, total))}
    if target in left_out:
        raise DataError(f"target {target!r} is {left_out[target]}; nothing can be learnt about it")
    kept = {name: factor for name, factor in factors.items() if name not in left_out}
    if len(kept) < 2:
        because = "; left out: " + ", ".join(f"{name!r} ({why})" for name, why in left_out.items()) if left_out else ""
        raise DataError(f"at least two columns that vary are needed; the table has {len(kept)}{because}")
    return kept, left_out
