"""Cutting a column of numbers into bins that hold about the same number of rows."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elcs.data.levels import Factor, code_type
from elcs.data.times import TIMES, as_text


def into_bins(factor: Factor, n_bins: int, weights: NDArray[np.int64] | None) -> Factor:
    """Cut a column at its quantiles, counting each row as often as its weight says.

    Equal values stay together: they go to the bin in which the middle one of them lies. A bin that is left
    without a value is not made; two or more values always make two or more bins.
    """
    n_values = len(factor.levels)
    counts = np.bincount(factor.codes, weights, minlength=n_values)[:n_values]
    middles = np.cumsum(counts) - counts / 2
    opens_bin = np.diff(np.floor(n_bins * middles / counts.sum()), prepend=-1) > 0

    edges = [*(factor.levels[i] for i in np.flatnonzero(opens_bin)), factor.levels[-1]]
    labels = _interval_labels([as_text(e, factor.kind) for e in edges] if factor.kind in TIMES else _short_texts(edges))
    bins = np.append(np.cumsum(opens_bin) - 1, len(labels))  # missing stays missing
    codes = bins.astype(code_type(len(labels) + factor.has_missing))[factor.codes]
    return Factor(codes, labels, "binned", factor.has_missing)


def _interval_labels(edges: Sequence[str]) -> list[str]:
    """Write the bins as half-open intervals, the last one closed."""
    labels = [f"[{low}, {high})" for low, high in pairwise(edges)]
    return [*labels[:-1], labels[-1][:-1] + "]"]


def _short_texts(edges: Sequence[Any]) -> list[str]:
    """Write whole numbers in full, others with four digits or as many as it takes to keep the edges apart."""
    if all(isinstance(edge, int) for edge in edges):
        return list(map(str, edges))
    for digits in range(4, 17):
        texts = [f"{edge:.{digits}g}" for edge in edges]
        if len(set(texts)) == len(set(edges)):
            return texts
    return list(map(repr, edges))
