"""Answers as pictures and pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from elcs.answers import showing

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from elcs.answers.blanket import MarkovBlanket
    from elcs.answers.comparison import Comparison
    from elcs.answers.effect import Effect
    from elcs.answers.effects import Effects
    from elcs.answers.graph import CausalGraph
    from elcs.answers.graph_stability import GraphStability
    from elcs.answers.stability import Stability

__all__: list[str] = []


class _Artist:
    """Draws answers; what it needs for that is imported when it is first asked."""

    def plot_local(self, result: MarkovBlanket, ax: Axes | None, stability: Stability | None) -> Axes:
        from elcs.drawing.plot import plot

        return plot(result, ax, shares=None if stability is None else stability.in_role(result))

    def plot_graph(self, graph: CausalGraph, ax: Axes | None, stability: GraphStability | None) -> Axes:
        from elcs.drawing.plot import check_installed, plot_drawing
        from elcs.drawing.whole import layout_graph

        check_installed()
        return plot_drawing(layout_graph(graph, shares=None if stability is None else stability.of(graph)), ax)

    def plot_comparison(self, comparison: Comparison, ax: Axes | None) -> Axes:
        from elcs.drawing.matrix import plot

        return plot(comparison, ax)

    def plot_effects(self, effects: Sequence[Effect], ax: Axes | None) -> Axes:
        from elcs.drawing.bars import plot

        return plot(effects, ax)

    def page(self, result: MarkovBlanket, stability: Stability | None, effects: Effects | None) -> str:
        from elcs.drawing.page import page

        return page(result, stability=stability, effects=effects)

    def graph_page(self, graph: CausalGraph, stability: GraphStability | None) -> str:
        from elcs.drawing.graph_page import graph_page

        return graph_page(graph, stability)

    def note_local(self, result: MarkovBlanket) -> str:
        from elcs.drawing.notes import note_local

        return note_local(result)

    def note_stability(self, stability: Stability) -> str:
        from elcs.drawing.notes import note_stability

        return note_stability(stability)

    def note_comparison(self, comparison: Comparison) -> str:
        from elcs.drawing.notes import note_comparison

        return note_comparison(comparison)

    def note_graph(self, graph: CausalGraph) -> str:
        from elcs.drawing.notes import note_graph

        return note_graph(graph)

    def note_graph_stability(self, stability: GraphStability) -> str:
        from elcs.drawing.notes import note_graph_stability

        return note_graph_stability(stability)


showing.introduce(_Artist())
