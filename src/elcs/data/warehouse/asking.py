"""Queries that fail, and queries that are cancelled."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from elcs.errors import DataError, ElcsError

if TYPE_CHECKING:
    import narwhals as nw

__all__ = ["asking", "canceller", "collected", "engine_of", "interruptible", "title_of"]

CANCELLED_WITHIN = 30.0
"""Seconds that a query is given to end once it was cancelled; it ends with the part it is at."""

Found = TypeVar("Found")


def engine_of(frame: nw.LazyFrame[Any]) -> str:
    """Return the name of the engine behind a frame; older narwhals have it in capitals only."""
    name: str = frame.implementation.name
    return name.lower()


def title_of(frame: nw.LazyFrame[Any]) -> str:
    """Return what to call a frame when something is wrong."""
    return f"the {engine_of(frame)} table"


@contextmanager
def asking(title: str, what: str) -> Iterator[None]:
    """Put our words around what the engine says when it fails."""
    try:
        yield
    except (ElcsError, MemoryError):
        raise
    except Exception as error:
        said = str(error).strip().splitlines() or [type(error).__name__]
        closed = type(error).__name__ == "ConnectionException"  # of DuckDB, which need not be installed
        what_to_do = "; keep its connection open until the answer is there" if closed else ""
        raise DataError(f"{title} could not be asked for {what}: {said[0]}{what_to_do}") from error


def collected(frame: nw.LazyFrame[Any], connection: Any = None) -> nw.DataFrame[Any]:
    """Have the answer of a query."""
    if engine_of(frame) != "duckdb":
        return frame.collect("pyarrow")
    return interruptible(lambda: frame.collect("pyarrow"), canceller(frame, connection))


def canceller(frame: nw.LazyFrame[Any], connection: Any = None) -> Callable[[], None]:
    """Return what cancels a query of DuckDB, if its connection is known; a relation tells it from version 2 on."""
    connection = connection or getattr(frame.to_native(), "_con", None)
    cancel: Callable[[], None] = getattr(connection, "interrupt", lambda: None)
    return cancel


def interruptible(query: Callable[[], Found], cancel: Callable[[], None]) -> Found:
    """Run a query while Ctrl-C is heeded; DuckDB looks for it so rarely that a query of a minute would not notice."""
    from concurrent.futures import Future, wait  # with logging and more behind it, for large tables alone

    found: Future[Found] = Future()

    def run() -> None:
        try:
            found.set_result(query())
        except BaseException as error:
            found.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    try:
        while not wait([found], 0.1).done:
            pass
    except BaseException:
        given_up = time.monotonic() + CANCELLED_WITHIN
        while not found.done() and time.monotonic() < given_up:
            cancel()  # again and again: a query that is only being planned forgets it
            wait([found], 0.1)
        raise
    return found.result()
