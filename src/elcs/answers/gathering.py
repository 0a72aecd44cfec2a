"""From notes to evidence: learners note which tests they relied on; here the statistics are filled in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from elcs.answers.evidence import CitedTest, Direction, Disagreement, Evidence
from elcs.answers.roles import Role
from elcs.graph.pdag import PDAG, Conflict, Edge, Question, Reason
from elcs.independence.base import CITest, TestResult
from elcs.learners.notes import Blanket

__all__ = ["cite", "described", "disagreements", "gather"]


def cite(ci: CITest, notes: Blanket, graph: PDAG) -> dict[Question, TestResult]:
    """Look up the statistics of all tests that the findings about one variable rest on."""
    target = notes.target
    results: dict[Question, TestResult] = {(target, x, ()): r for x, r in notes.marginal.items()}
    cited = [(target, x, z) for x, z in notes.separators.items() if z or (target, x, z) not in results]
    joined = ((x, graph.overruled.get(frozenset((x, target)))) for x in graph.neighbours(target))
    cited += [(target, x, z) for x, z in joined if z is not None]
    conflicts = [c for c in graph.conflicts if target in c.edge]
    reasons = [*_reasons_behind(graph, _edges_about(graph, target)), *_reasons_of(graph, conflicts)]
    for reason in reasons:
        cited += reason.tests
    missing = [question for question in dict.fromkeys(cited) if question not in results]
    if missing:
        results.update(zip(missing, ci.test_many(missing), strict=True))
    return results


def _edges_about(graph: PDAG, target: str) -> list[Edge]:
    """Return the edges at the target in either direction, and those to its children, also to those that may be some."""
    near = graph.neighbours(target)
    children = [c for c in near if _reason(graph, (target, c))]
    return [edge for x in near for edge in ((x, target), (target, x))] + [
        (s, c) for c in children for s in graph.neighbours(c)
    ]


def _reasons_of(graph: PDAG, conflicts: Sequence[Conflict]) -> list[Reason]:
    """Return what contradicts each other, and all that it rests on."""
    sides = [side for conflict in conflicts for side in (conflict.first, conflict.second)]
    return sides + _reasons_behind(graph, [premise for side in sides for premise in side.premises])


def _reasons_behind(graph: PDAG, edges: Sequence[Edge]) -> list[Reason]:
    """Return the reasons for directions, and for all that these rest on.

    A direction that a rule rests on may have met its opposite and not have been followed; it has no reason then.
    """
    known: dict[Edge, Reason] = {}
    while edges:
        found = {edge: _reason(graph, edge) for edge in edges if edge not in known}
        new = {edge: reason for edge, reason in found.items() if reason is not None}
        known |= new
        edges = [premise for reason in new.values() for premise in reason.premises]
    return list(known.values())


def _reason(graph: PDAG, edge: Edge) -> Reason | None:
    """Return why an edge has its direction, had it, leans to it, or could have it."""
    kept = (graph.reasons, graph.taken_back, graph.leanings, graph.tied)
    return next((reasons[edge] for reasons in kept if edge in reasons), None)


def described(ci: CITest | None, tests: Mapping[Question, TestResult], total: int = 0) -> dict[Question, CitedTest]:
    """Add to the tests cited all that can be said about them; `total` is the number of rows of the table."""
    return {
        question: CitedTest(
            *question,
            result,
            correlation=None if ci is None else ci.correlation(*question),
            strength=None if ci is None else ci.strength(result),
            partial=0 < result.n_rows < total,
        )
        for question, result in tests.items()
    }


def disagreements(
    ci: CITest | None, graph: PDAG, conflicts: Sequence[Conflict], total: int = 0
) -> tuple[Disagreement, ...]:
    """Return conflicts with the statistics of the tests that they rest on."""
    questions = list(dict.fromkeys(question for reason in _reasons_of(graph, conflicts) for question in reason.tests))
    results = [] if ci is None or not questions else ci.test_many(questions)
    told = _Told(graph, described(ci, dict(zip(questions, results, strict=True)), total))
    return tuple(map(told.disagreement, conflicts))


def gather(
    names: Iterable[str],
    notes: Blanket,
    graph: PDAG,
    roles: Mapping[str, Role],
    tests: Mapping[Question, CitedTest],
) -> dict[str, Evidence]:
    """Return the evidence on every variable."""
    target, known, told = notes.target, notes.knowledge, _Told(graph, tests)
    at_target = [conflict for conflict in graph.conflicts if target in conflict.edge]
    evidence = {}
    for x in names:
        said = (known.forbids(x, target), known.forbids(target, x)) if known and known.apart(x, target) else ()
        role = roles.get(x, "other")
        shared = tuple(y for y, spouses in notes.spouses.items() if x in spouses) if role == "spouse" else ()
        separator = notes.separators.get(x, graph.overruled.get(frozenset((x, target))))
        opening = graph.reasons[x, shared[0]].tests[1:2] if shared else ()
        evidence[x] = Evidence(
            variable=x,
            target=target,
            role=role,
            association=tests[target, x, ()] if x in notes.marginal else None,
            sets_tried=notes.sets_tried.get(x, 0),
            sets_untested=notes.sets_untested.get(x, 0),
            separated_by=None if separator is None else tests[target, x, separator],
            shared_effects=shared,
            opened_by=tests[opening[0]] if opening else None,
            direction=told.direction(x, target) or told.direction(target, x),
            disagreements=tuple(told.disagreement(c) for c in at_target if x in c.edge),
            kept_apart_by=tuple(dict.fromkeys(said)),
            margin=graph.margins.get(frozenset((x, target))),
            leans=told.leaning(x, target) or told.leaning(target, x),
            taken_back=told.taken_back(x, target) or told.taken_back(target, x),
            would_share=told.common_effect(target, x) if role == "member" else (),
        )
    return evidence


@dataclass(frozen=True)
class _Told:
    """The reasons of a graph, with the statistics of the tests that they rest on."""

    graph: PDAG
    tests: Mapping[Question, CitedTest]

    def direction(self, cause: str, effect: str) -> Direction | None:
        """Return why an edge points this way, if it does."""
        reason = self.graph.reasons.get((cause, effect))
        return None if reason is None else self._given(cause, effect, reason)

    def leaning(self, cause: str, effect: str) -> Direction | None:
        """Return why an edge leans this way, if it does."""
        reason = self.graph.leanings.get((cause, effect))
        return None if reason is None else self._given(cause, effect, reason, claimed=False)

    def taken_back(self, cause: str, effect: str) -> Direction | None:
        """Return why an edge pointed this way before half-samples did not bear it out, if it did."""
        reason = self.graph.taken_back.get((cause, effect))
        return None if reason is None else self._given(cause, effect, reason, claimed=False)

    def common_effect(self, a: str, b: str) -> tuple[Direction, ...]:
        """Return the arrows from both to a common effect, of which one at least is not claimed, if there is one."""
        for c in self.graph.neighbours(a):
            one = self._known(a, c)
            other = self._known(b, c) if one is not None else None  # what else points at `c` is not cited
            if one is not None and other is not None and not (one.claimed and other.claimed):
                return one, other
        return ()

    def disagreement(self, conflict: Conflict) -> Disagreement:
        """Return both sides of a conflict."""
        cause, effect = conflict.edge
        first, second = self._given(cause, effect, conflict.first), self._given(effect, cause, conflict.second)
        return Disagreement(first, second, conflict.followed)

    def _given(self, cause: str, effect: str, reason: Reason, *, claimed: bool = True) -> Direction:
        premises = (self._known(*edge) for edge in reason.premises)
        cited = tuple(self.tests[question] for question in reason.tests)
        rests_on = tuple(premise for premise in premises if premise is not None)
        why = (reason.rule, reason.variables, cited, rests_on, reason.said)
        return Direction(cause, effect, *why, reason.margin, reason.share, reason.opposite, claimed)

    def _known(self, cause: str, effect: str) -> Direction | None:
        """Return why an edge points this way, did so, leans to it, or could."""
        reason = _reason(self.graph, (cause, effect))
        claimed = (cause, effect) in self.graph.reasons
        return None if reason is None else self._given(cause, effect, reason, claimed=claimed)
