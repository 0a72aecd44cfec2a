"""What the shapes and lines of a picture mean, in centred lines below it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from elcs.drawing.picture import SMALL, SWATCH, Key, Line, Link
from elcs.drawing.style import Drawn
from elcs.drawing.text import text_width

__all__ = ["Entry", "about_lines", "legend"]

Entry = tuple["Drawn | Line | None", str]

_APART = 16.0

_LINES: tuple[tuple[Line, str], ...] = (
    ("said", "dashed: you said so"),
    ("open", "dotted: direction undecided"),
    ("leaning", "hollow head: leans this way"),
)


def about_lines(links: Iterable[Link]) -> list[Entry]:
    """Return the entries about lines."""
    drawn = list(links)
    kinds = {link.line for link in drawn}
    entries: list[Entry] = [("arrow", "wider: stronger association")] if len({x.width for x in drawn}) > 1 else []
    entries += [(line, text) for line, text in _LINES if line in kinds or (line == "open" and "leaning" in kinds)]
    if any(link.pale for link in drawn):
        entries.append(("pale", "pale: in fewer than half of the half-samples"))
    return entries


def legend(entries: Sequence[Entry], room: float, y: float) -> tuple[list[Key], float]:
    """Return the legend in lines no wider than there is room, centred at x = 0, and where it ends."""
    lines: list[list[tuple[Entry, float]]] = [[]]
    for entry in entries:
        shows, text = entry
        wide = (SWATCH + 6 if shows is not None else 0) + text_width(text, SMALL) + _APART
        if lines[-1] and sum(w for _, w in lines[-1]) + wide > room + _APART:
            lines.append([])
        lines[-1].append((entry, wide))
    keys = []
    for line in lines:
        y += 22 if line else 0
        x = -(sum(w for _, w in line) - _APART) / 2
        for (shows, text), wide in line:
            keys.append(Key(shows, x + SWATCH / 2, y, text))
            x += wide
    return keys, y + 8
