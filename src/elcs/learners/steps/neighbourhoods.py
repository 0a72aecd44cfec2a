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
Found = dict[str, Blanket]


def mutual_neighbours(ci: CITest, notes: Whole, learn: Learn, *, n_jobs: int = 1) -> dict[str, list[str]]:
    """Return, for each variable, the neighbours found from both sides; note what separates the others.

    Both the variables and their neighbours come in the order of their names.
    """
    found = learn_each(ci, learn, notes.knowledge, n_jobs=n_jobs)
    names = sorted(found)  # of two sets that separate a pair the first is noted, whatever the order of the columns
    for x in names:
        for y, apart in found[x].separators.items():
            notes.separators.setdefault(frozenset((x, y)), apart)
    return {x: [y for y in sorted(found[x].pc) if x in found[y].pc] for x in names}


def learn_each(ci: CITest, learn: Learn, knowledge: Knowledge, *, n_jobs: int = 1) -> Found:
    """Return the notes that a learner makes on each variable, given what is known.

    In one process all variables share the cache. Each of several processes has its own, so together they compute more
    tests; and each takes a few tenths of a second to start.
    """
    n_jobs = min(number_of_processes(n_jobs), len(ci.variables))
    if n_jobs == 1:
        return _learn_some(ci, learn, knowledge, ci.variables)
    found: Found = {}
    shares = [(ci, learn, knowledge, ci.variables[i::n_jobs]) for i in range(n_jobs)]
    for some, asked, computed in in_processes(_work, shares):
        found.update(some)
        ci.add_counts(asked, computed)
    return {x: found[x] for x in ci.variables}


def _learn_some(ci: CITest, learn: Learn, knowledge: Knowledge, targets: Sequence[str]) -> Found:
    found = {x: Blanket(x, knowledge) for x in targets}
    for notes in found.values():
        learn(ci, notes)
    return found


def _work(share: tuple[CITest, Learn, Knowledge, Sequence[str]]) -> Iterator[tuple[Found, int, int]]:
    """Yield the notes on some variables, and how many tests were asked for and computed, even if a limit stops it."""
    ci, learn, knowledge, targets = share
    found: Found = {}
    stopped = None
    try:
        found = _learn_some(ci, learn, knowledge, targets)
    except BudgetError as error:
        stopped = error
    yield found, ci.n_asked, ci.n_computed
    if stopped is not None:
        raise stopped
