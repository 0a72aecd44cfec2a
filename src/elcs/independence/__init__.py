"""Conditional-independence questions: the only thing a learner may ask."""

from elcs.independence.base import CITest, TestResult
from elcs.independence.g2 import G2, Chi2
from elcs.independence.oracle import DSeparation

__all__ = ["G2", "CITest", "Chi2", "DSeparation", "TestResult"]
