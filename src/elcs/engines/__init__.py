"""Engines: they count rows of a table and answer questions about variables known by position."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from elcs.engines.base import Answer, Engine, Rule, Tester, Verdict
from elcs.engines.memory import MemoryEngine
from elcs.engines.reference import ReferenceEngine
from elcs.engines.sequential import SequentialTester
from elcs.errors import ElcsError

if TYPE_CHECKING:
    from elcs.data import Dataset

__all__ = [
    "Answer",
    "Engine",
    "MemoryEngine",
    "ReferenceEngine",
    "Rule",
    "SequentialTester",
    "Tester",
    "Verdict",
    "make_engine",
]

_ENGINES: dict[str, Callable[[Dataset], Engine]] = {"memory": MemoryEngine, "reference": ReferenceEngine}


def make_engine(engine: str | Engine, data: Dataset) -> Engine:
    """Return the engine of this name on these data; an engine made before is returned as it is."""
    if not isinstance(engine, str):
        return engine
    if engine not in _ENGINES:
        raise ElcsError(f"engine must be one of {', '.join(_ENGINES)}, not {engine!r}")
    return _ENGINES[engine](data)
