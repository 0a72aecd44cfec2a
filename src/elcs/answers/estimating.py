"""How effects are found: what to hold fixed comes from a graph, the numbers from the table."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from elcs.answers.effect import Effect, Relearnt
from elcs.answers.effects import Effects
from elcs.answers.estimates import Estimate, estimated, today_of
from elcs.answers.halves import check_pairs
from elcs.data.columns import Numeric
from elcs.data.table import Table
from elcs.data.times import TIMES
from elcs.deadline import check_time, within
from elcs.errors import BudgetError, DataError, DataWarning, ElcsError, unknown_name
from elcs.estimation import points_of
from elcs.graph.adjustment import Adjustment, TooManySetsError, adjust_in_whole, adjust_locally
from elcs.graph.cpdag import essential_graph
from elcs.graph.pdag import PDAG
from elcs.graph.rules import BEST_CLIMBED, BEST_FIT
from elcs.learners.notes import Blanket
from elcs.learners.pc.hiton_pc import hiton_pc_among
from elcs.study import Study

if TYPE_CHECKING:
    from elcs.answers.blanket import MarkovBlanket
    from elcs.answers.records import Records

__all__ = ["check_effect", "effect_in", "effects_around", "relearnt"]

SURE = 0.95


def check_effect(study: Study, cause: str, effect: str) -> Table:
    """Return the table, or refuse what cannot be asked about it."""
    if study.table is None:
        raise ElcsError(f"effects need a table, which {study.answered_by} does not have; give the table instead")
    if not isinstance(effect, str):
        raise DataError(f"the effect must be the name of one column, not {effect!r}; ask about one column at a time")
    if cause == effect:
        raise DataError(f"{cause!r} is given as the cause and as the effect; name two columns")
    study.table.require_rows("the size of an effect", tests_do=False)
    left_out = dict(study.table.dropped)
    for name in (cause, effect):
        if name in left_out:
            raise DataError(f"column {name!r} is {left_out[name]}; nothing can be said about its causes or effects")
        if name not in study.variables:
            raise unknown_name(name, study.variables)
    return study.table


def effect_in(
    graph: PDAG,
    study: Study,
    cause: str,
    effect: str,
    *,
    whole: bool = False,
    complete: bool = True,
    points: Sequence[float] | None = None,
) -> Effect:
    """Estimate an effect, given what is known about the graph; a numeric cause is set to each of `points`.

    What a `whole` graph does not say, as some edges only lean to a direction, tests find out around the cause.
    """
    table = check_effect(study, cause, effect)
    by_tests = bool(graph.weighed) or not (whole or study.plan.learner.kind == "whole")
    at = points_of(table, cause) if points is None else points
    try:
        made = []
        for one in _adjustments(graph, study, cause, effect, by_tests=by_tests):
            check_time("the time allowed ran out while effects were estimated")
            made.append(estimated(table, cause, effect, _in_order(one, study.variables), at, by_tests=by_tests))
    except TooManySetsError as error:
        made = [Estimate((), "unknown", (), problem=str(error))]
    return Effect(
        cause=cause,
        effect=effect,
        kind=_time(table, effect),
        cause_kind=_time(table, cause),
        method=study.plan.learner.name,
        possible=tuple(made),
        today=today_of(table, effect),
        complete=complete,
        plan=study.plan,
    )


def _time(table: Table, name: str) -> str:
    """Return what a column of times is taken for; nothing for any other."""
    column = table.columns[table.index(name)]
    return column.taken_for if isinstance(column, Numeric) and column.taken_for in TIMES else ""


def _adjustments(graph: PDAG, study: Study, cause: str, effect: str, *, by_tests: bool) -> list[Adjustment]:
    """Return every set that may have to be held fixed."""
    if not by_tests:
        return adjust_in_whole(_undecided(graph, study.variables), cause, effect)
    with study.unlimited():
        return adjust_locally(graph, cause, effect, _Tests(study))


def effects_around(
    result: MarkovBlanket,
    records: Records,
    *,
    n_samples: int,
    random_state: int,
    report: Callable[[int], None],
) -> Effects:
    """Estimate the effects of the causes of a variable on it, and its effects on others."""
    study, whole = records.study, records.study is not None and records.study.plan.learner.kind == "whole"
    if study is None:
        raise ValueError("effects without a table")

    deadline = None if study.plan.timeout is None else time.monotonic() + study.plan.timeout

    def one(cause: str, effect: str) -> Effect:
        around: MarkovBlanket = result
        if cause != result.target and not whole:
            left = None if deadline is None else max(deadline - time.monotonic(), 0.0)
            around = records.ask(study.under(replace(study.plan, timeout=left)), cause)
        graph = (around._records or records).graph
        found = effect_in(graph, study, cause, effect, complete=result.complete and around.complete)
        if n_samples == 0:
            return found
        return relearnt(study, found, records.ask, n_samples=n_samples, random_state=random_state)

    target = result.target
    wanted = [(x, target) for x in (*result.parents, *result.undirected)]
    wanted += [(target, y) for y in (*result.children, *result.undirected)]
    made: list[Effect] = []
    with suppress(BudgetError), within(study.plan.timeout):  # what is estimated until then is returned
        for cause, effect in wanted:
            report(len(made))
            made.append(one(cause, effect))
    return Effects(
        target,
        tuple(found for found in made if found.effect == target),
        tuple(found for found in made if found.cause == target),
        complete=len(made) == len(wanted),
    )


def relearnt(
    study: Study,
    found: Effect,
    ask: Callable[[Study, str], MarkovBlanket],
    *,
    n_samples: int,
    random_state: int = 0,
    report: Callable[[int], None] = lambda n_done: None,
) -> Effect:
    """Add what half-samples say, with the graph learnt anew from each.

    A half-sample differs from the whole table with variance 2/n - 1/n, as the whole table differs from the truth. So
    95 % of the half-samples are an interval as they are. It is widened to hold the one with the graph held fixed:
    doubt about the graph comes on top of it.
    """
    check_pairs(n_samples)
    halves = []
    complete = found.complete
    try:
        for one in _halves(study, found, ask, n_samples, random_state):
            halves.append(one)
            report(len(halves))
    except BudgetError:  # a limit, or Ctrl-C on the command line
        complete = False
    if not halves:
        return replace(found, complete=complete)
    ranges = [one.range for one in halves]
    tail = (1 - SURE) / 2
    intervals: dict[object, dict[object, tuple[float, float]]] = {}
    for x in found.points:
        have = [ends[x] for ends in ranges if x in ends]
        if have:
            intervals[x] = {
                y: (
                    min(low, float(np.quantile([ends[y][0] for ends in have], tail))),
                    max(high, float(np.quantile([ends[y][1] for ends in have], 1 - tail))),
                )
                for y, (low, high) in found.intervals[x].items()
            }
    share = [float(np.mean(values)) for values in zip(*((h.identified, h.no_effect) for h in halves), strict=True)]
    return replace(found, relearnt=Relearnt(len(halves), intervals, *share), complete=complete)


def _halves(
    study: Study, found: Effect, ask: Callable[[Study, str], MarkovBlanket], n_samples: int, random_state: int
) -> Iterator[Effect]:
    """Yield what each half-sample says about the points of the whole table."""
    if not study.divisible or study.table is None:
        raise ElcsError(f"{study.answered_by} cannot be asked about half of the rows; give a table instead")
    plan, table = study.plan, study.table
    points = points_of(table, found.cause)
    deadline = None if plan.timeout is None else time.monotonic() + plan.timeout
    for i in range(n_samples // 2):
        for half in table.halves(np.random.default_rng([random_state, i])):
            left = None if deadline is None else max(deadline - time.monotonic(), 0.0)
            one = study.on(half).under(replace(plan, timeout=left))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DataWarning)
                result = ask(one, found.cause)
            if not result.complete or result._records is None:
                raise BudgetError("stopped before the end")
            yield effect_in(result._records.graph, one, found.cause, found.effect, points=points)


def _in_order(how: Adjustment, variables: Sequence[str]) -> Adjustment:
    """Return the same adjustment, with names in the order of the columns."""

    def ordered(names: Sequence[str]) -> tuple[str, ...]:
        return tuple(sorted(names, key=variables.index))

    return how._replace(adjusted_for=ordered(how.adjusted_for), parents=tuple(map(ordered, how.parents)))


def _undecided(graph: PDAG, variables: Sequence[str]) -> PDAG:
    """Return the graph without directions that only one of several equivalent networks has.

    Learners that look for the best network direct all edges, also where it is as good with the edge turned round.
    """
    if any(reason.rule in (BEST_CLIMBED, BEST_FIT) for reason in graph.reasons.values()):
        return essential_graph({v: graph.parents(v) for v in variables}, knowledge=graph.knowledge)
    return graph


class _Tests:
    """What the tests of a study say about independence; a method that asks for none leaves all unknown."""

    def __init__(self, study: Study) -> None:
        self.variables = study.variables
        self._ci = study.tests if study.plan.learner.uses("tests") else None
        self._max_cond_size = study.plan.max_cond_size

    def told(self, a: str, b: str, given: Sequence[str]) -> Literal["independent", "dependent", "unknown"]:
        """Tell whether two variables are independent given others, as far as that can be tested."""
        if self._ci is None:
            return "unknown"
        result = self._ci.test(a, b, given)
        return "unknown" if not result.reliable else "independent" if result.independent else "dependent"

    def direct_causes(self, y: str, among: Sequence[str]) -> Sequence[str]:
        """Return what influences y directly among variables that it does not influence.

        These are all that no set separates from it. What is known beforehand about y is not asked: a variable that does
        not influence it directly may do so by way of some that are not among these.
        """
        if self._ci is None:
            return ()
        notes = Blanket(y)
        hiton_pc_among(self._ci, notes, among, self._max_cond_size)
        return notes.pc
