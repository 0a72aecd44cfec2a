"""Exact marginal distributions, by variable elimination.

The variables that are not asked for are summed out one by one, the cheapest next. The cost grows exponentially
with the number of variables that meet in one table on the way: small for the usual benchmark networks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from elcs.errors import DataError

__all__ = ["marginal"]

_MOST_CELLS = 2**24


class _Factor(NamedTuple):
    """A function of some variables: an axis for each."""

    scope: tuple[str, ...]
    values: NDArray[np.float64]


def marginal(
    parents: Mapping[str, Sequence[str]], tables: Mapping[str, NDArray[np.float64]], asked: Sequence[str]
) -> NDArray[np.float64]:
    """Return the joint distribution of the variables asked for, an axis for each in their order."""
    if len(set(asked)) < len(asked):
        raise DataError(f"a variable is asked for more than once: {', '.join(map(repr, asked))}")
    ancestral = _with_ancestors(asked, parents)
    relevant = [name for name in parents if name in ancestral]  # in a fixed order, unlike a set
    sizes = {name: tables[name].shape[-1] for name in relevant}
    factors = [_Factor((*parents[name], name), tables[name]) for name in relevant]
    cost = {name: _cells(name, factors, sizes) for name in relevant if name not in asked}
    while cost:
        name = min(cost, key=cost.__getitem__)
        del cost[name]
        meeting = [factor for factor in factors if name in factor.scope]
        factors = [factor for factor in factors if name not in factor.scope]
        factors.append(_product(meeting, sizes, without=name))
        cost.update((v, _cells(v, factors, sizes)) for v in factors[-1].scope if v in cost)
    joint = _product(factors, sizes)
    return joint.values.transpose([joint.scope.index(name) for name in asked])


def _with_ancestors(names: Sequence[str], parents: Mapping[str, Sequence[str]]) -> set[str]:
    found, ahead = set(names), list(names)
    while ahead:
        for parent in parents[ahead.pop()]:
            if parent not in found:
                found.add(parent)
                ahead.append(parent)
    return found


def _cells(name: str, factors: Sequence[_Factor], sizes: Mapping[str, int]) -> int:
    """Return the size of the table in which the factors of a variable meet."""
    return prod(sizes[v] for v in {v for factor in factors if name in factor.scope for v in factor.scope})


def _product(factors: Sequence[_Factor], sizes: Mapping[str, int], without: str | None = None) -> _Factor:
    """Multiply factors, smallest first, and sum one variable out of the product."""
    together = {v for factor in factors for v in factor.scope}
    if prod(sizes[v] for v in together) > _MOST_CELLS:
        raise DataError(f"exact inference needs a table of {len(together)} variables, which is too large")
    scope: tuple[str, ...] = ()
    values = np.ones(())
    for factor in sorted(factors, key=lambda f: (f.values.size, f.scope)):
        union = tuple(dict.fromkeys((*scope, *factor.scope)))
        values = _aligned(scope, values, union) * _aligned(factor.scope, factor.values, union)
        scope = union
    if without is None:
        return _Factor(scope, values)
    axis = scope.index(without)
    return _Factor(scope[:axis] + scope[axis + 1 :], values.sum(axis=axis))


def _aligned(scope: tuple[str, ...], values: NDArray[np.float64], union: tuple[str, ...]) -> NDArray[np.float64]:
    """Put the axes in the order of the union, with an axis of length 1 for each variable that is absent."""
    present = [scope.index(v) for v in union if v in scope]
    shape = [values.shape[scope.index(v)] if v in scope else 1 for v in union]
    return values.transpose(present).reshape(shape)
