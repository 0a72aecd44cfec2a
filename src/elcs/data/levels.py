"""What counts as a level: one column of values in, codes and the levels they stand for out.

Every input (a numpy array, Python objects, the strings of a file, a series of a data frame) becomes a
`Factor`. Whole numbers, truth values, text and categories have levels; so have dates, durations and times, in
microseconds (`times.py`); fractional numbers need bins first.
"""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from elcs.data import times
from elcs.data.times import TIMES

if TYPE_CHECKING:
    import narwhals as nw

MISSING_TEXT = frozenset({"", "NA", "N/A", "NaN", "nan", "null", "NULL"})
"""Cells of a text file that hold no value. 'None' is not among them: real tables use it as a level."""

# Leading zeros mark a label ('007', a postcode), not a number; so do more digits than int() takes.
_INTEGER = re.compile(r"-?[1-9][0-9]{0,299}|0")
_INFINITE = re.compile(r"[+-]?inf(?:inity)?", re.IGNORECASE)
_NUMBER = re.compile(r"[+-]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")

_KIND_OF_TYPE = {
    str: "text",
    bool: "boolean",
    np.bool_: "boolean",
    int: "integer",
    np.integer: "integer",
    float: "number",
    np.floating: "number",
    Decimal: "number",
    datetime.date: "date",
    np.datetime64: "date",
    datetime.timedelta: "duration",
    np.timedelta64: "duration",
    datetime.time: "time",
}

_CONVERT: dict[str, Callable[[Any], Any]] = {
    "text": str,
    "boolean": bool,
    "integer": int,
    "number": lambda value: _as_float(value),
    **dict.fromkeys(TIMES, times.microseconds),
}


@dataclass(frozen=True, slots=True)
class Factor:
    """One column as codes into its levels.

    Attributes
    ----------
    codes : array of unsigned integers
        One code per row; the code ``len(levels)`` stands for a missing value.
    levels : list
        The distinct values in their order, each of them observed.
    kind : str
        'integer', 'boolean', 'text', 'category', 'binned', 'date', 'duration' or 'time'; or, if it cannot be used as it
        is, 'number' (fractional), 'mixed' or 'unsupported'.
    has_missing : bool
        Whether a value is missing in some row.
    detail : str
        Which types were found, when the kind is 'mixed' or 'unsupported'.
    """

    codes: NDArray[Any]
    levels: list[Any]
    kind: str
    has_missing: bool = False
    detail: str = ""

    @property
    def n_codes(self) -> int:
        """The number of different codes, including the code for missing values."""
        return len(self.levels) + self.has_missing

    @property
    def n_present(self) -> int:
        """The number of rows that have a value."""
        return int((self.codes != len(self.levels)).sum()) if self.has_missing else len(self.codes)

    @property
    def labels(self) -> list[Any]:
        """The levels as they are called; dates and times by their text."""
        if self.kind not in TIMES:
            return self.levels
        return [times.as_text(level, self.kind) if isinstance(level, int) else level for level in self.levels]

    def take(self, rows: NDArray[np.bool_]) -> Factor:
        """Keep these rows, and the levels that occur in them."""
        n_levels = len(self.levels)
        codes = self.codes[rows]
        seen = np.bincount(codes, minlength=n_levels + 1) > 0
        lookup = (np.cumsum(seen) - 1).astype(code_type(int(seen.sum())))
        levels = [level for level, kept in zip(self.levels, seen, strict=False) if kept]
        return replace(self, codes=lookup[codes], levels=levels, has_missing=bool(seen[n_levels]))


def code_type(n_codes: int) -> type[np.unsignedinteger[Any]]:
    """Return the smallest type that holds the codes 0 to n_codes - 1."""
    if n_codes <= 256:
        return np.uint8
    return np.uint16 if n_codes <= 65536 else np.uint32


def is_column(x: object) -> bool:
    """Tell whether an object is a one-dimensional collection of values, as a column is."""
    return hasattr(x, "__len__") and not isinstance(x, str | bytes) and getattr(x, "ndim", 1) == 1


