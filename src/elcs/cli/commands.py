"""The commands `elcs learn`, `blanket`, `graph`, `compare`, `describe` and `methods`, and all others by name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from platform import platform, python_version
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

import elcs
from elcs.answers.halves import check_pairs
from elcs.answers.steady import HALF_SAMPLES, SECONDS, needs_check
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
        result, stable = answer(question, data, target, keywords, stability, quiet)
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
        tell_if_stopped(all(part is None or part.complete for part in (result, stable, wanted)))

    return command


app.command("learn", cls=Command, help="Find the direct causes and the direct effects of a column.")(
    about_a_column(LEARN)
)
app.command("blanket", cls=Command, help="Find the Markov blanket of a column: all that is needed to predict it.")(
    about_a_column(BLANKET)
)


def answer(
    question: Question, data: Path, target: str, keywords: dict[str, Any], n_samples: int | None, quiet: bool
) -> tuple[elcs.MarkovBlanket, elcs.Stability | None]:
    """Ask about one column and, if wanted, about half-samples, showing progress."""
    if n_samples:
        check_pairs(n_samples)
    with progress.reading(quiet):
        study = elcs.Study.of(data, question.put(None, keywords), target=target)
    ask = elcs.learn if question is LEARN else elcs.blanket
    with progress.asking(study, quiet), progress.stopped_by_ctrl_c():
        result = ask(study, target)
    return checked(result, needs_check(result), n_samples, study.plan.timeout, quiet)


def checked(
    result: Any, doubtful: bool, n_samples: int | None, timeout: float | None, quiet: bool
) -> tuple[Any, Any | None]:
    """Count half-samples if wanted, and leave directions open that they do not bear out, if these are doubtful."""
    if not result.complete:
        if n_samples:
            messages.print("the run was stopped, so no half-samples were counted", style="yellow")
        return result, None
    if n_samples == 0 or not (n_samples or doubtful):
        return result, None
    with progress.counting(n_samples or HALF_SAMPLES, quiet) as report, progress.stopped_by_ctrl_c():
        stable = result.stability(n_samples or HALF_SAMPLES, timeout=timeout if n_samples else SECONDS, report=report)
    if doubtful:
        result = result.steady(stable)
        if not result.half_samples:
            messages.print("too few half-samples to check directions by; --stability 100 counts more", style="yellow")
    return result, stable if n_samples else None


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
    result, stable = checked(result, needs_check(result), stability, study.plan.timeout, quiet)
    show_graph(result, json=json, dot=dot, plot=plot, html=html, explain=explain, stability=stable, quiet=quiet)
    tell_if_stopped(result.complete and (stable is None or stable.complete))


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
