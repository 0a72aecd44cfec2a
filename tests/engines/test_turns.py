"""Who asks while a question is being answered: another thread waits, a signal handler is refused."""

from __future__ import annotations

import signal
from decimal import Decimal, getcontext

import numpy as np
import pytest

import elcs
from elcs.engines import Budget


@pytest.mark.parametrize("limits", [(-1, None), (None, -1.0), (None, float("nan"))])
def test_limits_that_are_none_are_refused(limits: tuple[int | None, float | None]) -> None:
    with pytest.raises(ValueError, match="a budget has a number of"):
        Budget(*limits)


def test_no_questions_cost_nothing() -> None:
    ci = elcs.G2(elcs.data.SAMPLE)
    for budget in (Budget(0), Budget(None, 0.0)):
        ci.budget = budget
        assert ci.test_many([]) == []


def test_a_signal_handler_that_asks_is_refused_and_nothing_hangs() -> None:
    rng = np.random.default_rng(0)
    names = [f"v{i}" for i in range(24)]
    columns = {name: rng.integers(0, 3, 20_000) for name in names}
    columns["v1"] = (columns["v0"] + (rng.random(20_000) < 0.1)) % 3
    ci = elcs.G2(columns, cache_size=0)
    told = []

    def ask(*_: object) -> None:
        try:
            ci.test("v0", "v1")
        except elcs.DataError as error:
            told.append(str(error))
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, ask)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        with pytest.raises(KeyboardInterrupt):
            ci.separator("v0", "v1", names[2:], sizes=[5])  # which would take seconds
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert "a signal handler cannot ask" in told[0]
    assert ci.test("v0", "v1").reliable


def test_g2_is_exact_up_to_the_largest_sum_of_weights() -> None:
    getcontext().prec = 60
    rng = np.random.default_rng(1)
    for n in (2, 3, 8):
        mean = 2**36 // n**2
        weights = [mean - int(rng.integers(0, 2**18)) for _ in range(n * n)]
        a, b = np.divmod(np.arange(n * n), n)
        kinds = {"a": "category", "b": "category"}
        found = elcs.G2(elcs.Table.from_any({"a": a, "b": b}, weights=weights, kinds=kinds)).test("a", "b").statistic
        table = [[Decimal(weights[i * n + j]) for j in range(n)] for i in range(n)]
        sums = [*map(sum, table), *map(sum, zip(*table, strict=True))]
        cells = [cell for row in table for cell in row]
        total = sum(cells)
        terms = [sum(x * x.ln() for x in part) for part in (cells, [Decimal(x) for x in sums], [Decimal(total)])]
        assert abs(found - float(2 * (terms[0] - terms[1] + terms[2]))) < 1e-4
