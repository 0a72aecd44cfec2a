"""What deserves a look in a table that was read: likely identifiers, codes for missing, numbers written as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from elcs.data.disguise import looks_like
from elcs.data.draft import Draft
from elcs.data.levels import Factor
from elcs.data.listing import shortened
from elcs.data.naming import counted
from elcs.data.prepare import MISSING_LEVEL, MOST_LABELS

__all__ = ["hints"]

_CODES = frozenset({-1, -9, -99, -999, -9999, 99, 999, 9999, 99999, 999999})
"""Numbers that often stand for a missing value."""
_WORDS = frozenset(
    ["n/a", "n.a.", "unknown", "missing", "none", "-", "--", ".", "?", "#n/a", "#value!", "#ref!", "#div/0!", "#name?"]
)
"""Words that often do, in small letters."""


def hints(read: Draft) -> Iterator[str]:
    """Say what deserves a look."""
    yield from read.identifiers.doubts
    for name, factor in read.factors.items():
        yield from _codes_for_missing(name, factor, read.weights, kept=name not in read.left_out)
        if name not in read.reading.named_columns:
            yield from _numbers_in_disguise(name, factor)


def _numbers_in_disguise(name: str, factor: Factor) -> Iterator[str]:
    """Say that text looks like numbers or dates; few different plain numbers may well be labels."""
    look = looks_like(factor)
    if look is not None and (look.what != "numbers" or (not look.odd and len(factor.levels) > MOST_LABELS)):
        yield f"{name!r} is text, but {look.told}; if that is what they are, convert them before the table is read"


def _codes_for_missing(name: str, factor: Factor, weights: NDArray[np.int64] | None, *, kept: bool) -> Iterator[str]:
    """Name the values that look as if they stood for a missing one."""
    rest = ""
    if factor.kind in ("integer", "number"):
        numbers = [level for level in factor.levels if level != MISSING_LEVEL]  # which comes last, if it is one
        codes = _odd_numbers(numbers)
    else:
        codes = _words_among_numbers(factor)
        rest = " where all others hold numbers" if codes else ""
        codes = codes or (_words_for_missing(factor) if kept else [])
    if codes:
        listed = " or ".join(shortened(_written(factor.levels[i])) for i in codes)
        found = np.isin(factor.codes, codes)
        rows = counted(int(found.sum() if weights is None else weights[found].sum()), "row")
        yield (
            f"{name!r} has {listed} in {rows}{rest}, which might be a code for missing; if so, leave such cells empty"
        )


def _written(level: object) -> str:
    return str(int(level)) if isinstance(level, float) and level.is_integer() else repr(level)


def _odd_numbers(levels: Sequence[float]) -> list[int]:
    """Return the codes of the least and the greatest numbers, where these look like no quantity.

    One that does lies further from the other numbers than these do from each other; -1 may also be the one negative.
    """
    low, high = 0, len(levels) - 1
    while high - low >= 3:
        spread = levels[high] - levels[low + 1]
        lonely = levels[low + 1] - levels[low] > spread or (levels[low] == -1 and levels[low + 1] >= 0)
        if levels[low] in _CODES and lonely:
            low += 1
        elif levels[high] in _CODES and levels[high] - levels[high - 1] > levels[high - 1] - levels[low]:
            high -= 1
        else:
            break
    return [*range(low), *range(high + 1, len(levels))]


def _words_among_numbers(factor: Factor) -> list[int]:
    """Return the codes of the few words in a column of text that holds numbers otherwise; '2+' is no word."""
    look = looks_like(factor)
    if look is None or look.what != "numbers":
        return []
    return [i for i in look.odd if not any(map(str.isdigit, factor.levels[i]))]


def _words_for_missing(factor: Factor) -> list[int]:
    """Return the codes of words for missing beside at least two other levels, none of them in most rows."""
    if factor.kind not in ("text", "category"):
        return []
    likely = [i for i, level in enumerate(factor.levels) if str(level).strip().lower() in _WORDS]
    if len(factor.levels) - len(likely) < 2:
        return []
    return [i for i in likely if np.count_nonzero(factor.codes == i) * 2 < factor.n_present]
