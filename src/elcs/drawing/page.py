"""A result as one self-contained HTML page: the picture, the evidence, the data, the run.

Everything shown is in the page as escaped text; the script only shows, hides and sorts it. Names of columns may hold
anything, so a policy in the page forbids every script but this one.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING

from elcs.answers.evidence import CitedTest, Direction, Evidence, say_p
from elcs.answers.explanation import say_r
from elcs.answers.local import MarkovBlanket, what_was_asked
from elcs.answers.roles import ROLES
from elcs.data.naming import counted
from elcs.data.profile import Profile
from elcs.drawing.effects_section import section
from elcs.drawing.layout import layout, roles_of
from elcs.drawing.picture import Box, Link
from elcs.drawing.style import WORDS, Drawn
from elcs.drawing.svg import svg, swatch
from elcs.drawing.text import shown
from elcs.learners.registry import methods
from elcs.version import __version__

if TYPE_CHECKING:
    from elcs.answers.effects import Effects
    from elcs.answers.stability import Stability

__all__ = ["page"]

_WIDE, _NARROW = 800.0, 336.0
_NONE = "–"
_NOTHING = "<p>Nothing in the table is connected with it.</p>"
_SETTINGS = {
    "ci_test": "test",
    "alpha": "level of significance",
    "score_rows": "rows that scores compare",
    "max_cond_size": "largest conditioning set",
    "knowledge": "known beforehand",
}


def page(result: MarkovBlanket, *, stability: Stability | None = None, effects: Effects | None = None) -> str:
    """Write the page.

    Parameters
    ----------
    result : MarkovBlanket
        What to show.
    stability : Stability, optional
        How often each variable comes back: to be shown in its box, in a column of the table and with its evidence.
    effects : Effects, optional
        What setting the causes of the target would do: a section of its own.

    Examples
    --------
    >>> import elcs
    >>> print(page(elcs.learn(elcs.data.SAMPLE, "churn"))[:15])
    <!DOCTYPE html>
    """
    return _Page(result, stability, effects).text()


class _Page:
    """The parts of the page of one result."""

    def __init__(self, result: MarkovBlanket, stability: Stability | None, effects: Effects | None) -> None:
        self.result, self.stability, self.effects = result, stability, effects
        self.labels = {} if stability is None else stability.labels(result)
        self.evidence = result.evidence
        self.profile = result.profile
        others = [*result.markov_blanket, *self.evidence]
        self.ids = {name: f"v{i}" for i, name in enumerate(dict.fromkeys((result.target, *others)))}
        self.statistic = result.statistic
        self.roles = roles_of(result)

    def text(self) -> str:
        css, js = (files("elcs.drawing").joinpath(f"page.{kind}").read_text("utf-8") for kind in ("css", "js"))
        target = _clean(self.result.target)
        text = Template(files("elcs.drawing").joinpath("page.html").read_text("utf-8")).substitute(
            css=css,
            js=js,
            css_hash=_hash(css),
            js_hash=_hash(js),
            title=f"{target} – elcs",
            target=target,
            summary=self._summary(),
            warnings=_listed("warnings", self._warnings()),
            pictures=self._pictures(),
            articles="\n".join([self._overview(), *(self._article(x) for x in self.ids if x != self.result.target)]),
            effects="" if self.effects is None else section(self.effects),
            variables=self._variables(),
            profile=self._profile(),
            run=self._run(),
            version=__version__,
            citation=self._citation(),
        )
        return text.encode("utf-8", "replace").decode("utf-8")

    # At the top

    def _summary(self) -> str:
        told = f"Direct causes, direct effects and Markov blanket, found by {_clean(self.result.method)}"
        if self.profile is None:
            return f"{told}."
        return f"{told} in {_size(self.profile)}."

    def _warnings(self) -> Iterator[str]:
        if not self.result.complete:
            yield "The run was stopped before the end; what was settled by then is shown."
        tested = [e.association for e in self.evidence.values() if e.association is not None]
        too_few = [test for test in tested if not test.result.reliable]
        if too_few and len(too_few) == len(tested):
            yield "There are too few rows to test any variable with the target; nothing can be concluded."
        elif too_few:
            yield f"There are too few rows to test {len(too_few)} of the {len(tested)} variables with the target."
        for conflict in self.result.conflicts:
            yield _prose(conflict.say())
        if self.profile is not None and self.profile.dropped:
            yield f"Columns that were left out: {', '.join(_clean(name) for name, _ in self.profile.dropped)}."

    def _pictures(self) -> str:
        title = f"{shown(self.result.target)} and what it is connected with"

        def told(drawn: Box | Link) -> tuple[str, str]:
            if isinstance(drawn, Box):
                role = WORDS[drawn.role] + (f", {drawn.label}" if drawn.label else "")
                return self.ids[drawn.name], f"{shown(drawn.name)}: {role}"
            joined = "–" if drawn.head is None else "→"
            said = ", from what you said" if drawn.known else ""
            return self.ids[drawn.variable], f"{shown(drawn.start)} {joined} {shown(drawn.end)}{said}"

        sizes = (("wide", _WIDE), ("narrow", _NARROW))
        return "\n".join(
            svg(layout(self.result, width=width, labels=self.labels), kind, title, told) for kind, width in sizes
        )

    # Evidence

    def _overview(self) -> str:
        """Write what is shown before anything is chosen: the answer in a list."""
        r = self.result
        spouses = (f"{self._linked(names)} (of {_name(child)})" for child, names in r.spouses.items())
        rows = {
            "direct causes": self._linked(r.parents),
            "direct effects": self._linked(r.children),
            "cause or effect" if r.complete else "not settled": self._leaning(),
            "other causes": "; ".join(spouses),
            "in the blanket": self._linked(r.members),
        }
        found = _definitions({term: text for term, text in rows.items() if text}) if r.markov_blanket else _NOTHING
        return (
            f'<article id="{self.ids[r.target]}" class="blanket"><h3>{_name(r.target)}</h3>'
            f'<p class="role">{swatch("target")}{WORDS["target"]}</p>{found}</article>'
        )

    def _article(self, name: str) -> str:
        role = self.roles.get(name, "other")
        kind = ' class="blanket"' if role != "other" else ""
        told = [f'<article id="{self.ids[name]}"{kind}><h3>{_name(name)}</h3><p class="role">{self._role(name)}</p>']
        evidence = self.evidence.get(name)
        if evidence is None:
            told.append("<p>The evidence was not kept.</p>")
        else:
            told.append(f"<p>{_prose(self.result.explain(name))}</p>")
            if evidence.direction is not None:
                told.append(f"<p>Rule: {_clean(evidence.direction.rule)}.</p>")
            told.append(self._tests(evidence))
        if self.stability:
            told.append(f"<p>{_clean(self.stability.say(name))}</p>")
        return "".join(told) + "</article>"

    def _tests(self, evidence: Evidence) -> str:
        rows: dict[tuple[str, str, tuple[str, ...]], str] = {}
        for claim, test in _cited(evidence):
            rows.setdefault((test.x, test.y, test.given), self._test(claim, test))
        return _listed("tests", rows.values())

    def _test(self, claim: str, test: CitedTest) -> str:
        r = test.result
        given = f" given {', '.join(map(_name, test.given))}" if test.given else ""
        numbers = ""
        if r.dof > 0 and r.reliable:
            correlation = "" if test.correlation is None else f"{say_r(test.correlation)}, "
            numbers = f"{correlation}{self.statistic} = {r.statistic:,.1f}, df = {r.dof}, {escape(test.said)}: "
        outcome = "too few rows to test" if not r.reliable else "independent" if r.independent else "dependent"
        return (
            f'<span class="claim">{_clean(claim)}</span>{_name(test.x)} and {_name(test.y)}{given}<br>'
            f"{numbers}<strong>{outcome}</strong>"
        )

    # The table

    def _variables(self) -> str:
        heads = [("variable", ""), ("role", " data-numeric")]
        heads += [("comes back", ' class="number"')] if self.stability else []
        correlated = any(evidence.correlation is not None for evidence in self.evidence.values())
        heads += [("r", ' class="number"')] if correlated else []
        heads += [(self.statistic, ' class="number"'), ("p-value", ' class="number"'), ("separating set", "")]
        order: list[Drawn] = list(WORDS)
        names = sorted((x for x in self.ids if x != self.result.target), key=lambda x: order.index(self._drawn(x)))
        rows = []
        for name in names:
            evidence = self.evidence.get(name)
            cells = [
                f'<th scope="row">{self._linked([name])}</th>',
                f'<td class="words" data-value="{order.index(self._drawn(name))}">'
                f'<span class="role">{self._role(name)}</span></td>',
            ]
            if self.stability:
                label = self.labels.get(name, "")
                number = "".join(c for c in label if c.isdigit() or c == ".")
                cells.append(f'<td class="number" data-value="{number}">{_clean(label) if label else _NONE}</td>')
            if correlated:
                cells.append(_correlation(evidence.correlation if evidence else None))
            cells += _association(evidence.association if evidence else None)
            cells.append(_separating(evidence.separated_by if evidence else None))
            rows.append(f"<tr>{''.join(cells)}</tr>")
        head = "".join(f'<th scope="col"{kind}><button type="button">{text}</button></th>' for text, kind in heads)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"

    def _drawn(self, name: str) -> Drawn:
        return self.roles.get(name, "other")

    def _role(self, name: str) -> str:
        role = self._drawn(name)
        shared = [y for y, names in self.result.spouses.items() if name in names] if role == "spouse" else []
        words = f"other cause of {', '.join(map(_name, shared))}" if shared else WORDS[role]
        return f"{swatch(role)}<span>{words}</span>"

    def _linked(self, names: Iterable[str]) -> str:
        return ", ".join(f'<a href="#{self.ids[x]}" data-shows="{self.ids[x]}">{_name(x)}</a>' for x in names)

    def _leaning(self) -> str:
        """List the neighbours without direction, with the side that each leans to."""
        leans = {x: f" (leans to {ROLES[role].short})" for x, role in self.result.leanings.items()}
        return ", ".join(self._linked([x]) + leans.get(x, "") for x in self.result.undirected)

    # The rest

    def _profile(self) -> str:
        if self.profile is None:
            return "<p>The answer does not come from a table.</p>"
        p = self.profile
        columns = zip(p.names, p.kinds, p.n_levels, p.first_levels, p.missing, strict=True)
        rows = "".join(
            f'<tr><th scope="row">{_name(name)}</th><td>{_clean(kind)}</td><td class="number">{n_levels or _NONE}</td>'
            f'<td class="number">{missing:,}</td>'
            f'<td class="words">{", ".join(_clean(str(level)) for level in first)}'
            f"{', …' if n_levels > len(first) else ''}</td></tr>"
            for name, kind, n_levels, first, missing in columns
        )
        dropped = [f"{_name(name)} ({_clean(reason)})" for name, reason in p.dropped]
        return (
            f"<p>{_size(p)}{self._gaps()}.</p>"
            '<div class="scroll" tabindex="0" role="region" aria-labelledby="data-heading"><table><thead><tr>'
            '<th scope="col">column</th><th scope="col">kind</th><th scope="col" class="number">levels</th>'
            '<th scope="col" class="number">missing</th><th scope="col">first levels</th></tr></thead>'
            f"<tbody>{rows}</tbody></table></div>"
            + (f"<p>Left out:</p>{_listed('dropped', dropped)}" if dropped else "")
            + (f"<p>Look at:</p>{_listed('remarks', map(_clean, p.remarks))}" if p.remarks else "")
        )

    def _gaps(self) -> str:
        background = self.result.background
        return "".join(f"; {_clean(line)}" for line in background.say_gaps()) if background is not None else ""

    def _run(self) -> str:
        r = self.result
        rows = {"method": _clean(r.method)}
        rows |= {_SETTINGS.get(key, _clean(key)): _clean(_said(value)) for key, value in r.settings.items()}
        rows |= {
            what_was_asked(r.settings): f"{r.n_tests:,} asked for, {r.n_computed:,} computed",
            "time": f"{r.seconds * 1e3:,.1f} ms",
            "complete": "yes" if r.complete else "no, it was stopped before the end",
        }
        return _definitions(rows)

    def _citation(self) -> str:
        found = [method.citation for method in methods() if method.name == self.result.method]
        return f"<p>The method {_clean(self.result.method)}: {_clean(found[0])}</p>" if found else ""


def _size(profile: Profile) -> str:
    return f"{counted(profile.total, 'observation')} of {counted(len(profile.names), 'column')}"


def _cited(evidence: Evidence) -> Iterator[tuple[str, CitedTest]]:
    """Yield every test that the evidence cites, with what it is cited for."""
    if evidence.association is not None:
        yield "association", evidence.association
    if evidence.separated_by is not None:
        yield "no direct connection", evidence.separated_by
    if evidence.opened_by is not None:
        yield "shared effect", evidence.opened_by
    directions = [direction for direction in (evidence.direction, evidence.leans) if direction is not None]
    for disagreement in evidence.disagreements:
        directions += [disagreement.first, disagreement.second]
    for direction in directions:
        yield from _cited_for(direction)


def _cited_for(direction: Direction) -> Iterator[tuple[str, CitedTest]]:
    for test in direction.tests:
        yield f"{direction.cause} → {direction.effect} ({direction.rule})", test
    for premise in direction.premises:
        yield from _cited_for(premise)


def _correlation(r: float | None) -> str:
    if r is None:
        return f'<td class="number" data-value="">{_NONE}</td>'
    return f'<td class="number" data-value="{r!r}">{r:.2g}</td>'


def _association(test: CitedTest | None) -> list[str]:
    if test is None:
        return [f'<td class="number" data-value="">{_NONE}</td>'] * 2
    r = test.result
    if not r.reliable:
        p = '<td class="number" data-value="">too few rows</td>'
    else:
        p = f'<td class="number" data-value="{r.p_value!r}">{escape(say_p(r.p_value))}</td>'
    statistic = _NONE if r.dof == 0 else f"{r.statistic:,.1f}"
    return [f'<td class="number" data-value="{r.statistic!r}">{statistic}</td>', p]


def _separating(test: CitedTest | None) -> str:
    if test is None or not test.result.reliable:
        return f'<td data-value="">{_NONE}</td>'
    return f'<td class="words">{", ".join(map(_name, test.given)) or "none needed"}</td>'


def _said(value: object) -> str:
    return "no limit" if value is None else str(value)


def _definitions(rows: Mapping[str, str]) -> str:
    return "<dl>" + "".join(f"<dt>{term}</dt><dd>{text}</dd>" for term, text in rows.items()) + "</dl>"


def _listed(kind: str, items: Iterable[str]) -> str:
    made = "".join(f"<li>{item}</li>" for item in items)
    return f'<ul class="{kind}">{made}</ul>' if made else ""


def _name(name: str) -> str:
    return f"<bdi>{_clean(name)}</bdi>"


def _clean(text: str) -> str:
    """Escape text from anywhere so that it is nothing but text."""
    return escape(shown(text))


def _prose(text: str) -> str:
    """Write sentences so that no line ends within an arrow or a p-value."""
    return _clean(text).replace(" -&gt; ", " → ").replace("(p = ", "(p&nbsp;=&nbsp;")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
