"""From the notes of a learner to a result: who is what, and the tests that say so."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from elcs.answers.blanket import MarkovBlanket
from elcs.answers.evidence import Evidence
from elcs.answers.gathering import cite, described, gather
from elcs.answers.local import LocalStructure
from elcs.answers.records import Records
from elcs.answers.roles import Role
from elcs.data.profile import profile
from elcs.graph.pdag import PDAG, Edge
from elcs.learners.notes import Blanket, Whole
from elcs.study import Study

__all__ = ["around", "assembled", "evidence_of"]

Result = TypeVar("Result", bound=MarkovBlanket)
Ask = Callable[[Study, str], MarkovBlanket]


def assembled(kind: type[Result], study: Study, notes: Blanket, graph: PDAG, ask: Ask, **rest: Any) -> Result:
    """Put a result together and look up the tests that it rests on.

    Parameters
    ----------
    kind : type
        What it becomes.
    study, notes, graph
        What was asked, and what the learner noted about the target and about the edges.
    ask : callable
        Asks a study about a variable, in the same way.
    **rest
        What else the result says: the method, the costs, the settings.
    """
    target = notes.target

    def in_order(names: Iterable[str]) -> tuple[str, ...]:
        chosen = set(names)
        return tuple([name for name in study.variables if name in chosen]) if chosen else ()

    children = in_order(graph.children(target))
    tests = study.tests if study.plan.learner.uses("tests") else None
    with study.unlimited():
        cited = {} if tests is None else cite(tests, notes, graph)
    return kind(
        target=target,
        parents=in_order(graph.parents(target)),
        children=children,
        undirected=in_order(graph.undirected(target)),
        spouses={
            y: in_order(names)
            for y in children
            if (names := [x for x in notes.spouses.get(y, ()) if (x, y) in graph.reasons])
        },
        members=in_order(notes.members),
        _records=Records(
            variables=study.variables,
            notes=notes,
            graph=graph,
            tests=cited,
            statistic="statistic" if tests is None else tests.statistic_name,
            untestable="" if tests is None else tests.untestable,
            ci=None if tests is None else study.tests_given,
            study=study.on(study.table) if study.repeatable else None,
            ask=ask,
        ),
        **rest,
    )


def around(study: Study, whole: Whole, target: str, ask: Ask, **rest: Any) -> LocalStructure:
    """Put together what a whole graph says about one variable."""
    own = whole.around(target)
    if study.plan.learner.uses("tests"):  # how strong the links are; mostly remembered from the run
        others = [x for x in whole.variables if x != target]
        with study.unlimited():
            own.marginal = study.tests.test_each(target, others)
    return assembled(LocalStructure, study, own, whole.graph, ask, learned=whole.variables, **rest)


def evidence_of(study: Study, whole: Whole, edges: Sequence[Edge]) -> dict[Edge, Evidence]:
    """Return the evidence for edges of a whole graph, each as what its first end is to the second.

    All else that is known about the ends would take gigabytes: two thousand variables have two million pairs.
    """
    graph, tests = whole.graph, study.tests if study.plan.learner.uses("tests") else None
    total = study.table.keep("profile", profile).total if study.repeatable and study.table is not None else 0
    at: dict[str, dict[str, Role]] = {}
    for a, b in edges:
        at.setdefault(b, {})[a] = "parent" if (a, b) in graph.reasons else "undirected"
    found: dict[Edge, Evidence] = {}
    with study.unlimited():
        for target, roles in at.items():
            notes = whole.around(target, list(roles))
            notes.marginal = {} if tests is None else tests.test_each(target, list(roles))
            cited = {} if tests is None else described(tests, cite(tests, notes, graph), total)
            found.update({(x, target): known for x, known in gather(roles, notes, graph, roles, cited).items()})
    return {edge: found[edge] for edge in edges}
