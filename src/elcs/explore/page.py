"""The page to walk through: columns to choose from, the pictures, the settings, what is known, what can be kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template

from elcs.data.naming import counted
from elcs.data.profile import profile
from elcs.drawing.effects_section import section
from elcs.drawing.fragments import listed, named
from elcs.drawing.graph_page import map_section, warnings_about_graph
from elcs.drawing.page import warnings_about
from elcs.drawing.panel import NARROW, WIDE
from elcs.drawing.sheet import file, size_of
from elcs.explore.keeping import KEPT
from elcs.explore.panels import WalkedMap, WalkedPanel
from elcs.explore.saying import statements
from elcs.explore.session import Session
from elcs.explore.state import Place, State
from elcs.independence import TESTS
from elcs.learners.registry import FINDS, methods
from elcs.markup import clean
from elcs.study.plan import AUTO
from elcs.study.question import EXPLORE

__all__ = ["page", "refusal", "script", "style", "view"]

_HINT = "Choose a box to go there, a line to see the evidence. Point to a box to see why it is there."
_MAP_HINT = "Choose a variable to go there, or a line to see the evidence."
_SWITCHED = {"stability": "half-samples", "effects": "effects"}
_BESIDE = 560.0
"""The greatest width of a picture that has another beside it."""


def style() -> str:
    """Return the style sheet: that of every page, and what only this one has."""
    return file("page.css") + file("picture.css") + _file("explore.css")


def script() -> str:
    """Return the script: that of every page, and what only this one does."""
    return '"use strict";\n' + "".join(map(file, ("sort.js", "page.js", "graph.js"))) + _file("explore.js")


def page(session: Session, state: State, *, upload: bool = False) -> str:
    """Write the whole page of a state."""
    return _framed(session, _title(state), view(session, state), upload=upload)


def refusal(session: Session, why: str, *, upload: bool = False) -> str:
    """Write the page of an address that cannot be asked about."""
    told = f'<div id="view" data-query="" data-target="" data-title="elcs"><p role="alert">{clean(why)}</p></div>'
    return _framed(session, "Not understood", told, upload=upload)


def view(session: Session, state: State) -> str:
    """Write the part of the page that changes with every step."""
    if state.target is not None:
        return _answered(session, state)
    if session.too_wide:
        return _filled(state, heading="Choose a column", summary=session.too_wide, warnings="", answers=_known(state))
    return _mapped(session, state)


def _answered(session: Session, state: State) -> str:
    targets = [x for x in (state.target, state.beside) if x is not None]
    results = [session.answer(state, x) for x in targets]
    first = results[0]
    warned = dict.fromkeys(warning for result in results for warning in warnings_about(result))
    return _filled(
        state,
        heading=" and ".join(map(named, targets)),
        summary=f"Found by {clean(first.method)}: {first.n_tests:,} questions in {first.seconds * 1e3:,.0f} ms.",
        warnings=listed("warnings", warned),
        answers=_side_by_side(session, state) if state.beside else _alone(session, state),
    )


def _alone(session: Session, state: State) -> str:
    return f'<main class="answers">{_answer(session, state, str(state.target), below=_known(state))}</main>'


def _side_by_side(session: Session, state: State) -> str:
    both = (_answer(session, state, str(x)) for x in (state.target, state.beside))
    return f'<main class="answers">{"".join(both)}</main>{_known(state)}'


def _answer(session: Session, state: State, target: str, below: str = "") -> str:
    """Write the picture of one column with what goes below it, the evidence and, if they are known, the effects."""
    stability, effects = session.known_stability(state, target), session.known_effects(state, target)
    place: Place = "beside" if target == state.beside else "target"
    prefix = "b" if place == "beside" else ""
    panel = WalkedPanel(session.answer(state, target), stability, state, place, prefix=prefix)
    pictures = panel.picture(WIDE if state.beside is None else _BESIDE, "wide") + panel.picture(NARROW, "narrow")
    wanted = (("stability", state.stability, stability), ("effects", state.effects, effects))
    waits = [what for what, on, found in wanted if on and found is None]
    return (
        f'<div class="answer"><section class="picture"><h2>What {named(target)} is connected with</h2>'
        f'<p class="hint">{_HINT}</p><figure>{pictures}</figure>{_waiting(target, waits)}{below}</section>'
        f'<section class="evidence" aria-live="polite"><h2>Evidence</h2>{panel.articles()}</section>'
        f"{'' if effects is None else section(effects, f'{prefix}effects')}</div>"
    )


def _mapped(session: Session, state: State) -> str:
    graph = session.graph(state)
    edges = counted(len(graph.directed) + len(graph.undirected), "edge")
    gives_way = "" if graph.method == state.plan.method else f" ({clean(str(state.plan.method))} learns no whole graph)"
    return _filled(
        state,
        heading="The whole graph",
        summary=f"{counted(len(graph.nodes), 'variable')}, {edges}, found by {clean(graph.method)}{gives_way}.",
        warnings=listed("warnings", warnings_about_graph(graph)),
        answers=f'<main class="whole">{map_section(WalkedMap(graph, state), _MAP_HINT)}</main>{_known(state)}',
    )


def _filled(state: State, **parts: str) -> str:
    downloads = (f'<a href="/keep/{name}?{escape(state.query)}" download>{words}</a>' for name, words in KEPT.items())
    return Template(_file("view.html")).substitute(
        query=escape(state.query),
        target=escape(state.target or ""),
        title=clean(_title(state)),
        fields=_fields(state),
        downloads=", ".join(downloads),
        **parts,
    )


def _title(state: State) -> str:
    return state.target or "The whole graph"


def _waiting(target: str, waits: Iterable[str]) -> str:
    """Write where the progress of what takes longer is shown; the script fills it in."""
    return "".join(
        f'<p class="progress" data-progress="{what}" data-of="{escape(target)}"><span>{_SWITCHED[what]}</span> '
        '<progress></progress> <button type="button">Cancel</button></p>'
        for what in waits
    )


def _known(state: State) -> str:
    """Write what is said, each with a way to take it back."""
    said = [
        f'<bdi>{clean(words)}</bdi> <a href="{escape(state.knowing(without).address)}" '
        f'aria-label="Take back: {clean(words)}">take back</a>'
        for words, without in statements(state.plan.known)
    ]
    nothing = (
        "<p>Nothing yet. Choose a line and say what cannot be, or drag a column onto another that comes later.</p>"
    )
    return (
        '<section id="known" aria-labelledby="known-heading"><h2 id="known-heading">What you know</h2>'
        f"{listed('said', said) or nothing}</section>"
    )


def _fields(state: State) -> str:
    """Write the settings as a form, which works without a script too."""
    plan = state.plan
    kinds = {kind: [m.name for m in methods() if m.kind == kind] for kind in EXPLORE.kinds}
    groups = "".join(
        f'<optgroup label="{FINDS[kind]}">{_options(names, str(plan.method))}</optgroup>'
        for kind, names in kinds.items()
    )
    tests = _options((AUTO, *TESTS), str(plan.ci_test))
    off = " disabled" if "alpha" in plan.idle else ""
    hidden = {} if plan.known == state.start.known else {"knowledge": state.knowledge}
    hidden |= {} if state.target is None else {"target": state.target}
    fields = [
        *(f'<input type="hidden" name="{name}" value="{escape(value)}">' for name, value in hidden.items()),
        f'<label>method <select name="method" id="method">{groups}</select></label>',
        f'<label>test <select name="ci_test" id="ci_test"{off}>{tests}</select></label>',
        f'<label>alpha <input type="range" id="alpha-slider" min="-5" max="-0.7" step="0.1" aria-label="alpha"{off}>'
        f'<input type="number" name="alpha" id="alpha" min="0" max="1" step="any" value="{plan.alpha}"{off}></label>',
        *(_fields_of_target(state) if state.target is not None else ()),
    ]
    return "\n".join(fields)


def _fields_of_target(state: State) -> Iterator[str]:
    yield (
        '<label>shown <select name="shown" id="shown"><option value="">the whole blanket</option><option '
        f'value="neighbours"{"" if state.blanket else " selected"}>neighbours alone</option></select></label>'
    )
    yield (
        '<label>beside it <input type="search" name="beside" id="beside" list="names-of-columns" autocomplete="off" '
        f'placeholder="a column" value="{escape(state.beside or "")}"></label>'
    )
    for name, on in (("stability", state.stability), ("effects", state.effects)):
        checked = " checked" if on else ""
        box = f'<input type="checkbox" name="{name}" id="with-{name}" value="1"{checked}>'
        yield f"<label>{box} {_SWITCHED[name]}</label>"


def _options(names: Iterable[str], chosen: str) -> str:
    return "".join(
        f'<option value="{escape(name)}"{" selected" if name == chosen else ""}>{clean(name)}</option>'
        for name in names
    )


def _framed(session: Session, title: str, shown: str, *, upload: bool) -> str:
    start = State(session.start, session.start)
    columns = "".join(
        f'<li draggable="true" data-name="{escape(x)}"><a href="{escape(start.at(x).address)}">{named(x)}</a></li>'
        for x in session.columns
    )
    table = session.study.table
    text = Template(_file("explore.html")).substitute(
        title=clean(title),
        table=clean(Path(session.source).name),
        size="" if table is None else size_of(table.keep("profile", profile)),
        columns=columns,
        names="".join(f'<option value="{escape(x)}"></option>' for x in session.columns),
        upload='<label class="upload">another table <input type="file" id="upload"></label>' if upload else "",
        view=shown,
    )
    return text.encode("utf-8", "replace").decode("utf-8")


def _file(name: str) -> str:
    return files("elcs.explore").joinpath(name).read_text("utf-8")
