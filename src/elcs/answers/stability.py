"""How stable a result is: how often each part of it comes back when only half of the observations are used.

Meinshausen & Bühlmann (2010), Journal of the Royal Statistical Society B 72(4); the halves come in complementary
pairs, as in Shah & Samworth (2013), same journal, 75(1). They are drawn without replacement. A bootstrap draws some
rows twice, and tests take the copies for evidence: they find dependence where there is none.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from elcs.answers import showing
from elcs.answers.background import Background, background_as_dict
from elcs.answers.halves import NONE_FINISHED, count_halves
from elcs.answers.roles import ROLES, Role
from elcs.data.naming import counted
from elcs.data.profile import profile
from elcs.errors import ElcsError
from elcs.study import Study

if TYPE_CHECKING:
    from elcs.answers.blanket import MarkovBlanket

__all__ = ["Shares", "Stability", "resample"]

RARE = 0.05
"""Variables that come back less often than this are counted together when a table is printed."""


class Shares(NamedTuple):
    """How often a variable is found, and as what: shares of the half-samples.

    Attributes
    ----------
    blanket : float
        In the Markov blanket.
    neighbour : float
        A neighbour: parent, child or undirected.
    parent, child, undirected : float
        A direct cause, a direct effect, a neighbour of unknown direction.
    spouse : float
        Another cause of a direct effect.
    """

    blanket: float
    neighbour: float
    parent: float
    child: float
    undirected: float
    spouse: float

    @classmethod
    def of(cls, roles: Counter[Role], n_samples: int) -> Shares:
        """Count roles."""
        neighbour = roles["parent"] + roles["child"] + roles["undirected"]
        counts = (roles.total(), neighbour, roles["parent"], roles["child"], roles["undirected"], roles["spouse"])
        return cls(*(count / max(n_samples, 1) for count in counts))


@dataclass(frozen=True)
class Stability:
    """How often each variable comes back, and as what, when only half of the observations are used.

    A link that comes back in nearly all half-samples does not depend on a few rows. One that comes back in half of them
    may be real but weak: a half-sample has half the power of the whole table.

    Attributes
    ----------
    target, method : str
        What was asked, and which method answered.
    n_samples : int
        The number of half-samples counted.
    shares : mapping of str to Shares
        For every variable, how often it was found in each role; those found most often come first.
    seconds : float
        How long it took.
    complete : bool
        False if a limit or an interruption stopped the run before all half-samples were counted.
    background : Background or None
        The whole table.
    """

    target: str
    method: str
    n_samples: int
    shares: Mapping[str, Shares] = field(repr=False)
    seconds: float
    complete: bool
    background: Background | None = field(default=None, repr=False, compare=False)

    @property
    def standard_error(self) -> float:
        """The standard error of a share of one half, at which it is largest; 0.05 for 100 half-samples."""
        return 0.5 / math.sqrt(max(self.n_samples, 1))

    def __str__(self) -> str:
        if not self.n_samples:
            return f"{self.target} ({self.method}): {NONE_FINISHED}"
        headings = ("variable", "blanket", "neighbour", "cause", "effect", "undecided", "other cause")
        often = {x: shares for x, shares in self.shares.items() if shares.blanket >= RARE}
        width = max(map(len, (headings[0], *often)))
        lines = [f"{self.target} ({self.method}): how often each comes back in {self.n_samples:,} half-samples"]
        lines.append(f"  {headings[0]:<{width}}  " + "  ".join(headings[1:]))
        for x, shares in often.items():
            cells = (f"{share:>{len(heading)}.0%}" for heading, share in zip(headings[1:], shares, strict=True))
            lines.append(f"  {x:<{width}}  " + "  ".join(cells))
        if len(often) < len(self.shares):
            lines.append(f"  {counted(len(self.shares) - len(often), 'other')}: less than {RARE:.0%}")
        if self.background is not None:
            rows, *gaps = self.background.say()
            lines += [f"  halves of {rows}", *(f"  {line}" for line in gaps)]
        stopped = "" if self.complete else "; stopped before the end"
        lines.append(
            f"  the standard error of a share is at most {100 * self.standard_error:.0f} points; "
            f"{self.seconds:,.1f} s{stopped}"
        )
        return "\n".join(lines)

    def in_role(self, result: MarkovBlanket) -> dict[str, float]:
        """Return for each member of a blanket how often it comes back in the same role: a share of the half-samples."""
        if result.target != self.target:
            raise ElcsError(f"this is the stability of {self.target!r}, and the result is about {result.target!r}")
        found = {x: role for x, role in result.roles.items() if role != "other"}
        return {x: getattr(self.shares[x], role, self.shares[x].blanket) for x, role in found.items()}

    def labels(self, result: MarkovBlanket) -> dict[str, str]:
        """Say for each member of a blanket how often it comes back in the same role."""
        return {x: f"{share:.0%}" for x, share in self.in_role(result).items()}

    def say(self, x: str) -> str:
        """Say in a sentence how often a variable comes back, and as what.

        Examples
        --------
        >>> shares = Shares(blanket=1.0, neighbour=1.0, parent=0.9, child=0.0, undirected=0.1, spouse=0.0)
        >>> Stability("churn", "elcs-exact", 100, {"price": shares}, seconds=1.0, complete=True).say("price")
        'Of 100 half-samples, 100% have it in the blanket: 90% as a direct cause, 10% as a cause or an effect.'
        """
        shares = self.shares[x]
        roles: tuple[Role, ...] = ("parent", "child", "undirected", "spouse")
        as_what = {ROLES[role].as_one: getattr(shares, role) for role in roles}
        told = [f"{share:.0%} as {word}" for word, share in as_what.items() if share > 0]
        found = f"Of {self.n_samples:,} half-samples, {shares.blanket:.0%} have it in the blanket"
        return f"{found}: {', '.join(told)}." if told else f"{found}."

    def _repr_html_(self) -> str:
        return showing.artist().note_stability(self)

    def to_dict(self) -> dict[str, Any]:
        """Return everything in plain types."""
        return {
            "target": self.target,
            "method": self.method,
            "n_samples": self.n_samples,
            "standard_error": self.standard_error,
            "seconds": self.seconds,
            "complete": self.complete,
            **background_as_dict(self.background),
            "shares": {x: shares._asdict() for x, shares in self.shares.items()},
        }

    def to_json(self, *, indent: int | None = 2) -> str:
        """Return `to_dict` as JSON."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False)


