"""What can be kept of what is seen: the page, the picture, the data behind it, what is known, and the code."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from elcs.answers.graph import CausalGraph
from elcs.answers.local import LocalStructure
from elcs.drawing.layout import layout
from elcs.drawing.svg import svg
from elcs.drawing.whole import layout_graph
from elcs.explore.session import HALF_SAMPLES, Session
from elcs.explore.state import State
from elcs.markup import shown
from elcs.study.question import GRAPH

__all__ = ["KEPT", "Kept", "kept"]

KEPT: Mapping[str, str] = {
    "answer.html": "the page",
    "answer.svg": "the picture",
    "answer.json": "the answer as JSON",
    "knowledge.toml": "what you know",
    "answer.py": "the Python that finds it",
}
"""The files that can be kept, and what they are."""

_TYPES = {
    "html": "text/html",
    "svg": "image/svg+xml",
    "json": "application/json",
    "toml": "text/plain",
    "py": "text/plain",
}


class Kept(NamedTuple):
    """A file to be kept: its text, and what kind of text that is."""

    text: str
    media_type: str


def kept(session: Session, state: State, name: str) -> Kept:
    """Make one of the files; what was counted and estimated, and is shown, is in it."""
    makers: dict[str, Callable[[Session, State], str]] = {
        "answer.html": _page,
        "answer.svg": _picture,
        "answer.json": _json,
        "knowledge.toml": lambda _, state: state.plan.known.to_toml(),
        "answer.py": code,
    }
    return Kept(makers[name](session, state), _TYPES.get(name.rsplit(".", 1)[1], "text/plain"))


def _page(session: Session, state: State) -> str:
    found = _found(session, state)
    if isinstance(found, CausalGraph):
        return found.to_html()
    stability, effects = session.known_stability(state, found.target), session.known_effects(state, found.target)
    return found.to_html(stability=stability, effects=effects)


def _picture(session: Session, state: State) -> str:
    found = _found(session, state)
    if isinstance(found, CausalGraph):
        drawn = svg(layout_graph(found), "whole", "The whole graph")
    else:
        stability = session.known_stability(state, found.target)
        shares = None if stability is None else stability.in_role(found)
        title = f"{shown(found.target)} and what it is connected with"
        drawn = svg(layout(found, shares=shares, blanket=state.blanket), "wide", title)
    return drawn.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)


def _json(session: Session, state: State) -> str:
    found = _found(session, state)
    told = found.to_dict()
    if isinstance(found, LocalStructure):
        more = {
            "stability": session.known_stability(state, found.target),
            "effects": session.known_effects(state, found.target),
        }
        told |= {name: answer.to_dict() for name, answer in more.items() if answer is not None}
    return json.dumps(told, indent=2, ensure_ascii=False)


def _found(session: Session, state: State) -> LocalStructure | CausalGraph:
    return session.graph(state) if state.target is None else session.answer(state)


def code(session: Session, state: State) -> str:
    """Write the Python that finds what is seen."""
    plan = state.plan
    if state.target is None and not plan.learner.is_of(GRAPH.kinds):
        plan = plan.with_method(GRAPH.by_tests)
    said: dict[str, Any] = {name: getattr(plan, name) for name in sorted(plan.given)}
    given = "".join(f", {name}={_written(value)}" for name, value in {**said, **session.reading}.items())
    lines = ["import elcs", ""]
    if state.target is None:
        return "\n".join([*lines, f"graph = elcs.learn_graph({session.source!r}{given})", "print(graph)", ""])
    for name, target in (("result", state.target), ("beside", state.beside)):
        if target is not None:
            lines += [f"{name} = elcs.learn({session.source!r}, {target!r}{given})", f"print({name})"]
            lines += [f"print({name}.stability({HALF_SAMPLES}))"] if state.stability else []
            lines += [f"print({name}.effects())"] if state.effects else []
    return "\n".join([*lines, ""])


def _written(value: object) -> str:
    text = repr(value)
    return f"elcs.{text}" if text.startswith("Knowledge(") else text
