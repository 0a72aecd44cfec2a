"""Text that looks like numbers or dates, but is not written as such.

It is not converted: 1,234 is a thousand to some and one to others, and nobody but the reader of a table knows.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from elcs.data.levels import Factor, is_number

__all__ = ["Look", "looks_like"]

MOST_ODD = 3
"""So many different strings may look otherwise than the rest."""
LARGEST_ODD_SHARE = 0.1
"""In no larger a share of the rows; half of them, where the rest are plain numbers."""
FEWEST = 3
"""So many different strings at least must look like it."""

_THOUSANDS = r"[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]+)?"
_COMMA = r"(?:[0-9]+|[1-9][0-9]{0,2}(?:\.[0-9]{3})+),[0-9]+|[1-9][0-9]{0,2}(?:\.[0-9]{3}){2,}"
_AMOUNT = rf"(?:{_THOUSANDS}|{_COMMA}|[0-9]*\.?[0-9]+)"
_DAY, _CLOCK = r"(?:0?[1-9]|[12][0-9]|3[01])", r"(?:,?[ T][0-9]{1,2}:[0-9]{2}(?::[0-9.]+)?(?: ?[AaPp][Mm])?)?"
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"

_STYLES = (
    ("numbers with thousands separators", rf"[+-]?{_THOUSANDS}"),
    ("numbers with a decimal comma", rf"[+-]?(?:{_COMMA})"),
    ("numbers with a currency sign", rf"[+-]?[$€£¥] ?[+-]?{_AMOUNT}|[+-]?{_AMOUNT} ?[$€£¥]"),
    ("numbers with a percent sign", rf"[+-]?{_AMOUNT} ?%"),
    (
        "dates",
        rf"(?:{_DAY}([/.]){_DAY}\1(?:[0-9]{{4}}|[0-9]{{2}})|{_DAY}-{_DAY}-[0-9]{{4}}"
        rf"|[0-9]{{4}}([/.-]){_DAY}\2{_DAY}){_CLOCK}",
    ),
    (
        "dates",
        rf"(?:{_DAY}[ ./-])?{_MONTH}[ ./-]+(?:[0-9]{{4}}|[0-9]{{2}}){_CLOCK}"
        rf"|{_MONTH} {_DAY},? [0-9]{{4}}{_CLOCK}|[0-9]{{4}}[ ./-]{_MONTH}(?:[ ./-]{_DAY})?",
    ),
)


class Look(NamedTuple):
    """What the values of a column look like.

    Attributes
    ----------
    what : str
        'numbers', 'numbers with a percent sign', 'dates', ...
    odd : tuple of int
        The codes of the few levels that look otherwise.
    told : str
        All of it in words.
    """

    what: str
    odd: tuple[int, ...]
    told: str


def looks_like(factor: Factor) -> Look | None:
    """Tell whether text looks like numbers or dates, but for a few strings.

    Examples
    --------
    >>> from elcs.data.levels import from_objects
    >>> looks_like(from_objects(["45,123", "1,001", "812", "2,960"])).told
    'its values look like numbers with thousands separators'
    >>> looks_like(from_objects(["1.5", "2", "7", "8", "?"])).told
    "all but '?' (1 row) look like numbers"
    """
    if factor.kind not in ("text", "category") or not all(isinstance(level, str) for level in factor.levels):
        return None
    plain = {i for i, level in enumerate(factor.levels) if is_number(level)}
    rest = [i for i in range(len(factor.levels)) if i not in plain]
    if len(plain) >= 2 and len(rest) <= MOST_ODD:
        return _look(factor, "numbers", rest, 0.5)
    for what, style in _STYLES:
        pattern = re.compile(style, re.IGNORECASE)
        odd: list[int] = []
        for i in rest:
            if not pattern.fullmatch(factor.levels[i]):
                odd.append(i)
                if len(odd) > MOST_ODD:
                    break
        if len(odd) <= MOST_ODD and len(rest) - len(odd) >= FEWEST:
            if what == "dates":
                odd = sorted([*odd, *plain])
                what = f"dates, such as {next(factor.levels[i] for i in rest if i not in odd)!r}"
            return _look(factor, what, odd, LARGEST_ODD_SHARE) if len(odd) <= MOST_ODD else None
    return None


def _look(factor: Factor, what: str, odd: list[int], largest_share: float) -> Look | None:
    """Say what a column looks like, if no more than this share of its rows look otherwise."""
    if not odd:
        return Look(what, (), f"its values look like {what}")
    n_rows = int(np.isin(factor.codes, odd).sum())
    if n_rows >= largest_share * factor.n_present:
        return None
    listed = " and ".join(repr(factor.levels[i]) for i in odd)
    return Look(what, tuple(odd), f"all but {listed} ({n_rows:,} row{'s' * (n_rows != 1)}) look like {what}")
