"""Learners on tables with gaps: what is missing completely at random costs rows, and little else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import elcs
from elcs import networks


@pytest.fixture(scope="module")
def whole() -> elcs.Table:
    return networks.load("child").sample(5000, random_state=3)


@pytest.fixture(scope="module")
def gaps(whole: elcs.Table) -> elcs.Table:
    """Blank out a tenth of all cells; hardly an eighth of the rows is left without a gap."""
    rng = np.random.default_rng(0)
    columns = []
    for column, whole_codes in zip(whole.columns, whole.codes, strict=True):
        codes = whole_codes.copy()
        codes[rng.random(whole.n_rows) < 0.1] = len(column.levels)
        columns.append(replace(column, codes=codes, incomplete=True))
    return replace(whole, columns=tuple(columns))


def test_neighbours_are_nearly_those_of_the_whole_table(whole: elcs.Table, gaps: elcs.Table) -> None:
    found = [
        {(target, v) for target in table.names for v in elcs.learn(table, target, method="elcs-exact").neighbours}
        for table in (whole, gaps)
    ]
    assert len(found[0] ^ found[1]) <= 0.15 * len(found[0])


@pytest.mark.parametrize("score", ["bdeu", "bic"])
def test_edges_by_scores_are_nearly_those_of_the_whole_table(score: str, whole: elcs.Table, gaps: elcs.Table) -> None:
    graphs = [elcs.learn_graph(table, method="mmhc", score=score) for table in (whole, gaps)]
    found = [{frozenset(edge) for edge in (*graph.directed, *graph.undirected)} for graph in graphs]
    assert len(found[0] ^ found[1]) <= 0.15 * len(found[0])


def test_stability_draws_halves_with_gaps(gaps: elcs.Table) -> None:
    result = elcs.learn(gaps, "LungParench")
    stability = result.stability(10)
    assert all(stability.shares[v].neighbour >= 0.5 for v in result.neighbours)
