"""What several methods say about the same variable."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from elcs.answers import showing
from elcs.answers.background import Background, background_as_dict
from elcs.answers.roles import ROLES, Role

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from elcs.answers.blanket import MarkovBlanket

__all__ = ["Agreement", "Comparison"]


class Agreement(NamedTuple):
    """How far methods agree on one variable.

    Attributes
    ----------
    blanket : int
        How many methods have it in the Markov blanket.
    neighbour : int
        How many have it among the neighbours.
    same : int
        The size of the largest group of methods that give the same answer.
    """

    blanket: int
    neighbour: int
    same: int


@dataclass(frozen=True, repr=False)
class Comparison:
    """What several methods say about the surroundings of one variable; made by `elcs.compare`.

    Methods differ in what they report. A learner of neighbours says nothing about spouses; some learners of blankets
    list members without saying what they are; a neighbour may be left without direction.

    Attributes
    ----------
    target : str
        The variable.
    variables : tuple of str
        All other variables, in the order of the table.
    results : mapping of str to MarkovBlanket
        What each method found, with its evidence and its cost.
    """

    target: str
    variables: tuple[str, ...]
    results: Mapping[str, MarkovBlanket]

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods, in the order they were asked for."""
        return tuple(self.results)

    @cached_property
    def roles(self) -> dict[str, dict[str, Role]]:
        """For each variable, what it is according to each method; those that most methods find come first."""
        told = {method: result.roles for method, result in self.results.items()}
        roles: dict[str, dict[str, Role]] = {
            x: {method: known.get(x, "other") for method, known in told.items()} for x in self.variables
        }
        agreement = {x: _agreement(said) for x, said in roles.items()}
        ranked = sorted(roles, key=lambda x: (-agreement[x].blanket, -agreement[x].neighbour, -agreement[x].same))
        return {x: roles[x] for x in ranked}

    @property
    def agreement(self) -> dict[str, Agreement]:
        """For each variable, how many methods find it and how many say the same."""
        return {x: _agreement(said) for x, said in self.roles.items()}

    @property
    def found(self) -> dict[str, dict[str, Role]]:
        """The part of `roles` about variables that at least one method has in the Markov blanket."""
        return {x: said for x, said in self.roles.items() if set(said.values()) != {"other"}}

    @property
    def background(self) -> Background | None:
        """The table behind the answers, if there was one; of rows of tests, the least and the middle of the medians."""
        known = [result.background for result in self.results.values() if result.background is not None]
        if not known:
            return None
        rows = [background.test_rows for background in known if background.test_rows is not None]
        medians = sorted(median for _, median in rows)
        middle = (min(rows)[0], medians[(len(medians) - 1) // 2]) if rows else None
        return known[0]._replace(test_rows=middle)

    @property
    def title(self) -> str:
        """What is compared, in a few words."""
        told = f"{len(self.methods)} methods say" if len(self.methods) > 1 else f"{self.methods[0]} says"
        return f"{self.target}: what {told}"

    def __str__(self) -> str:
        rows = [("variable", *self.methods, "in blanket", "same")]
        n, found, agreement = len(self.methods), self.found, self.agreement
        for x, said in found.items():
            words = (ROLES[role].short for role in said.values())
            rows.append((x, *words, f"{agreement[x].blanket} of {n}", f"{agreement[x].same} of {n}"))
        costs = [
            ("tests or scores", *(f"{r.n_tests:,}" for r in self.results.values())),
            ("computed", *(f"{r.n_computed:,}" for r in self.results.values())),
            ("milliseconds", *(f"{r.seconds * 1e3:,.1f}" for r in self.results.values())),
        ]
        widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
        widths = [max(w, *(len(c[i]) for c in costs)) if i <= n else w for i, w in enumerate(widths)]

        def line(cells: tuple[str, ...]) -> str:
            return ("  " + "  ".join(f"{cell:<{w}}" for cell, w in zip(cells, widths, strict=False))).rstrip()

        lines = [self.title, *map(line, rows)]
        if len(found) < len(self.variables):
            lines.append(f"  {len(self.variables) - len(found)} others: in no blanket")
        if self.background is not None:
            lines += [f"  {told}" for told in self.background.say(*(r.settings for r in self.results.values()))]
        stopped = [method for method, result in self.results.items() if not result.complete]
        return "\n".join(
            [*lines, "", *map(line, costs), *([f"  stopped before the end: {', '.join(stopped)}"] if stopped else [])]
        )

    def __repr__(self) -> str:
        return f"Comparison(target={self.target!r}, methods={self.methods!r})"

    def _repr_html_(self) -> str:
        return showing.artist().note_comparison(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison in plain types; each result has a `to_dict` of its own for the evidence."""
        agreement = self.agreement
        return {
            "target": self.target,
            **background_as_dict(self.background, *(r.settings for r in self.results.values())),
            "methods": {
                method: {
                    "n_tests": result.n_tests,
                    "n_computed": result.n_computed,
                    "seconds": result.seconds,
                    "complete": result.complete,
                    "settings": dict(result.settings),
                }
                for method, result in self.results.items()
            },
            "variables": {x: {"roles": said, **agreement[x]._asdict()} for x, said in self.roles.items()},
        }

    def to_json(self, *, indent: int | None = 2) -> str:
        """Return `to_dict` as JSON."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw what each method says about each variable; needs matplotlib (``pip install "elcs[plot]"``).

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default in a new figure, as large as the picture needs.

        Returns
        -------
        matplotlib Axes
            The axes that were drawn on.

        Examples
        --------
        >>> import elcs
        >>> from matplotlib.figure import Figure
        >>> ax = elcs.compare(elcs.data.SAMPLE, "churn", ["elcs-exact", "iamb"]).plot(Figure().subplots())
        >>> [label.get_text() for label in ax.get_yticklabels()]
        ['contract', 'satisfaction', 'winback_offer']
        """
        return showing.artist().plot_comparison(self, ax)


def _agreement(said: Mapping[str, Role]) -> Agreement:
    counts = Counter(said.values())
    neighbour = counts["parent"] + counts["child"] + counts["undirected"]
    return Agreement(len(said) - counts["other"], neighbour, max(counts.values(), default=0))
