"""A study is asked: its method fills in notes, and the answer is put together from them.

A table that is asked where it lives is asked again until nothing is guessed (`Study.settled`).
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Sequence
from typing import Any, TypeVar

from elcs.answers.assembling import around, assembled
from elcs.answers.background import Background, rows_of
from elcs.answers.blanket import MarkovBlanket
from elcs.answers.evidence import Disagreement
from elcs.answers.gathering import disagreements
from elcs.answers.graph import Asks, CausalGraph
from elcs.answers.local import LocalStructure
from elcs.data.profile import profile
from elcs.errors import DataWarning
from elcs.graph.circles import open_circles
from elcs.graph.pdag import PDAG, Edge
from elcs.learners.notes import Blanket, Local, Whole
from elcs.study import Study
from elcs.study.cost import Cost
from elcs.study.question import LEARN

__all__ = ["ask", "ask_for_blanket", "ask_for_causes", "ask_for_graph"]

Result = TypeVar("Result", bound=MarkovBlanket)


def ask(study: Study, target: str) -> MarkovBlanket:
    """Ask about a variable in the way that the method of the plan answers."""
    return ask_for_causes(study, target) if study.plan.learner.kind in LEARN.kinds else ask_for_blanket(study, target)


def ask_for_graph(study: Study) -> CausalGraph:
    """Ask a learner of whole graphs."""
    return study.settled(lambda: _graph_once(study))


def _graph_once(study: Study) -> CausalGraph:
    found = _drawn(study, *_learn_whole(study))
    if found.complete and study.table is not None and study.plan.learner.uses("tests") and not _any_reliable(study):
        warnings.warn(
            "no test of two columns is reliable: there are too few rows to conclude anything", DataWarning, stacklevel=4
        )
    return found


def _any_reliable(study: Study) -> bool:
    """Tell whether any two columns can be tested; the first mostly can. It is not counted: the run is over."""
    names, tests = study.variables, study.tests
    asked, computed = tests.n_asked, tests.n_computed
    with study.unlimited():
        results = (tests.test_each(x, [y for y in names if y != x]) for x in names)
        found = any(test.reliable for of_one in results for test in of_one.values())
    tests.add_counts(asked - tests.n_asked, computed - tests.n_computed)
    return found


def _learn_whole(study: Study) -> tuple[Whole, Cost]:
    whole = Whole.given(study.knowledge, study.variables)
    cost = study.run(whole)
    open_circles(whole.graph)
    return whole, cost


def _drawn(study: Study, whole: Whole, cost: Cost) -> CausalGraph:
    """Put the whole graph together, or that of some variables."""
    directed, undirected = whole.graph.edges_among(whole.variables)
    pairs = {frozenset(edge) for edge in (*directed, *undirected)}
    return CausalGraph(
        nodes=whole.variables,
        directed=directed,
        undirected=undirected,
        leanings={edge: why.margin for edge, why in whole.graph.leanings.items() if frozenset(edge) in pairs},
        separators=whole.separators,
        conflicts=_conflicts(study, whole.graph, pairs),
        from_knowledge={edge: said for edge in directed if (said := whole.graph.reasons[edge].said)},
        background=_background(study, whole, (*directed, *undirected)),
        _graph=whole.graph,
        _study=study if study.tests_given is not None else study.on(study.table),
        _asks=Asks(ask, ask_for_graph),
        **_told(study, cost),
    )


def _conflicts(study: Study, graph: PDAG, pairs: Collection[frozenset[str]]) -> tuple[Disagreement, ...]:
    """Return the conflicts about these pairs, and those with what somebody said, which may forbid an edge."""
    found = [c for c in graph.conflicts if frozenset(c.edge) in pairs or c.first.said]
    if not found:
        return ()
    with study.unlimited():
        tests = study.tests if study.plan.learner.uses("tests") else None
        return disagreements(tests, graph, found, 0 if study.table is None else study.table.total)


def _part(
    study: Study, target: str, graph: PDAG, apart: Iterable[tuple[frozenset[str], tuple[str, ...]]], cost: Cost
) -> CausalGraph | None:
    """Return the part of the graph up to so many steps from the target, if that was asked for."""
    if study.plan.depth is None:
        return None
    open_circles(graph)
    near = set(graph.within(target, study.plan.depth))
    within = {pair: z for pair, z in apart if pair <= near and not graph.adjacent(*pair)}
    return _drawn(study, Whole.of(tuple(x for x in study.variables if x in near), graph, within), cost)


def ask_for_causes(study: Study, target: str) -> LocalStructure:
    """Ask a learner of local structure, or of whole graphs."""
    return study.settled(lambda: _learn_once(study, target))


def _learn_once(study: Study, target: str) -> LocalStructure:
    if study.plan.learner.kind == "whole":
        whole, cost = _learn_whole(study)
        part = _part(study, target, whole.graph, whole.separators.items(), cost)
        return _warned(around(study, whole, target, ask, part=part, **_told(study, cost)))
    notes = Local.given(study.knowledge, target)
    cost = study.run(notes)
    own = notes.open(target)
    if not own.done:  # stopped on the way: what was found so far are neighbours of unknown direction
        _orient(notes.graph, own)
    learned = tuple(x for x, found in notes.blankets.items() if found.done)
    apart = ((frozenset((x, y)), z) for x, found in notes.blankets.items() for y, z in found.separators.items())
    part = _part(study, target, notes.graph, apart, cost)
    told = {"learned": learned, "part": part, **_told(study, cost)}
    return _warned(assembled(LocalStructure, study, own, notes.graph, ask, **told))


def ask_for_blanket(study: Study, target: str) -> MarkovBlanket:
    """Ask a learner of blankets, or of parents and children."""
    return study.settled(lambda: _blanket_once(study, target))


def _blanket_once(study: Study, target: str) -> MarkovBlanket:
    notes = Blanket(target, study.knowledge)
    cost = study.run(notes)
    graph = PDAG(knowledge=study.knowledge)
    _orient(graph, notes)
    return _warned(assembled(MarkovBlanket, study, notes, graph, ask, **_told(study, cost)))


def _orient(graph: PDAG, notes: Blanket) -> None:
    from elcs.learners.steps.arrows import orient_around  # with steps that most questions do not need

    orient_around(graph, notes)


def _warned(result: Result) -> Result:
    """Warn if no test with the target can tell anything."""
    tested = {} if result._records is None else result._records.notes.marginal
    if tested and not any(test.reliable for test in tested.values()):
        warnings.warn(
            f"no test of {result.target!r} with another column is reliable: there are too few rows to conclude "
            "anything",
            DataWarning,
            stacklevel=4,
        )
    return result


def _background(study: Study, whole: Whole, edges: Sequence[Edge]) -> Background | None:
    """Return the table behind a whole graph; where values are missing, also how many rows its tests had."""
    table = study.table
    if table is None:
        return None
    known = table.keep("profile", profile)
    if not (table.incomplete and study.plan.learner.uses("tests")):
        return Background(known)
    pairs: dict[Edge, tuple[str, ...]] = dict.fromkeys(edges, ())
    pairs |= {(min(pair), max(pair)): given for pair, given in whole.separators.items()}
    with study.unlimited():  # mostly remembered from the run
        return Background(known, rows_of(study.tests.test_many([(*pair, given) for pair, given in pairs.items()])))


def _told(study: Study, cost: Cost) -> dict[str, Any]:
    """Return what every answer says about how it was found."""
    told = dict(zip(Cost._fields, cost, strict=True))
    return {"method": study.plan.method, "settings": study.settings, "plan": study.plan, **told}
