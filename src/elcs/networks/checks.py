"""What makes a Bayesian network valid: names, levels, an acyclic graph, and tables of probabilities that fit it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elcs.errors import DataError, KnowledgeError, unknown_name

Table = NDArray[np.float64]

_TOLERANCE = 1e-6
_EXACT = 1e-12  # rows nearer to 1 than this stay as they are, so that writing and reading change no bit


def check_count(option: str, value: object, least: int) -> None:
    """Refuse an option that is not a whole number, or too small."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise DataError(f"{option}= takes a whole number of at least {least}, not {value!r}")


def check_variables(variables: Sequence[str]) -> None:
    """Refuse a network without variables, and names that are blank or occur twice."""
    if not variables:
        raise DataError("a network needs at least one variable")
    for name in variables:
        if not isinstance(name, str) or not name.strip():
            raise DataError(f"{name!r} cannot be the name of a variable; give each a text that is not blank")
    _refuse_repeated(variables, "the network", "variable")


def check_complete(described: Mapping[str, Any], variables: Collection[str], what: str) -> None:
    """Refuse a description that leaves out a variable, or names one that is not there."""
    for name in described:
        if name not in variables:
            raise unknown_name(name, variables, what="variable")
    for name in variables:
        if name not in described:
            raise DataError(f"variable {name!r} has no {what}")


def check_levels(name: str, levels: Sequence[str]) -> None:
    """Refuse a variable without levels, and levels that are not text or occur twice."""
    if not levels:
        raise DataError(f"variable {name!r} has no levels")
    for level in levels:
        if not isinstance(level, str):
            raise DataError(f"variable {name!r} has the level {level!r}; the levels of a network are text")
    _refuse_repeated(levels, f"variable {name!r}", "level")


def check_graph(parents: Mapping[str, Sequence[str]]) -> None:
    """Refuse parents that are not variables, parents named twice, and cycles."""
    for name, its in parents.items():
        for parent in its:
            if parent not in parents:
                raise KnowledgeError(f"variable {name!r}: {unknown_name(parent, parents, what='variable')}")
        twice = [parent for parent, count in Counter(its).items() if count > 1]
        if twice:
            raise KnowledgeError(f"variable {name!r} has the parent {twice[0]!r} more than once")
    cycle = find_cycle(parents)
    if cycle:
        raise KnowledgeError(f"the graph must be acyclic, but it has the cycle {' -> '.join(cycle)}")


def checked_table(name: str, table: object, shape: tuple[int, ...]) -> Table:
    """Return a table as a read-only array whose rows sum to 1; refuse what is not such a table."""
    try:
        array = np.array(table, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        raise DataError(f"the table of {name!r} does not hold only numbers") from None
    if array.shape != shape:
        raise DataError(
            f"the table of {name!r} has the shape {array.shape}; with an axis for each parent and, last, one for "
            f"{name!r} itself, it must be {shape}"
        )
    if not np.isfinite(array).all() or (array < 0).any():
        raise DataError(f"the table of {name!r} holds {_fault(array)}; probabilities are numbers from 0 to 1")
    sums = array.sum(axis=-1, keepdims=True)
    error = np.abs(sums - 1)
    if (error > _TOLERANCE).any():
        worst = np.unravel_index(error.argmax(), error.shape)
        raise DataError(
            f"the table of {name!r} has probabilities that sum to {sums[worst]:.9g} instead of 1, "
            f"at position {tuple(map(int, worst[:-1]))}"
        )
    inexact = error[..., 0] > _EXACT
    array[inexact] /= sums[inexact]
    array.setflags(write=False)
    return array


def topological_order(parents: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Return the variables so that parents come before children; those on a cycle, and what follows, are left out."""
    missing = {name: len(its) for name, its in parents.items()}
    children: dict[str, list[str]] = {name: [] for name in parents}
    for name, its in parents.items():
        for parent in its:
            children[parent].append(name)
    order = [name for name, count in missing.items() if not count]
    for name in order:  # grows on the way
        for child in children[name]:
            missing[child] -= 1
            if not missing[child]:
                order.append(child)
    return tuple(order)


def find_cycle(parents: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the variables of a cycle, the first repeated at the end; empty if there is none."""
    ordered = set(topological_order(parents))
    walk = next(([name] for name in parents if name not in ordered), [])
    while walk:  # each variable without a place has a parent without one, so going up must meet a variable again
        above = next(parent for parent in parents[walk[-1]] if parent not in ordered)
        walk.append(above)
        if above in walk[:-1]:
            return walk[walk.index(above) :][::-1]
    return []


def _refuse_repeated(names: Sequence[str], owner: str, what: str) -> None:
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise DataError(f"{owner} has the {what} {twice[0]!r} more than once")


def _fault(array: Table) -> str:
    wrong = array[~np.isfinite(array) | (array < 0)]
    return str(wrong[0])
