"""The commands `elcs learn`, `blanket`, `graph`, `compare`, `describe`, `methods` and `demo`."""

from __future__ import annotations

import signal
import sys
import time
import warnings
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from json import dumps
from pathlib import Path
from typing import Annotated

import typer
from rich.live import Live
from rich.table import Table
from rich.text import Text

import elcs
from elcs.cli.bench import bench
from elcs.cli.console import console, messages
from elcs.comparison import SHORT
from elcs.data.values import Values
from elcs.drawing import matrix
from elcs.drawing import plot as drawing
from elcs.drawing.style import WORDS
from elcs.independence import TESTS
from elcs.learners import registry
from elcs.scores import SCORES

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
Data = Annotated[Path, typer.Argument(metavar="DATA", help="A .csv, .tsv or .parquet file; text may be gzipped.")]
Target = Annotated[str, typer.Option("--target", "-t", help="The column of interest.")]
Bins = Annotated[
    str | None, typer.Option(metavar="N or COLUMN=N,...", help="Cut fractional columns, or those named, into N bins.")
]
Weights = Annotated[str | None, typer.Option(help="The column that counts identical rows.")]
Drop = Annotated[list[str] | None, typer.Option(help="Leave out a column; may be given several times.")]
Encoding = Annotated[str, typer.Option(help="How a text file is written.")]
Missing = Annotated[str, typer.Option(help="Missing values: error, drop (their rows) or level.")]
Method = Annotated[str, typer.Option(help="How to find out; 'elcs methods' lists the methods.")]
Alpha = Annotated[float, typer.Option(help="Level of significance of the tests.")]
CITestName = Annotated[str, typer.Option("--ci-test", help="The test: g2 or chi2.")]
ScoreName = Annotated[str, typer.Option("--score", help="For methods that ask for scores: bdeu or bic.")]
MaxCondSize = Annotated[int, typer.Option(help="Largest conditioning set of a search; -1 for no limit.")]
MaxTests = Annotated[int | None, typer.Option(help="Stop after so many tests.", min=0)]
Timeout = Annotated[float | None, typer.Option(help="Stop after so many seconds.", min=0)]
Json = Annotated[str | None, typer.Option("--json", metavar="FILE", help="Write everything as JSON; - prints it.")]
Dot = Annotated[str | None, typer.Option("--dot", metavar="FILE", help="Write the picture in DOT; - prints it.")]
Plot = Annotated[
    str | None, typer.Option("--plot", metavar="FILE", help="Draw the picture: a .png, .svg or .pdf file.")
]
Html = Annotated[
    str | None, typer.Option("--html", metavar="FILE", help="Write a page with picture, evidence, data and settings.")
]
Explain = Annotated[bool, typer.Option("--explain", help="Say why, for each variable of the blanket.")]
Stability = Annotated[
    int | None,
    typer.Option("--stability", metavar="N", help="Count how often findings come back in N half-samples, say 100."),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print no table, no progress and no warnings.")]


@app.callback(invoke_without_command=True)
def options(
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
) -> None:
    """Find the direct causes and direct effects of one variable, from a table of observations."""
    if version:
        console.print(f"elcs {elcs.__version__}")
        raise typer.Exit


app.add_typer(bench, name="bench")


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
        if quiet:
            warnings.simplefilter("ignore", elcs.DataWarning)
        check_choice("--ci-test", ci_test, TESTS)
        check_choice("--score", score, SCORES)
        check_files(plot, html)
        asks = registry.find(method, *kinds).asks
        table = read(data, bins, weights, drop, missing, encoding, target=target)
        asked = SCORES[score](table) if asks == "scores" else TESTS[ci_test](table, alpha=alpha)
        with progress(asked, "scores" if asks == "scores" else "tests", quiet), stopped_by_ctrl_c():
            result = question(
                asked,
                target,
                method=method,
                score=score,
                max_cond_size=None if max_cond_size < 0 else max_cond_size,
                max_tests=max_tests,
                timeout=timeout,
            )
        stable = None
        if stability is not None and result.complete:
            with counting(stability, quiet) as report, stopped_by_ctrl_c():
                stable = elcs.stability(
                    asked,
                    target,
                    method=method,
                    score=score,
                    max_cond_size=None if max_cond_size < 0 else max_cond_size,
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
    if quiet:
        warnings.simplefilter("ignore", elcs.DataWarning)
    check_choice("--ci-test", ci_test, TESTS)
    check_choice("--score", score, SCORES)
    asks = registry.find(method, "global").asks
    table = read(data, bins, weights, drop, missing, encoding)
    asked = Values.from_any(table) if asks == "values" else TESTS[ci_test](table, alpha=alpha)
    with progress(asked, "evaluations" if asks == "values" else "tests", quiet), stopped_by_ctrl_c():
        result = elcs.learn_graph(
            asked,
            method=method,
            score=score,
            max_cond_size=None if max_cond_size < 0 else max_cond_size,
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
    if quiet:
        warnings.simplefilter("ignore", elcs.DataWarning)
    check_choice("--ci-test", ci_test, TESTS)
    check_choice("--score", score, SCORES)
    if plot is not None:
        drawing.check_file(plot)
    table = read(data, bins, weights, drop, missing, encoding, target=target)
    asked = TESTS[ci_test](table, alpha=alpha)
    with naming(asked, quiet) as report, stopped_by_ctrl_c():
        found = elcs.compare(
            asked,
            target,
            [name.strip() for name in methods.split(",") if name.strip()],
            score=score,
            max_cond_size=None if max_cond_size < 0 else max_cond_size,
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


def read(
    path: Path,
    bins: str | None,
    weights: str | None,
    drop: list[str] | None,
    missing: str,
    encoding: str,
    target: str | None = None,
) -> elcs.Dataset:
    """Read a table with the options of the command line."""
    return elcs.Dataset.from_any(
        path, target=target, bins=parse_bins(bins), weights=weights, drop=drop, missing=missing, encoding=encoding
    )


def check_choice(option: str, value: str, choices: Collection[str]) -> None:
    """Refuse a value that an option does not have."""
    if value not in choices:
        raise elcs.ElcsError(f"{option} must be {' or '.join(choices)}, not {value!r}")


def check_files(plot: str | None, html: str | None) -> None:
    """Refuse, before anything is learnt, files that could not be written in the end."""
    for option, file in (("--plot", plot), ("--html", html)):
        if file == "-":
            raise elcs.ElcsError(f"{option} needs the name of a file; it cannot be printed")
    if plot is not None:
        drawing.check_file(plot)


def parse_bins(text: str | None) -> int | dict[str, int] | None:
    """Understand a number of bins, or one for each of several columns."""
    try:
        if text is None or "=" not in text:
            return None if text is None else int(text)
        pairs = [part.rsplit("=", 1) for part in text.split(",")]
        return {name.strip(): int(count) for name, count in pairs}
    except ValueError:
        raise elcs.ElcsError(f"--bins takes a number, or COLUMN=NUMBER separated by commas, not {text!r}") from None


@contextmanager
def progress(asked: elcs.CITest | elcs.Score | Values, what: str, quiet: bool) -> Iterator[None]:
    """Show on a terminal how many tests or scores have been asked for."""
    if quiet or not messages.is_terminal:
        yield
        return
    start = time.monotonic()

    def line() -> Text:
        spent = time.monotonic() - start
        return Text(f"{asked.n_asked:,} {what} in {spent:.0f} s; Ctrl-C shows what is known so far")

    with Live(get_renderable=line, console=messages, refresh_per_second=5, transient=True):
        yield


@contextmanager
def counting(n_samples: int, quiet: bool) -> Iterator[Callable[[int], None]]:
    """Show on a terminal how many half-samples have been counted."""
    if quiet or not messages.is_terminal:
        yield lambda n_done: None
        return
    done = 0
    start = time.monotonic()

    def report(n_done: int) -> None:
        nonlocal done
        done = n_done

    def line() -> Text:
        spent = time.monotonic() - start
        return Text(f"{done} of {n_samples} half-samples in {spent:.0f} s; Ctrl-C shows what has been counted so far")

    with Live(get_renderable=line, console=messages, refresh_per_second=5, transient=True):
        yield report


@contextmanager
def naming(asked: elcs.CITest, quiet: bool) -> Iterator[Callable[[str], None]]:
    """Show on a terminal which method is at work."""
    if quiet or not messages.is_terminal:
        yield lambda method: None
        return
    at_work, start = "", time.monotonic()

    def report(method: str) -> None:
        nonlocal at_work, start
        at_work, start = method, time.monotonic()

    def line() -> Text:
        spent = time.monotonic() - start
        return Text(f"{at_work}: {spent:.0f} s, {asked.n_asked:,} tests in all; Ctrl-C goes on to the next method")

    with Live(get_renderable=line, console=messages, refresh_per_second=5, transient=True):
        yield report


@contextmanager
def stopped_by_ctrl_c() -> Iterator[None]:
    """Make Ctrl-C end a run as a limit would: with what is settled so far."""

    def stop(*_: object) -> None:
        raise elcs.BudgetError("stopped by Ctrl-C")

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def show(
    result: elcs.MarkovBlanket,
    *,
    json: str | None = None,
    dot: str | None = None,
    plot: str | None = None,
    html: str | None = None,
    explain: bool = False,
    stability: elcs.Stability | None = None,
    quiet: bool = False,
) -> None:
    """Print a result and write the files asked for."""

    def as_json() -> str:
        if stability is None:
            return result.to_json()
        return dumps({**result.to_dict(), "stability": stability.to_dict()}, indent=2, ensure_ascii=False)

    for file, text in ((json, as_json), (dot, result.to_dot)):
        if file is not None:
            write(file, text())
    if html is not None:
        result.save_html(html, stability=stability)
    if plot is not None:
        drawing.save(result, plot, labels=None if stability is None else stability.labels(result.roles))
    if quiet or "-" in (json, dot):
        return
    console.print(as_table(result, stability) if console.is_terminal else str(result), markup=False)
    if stability is not None and not console.is_terminal:
        console.print(f"\n{stability}", markup=False)
    for disagreement in result.conflicts:
        first, second = disagreement.first, disagreement.second
        console.print(
            f"Conflict: {first.rule} says {first.cause} -> {first.effect}, {second.rule} says the opposite.",
            markup=False,
        )
    if explain:
        for name in result.markov_blanket:
            console.print(f"\n{result.explain(name)}", markup=False, soft_wrap=False)


def as_table(result: elcs.MarkovBlanket, stability: elcs.Stability | None = None) -> Table:
    """Lay a result out for a terminal."""
    title = Text(f"{result.target}  ({result.method})")  # as Text, because names are not markup
    table = Table(title=title, title_justify="left", min_width=40)
    for heading in ("variable", "what it is", "G2", "p-value"):
        table.add_column(heading, justify="right" if heading in ("G2", "p-value") else "left")
    for heading in () if stability is None else ("comes back", "as the same"):
        table.add_column(heading, justify="right")
    colours = {"parent": "green", "child": "blue", "undirected": "yellow", "spouse": "magenta", "member": "white"}
    for name in result.markov_blanket:
        evidence = result.evidence[name]
        shared = ", ".join(evidence.shared_effects)
        told = f"other cause of {shared}" if shared else WORDS[evidence.role]
        test = evidence.opened_by or evidence.association
        numbers = ("", "") if test is None else (f"{test.result.statistic:.1f}", f"{test.result.p_value:.2g}")
        style = f"bold {colours[evidence.role]}"
        table.add_row(Text(name, style=style), Text(told), *numbers, *come_back(name, evidence.role, stability))
    if not result.markov_blanket:
        table.add_row("-", "nothing in the table is connected with it", "", "")
    stopped = "" if result.complete else "; stopped before the end"
    table.caption = f"{result.n_tests:,} tests, {result.n_computed:,} computed, {result.seconds * 1e3:,.1f} ms{stopped}"
    table.caption_justify = "left"
    if stability is not None:
        table.caption += "\n" + in_half_samples(result, stability)
    return table


def side_by_side(found: elcs.Comparison) -> Table:
    """Lay a comparison out for a terminal."""
    n = len(found.methods)
    table = Table(title=Text(found.title), title_justify="left", show_footer=True)
    table.add_column("variable", footer="tests or scores\nms", no_wrap=True)
    for method, result in found.results.items():
        stopped = "" if result.complete else " (stopped)"
        cost = f"{result.n_tests:,}{stopped}\n{result.seconds * 1e3:,.1f}"
        table.add_column(Text(method), footer=Text(cost, style="dim"))
    table.add_column("in blanket", justify="right")
    table.add_column("same", justify="right")
    styles = {"cause": "green", "effect": "blue", "either": "yellow", "spouse": "magenta", "-": "dim"}
    for x, said in found.found.items():
        words = [SHORT[role] for role in said.values()]
        agreement = found.agreement[x]
        cells = [Text(word, style=styles.get(word, "")) for word in words]
        table.add_row(Text(x, style="bold"), *cells, f"{agreement.blanket} of {n}", f"{agreement.same} of {n}")
    others = len(found.variables) - len(found.found)
    if others:
        table.caption, table.caption_justify = f"{others} others: in no blanket", "left"
    return table


def come_back(name: str, role: str, stability: elcs.Stability | None) -> tuple[str, ...]:
    """Say in how many half-samples a member of the blanket comes back, and in how many as the same."""
    if stability is None:
        return ()
    shares = stability.shares[name]
    whatever = shares.neighbour if role in ("parent", "child", "undirected") else shares.blanket
    return f"{whatever:.0%}", f"{getattr(shares, role, whatever):.0%}"


def in_half_samples(result: elcs.MarkovBlanket, stability: elcs.Stability) -> str:
    """Say what the shares are, and what half-samples find besides."""
    stopped = "" if stability.complete else "; stopped before the end"
    found = {x: shares.blanket for x, shares in stability.shares.items() if x not in result.markov_blanket}
    besides = ", ".join(f"{x} {share:.0%}" for x, share in found.items() if share >= 0.1)
    return (
        f"shares of {stability.n_samples} half-samples, standard error at most "
        f"{100 * stability.standard_error:.0f} points, {stability.seconds:.1f} s{stopped}"
    ) + (f"\nin the blanket of half-samples besides: {besides}" if besides else "")


def write(file: str, text: str) -> None:
    """Write a file; - is standard output."""
    if file == "-":
        print(text)
        return
    try:
        Path(file).write_text(text, encoding="utf-8")
    except OSError as error:
        raise elcs.ElcsError(f"cannot write {file}: {error.strerror}") from None


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
