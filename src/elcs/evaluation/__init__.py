"""Evaluation: how good an answer is, given the truth."""

from elcs.evaluation.metrics import (
    BlanketScores,
    LocalScores,
    Neighbourhood,
    blanket_scores,
    ceiling,
    local_scores,
    neighbourhoods,
    true_blanket,
)

__all__ = [
    "BlanketScores",
    "LocalScores",
    "Neighbourhood",
    "blanket_scores",
    "ceiling",
    "local_scores",
    "neighbourhoods",
    "true_blanket",
]
