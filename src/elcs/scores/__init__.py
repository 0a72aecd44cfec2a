"""Local scores: how well a variable is explained by a set of parents."""

from elcs.scores.arrangement import Arrangement
from elcs.scores.base import CountedScore
from elcs.scores.bdeu import BDeu
from elcs.scores.bic import BIC
from elcs.scores.blocks import Blocks
from elcs.scores.score import Score

__all__ = ["BIC", "SCORES", "Arrangement", "BDeu", "Blocks", "CountedScore", "Score"]

SCORES: dict[str, type[BDeu | BIC | Blocks]] = {"bdeu": BDeu, "bic": BIC, "blocks": Blocks}
"""The scores by name."""
