"""elcs: the direct causes, the direct effects and the Markov blanket of one variable, from a table."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from elcs import data, engines
from elcs.api import blanket, compare, learn, learn_graph, stability
from elcs.causal_graph import CausalGraph
from elcs.comparison import Agreement, Comparison
from elcs.data import Dataset
from elcs.errors import BudgetError, DataError, DataWarning, ElcsError, KnowledgeError
from elcs.independence import G2, Chi2, CITest, DSeparation, TestResult
from elcs.learners.registry import Method, methods, register
from elcs.resampling import Shares, Stability
from elcs.results import LocalStructure, MarkovBlanket
from elcs.scores import BIC, BDeu, Score

if TYPE_CHECKING:
    from elcs import networks

__version__ = "0.1.0"

__all__ = [
    "BIC",
    "G2",
    "Agreement",
    "BDeu",
    "BudgetError",
    "CITest",
    "CausalGraph",
    "Chi2",
    "Comparison",
    "DSeparation",
    "DataError",
    "DataWarning",
    "Dataset",
    "ElcsError",
    "KnowledgeError",
    "LocalStructure",
    "MarkovBlanket",
    "Method",
    "Score",
    "Shares",
    "Stability",
    "TestResult",
    "blanket",
    "compare",
    "data",
    "engines",
    "learn",
    "learn_graph",
    "methods",
    "networks",
    "register",
    "stability",
]


def __getattr__(name: str) -> object:
    if name == "networks":  # loaded when it is asked for: most users have data of their own
        return importlib.import_module("elcs.networks")
    raise AttributeError(f"module 'elcs' has no attribute {name!r}")