def recode(codes: NDArray[Any], labels: Iterable[Any], kind: str, *, order: Sequence[Any] | None = None) -> Factor:
    """Relabel codes: code i gets the i-th label, None for missing; equal labels become one level.

    The levels are sorted unless an order is given; labels in the order that do not occur are left out.
    """
    labels = list(labels)
    found = set(labels) - {None}
    levels = sorted(found) if order is None else [label for label in order if label in found]
    if kind == "number" and all(level.is_integer() for level in levels):
        kind, levels = "integer", list(map(int, levels))
    position = {level: i for i, level in enumerate(levels)}
    has_missing = None in labels
    lookup = np.array(
        [position.get(label, len(levels)) for label in labels], dtype=code_type(len(levels) + has_missing)
    )
    return Factor(lookup[codes], levels, kind, has_missing)


class FirstSeen(dict[Any, int]):
    """Numbers values 0, 1, 2... in the order in which they are first met."""

    def __missing__(self, value: Any) -> int:
        self[value] = code = len(self)
        return code

    def codes(self, values: Collection[Any]) -> NDArray[np.uint32]:
        """Return the number of each value."""
        return np.fromiter(map(self.__getitem__, values), dtype=np.uint32, count=len(values))


class Texts(FirstSeen):
    """Numbers the strings of a file, which may hold many long ones that are all different.

    Of one longer than a level can sensibly be, only its beginning and a digest are kept.

    Attributes
    ----------
    held : int
        About how many bytes they take.
    """

    held = 0

    def __missing__(self, value: str) -> int:
        if len(value) > _LONGEST_LEVEL:
            from hashlib import blake2b  # OpenSSL is behind it, and takes its time

            digest = blake2b(value.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
            value = f"{value[:500]} ... ({len(value):,} characters, {digest})"
            if value in self:
                return self[value]
        self.held += _BYTES_OF_STRING + len(value)
        return super().__missing__(value)


_LONGEST_LEVEL = 8192
_BYTES_OF_STRING = 150  # with its number and its place in a dictionary


def from_strings(codes: NDArray[Any], strings: Sequence[str], *, text: bool = False) -> Factor:
    """Tell the kind of a column of a text file from its distinct strings; `text` leaves them as written.

    Blanks around them do not count: whether a cell was quoted cannot be told any more.
    """
    strings = [string.strip() for string in strings]
    present = [string for string in strings if string not in MISSING_TEXT]
    kind, convert = ("text", str) if text else _kind_of_strings(present)
    if kind == "text" and not text and (ticks := times.from_iso(present)) is not None:
        kind, convert = "date", dict(zip(present, ticks, strict=True)).__getitem__
    return recode(codes, (None if string in MISSING_TEXT else convert(string) for string in strings), kind)


def _kind_of_strings(strings: Sequence[str]) -> tuple[str, Callable[[str], Any]]:
    if all(map(_INTEGER.fullmatch, strings)):
        return "integer", int
    if all(is_number(string) or _INFINITE.fullmatch(string) for string in strings) and any(map(is_number, strings)):
        return "number", float
    if all(string.lower() in ("true", "false") for string in strings):
        return "boolean", lambda string: string.lower() == "true"
    return "text", str


def is_number(string: str) -> bool:
    """Tell whether a string is the text of a number."""
    return _NUMBER.fullmatch(string) is not None and math.isfinite(float(string))


def from_objects(values: Sequence[Any], *, text: bool = False) -> Factor:
    """Make a factor from Python objects; with `text`, objects of different types are taken as text."""
    kinds = _kinds_of(values)
    if len(kinds) > 1 and kinds != {"integer", "number"}:
        if not text:
            return Factor(np.empty(0, np.uint8), [], "mixed", detail=" and ".join(sorted(kinds)))
        values = [None if _is_missing(value) else str(value) for value in values]
        kinds = {"text"}
    kind = max(kinds, default="text")  # of 'integer' and 'number', the latter
    if kind == "date" and times.mixes_zones(values):
        return Factor(np.empty(0, np.uint8), [], "mixed", detail="dates with a time zone and dates without")
    convert: Any = _CONVERT.get(kind)
    if convert is None:
        return Factor(np.empty(0, np.uint8), [], "unsupported", detail=kind)
    if kind == "number":  # a signalling NaN cannot even be looked up
        values = [None if isinstance(value, Decimal) and value.is_snan() else value for value in values]
    ids = FirstSeen()
    codes = ids.codes(values)
    return recode(codes, (None if _is_missing(value) else convert(value) for value in ids), kind)


def _as_float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:  # a whole number beyond all floats
        return math.inf if value > 0 else -math.inf


def _kinds_of(values: Sequence[Any]) -> set[str]:
    """Return the kinds of the values that are not missing; a type without levels goes by its own name."""
    types = set(map(type, values)) - {type(None)}
    if len(types) > 1 or not types <= _KIND_OF_TYPE.keys():  # NaN among strings is not a second type
        types = {type(value) for value in values if not _is_missing(value)}
    return {
        next((_KIND_OF_TYPE[base] for base in found.__mro__ if base in _KIND_OF_TYPE), found.__name__)
        for found in types
    }


def _is_missing(value: Any) -> bool:
    if isinstance(value, str):
        return not value.strip()
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(value, np.datetime64 | np.timedelta64):
        return bool(np.isnat(value))
    if isinstance(value, Decimal):
        return value.is_nan()
    return isinstance(value, float | np.floating) and math.isnan(value)


def from_numpy(values: NDArray[Any], *, text: bool = False) -> Factor:
    """Make a factor from a one-dimensional numpy array; NaN and NaT are missing."""
    values = np.ascontiguousarray(values)  # a column of a row-wise array is slow to read, and is read often
    kind = values.dtype.kind
    if kind in "OUT":
        return from_objects(values.tolist(), text=text)
    if kind == "b":
        truths = _from_integers(values.astype(np.uint8))
        return replace(truths, levels=list(map(bool, truths.levels)), kind="boolean")
    if kind in "iu":
        return _from_integers(values)
    if kind == "f":
        values = values.astype(np.float64, copy=False)
        missing = np.isnan(values)
        return _with_missing(_from_floats(values[~missing] if missing.any() else values), missing)
    if kind in "mM":
        missing = np.isnat(values)
        ticks = _from_integers(times.of_array(values[~missing]))
        return _with_missing(replace(ticks, kind="date" if kind == "M" else "duration"), missing)
    return Factor(np.empty(0, np.uint8), [], "unsupported", detail=str(values.dtype))


def _from_integers(values: NDArray[Any]) -> Factor:
    if not len(values):
        return Factor(np.empty(0, np.uint8), [], "integer")
    low, high = int(values.min()), int(values.max())
    if high - low >= max(65536, len(values)):  # else counting is several times faster than sorting
        return _from_sorted(values, "integer")
    if values.dtype.itemsize < 8:  # int8 cannot hold 127 - (-128)
        values = values.astype(np.int64)
    offsets = (values - values.min()).astype(np.intp, copy=False)
    seen = np.bincount(offsets) > 0
    levels = [low + offset for offset in np.flatnonzero(seen).tolist()]
    lookup = (np.cumsum(seen) - 1).astype(code_type(len(levels)))
    return Factor(lookup[offsets], levels, "integer")


def _from_floats(values: NDArray[Any]) -> Factor:
    if np.all(np.abs(values) < 2**63) and np.all(values == np.trunc(values)):
        return _from_integers(values.astype(np.int64))
    return _from_sorted(values, "number")


def _from_sorted(values: NDArray[Any], kind: str) -> Factor:
    levels, codes = np.unique(values, return_inverse=True)
    labels = levels.tolist()
    if kind == "number" and all(level.is_integer() for level in labels):
        kind, labels = "integer", list(map(int, labels))
    return Factor(codes.astype(code_type(len(labels))), labels, kind)


def _with_missing(factor: Factor, missing: NDArray[np.bool_]) -> Factor:
    """Put the rows of a factor back between the missing ones."""
    if not missing.any():
        return factor
    n_levels = len(factor.levels)
    codes = np.full(len(missing), n_levels, dtype=code_type(n_levels + 1))
    codes[~missing] = factor.codes
    return replace(factor, codes=codes, has_missing=True)


def from_series(series: nw.Series[Any], *, text: bool = False) -> Factor:
    """Make a factor from a series of a data frame."""
    import narwhals as nw

    series = series.alias("values")  # Polars takes some names for patterns; older narwhals replaces nothing without one
    dtype = series.dtype
    in_pandas = series.implementation.is_pandas_like()
    if dtype in (nw.Categorical, nw.Enum) or (dtype == nw.String and not in_pandas):
        return _from_labels(series)
    # pandas gives some different strings the same hash; numpy has no integers of 128 bits
    if dtype in (nw.Object, nw.String) or (dtype.is_integer() and "128" in str(dtype)):
        return from_objects(series.to_list(), text=text)
    missing = series.is_null().to_numpy()
    if dtype == nw.Decimal:
        series = series.cast(nw.Float64)
    values = series.drop_nulls().to_numpy()
    known = dtype.is_numeric() or dtype.is_temporal() or dtype == nw.Boolean or missing.all()
    if not known and values.dtype.kind not in "mM":
        return Factor(np.empty(0, np.uint8), [], "unsupported", detail=str(dtype))
    return _with_missing(from_numpy(values), missing)


def _from_labels(series: nw.Series[Any]) -> Factor:
    """Make a factor from text or categories, in the order the series declares."""
    import narwhals as nw

    if series.dtype == nw.String and series.implementation.is_pyarrow():  # a quarter of the time of what follows
        return from_encoded(series.to_native().combine_chunks().dictionary_encode())
    labels = series.drop_nulls().unique().to_list()
    if not labels:
        return from_objects([None] * len(series))
    numbered = series.replace_strict(labels, list(range(len(labels))), return_dtype=nw.Float64).to_numpy()
    codes = np.nan_to_num(numbered, nan=len(labels)).astype(np.intp)
    plain = [
        *(None if _is_missing(label) else _plain(label) for label in labels),
        *([None] if np.isnan(numbered).any() else []),
    ]
    if series.dtype == nw.String:
        return recode(codes, plain, "text")
    order = None
    # A Polars Categorical and an Arrow dictionary hold labels in the order in which they happened to occur.
    if series.dtype == nw.Enum or series.implementation.is_pandas_like():
        categories = getattr(series.to_native().dtype, "categories", None)
        order = None if categories is None else list(map(_plain, categories))
    return recode(codes, plain, "category", order=order)


def from_encoded(encoded: Any) -> Factor:
    """Make a factor from texts that Arrow has encoded as the positions of different ones."""
    texts = encoded.dictionary.to_pylist()
    missing = [None] if encoded.null_count else []
    indices = encoded.indices.fill_null(len(texts)) if missing else encoded.indices
    codes = indices.to_numpy(zero_copy_only=False)
    seen = np.zeros(len(texts) + len(missing), dtype=np.bool_)
    seen[codes] = True
    if not seen.all():  # what does not occur is no level
        return from_encoded(encoded.dictionary_decode().dictionary_encode())
    return recode(codes, [*(None if _is_missing(text) else text for text in texts), *missing], "text")


def _plain(label: Any) -> Any:
    """Return the label of a category as a Python scalar; intervals, dates and such by their text."""
    label = label.item() if isinstance(label, np.generic) else label
    return label if isinstance(label, str | int) else str(label)


def as_kind(factor: Factor, kind: str) -> Factor:
    """Read a column as another kind; raise a ValueError if its values do not allow it."""
    if kind == "category":
        return replace(factor, kind=kind, levels=factor.labels)
    if kind == "number":
        if factor.kind not in ("integer", "number", "boolean", *TIMES):
            raise ValueError("no numbers")
        unit = times.UNITS.get(factor.kind, 1)
        return replace(factor, kind=kind, levels=[float(level) / unit for level in factor.levels])
    if kind == "integer" and factor.kind in ("number", *TIMES):
        raise ValueError("fractional numbers")
    convert: Any = {"text": str, "integer": int}[kind]
    return recode(factor.codes, [*map(convert, factor.labels), *([None] * factor.has_missing)], kind)
