"""The commands `elcs learn`, `blanket`, `graph`, `compare`, `describe`, `methods` and `demo`."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

import elcs
from elcs.cli import progress
from elcs.cli.bench import bench
from elcs.cli.console import console, messages
from elcs.cli.options import (
    Alpha,
    Bins,
    CITestName,
    Data,
    Dot,
    Drop,
    Encoding,
    Explain,
    Html,
    Json,
    MaxCondSize,
    MaxTests,
    Method,
    Missing,
    Plot,
    Quiet,
    ScoreName,
    Stability,
    Target,
    Timeout,
    Weights,
    read,
)
from elcs.cli.output import show, side_by_side, write
from elcs.data.values import Values
from elcs.drawing import matrix
from elcs.independence import TESTS
from elcs.learners import registry
from elcs.resampling import check_resampling
from elcs.scores import SCORES, Score

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@app.callback(invoke_without_command=True)
def options(
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
) -> None:
    """Find the direct causes and direct effects of one variable, from a table of observations."""
    if version:
        console.print(f"elcs {elcs.__version__}")
        raise typer.Exit


app.add_typer(bench, name="bench")


def what_to_ask(
    method: registry.Method, table: elcs.Dataset, ci_test: str, alpha: float, score: str
) -> tuple[elcs.CITest | Score | Values, str]:
    """Return what answers a method's questions, and what these are called."""
    if method.asks == "values":
        return Values.from_any(table), "evaluations"
    if method.asks == "scores":
        return SCORES[score](table), "scores"
    return TESTS[ci_test](table, alpha=alpha), "tests"


def asking(question: Callable[..., elcs.MarkovBlanket], default: str, *kinds: registry.Kind) -> Callable[..., None]:
    """Make the command that asks one of the two questions of the package."""

    def command(
        data: Data,
        target: Target,
        method: Method = default,
        alpha: Alpha = 0.01,
        ci_test: CITestName = "g2",
        score: ScoreName = "bdeu",
        max_cond_size: MaxCondSize = 3,
        max_tests: MaxTests = None,
        timeout: Timeout = None,
        bins: Bins = None,
        weights: Weights = None,
        drop: Drop = None,
        missing: Missing = "error",
        encoding: Encoding = "utf-8",
        json: Json = None,
        dot: Dot = None,
        plot: Plot = None,
        html: Html = None,
        explain: Explain = False,
        stability: Stability = None,
        quiet: Quiet = False,
    ) -> None:
        chosen = registry.find(method, *kinds)
        if stability is not None:
            check_resampling(chosen, stability)
        table = read(data, bins, weights, drop, missing, encoding, target=target)
        asked, noun = what_to_ask(chosen, table, ci_test, alpha, score)
        with progress.asking(asked, noun, quiet), progress.stopped_by_ctrl_c():
            result = question(
                asked,
                target,
                method=method,
                score=score,
                max_cond_size=max_cond_size,
                max_tests=max_tests,
                timeout=timeout,
            )
        stable = None
        if stability is not None and result.complete:
            with progress.counting(stability, quiet) as report, progress.stopped_by_ctrl_c():
                stable = elcs.stability(
                    asked,
                    target,
                    method=method,
                    score=score,
                    max_cond_size=max_cond_size,
                    n_samples=stability,
                    timeout=timeout,
                    report=report,
                )
        show(result, json=json, dot=dot, plot=plot, html=html, explain=explain, stability=stable, quiet=quiet)

    return command


app.command("learn", help="Find the direct causes and the direct effects of a column.")(
    asking(elcs.learn, "elcs-exact", "local", "global")
)
app.command("blanket", help="Find the Markov blanket of a column: all that is needed to predict it.")(
    asking(elcs.blanket, "emb-exact", "blanket", "pc")
)


