"""Questions that take their time: asked in threads beside the event loop, and stopped when nobody waits for them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from threading import Event
from typing import Any, TypeVar

from starlette.requests import Request

from elcs.deadline import check_stopped, stopped_by
from elcs.errors import ElcsError

__all__ = ["Busy", "Desk", "Gone"]

Answered = TypeVar("Answered")

_MOST_WAITING = 16
_LOOK_EVERY = 0.2


class Busy(Exception):  # noqa: N818  # not a fault
    """Too many questions wait already."""


class Gone(Exception):  # noqa: N818  # not a fault
    """Nobody waits for the answer any more."""


class Desk:
    """One thread that answers questions in turn.

    One, because the questions share tests and scores, and these remember what they were asked. A question whose asker
    has gone is taken out of the queue, or ends within milliseconds if it has begun.
    """

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1)
        self._waiting: set[Event] = set()

    async def ask(self, request: Request, work: Callable[[], Answered]) -> Answered:
        """Return the answer; raise `Gone` if whoever sent the request has left before."""
        with self._taken_on(work) as answer:
            gone = asyncio.ensure_future(_left(request))
            either: list[asyncio.Future[Any]] = [answer, gone]
            try:
                await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            finally:
                gone.cancel()
            if not answer.done():
                raise Gone
            return answer.result()

    async def tell(
        self, request: Request, work: Callable[[Callable[[int], None]], object], n_all: int
    ) -> AsyncIterator[str]:
        """Yield a line of JSON whenever work has come further, and one when it is done or has failed."""
        loop, steps = asyncio.get_running_loop(), asyncio.Queue[int]()

        def report(n_done: int) -> None:
            loop.call_soon_threadsafe(steps.put_nowait, n_done)

        with self._taken_on(lambda: work(report)) as answer:
            yield _line(done=0, of=n_all)
            while not answer.done():
                with suppress(asyncio.TimeoutError):
                    yield _line(done=await asyncio.wait_for(steps.get(), _LOOK_EVERY), of=n_all)
                if await request.is_disconnected():
                    return
            try:
                answer.result()
                yield _line(ready=True)
            except ElcsError as error:
                yield _line(error=str(error))

    def close(self) -> None:
        """Stop everything."""
        for stop in self._waiting:
            stop.set()
        self._thread.shutdown(cancel_futures=True)

    @contextmanager
    def _taken_on(self, work: Callable[[], Answered]) -> Iterator[asyncio.Future[Answered]]:
        """Put work into the queue; whoever leaves this context no longer waits for it."""
        if len(self._waiting) >= _MOST_WAITING:
            raise Busy
        stop = Event()

        def run() -> Answered:
            with stopped_by(stop):
                check_stopped()
                return work()

        self._waiting.add(stop)
        begun: Future[Answered] = self._thread.submit(run)
        begun.add_done_callback(lambda _: self._waiting.discard(stop))
        try:
            yield asyncio.wrap_future(begun)
        finally:
            stop.set()
            begun.cancel()


async def _left(request: Request) -> None:
    """Return when whoever sent the request has left."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _line(**told: object) -> str:
    return json.dumps(told) + "\n"
