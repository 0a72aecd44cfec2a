"""The questions of the package, and how their keywords are interpreted."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

from elcs.data import Reading
from elcs.data.reading import ReadingKeywords
from elcs.errors import ElcsError
from elcs.learners import registry
from elcs.learners.method import Kind
from elcs.study.plan import Plan, PlanKeywords

__all__ = ["BLANKET", "COMPARE", "EFFECT", "EXPLORE", "GRAPH", "LEARN", "STABILITY", "Asked", "Keywords", "Question"]

Asking = TypeVar("Asking", bound=Callable[..., Any])


class Keywords(PlanKeywords, ReadingKeywords, total=False):
    """What every question takes: how to find out, and how to read the table.

    Any other keyword is an option of the method; type checkers accept those only in `options`.
    """


_DEFAULT = Plan()
_AS_IT_IS = Reading()
_PLAN = tuple(f.name for f in fields(Plan))
_READING = tuple(f.name for f in fields(Reading))


def _merged(options: object, loose: Mapping[str, Any]) -> dict[str, Any]:
    """Join the options of the method that were given as such with those that were given loose."""
    if not isinstance(options, Mapping):
        raise ElcsError(f"options must be a mapping of names to values, not {options!r}")
    twice = [name for name in loose if name in options]
    if twice:
        raise ElcsError(f"{twice[0]!r} is given twice: as a keyword, and in options=")
    return {**options, **loose}


class Question(NamedTuple):
    """One of the questions of the package.

    Attributes
    ----------
    name : str
        What it is called.
    method : str
        The method it takes by default.
    by_tests : str
        The method it takes by default where there are no scores, as there is no table.
    kinds : tuple of str
        The kinds of methods it can take.
    refuses : tuple of str
        The keywords that make no sense here.
    """

    name: str
    method: str
    by_tests: str
    kinds: tuple[Kind, ...]
    refuses: tuple[str, ...] = ()

    @property
    def without_table(self) -> Question:
        """The same question where there is no table: the default is a method by tests alone."""
        return self._replace(method=self.by_tests)

    def put(self, plan: Plan | None, keywords: Mapping[str, Any]) -> Asked:
        """Interpret the keywords of a question, on top of a plan if there is one."""
        items = tuple(keywords.items())
        simple = "knowledge" not in keywords and all(isinstance(value, str | float | None) for _, value in items)
        if plan is None and simple:  # a file of knowledge may have changed
            asked = _understood(self, items)
            registry.find(str(asked.plan.method), *self.kinds)  # somebody may have registered another since
            return asked
        return self._put(plan, keywords)

    def _put(self, plan: Plan | None, keywords: Mapping[str, Any]) -> Asked:
        said, reading, loose = self._sorted_out(plan, keywords)
        before = plan or _DEFAULT
        given = before.given.union(said)
        said["options"] = {**before.options, **_merged(said.get("options", {}), loose)}
        method = said.get("method")
        said["method"] = (before.method or self.method) if method is None else method
        made = replace(before, **said)
        registry.find(str(made.method), *self.kinds)
        made.refuse_idle(given)
        for name in self.refuses:
            if getattr(made, name) is not None:
                raise ElcsError(f"{self.name} takes no {name}=")
        chosen = None if {"method", "score"} & given else self.by_tests
        return Asked(made, reading, given, chosen)

    def _sorted_out(
        self, plan: Plan | None, keywords: Mapping[str, Any]
    ) -> tuple[dict[str, Any], Reading, dict[str, Any]]:
        """Sort keywords into fields of the plan, fields of the reading, and options of the method."""
        if not (plan is None or isinstance(plan, Plan)):
            raise ElcsError(f"plan must be an elcs.Plan, not {plan!r}; elcs.Plan.from_dict makes one of a dict")
        said: dict[str, Any] = {}
        reading: dict[str, Any] = {}
        loose: dict[str, Any] = {}
        for name, value in keywords.items():
            (said if name in _PLAN else reading if name in _READING else loose)[name] = value
        return said, Reading(**reading) if reading else _AS_IT_IS, loose

    def put_to_each(self, methods: Sequence[str], plan: Plan | None, keywords: Mapping[str, Any]) -> list[Asked]:
        """Interpret the keywords of a question to several methods; each must have an effect on at least one of them."""
        said, reading, loose = self._sorted_out(plan, keywords)
        if plan is not None and plan.method is not None and plan.method not in methods:
            raise ElcsError(f"the plan names the method {plan.method}, which is not among methods=")
        shared = replace(plan or _DEFAULT, **{**said, "method": None})
        unknown = [*loose, *shared.options, *(["method"] if "method" in said else [])]
        if unknown:
            raise ElcsError(f"{self.name} takes no {unknown[0]}=; methods are compared without options of their own")
        refused = [name for name in self.refuses if name in shared.given]
        if refused:
            raise ElcsError(f"{self.name} takes no {refused[0]}=")
        given = shared.given.union(said)
        plans = [shared.with_method(found.name) for found in registry.find_all(dict.fromkeys(methods), *self.kinds)]
        for one in plans if shared.known else ():
            one.refuse_idle(["knowledge"])
        idle = [name for name in given if all(name in one.idle for one in plans)]
        if idle:
            raise ElcsError(f"{idle[0]}= has no effect on any of the methods {', '.join(methods)}")
        return [Asked(one, reading, given) for one in plans]

    def takes_keywords(self, function: Asking) -> Asking:
        """List the keywords one by one in the signature of a function, for `help` to show."""
        signature = inspect.signature(function)
        own = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
        rest = [p for p in signature.parameters.values() if p.kind is p.VAR_KEYWORD]
        added = [
            inspect.Parameter(f.name, inspect.Parameter.KEYWORD_ONLY, default=self._default(f.name), annotation=f.type)
            for f in (*fields(Plan), *fields(Reading))
            if f.name not in signature.parameters and f.name not in self.refuses
        ]
        function.__signature__ = signature.replace(parameters=[*own, *added, *rest])  # type: ignore[attr-defined]
        return function

    def _default(self, name: str) -> Any:
        if name == "method":
            return self.method
        return getattr(Plan if name in _PLAN else Reading, name, None)


class Asked(NamedTuple):
    """A question as it was put.

    Attributes
    ----------
    plan : Plan
        How to find out.
    reading : Reading
        How to read the table.
    given : set of str
        The fields of the plan that were set, even if to their defaults.
    by_tests : str or None
        The method to take if it turns out that there are no scores; None if somebody chose one.
    """

    plan: Plan
    reading: Reading
    given: frozenset[str]
    by_tests: str | None = None


@lru_cache(maxsize=64)
def _understood(question: Question, items: tuple[tuple[str, Any], ...]) -> Asked:
    """Interpret each question once: a repeated one saves 8 of the 300 µs that IAMB takes for a column of Alarm."""
    return question._put(None, dict(items))


_ANY: tuple[Kind, ...] = ("local", "whole", "blanket", "pc")

LEARN = Question("learn", "elcs-hybrid", "elcs-exact", ("local", "whole"))
BLANKET = Question("blanket", "emb-exact", "emb-exact", ("blanket", "pc"), refuses=("depth",))
GRAPH = Question("learn_graph", "elcs-hybrid", "elcs-global", ("whole",), refuses=("depth",))
EFFECT = Question("effect", LEARN.method, LEARN.by_tests, LEARN.kinds, refuses=("depth",))
EXPLORE = Question("explore", LEARN.method, LEARN.by_tests, LEARN.kinds, refuses=("depth",))
STABILITY = Question("stability", "elcs-hybrid", "elcs-exact", _ANY, refuses=("max_tests", "depth"))
COMPARE = Question("compare", "elcs-hybrid", "elcs-exact", _ANY, refuses=("method", "options", "depth"))
