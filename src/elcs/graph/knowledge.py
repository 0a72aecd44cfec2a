"""What people know about the graph before they look at data: which arrows there are, and which there cannot be.

All that can be said comes down to single arrows: one that is there, or one that is not. Tiers are an order in time:
nothing later causes anything earlier, neither directly nor through columns without a tier. A learner asks four
questions: does knowledge forbid this arrow, does it require it, does it keep these two apart, and is this variable
later than both of those?
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import combinations
from typing import Any

from elcs.errors import KnowledgeError

__all__ = ["NOTHING", "Knowledge"]

Arrow = tuple[str, str]
"""Cause and effect."""


@dataclass(frozen=True)
class Knowledge:
    """What is known about the causal graph; contradictions are refused when it is made.

    Parameters
    ----------
    tiers : sequence of sequences of str
        Columns in their order in time, the earliest first: nothing later causes anything earlier. Columns that are in
        no tier may come at any time.
    required : sequence of (str, str)
        Arrows that are there: cause and effect.
    forbidden : sequence of (str, str)
        Arrows that are not there. What is forbidden is the direct effect; the cause may still act through others.
    exogenous : sequence of str
        Columns that nothing in the table causes.
    outcomes : sequence of str
        Columns that cause nothing in the table.
    closed : sequence of int
        The tiers, by their numbers from 1 on, within which no column causes another.

    Examples
    --------
    >>> known = Knowledge(tiers=[["age", "sex"], ["contract"], ["churn"]], exogenous=["region"])
    >>> known.forbids("churn", "age"), known.forbids("age", "region"), known.forbids("age", "churn")
    ('age comes before churn', 'nothing causes region', '')
    >>> Knowledge(tiers=[["age"], ["churn"]], required=[("churn", "age")])
    Traceback (most recent call last):
    elcs.errors.KnowledgeError: these statements contradict each other: churn causes age; age comes before churn
    """

    tiers: Sequence[Sequence[str]] = ()
    required: Sequence[Arrow] = ()
    forbidden: Sequence[Arrow] = ()
    exogenous: Sequence[str] = ()
    outcomes: Sequence[str] = ()
    closed: Sequence[int] = ()

    def __post_init__(self) -> None:
        tiers = tuple(_names("tiers", tier) for tier in _listed("tiers", self.tiers))
        tidy: dict[str, tuple[Any, ...]] = {
            "tiers": tiers,
            "required": tuple(dict.fromkeys(_arrow("required", x) for x in _listed("required", self.required))),
            "forbidden": tuple(dict.fromkeys(_arrow("forbidden", x) for x in _listed("forbidden", self.forbidden))),
            "exogenous": _names("exogenous", self.exogenous),
            "outcomes": _names("outcomes", self.outcomes),
            "closed": tuple(dict.fromkeys(_number(x, len(tiers)) for x in _listed("closed", self.closed))),
        }
        for name, value in tidy.items():
            object.__setattr__(self, name, value)
        contradiction = min(self._contradictions(), key=len, default=None)
        if contradiction:
            raise KnowledgeError(f"these statements contradict each other: {'; '.join(contradiction)}")

    def __bool__(self) -> bool:
        return self._says_something

    @cached_property
    def _says_something(self) -> bool:
        return any(getattr(self, f.name) for f in fields(self))

    # What learners ask

    def forbids(self, cause: str, effect: str) -> str:
        """Return the statement by which there is no such arrow; an empty text if there is none."""
        if not self._says_something:
            return ""
        if cause in self._of("outcomes"):
            return f"{cause} causes nothing"
        if effect in self._of("exogenous"):
            return f"nothing causes {effect}"
        if self.comes_before(effect, cause):
            return f"{effect} comes before {cause}"
        if (cause, effect) in self._of("forbidden"):
            return f"{cause} does not cause {effect}"
        tier = self._tier.get(cause)
        if tier is not None and tier in self._of("closed") and tier == self._tier.get(effect):
            return f"the columns of tier {tier} do not cause each other"
        return f"{effect} causes {cause}" if (effect, cause) in self._of("required") else ""

    def requires(self, cause: str, effect: str) -> str:
        """Return the statement by which there is such an arrow; an empty text if there is none."""
        return f"{cause} causes {effect}" if (cause, effect) in self._of("required") else ""

    def directs(self, cause: str, effect: str) -> str:
        """Return the statement by which an edge between the two, if there is one, points from the first to the second.

        Examples
        --------
        >>> Knowledge(exogenous=["age"]).directs("age", "churn")
        'nothing causes age'
        """
        return self.requires(cause, effect) or ("" if self.forbids(cause, effect) else self.forbids(effect, cause))

    def apart(self, a: str, b: str) -> bool:
        """Tell whether neither causes the other directly, so that there is no edge between them."""
        return bool(self.forbids(a, b) and self.forbids(b, a))

    def joined(self, a: str, b: str) -> bool:
        """Tell whether there must be an edge between the two."""
        return bool(self.requires(a, b) or self.requires(b, a))

    def comes_before(self, earlier: str, later: str) -> bool:
        """Tell whether the tiers say so."""
        first, second = self._tier.get(earlier), self._tier.get(later)
        return first is not None and second is not None and first < second

    def later_than_both(self, z: str, a: str, b: str) -> bool:
        """Tell whether z comes after both, and so has no part in what makes them dependent or independent.

        What causes nothing comes after everything, and everything comes after what nothing causes.
        """
        if z in self._of("outcomes"):
            return True
        return all(end in self._of("exogenous") or self.comes_before(end, z) for end in (a, b))

    def pool(self, a: str, b: str, among: Iterable[str]) -> list[str]:
        """Return those of `among` that a set which separates a and b may need.

        If any set separates two variables, so does the part of it from which one of them can be reached along arrows.
        """
        return [z for z in among if not self.later_than_both(z, a, b)] if self._says_something else list(among)

    # What others ask

    @property
    def names(self) -> tuple[str, ...]:
        """All columns that something is said about."""
        groups = (*self.tiers, *self.required, *self.forbidden, self.exogenous, self.outcomes)
        return tuple(dict.fromkeys(name for group in groups for name in group))

    def among(self, variables: Iterable[str]) -> Knowledge:
        """Return what is said about these variables."""
        known = set(variables)
        if known.issuperset(self.names):
            return self
        kept = {i: [x for x in tier if x in known] for i, tier in enumerate(self.tiers, 1)}
        numbers = [i for i, tier in kept.items() if tier]
        return Knowledge(
            [kept[i] for i in numbers],
            [arrow for arrow in self.required if known.issuperset(arrow)],
            [arrow for arrow in self.forbidden if known.issuperset(arrow)],
            [x for x in self.exogenous if x in known],
            [x for x in self.outcomes if x in known],
            [place for place, i in enumerate(numbers, 1) if i in self.closed],
        )

    def __str__(self) -> str:
        said = [" < ".join(", ".join(tier) for tier in self.tiers)] if self.tiers else []
        said += [f"no arrows within tier {number}" for number in self.closed]
        said += [f"{cause} causes {effect}" for cause, effect in self.required]
        said += [f"{cause} does not cause {effect}" for cause, effect in self.forbidden]
        said += [f"nothing causes {x}" for x in self.exogenous]
        said += [f"{x} causes nothing" for x in self.outcomes]
        return "; ".join(said) or "nothing"

    def __repr__(self) -> str:
        return f"Knowledge({', '.join(f'{name}={value!r}' for name, value in self.to_dict().items())})"

    def to_dict(self) -> dict[str, Any]:
        """Return what is said in plain types; what is not said is left out."""
        plain: dict[str, Any] = {}
        for f in fields(self):
            value = getattr(self, f.name)
            if value:
                plain[f.name] = [list(x) if isinstance(x, tuple) else x for x in value]
        return plain

    def to_toml(self) -> str:
        r"""Return what is said as the text of a file that ``knowledge=`` reads.

        Examples
        --------
        >>> print(Knowledge(tiers=[["age"], ["churn"]], exogenous=["region"]).to_toml(), end="")
        tiers = [["age"], ["churn"]]
        exogenous = ["region"]
        """
        # A list of texts or numbers is written in TOML as it is in JSON, but for one character.
        lines = (f"{name} = {json.dumps(value, ensure_ascii=False)}\n" for name, value in self.to_dict().items())
        return "".join(lines).replace("\x7f", "\\u007f")

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Knowledge:
        """Return the knowledge that `to_dict` wrote down."""
        if not isinstance(plain, Mapping):
            raise KnowledgeError(f"knowledge is a mapping of names to lists, not {plain!r}")
        known = [f.name for f in fields(cls)]
        unknown = [str(name) for name in plain if name not in known]
        if unknown:
            raise KnowledgeError(f"knowledge has no {', '.join(unknown)}; it has {', '.join(known)}")
        return cls(**plain)

    # How it is checked

    @cached_property
    def _tier(self) -> dict[str, int]:
        """The number of the tier of each column that has one."""
        return {x: i for i, tier in enumerate(self.tiers, 1) for x in tier}

    @cached_property
    def _sets(self) -> dict[str, frozenset[Any]]:
        return {f.name: frozenset(getattr(self, f.name)) for f in fields(self)}

    def _of(self, name: str) -> frozenset[Any]:
        return self._sets[name]

    def _contradictions(self) -> Iterator[list[str]]:
        """Yield sets of statements that contradict each other, among them a smallest one."""
        for (i, one), (j, other) in combinations(enumerate(self.tiers, 1), 2):
            yield from ([f"{x} is in tier {i}", f"{x} is in tier {j}"] for x in one if x in other)
        for cause, effect in self.required:
            against = self.forbids(cause, effect)
            if against:
                yield [f"{cause} causes {effect}", against]
            yield from self._circle(cause, effect)

    def _circle(self, cause: str, effect: str) -> Iterator[list[str]]:
        """Yield the shortest way back from an effect to its cause, along required arrows and the order of tiers."""
        came: dict[str, tuple[str, str]] = {effect: ("", "")}
        queue = deque([effect])
        while queue:
            x = queue.popleft()
            if x == cause:
                way = []
                while came[x][0]:
                    x, said = came[x]
                    way.append(said)
                yield [f"{cause} causes {effect}", *reversed(way)]
                return
            steps = [(b, f"{a} causes {b}") for a, b in self.required if a == x]
            steps += [(y, f"{x} comes before {y}") for y, _ in self.required if self.comes_before(x, y)]
            for y, said in steps:
                if y not in came:
                    came[y] = (x, said)
                    queue.append(y)


def _listed(field: str, value: object) -> Iterable[Any]:
    if isinstance(value, str | Mapping) or not isinstance(value, Iterable):
        raise KnowledgeError(f"{field} must be a list, not {value!r}")
    return value


def _names(field: str, value: object) -> tuple[str, ...]:
    names = list(_listed(field, value))
    wrong = [name for name in names if not isinstance(name, str)]
    if wrong:
        raise KnowledgeError(f"{field} must hold names of columns, not {wrong[0]!r}")
    return tuple(dict.fromkeys(names))


def _arrow(field: str, value: object) -> Arrow:
    names = () if isinstance(value, str) else tuple(_listed(field, value))
    if len(names) != 2 or not all(isinstance(name, str) for name in names):
        raise KnowledgeError(f"{field} must hold pairs of a cause and an effect, not {value!r}")
    if names[0] == names[1]:
        raise KnowledgeError(f"{field} says that {names[0]} causes itself; an arrow needs two columns")
    return names[0], names[1]


def _number(value: object, most: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= most:
        if not most:
            raise KnowledgeError("closed names tiers by their numbers, but there are none; give tiers as well")
        raise KnowledgeError(f"closed must hold numbers of tiers, from 1 to {most}, not {value!r}")
    return value


NOTHING = Knowledge()
"""Nothing is known beforehand."""
