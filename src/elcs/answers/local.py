"""The direct causes and the direct effects of a variable, and the effects of setting them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from elcs.answers.blanket import MarkovBlanket
from elcs.errors import ElcsError

if TYPE_CHECKING:
    from elcs.answers.effects import Effects
    from elcs.answers.graph import CausalGraph

__all__ = ["LocalStructure"]


@dataclass(frozen=True, repr=False)
class LocalStructure(MarkovBlanket):
    """The direct causes and direct effects of a variable, its spouses, and what the data cannot decide.

    Has all attributes of `MarkovBlanket`, and:

    Attributes
    ----------
    learned : tuple of str
        The variables whose blankets were learnt on the way, the target first.
    part : CausalGraph or None
        If a ``depth`` was asked for, the variables up to so many steps away, and all edges among them. The directions
        in it are those of the method, also where `steady` takes them back at the target.
    """

    learned: tuple[str, ...] = ()
    part: CausalGraph | None = None

    _settles: ClassVar[bool] = True

    def effects(
        self, n_samples: int = 0, *, random_state: int = 0, report: Callable[[int], None] = lambda n_done: None
    ) -> Effects:
        """Estimate what setting each cause would do to the target, and what setting the target would do to its effects.

        For each cause the graph around it is learnt too, by the same method. The ``timeout`` of the question limits the
        estimates as well; what is there by then is returned, with ``complete=False``.

        Parameters
        ----------
        n_samples : int
            Also learn the graph anew from so many half-samples, for honest intervals; 100 take a hundred times as long.
        random_state : int
            The same number gives the same halves.
        report : callable
            Called with the number of effects estimated so far.

        Examples
        --------
        >>> import elcs
        >>> effects = elcs.learn(elcs.data.SAMPLE, "satisfaction").effects()
        >>> [effect.cause for effect in effects.of_causes], [effect.effect for effect in effects.on_effects]
        (['price_rise', 'outages'], ['referral', 'churn'])
        """
        if self._records is None or self._records.study is None:
            raise ElcsError(
                "this result does not know the table it was made from: it was loaded from a file, or there was no "
                "table; use elcs.effect(table, cause, effect) instead"
            )
        from elcs.answers.estimating import effects_around

        return effects_around(self, self._records, n_samples=n_samples, random_state=random_state, report=report)

    def to_dict(self) -> dict[str, Any]:
        """Return everything in plain types, evidence included."""
        part = {} if self.part is None else {"part": self.part.to_dict()}
        return {**super().to_dict(), "learned": list(self.learned), **part}
