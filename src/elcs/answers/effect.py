"""What setting one column would do to another: all that the graph leaves possible, with intervals."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

from elcs.answers import showing
from elcs.answers.effect_words import Say, table_of
from elcs.answers.estimates import Estimate, Interval, Intervals, plain
from elcs.errors import ElcsError, unknown_name
from elcs.study import Plan

if TYPE_CHECKING:
    import networkx as nx
    from matplotlib.axes import Axes

__all__ = ["Effect", "Relearnt"]


@dataclass(frozen=True)
class Relearnt:
    """What half-samples say, with the graph learnt anew from each.

    Attributes
    ----------
    n_samples : int
        The number of half-samples.
    intervals : mapping of mappings
        For each level of the cause and of the effect: 95 % of the half-samples lie within, each with all that its own
        graph leaves possible, and so does the interval with the graph held fixed.
    identified : float
        The share of the half-samples in which one effect is possible.
    no_effect : float
        The share of the half-samples in which the graph says that there is none.
    """

    n_samples: int
    intervals: Intervals
    identified: float
    no_effect: float

    def to_dict(self) -> dict[str, Any]:
        """Return everything in plain types."""
        return {**vars(self), "intervals": plain(self.intervals)}


@dataclass(frozen=True, repr=False)
class Effect:
    """What setting one column would do to another.

    Attributes
    ----------
    cause, effect, method : str
        What was asked, and which method found the graph.
    possible : tuple of Estimate
        Everything that the graph leaves possible. More than one if edges at the cause have no direction and that
        matters.
    today : mapping
        The share of each level of the effect as it is, or its mean.
    relearnt : Relearnt or None
        What half-samples say with the graph learnt anew, if they were asked.
    complete : bool
        False if a limit or an interruption stopped the run.
    kind, cause_kind : str
        What the effect and the cause are taken for, if that is a time: "date", for one. Means and values count days
        then, or whatever the table counts such columns in.
    plan : Plan or None
        What was asked, so that it can be asked again.

    Examples
    --------
    >>> import elcs
    >>> found = elcs.effect(elcs.data.SAMPLE, "price_rise", "satisfaction")
    >>> found.identified, found.possible[0].adjusted_for
    (True, ('outages',))
    >>> print(found.say("no", "high"))
    If price_rise were no, the share ... would rise from 42% to 53% (51% to 55%); adjusted for outages.
    """

    cause: str
    effect: str
    method: str
    possible: tuple[Estimate, ...]
    today: Mapping[object, float]
    relearnt: Relearnt | None = None
    complete: bool = True
    kind: str = ""
    cause_kind: str = ""
    plan: Plan | None = field(default=None, compare=False)

    @property
    def identified(self) -> bool:
        """Whether only one effect is possible, or none at all."""
        return self.no_effect or (len(self.possible) == 1 and self.possible[0].kind != "unknown")

    @property
    def no_effect(self) -> bool:
        """Whether there is no effect, as far as the arrows and the tests say."""
        return not any(one.has_effect for one in self.possible)

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """Those of the possible effects that could be estimated."""
        return tuple(one for one in self.possible if not one.problem)

    @property
    def points(self) -> tuple[object, ...]:
        """The levels of the cause, or some quantiles of a numeric one."""
        return tuple(dict.fromkeys(point for one in self.estimates for point in one.outcomes))

    @cached_property
    def range(self) -> Intervals:
        """For each outcome the least and the greatest estimate; equal if the effect is identified."""
        return self._over(lambda one, x, y: (one.outcomes[x][y], one.outcomes[x][y]))

    @cached_property
    def intervals(self) -> Intervals:
        """For each outcome, from the lower end of the lowest 95 % interval to the upper end of the highest."""
        return self._over(lambda one, x, y: one.intervals[x][y])

    def _over(self, ends: Callable[[Estimate, object, object], Interval]) -> Intervals:
        found: dict[object, dict[object, Interval]] = {}
        for x in self.points:
            have = [one for one in self.estimates if x in one.outcomes]
            pairs = {y: [ends(one, x, y) for one in have] for y in self.today}
            found[x] = {y: (min(low for low, _ in all_), max(high for _, high in all_)) for y, all_ in pairs.items()}
        return found

    @property
    def shown(self) -> bool:
        """Whether the table shows an effect: whatever is possible, some outcome differs from today beyond chance."""
        return bool(self.estimates) and all(
            any(low > 0 or high < 0 for row in one.differences.values() for _, low, high in row.values())
            for one in self.estimates
        )

    def say(self, point: object, level: object | None = None) -> str:
        """Say in a sentence what would be if the cause were set; `level` is the one of the effect to speak of.

        By default, that of the mean, or of the level that would change most.
        """
        if point not in self.points:
            raise unknown_name(point, map(str, self.points), what="level", of=self.cause)
        if level is None:
            level = self.most_changed
        if level not in self.today:
            raise unknown_name(level, map(str, self.today), what="level", of=self.effect)
        return Say(self).sentence(point, level)

    @property
    def most_changed(self) -> object:
        """The level of the effect whose share would change most; of several, the last."""

        def change(y: object) -> float:
            return max((abs(end - self.today[y]) for row in self.range.values() for end in row[y]), default=0.0)

        return max(reversed(self.today), key=lambda y: round(change(y), 9))

    def notes(self) -> Iterator[str]:
        """Say what the numbers rest on, and what may be wrong with them."""
        return Say(self).notes()

    def __str__(self) -> str:
        return table_of(self)

    def __repr__(self) -> str:
        told = "identified" if self.identified else f"{len(self.possible)} possible"
        return f"Effect({self.cause!r} on {self.effect!r}, {told})"

    def to_dict(self) -> dict[str, Any]:
        """Return everything in plain types."""
        return {
            "cause": self.cause,
            "effect": self.effect,
            "method": self.method,
            "identified": self.identified,
            "no_effect": self.no_effect,
            "today": {str(level): value for level, value in self.today.items()},
            "range": plain(self.range),
            "intervals": plain(self.intervals),
            "possible": [one.to_dict() for one in self.possible],
            "relearnt": None if self.relearnt is None else self.relearnt.to_dict(),
            "complete": self.complete,
            "notes": list(self.notes()),
        }

    def to_json(self, *, indent: int | None = 2) -> str:
        """Return `to_dict` as JSON."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False)

    def to_dowhy(self, which: int = 0) -> dict[str, Any]:
        """Return what `dowhy.CausalModel` takes besides the data: treatment, outcome, and a directed graph.

        The graph has just what this estimate rests on: what is held fixed influences the cause and the effect, and the
        cause the effect. So DoWhy adjusts for the same columns.

        Parameters
        ----------
        which : int
            Which of the possible effects.

        Examples
        --------
        >>> import elcs
        >>> found = elcs.effect(elcs.data.SAMPLE, "satisfaction", "churn")
        >>> sorted(found.to_dowhy()["graph"].edges)
        [('contract', 'churn'), ('contract', 'satisfaction'), ('satisfaction', 'churn')]
        """
        return {"treatment": self.cause, "outcome": self.effect, "graph": self._graph(self._one(which))}

    def to_pgmpy(self, which: int = 0) -> dict[str, Any]:
        """Return what `pgmpy.base.DAG` and pgmpy's networks take: a directed graph, and the roles of its variables.

        The graph is that of `to_dowhy`. A `DiscreteBayesianNetwork` of it that is fitted to the table answers
        ``CausalInference(model).query([effect], do={cause: level}, adjustment_set=model.get_role("adjustment"))`` as
        this estimate does, where all strata are filled.

        Parameters
        ----------
        which : int
            Which of the possible effects.

        Examples
        --------
        >>> import elcs
        >>> elcs.effect(elcs.data.SAMPLE, "satisfaction", "churn").to_pgmpy()["roles"]
        {'exposures': ('satisfaction',), 'outcomes': ('churn',), 'adjustment': ('contract',)}
        """
        one = self._one(which)
        roles = {"exposures": (self.cause,), "outcomes": (self.effect,), "adjustment": one.adjusted_for}
        return {"ebunch": self._graph(one), "roles": roles}

    def _one(self, which: int) -> Estimate:
        if not -len(self.possible) <= which < len(self.possible):
            raise ElcsError(f"there are {len(self.possible)} possible effects, so there is none of number {which}")
        return self.possible[which]

    def _graph(self, one: Estimate) -> nx.DiGraph[str]:
        """Return a graph in which this set is what to hold fixed, and all may depend on each other."""
        import networkx as nx

        graph: nx.DiGraph[str] = nx.DiGraph()
        graph.add_nodes_from((self.cause, self.effect))
        if one.has_effect:
            graph.add_edge(self.cause, self.effect)
        graph.add_edges_from((z, y) for z in one.adjusted_for for y in (self.cause, self.effect))
        graph.add_edges_from(combinations(one.adjusted_for, 2))
        return graph

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw bars from today's share to the share at each level of the cause, with 95 % intervals.

        Needs matplotlib (``pip install "elcs[plot]"``).
        """
        return showing.artist().plot_effects((self,), ax)
