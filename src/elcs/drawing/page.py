"""A result as one self-contained HTML page: the picture, the evidence, the data, the run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from elcs.answers.steady import UNCHECKED, unchecked
from elcs.drawing.effects_section import section
from elcs.drawing.fragments import NONE, association, correlation, listed, prose, separating, sortable
from elcs.drawing.panel import NARROW, WIDE, Panel
from elcs.drawing.sheet import data_section, filled, run_section, sheet, size_of
from elcs.drawing.style import WORDS, Drawn
from elcs.markup import clean

if TYPE_CHECKING:
    from elcs.answers.blanket import MarkovBlanket
    from elcs.answers.effects import Effects
    from elcs.answers.stability import Stability

__all__ = ["page", "warnings_about"]


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
    panel = Panel(result, stability)
    main = filled(
        "local.html",
        target=clean(result.target),
        summary=_summary(result),
        warnings=listed("warnings", warnings_about(result)),
        pictures=panel.picture(WIDE, "wide") + "\n" + panel.picture(NARROW, "narrow"),
        articles=panel.articles(),
        effects="" if effects is None else section(effects),
        variables=_variables(panel),
        data=data_section(result),
        run=run_section(result),
    )
    return sheet(result.target, main, result.method, ("sort", "page"))


def _summary(result: MarkovBlanket) -> str:
    told = f"Direct causes, direct effects and Markov blanket, found by {clean(result.method)}"
    return f"{told}." if result.profile is None else f"{told} in {size_of(result.profile)}."


def warnings_about(result: MarkovBlanket) -> Iterator[str]:
    """Yield what deserves attention before the answer is used, as pieces of HTML."""
    if not result.complete:
        yield "The run was stopped before the end; what was settled by then is shown."
    if unchecked(result):
        yield f"{UNCHECKED.capitalize()}."
    tested = [e.association for e in result.evidence.values() if e.association is not None]
    too_few = [test for test in tested if not test.result.reliable]
    if too_few and len(too_few) == len(tested):
        yield "There are too few rows to test any variable with the target; nothing can be concluded."
    elif too_few:
        yield f"There are too few rows to test {len(too_few)} of the {len(tested)} variables with the target."
    for conflict in result.conflicts:
        yield prose(conflict.say())
    if result.profile is not None and result.profile.dropped:
        yield f"Columns that were left out: {', '.join(clean(name) for name, _ in result.profile.dropped)}."


def _variables(panel: Panel) -> str:
    """Write the table of all variables."""
    heads = [("variable", ""), ("role", " data-numeric")]
    heads += [("comes back", ' class="number"')] if panel.stability else []
    correlated = any(evidence.correlation is not None for evidence in panel.evidence.values())
    heads += [("r", ' class="number"')] if correlated else []
    heads += [(panel.result.statistic, ' class="number"'), ("p-value", ' class="number"'), ("separating set", "")]
    order: list[Drawn] = list(WORDS)
    names = sorted((x for x in panel.ids if x != panel.result.target), key=lambda x: order.index(panel.drawn(x)))
    rows = []
    for name in names:
        evidence = panel.evidence.get(name)
        cells = [
            f'<th scope="row">{panel.linked([name])}</th>',
            f'<td class="words" data-value="{order.index(panel.drawn(name))}">'
            f'<span class="role">{panel.role(name)}</span></td>',
        ]
        if panel.stability:
            share = panel.shares.get(name)
            value, label = ("", NONE) if share is None else (f"{share:g}", f"{share:.0%}")
            cells.append(f'<td class="number" data-value="{value}">{label}</td>')
        if correlated:
            cells.append(correlation(evidence.correlation if evidence else None))
        cells += association(evidence.association if evidence else None)
        cells.append(separating(evidence.separated_by if evidence and not evidence.connected else None))
        rows.append(cells)
    return sortable(heads, rows)
