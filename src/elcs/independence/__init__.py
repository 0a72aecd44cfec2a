"""Conditional-independence questions: the only thing a learner may ask."""

from elcs.independence.base import CITest, TestResult
from elcs.independence.g2 import G2, Chi2
from elcs.independence.oracle import DSeparation

__all__ = ["G2", "TESTS", "CITest", "Chi2", "DSeparation", "TestResult"]

TESTS: dict[str, type[G2]] = {"g2": G2, "chi2": Chi2}
"""The tests on tables, by name."""
