"""What one column would be if another were set: numbers, for an adjustment set that is given."""

from elcs.estimation.fit import MEAN, Fit, estimate, points_of, unchanged

__all__ = ["MEAN", "Fit", "estimate", "points_of", "unchanged"]
