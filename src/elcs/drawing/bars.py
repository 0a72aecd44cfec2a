"""What setting a column would do, as bars: from what is today to what would be, with intervals.

Each effect has a heading, a mark at what is today, and a row for each level of the cause. Labels stand to the left of
the bars and numbers to the right, so that nothing is written over a bar. Shares have one scale, from none to all; means
have one that holds all intervals.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from elcs.answers.effect_words import HIDDEN, Say
from elcs.drawing.picture import FONT, LINE_HEIGHT, SMALL, Drawing, Mark, Words
from elcs.drawing.plot import check_installed, plot_drawing, width_of
from elcs.drawing.shapes import chain, outline, straight
from elcs.drawing.style import INK, QUIET
from elcs.drawing.text import text_width, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from elcs.answers.effect import Effect

__all__ = ["bars", "plot"]

RISE, FALL, OPEN = "#0072b2", "#d55e00", "#cfd6dd"
"""The colours are those of Okabe and Ito, which colour-blind people can tell apart."""

_WIDE = 640.0
_MARGIN = 12.0
_ROW = 24.0
_BAR = 12.0
_LEAST_BARS = 90.0
_MOST_LABEL = 0.34


def bars(effects: Sequence[Effect], *, width: float = _WIDE) -> Drawing:
    """Lay out a picture of some effects."""
    return _Layout(effects, width).drawing()


def plot(effects: Sequence[Effect], ax: Axes | None = None) -> Axes:
    """Draw effects into axes, or into a new figure as large as the picture needs; see `Effects.plot`."""
    check_installed()
    return plot_drawing(bars(effects, width=_WIDE if ax is None else max(width_of(ax), 336.0)), ax)


class _Layout:
    """The rows of a picture, one below the other."""

    def __init__(self, effects: Sequence[Effect], width: float) -> None:
        self.effects, self.width = effects, width
        self.levels = _levels(effects)
        self.marks: list[Mark] = []
        self.words: list[Words] = []
        self.y = _MARGIN
        names = [Say(effect).point(x) for effect in effects for x in effect.points]
        told = [Say(e).outcome(x, self.levels[e.effect]) for e in effects for x in e.points]
        label = max([text_width(name, SMALL) for name in names] + [40.0])
        self.label = min(label, _MOST_LABEL * width)
        self.number = max([text_width(text, SMALL) for text in told] + [40.0])
        self.left = _MARGIN + self.label + 10
        self.right = max(width - _MARGIN - self.number - 10, self.left + _LEAST_BARS)
        self.width = self.right + 10 + self.number + _MARGIN

    def drawing(self) -> Drawing:
        """Return the picture."""
        for effect in self.effects:
            self._effect(effect)
            self.y += 0.6 * _ROW
        for line in wrapped(HIDDEN[0].upper() + HIDDEN[1:] + ".", self.width - 2 * _MARGIN, SMALL, most_lines=3):
            self._write(_MARGIN, line, colour=QUIET)
            self.y += LINE_HEIGHT
        return Drawing(self.width, self.y + _MARGIN, (), (), (), (), tuple(self.marks), tuple(self.words))

    def _effect(self, effect: Effect) -> None:
        level, say = self.levels[effect.effect], Say(effect)
        what = f"{effect.effect} = {level}" if say.share else f"mean of {effect.effect}"
        for line in wrapped(f"{effect.cause} → {what}", self.width - 2 * _MARGIN, FONT, bold=True, most_lines=2):
            self._write(_MARGIN, line, size=FONT, bold=True)
            self.y += LINE_HEIGHT + 2
        today = effect.today[level]
        if say.ruled_out or not effect.estimates:
            told = "no effect" if say.ruled_out else f"no estimate: {effect.possible[0].problem}"
            for line in wrapped(f"today {say.number(today)}; {told}", self.width - 2 * _MARGIN, SMALL, most_lines=3):
                self._write(_MARGIN, line, colour=QUIET)
                self.y += LINE_HEIGHT
            return
        low, high = self._scale(effect, level)

        def at(value: float) -> float:
            return self.left + (self.right - self.left) * (min(max(value, low), high) - low) / (high - low)

        label = f"today {say.number(today)}"
        half = text_width(label, SMALL) / 2
        where = min(max(at(today), _MARGIN + half), self.width - _MARGIN - half)
        self._write(where, label, colour=QUIET, anchor="middle")
        self.y += LINE_HEIGHT - 2
        top = self.y - 4
        for x in effect.points:
            self._row(effect, x, level, [at(v) for v in (*effect.range[x][level], *effect.intervals[x][level], today)])
        now = chain([straight((at(today), top), (at(today), self.y - 4))])
        self.marks.append(Mark(now, None, INK, 1.5))

    def _row(self, effect: Effect, x: object, level: object, ends: Sequence[float]) -> None:
        """Draw a bar from today to the nearer end of what is possible, a pale one over the range, and the interval."""
        low, high, least, most, today = ends
        self.y += _ROW / 2 - 4
        y = self.y
        (name,) = wrapped(Say(effect).point(x), self.label, SMALL, most_lines=1)
        self._write(self.left - 10, name, anchor="end")
        if high - low > 1:
            self._bar(low, high, y, OPEN)
        if low > today or high < today:
            self._bar(today, low if low > today else high, y, RISE if low > today else FALL)
        for a, b in (((least, y), (most, y)), *(((v, y - 4), (v, y + 4)) for v in (least, most))):
            self.marks.append(Mark(chain([straight(a, b)]), None, INK, 1.5))
        self._write(self.right + 10, Say(effect).outcome(x, level))
        self.y += _ROW / 2 + 4

    def _bar(self, a: float, b: float, y: float, colour: str) -> None:
        start, end = sorted((a, b))
        self.marks.append(
            Mark(outline((start + end) / 2, y, max(end - start, 0.5), _BAR, "square"), colour, colour, 0.5)
        )

    def _write(
        self, x: float, text: str, *, size: float = SMALL, colour: str = INK, bold: bool = False, anchor: str = "start"
    ) -> None:
        self.words.append(Words(x, self.y, text, size, colour, anchor, bold))

    def _scale(self, effect: Effect, level: object) -> tuple[float, float]:
        if Say(effect).share:
            return 0.0, 1.0
        same = [e for e in self.effects if e.effect == effect.effect]
        ends = [end for e in same for row in e.intervals.values() for end in row[level]] + [effect.today[level]]
        spare = 0.05 * (max(ends) - min(ends)) or 1.0
        return min(ends) - spare, max(ends) + spare


def _levels(effects: Sequence[Effect]) -> dict[str, object]:
    """Return the level to show of each column that is affected: that which changes most, in the first that is given."""
    return {effect.effect: effect.most_changed for effect in reversed(effects)}
