"""Answers as pictures and pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from elcs.answers import showing

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from elcs.answers.comparison import Comparison
    from elcs.answers.effect import Effect
    from elcs.answers.effects import Effects
    from elcs.answers.local import MarkovBlanket
    from elcs.answers.stability import Stability

__all__: list[str] = []


class _Artist:
    """Draws answers; what it needs for that is imported when it is first asked."""

    def plot_local(self, result: MarkovBlanket, ax: Axes | None, stability: Stability | None) -> Axes:
        from elcs.drawing.plot import plot

        return plot(result, ax, labels=None if stability is None else stability.labels(result))

    def plot_comparison(self, comparison: Comparison, ax: Axes | None) -> Axes:
        from elcs.drawing.matrix import plot

        return plot(comparison, ax)

    def plot_effects(self, effects: Sequence[Effect], ax: Axes | None) -> Axes:
        from elcs.drawing.bars import plot

        return plot(effects, ax)

    def page(self, result: MarkovBlanket, stability: Stability | None, effects: Effects | None) -> str:
        from elcs.drawing.page import page

        return page(result, stability=stability, effects=effects)


showing.introduce(_Artist())
