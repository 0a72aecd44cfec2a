"""How answers reach the code that draws them.

Drawing is a layer above the answers: it knows them, and they do not know it. It introduces itself here when the package
is imported, so that an answer can plot itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from elcs.errors import ElcsError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from elcs.answers.blanket import MarkovBlanket
    from elcs.answers.comparison import Comparison
    from elcs.answers.effect import Effect
    from elcs.answers.effects import Effects
    from elcs.answers.graph import CausalGraph
    from elcs.answers.graph_stability import GraphStability
    from elcs.answers.stability import Stability

__all__ = ["Artist", "artist", "introduce"]


class Artist(Protocol):
    """Draws answers."""

    def plot_local(self, result: MarkovBlanket, ax: Axes | None, stability: Stability | None) -> Axes:
        """Draw the surroundings of a variable."""

    def plot_graph(self, graph: CausalGraph, ax: Axes | None, stability: GraphStability | None) -> Axes:
        """Draw a whole graph."""

    def plot_comparison(self, comparison: Comparison, ax: Axes | None) -> Axes:
        """Draw what several methods say."""

    def plot_effects(self, effects: Sequence[Effect], ax: Axes | None) -> Axes:
        """Draw what setting some columns would do."""

    def page(self, result: MarkovBlanket, stability: Stability | None, effects: Effects | None) -> str:
        """Write the page of a result."""

    def graph_page(self, graph: CausalGraph, stability: GraphStability | None) -> str:
        """Write the page of a whole graph."""

    def note_local(self, result: MarkovBlanket) -> str:
        """Write a result for a notebook."""

    def note_stability(self, stability: Stability) -> str:
        """Write how often findings come back, for a notebook."""

    def note_comparison(self, comparison: Comparison) -> str:
        """Write what several methods say, for a notebook."""

    def note_graph(self, graph: CausalGraph) -> str:
        """Write a whole graph for a notebook."""

    def note_graph_stability(self, stability: GraphStability) -> str:
        """Write how often edges come back, for a notebook."""


_artists: list[Artist] = []


def introduce(artist: Artist) -> None:
    """Let this artist draw answers."""
    _artists[:] = [artist]


def artist() -> Artist:
    """Return the artist that draws answers."""
    if not _artists:
        raise ElcsError("the code that draws has not been loaded; import elcs first")
    return _artists[0]
