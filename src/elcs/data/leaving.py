"""Which columns are left out, because nothing can be learnt from them, and why."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from elcs.data.disguise import looks_like
from elcs.data.levels import Factor
from elcs.data.prepare import MOST_LABELS, is_crowded

__all__ = ["Identifiers", "does_not_vary", "identifiers", "names_rows", "say_of_target", "unusable"]

FEWEST_ROWS = 20
"""In fewer rows, different whole numbers are no sign of an identifier."""
DOUBTED_FROM = 100
"""In so many rows, whole numbers that all differ deserve a look."""
_NAMES = frozenset(["id", "uid", "uuid", "key", "index", "no", "nr", "num", "number", "seq", "seqn", "rownames"])
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W_A-Za-z]+")
_SEVERAL_WORDS = 3

NO_VALUES = "no values"


class Identifiers(NamedTuple):
    """Which columns of whole numbers identify the rows, and which may.

    Attributes
    ----------
    found : dict of str to str
        Those that do, each with the reason.
    doubts : list of str
        What deserves a look.
    """

    found: dict[str, str]
    doubts: list[str]


def identifiers(
    factors: Mapping[str, Factor], weights: NDArray[np.int64] | None = None, named: Collection[str] = ()
) -> Identifiers:
    """Look for identifiers among columns of whole numbers, in all rows of a table.

    A column that somebody named, to say what it holds, is none. Where rows count several times, nothing can be told.

    Examples
    --------
    >>> from elcs.data.levels import from_objects
    >>> number = from_objects(list(range(100, 200)))
    >>> identifiers({"customer": number, "visits": number.take(np.arange(100) < 19)}).found
    {'customer': 'an identifier: it numbers the rows'}
    """
    told = Identifiers({}, [])
    if weights is not None and weights.max() > 1:
        return told
    for name, factor in factors.items():
        if factor.kind != "integer" or name in named or len(factor.levels) <= MOST_LABELS:
            continue
        counts = np.bincount(factor.codes, minlength=len(factor.levels))[: len(factor.levels)]
        least, most = int(counts.min()), int(counts.max())
        if most == 1:
            why = _identifies(name, factor)
            if why:
                told.found[name] = why
            elif len(counts) >= DOUBTED_FROM:
                told.doubts.append(
                    f"all values of {name!r} differ; if it is an identifier, leave it out (drop=, --drop)"
                )
        elif least == most and is_called_identifier(name):
            told.doubts.append(
                f"each value of {name!r} occurs {most:,} times; if rows repeat the same thing, they are not independent"
            )
    return told


def _identifies(name: str, factor: Factor) -> str:
    """Say how whole numbers that all differ show that they identify the rows, if they do."""
    n_levels = len(factor.levels)
    if n_levels < FEWEST_ROWS:
        return ""
    if factor.levels[-1] - factor.levels[0] < 3 * n_levels:
        return "an identifier: it numbers the rows"
    places = factor.codes[factor.codes < n_levels]
    if (places[1:] > places[:-1]).all():
        return "an identifier: it rises from row to row"
    return "an identifier: all values differ" if is_called_identifier(name) else ""


def is_called_identifier(name: str) -> bool:
    """Tell whether the name of a column, or the last word of it, says that it identifies something.

    Examples
    --------
    >>> [is_called_identifier(name) for name in ("ID", "customerID", "EmployeeNumber", "member_id", "paid", "code")]
    [True, True, True, True, False, False]
    """
    words = _WORDS.findall(name)
    return bool(words) and words[-1].lower() in _NAMES


def names_rows(factor: Factor) -> bool:
    """Tell whether a column has another value in each row, or none in any."""
    return len(factor.levels) == (0 if factor.has_missing else len(factor.codes))


def unusable(factor: Factor, total: int, *, said: bool = False) -> str:
    """Say why nothing can be learnt from a column, if that is so; `said` means that somebody said what it holds."""
    n_rows, n_levels = factor.n_present, len(factor.levels)
    mostly_empty = 2 * n_rows < len(factor.codes)
    total = total * n_rows // len(factor.codes)
    if n_levels < 2:
        return does_not_vary(factor)
    if factor.kind not in ("text", "category"):
        return ""
    all_differ = n_levels == n_rows == total
    if not (is_crowded(factor, total) or (all_differ and mostly_empty and len(factor.codes) >= FEWEST_ROWS)):
        return ""
    look = looks_like(factor)
    if not all_differ or said:
        why = f"{n_levels:,} levels, too many for {total:,} rows"
    elif look is None and _n_words(factor) >= _SEVERAL_WORDS:
        why = "free text: all values differ"
    else:
        why = "an identifier: all values differ"
    return why if look is None else f"{why}; {look.told}"


def does_not_vary(factor: Factor) -> str:
    """Say that a column does not vary, if that is so."""
    if not factor.levels:
        return NO_VALUES
    return f"constant: always {factor.labels[0]!r}" if len(factor.levels) == 1 else ""


def _n_words(factor: Factor) -> float:
    """Return how many words a value has on average."""
    return sum(len(str(level).split()) for level in factor.levels) / len(factor.levels)


def say_of_target(target: str, why: str) -> str:
    """Say that the target was left out, why, and what to do."""
    verb = "has" if why[0].isdigit() or why == NO_VALUES else "is"
    return f"target {target!r} {verb} {why}; {_what_to_do(target, why)}"


def _what_to_do(target: str, why: str) -> str:
    empty = ", and leave the other cells empty" if "all but" in why else ""
    if "look like dates" in why:
        return f"write them as 2015-03-14{empty}, before the table is read"
    if "look like" in why:
        return f"convert them to numbers{empty}, before the table is read"
    if why.startswith("an identifier"):
        said = f"kinds={{{target!r}: 'number'}} (--kinds {target}=number)"
        return f"nothing can be learnt about that; if it is a quantity, pass {said}"
    if "too many" in why:
        return "merge levels, so that there are ten rows for each"
    return "nothing can be learnt about it, so ask about another column"
