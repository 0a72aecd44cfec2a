"""Work in several processes that we start ourselves.

Those of multiprocessing run the caller's main program a second time, which fails or never ends if it is not written for
that, as in a notebook or a short script.

A process ends with the one that started it, however that ended: it waits in a thread for a pipe to close.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from numbers import Integral
from typing import IO, TypeVar

from elcs.errors import BudgetError, ElcsError

__all__ = ["ends_with", "in_processes", "number_of_processes", "undisturbed"]

Share = TypeVar("Share")
Answer = TypeVar("Answer")

_RESULT, _END, _STOPPED = range(3)


def number_of_processes(n_jobs: int) -> int:
    """Return the number that -1 stands for, and check any other."""
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral) or (n_jobs != -1 and n_jobs < 1):
        raise ElcsError(f"n_jobs must be a number of processes, or -1 for one per processor, not {n_jobs!r}")
    return (os.cpu_count() or 1) if n_jobs == -1 else n_jobs


def in_processes(work: Callable[[Share], Iterator[Answer]], shares: Sequence[Share]) -> Iterator[Answer]:
    """Work on each share in a process of its own, and yield the answers, one from each process in turn.

    A `BudgetError` in one of them ends them all, and is raised here.
    """
    import subprocess  # most runs need no other process

    try:
        packed = [pickle.dumps((work, share)) for share in shares]
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise ElcsError(f"this cannot be handed to other processes ({error}); use n_jobs=1") from None
    command = [sys.executable, "-c", "from elcs.processes import serve; serve()"]
    workers = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True) for _ in shares
    ]
    try:
        for worker, share in zip(workers, packed, strict=True):
            with suppress(BrokenPipeError):  # it has died already; below it is asked for its answer
                _pipe(worker.stdin).write(share)
                _pipe(worker.stdin).flush()  # but it stays open, for as long as we live
        busy = list(workers)
        while busy:
            for worker in tuple(busy):
                try:
                    kind, answer = pickle.load(_pipe(worker.stdout))
                except EOFError:
                    raise ElcsError(
                        "a process ended before its work was done; what it printed says why. Classes and methods that "
                        "are defined in a script or a notebook are unknown to other processes: use n_jobs=1"
                    ) from None
                if kind == _STOPPED:
                    raise BudgetError(answer)
                if kind == _END:
                    busy.remove(worker)
                else:
                    yield answer
    finally:  # Ctrl-C included
        for worker in workers:
            worker.kill()
            worker.wait()
            for pipe in (worker.stdin, worker.stdout):
                with suppress(BrokenPipeError):
                    _pipe(pipe).close()


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise ValueError("a process without a pipe")
    return pipe


def serve() -> None:
    """Work on the share that comes in, and send the answers as they are found."""

    def send(kind: int, answer: object = None) -> None:
        pickle.dump((kind, answer), sys.stdout.buffer)
        sys.stdout.buffer.flush()

    try:
        work, share = pickle.load(sys.stdin.buffer)
    except EOFError:  # who started this has died meanwhile
        return
    ends_with(lambda: os.read(sys.stdin.fileno(), 1))  # not through the buffer, which would stay locked at the end
    try:
        for answer in work(share):
            send(_RESULT, answer)
        send(_END)
    except BudgetError as error:
        send(_STOPPED, str(error))
    except BrokenPipeError:  # nobody waits for the answer any more
        os._exit(1)


def ends_with(wait: Callable[[], object]) -> None:
    """End this process, whatever it does, when `wait` returns: what it waits for is the end of who started this one."""

    def end() -> None:
        wait()
        os._exit(1)

    threading.Thread(target=end, daemon=True).start()


@contextmanager
def undisturbed() -> Iterator[None]:
    """Start processes that are not interrupted, nor is their start; whoever starts them kills them.

    A terminal sends Ctrl-C to all processes at once. One that is still importing, or whose start is cut short, would
    print a traceback.
    """
    if not hasattr(signal, "pthread_sigmask"):  # there is no such thing on this system
        yield
        return
    ends, came = (signal.SIGINT, signal.SIGTERM), list[int]()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ends)  # which a process inherits from the one that starts it
    handlers = {}
    if threading.current_thread() is threading.main_thread():  # where a signal is handled that another thread received
        handlers = {end: signal.signal(end, lambda number, _: came.append(number)) for end in ends}
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        for end, handler in handlers.items():
            signal.signal(end, handler)
        for number in came:
            signal.raise_signal(number)
