"""What is seen, and its address: which columns, by which plan, and what is shown of them."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any, Literal
from urllib.parse import parse_qsl, urlencode

from elcs.errors import ElcsError, KnowledgeError
from elcs.explore.saying import SAYINGS
from elcs.graph.knowledge import Knowledge
from elcs.learners import registry
from elcs.study import Plan
from elcs.study.question import EXPLORE

__all__ = ["Place", "State"]

Place = Literal["target", "beside"]
"""The places of columns in a state."""

_SWITCHES = ("stability", "effects")
_NAMES = ("target", "beside", "method", "alpha", "ci_test", "knowledge", "shown", *_SWITCHES, *SAYINGS)
_NEIGHBOURS = "neighbours"


@dataclass(frozen=True)
class State:
    """What is seen.

    Attributes
    ----------
    start : Plan
        What the command line asked for; an address says only what differs from it.
    plan : Plan
        How answers are found.
    target, beside : str or None
        The column in the middle, and one to be shown beside it. Without a target, the whole graph is shown.
    blanket : bool
        Whether to draw the whole blanket, or the neighbours alone.
    stability, effects : bool
        Whether to count half-samples, and whether to estimate effects.

    Examples
    --------
    >>> start = Plan(method="elcs-hybrid")
    >>> state = State.read("target=churn&alpha=0.05&forbid=%5B%22churn%22%2C+%22age%22%5D", start)
    >>> state.target, state.plan.alpha, state.plan.known
    ('churn', 0.05, Knowledge(forbidden=[['churn', 'age']]))
    >>> State.read(state.query, start) == state
    True
    >>> State.read("alpha=2", start)
    Traceback (most recent call last):
    elcs.errors.ElcsError: alpha must lie between 0 and 1, not 2.0
    """

    start: Plan
    plan: Plan
    target: str | None = None
    beside: str | None = None
    blanket: bool = True
    stability: bool = False
    effects: bool = False

    @classmethod
    def read(cls, query: str, start: Plan) -> State:
        """Return the state that the query of an address describes; what is empty in it counts as not given."""
        said = {name: value for name, value in parse_qsl(query) if value}
        unknown = [name for name in said if name not in _NAMES]
        if unknown:
            raise ElcsError(f"an address has no {unknown[0]!r}; it has {', '.join(_NAMES)}")
        if said.get("shown", _NEIGHBOURS) != _NEIGHBOURS:
            raise ElcsError(f"shown= takes {_NEIGHBOURS!r}, not {said['shown']!r}")
        target, beside = said.get("target"), said.get("beside")
        switches = {name: name in said for name in _SWITCHES}
        if target is None or target == beside:
            beside = None
        if target is None:
            switches = dict.fromkeys(_SWITCHES, False)
        return cls(start, _plan(said, start), target, beside, "shown" not in said, **switches)

    @property
    def query(self) -> str:
        """The query of its address."""
        said: dict[str, str] = {}
        for name in ("target", "beside"):
            value = getattr(self, name)
            said |= {} if value is None else {name: value}
        for name in ("method", "alpha", "ci_test"):
            value = getattr(self.plan, name)
            said |= {} if name in self.plan.idle or value == getattr(self.start, name) else {name: str(value)}
        if self.plan.known != self.start.known:
            said["knowledge"] = self.knowledge
        said |= {} if self.blanket else {"shown": _NEIGHBOURS}
        said |= {name: "1" for name in _SWITCHES if getattr(self, name)}
        return urlencode(said, errors="replace")

    @property
    def knowledge(self) -> str:
        """What is known, as an address has it."""
        return json.dumps(self.plan.known.to_dict(), ensure_ascii=False)

    @property
    def address(self) -> str:
        """Where it is seen."""
        return f"/?{self.query}" if self.query else "/"

    def at(self, column: str, place: Place = "target") -> State:
        """Return the same with another column in the middle, or beside it; not the same one in both places."""
        if column == (self.beside if place == "target" else self.target):
            return replace(self, target=column, beside=None)
        return replace(self, target=column) if place == "target" else replace(self, beside=column)

    def knowing(self, known: Knowledge) -> State:
        """Return the same with something else known beforehand."""
        return replace(self, plan=replace(self.plan, knowledge=known or None))

    def saying(self, word: str, cause: str, effect: str) -> str:
        """Return the address at which something more is said about two columns; it may contradict what is known."""
        return f"{self.address}{'&' if self.query else '?'}{urlencode({word: json.dumps([cause, effect])})}"


def _plan(said: dict[str, str], start: Plan) -> Plan:
    """Return the plan that an address describes; what has no effect on its method is left out."""
    method = registry.find(said.get("method", str(start.method)), *EXPLORE.kinds).name
    known = _knowledge(said["knowledge"]) if "knowledge" in said else start.known
    for word, say in SAYINGS.items():
        if word in said:
            known = say(known, *_pair(word, said[word]))
    plan = start if method == start.method else replace(start, knowledge=None).with_method(method)
    fields: dict[str, Any] = {"alpha": _number(said.get("alpha", "")), "ci_test": said.get("ci_test")}
    given = {name: value for name, value in fields.items() if value is not None and name not in plan.idle}
    return replace(plan, **given, knowledge=known or None)


def _number(text: str) -> float | str | None:
    """Return a number; what is none is for the plan to refuse."""
    try:
        return float(text)
    except ValueError:
        return text or None


def _knowledge(text: str) -> Knowledge:
    return Knowledge.from_dict(_json("knowledge", text))


def _pair(word: str, text: str) -> tuple[str, str]:
    names = _json(word, text)
    if not (isinstance(names, list) and len(names) == 2 and all(isinstance(name, str) for name in names)):
        raise KnowledgeError(f'{word}= takes two columns, as in ["age", "churn"], not {text!r}')
    if names[0] == names[1]:
        raise KnowledgeError(f"{word}= takes two different columns, not {names[0]!r} twice")
    return names[0], names[1]


def _json(name: str, text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise KnowledgeError(f"{name}= in the address is not understood: {text[:80]!r}") from None
