"""Engines: a table laid out to be counted or computed with; variables are known by position."""

from __future__ import annotations

from collections.abc import Callable

from elcs.data import Table
from elcs.data.warehouse.remote import RemoteTable
from elcs.engines.base import Answer, Budget, Engine, Rule, Tester, Verdict
from elcs.engines.collapsed import Collapsed, distinct_rows
from elcs.engines.guessing import CubeEngine
from elcs.engines.memory import MemoryEngine
from elcs.engines.numbers import Numbers
from elcs.engines.reference import ReferenceEngine
from elcs.engines.sequential import SequentialTester
from elcs.errors import ElcsError

__all__ = [
    "Answer",
    "Budget",
    "CubeEngine",
    "Engine",
    "MemoryEngine",
    "Numbers",
    "ReferenceEngine",
    "Rule",
    "SequentialTester",
    "Tester",
    "Verdict",
    "make_engine",
]


def make_engine(engine: str | Engine, data: Table) -> Engine:
    """Return the engine of this name on this table, which keeps it; an engine made before is returned as it is."""
    if not isinstance(engine, str):
        return engine
    if engine not in _ENGINES:
        raise ElcsError(f"engine must be one of {', '.join(_ENGINES)}, not {engine!r}")
    return data.keep(engine, _ENGINES[engine])


def _in_memory(data: Table) -> Engine:
    """Return the engine that is fastest."""
    if isinstance(data, RemoteTable):
        return CubeEngine(data)
    if data.weights is None and data.n_rows > MOST_ROWS:
        data = distinct_rows(data)
    many = data.weights is not None and data.n_rows > MOST_WEIGHTED and bool(data.weights.max() > 1)
    return CubeEngine(Collapsed(data)) if many else MemoryEngine(data)


MOST_ROWS = 1_000_000
"""Of a table with more rows the distinct ones are counted first, if they are fewer than half of all. It takes 0.2 s for
three million rows of Insurance, a third of them distinct, and the whole graph then takes 4 s instead of 18."""

MOST_WEIGHTED = 200_000
"""With more rows that have weights, cubes are made first: of 1.3 million rows of Alarm a test takes 7 ms, of a cube
0.3 ms, and a cube takes 0.2 s."""

_ENGINES: dict[str, Callable[[Table], Engine]] = {"memory": _in_memory, "reference": ReferenceEngine}
