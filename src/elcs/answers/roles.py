"""What a variable can be to the target, with the words for it and its colour."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

__all__ = ["ROLES", "Named", "Role"]

Role = Literal["parent", "child", "undirected", "spouse", "member", "other"]
"""What a variable is to the target."""


class Named(NamedTuple):
    """What a role is called, and how it is shown.

    Attributes
    ----------
    words : str
        What it is called.
    short : str
        In a word or two, for a table.
    as_one : str
        With an article, as in "comes back as a direct cause".
    symbol : str
        For those who cannot see the colours.
    colour : str
        On a terminal.
    fill, outline : str
        In pictures. The colours are those of Okabe and Ito, which colour-blind people can tell apart; the fills also
        differ in lightness.
    """

    words: str
    short: str
    as_one: str
    symbol: str
    colour: str
    fill: str
    outline: str


ROLES: Mapping[Role, Named] = {
    "parent": Named("direct cause", "cause", "a direct cause", "→", "green", "#f2b632", "#7a5200"),
    "child": Named("direct effect", "effect", "a direct effect", "←", "blue", "#0072b2", "#00476f"),
    "undirected": Named(
        "cause or effect, undecided", "either", "a cause or an effect", "—", "yellow", "#ffffff", "#1a1a1a"
    ),
    "spouse": Named(
        "other cause of an effect", "other cause", "another cause of an effect", "◇", "magenta", "#f3d9e7", "#a3487a"
    ),
    "member": Named("in the blanket", "member", "a member of the blanket", "•", "white", "#e6e6e6", "#595959"),
    "other": Named("not in the blanket", "-", "outside of the blanket", "·", "dim", "#ffffff", "#8c8c8c"),
}
