"""Which columns are counted together, and which cubes go if there is no room for all."""

from __future__ import annotations

import numpy as np

import elcs
from elcs.data import Table
from elcs.engines import CubeEngine
from elcs.engines.collapsed import Collapsed
from elcs.engines.cubes import Cubes


def test_what_was_not_used_for_longest_goes_first() -> None:
    table = Table.from_any({f"c{v}": np.tile([0, 1, 1, 0], 3) for v in range(4)}, weights=np.arange(1, 13))
    counted = Collapsed(table)
    cubes = Cubes(counted)
    counted.widened = 0  # not even one column more than is asked about
    for pair in [(0, 1), (1, 2), (2, 3)]:
        cubes.fetch([frozenset(pair)])
    assert cubes.shelf.covering((0, 1)) is not None  # which makes it the last to go
    counted.room = cubes.shelf.n_bytes
    cubes.fetch([frozenset((0, 3))])
    assert cubes.shelf.covering((0, 1)) is not None
    assert cubes.shelf.covering((0, 3)) is not None
    assert cubes.shelf.covering((1, 2)) is None
    assert cubes.shelf.n_bytes <= counted.room


def test_columns_that_do_not_fit_are_passed_over_only_where_queries_are_dear() -> None:
    rng = np.random.default_rng(0)
    table = Table.from_any(
        {"a": rng.integers(0, 2, 400), "many": rng.integers(0, 90, 400), "b": rng.integers(0, 2, 400)}
    )
    counted = Collapsed(table)  # a cube may have 100 rows
    assert Cubes(counted)._filled(frozenset((0,)), (1, 2), 3) == {0}
    counted.quick = False
    assert Cubes(counted)._filled(frozenset((0,)), (1, 2), 3) == {0, 2}
    assert Cubes(counted)._filled(frozenset((0,)), (2, 1), 3) == {0, 2}
    assert Cubes(counted)._filled(frozenset((0,)), (2,), 1) == {0}


def test_scores_bring_what_was_asked_about_before() -> None:
    """The columns have nothing to do with each other, so nothing else speaks for these."""
    table = Table.from_any({f"c{v}": np.random.default_rng(v).integers(0, 3, 4000) for v in range(20)})
    counted = Collapsed(table)
    counted.widened = 3**6  # six columns of three levels
    engine = CubeEngine(counted)
    scorer, shelf = engine.scorer(ess=10), engine.cubes.shelf
    scorer(0, (), (17, 4, 12))
    scorer(0, (4,), (17,))
    shelf.let_go(list(shelf.held), 0)
    found = scorer(0, (), (9,))
    assert any({0, 4, 9, 12, 17} <= held.variables for held in shelf.held)
    np.testing.assert_allclose(found, elcs.BDeu(table, ess=10).local("c0", ["c9"]))
