"""How much better one arrangement of the variables is than another, in words."""

from __future__ import annotations

import math

from elcs.learners.steps.arrange import BETTER
from elcs.learners.steps.decide import LEAST_MARGIN

__all__ = ["say_decided", "say_edge", "say_factor", "say_leaning", "say_worse"]

A_MILLION = math.log(1e6)
HARDLY = math.log(1.05)
"""Below this a factor is 1, if written with two digits."""


def say_factor(margin: float) -> str:
    """Say how many times less likely the data are, given the difference of two scores in nats.

    Examples
    --------
    >>> say_factor(0.7), say_factor(4.2), say_factor(80.0)
    ('a factor of 2', 'a factor of 60', 'a factor of a million or more')
    """
    if margin > A_MILLION:
        return "a factor of a million or more"
    times = math.exp(margin)
    if times < 10:
        return f"a factor of {times:.2g}"
    unit = 10 ** math.floor(math.log10(times))
    return f"a factor of {math.floor(times / unit) * unit:,}"


def say_worse(margin: float) -> str:
    """Say how much worse an arrangement fits, given the difference of two scores in nats.

    Examples
    --------
    >>> say_worse(0.02), say_worse(0.7)
    ('almost as well', 'worse by a factor of 2')
    """
    return "almost as well" if margin < HARDLY else f"worse by {say_factor(margin)}"


def say_edge(margin: float | None) -> str:
    """Say how much worse the best arrangement without an edge is; nothing if that is not known."""
    if margin is None:
        return ""
    if margin < BETTER:
        return "An arrangement without this edge fits as well."
    return f"The best arrangement we found without this edge fits {say_worse(margin)}."


def say_decided(margin: float) -> str:
    """Say what a decided direction rests on."""
    return (
        f"This is decided: every arrangement we found without this arrow fits worse, by {say_factor(margin)}. On "
        "networks whose truth is known, about 9 of 10 such directions were right."
    )


def say_leaning(cause: str, effect: str, margin: float | None, against: str) -> str:
    """Say which way an edge leans, and what keeps that from being decided: too small a margin, or what is `against`."""
    told = f"The data lean to {cause} -> {effect} but do not decide it"
    if margin is None:
        return f"{told}: the run was stopped before the alternatives were weighed."
    if margin < LEAST_MARGIN:
        return f"{told}: the best arrangement we found without this arrow fits {say_worse(margin)}."
    return f"{told}: every arrangement we found without this arrow fits worse, by {say_factor(margin)}, but {against}."
