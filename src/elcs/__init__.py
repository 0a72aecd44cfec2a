"""elcs: the direct causes, the direct effects and the Markov blanket of one variable, from a table."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from elcs import data, drawing, engines
from elcs.answers.blanket import MarkovBlanket
from elcs.answers.graph import CausalGraph
from elcs.answers.local import LocalStructure
from elcs.api import blanket, compare, effect, learn, learn_graph, stability
from elcs.data import Dataset, Reading, Table
from elcs.data.describe import describe
from elcs.errors import BudgetError, DataError, DataWarning, ElcsError, KnowledgeError
from elcs.graph.knowledge import Knowledge
from elcs.independence import G2, Careful, Chi2, CITest, DegenerateGaussian, DSeparation, FisherZ, Mixed, TestResult
from elcs.learners.registry import Method, methods, register
from elcs.scores import BIC, BDeu, Blocks, CountedScore, Score
from elcs.study import Plan, Study
from elcs.version import __version__

if TYPE_CHECKING:
    from elcs import networks
    from elcs.answers.comparison import Agreement, Comparison
    from elcs.answers.effect import Effect
    from elcs.answers.effects import Effects
    from elcs.answers.estimates import Estimate
    from elcs.answers.graph_stability import EdgeShares, GraphStability
    from elcs.answers.stability import Shares, Stability

__all__ = [
    "BIC",
    "G2",
    "Agreement",
    "BDeu",
    "Blocks",
    "BudgetError",
    "CITest",
    "Careful",
    "CausalGraph",
    "Chi2",
    "Comparison",
    "CountedScore",
    "DSeparation",
    "DataError",
    "DataWarning",
    "Dataset",
    "DegenerateGaussian",
    "EdgeShares",
    "Effect",
    "Effects",
    "ElcsError",
    "Estimate",
    "FisherZ",
    "GraphStability",
    "Knowledge",
    "KnowledgeError",
    "LocalStructure",
    "MarkovBlanket",
    "Method",
    "Mixed",
    "Plan",
    "Reading",
    "Score",
    "Shares",
    "Stability",
    "Study",
    "Table",
    "TestResult",
    "__version__",
    "blanket",
    "compare",
    "data",
    "describe",
    "drawing",
    "effect",
    "engines",
    "learn",
    "learn_graph",
    "methods",
    "networks",
    "register",
    "stability",
]


# Loaded when they are asked for: `learn`, `blanket` and `learn_graph` need none of them.
_LATER = {
    "Agreement": "comparison",
    "Comparison": "comparison",
    "EdgeShares": "graph_stability",
    "Effect": "effect",
    "Effects": "effects",
    "Estimate": "estimates",
    "GraphStability": "graph_stability",
    "Shares": "stability",
    "Stability": "stability",
}


def __getattr__(name: str) -> object:
    if name == "networks":
        return importlib.import_module("elcs.networks")
    if name in _LATER:
        return getattr(importlib.import_module(f"elcs.answers.{_LATER[name]}"), name)
    raise AttributeError(f"module 'elcs' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
