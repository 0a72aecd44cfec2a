"""A limit of CPU time: what else runs on the machine makes no difference to it.

A timer of the process sends a signal, which ends a run as Ctrl-C does, inside the compiled searches too. We considered
two other ways. (1) CPU time in the compiled budget: it is looked at with every test, and CPU time takes twenty times as
long to read as the clock. (2) A process for each cell, limited by the system, as `benchmarks/peers.py` does: starting
one takes longer than most cells.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from elcs.errors import BudgetError

__all__ = ["cpu_limit"]

_AGAIN = 0.1
"""An error raised where nobody can catch it is lost; so the signal comes again after so many seconds."""


@contextmanager
def cpu_limit(seconds: float | None) -> Iterator[None]:
    """Raise a `BudgetError` after so many seconds of CPU time of this process; None is no limit.

    Where there is no such timer (on Windows, or in a thread), only that there is time left to begin with is checked.

    Examples
    --------
    >>> with cpu_limit(0.01):
    ...     while True:
    ...         pass
    Traceback (most recent call last):
        ...
    elcs.errors.BudgetError: the CPU time allowed has run out
    """
    if seconds is not None and seconds <= 0:
        _stop()
    if seconds is None or not hasattr(signal, "setitimer") or threading.current_thread() != threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGPROF, _stop)
    try:
        signal.setitimer(signal.ITIMER_PROF, seconds, _AGAIN)
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _stop(*_: object) -> None:
    raise BudgetError("the CPU time allowed has run out")
