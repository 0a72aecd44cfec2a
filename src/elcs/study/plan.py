"""What is asked: the method and its options, the test, the score, the limits, and what is known beforehand.

Every setting is declared here, once: as a field of `Plan`, which checks it, and as a keyword that every question takes.
Questions, commands, benchmarks and the selector for scikit-learn all hold a plan.
"""

from __future__ import annotations

import json
import numbers
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypedDict

from elcs.data import Table
from elcs.errors import ElcsError
from elcs.graph.knowledge import NOTHING, Knowledge
from elcs.independence import TESTS, CITest
from elcs.learners import registry
from elcs.scores import SCORES, BDeu, Score
from elcs.study.known import Known, understood
from elcs.study.options import check_option

__all__ = ["AUTO", "Plan", "PlanKeywords", "is_whole"]

AUTO = "auto"
"""Let the kinds of the columns decide which test or which score is asked."""

LONGEST = 1e9
"""Seconds from which on a limit is none: three decades."""


class PlanKeywords(TypedDict, total=False):
    """The fields of `Plan`, as keywords."""

    method: str | None
    alpha: float
    ci_test: str | Callable[..., CITest]
    score: str | Callable[..., Score]
    max_cond_size: int | None
    depth: int | None
    max_tests: int | None
    timeout: float | None
    knowledge: Known | None
    options: Mapping[str, Any]


