"""The options of a method: whether it takes them, and what a learner is given for them."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping
from typing import Any

from elcs.errors import ElcsError
from elcs.learners import registry

__all__ = ["check_option", "options_for"]


def check_option(method: registry.Method, name: str, value: Any, others: Collection[str]) -> None:
    """Refuse an option that a method does not take; `others` is what else somebody may have meant."""
    if name not in method.options:
        takes = f"it takes {', '.join(method.options)}" if method.options else "it takes none"
        near = difflib.get_close_matches(str(name), [*method.options, *others], n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise ElcsError(f"{method.name} takes no option {name!r}; {hint}{takes}")
    named = _learner_named(name, value)
    if named is not None and named.asks != method.asks:
        raise ElcsError(f"{value!r} asks for {named.asks}, {method.name!r} for {method.asks}; they cannot be combined")


def options_for(learner: registry.Method, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a learner is given for the options of a plan; those that have no effect on it are refused."""
    idle = [name for name in options if name not in learner.keywords]
    if idle:
        what = "whole graphs" if learner.kind == "whole" else "one variable"
        raise ElcsError(f"{idle[0]}= has no effect on {what} by {learner.name}")
    named = {name: _learner_named(name, value) for name, value in options.items()}
    return {name: options[name] if found is None else found.learn for name, found in named.items()}


def _learner_named(name: str, value: Any) -> registry.Method | None:
    """Return the learner that the value of an option names, if it does."""
    if name not in ("pc", "blanket") or not isinstance(value, str):
        return None
    return registry.find(value, "pc" if name == "pc" else "blanket")
