"""Which columns are counted together, and which cubes go if there is no room for all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import elcs
from elcs.data import Table
from elcs.engines import CubeEngine
from elcs.engines.base import Rule, UnsettledError, Verdict
from elcs.engines.collapsed import Collapsed
from elcs.engines.cubes import LATE, Cubes
from elcs.engines.guessing import CubeTester


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


def test_tests_are_settled_before_scores_are_fetched() -> None:
    table = Table.from_any({f"c{v}": np.random.default_rng(v).integers(0, 3, 4000) for v in range(6)})
    engine = CubeEngine(Collapsed(table))
    tester, scorer = engine.tester(Rule(), cache_size=10), engine.scorer(ess=10)
    assert isinstance(tester, CubeTester)
    tester.otherwise = scorer.otherwise = "guess"
    exact = elcs.BDeu(table, ess=10)
    np.testing.assert_allclose(scorer(5, (), (4,)), exact.local("c5", ["c4"]))
    tester.test(0, 1, [2])
    np.testing.assert_allclose(scorer(5, (), (4,)), exact.local("c5", ["c4"]))  # which is known
    engine.cubes.shelf.let_go(list(engine.cubes.shelf.held), 0)
    with pytest.raises(UnsettledError):
        scorer(3, (), (4,))
    assert not scorer.doing
    assert tester.settle()
    np.testing.assert_allclose(scorer(3, (), (4,)), exact.local("c3", ["c4"]))
    assert not tester.settle()


@pytest.mark.parametrize("by_scores", [False, True])
def test_guesses_of_a_run_that_failed_hold_nobody_up(by_scores: bool) -> None:
    table = Table.from_any({f"c{v}": np.random.default_rng(v).integers(0, 3, 4000) for v in range(6)})
    engine = CubeEngine(Collapsed(table))
    left, tester, scorer = (
        engine.tester(Rule(), cache_size=0),
        engine.tester(Rule(), cache_size=0),
        engine.scorer(ess=1),
    )
    assert isinstance(left, CubeTester)
    assert isinstance(tester, CubeTester)
    left.otherwise = scorer.otherwise = "guess"
    left.test(0, 1, [2])
    with pytest.raises(UnsettledError):
        scorer(3, (), (4,))
    assert not (scorer.settle(lambda: None) if by_scores else tester.settle())
    scorer(3, (), (4,))


CANDIDATES = 24


def rounds_of_a_search(
    monkeypatch: pytest.MonkeyPatch, change: Callable[[Collapsed], None], sizes: Sequence[int]
) -> tuple[int, list[int]]:
    """Search for what separates two columns that are equal, where each guess is that something does.

    Returns the number of rounds, and how many of the candidates one cube holds with the two.
    """
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2, 4000)
    others = {f"c{v}": rng.integers(0, 2, 4000) for v in range(CANDIDATES)}
    counted = Collapsed(Table.from_any({"x": x, "y": x, **others}))
    counted.widened = 0  # not even one column more than is asked about
    change(counted)
    engine = CubeEngine(counted)
    tester = engine.tester(Rule(alpha=0.01), cache_size=1000)
    assert isinstance(tester, CubeTester)
    monkeypatch.setattr(tester, "_guess", lambda *_: (0.0, 1, int(Verdict.INDEPENDENT), 4000, 1))
    tester.otherwise = "guess"
    while True:
        found = tester.separator(0, 1, range(2, 2 + CANDIDATES), sizes, ())
        if not tester.settle():
            break
        assert found is not None  # a guess
    assert found is None
    return engine.cubes.n_rounds, [len(held.variables) - 2 for held in engine.cubes.shelf.held]


def test_late_rounds_fetch_what_a_search_goes_on_with(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without that each round would tell of one candidate, and there would be 24."""

    def narrow(counted: Collapsed) -> None:
        counted.widest = 10

    n_rounds, together = rounds_of_a_search(monkeypatch, narrow, [1])
    assert n_rounds == LATE
    assert sorted(together)[-2:] == [8, 8]
    assert sum(together) >= CANDIDATES


def test_what_nobody_has_asked_about_yet_is_not_missed_if_it_does_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def three_at_most(counted: Collapsed) -> None:
        count = counted.count

        def or_none(positions: Sequence[int]) -> Any:
            asked.append(len(positions))
            return count(positions) if len(positions) <= 3 else None

        monkeypatch.setattr(counted, "count", or_none)

    n_rounds, together = rounds_of_a_search(monkeypatch, three_at_most, [1])
    assert max(asked) > 3
    assert max(together) == 1
    assert n_rounds == CANDIDATES
