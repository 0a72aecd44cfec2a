"""Pieces of pages: names, sentences, tests, lists, tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape

from elcs.answers.evidence import CitedTest, Direction, Evidence, say_p
from elcs.answers.explanation import say_r
from elcs.markup import clean

__all__ = [
    "NONE",
    "association",
    "correlation",
    "definitions",
    "listed",
    "named",
    "prose",
    "separating",
    "sortable",
    "tests",
]

NONE = "–"


def named(name: str) -> str:
    """Write a name, whatever the direction of its letters; a line may end after an underscore in it."""
    return f"<bdi>{clean(name).replace('_', '_<wbr>')}</bdi>"


def prose(text: str) -> str:
    """Write sentences so that no line ends within an arrow or a p-value."""
    return clean(text).replace(" -&gt; ", " → ").replace("(p = ", "(p&nbsp;=&nbsp;")


def definitions(rows: Mapping[str, str]) -> str:
    """Write terms, each with what there is to say about it."""
    return "<dl>" + "".join(f"<dt>{term}</dt><dd>{text}</dd>" for term, text in rows.items()) + "</dl>"


def listed(kind: str, items: Iterable[str]) -> str:
    """Write a list; nothing if there is nothing to list."""
    made = "".join(f"<li>{item}</li>" for item in items)
    return f'<ul class="{kind}">{made}</ul>' if made else ""


def sortable(heads: Sequence[tuple[str, str]], rows: Iterable[Sequence[str]]) -> str:
    """Write a table that can be sorted by each column: headings with their attributes, and rows of cells."""
    head = "".join(f'<th scope="col"{kind}><button type="button">{text}</button></th>' for text, kind in heads)
    body = "".join(f"<tr>{''.join(cells)}</tr>" for cells in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def tests(evidence: Evidence, statistic: str) -> str:
    """List the tests that evidence rests on, each once."""
    rows: dict[tuple[str, str, tuple[str, ...]], str] = {}
    for claim, test in _cited(evidence):
        rows.setdefault((test.x, test.y, test.given), _test(claim, test, statistic))
    return listed("tests", rows.values())


def _test(claim: str, test: CitedTest, statistic: str) -> str:
    r = test.result
    given = f" given {', '.join(map(named, test.given))}" if test.given else ""
    numbers = ""
    if r.dof > 0 and r.reliable:
        correlated = "" if test.correlation is None else f"{say_r(test.correlation)}, "
        numbers = f"{correlated}{statistic} = {r.statistic:,.1f}, df = {r.dof}, {escape(test.said)}: "
    outcome = "too few rows to test" if not r.reliable else "independent" if r.independent else "dependent"
    return (
        f'<span class="claim">{clean(claim)}</span>{named(test.x)} and {named(test.y)}{given}<br>'
        f"{numbers}<strong>{outcome}</strong>"
    )


def _cited(evidence: Evidence) -> Iterator[tuple[str, CitedTest]]:
    """Yield every test that the evidence cites, with what it is cited for."""
    if evidence.association is not None:
        yield "association", evidence.association
    if evidence.separated_by is not None:
        alone = " by tests alone" if evidence.connected else ""
        yield f"no direct connection{alone}", evidence.separated_by
    if evidence.opened_by is not None:
        yield "shared effect", evidence.opened_by
    directions = [direction for direction in (evidence.direction, evidence.leans, evidence.taken_back) if direction]
    for disagreement in evidence.disagreements:
        directions += [disagreement.first, disagreement.second]
    for direction in directions:
        yield from _cited_for(direction)


def _cited_for(direction: Direction) -> Iterator[tuple[str, CitedTest]]:
    for test in direction.tests:
        yield f"{direction.cause} → {direction.effect} ({direction.rule})", test
    for premise in direction.premises:
        yield from _cited_for(premise)


def correlation(r: float | None) -> str:
    """Write a correlation as a cell of a table."""
    if r is None:
        return f'<td class="number" data-value="">{NONE}</td>'
    return f'<td class="number" data-value="{r!r}">{r:.2g}</td>'


def association(test: CitedTest | None) -> list[str]:
    """Write the statistic and the p-value of a test as cells of a table."""
    if test is None:
        return [f'<td class="number" data-value="">{NONE}</td>'] * 2
    r = test.result
    if not r.reliable:
        p = '<td class="number" data-value="">too few rows</td>'
    else:
        p = f'<td class="number" data-value="{r.p_value!r}">{escape(say_p(r.p_value))}</td>'
    statistic = NONE if r.dof == 0 else f"{r.statistic:,.1f}"
    return [f'<td class="number" data-value="{r.statistic!r}">{statistic}</td>', p]


def separating(test: CitedTest | None) -> str:
    """Write the set that separates two variables as a cell of a table."""
    if test is None or not test.result.reliable:
        return f'<td data-value="">{NONE}</td>'
    return f'<td class="words">{", ".join(map(named, test.given)) or "none needed"}</td>'
