"""What a run took."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Cost"]


class Cost(NamedTuple):
    """What a run took.

    Attributes
    ----------
    n_tests, n_computed : int
        How many tests and scores were asked for, and how many had to be computed.
    seconds : float
        How long it took.
    complete : bool
        False if a limit or an interruption stopped it.
    """

    n_tests: int
    n_computed: int
    seconds: float
    complete: bool
