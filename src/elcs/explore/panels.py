"""The pictures of a page to walk through: those of every page, in which boxes lead on and edges can be spoken about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from elcs.answers.blanket import MarkovBlanket
from elcs.answers.graph import CausalGraph
from elcs.answers.stability import Stability
from elcs.drawing.fragments import listed, named
from elcs.drawing.graph_page import MOST_EXPLAINED, GraphPanel
from elcs.drawing.panel import Panel
from elcs.drawing.picture import Box, Link
from elcs.drawing.svg import Told
from elcs.explore.state import Place, State

__all__ = ["WalkedMap", "WalkedPanel"]

Saying = tuple[str, str, str]
"""A word for what can be said, and the two columns that it is said about."""

_WORDS = {
    "forbid": "{} cannot cause {}",
    "require": "{} causes {}",
    "before": "{} comes before {}",
}


class WalkedPanel(Panel):
    """The picture and the evidence of one column, from which others can be reached.

    Parameters
    ----------
    result, stability, prefix
        As for `Panel`.
    state : State
        What is seen; it says how much is drawn.
    place : {"target", "beside"}
        Which of the two columns of the state this is, and so which of them changes with a step.
    """

    def __init__(
        self, result: MarkovBlanket, stability: Stability | None, state: State, place: Place, *, prefix: str = ""
    ) -> None:
        super().__init__(result, stability, prefix=prefix, blanket=state.blanket)
        self._state, self._place = state, place

    def told(self, drawn: Box | Link) -> Told:
        """Return what a box or a line says about itself; a box leads to its column."""
        told = super().told(drawn)
        if isinstance(drawn, Link) or drawn.hides:
            return told
        if drawn.name == self.result.target:
            return told._replace(variable=drawn.name)
        return told._replace(href=self._state.at(drawn.name, self._place).address, variable=drawn.name)

    def invites(self, name: str) -> str:
        """Lead to a variable, and offer what can be said about it; at the target, list what is not in the blanket."""
        if name == self.result.target:
            others = [x for x in self.ids if self.drawn(x) == "other"] if len(self.ids) <= MOST_EXPLAINED else []
            told = f"<summary>{len(others)} not in the blanket</summary><p>{self.linked(others)}</p>"
            return f"<details>{told}</details>" if others else ""
        leads = (
            f'<p class="leads"><a href="{escape(self._state.at(name, self._place).address)}">Make it the target</a></p>'
        )
        return leads + _offered(self._state, self._sayings(name))

    def articles(self) -> str:
        """Write all articles; of a large table, only those of what is drawn."""
        if len(self.ids) <= MOST_EXPLAINED:
            return super().articles()
        drawn = [self.article(x) for x in self.result.markov_blanket]
        return "\n".join([self.overview(), *drawn, *map(self.group, self.groups)])

    def _sayings(self, name: str) -> Iterator[Saying]:
        """Yield what can be said about a variable and the target, or the effect they share."""
        role, target = self.drawn(name), self.result.target
        yield from (("forbid", name, y) for y, names in self.result.spouses.items() if name in names)
        if role in ("parent", "undirected"):
            yield "forbid", name, target
        if role in ("child", "undirected"):
            yield "forbid", target, name
        if role == "undirected":
            yield from (("require", name, target), ("require", target, name))
        if role in ("parent", "child", "undirected"):
            yield from (("before", name, target), ("before", target, name))


class WalkedMap(GraphPanel):
    """The picture and the evidence of the whole graph, from which every column can be reached."""

    def __init__(self, graph: CausalGraph, state: State) -> None:
        super().__init__(graph)
        self._state = state

    def told(self, drawn: Box | Link) -> Told:
        """Return what a box or a line says about itself; a box leads to its column."""
        told = super().told(drawn)
        if isinstance(drawn, Link):
            return told
        return told._replace(href=self._state.at(drawn.name).address, variable=drawn.name)

    def invites(self, a: str, b: str) -> str:
        """Offer what can be said about an edge."""
        ways = [(a, b)] if (a, b) in self.graph.directed else [(a, b), (b, a)]
        return _offered(self._state, (("forbid", *way) for way in ways))


def _offered(state: State, sayings: Iterable[Saying]) -> str:
    """Write what can be said as links to where it leads; what is known already is left out."""
    known = state.plan.known
    said = {"before": known.comes_before, "require": known.requires, "forbid": known.forbids}
    links = (
        f'<a href="{escape(state.saying(word, a, b))}">{_WORDS[word].format(named(a), named(b))}</a>'
        for word, a, b in sayings
        if not said[word](a, b)
    )
    return listed("says", links)
