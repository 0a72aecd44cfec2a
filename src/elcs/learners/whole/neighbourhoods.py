"""The surroundings of every variable, one after the other or in several processes."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from elcs.errors import BudgetError, ElcsError
from elcs.independence.base import CITest
from elcs.learners.notes import Blanket, Whole

__all__ = ["learn_each", "mutual_neighbours"]

Learn = Callable[[CITest, Blanket], None]
Found = dict[str, Blanket]


def mutual_neighbours(ci: CITest, notes: Whole, learn: Learn, *, n_jobs: int = 1) -> dict[str, list[str]]:
    """Return, for each variable, those that are found near it and it near them; note what separates the others."""
    found = learn_each(ci, learn, n_jobs=n_jobs)
    for x, own in found.items():
        for y, apart in own.separators.items():
            notes.separators.setdefault(frozenset((x, y)), apart)
    return {x: [y for y in ci.variables if y in own.pc and x in found[y].pc] for x, own in found.items()}


def learn_each(ci: CITest, learn: Learn, *, n_jobs: int = 1) -> Found:
    """Return the notes that a learner makes on each variable.

    In one process all variables share the cache. Each of several processes has its own, so together they compute more
    tests; and each takes some tenths of a second to start.
    """
    n_jobs = (os.cpu_count() or 1) if n_jobs == -1 else n_jobs
    if n_jobs < 1:
        raise ElcsError(f"n_jobs must be a number of processes, or -1 for one per processor, not {n_jobs}")
    n_jobs = min(n_jobs, len(ci.variables))
    if n_jobs == 1:
        return _learn_some(ci, learn, ci.variables)
    try:
        shares = [pickle.dumps((ci, learn, ci.variables[i::n_jobs])) for i in range(n_jobs)]
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise ElcsError(f"this test cannot be handed to other processes ({error}); use n_jobs=1") from None
    # Processes of our own making: those of multiprocessing run the main program of the caller a second time, which
    # fails or never ends where it is not written for that, as in a notebook or a short script.
    command = [sys.executable, "-c", "from elcs.learners.whole.neighbourhoods import serve; serve()"]
    workers = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True) for _ in shares
    ]
    with ThreadPoolExecutor(n_jobs) as pool:
        try:
            answers = list(pool.map(lambda worker, share: worker.communicate(share)[0], workers, shares))
        finally:  # Ctrl-C included: without the workers the threads come to their end
            for worker in workers:
                worker.kill()
    found: Found = {}
    for answer in answers:
        if not answer:
            raise ElcsError("a process ended before its work was done; use n_jobs=1 to see why")
        some, asked, computed, stopped = pickle.loads(answer)
        found.update(some)
        ci.add_counts(asked, computed)
        if stopped:
            raise BudgetError(stopped)
    return {x: found[x] for x in ci.variables}


def _learn_some(ci: CITest, learn: Learn, targets: Sequence[str]) -> Found:
    found = {x: Blanket(x) for x in targets}
    for notes in found.values():
        learn(ci, notes)
    return found


def serve() -> None:
    """Learn the share that comes in; send the notes back, the tests asked for and computed, and what stopped it."""
    ci, learn, targets = pickle.load(sys.stdin.buffer)
    found: Found = {}
    stopped = ""
    try:
        found = _learn_some(ci, learn, targets)
    except BudgetError as error:
        stopped = str(error)
    sys.stdout.buffer.write(pickle.dumps((found, ci.n_asked, ci.n_computed, stopped)))
