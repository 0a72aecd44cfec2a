"""What setting the causes of a variable would do to it, and what setting it would do to its effects."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from elcs.answers import showing
from elcs.answers.effect import Effect
from elcs.errors import unknown_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Effects"]


@dataclass(frozen=True)
class Effects:
    """The effects around a variable, one by one.

    Iterating gives all of them; a name in brackets gives that of one cause, or that on one effect.

    Attributes
    ----------
    target : str
        The variable.
    of_causes : tuple of Effect
        What setting each of its direct causes would do to it; also each neighbour that may be one.
    on_effects : tuple of Effect
        What setting it would do to each of its direct effects; also to each neighbour that may be one.
    complete : bool
        False if a limit or an interruption came before the last of them.

    Examples
    --------
    >>> import elcs
    >>> effects = elcs.learn(elcs.data.SAMPLE, "satisfaction").effects()
    >>> print(effects["outages"].say("none", "high"))
    If outages were none, the share ... would rise from 42% to 57% (55% to 59%); adjusted for price_rise.
    """

    target: str
    of_causes: tuple[Effect, ...]
    on_effects: tuple[Effect, ...]
    complete: bool = True

    def __iter__(self) -> Iterator[Effect]:
        yield from (*self.of_causes, *self.on_effects)

    def __len__(self) -> int:
        return len(self.of_causes) + len(self.on_effects)

    def __getitem__(self, name: str) -> Effect:
        known = {effect.effect: effect for effect in self.on_effects} | {
            effect.cause: effect for effect in self.of_causes
        }
        if name not in known:
            raise unknown_name(name, known, what="neighbour")
        return known[name]

    def __str__(self) -> str:
        if not len(self) and self.complete:
            return f"{self.target} has no direct causes and no direct effects in the table"
        stopped = () if self.complete else ("stopped before all effects were estimated",)
        return "\n\n".join((*map(str, self), *stopped))

    def to_dict(self) -> dict[str, Any]:
        """Return everything in plain types."""
        return {
            "target": self.target,
            "of_causes": [effect.to_dict() for effect in self.of_causes],
            "on_effects": [effect.to_dict() for effect in self.on_effects],
            "complete": self.complete,
        }

    def to_json(self, *, indent: int | None = 2) -> str:
        """Return `to_dict` as JSON."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw bars from today's share to the share at each level of each cause, with 95 % intervals.

        Needs matplotlib (``pip install "elcs[plot]"``).
        """
        return showing.artist().plot_effects(tuple(self), ax)
