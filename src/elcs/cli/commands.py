"""The commands `elcs learn`, `blanket`, `graph`, `compare`, `describe` and `methods`, and all others by name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from platform import platform, python_version
from typing import Annotated, Any, NamedTuple

import typer
from rich.table import Table
from rich.text import Text

import elcs
from elcs.answers.halves import NONE_FINISHED, check_pairs
from elcs.answers.steady import HALF_SAMPLES, SECONDS, UNCHECKED, needs_check
from elcs.cli import progress
from elcs.cli.asking import Command, asking, reading
from elcs.cli.bench import bench
from elcs.cli.console import console, messages
from elcs.cli.demo import demo
from elcs.cli.effect import effect
from elcs.cli.explore import explore
from elcs.cli.options import (
    Data,
    Dot,
    EdgeStability,
    Effects,
    Explain,
    ExplainEdges,
    Html,
    Jobs,
    Json,
    Methods,
    Plot,
    Quiet,
    Stability,
    Target,
)
from elcs.cli.output import show, show_graph, side_by_side, tell_if_stopped, write
from elcs.engines._kernels import cpu
from elcs.learners.registry import FINDS
from elcs.study.question import BLANKET, COMPARE, GRAPH, LEARN, Question

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@app.callback(invoke_without_command=True)
def options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version, the instruction set in use and the system, and stop.")
    ] = False,
) -> None:
    """Find the direct causes and direct effects of one variable, from a table of observations."""
    if version:
        print(f"elcs {elcs.__version__}, compiled engine ({cpu()}), Python {python_version()}, {platform()}")
        raise typer.Exit


app.add_typer(bench, name="bench")


def about_a_column(question: Question) -> Callable[..., None]:
    """Make the command that asks a question about one column."""

    @asking(question)
    def command(
        data: Data,
        target: Target,
        keywords: dict[str, Any],
        json: Json = None,
        dot: Dot = None,
        plot: Plot = None,
        html: Html = None,
        explain: Explain = False,
        stability: Stability = None,
        effects: Effects = False,
        quiet: Quiet = False,
    ) -> None:
        if effects and question is BLANKET:
            raise typer.BadParameter(
                "a blanket does not say what causes what; use 'elcs learn'", param_hint="'--effects'"
            )
        result, stable, complete = answer(question, data, target, keywords, stability, quiet)
        wanted = None
        if effects and isinstance(result, elcs.LocalStructure):
            with progress.estimating(quiet) as report, progress.stopped_by_ctrl_c():
                wanted = result.effects(report=report)
        show(
            result,
            json=json,
            dot=dot,
            plot=plot,
            html=html,
            explain=explain,
            stability=stable,
            effects=wanted,
            quiet=quiet,
        )
        tell_if_stopped(complete and (wanted is None or wanted.complete))

    return command


app.command("learn", cls=Command, help="Find the direct causes and the direct effects of a column.")(
    about_a_column(LEARN)
)
app.command("blanket", cls=Command, help="Find the Markov blanket of a column: all that is needed to predict it.")(
    about_a_column(BLANKET)
)


class Checked(NamedTuple):
    """An answer, its half-samples if they were asked for, and whether all that was asked for was done."""

    result: Any
    stability: Any | None
    complete: bool


def answer(
    question: Question, data: Path, target: str, keywords: dict[str, Any], n_samples: int | None, quiet: bool
) -> Checked:
    """Ask about one column and, if wanted, about half-samples, showing progress."""
    if n_samples:
        check_pairs(n_samples)
    with progress.reading(quiet):
        study = elcs.Study.of(data, question.put(None, keywords), target=target)
    ask = elcs.learn if question is LEARN else elcs.blanket
    with progress.asking(study, quiet), progress.stopped_by_ctrl_c():
        result = ask(study, target)
    return checked(result, n_samples, study.plan.timeout, quiet)


def checked(result: Any, n_samples: int | None, timeout: float | None, quiet: bool) -> Checked:
    """Count half-samples if wanted, and leave directions open that they do not bear out, if these are doubtful."""
    doubtful = needs_check(result)
    if not result.complete:
        if n_samples:
            messages.print("the run was stopped, so no half-samples were counted", style="yellow")
        return Checked(result, None, False)
    if n_samples == 0 or not (n_samples or doubtful):
        return Checked(result, None, True)
    try:
        with progress.counting(n_samples or HALF_SAMPLES, quiet) as report, progress.stopped_by_ctrl_c():
            limit = timeout if n_samples else SECONDS
            stable = result.stability(n_samples or HALF_SAMPLES, timeout=limit, report=report)
    except elcs.ElcsError as error:  # which is no reason to keep back the answer
        what_is_wrong = str(error).rpartition("; ")[0] or error
        told = f"no half-samples were counted: {error}" if n_samples else f"{UNCHECKED}: {what_is_wrong}"
        messages.print(told, markup=False, style="yellow")
        return Checked(result, None, not n_samples)
    if doubtful:
        result = result.steady(stable)
    if not stable.n_samples or (doubtful and not result.half_samples):
        few = f"{stable.n_samples} half-samples are too few to check directions by"
        more = "--stability 100 counts more" if stable.complete or not n_samples else "a longer --timeout allows more"
        messages.print(f"{few if stable.n_samples else NONE_FINISHED}; {more}", style="yellow")
    return Checked(result, stable if n_samples and stable.n_samples else None, stable.complete or not n_samples)


@app.command(cls=Command)
@asking(GRAPH)
def graph(
    data: Data,
    keywords: dict[str, Any],
    jobs: Jobs = None,
    json: Json = None,
    dot: Dot = None,
    plot: Plot = None,
    html: Html = None,
    explain: ExplainEdges = False,
    stability: EdgeStability = None,
    quiet: Quiet = False,
) -> None:
    """Find the whole graph: all columns, and which are direct causes of which."""
    if stability:
        check_pairs(stability)
    more = {} if jobs is None else {"n_jobs": jobs}
    with progress.reading(quiet):
        study = elcs.Study.of(data, GRAPH.put(None, {**keywords, **more}))
    with progress.asking(study, quiet), progress.stopped_by_ctrl_c():
        result = elcs.learn_graph(study)
    result, stable, complete = checked(result, stability, study.plan.timeout, quiet)
    show_graph(result, json=json, dot=dot, plot=plot, html=html, explain=explain, stability=stable, quiet=quiet)
    tell_if_stopped(complete)


app.command("effect", cls=Command)(effect)
app.command("explore", cls=Command)(explore)


@app.command(cls=Command)
@asking(COMPARE, method=False)
def compare(
    data: Data,
    target: Target,
    keywords: dict[str, Any],
    methods: Methods = None,
    json: Json = None,
    plot: Plot = None,
    quiet: Quiet = False,
) -> None:
    """Ask several methods about a column, and show where they agree."""
    names = None if methods is None else [name.strip() for name in methods.split(",") if name.strip()]
    with progress.naming(quiet) as report, progress.stopped_by_ctrl_c():
        found = elcs.compare(data, target, names, report=report, **keywords)
    if json is not None:
        write(json, found.to_json())
    if plot is not None:
        from elcs.drawing import matrix

        matrix.save(found, plot)
    if not quiet and json != "-":
        console.print(side_by_side(found) if console.is_terminal else str(found), markup=False)
    tell_if_stopped(all(result.complete for result in found.results.values()))


@app.command(cls=Command)
@reading
def describe(data: Data, keywords: dict[str, Any]) -> None:
    """Show how a table is read: what each column is taken for, what is left out, and what is wrong."""
    console.print(elcs.describe(data, **keywords), markup=False)


@app.command()
def methods() -> None:
    """List the methods: name, what it is, where it was published."""
    if not console.is_terminal:
        for method in elcs.methods():
            print(f"{method.name}\t{method.kind}\t{method.summary}\t{method.citation}")
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("method", "finds", "what it is", "citation"):
        table.add_column(heading, overflow="fold")
    for method in elcs.methods():
        table.add_row(method.name, FINDS[method.kind], method.summary, Text(method.citation, style="dim"))
    console.print(table)


app.command("demo", cls=Command)(demo)
