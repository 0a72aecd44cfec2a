"""How a table is read: what to take its columns for, which rows count, what to do about gaps.

Every option of reading is declared here, once: as a field of `Reading`, which checks it, and as a keyword that every
question takes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, TypedDict

import numpy as np

from elcs.data.levels import is_column
from elcs.errors import DataError

__all__ = ["ENGINES", "MISSING", "Reading", "ReadingKeywords", "available_memory"]

MISSING = ("testwise", "drop", "level", "error")
"""What can be done about missing values."""

ENGINES = ("auto", "memory", "duckdb")
"""What can read a file."""

FETCHED = 10**9
"""How many bytes of a lazy table are fetched by default."""

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_MEMORY = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*([kmgt]?)b?", re.IGNORECASE)

KINDS = ("text", "integer", "category", "number")
"""What a column can be said to hold."""


class ReadingKeywords(TypedDict, total=False):
    """The fields of `Reading`, as keywords."""

    names: Sequence[str] | None
    weights: object
    columns: Collection[str] | None
    drop: Collection[str] | None
    kinds: Mapping[str, str] | None
    bins: int | Mapping[str, int] | None
    missing: str
    encoding: str
    engine: str
    memory: int | str | None


@dataclass(frozen=True, eq=False)
class Reading:
    """How a table is read; checked when it is made.

    Parameters
    ----------
    names : sequence of str, optional
        Names for the columns of an array; V0, V1, ... if not given.
    weights : str or array, optional
        How often each row counts: the name of a column, which is then not a variable, or a number for each row.
    columns, drop : collection of str, optional
        Keep only these columns; leave these out. 'a,b' leaves out both, unless it is the name of a column.
    kinds : mapping of str to str, optional
        What to take a column for. 'text': its values are labels, from a file as they are written. 'integer': its labels
        are whole numbers ('007' is 7). 'category': each of its values is a level, fractions too. 'number': a quantity.
        Dates can be all of these but whole numbers. A column named here is not taken for an identifier.
    bins : int or mapping of str to int, optional
        Cut all quantities (fractions, and more than ten different whole numbers or dates) into this many bins of about
        the same number of rows; or cut only the columns named, which may also hold whole numbers.
        ``{"*": 4, "age": 6}`` does both: six for one column, four for all other quantities.
    missing : {'testwise', 'drop', 'level', 'error'}
        What to do about missing values. 'testwise': each test uses the rows that have all of its variables. 'drop': a
        row in which a value is missing is left out. 'level': '(missing)' becomes a level. 'error': refuse them. Text of
        nothing but blanks is missing; in text files also NA, N/A, NaN, nan, null and NULL. None is a level like any
        other.
    encoding : str
        The encoding of a text file.
    engine : {'auto', 'memory', 'duckdb'}
        What reads a file: this package, or DuckDB, which needs no memory for it. 'auto' is DuckDB for several files,
        and for files that are larger than `memory`, or than a quarter of the machine's if that is not given.
    memory : int or str, optional
        How much may be fetched of a table that is not in memory, in bytes or as in '4 GB'; by default 1 GB. Of a
        table that does not fit only counts are fetched.

    Examples
    --------
    >>> Reading(bins=4) == Reading(bins=4)
    True
    >>> Reading(bins=1)
    Traceback (most recent call last):
    elcs.errors.DataError: bins= takes whole numbers of at least 2, not 1
    """

    names: Sequence[str] | None = None
    weights: Any = None
    columns: Collection[str] | None = None
    drop: Collection[str] | None = None
    kinds: Mapping[str, str] | None = None
    bins: int | Mapping[str, int] | None = None
    missing: str = "testwise"
    encoding: str = "utf-8"
    engine: str = "auto"
    memory: int | str | None = None

    def __post_init__(self) -> None:
        if self.missing not in MISSING:
            raise DataError(f"missing= takes 'testwise', 'drop', 'level' or 'error', not {self.missing!r}")
        if self.engine not in ENGINES:
            raise DataError(f"engine= takes 'auto', 'memory' or 'duckdb', not {self.engine!r}")
        if self.memory is not None and not _bytes(self.memory):
            raise DataError(f"memory= takes a number of bytes, or a text such as '4 GB', not {self.memory!r}")
        if not isinstance(self.encoding, str):
            raise DataError(f"encoding= takes the name of an encoding, such as 'latin-1', not {self.encoding!r}")
        for option in ("columns", "drop", "names"):
            given = getattr(self, option)
            if isinstance(given, str):
                raise DataError(f"{option}= takes a list of names: {option}=[{given!r}]")
            if not (given is None or (isinstance(given, Iterable) and all(isinstance(name, str) for name in given))):
                raise DataError(f"{option}= takes a list of names, not {given!r}")
            object.__setattr__(self, option, None if given is None else tuple(given))
        if not (self.kinds is None or isinstance(self.kinds, Mapping)):
            raise DataError(f"kinds= takes a mapping of columns to kinds, not {self.kinds!r}")
        unknown = [f"{kind!r} for column {name!r}" for name, kind in (self.kinds or {}).items() if kind not in KINDS]
        if unknown:
            raise DataError(f"kinds= says {', '.join(unknown)}; it takes 'text', 'integer', 'category' or 'number'")
        by_column = self.bins if isinstance(self.bins, Mapping) else {}
        wrong = [f"{count!r} for {name!r}" for name, count in by_column.items() if not _is_count(count)]
        if not (by_column or self.bins is None or _is_count(self.bins)):
            wrong = [repr(self.bins)]
        if wrong:
            raise DataError(f"bins= takes whole numbers of at least 2, not {', '.join(wrong)}")
        if not (self.weights is None or isinstance(self.weights, str) or is_column(self.weights)):
            raise DataError("weights= takes the name of a column, or a number for each row")
        both = [name for name in by_column if name in (self.kinds or {})]
        if both:
            raise DataError(f"bins= and kinds= both name column {', '.join(map(repr, both))}; give one of them")

    @property
    def bytes(self) -> int:
        """The memory that a table may take."""
        return _bytes(self.memory) if self.memory is not None else FETCHED

    def bins_of(self, name: str, *, quantity: bool) -> int | None:
        """Return into how many bins a column is cut, if it is."""
        by_column = self.bins if isinstance(self.bins, Mapping) else {"*": self.bins}
        return by_column.get(name, by_column.get("*") if quantity else None)

    def of_levels(self, name: str) -> Reading:
        """Return how a column is read of which only the levels are known, and how often each occurs."""
        kinds = {name: self.kinds[name]} if self.kinds and name in self.kinds else None
        return Reading(kinds=kinds, missing="level" if self.missing == "level" else "testwise")

    @property
    def named_columns(self) -> list[str]:
        """The columns that `kinds` and `bins` name."""
        cut = self.bins if isinstance(self.bins, Mapping) else ()
        return [*(self.kinds or ()), *(name for name in cut if name != "*")]

    @cached_property
    def given(self) -> Mapping[str, Any]:
        """What differs from the defaults."""
        values = {f.name: (getattr(self, f.name), f.default) for f in fields(self)}
        return {
            name: value
            for name, (value, default) in values.items()
            if value is not default and not (isinstance(value, str) and value == default)
        }

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Reading):
            return NotImplemented
        mine, theirs = dict(self.given), dict(other.given)
        weights = mine.pop("weights", None), theirs.pop("weights", None)
        return mine == theirs and np.array_equal(*weights)

    __hash__ = None  # type: ignore[assignment]  # its weights may be an array

    def to_dict(self) -> dict[str, Any]:
        """Return what differs from the defaults, in plain types; of an array of weights, only how many there are."""
        plain: dict[str, Any] = {}
        for name, value in self.given.items():
            if name == "weights" and not isinstance(value, str):
                plain[name] = f"{len(value):,} numbers"
            elif isinstance(value, Mapping):
                plain[name] = dict(value)
            else:
                plain[name] = list(value) if isinstance(value, Collection) and not isinstance(value, str) else value
        return plain


def available_memory() -> int | None:
    """Return the bytes of memory of this machine, or None if the system does not say."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def _bytes(memory: object) -> int:
    """Return a number of bytes; 0 if it is none."""
    if isinstance(memory, int | np.integer) and not isinstance(memory, bool):
        return max(int(memory), 0)
    found = _MEMORY.fullmatch(memory.strip()) if isinstance(memory, str) else None
    return int(float(found[1]) * _UNITS[found[2].lower()]) if found else 0


def _is_count(given: object) -> bool:
    """Tell whether something is a number of bins."""
    return isinstance(given, int | np.integer) and not isinstance(given, bool) and int(given) >= 2
