"""The commands `elcs learn`, `blanket`, `graph`, `compare`, `describe`, `methods` and `demo`."""

from __future__ import annotations

import gzip
import os
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path
from platform import platform, python_version
from typing import Annotated, Any, NoReturn

import typer
from rich.table import Table
from rich.text import Text

import elcs
from elcs.answers.halves import check_pairs
from elcs.answers.steady import HALF_SAMPLES, SECONDS, needs_check
from elcs.cli import progress
from elcs.cli.bench import bench
from elcs.cli.console import console, messages
from elcs.cli.effect import effect
from elcs.cli.explore import explore
from elcs.cli.options import (
    Command,
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
    asking,
    reading,
)
from elcs.cli.output import STOPPED, show, show_graph, side_by_side, tell_if_stopped, write
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


@app.command(cls=Command)
def demo(
    save: Annotated[
        str | None, typer.Option("--save", metavar="FILE", help="Write the sample table to a CSV file, and stop.")
    ] = None,
) -> None:
    """Answer a question about the packaged sample table, customers of a telephone company."""
    if save is not None:
        with gzip.open(elcs.data.SAMPLE, "rt", encoding="utf-8") as sample:
            text = sample.read()
        if Path(save).exists() and Path(save).read_bytes() != text.encode():
            raise elcs.ElcsError(f"there is another file {save} already; give another name")
        write(save, text)
        if save != "-":
            messages.print(f"{save}: the sample table, 4,000 invented customers of a telephone company")
        return
    data = elcs.Table.from_any(elcs.data.SAMPLE)
    console.print("The sample: invented customers of a telephone company.\n")
    console.print(data.describe(), markup=False)
    console.print(
        "\nWhat makes customers satisfied, and what does their satisfaction lead to? The answer is the Markov\n"
        "blanket of satisfaction: the columns that hold all that the table knows about it. They are its direct\n"
        "causes, its direct effects, and the other causes of those effects. Each claim rests on tests of\n"
        "independence: G2 says how strongly two columns depend on each other, p how likely so much dependence\n"
        "would be by chance. And it rests on how well whole arrangements of the columns fit the table.\n"
    )
    show(elcs.learn(data, "satisfaction"), explain=True)
    console.print("\nThe same by hand:    elcs demo --save customers.csv")
    console.print("                     elcs learn customers.csv --target satisfaction --explain")
    console.print("With your own table: elcs learn DATA.csv --target COLUMN --explain --html ANSWER.html")


def main() -> None:
    """Run the command line; the exit code is 0, 1 for bad data, 2 for bad usage, or 3 for a run that was stopped."""
    warnings.showwarning = lambda message, *_, **__: messages.print(f"warning: {message}", markup=False, style="yellow")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # what a terminal cannot show is written as \\xfc
            stream.reconfigure(errors="backslashreplace")
    code = 1
    try:
        try:
            app()
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()  # here, where it can still be told that the disk is full
    except elcs.BudgetError as error:
        messages.print(f"stopped: {error}", markup=False, style="yellow")
        code = STOPPED
    except elcs.ElcsError as error:
        messages.print(f"error: {error}", markup=False, style="red")
    except KeyboardInterrupt:
        messages.print("interrupted", style="red")
        code = 130
    except BrokenPipeError:  # the reader of our output has gone, as `head` does
        code = 0
    except OSError as error:
        messages.print(f"error: {error.filename or 'standard output'}: {error.strerror}", markup=False, style="red")
    leave(code)


def leave(code: int) -> NoReturn:
    """End with an exit code, and without another attempt to write what could not be written."""
    with suppress(OSError):
        if sys.stdout is not None:
            sys.stdout.flush()
        sys.exit(code)
    os._exit(code)