def resample(
    study: Study,
    target: str,
    ask: Callable[[Study, str], MarkovBlanket],
    *,
    n_samples: int = 100,
    n_jobs: int = 1,
    random_state: int = 0,
    report: Callable[[int], None] = lambda n_done: None,
) -> Stability:
    """Put the same question to half-samples and count what comes back; `elcs.stability` explains the parameters."""
    roles = partial(_roles, ask, target)
    counted = count_halves(study, roles, n_samples=n_samples, n_jobs=n_jobs, random_state=random_state, report=report)
    others = (x for x in study.variables if x != target)
    shares = {x: Shares.of(counted.found.get(x, Counter()), counted.n_samples) for x in others}
    ranked = sorted(shares, key=lambda x: (-shares[x].blanket, -shares[x].neighbour))
    return Stability(
        target=target,
        method=study.plan.learner.name,
        n_samples=counted.n_samples,
        shares={x: shares[x] for x in ranked},
        seconds=counted.seconds,
        complete=counted.n_samples == n_samples,
        background=None if study.table is None else Background(study.table.keep("profile", profile)),
    )


def _roles(ask: Callable[[Study, str], MarkovBlanket], target: str, study: Study) -> Mapping[str, Role] | None:
    """Ask a half-sample for the roles of the variables; None if the run was stopped."""
    result = ask(study, target)
    return result.roles if result.complete else None