@app.command()
def graph(
    data: Data,
    method: Method = "elcs-global",
    alpha: Alpha = 0.01,
    ci_test: CITestName = "g2",
    score: ScoreName = "bdeu",
    max_cond_size: MaxCondSize = 3,
    max_tests: MaxTests = None,
    timeout: Timeout = None,
    jobs: Annotated[int, typer.Option(help="Number of processes; -1 for one per processor.")] = 1,
    bins: Bins = None,
    weights: Weights = None,
    drop: Drop = None,
    missing: Missing = "error",
    encoding: Encoding = "utf-8",
    json: Json = None,
    dot: Dot = None,
    quiet: Quiet = False,
) -> None:
    """Find the whole graph: all columns, and which are direct causes of which."""
    chosen = registry.find(method, "global")
    table = read(data, bins, weights, drop, missing, encoding)
    asked, noun = what_to_ask(chosen, table, ci_test, alpha, score)
    with progress.asking(asked, noun, quiet), progress.stopped_by_ctrl_c():
        result = elcs.learn_graph(
            asked,
            method=method,
            score=score,
            max_cond_size=max_cond_size,
            max_tests=max_tests,
            timeout=timeout,
            n_jobs=jobs,
        )
    for file, text in ((json, result.to_json), (dot, result.to_dot)):
        if file is not None:
            write(file, text())
    if quiet or "-" in (json, dot):
        return
    console.print(str(result), markup=False, highlight=False, soft_wrap=True)
    for conflict in result.conflicts:
        cause, effect = conflict.edge
        told = "the first was followed" if conflict.followed else "the edge was left without direction"
        console.print(f"Conflict: one rule says {cause} -> {effect}, another the opposite; {told}.", markup=False)


@app.command()
def compare(
    data: Data,
    target: Target,
    methods: Annotated[
        str, typer.Option("--methods", metavar="NAME,NAME,...", help="Which methods; 'elcs methods' lists them.")
    ] = "elcs-exact,mb-by-mb,pc-stable,iamb,s2tmb",
    alpha: Alpha = 0.01,
    ci_test: CITestName = "g2",
    score: ScoreName = "bdeu",
    max_cond_size: MaxCondSize = 3,
    max_tests: MaxTests = None,
    timeout: Timeout = None,
    bins: Bins = None,
    weights: Weights = None,
    drop: Drop = None,
    missing: Missing = "error",
    encoding: Encoding = "utf-8",
    json: Json = None,
    plot: Plot = None,
    quiet: Quiet = False,
) -> None:
    """Ask several methods about a column, and show where they agree."""
    table = read(data, bins, weights, drop, missing, encoding, target=target)
    asked = TESTS[ci_test](table, alpha=alpha)
    with progress.naming(asked, quiet) as report, progress.stopped_by_ctrl_c():
        found = elcs.compare(
            asked,
            target,
            [name.strip() for name in methods.split(",") if name.strip()],
            score=score,
            max_cond_size=max_cond_size,
            max_tests=max_tests,
            timeout=timeout,
            report=report,
        )
    if json is not None:
        write(json, found.to_json())
    if plot is not None:
        matrix.save(found, plot)
    if not quiet and json != "-":
        console.print(side_by_side(found) if console.is_terminal else str(found), markup=False)


@app.command()
def describe(
    data: Data,
    bins: Bins = None,
    weights: Weights = None,
    drop: Drop = None,
    missing: Missing = "error",
    encoding: Encoding = "utf-8",
) -> None:
    """Show what was read: the columns, what they were taken for, their levels."""
    console.print(read(data, bins, weights, drop, missing, encoding).describe(), markup=False)


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
    finds = {"pc": "neighbours", "blanket": "blanket", "local": "causes and effects", "global": "the whole graph"}
    for method in elcs.methods():
        table.add_row(method.name, finds[method.kind], method.summary, Text(method.citation, style="dim"))
    console.print(table)


@app.command()
def demo() -> None:
    """Answer a question about the packaged sample table, customers of a telephone company."""
    data = elcs.Dataset.from_any(elcs.data.SAMPLE)
    console.print("The sample: invented customers of a telephone company.\n")
    console.print(data.describe(), markup=False)
    console.print("\nWhat makes customers satisfied, and what does their satisfaction lead to?\n")
    show(elcs.learn(data, "satisfaction"), explain=True)
    console.print(f"\nThe same by hand:   elcs learn {elcs.data.SAMPLE} --target satisfaction --explain")
    console.print("With your own table: elcs learn DATA.csv --target COLUMN --explain --html ANSWER.html")


def main() -> None:
    """Run the command line; the exit code is 0, 1 for bad data, or 2 for bad usage."""
    warnings.showwarning = lambda message, *_, **__: messages.print(f"warning: {message}", markup=False, style="yellow")
    try:
        app()
    except elcs.ElcsError as error:
        messages.print(f"error: {error}", markup=False, style="red")
        sys.exit(1)
    except KeyboardInterrupt:
        messages.print("interrupted", style="red")
        sys.exit(130)
    except BrokenPipeError:  # the reader of our output has gone, as `head` does
        sys.stderr.close()
        sys.exit(0)
