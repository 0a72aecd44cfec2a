"""A learner, and what there is to say about it."""

from __future__ import annotations

import importlib.util
import inspect
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

__all__ = ["Kind", "Method"]

Kind = Literal["pc", "blanket", "local", "whole"]
Asks = Literal["tests", "scores", "tests and scores", "numbers"]


@dataclass(frozen=True)
class Method:
    """A learner, and what there is to say about it.

    Attributes
    ----------
    name : str
        What users call it.
    kind : {"pc", "blanket", "local", "whole"}
        Whether it finds parents and children, a Markov blanket, a local causal structure, or the whole graph; "global"
        is read as "whole".
    learn : callable
        ``learn(asked, notes, *, max_cond_size)`` fills in the notes: a `Blanket`, a `Local` for a local learner, or a
        `Whole` for a learner of whole graphs. Its other keywords are the options of the method.
    summary : str
        What it is, in a line.
    citation : str
        Where it was published.
    asks : {"tests", "scores", "tests and scores", "numbers"}
        What it is given to ask: a `CITest`; a `Score`; a `CITest` and, as its keyword ``score``, a `Score`; or
        `Numbers`.
    needs : str
        The other package that it needs, if any, by the name it is imported under.
    obeys : bool
        Whether it obeys what is known beforehand (`Knowledge`, in the notes); if not, knowledge is refused.
    whole : callable, optional
        Of a local learner that has a form for whole graphs too, that form; it may have options of its own.
    ess : float
        The prior of `BDeu`, in rows, if the method is given that score by name or by default.
    """

    name: str
    kind: Kind
    learn: Callable[..., None]
    summary: str
    citation: str = ""
    asks: Asks = "tests"
    needs: str = ""
    obeys: bool = True
    whole: Callable[..., None] | None = None
    ess: float = 1.0

    def __post_init__(self) -> None:
        if self.kind == "global":  # type: ignore[comparison-overlap]  # its former name
            object.__setattr__(self, "kind", "whole")

    @cached_property
    def keywords(self) -> tuple[str, ...]:
        """All keywords of the learner."""
        return _keywords(self.learn)

    def for_whole(self) -> Method:
        """Return the form of the method that learns whole graphs."""
        return self if self.whole is None else replace(self, kind="whole", learn=self.whole, whole=None)

    def is_of(self, kinds: Collection[Kind]) -> bool:
        """Tell whether it is of one of these kinds, or has a form that is."""
        return self.kind in kinds or (self.whole is not None and "whole" in kinds)

    @cached_property
    def options(self) -> tuple[str, ...]:
        """The keywords of the learner, in either of its forms, that are options of the method."""
        both = dict.fromkeys((*self.keywords, *(() if self.whole is None else _keywords(self.whole))))
        return tuple(name for name in both if name not in ("max_cond_size", "score", "depth"))

    def uses(self, what: Literal["tests", "scores"]) -> bool:
        """Tell whether it asks for tests, or for scores."""
        return what in self.asks  # as a part of the words

    @cached_property
    def without_effect(self) -> frozenset[str]:
        """The fields of a plan about tests, scores, sets and knowledge that have no effect on it."""
        idle = [] if self.uses("tests") else ["alpha", "ci_test"]
        idle += [] if self.uses("scores") else ["score"]
        idle += [] if self.obeys else ["knowledge"]
        idle += [] if self.kind == "whole" or "depth" in self.keywords else ["depth"]
        return frozenset(idle + ([] if "max_cond_size" in self.keywords else ["max_cond_size"]))

    @property
    def installed(self) -> bool:
        """Whether what it needs is installed."""
        try:
            return not self.needs or importlib.util.find_spec(self.needs) is not None
        except ValueError:  # its import has been blocked
            return False


def _keywords(learn: Callable[..., None]) -> tuple[str, ...]:
    return tuple(name for name, p in inspect.signature(learn).parameters.items() if p.kind is p.KEYWORD_ONLY)
