"""Asking the same of random halves of the observations, and counting what comes back.

The halves come in complementary pairs and are drawn without replacement; `answers/stability.py` says why.
"""

from __future__ import annotations

import time
import warnings
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import numpy as np

from elcs.errors import BudgetError, DataWarning, ElcsError
from elcs.processes import in_processes, number_of_processes
from elcs.study import Study
from elcs.study.plan import is_whole

__all__ = ["NONE_FINISHED", "Counted", "check_pairs", "count_halves"]

NONE_FINISHED = "no half-sample was finished in the time allowed"

Key = TypeVar("Key", bound=Hashable)
What = TypeVar("What", bound=Hashable)


@dataclass(frozen=True)
class Counted(Generic[Key, What]):
    """How often each thing was found, and as what; in how many half-samples; and how long that took."""

    found: Mapping[Key, Counter[What]]
    n_samples: int
    seconds: float


def check_pairs(n_samples: int) -> None:
    """Refuse a number of half-samples that do not form pairs."""
    if not is_whole(n_samples) or n_samples < 2 or n_samples % 2:
        raise ElcsError(f"half-samples come in pairs, so there must be an even number of them, not {n_samples!r}")


def count_halves(
    study: Study,
    ask: Callable[[Study], Mapping[Key, What] | None],
    *,
    n_samples: int,
    n_jobs: int,
    random_state: int,
    report: Callable[[int], None],
) -> Counted[Key, What]:
    """Put the same question to half-samples and count what comes back.

    Parameters
    ----------
    study : Study
        The table and the plan.
    ask : callable
        Asks a half-sample: for each thing found, as what; None if the run was stopped.
    n_samples, n_jobs, random_state, report
        As in `elcs.stability`.
    """
    check_pairs(n_samples)
    if study.table is not None:
        study.table.require_divisible()
    if not study.divisible:
        raise ElcsError(f"{study.answered_by} cannot be asked about half of the rows; give a table instead")
    n_jobs = min(number_of_processes(n_jobs), n_samples // 2)
    if not is_whole(random_state) or random_state < 0:
        raise ElcsError(f"random_state must be a whole number, not negative, but is {random_state!r}")
    start = time.perf_counter()
    found: dict[Key, Counter[What]] = {}
    n_done = 0
    bare = study.on(study.table) if n_jobs == 1 else study.portable()
    shares = [_Share(bare, ask, random_state, range(n_samples // 2)[i::n_jobs]) for i in range(n_jobs)]
    try:
        for pair in _work(shares[0]) if n_jobs == 1 else in_processes(_work, shares):
            for half in pair:
                for key, what in half.items():
                    found.setdefault(key, Counter())[what] += 1
            n_done += 2
            report(n_done)
    except BudgetError:  # a limit, or Ctrl-C on the command line
        pass
    return Counted(found, n_done, time.perf_counter() - start)


@dataclass(frozen=True)
class _Share(Generic[Key, What]):
    """Some of the pairs of halves of a table, and what to ask them."""

    study: Study
    ask: Callable[[Study], Mapping[Key, What] | None]
    random_state: int
    pairs: range


def _work(share: _Share[Key, What]) -> Iterator[list[Mapping[Key, What]]]:
    """Yield, for each pair of halves, what was found in one half and in the other."""
    plan, table = share.study.plan, share.study.table
    if table is None:
        raise ValueError("half of no table")
    deadline = None if plan.timeout is None else time.monotonic() + plan.timeout
    for i in share.pairs:
        found: list[Mapping[Key, What]] = []
        for half in table.halves(np.random.default_rng([share.random_state, i])):
            left = None if deadline is None else max(deadline - time.monotonic(), 0.0)
            study = share.study.on(half).under(replace(plan, timeout=left))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DataWarning)  # given for the whole table; a half has even fewer rows
                told = share.ask(study)
            if told is None:
                raise BudgetError("stopped before the end")
            found.append(told)
        yield found
