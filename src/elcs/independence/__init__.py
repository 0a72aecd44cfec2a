"""Conditional-independence questions: the only thing a learner may ask."""

from elcs.independence.base import CITest, TestResult
from elcs.independence.g2 import G2, Chi2
from elcs.independence.gram import Careful, DegenerateGaussian, FisherZ, Mixed
from elcs.independence.oracle import DSeparation

__all__ = [
    "G2",
    "TESTS",
    "CITest",
    "Careful",
    "Chi2",
    "DSeparation",
    "DegenerateGaussian",
    "FisherZ",
    "Mixed",
    "TestResult",
]

TESTS: dict[str, type[G2 | FisherZ | Mixed | DegenerateGaussian]] = {
    "g2": G2,
    "chi2": Chi2,
    "careful": Careful,
    "mixed": Mixed,
    "fisher-z": FisherZ,
    "dg": DegenerateGaussian,
}
"""The tests on tables, by name."""
