"""What every page has: the frame with its style, its script and its policy, the data, the run, how to cite.

Everything shown is in the page as escaped text; the script only shows, hides and sorts it. Names of columns may hold
anything, so a policy in the page forbids every script but this one.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING, Any

from elcs.answers.steady import say_directions
from elcs.answers.written import what_was_asked
from elcs.data.naming import counted
from elcs.drawing.fragments import NONE, definitions, listed, named
from elcs.learners.registry import methods
from elcs.markup import clean
from elcs.version import __version__

if TYPE_CHECKING:
    from elcs.answers.blanket import MarkovBlanket
    from elcs.answers.graph import CausalGraph
    from elcs.data.profile import Profile

__all__ = ["data_section", "file", "filled", "run_section", "sheet", "size_of"]

_SETTINGS = {
    "ci_test": "test",
    "alpha": "level of significance",
    "max_cond_size": "largest conditioning set",
    "knowledge": "known beforehand",
}


def file(name: str) -> str:
    """Return the text of a file that belongs to the pages."""
    return files("elcs.drawing").joinpath(name).read_text("utf-8")


def filled(template: str, **parts: str) -> str:
    """Fill in one of the templates."""
    return Template(file(template)).substitute(parts)


def sheet(title: str, main: str, method: str, scripts: Sequence[str]) -> str:
    """Write a page around its main part; each of the scripts is a function of its own name, which is called once."""
    css = file("page.css") + file("picture.css")
    js = '"use strict";\n' + "".join(file(f"{name}.js") for name in scripts)
    js += "".join(f"{name}(document);\n" for name in scripts)
    text = filled(
        "page.html",
        css=css,
        js=js,
        css_hash=_hash(css),
        js_hash=_hash(js),
        title=f"{clean(title)} – elcs",
        main=main,
        version=__version__,
        citation=_citation(method),
    )
    return text.encode("utf-8", "replace").decode("utf-8")


def size_of(profile: Profile) -> str:
    """Say how large the table is."""
    return f"{counted(profile.total, 'observation')} of {counted(len(profile.names), 'column')}"


def data_section(answer: MarkovBlanket | CausalGraph) -> str:
    """Write what the table looked like."""
    background = answer.background
    if background is None:
        return "<p>The answer does not come from a table.</p>"
    p = background.profile
    columns = zip(p.names, p.kinds, p.n_levels, p.first_levels, p.missing, strict=True)
    rows = "".join(
        f'<tr><th scope="row">{named(name)}</th><td>{clean(kind)}</td><td class="number">{n_levels or NONE}</td>'
        f'<td class="number">{missing:,}</td>'
        f'<td class="words">{", ".join(clean(str(level)) for level in first)}'
        f"{', …' if n_levels > len(first) else ''}</td></tr>"
        for name, kind, n_levels, first, missing in columns
    )
    gaps = "".join(f"; {clean(line)}" for line in background.say_gaps())
    dropped = [f"{named(name)} ({clean(reason)})" for name, reason in p.dropped]
    return (
        f"<p>{size_of(p)}{gaps}.</p>"
        '<div class="scroll" tabindex="0" role="region" aria-labelledby="data-heading"><table><thead><tr>'
        '<th scope="col">column</th><th scope="col">kind</th><th scope="col" class="number">levels</th>'
        '<th scope="col" class="number">missing</th><th scope="col">first levels</th></tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
        + (f"<p>Left out:</p>{listed('dropped', dropped)}" if dropped else "")
        + (f"<p>Look at:</p>{listed('remarks', map(clean, p.remarks))}" if p.remarks else "")
    )


def run_section(answer: MarkovBlanket | CausalGraph) -> str:
    """Write how the answer was found, and what that cost."""
    rows = {"method": clean(answer.method), **_settings(answer.settings)}
    rows |= {
        what_was_asked(answer.settings): f"{answer.n_tests:,} asked for, {answer.n_computed:,} computed",
        "time": f"{answer.seconds * 1e3:,.1f} ms",
        "complete": "yes" if answer.complete else "no, it was stopped before the end",
    }
    for line in say_directions(answer):
        rows["directions"] = line.removeprefix("directions ")
    return definitions(rows)


def _settings(settings: Mapping[str, Any]) -> dict[str, str]:
    return {
        _SETTINGS.get(key, clean(key)): "no limit" if value is None else clean(str(value))
        for key, value in settings.items()
    }


def _citation(method: str) -> str:
    found = [known.citation for known in methods() if known.name == method]
    return f"<p>The method {clean(method)}: {clean(found[0])}</p>" if found else ""


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
