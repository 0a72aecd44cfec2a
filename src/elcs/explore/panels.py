"""The pictures of a page to walk through: those of every page, in which boxes lead on and edges can be spoken about."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from elcs.answers.graph import CausalGraph
from elcs.answers.local import MarkovBlanket
from elcs.answers.stability import Stability
from elcs.drawing.fragments import listed, named
from elcs.drawing.graph_page import MOST_EXPLAINED, GraphPanel
from elcs.drawing.panel import Panel
from elcs.drawing.picture import Box, Link
from elcs.drawing.svg import Told
from elcs.explore.state import Place, State

__all__ = ["WalkedMap", "WalkedPanel"]

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

    def article(self, name: str) -> str:
        """Write what is known about a variable, where it leads, and what can be said about it."""
        leads = f'<a href="{escape(self._state.at(name, self._place).address)}">Make it the target</a>'
        said = [f'<a href="{escape(address)}">{words}</a>' for words, address in self._sayings(name)]
        told = f'<p class="leads">{leads}</p>' + (f"<p>If you know better:</p>{listed('says', said)}" if said else "")
        return super().article(name).replace("</article>", f"{told}</article>")

    def articles(self) -> str:
        """Write all articles; of a large table, only those of what is drawn."""
        if len(self.ids) <= MOST_EXPLAINED:
            return super().articles()
        drawn = [self.article(x) for x in self.result.markov_blanket]
        return "\n".join([self.overview(), *drawn, *map(self.group, self.groups)])

    def overview(self) -> str:
        """Write the answer in a list; of a small table, also what is not in it."""
        others = [x for x in self.ids if self.drawn(x) == "other"]
        if not others or len(self.ids) > MOST_EXPLAINED:
            return super().overview()
        told = f"<details><summary>{len(others)} not in the blanket</summary><p>{self.linked(others)}</p></details>"
        return super().overview().replace("</article>", f"{told}</article>")

    def _sayings(self, name: str) -> Iterator[tuple[str, str]]:
        """Yield what can be said about a variable and the target, or the effect they share, and where that leads."""
        role, target = self.drawn(name), self.result.target
        shared = [y for y, names in self.result.spouses.items() if name in names]
        pairs = [("forbid", name, y) for y in shared]
        if role in ("parent", "undirected"):
            pairs.append(("forbid", name, target))
        if role in ("child", "undirected"):
            pairs.append(("forbid", target, name))
        if role == "undirected":
            pairs += [("require", name, target), ("require", target, name)]
        if role in ("parent", "child", "undirected"):
            pairs += [("before", name, target), ("before", target, name)]
        known = self._state.plan.known
        for word, a, b in pairs:
            if not (word == "before" and known.comes_before(a, b)) and not (word == "require" and known.requires(a, b)):
                yield _WORDS[word].format(named(a), named(b)), self._state.saying(word, a, b)


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

    def edge(self, a: str, b: str) -> str:
        """Write the evidence for an edge, and what can be said about it."""
        said = [("forbid", a, b)]
        if (a, b) not in self.graph.directed:
            said.append(("forbid", b, a))
        links = (
            f'<a href="{escape(self._state.saying(word, x, y))}">{_WORDS[word].format(named(x), named(y))}</a>'
            for word, x, y in said
        )
        told = f"<p>If you know better:</p>{listed('says', links)}"
        return super().edge(a, b).replace("</article>", f"{told}</article>")
