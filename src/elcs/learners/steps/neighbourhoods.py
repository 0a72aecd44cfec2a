"""The surroundings of every variable, one after the other or in several processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from elcs.errors import BudgetError
from elcs.graph.knowledge import Knowledge
from elcs.independence.base import CITest
from elcs.learners.notes import Blanket, Whole
from elcs.processes import in_processes, number_of_processes

__all__ = ["learn_each", "mutual_neighbours"]

Learn = Callable[[CITest, Blanket], None]


def mutual_neighbours(ci: CITest, notes: Whole, learn: Learn, *, n_jobs: int = 1) -> dict[str, list[str]]:
    """Return, for each variable, the neighbours found from both sides; note what separates the others.

    Both the variables and their neighbours come in the order of their names.
    """
    near = {}
    for own in learn_each(ci, learn, notes.knowledge, n_jobs=n_jobs):
        notes.separators.note(own.target, own.separators)
        near[own.target] = own.pc
    return {x: [y for y in sorted(near[x]) if x in near[y]] for x in sorted(near)}


def learn_each(ci: CITest, learn: Learn, knowledge: Knowledge, *, n_jobs: int = 1) -> Iterator[Blanket]:
    """Yield the notes that a learner makes on each variable, given what is known.

    They come one by one because they are large: those on 2,000 variables take 2 GB. In one process all variables share
    the cache. Each of several processes has its own, so together they compute more tests; and each takes a few tenths
    of a second to start.
    """
    n_jobs = min(number_of_processes(n_jobs), len(ci.variables))
    if n_jobs == 1:
        for x in ci.variables:
            notes = Blanket(x, knowledge)
            learn(ci, notes)
            yield notes
        return
    shares = [(ci, learn, knowledge, ci.variables[i::n_jobs]) for i in range(n_jobs)]
    for own, asked, computed in in_processes(_work, shares):
        ci.add_counts(asked, computed)
        if own is not None:
            yield own


def _work(share: tuple[CITest, Learn, Knowledge, Sequence[str]]) -> Iterator[tuple[Blanket | None, int, int]]:
    """Yield the notes on each variable, and how many tests they took; of what a limit stops, the tests alone."""
    ci, learn, knowledge, targets = share
    asked = computed = 0
    for x in targets:
        notes, stopped = Blanket(x, knowledge), None
        try:
            learn(ci, notes)
        except BudgetError as error:
            stopped = error
        yield None if stopped else notes, ci.n_asked - asked, ci.n_computed - computed
        asked, computed = ci.n_asked, ci.n_computed
        if stopped is not None:
            raise stopped
