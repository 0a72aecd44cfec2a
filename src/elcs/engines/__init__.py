"""Engines: a table laid out to be counted or computed with; variables are known by position."""

from __future__ import annotations

from collections.abc import Callable

from elcs.data import Table
from elcs.engines.base import Answer, Budget, Engine, Rule, Tester, Verdict
from elcs.engines.memory import MemoryEngine
from elcs.engines.numbers import Numbers
from elcs.engines.reference import ReferenceEngine
from elcs.engines.sequential import SequentialTester
from elcs.errors import ElcsError

__all__ = [
    "Answer",
    "Budget",
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

_ENGINES: dict[str, Callable[[Table], Engine]] = {"memory": MemoryEngine, "reference": ReferenceEngine}


def make_engine(engine: str | Engine, data: Table) -> Engine:
    """Return the engine of this name on this table, which keeps it; an engine made before is returned as it is."""
    if not isinstance(engine, str):
        return engine
    if engine not in _ENGINES:
        raise ElcsError(f"engine must be one of {', '.join(_ENGINES)}, not {engine!r}")
    return data.keep(engine, _ENGINES[engine])
