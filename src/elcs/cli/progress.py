"""Long work shows how far it is, and can be stopped."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.live import Live
from rich.text import Text

import elcs
from elcs.cli.console import messages
from elcs.data.values import Values

__all__ = ["asking", "counting", "naming", "stopped_by_ctrl_c"]


@contextmanager
def asking(asked: elcs.CITest | elcs.Score | Values, what: str, quiet: bool) -> Iterator[None]:
    """Show how many tests or scores have been asked for."""
    start = time.monotonic()

    def line() -> str:
        return f"{asked.n_asked:,} {what} in {time.monotonic() - start:.0f} s; Ctrl-C shows what is known so far"

    with _shown(line, quiet):
        yield


@contextmanager
def counting(n_samples: int, quiet: bool) -> Iterator[Callable[[int], None]]:
    """Show how many half-samples have been counted; yields what is to be told so."""
    done, start = 0, time.monotonic()

    def report(n_done: int) -> None:
        nonlocal done
        done = n_done

    def line() -> str:
        spent = time.monotonic() - start
        return f"{done} of {n_samples} half-samples in {spent:.0f} s; Ctrl-C shows what has been counted so far"

    with _shown(line, quiet):
        yield report


@contextmanager
def naming(asked: elcs.CITest, quiet: bool) -> Iterator[Callable[[str], None]]:
    """Show which method is at work; yields what is to be told so."""
    at_work, start = "", time.monotonic()

    def report(method: str) -> None:
        nonlocal at_work, start
        at_work, start = method, time.monotonic()

    def line() -> str:
        spent = time.monotonic() - start
        return f"{at_work}: {spent:.0f} s, {asked.n_asked:,} tests in all; Ctrl-C goes on to the next method"

    with _shown(line, quiet):
        yield report


@contextmanager
def _shown(line: Callable[[], str], quiet: bool) -> Iterator[None]:
    """Show a line that changes, on a terminal."""
    if quiet or not messages.is_terminal:
        yield
        return
    with Live(get_renderable=lambda: Text(line()), console=messages, refresh_per_second=5, transient=True):
        yield


@contextmanager
def stopped_by_ctrl_c() -> Iterator[None]:
    """Make Ctrl-C end a run as a limit would: with what is settled so far."""

    def stop(*_: object) -> None:
        raise elcs.BudgetError("stopped by Ctrl-C")

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
