"""Dates, durations and times of day, which are numbers.

While a table is read they are whole microseconds: of dates since the start of 1970, of times of day since midnight. In
a column they are days (dates) or seconds (durations and times of day). A person sees them as text.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from elcs.errors import DataError

__all__ = ["TIMES", "UNITS", "UNIT_NAMES", "as_text", "from_iso", "microseconds", "mixes_zones", "of_array"]

_SECOND = 10**6
_DAY = 86_400 * _SECOND
UNITS = {"date": _DAY, "duration": _SECOND, "time": _SECOND}
"""How many microseconds the unit of a column has, by what the column was taken for."""
UNIT_NAMES = {"date": "day", "duration": "second", "time": "second"}
"""What the unit is called."""
TIMES = tuple(UNITS)

_ISO = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2}(?:[ T][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?)?)"
    r"(Z|[+-][0-9]{2}:?[0-9]{2})?"
)


def as_text(ticks: int, kind: str) -> str:
    """Write microseconds for a person to read.

    Examples
    --------
    >>> as_text(0, "date"), as_text(90_500_000, "date")
    ('1970-01-01', '1970-01-01 00:01:30.5')
    >>> as_text(-90_000_000, "duration"), as_text(86_400_000_000, "duration"), as_text(0, "time")
    ('-00:01:30', '1d 00:00:00', '00:00:00')
    """
    if kind == "date":
        days, rest = divmod(ticks, _DAY)
        day = str(np.datetime64(days, "D"))
        return f"{day} {_clock(rest)}" if rest else day
    days, rest = divmod(abs(ticks), _DAY)
    return ("-" if ticks < 0 else "") + (f"{days}d " if days else "") + _clock(rest)


def _clock(ticks: int) -> str:
    seconds, rest = divmod(ticks, _SECOND)
    fraction = f".{rest:06d}".rstrip("0") if rest else ""
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}{fraction}"


def from_iso(strings: Sequence[str]) -> list[int] | None:
    """Return the microseconds of dates written as in ISO 8601, or None if one of the strings is no such date.

    Either all or none of them must say how far they are from UTC.

    Examples
    --------
    >>> from_iso(["1970-01-01", "1970-01-01 00:00:01"]), from_iso(["1970-01-01T02:00+02:00"]), from_iso(["1970-02-30"])
    ([0, 1000000], [0], None)
    """
    written = []
    for string in strings:
        match = _ISO.fullmatch(string)
        if match is None:
            return None
        written.append((match[1], match[2]))
    if len({offset is None for _, offset in written}) != 1:
        return None
    try:
        ticks = of_array(np.array([local for local, _ in written], dtype="M8[us]"))
    except ValueError:  # the 30th of February
        return None
    ahead = [_offset(offset) for _, offset in written]
    return [int(tick) - offset for tick, offset in zip(ticks, ahead, strict=True)]


def _offset(text: str | None) -> int:
    """Return by how many microseconds a clock is ahead of UTC."""
    if text is None or text == "Z":
        return 0
    minutes = int(text[1:3]) * 60 + int(text[-2:])
    return (-minutes if text[0] == "-" else minutes) * 60 * _SECOND


def of_array(values: NDArray[np.datetime64] | NDArray[np.timedelta64]) -> NDArray[np.int64]:
    """Return the microseconds of an array of dates or durations, none of which is missing."""
    ticks = values.astype(f"{values.dtype.kind}8[us]")
    finer = np.datetime_data(values.dtype)[0] in ("ns", "ps", "fs", "as")
    if not finer and np.any(ticks.astype(values.dtype) != values):
        raise DataError(f"dates and durations are counted in microseconds, for {2**63 // _DAY // 365:,} years at most")
    return ticks.astype(np.int64)


def microseconds(value: object) -> int:
    """Return the microseconds of one object; with a time zone, of the same moment in UTC."""
    if isinstance(value, np.datetime64 | np.timedelta64):
        return int(of_array(np.array([value]))[0])
    if isinstance(value, datetime.datetime):
        epoch = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc if value.tzinfo else None)
        return (value - epoch) // datetime.timedelta(microseconds=1)
    if isinstance(value, datetime.date):
        return (value.toordinal() - datetime.date(1970, 1, 1).toordinal()) * _DAY
    if isinstance(value, datetime.timedelta):
        return value // datetime.timedelta(microseconds=1)
    if isinstance(value, datetime.time):
        return ((value.hour * 60 + value.minute) * 60 + value.second) * _SECOND + value.microsecond
    raise TypeError(f"{value!r} is neither a date nor a time")


def mixes_zones(values: Iterable[object]) -> bool:
    """Tell whether some dates have a time zone and others have none, so that they cannot be compared."""
    return len({value.tzinfo is None for value in values if isinstance(value, datetime.datetime)}) > 1