@dataclass(frozen=True)
class Plan:
    """What is asked: the method, its options, the test, the score, the limits, what is known; checked when it is made.

    Parameters
    ----------
    method : str, optional
        The learner; `elcs.methods` lists them. By default ("auto") each question has one of its own: `learn` and
        `learn_graph` take `elcs-hybrid` or, where there are only tests and no table, `elcs-exact` and `elcs-global`.
    alpha : float
        Level of significance of the tests.
    ci_test : {"auto", "g2", "chi2", "careful", "mixed", "fisher-z", "dg"} or callable
        The test, or a callable that makes one from the table and ``alpha=``. By default `G2` if all columns are
        discrete, and `Careful` otherwise.
    score : {"auto", "bdeu", "bic", "blocks"} or callable
        The score, for methods that ask for scores, or a callable that makes one from the table. By default `BDeu` if
        all columns are discrete, and `Blocks` otherwise.
    max_cond_size : int or None
        The largest conditioning set of a subset search, and the largest set of parents of a method that scores; None
        for no limit.
    depth : int, optional
        Besides the target's own edges, learn all edges among the variables up to so many steps away from it; the result
        has them as a graph (`LocalStructure.part`). Only `learn` takes it, and only some methods.
    max_tests, timeout : int, float, optional
        Stop after this many tests and scores, or seconds; what is settled by then is returned, with ``complete=False``.
        Reading the table counts; if it takes longer than that, nothing is settled and a `BudgetError` is raised.
    knowledge : Knowledge, mapping or path, optional
        What is known about the graph beforehand: a `Knowledge`, the same as a mapping, or a file, in TOML or as Tetrad
        writes it. A plan keeps what the file said when the plan was made.
    options : mapping
        Options of the method itself. One that takes another learner (``blanket``, ``pc``) accepts its name.

    Examples
    --------
    >>> plan = Plan(method="elcs-exact", alpha=0.05)
    >>> print(plan)
    elcs-exact, auto, alpha 0.05, sets of up to 3
    >>> Plan.from_json(plan.to_json()) == plan
    True
    >>> Plan(method="elcs-exact", score="bic")
    Traceback (most recent call last):
    elcs.errors.ElcsError: score= has no effect on elcs-exact, which asks for tests
    """

    method: str | None = None
    alpha: float = 0.01
    ci_test: str | Callable[..., CITest] = "auto"
    score: str | Callable[..., Score] = "auto"
    max_cond_size: int | None = 3
    depth: int | None = None
    max_tests: int | None = None
    timeout: float | None = None
    knowledge: Known | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, known in (("ci_test", TESTS), ("score", SCORES)):  # a class that has a name goes by its name
            named = [key for key, what in known.items() if what is getattr(self, name)]
            object.__setattr__(self, name, named[0] if named else getattr(self, name))
        if not (_is_number(self.alpha) and 0 < self.alpha < 1):
            raise ElcsError(f"alpha must lie between 0 and 1, not {self.alpha!r}")
        if not (callable(self.ci_test) or self.ci_test in (AUTO, *TESTS)):
            names = ", ".join((AUTO, *TESTS))
            raise ElcsError(f"ci_test must be one of {names}, or a callable that makes a CITest, not {self.ci_test!r}")
        if not (callable(self.score) or self.score in (AUTO, *SCORES)):
            names = ", ".join((AUTO, *SCORES))
            raise ElcsError(f"score must be one of {names}, or a callable that makes a Score, not {self.score!r}")
        for name in ("max_cond_size", "max_tests"):
            size = getattr(self, name)
            if size is not None and not (is_whole(size) and 0 <= size < 2**63):
                raise ElcsError(f"{name} must be a whole number of at least 0, not {size!r}; None means no limit")
        if self.depth is not None and not (is_whole(self.depth) and 1 <= self.depth < 2**31):
            raise ElcsError(f"depth must be a whole number of at least 1, not {self.depth!r}; None means no graph")
        if self.timeout is not None and not (_is_number(self.timeout) and 0 <= self.timeout < LONGEST):
            raise ElcsError(f"timeout must be a number of seconds, not {self.timeout!r}; None means no limit")
        if self.method == AUTO:
            object.__setattr__(self, "method", None)
        if not (self.method is None or isinstance(self.method, str)):
            raise ElcsError(f"method must be the name of a method, not {self.method!r}")
        object.__setattr__(self, "knowledge", None if self.knowledge is None else understood(self.knowledge) or None)
        if not isinstance(self.options, Mapping):
            raise ElcsError(f"options must be a mapping of names to values, not {self.options!r}")
        object.__setattr__(self, "options", dict(self.options))  # what the caller does to it later is its own affair
        if self.method is not None:
            self.refuse_idle(self.given)
            for name, value in self.options.items():
                check_option(self.learner, name, value, _PLAN)

    @property
    def learner(self) -> registry.Method:
        """The method itself."""
        if self.method is None:
            raise ElcsError("this plan names no method")
        return registry.find(self.method)

    @property
    def known(self) -> Knowledge:
        """What is known beforehand; if nothing is, that."""
        return self.knowledge if isinstance(self.knowledge, Knowledge) else NOTHING

    @property
    def given(self) -> frozenset[str]:
        """The fields that differ from the defaults."""
        return frozenset([name for name, default in _DEFAULTS.items() if getattr(self, name) != default])

    @property
    def idle(self) -> frozenset[str]:
        """The fields that have no effect on the method."""
        return self.learner.without_effect

    def refuse_idle(self, names: Collection[str]) -> None:
        """Refuse those of the given fields that have no effect."""
        idle = self.idle.intersection(names)
        if "knowledge" in idle:
            raise ElcsError(f"{self.method} cannot obey what is known beforehand; choose another method")
        if "depth" in idle:
            able = [
                m.name for m in registry.methods() if m.kind in ("local", "whole") and "depth" not in m.without_effect
            ]
            raise ElcsError(f"{self.method} takes no depth=; these do: {', '.join(able)}")
        if idle:
            told = ", ".join(f"{name}=" for name in sorted(idle))
            asks = self.learner.asks
            does = f"asks for {asks}" if asks != "numbers" else "fits the numbers themselves"
            raise ElcsError(f"{told} {'has' if len(idle) == 1 else 'have'} no effect on {self.method}, which {does}")

    def with_method(self, method: str) -> Plan:
        """Return the same plan with another method, without the fields that have no effect on it."""
        idle = replace(Plan(), method=method).idle
        kept = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in idle}
        return Plan(**{**kept, "method": method})

    def make_tests(self, table: Table) -> CITest:
        """Make the test of this plan from a table."""
        make = self.ci_test
        if make == AUTO:
            make = "g2" if self.tests_by_g2(table) else "careful"
        return (TESTS[make] if isinstance(make, str) else make)(table, alpha=self.alpha)

    @property
    def by_tests_alone(self) -> bool:
        """Whether its method is known to ask for tests and for no scores."""
        return self.method is not None and self.learner.uses("tests") and not self.learner.uses("scores")

    def tests_by_g2(self, table: Table) -> bool:
        """Tell whether the test of this plan is `G2` for a table."""
        return self.ci_test == "g2" or (self.ci_test == AUTO and _all_discrete(table))

    def make_scores(self, table: Table) -> Score:
        """Make the score of this plan from a table."""
        make = self.score
        if make == AUTO:
            make = "bdeu" if _all_discrete(table) else "blocks"
        if make == "bdeu":
            return BDeu(table, ess=self.ess)
        return (SCORES[make] if isinstance(make, str) else make)(table)

    @property
    def ess(self) -> float:
        """The prior of `BDeu`, in rows, that the method takes."""
        return 1.0 if self.method is None else self.learner.ess

    def __str__(self) -> str:
        parts = [self.method or "the method of the question"]
        idle = self.idle if self.method is not None else frozenset()
        parts += [_named(self.ci_test, TESTS), f"alpha {self.alpha:g}"] if "alpha" not in idle else []
        parts += [_named(self.score, SCORES)] if "score" in self.given else []
        if "max_cond_size" not in idle:
            parts.append("sets of any size" if self.max_cond_size is None else f"sets of up to {self.max_cond_size}")
        parts += [] if self.depth is None else [f"up to {self.depth} steps away"]
        parts += [] if self.max_tests is None else [f"at most {self.max_tests:,} tests and scores"]
        parts += [] if self.timeout is None else [f"at most {self.timeout:g} s"]
        parts += [f"known: {self.known}"] if self.known else []
        parts += [f"{name} {_named(value, {})}" for name, value in self.options.items()]
        return ", ".join(parts)

    def if_portable(self) -> Plan | None:
        """Return the plan, or None if it holds somebody's own functions, which a file cannot keep."""
        values = (self.ci_test, self.score, *self.options.values())
        return None if any(map(callable, values)) else self

    def to_dict(self) -> dict[str, Any]:
        """Return the plan in plain types; a test, a score or a learner that has no name is refused."""
        return {
            **{f.name: getattr(self, f.name) for f in fields(self)},
            "ci_test": _plain("ci_test", self.ci_test, TESTS),
            "score": _plain("score", self.score, SCORES),
            "knowledge": self.known.to_dict() or None,
            "options": {name: _plain(name, value, {}) for name, value in self.options.items()},
        }

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Plan:
        """Return the plan that `to_dict` wrote down."""
        if not isinstance(plain, Mapping):
            raise ElcsError(f"a plan is a mapping of names to values, not {plain!r}")
        unknown = [name for name in plain if name not in _PLAN]
        if unknown:
            raise ElcsError(f"a plan has no {', '.join(unknown)}; it has {', '.join(_PLAN)}")
        return cls(**plain)

    def to_json(self) -> str:
        """Return `to_dict` as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Plan:
        """Return the plan that `to_json` wrote down."""
        try:
            plain = json.loads(text)
        except (TypeError, ValueError) as error:
            raise ElcsError(f"this is not the JSON of a plan: {error}") from None
        return cls.from_dict(plain)


_PLAN = tuple(f.name for f in fields(Plan))
_DEFAULTS = {f.name: f.default for f in fields(Plan) if f.name != "options"}


def is_whole(x: object) -> bool:
    """Tell whether something is a whole number, of Python or of numpy."""
    return isinstance(x, numbers.Integral) and not isinstance(x, bool)


def _all_discrete(table: Table) -> bool:
    return all(column.kind == "discrete" for column in table.columns)


def _is_number(x: object) -> bool:
    return isinstance(x, numbers.Real) and not isinstance(x, bool)


def _named(value: object, known: Mapping[str, object]) -> str:
    """Return the name of a test, a score or a learner."""
    names = [name for name, what in known.items() if what is value]
    return names[0] if names else str(getattr(value, "__name__", value))


def _plain(name: str, value: object, known: Mapping[str, object]) -> object:
    if callable(value):
        if value in known.values():
            return _named(value, known)
        raise ElcsError(f"{name}={_named(value, known)} cannot be written to a file; give it by name")
    return value
