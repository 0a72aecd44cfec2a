"""Methods x networks x sample sizes x repetitions, every variable a target, in parallel processes.

A *cell* is one method on one data set. It runs in one process, all targets one after the other, each with an empty
cache, and is written to the journal as soon as it is finished; running the same benchmark again does only what is
missing.
"""

from __future__ import annotations

import functools
import json
import os
import time
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, field, replace
from itertools import product
from multiprocessing import get_context, parent_process
from typing import TYPE_CHECKING, Any

import elcs
from elcs.errors import BudgetError, DataWarning, ElcsError
from elcs.evaluation.journal import Cell, Journal, Record
from elcs.evaluation.limiting import cpu_limit
from elcs.evaluation.metrics import Neighbourhood, blanket_scores, local_scores, neighbourhoods, true_blanket
from elcs.evaluation.problems import open_problem, true_graph, versions
from elcs.learners import registry
from elcs.processes import ends_with, undisturbed
from elcs.study import Plan, Study

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["Settings", "cells", "missing", "run"]


@dataclass(frozen=True)
class Settings:
    """What all cells of a benchmark have in common.

    Attributes
    ----------
    plan : Plan
        What each method is asked; it names no method.
    limit_seconds : float or None
        A cell that takes more CPU time is given up and marked so. So are the method's later cells on data sets of the
        same network with the same number of rows, and with more rows if none of these was finished.
    data : str or None
        A folder with a folder of data sets per network. If it has none for a network and size, or if it is None, they
        are sampled from the packaged networks.
    seed : int
        The seed for sampling.
    """

    plan: Plan = field(default_factory=lambda: Plan(ci_test="g2"))
    limit_seconds: float | None = None
    data: str | None = None
    seed: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Return plain types, for the head of a journal; of the plan, `_ALWAYS` and the fields that differ."""
        told = {*_ALWAYS, *self.plan.given, *(["options"] if self.plan.options else [])}
        plan = {name: x for name, x in self.plan.to_dict().items() if name in told}
        return {**plan, "limit_seconds": self.limit_seconds, "data": self.data, "seed": self.seed}


_ALWAYS = ("alpha", "ci_test", "max_cond_size")


def cells(
    methods: Sequence[str],
    networks: Sequence[str],
    samples: Sequence[int],
    repetitions: int | None = None,
    folder: str | None = None,
) -> list[Cell]:
    """Return the cells of a benchmark, ordered by data set, so that the figures of one data set come together.

    Parameters
    ----------
    methods, networks : sequence of str
        The names of the methods and of the networks. The name of a method may be followed by options of it, as in
        "elcs-hybrid decided=false".
    samples : sequence of int
        Rows of a data set.
    repetitions : int, optional
        Data sets per network and size; by default all that the folder has, and three if they are sampled.
    folder : str, optional
        The folder of data sets.
    """
    for method in methods:
        _learner(method)
    return [
        Cell(method, network, size, repetition)
        for network, size in product(networks, samples)
        for repetition in versions(network, size, folder, repetitions)
        for method in methods
    ]


def _plan(method: str, plan: Plan) -> Plan:
    """Return a plan with this method and the options that follow its name."""
    name, *options = method.split()
    try:
        chosen = {key: json.loads(value) for key, value in (option.split("=", 1) for option in options)}
    except ValueError:
        raise ElcsError(
            f"the name of a method may be followed by options, as in decided=false; not {method!r}"
        ) from None
    return replace(plan.with_method(name), options={**plan.options, **chosen})


def _learner(method: str) -> registry.Method:
    return _plan(method, Plan()).learner


def run(
    plan: Sequence[Cell],
    settings: Settings,
    journal: Journal,
    *,
    n_jobs: int | None = None,
    report: Callable[[Cell, Record], None] = lambda cell, record: None,
) -> None:
    """Run the cells that the journal does not have, and write each to it when it is finished.

    Cells of a method that needs a package which is not installed are left out; they run once it is (`missing`).

    Parameters
    ----------
    plan : sequence of Cell
        What to run.
    settings : Settings
        What the cells have in common.
    journal : Journal
        Where finished cells are kept.
    n_jobs : int, optional
        Number of processes; by default one per processor.
    report : callable
        Called with each cell that was finished.
    """
    todo = (cell for cell in plan if cell not in journal.records and _learner(cell.method).installed)
    n_jobs = n_jobs or os.cpu_count() or 1
    # Processes are started afresh rather than forked, which threads of numpy's libraries do not survive.
    with ProcessPoolExecutor(n_jobs, mp_context=get_context("spawn"), initializer=_end_with_parent) as pool:
        running: dict[Future[Record], Cell] = {}
        try:
            for cell in todo:
                if record := _given_up(cell, journal):
                    journal.append(cell, record)
                    report(cell, record)
                    continue
                with undisturbed():
                    running[pool.submit(run_cell, cell, settings)] = cell
                if len(running) > n_jobs:
                    _collect(running, journal, report)
            while running:
                _collect(running, journal, report)
        except BaseException:
            for process in list(pool._processes.values()):  # or else the pool would wait for them
                process.kill()
            raise


def _end_with_parent() -> None:
    """Let a process of the pool end when its parent does, even if that is killed."""
    parent = parent_process()
    if parent is not None:
        ends_with(parent.join)


def missing(plan: Sequence[Cell], settings: Settings) -> dict[Cell, Record]:
    """Return, for each cell whose method needs a package that is not installed, a record that says so."""
    return {
        cell: {
            "status": "missing",
            "needs": _learner(cell.method).needs,
            "variables": len(true_graph(cell.network, cell.samples, settings.data)),
            "targets": [],
        }
        for cell in plan
        if not _learner(cell.method).installed
    }


def _given_up(cell: Cell, journal: Journal) -> Record | None:
    """Return the record of a data set on which the method was given up, if that says enough about this one.

    It does if that data set has the same number of rows, as there is no mean without it, or if it has fewer and the
    method was given up on all data sets of that size.
    """
    sizes: dict[int, list[Record]] = {}
    for other, record in journal.records.items():
        if other[:2] == cell[:2] and other.samples <= cell.samples:
            sizes.setdefault(other.samples, []).append(record)
    for samples, records in sizes.items():
        given_up = [record for record in records if record["status"] == "limit"]
        if given_up and (samples == cell.samples or len(given_up) == len(records)):
            return given_up[0]
    return None


def _collect(running: dict[Future[Record], Cell], journal: Journal, report: Callable[[Cell, Record], None]) -> None:
    """Wait for a cell, and write it down."""
    done, _ = wait(running, return_when=FIRST_COMPLETED)
    for future in done:
        cell, record = running.pop(future), future.result()
        journal.append(cell, record)
        report(cell, record)


def run_cell(cell: Cell, settings: Settings) -> Record:
    """Run one method on every target of one data set; the record has a row per target, or says that it was given up."""
    warnings.simplefilter("ignore", DataWarning)
    graph, data = open_problem(cell.network, cell.samples, cell.repetition, settings.data, settings.seed)
    plan = _plan(cell.method, settings.plan)
    kind = plan.learner.kind
    score = _local_figures(graph) if kind in ("local", "whole") else _blanket_figures(graph)
    ask = _asker(Study.of(data, plan), settings.limit_seconds)
    rows: list[dict[str, Any]] = []
    for target in graph:
        found, cost = None, dict.fromkeys(("tests", "computed", "cpu", "wall"), 0.0)
        if target in data.names:  # else it does not vary in this sample, and nothing is found
            found, cost = ask(target)
            if found is None:
                return {"status": "limit", "variables": len(graph), "targets": []}
        rows.append({"target": target, **score(target, found), **cost})
    return {"status": "done", "variables": len(graph), "targets": rows}


Found = elcs.MarkovBlanket | Neighbourhood
Asker = Callable[[str], tuple[Found | None, dict[str, float]]]


def _asker(study: Study, limit_seconds: float | None) -> Asker:
    """Return a function that answers for one target, with the cost; None instead of an answer if time has run out.

    A learner of the whole graph runs once, and each target is charged for all of it.
    """
    end = None if limit_seconds is None else time.process_time() + limit_seconds
    kind = study.plan.learner.kind

    def timed(question: Callable[..., Any], *target: str) -> tuple[Any, dict[str, float]]:
        study.forget()
        wall, cpu = time.perf_counter(), time.process_time()
        try:
            with cpu_limit(None if end is None else end - cpu):
                result = question(study, *target)
        except BudgetError:
            return None, {}
        cost = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
        counts = {"tests": result.n_tests, "computed": result.n_computed}
        return result if result.complete else None, {**counts, **cost}

    if kind != "whole":
        return functools.partial(timed, elcs.learn if kind == "local" else elcs.blanket)
    once = functools.cache(lambda: timed(elcs.learn_graph))

    def view(target: str) -> tuple[Neighbourhood | None, dict[str, float]]:
        whole, cost = once()
        sides = whole and (whole.parents(target), whole.children(target), whole.undecided(target))
        return sides and Neighbourhood(*map(frozenset, sides)), cost

    return view


Scorer = Callable[[str, Found | None], dict[str, float]]


def _local_figures(graph: nx.DiGraph[str]) -> Scorer:
    truth, identifiable = neighbourhoods(graph), neighbourhoods(graph, identifiable=True)

    def score(target: str, result: Any) -> dict[str, float]:
        found = Neighbourhood() if result is None else Neighbourhood.of(result)
        figures = dict(zip(("ArrP", "ArrR", "SHD", "FDR"), local_scores(truth[target], found), strict=True))
        against = local_scores(identifiable[target], found)
        return figures | dict(zip(("cpdag ArrP", "cpdag ArrR", "cpdag SHD", "cpdag FDR"), against, strict=True))

    return score


def _blanket_figures(graph: nx.DiGraph[str]) -> Scorer:
    def score(target: str, result: Any) -> dict[str, float]:
        scores = blanket_scores(true_blanket(graph, target), () if result is None else result.markov_blanket)
        return dict(zip(("Precision", "Recall", "F1", "Distance"), scores, strict=True))

    return score
