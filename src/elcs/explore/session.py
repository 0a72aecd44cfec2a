"""One open table and the answers about it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

from elcs.answers.effects import Effects
from elcs.answers.graph import CausalGraph
from elcs.answers.local import LocalStructure
from elcs.answers.stability import Stability
from elcs.api import learn, learn_graph
from elcs.deadline import check_stopped
from elcs.errors import ElcsError
from elcs.explore.state import State
from elcs.study import Plan, Study
from elcs.study.question import GRAPH

__all__ = ["HALF_SAMPLES", "Session"]

HALF_SAMPLES = 100
"""So many half-samples are counted."""
MOST_MAPPED = 300
"""Of a table of no more columns than this, the whole graph is drawn."""
_MOST_ANSWERS = 200
_MOST_STUDIES = 4

Answered = TypeVar("Answered")


class Session:
    """One open table: it is read once, and asked under plans that change.

    Answers are remembered, as people go back and forth; so are the tests and scores of the last few plans.

    Parameters
    ----------
    study : Study
        The table, with the plan of the command line.
    source : str
        Where the table came from: a path that `elcs.learn` reads.
    reading : mapping
        How it was read, as keywords.

    Examples
    --------
    >>> import elcs
    >>> session = Session(Study.of(elcs.data.SAMPLE, Plan(method="elcs-hybrid")), "customers.csv")
    >>> session.answer(session.state("target=churn")).parents
    ('contract', 'satisfaction')
    """

    def __init__(self, study: Study, source: str, reading: Mapping[str, Any] | None = None) -> None:
        self.study, self.source, self.reading = study, source, dict(reading or {})
        self.start = study.plan
        self._studies: OrderedDict[object, Study] = OrderedDict()
        self._answers: OrderedDict[object, object] = OrderedDict()

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that can be asked about."""
        return self.study.variables

    @property
    def too_wide(self) -> str:
        """Why there is no map of the table; an empty text if there is one."""
        n = len(self.columns)
        told = f"A map of {n:,} columns would take long and show little; choose a column, or draw it with 'elcs graph'."
        return told if n > MOST_MAPPED else ""

    def state(self, query: str) -> State:
        """Return the state of an address; one that cannot be asked about is refused in words."""
        state = State.read(query, self.start)
        for target in (state.target, state.beside):
            self._study(state.plan, target)
        return state

    def answer(self, state: State, target: str | None = None) -> LocalStructure:
        """Return what is known about the target of a state, or about another column."""
        asked = target or str(state.target)
        return self._once(("answer", asked, state.plan), lambda: learn(self._study(state.plan, asked), asked))

    def graph(self, state: State) -> CausalGraph:
        """Return the whole graph; a method that cannot learn one gives way to one that asks for the same tests."""
        if self.too_wide:
            raise ElcsError(self.too_wide)
        plan = state.plan
        if not plan.learner.is_of(GRAPH.kinds):
            plan = plan.with_method(GRAPH.by_tests)
        return self._once(("graph", plan), lambda: learn_graph(self._study(plan, None)))

    def stability(self, state: State, target: str, report: Callable[[int], None]) -> Stability:
        """Count half-samples."""
        result = self.answer(state, target)
        return self._once(
            ("stability", target, state.plan), lambda: result.stability(HALF_SAMPLES, report=_checking(report))
        )

    def effects(self, state: State, target: str, report: Callable[[int], None]) -> Effects:
        """Estimate the effects around the target."""
        result = self.answer(state, target)
        return self._once(("effects", target, state.plan), lambda: result.effects(report=_checking(report)))

    def known_stability(self, state: State, target: str) -> Stability | None:
        """Return the stability, if it was counted and is wanted."""
        found = self._answers.get(_key(("stability", target, state.plan))) if state.stability else None
        return cast("Stability | None", found)

    def known_effects(self, state: State, target: str) -> Effects | None:
        """Return the effects, if they were estimated and are wanted."""
        found = self._answers.get(_key(("effects", target, state.plan))) if state.effects else None
        return cast("Effects | None", found)

    def _once(self, asked: tuple[object, ...], ask: Callable[[], Answered]) -> Answered:
        """Return an answer, found out if it is not remembered; one that was stopped is not."""
        key = _key(asked)
        found = cast("Answered | None", self._answers.get(key))
        if found is None:
            found = ask()
            check_stopped()
            self._answers[key] = found
        while len(self._answers) > _MOST_ANSWERS:
            self._answers.popitem(last=False)
        return found

    def _study(self, plan: Plan, target: str | None) -> Study:
        """Return the study of the table under a plan; those that ask the same tests and scores share them."""
        sources = plan.ci_test, plan.alpha, plan.score, plan.ess
        near = self._studies.get(sources) or self.study
        study = Study.of(near, plan, target=target)
        self._studies[sources] = study
        self._studies.move_to_end(sources)
        while len(self._studies) > _MOST_STUDIES:
            self._studies.popitem(last=False)
        return study


def _checking(report: Callable[[int], None]) -> Callable[[int], None]:
    """Report how far a long question is, and end it there if nobody waits."""

    def tell(n_done: int) -> None:
        check_stopped()
        report(n_done)

    return tell


def _key(asked: tuple[object, ...]) -> tuple[object, ...]:
    """Return what can be looked up: a plan by what it says."""
    return tuple(part.to_json() if isinstance(part, Plan) else part for part in asked)
