"""Long runs show their progress, and can be stopped."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.live import Live
from rich.text import Text

import elcs
from elcs.cli.console import messages

__all__ = ["asking", "counting", "estimating", "naming", "reading", "stopped_by_ctrl_c"]


@contextmanager
def asking(study: elcs.Study, quiet: bool) -> Iterator[None]:
    """Show how many tests or scores have been asked for."""
    start = time.monotonic()
    asks = study.plan.learner.asks
    what = "evaluations" if asks == "numbers" else asks

    def line() -> str:
        doing = f"; {study.doing}" if study.doing else ""
        return f"{study.n_asked:,} {what} in {time.monotonic() - start:.0f} s{doing}; Ctrl-C shows what is known so far"

    with _shown(line, quiet):
        yield


@contextmanager
def reading(quiet: bool) -> Iterator[None]:
    """Show that the table is being read, or asked what it holds."""
    start = time.monotonic()
    with _shown(lambda: f"reading the table for {time.monotonic() - start:.0f} s", quiet):
        yield


@contextmanager
def counting(n_samples: int, quiet: bool) -> Iterator[Callable[[int], None]]:
    """Show how many half-samples have been counted; yields a function that takes this number."""
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
def estimating(quiet: bool) -> Iterator[Callable[[int], None]]:
    """Show how many effects have been estimated; yields a function that takes this number."""
    done, start = 0, time.monotonic()

    def report(n_done: int) -> None:
        nonlocal done
        done = n_done

    with _shown(lambda: f"{done} effects in {time.monotonic() - start:.0f} s; Ctrl-C shows them", quiet):
        yield report


@contextmanager
def naming(quiet: bool) -> Iterator[Callable[[str], None]]:
    """Show which method is running; yields a function that takes its name."""
    at_work, start = "", time.monotonic()

    def report(method: str) -> None:
        nonlocal at_work, start
        at_work, start = method, time.monotonic()

    def line() -> str:
        return f"{at_work}: {time.monotonic() - start:.0f} s; Ctrl-C goes on to the next method"

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
    """Make Ctrl-C end a run as a limit does: with what is settled so far."""

    def stop(*_: object) -> None:
        raise elcs.BudgetError("stopped by Ctrl-C")

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
