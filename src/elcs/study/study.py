"""A study binds a plan to a table; tests, scores and numbers are made when they are first needed."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any, TypeVar

from elcs.data import Reading, Table
from elcs.data.determined import warn_of_copies
from elcs.deadline import within
from elcs.engines import Budget, Numbers
from elcs.errors import BudgetError, ElcsError, unknown_name
from elcs.graph.knowledge import NOTHING, Knowledge
from elcs.independence import CITest
from elcs.learners import registry
from elcs.learners.notes import Blanket, Local, Whole
from elcs.scores import Score
from elcs.study.checks import check_names, check_target, refuse_idle, warn_of_rare_levels, warn_of_tests_alone
from elcs.study.cost import Cost
from elcs.study.made import Made, paid_from
from elcs.study.options import options_for
from elcs.study.plan import AUTO, Plan, PlanKeywords
from elcs.study.question import Asked
from elcs.study.rounds import Rounds

__all__ = ["Study"]

Answered = TypeVar("Answered")

ALWAYS_READ = 0.1
"""A table that is read within so many seconds is read even if the time limit is shorter: then there is an answer, if
an empty one."""


class Study:
    """A plan bound to a table: holds the tests, scores and numbers that the plan needs, under one budget.

    It can be given to any question in place of a table. It remembers its answers from one question to the next.

    Parameters
    ----------
    plan : Plan
        What is asked.
    table : Table, optional
        The table that it is asked about.
    tests, scores : CITest, Score, optional
        Tests and scores made beforehand; otherwise the plan makes them from the table.

    Examples
    --------
    >>> import elcs
    >>> study = Study.of(elcs.data.SAMPLE, elcs.Plan(method="elcs-exact", alpha=0.05))
    >>> elcs.learn(study, "churn").parents
    ('contract', 'satisfaction')
    >>> elcs.learn(study, "churn").n_computed
    0
    """

    def __init__(
        self, plan: Plan, *, table: Table | None = None, tests: CITest | None = None, scores: Score | None = None
    ) -> None:
        self.plan = plan
        self.table = table
        self._made = Made(tests, scores)
        self._reading_took = 0.0  # seconds; the first question has so much less time
        self._rounds: Rounds | None = None

    @classmethod
    def of(cls, data: Any, asked: Plan | Asked, *, target: str | None = None) -> Study:
        """Bind a plan to anything that can be asked: a table, a `CITest`, a `Score`, another study.

        Settings that would have no effect are refused; so is a target that cannot be asked about.
        """
        if not isinstance(asked, Plan | Asked):
            raise ElcsError(f"a study needs an elcs.Plan, not {asked!r}")
        asked = asked if isinstance(asked, Asked) else Asked(asked, Reading(), asked.given)
        plan, reading, given, by_tests = asked
        if target is not None:
            check_target(target, data)
        if isinstance(data, Study):
            study = data.under(plan)
            study._reading_took, data._reading_took = data._reading_took, 0.0
        elif isinstance(data, CITest):
            study = cls(plan, table=data.data, tests=data)
        elif isinstance(data, Score):
            study = cls(plan, table=data.data, scores=data)
        else:
            start = time.monotonic()
            with within(None if plan.timeout is None else max(plan.timeout, ALWAYS_READ)):
                table = Table.from_any(data, target=target, reading=reading)
                if table is not data:
                    warn_of_copies(table, target)
            if by_tests is not None and plan.learner.uses("scores") and not table.quick:
                warn_of_tests_alone(plan.learner.name, stacklevel=4)
                plan = plan.with_method(by_tests)
            if plan.by_tests_alone and plan.tests_by_g2(table):
                warn_of_rare_levels(table, stacklevel=4)
            study = cls(plan, table=table)
            study._reading_took = time.monotonic() - start
            check_names(plan.known, study.variables, table)
            return study
        refuse_idle(study._made.given, given, reading)
        check_names(plan.known, study.variables, study.table)
        if target is not None and target not in study.variables:
            raise unknown_name(target, study.variables)
        return study

    def under(self, plan: Plan) -> Study:
        """Return a study of the same table under another plan.

        If both plans ask for the same test and the same score, the two studies share what they make.
        """
        other = Study(plan, table=self.table)
        mine, theirs = ((p.ci_test, p.alpha, p.score, p.ess) for p in (self.plan, plan))
        other._made = self._made if mine == theirs else Made(*self._made.given, self._made.recipes)
        return other

    def on(self, table: Table | None) -> Study:
        """Return the same study of another table, or of the same table with nothing made yet."""
        other = Study(self.plan, table=table)
        other._made = self._made.anew()
        return other

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables that can be asked about, in order."""
        answering = self._made.given[0] or self._made.given[1]
        if answering is not None:
            return answering.variables
        return self._need_table("variables").names

    @property
    def knowledge(self) -> Knowledge:
        """What is known about the variables beforehand."""
        return self.plan.known.among(self.variables) if self.plan.known else NOTHING

    @property
    def tests(self) -> CITest:
        """The tests."""
        return self._made.tests or self._made.make_tests(self.plan, self._need_table("tests"))

    @property
    def tests_given(self) -> CITest | None:
        """The tests, if they were made beforehand."""
        return self._made.given[0]

    @property
    def scores(self) -> Score:
        """The scores."""
        return self._made.scores or self._made.make_scores(self.plan, self._need_table("scores"))

    @property
    def numbers(self) -> Numbers:
        """The table as numbers."""
        if self._made.numbers is None:
            self._made.numbers = Numbers(self._need_table("numbers"))
        return self._made.numbers

    def _need_table(self, what: str) -> Table:
        if self.table is None:
            given = self._made.given[0]
            has = f"{type(given).__name__} does not have" if given else "this study does not have"
            raise ElcsError(f"{what} need a table, which {has}; choose another method")
        return self.table

    @property
    def n_asked(self) -> int:
        """How many tests, scores and evaluations have been asked for."""
        return sum(source.n_asked for source in self._made.sources)

    @property
    def n_computed(self) -> int:
        """How many of them had to be computed."""
        return sum(source.n_computed for source in self._made.sources)

    @property
    def doing(self) -> str:
        """What is being fetched right now, if anything is."""
        return next((guesser.doing for guesser in self._made.guessers if guesser.doing), "")

    @property
    def repeatable(self) -> bool:
        """Whether the same can be asked again, as the table is there."""
        return self.table is not None and all(source is None or source.divisible for source in self._made.given)

    @property
    def divisible(self) -> bool:
        """Whether the same can be asked about half of the rows."""
        return self.repeatable and self.table is not None and self.table.divisible

    @property
    def answered_by(self) -> str:
        """The class of the tests or scores that were made beforehand, or "a table" if none were."""
        return " and ".join(type(source).__name__ for source in self._made.given if source is not None) or "a table"

    def forget(self) -> None:
        """Forget all answers; the counters stay."""
        for source in (self._made.tests, self._made.scores):
            if source is not None:
                source.clear_cache()

    def portable(self) -> Study:
        """Return the same study with nothing made yet and nothing in it that another process could not be sent.

        A test that somebody's own function makes is made here, and then made again like any other.
        """
        own: PlanKeywords = {}
        if callable(self.plan.ci_test):
            own["ci_test"] = AUTO
        if callable(self.plan.score):
            own["score"] = AUTO
        other = Study(replace(self.plan, **own), table=self.table)
        other._made = self._made.anew(self.tests if "ci_test" in own else None, self.scores if "score" in own else None)
        return other

    def unlimited(self) -> AbstractContextManager[None]:
        """Let questions be asked whatever the limits are: those that only look something up."""
        limited = [source for source in self._made.sources if source.budget.limited]
        return paid_from(Budget(), limited) if limited else nullcontext()

    def settled(self, ask: Callable[[], Answered]) -> Answered:
        """Return what `ask` returns, once nothing that it rests on is guessed any more.

        Only a table that is asked where it lives makes guesses. If time is up, or somebody presses Ctrl-C, the last run
        stops before its first guess, so that no guess gets into an answer.
        """
        for what in ("tests", "scores"):
            if self.plan.learner.uses(what):
                getattr(self, what)
        if not self._made.guessers:
            return ask()
        self._rounds = Rounds(self._made.guessers, time.perf_counter(), self._seconds_left, self.n_computed)
        try:
            return self._rounds.answer(ask)
        finally:
            self._rounds = None

    def run(self, notes: Blanket | Local | Whole) -> Cost:
        """Let the method of the plan fill in the notes, within the limits of the plan."""
        plan = self.plan
        learner = plan.learner.for_whole() if isinstance(notes, Whole) else plan.learner
        keywords = options_for(learner, plan.options)
        if "max_cond_size" in learner.keywords:
            keywords["max_cond_size"] = plan.max_cond_size
        if "depth" in learner.keywords:
            keywords["depth"] = plan.depth
        rounds, asked = self._rounds, self.n_asked
        start, computed = (time.perf_counter(), self.n_computed) if rounds is None else (rounds.start, rounds.computed)
        left = self._seconds_left if rounds is None else rounds.seconds_left
        has_limit = plan.max_tests is not None or left is not None
        budget, self._reading_took = Budget(plan.max_tests, left), 0.0
        try:
            with within(left):
                source = self._source_for(learner)
            if learner.asks != "scores" and learner.uses("scores"):
                keywords["score"] = self.scores
            with paid_from(budget, self._made.sources) if has_limit else nullcontext(), rounds or nullcontext():
                learner.learn(source, notes, **keywords)
            complete = True
        except BudgetError as error:
            complete = False
            if rounds is not None:
                rounds.note(error)
        asked = self.n_asked - asked
        computed = min(self.n_computed - computed, asked)  # in earlier rounds others may have been computed
        return Cost(asked, computed, time.perf_counter() - start, complete)

    @property
    def _seconds_left(self) -> float | None:
        """What reading the table has left of the time limit."""
        return None if self.plan.timeout is None else max(self.plan.timeout - self._reading_took, 0.0)

    def _source_for(self, learner: registry.Method) -> CITest | Score | Numbers:
        """Return what a learner asks, made if need be."""
        if learner.asks == "numbers":
            return self.numbers
        return self.scores if learner.asks == "scores" else self.tests

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of the run, as a result reports them."""
        plan, learner = self.plan, self.plan.learner
        told: dict[str, Any] = {}
        if learner.uses("tests"):
            told |= {"ci_test": type(self.tests).__name__, "alpha": getattr(self.tests, "alpha", None)}
        if learner.uses("scores"):
            told |= {"score": type(self.scores).__name__, **self.scores.settings}
        if "max_cond_size" in learner.keywords:
            told["max_cond_size"] = plan.max_cond_size
        if plan.depth is not None:
            told["depth"] = plan.depth
        if plan.known:
            told["knowledge"] = str(plan.known)
        told |= {name: x for name, x in plan.options.items() if isinstance(x, str | int | float | bool)}
        return told if self.table is None else told | self.table.reading.to_dict()
