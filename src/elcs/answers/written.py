"""Answers written down: as lines of text for people, and in plain types for JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from elcs.answers.background import background_as_dict
from elcs.answers.roles import ROLES
from elcs.answers.steady import say_directions, unchecked
from elcs.data.naming import counted, one_line
from elcs.learners.separators import Separators

if TYPE_CHECKING:
    from elcs.answers.blanket import MarkovBlanket
    from elcs.answers.graph import CausalGraph
    from elcs.graph.pdag import Edge

__all__ = ["as_text", "blanket_as_dict", "edges_as_text", "graph_as_dict", "graph_as_text", "what_was_asked"]

_MOST_NAMED = 10


def as_text(result: MarkovBlanket) -> str:
    """Write who is what to the target, and what that rests on."""
    lines = [f"{result.target} ({result.method})"]
    lines += [f"  {label:<16} {text or '-'}" for label, text in _roles(result).items()]
    return "\n".join(map(one_line, [*lines, *(f"  {line}" for line in say_directions(result)), *_run(result)]))


def _roles(result: MarkovBlanket) -> dict[str, str]:
    spouses = (f"{', '.join(names)} (of {child})" for child, names in result.spouses.items())
    leanings = result.leanings
    rows = {
        "direct causes": ", ".join(result.parents),
        "direct effects": ", ".join(result.children),
        "cause or effect" if result.complete else "not settled": ", ".join(
            f"{x} (leans to {ROLES[leanings[x]].short})" if x in leanings else x for x in result.undirected
        ),
        "other causes": "; ".join(spouses),
    }
    if result.members:
        rows["blanket"] = ", ".join(result.members)
    if result.from_knowledge:
        rows["you said"] = "; ".join(dict.fromkeys(result.from_knowledge.values()))
    if result.not_tested:
        more = f" and {len(result.not_tested) - _MOST_NAMED} more" if len(result.not_tested) > _MOST_NAMED else ""
        rows["not tested"] = f"{', '.join(result.not_tested[:_MOST_NAMED])}{more} (too few rows)"
    if result.profile is not None and result.profile.dropped:
        rows["left out"] = "; ".join(f"{name} ({why})" for name, why in result.profile.dropped)
    return rows


def graph_as_text(graph: CausalGraph) -> str:
    """Write the edges, and what they rest on."""
    return "\n".join([edges_as_text(graph), *_run(graph)])


def edges_as_text(graph: CausalGraph) -> str:
    """Write the edges, one in a line; first of all that they are not all, if the run was stopped."""
    said = {arrow: f" (you said: {why})" for arrow, why in graph.from_knowledge.items()}
    lines = [
        *([] if graph.complete else ["the run was stopped before the end; what is not shown is not settled"]),
        f"{len(graph.nodes)} variables, {counted(len(graph.edges), 'edge')} ({graph.method})",
        *(f"  {a} -> {b}{said.get((a, b), '')}" for a, b in graph.directed),
        *(f"  {a} - {b}{_leaning(graph, a, b)}" for a, b in graph.undirected),
        *(f"  {line}" for line in say_directions(graph)),
    ]
    return "\n".join(lines)


def _leaning(graph: CausalGraph, a: str, b: str) -> str:
    if not graph.complete:
        return " (not settled)"
    return next((f" (leans to {x} -> {y})" for x, y in ((a, b), (b, a)) if (x, y) in graph.leanings), "")


def _run(answer: MarkovBlanket | CausalGraph) -> Iterator[str]:
    """Yield what the answer rests on and what it took, in lines."""
    if answer.background is not None:
        yield from (f"  {line}" for line in answer.background.say(answer.settings))
    asked = f"{answer.n_tests:,} {what_was_asked(answer.settings)} ({answer.n_computed:,} computed)"
    yield f"  {asked}, {answer.seconds * 1e3:,.1f} ms" + ("" if answer.complete else "; stopped before the end")


def what_was_asked(settings: Mapping[str, Any]) -> str:
    """Say whether a run with these settings asked for tests, scores or both; one that did neither evaluated a fit."""
    asked = [what for what, setting in (("tests", "ci_test"), ("scores", "score")) if setting in settings]
    return " and ".join(asked) or "evaluations"


def blanket_as_dict(result: MarkovBlanket) -> dict[str, Any]:
    """Return everything about a blanket in plain types, evidence included."""
    return {
        "target": result.target,
        "method": result.method,
        "parents": list(result.parents),
        "children": list(result.children),
        "undirected": list(result.undirected),
        "leanings": dict(result.leanings),
        "spouses": {child: list(names) for child, names in result.spouses.items()},
        "markov_blanket": list(result.markov_blanket),
        **_run_as_dict(result),
        "not_tested": list(result.not_tested),
        "left_out": dict(result.profile.dropped) if result.profile is not None else {},
        "conflicts": [conflict.to_dict() for conflict in result.conflicts],
        "evidence": {x: evidence.to_dict() for x, evidence in result.evidence.items()},
    }


def graph_as_dict(graph: CausalGraph) -> dict[str, Any]:
    """Return everything about a whole graph in plain types, the evidence for every edge included.

    Of the pairs that are independent with nothing held fixed only the number is given: two thousand columns have
    millions.
    """
    apart = Separators.of(graph.nodes, graph.separators)
    return {
        "method": graph.method,
        "nodes": list(graph.nodes),
        "directed": [list(edge) for edge in graph.directed],
        "undirected": [list(edge) for edge in graph.undirected],
        "leanings": [{"cause": a, "effect": b, "margin": margin} for (a, b), margin in graph.leanings.items()],
        "separators": [{"pair": sorted(pair), "given": list(given)} for pair, given in apart.sets.items()],
        "independent_pairs": apart.n_independent,
        "conflicts": [{"edge": list(conflict.edge), **conflict.to_dict()} for conflict in graph.conflicts],
        **_run_as_dict(graph),
        "evidence": [{"pair": [*edge], **known.to_dict()} for edge, known in graph.evidence_of_edges().items()],
    }


def _run_as_dict(answer: MarkovBlanket | CausalGraph) -> dict[str, Any]:
    """Return what was asked of which data, and what that took."""
    return {
        "complete": answer.complete,
        "n_tests": answer.n_tests,
        "n_computed": answer.n_computed,
        "seconds": answer.seconds,
        "half_samples": answer.half_samples,
        "unchecked_directions": unchecked(answer),
        "settings": dict(answer.settings),
        "knowledge": None if answer.plan is None else answer.plan.known.to_dict() or None,
        "from_knowledge": [_as_dict(arrow, said) for arrow, said in answer.from_knowledge.items()],
        **background_as_dict(answer.background, answer.settings),
    }


def _as_dict(arrow: Edge, said: str) -> dict[str, str]:
    return {"cause": arrow[0], "effect": arrow[1], "said": said}
