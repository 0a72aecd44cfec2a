"""When work must end before its budget is spent: a limit of time for reading and estimating, and somebody who leaves.

Both are passed on by context rather than through every function between a question and the rows of a file.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Event

from elcs.errors import BudgetError

__all__ = ["check_stopped", "check_time", "stopped_by", "within"]

_deadline: ContextVar[float | None] = ContextVar("deadline", default=None)
_stop: ContextVar[Event | None] = ContextVar("stop", default=None)


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
    """Raise `BudgetError` if the time is over, or nobody waits; to be called now and then by who is at work."""
    check_stopped()
    deadline = _deadline.get()
    if deadline is not None and time.monotonic() >= deadline:
        raise BudgetError(otherwise)


@contextmanager
def stopped_by(event: Event) -> Iterator[None]:
    """End what is asked inside, as Ctrl-C does, once another thread sets the event."""
    before = _stop.set(event)
    try:
        yield
    finally:
        _stop.reset(before)


def check_stopped() -> None:
    """Raise `BudgetError` if somebody has stopped the work; the kernel calls this as often as it looks for Ctrl-C."""
    event = _stop.get()
    if event is not None and event.is_set():
        raise BudgetError("stopped: nobody waits for the answer any more")
