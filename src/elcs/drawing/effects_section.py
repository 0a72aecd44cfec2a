"""The section of the page about effects: a picture, a sentence for each level of each cause, and what they rest on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from elcs.answers.effect_words import MOST_WAYS, Say
from elcs.drawing.bars import bars
from elcs.drawing.svg import svg
from elcs.markup import clean, shown

if TYPE_CHECKING:
    from elcs.answers.effects import Effects

__all__ = ["section"]

_WIDTHS = (("wide", 640.0), ("narrow", 336.0))


def section(effects: Effects, name: str = "effects") -> str:
    """Write the section, with this id; nothing if there are no effects."""
    if not len(effects):
        return ""
    title = f"What setting a column would do, around {shown(effects.target)}"
    pictures = "\n".join(svg(bars(tuple(effects), width=width), kind, title) for kind, width in _WIDTHS)
    told = []
    for effect in effects:
        lines = [] if Say(effect).ruled_out else [effect.say(point) for point in effect.points]
        items = "".join(f"<li>{clean(line)}</li>" for line in (*lines, *map(_sentence, Say(effect).notes(MOST_WAYS))))
        told.append(f"<h3>{clean(effect.cause)} → {clean(effect.effect)}</h3><ul>{items}</ul>")
    return (
        f'<section id="{name}" class="effects" aria-labelledby="{name}-heading"><h2 id="{name}-heading">What setting a '
        f"column would do</h2><figure>{pictures}</figure>{''.join(told)}</section>"
    )


def _sentence(note: str) -> str:
    return f"{note[0].upper()}{note[1:]}."
