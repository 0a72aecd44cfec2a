"""Time the rivals of ELCS, redo their figures in the ELCS paper, and compare with the program of its authors.

    python benchmarks/local_rivals.py DATA_FOLDER [--reference FOLDER] [--paper TABLES.csv]

DATA_FOLDER is laid out as for benchmarks/local.py. The reference folder holds METHOD_NETWORK_sSIZE_v1.csv
(target,parents,children,undirected,ci_tests) and TABLES.csv the paper's figures, one per row. The last four columns are
the same scores against the essential graph (CPDAG), where an edge that observations leave open is right if undirected.
"""

from __future__ import annotations

import argparse
import csv
import warnings
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path

import networkx as nx
import numpy as np
from local import FIGURES, read_graph, run_all

import elcs
from elcs.evaluation import Neighbourhood, ceiling, local_scores, neighbourhoods
from elcs.learners.local.pcd_by_pcd import pcd_by_pcd

SPEED = {"pcd-by-pcd": 300, "cmb": 300, "mb-by-mb": None}
CONFIRMED = elcs.Method("confirmed", "local", partial(pcd_by_pcd, confirm=True), "pcd-by-pcd with confirm=True")
COLUMNS = ("ArrP", "ArrR", "SHD", "FDR", "CI tests")
HEAD = f"{'data':<15} {'method':<11} {'whose':<14}   ArrP   ArrR    SHD    FDR   tests | ArrP   ArrR    SHD    FDR"

Answers = Mapping[str, Neighbourhood]


def load(folder: Path, network: str, size: int, version: int) -> elcs.G2:
    return elcs.G2(elcs.Dataset.from_any(folder / network / f"s{size}_v{version}.csv.gz"))


def speed(folder: Path) -> None:
    print(f"{'method':<11} targets   cold ms  (goal)  shared ms  tests a target  computed  learned   (alarm s5000_v1)")
    for method, goal in SPEED.items():
        ci = load(folder, "alarm", 5000, 1)
        run_all(ci, method, shared=False)
        results, cold, _ = min((run_all(ci, method, shared=False) for _ in range(5)), key=lambda run: run[1])
        shared = min(run_all(ci, method, shared=True)[1] for _ in range(5))
        costs = [(result.n_tests, result.n_computed, len(result.learned)) for result in results.values()]
        tests, computed, learned = np.mean(costs, axis=0).tolist()
        told = f"({goal})" if goal else "-"
        print(
            f"{method:<11} {len(results):7} {1e3 * cold:9.1f} {told:>7} {1e3 * shared:10.1f} "
            f"{tests:15.0f} {computed:9.0f} {learned:8.1f}"
        )


def score(graph: nx.DiGraph[str], found: Answers, tests: Iterable[int]) -> list[float]:
    """Return the means over all targets; a target without an answer, as its column does not vary, found nothing."""
    against_graph, against_cpdag = (
        np.mean([local_scores(truth[v], found.get(v, Neighbourhood())) for v in truth], axis=0).tolist()
        for truth in (neighbourhoods(graph), neighbourhoods(graph, identifiable=True))
    )
    return [*against_graph, float(np.mean(list(tests))), *against_cpdag]


def row(data: str, method: str, whose: str, figures: Sequence[float]) -> None:
    parts = [*(f"{x:6.3f}" for x in figures[:4]), *(f"{x:7.0f}" for x in figures[4:5])]
    print(f"{data:<15} {method:<11} {whose:<14} " + " ".join([*parts, *(f"{x:6.3f}" for x in figures[5:])]))


def published(tables: Path, network: str, size: int, method: str) -> list[float]:
    """Return the paper's figures, if it has any."""
    wanted = ("local", str(size), network, method)
    with tables.open() as file:
        rows = list(csv.DictReader(file))
    found = {
        r["metric"]: float(r["mean"])
        for r in rows
        if (r["table"], r["samples"], r["network"].lower(), r["algorithm"].lower()) == wanted
    }
    return [found[column] for column in COLUMNS] if found else []


def read_answers(path: Path) -> tuple[Answers, list[int]]:
    with path.open() as file:
        rows = list(csv.DictReader(file))
    sides = ("parents", "children", "undirected")
    answers = {r["target"]: Neighbourhood(*(frozenset(r[side].split()) for side in sides)) for r in rows}
    return answers, [int(r["ci_tests"]) for r in rows]


def agreement(ours: Answers, theirs: Answers) -> str:
    """Say how many answers are equal, and on how many edges both programs give the same direction."""
    both = [(ours[v], theirs[v]) for v in ours if v in theirs]
    shared = sum(len(a.all & b.all) for a, b in both)
    alike = sum(
        len(a.parents & b.parents) + len(a.children & b.children) + len(a.undirected & b.undirected) for a, b in both
    )
    return (
        f"{sum(a == b for a, b in both)} of {len(both)} answers equal, {sum(a.all == b.all for a, b in both)} in the "
        f"neighbours; edges: {shared} in both, {alike} of them alike, {sum(len(a.all - b.all) for a, b in both)} only "
        f"ours, {sum(len(b.all - a.all) for a, b in both)} only theirs; contradicting another answer of its own: ours "
        f"{contradictions(ours)}, theirs {contradictions(theirs)}"
    )


def contradictions(answers: Answers) -> int:
    """Count the edges whose two ends, each in turn the target, give opposite directions."""
    return sum(
        v in (answers[w].children if w in a.children else answers[w].parents)
        for v, a in answers.items()
        for w in a.children | a.parents
        if w in answers and v < w
    )


def figures(folder: Path, reference: Path | None, paper: Path | None) -> None:
    print(f"\n{HEAD}")
    for network, size in FIGURES:
        data, graph = f"{network} {size}", read_graph(folder / network / "graph.csv")
        row(data, "", "ceiling", ceiling(graph))
        for method in ("pcd-by-pcd", "confirmed", "cmb", "mb-by-mb"):
            rows: list[list[float]] = []
            first: Answers = {}
            for version in range(1, 11):
                results, _, _ = run_all(load(folder, network, size, version), method, shared=False)
                answers = {v: Neighbourhood.of(result) for v, result in results.items()}
                rows.append(score(graph, answers, [result.n_tests for result in results.values()]))
                first = first or answers
            row(data, method, "ours, 10 sets", np.mean(rows, axis=0).tolist())
            if paper and (theirs := published(paper, network, size, method)):
                row(data, method, "paper, 10 sets", theirs)
            if reference and (path := reference / f"{method}_{network}_s{size}_v1.csv").exists():
                program, tests = read_answers(path)
                row(data, method, "ours, set 1", rows[0])
                row(data, method, "program, set 1", score(graph, program, tests))
                print(f"{'':28}{agreement(first, program)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--reference", type=Path, help="answers of the authors' program")
    parser.add_argument("--paper", type=Path, help="the figures of the paper")
    options = parser.parse_args()
    warnings.simplefilter("ignore", elcs.DataWarning)
    elcs.register(CONFIRMED)
    speed(options.folder)
    figures(options.folder, options.reference, options.paper)


if __name__ == "__main__":
    main()
