"""Engines: they count rows of a table and answer questions about variables known by position."""

from elcs.engines.base import Answer, Engine, Rule, Tester, Verdict
from elcs.engines.memory import MemoryEngine
from elcs.engines.reference import ReferenceEngine
from elcs.engines.sequential import SequentialTester

__all__ = [
    "Answer",
    "Engine",
    "MemoryEngine",
    "ReferenceEngine",
    "Rule",
    "SequentialTester",
    "Tester",
    "Verdict",
]
