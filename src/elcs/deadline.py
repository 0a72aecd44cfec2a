"""A limit of time for what no budget pays for: reading a table, which comes before there is one, and estimates.

It is passed on by context rather than through every function between a question and the rows of a file.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from elcs.errors import BudgetError

__all__ = ["check_time", "within"]

_deadline: ContextVar[float | None] = ContextVar("deadline", default=None)


@contextmanager
def within(seconds: float | None) -> Iterator[None]:
    """Limit what is done inside to so many seconds; None: as long as it takes."""
    before = _deadline.set(None if seconds is None else time.monotonic() + seconds)
    try:
        yield
    finally:
        _deadline.reset(before)


def check_time(
    otherwise: str = "the time allowed ran out while the table was read; allow more, or keep fewer columns",
) -> None:
    """Raise `BudgetError` if the time is over; to be called now and then by who is at work."""
    deadline = _deadline.get()
    if deadline is not None and time.monotonic() >= deadline:
        raise BudgetError(otherwise)
