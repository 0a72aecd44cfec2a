"""Local scores: how well a variable is explained by a set of parents."""

from elcs.scores.base import Score
from elcs.scores.bdeu import BDeu
from elcs.scores.bic import BIC

__all__ = ["BIC", "SCORES", "BDeu", "Score"]

SCORES: dict[str, type[Score]] = {"bdeu": BDeu, "bic": BIC}
"""The scores by name."""
