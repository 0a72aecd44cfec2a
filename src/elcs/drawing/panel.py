"""The picture and the evidence of one result, as pieces of HTML that any page can hold.

`Panel(result).picture()` is the picture, `Panel(result).articles()` what is shown when something in it is chosen: each
box and each line names the article that belongs to it (``data-shows``).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from elcs.answers.roles import ROLES
from elcs.drawing.choice import SEVERAL, collapsed, roles_of
from elcs.drawing.fragments import definitions, named, prose, tests
from elcs.drawing.layout import layout
from elcs.drawing.picture import Box, Link
from elcs.drawing.style import WORDS, Drawn
from elcs.drawing.svg import Told, svg, swatch
from elcs.markup import clean, shown

if TYPE_CHECKING:
    from elcs.answers.blanket import MarkovBlanket
    from elcs.answers.stability import Stability

__all__ = ["NARROW", "WIDE", "Panel"]

WIDE, NARROW = 800.0, 336.0
"""The greatest widths of pictures, for a screen and for a telephone."""

_NOTHING = "<p>Nothing in the table is connected with it.</p>"


class Panel:
    """The picture and the evidence of one result.

    Parameters
    ----------
    result : MarkovBlanket
        What to show.
    stability : Stability, optional
        How often each variable comes back: to be shown in its box and with its evidence.
    prefix : str
        What the ids of its articles begin with, where a page holds several panels.
    blanket : bool
        Whether to draw the whole blanket; if not, the neighbours alone.

    Attributes
    ----------
    ids : dict
        For each variable, the id of the article about it.

    Examples
    --------
    >>> import elcs
    >>> panel = Panel(elcs.learn(elcs.data.SAMPLE, "churn"))
    >>> panel.picture()[:4], panel.article("contract")[:21]
    ('<svg', '<article id="v1" clas')
    """

    def __init__(
        self, result: MarkovBlanket, stability: Stability | None = None, *, prefix: str = "", blanket: bool = True
    ) -> None:
        self.result, self.stability, self.blanket = result, stability, blanket
        self.shares = {} if stability is None else stability.in_role(result)
        self.evidence = result.evidence
        others = [*result.markov_blanket, *self.evidence]
        self.ids = {name: f"{prefix}v{i}" for i, name in enumerate(dict.fromkeys((result.target, *others)))}
        self.roles = roles_of(result)
        _, hidden = collapsed(result, blanket=blanket)
        self.groups = {box: (f"{prefix}more{i}", names) for i, (box, names) in enumerate(hidden.items())}

    def picture(self, width: float = WIDE, kind: str = "wide") -> str:
        """Write the picture as SVG, in which boxes and lines are buttons."""
        title = f"{shown(self.result.target)} and what it is connected with"
        drawing = layout(self.result, width=width, shares=self.shares, blanket=self.blanket)
        return svg(drawing, kind, title, self.told)

    def told(self, drawn: Box | Link) -> Told:
        """Return what a box or a line says about itself."""
        if isinstance(drawn, Box):
            if drawn.hides:
                return Told(self.groups[drawn.name][0], f"{len(drawn.hides)} more: {WORDS[drawn.role]}")
            role = WORDS[drawn.role] + (f", {drawn.label}" if drawn.label else "")
            return Told(self.ids[drawn.name], f"{shown(drawn.name)}: {role}")
        joined = {"open": "–", "leaning": "⇢"}.get(drawn.line, "→")
        said = {"said": ", from what you said", "leaning": ", leaning"}.get(drawn.line, "")
        ends = (f"{len(self.groups[x][1])} more" if x in self.groups else shown(x) for x in (drawn.start, drawn.end))
        variable = drawn.variable
        shows = self.groups[variable][0] if variable in self.groups else self.ids[variable]
        return Told(shows, f" {joined} ".join(ends) + said)

    def articles(self) -> str:
        """Write all articles: the answer in a list, then one for each variable, and one for each box of several."""
        about = [self.article(x) for x in self.ids if x != self.result.target]
        return "\n".join([self.overview(), *about, *map(self.group, self.groups)])

    def overview(self) -> str:
        """Write what is shown before anything is chosen: the answer in a list."""
        r = self.result
        spouses = (f"{self.linked(names)} (of {named(child)})" for child, names in r.spouses.items())
        rows = {
            "direct causes": self.linked(r.parents),
            "direct effects": self.linked(r.children),
            "cause or effect" if r.complete else "not settled": self._leaning(),
            "other causes": "; ".join(spouses),
            "in the blanket": self.linked(r.members),
        }
        found = definitions({term: text for term, text in rows.items() if text}) if r.markov_blanket else _NOTHING
        return (
            f'<article id="{self.ids[r.target]}" class="blanket"><h3>{named(r.target)}</h3>'
            f'<p class="role">{swatch("target")}{WORDS["target"]}</p>{found}{self.invites(r.target)}</article>'
        )

    def invites(self, name: str) -> str:
        """Write what the reader can do about a variable; on a page that is only looked at, nothing."""
        return ""

    def article(self, name: str) -> str:
        """Write what is known about a variable."""
        kind = ' class="blanket"' if self.drawn(name) != "other" else ""
        told = [f'<article id="{self.ids[name]}"{kind}><h3>{named(name)}</h3><p class="role">{self.role(name)}</p>']
        told.append(self.invites(name))
        evidence = self.evidence.get(name)
        if evidence is None:
            told.append("<p>The evidence was not kept.</p>")
        else:
            told.append(f"<p>{prose(self.result.explain(name))}</p>")
            if evidence.direction is not None:
                told.append(f"<p>Rule: {clean(evidence.direction.rule)}.</p>")
            told.append(tests(evidence, self.result.statistic))
        if self.stability:
            told.append(f"<p>{clean(self.stability.say(name))}</p>")
        return "".join(told) + "</article>"

    def group(self, box: str) -> str:
        """List the variables that one box stands for."""
        shows, names = self.groups[box]
        role = self.roles[names[0]]
        return (
            f'<article id="{shows}"><h3>{len(names)} more {SEVERAL[role]}</h3><p class="role">{swatch(role)}'
            f"{WORDS[role]}</p><p>Drawn are those with the strongest association. The others are "
            f"{self.linked(names)}.</p></article>"
        )

    def drawn(self, name: str) -> Drawn:
        """Return the role of a variable."""
        return self.roles.get(name, "other")

    def role(self, name: str) -> str:
        """Write the role of a variable, with a small box in its shape."""
        role = self.drawn(name)
        shared = [y for y, names in self.result.spouses.items() if name in names] if role == "spouse" else []
        words = f"other cause of {', '.join(map(named, shared))}" if shared else WORDS[role]
        return f"{swatch(role)}<span>{words}</span>"

    def linked(self, names: Iterable[str]) -> str:
        """List variables, each of which shows its article."""
        return ", ".join(f'<a href="#{self.ids[x]}" data-shows="{self.ids[x]}">{named(x)}</a>' for x in names)

    def _leaning(self) -> str:
        """List the neighbours without direction, with the side that each leans to."""
        leans = {x: f" (leans to {ROLES[role].short})" for x, role in self.result.leanings.items()}
        return ", ".join(self.linked([x]) + leans.get(x, "") for x in self.result.undirected)
