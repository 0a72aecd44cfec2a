"""Learners that are imported when they are first used: most questions are asked of one of forty."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cached_property, partial
from importlib import import_module
from typing import Any

__all__ = ["Later"]


class Later:
    """A learner by where it is defined, with some of its options; to be called like the learner itself.

    Parameters
    ----------
    where : str
        The module in this folder, and after a colon the function, if that is not named like the module.
    **options
        The options.

    Examples
    --------
    >>> learn = Later("blankets.emb", ranked=True)
    >>> list(inspect.signature(learn).parameters)[:2]
    ['ci', 'notes']
    """

    def __init__(self, where: str, **options: Any) -> None:
        self._where = where
        self._options = options

    def __call__(self, *given: Any, **keywords: Any) -> None:
        """Import the learner, and let it learn."""
        self._learn(*given, **keywords)

    @property
    def __signature__(self) -> inspect.Signature:
        return inspect.signature(self._learn)

    @cached_property
    def _learn(self) -> Callable[..., None]:
        module, _, name = self._where.partition(":")
        name = name or module.rpartition(".")[2]
        return partial(getattr(import_module(f"elcs.learners.{module}"), name), **self._options)
