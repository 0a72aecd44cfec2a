"""Fitting names into boxes: how wide a text is, and where it may be broken."""

from __future__ import annotations

import re
import unicodedata

from elcs.markup import shown

__all__ = ["shown", "text_width", "wrapped"]

# Of DejaVu Sans, from the space to the tilde, in thousandths of the size: the font that matplotlib comes with, and
# wider than what browsers use for sans-serif, so that what fits here fits there.
_WIDTHS = (
    "318 401 460 838 636 950 780 275 390 390 500 838 318 361 318 337 636 636 636 636 636 636 636 636 636 636 337 "
    "337 838 838 838 531 1000 684 686 698 770 632 575 775 752 295 295 656 557 863 748 787 603 787 695 635 611 732 "
    "684 989 685 611 685 390 337 390 838 500 500 613 635 550 635 615 352 635 634 278 278 579 278 974 634 612 635 "
    "635 411 521 392 634 592 818 592 592 525 636 337 636 838"
)
_EM = {chr(32 + i): int(width) / 1000 for i, width in enumerate(_WIDTHS.split())}
_BOLD = 1.14
_PIECES = re.compile(r"[^\s_\-./:,;]*?(?:[\s_\-./:,;]+|(?<=[a-z0-9])(?=[A-Z])|$)")
_MOST_LOOKED_AT = 240


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """Return how wide a text is, at most, in the unit of its size.

    Examples
    --------
    >>> text_width("mmm", 10) > text_width("iii", 10)
    True
    """
    return size * sum(map(_em, text)) * (_BOLD if bold else 1)


def _em(character: str) -> float:
    known = _EM.get(character)
    if known is not None:
        return known
    if unicodedata.combining(character):
        return 0.0
    wide = unicodedata.east_asian_width(character) in ("W", "F") or unicodedata.category(character) in ("Lu", "So")
    return 1.05 if wide else 0.75


def wrapped(name: str, width: float, size: float, *, bold: bool = False, most_lines: int = 3) -> tuple[str, ...]:
    """Break a name into lines no wider than this; of a name that is too long, the middle is left out.

    Lines end where words do: at spaces, underscores, hyphens, dots, and before capitals.

    Examples
    --------
    >>> wrapped("monthly_charge_in_euros", 90, 13)
    ('monthly_', 'charge_in_', 'euros')
    >>> wrapped("a" * 20 + "b" * 20, 60, 13, most_lines=1)
    ('aaa…bbb',)
    """
    text = shown(name)
    if len(text) > _MOST_LOOKED_AT:
        text = _without_middle(text, _MOST_LOOKED_AT)
    lines = _filled(text, width, size, bold)
    fits, too_many = 1, len(text)
    if len(lines) <= most_lines:
        return lines
    while too_many - fits > 1:
        kept = (fits + too_many) // 2
        if len(_filled(_without_middle(text, kept), width, size, bold)) <= most_lines:
            fits = kept
        else:
            too_many = kept
    return _filled(_without_middle(text, fits), width, size, bold)


def _without_middle(text: str, kept: int) -> str:
    return text[: (kept + 1) // 2] + "…" + text[len(text) - kept // 2 :]


def _filled(text: str, width: float, size: float, bold: bool) -> tuple[str, ...]:
    """Fill lines with pieces one after another; a piece wider than a line is broken anywhere."""
    lines = [""]
    for piece in _PIECES.findall(text):
        if text_width((lines[-1] + piece).rstrip(), size, bold=bold) <= width:
            lines[-1] += piece
        elif text_width(piece.rstrip(), size, bold=bold) <= width:
            lines.append(piece)
        else:
            lines += [""] if lines[-1] else []
            for character in piece:
                if lines[-1] and text_width(lines[-1] + character, size, bold=bold) > width:
                    lines.append("")
                lines[-1] += character
    return tuple(stripped for line in lines if (stripped := line.strip())) or (text,)
