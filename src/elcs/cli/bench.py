"""The command `elcs bench`: compare methods on networks whose truth is known."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from elcs.cli.console import console, messages
from elcs.cli.options import PLAN, Command
from elcs.errors import ElcsError
from elcs.evaluation.benchmark import Settings, cells, missing, run
from elcs.evaluation.journal import Cell, Journal, Record
from elcs.evaluation.metrics import LocalScores, ceiling
from elcs.evaluation.paper import NETWORKS, TABLES, PaperTable, paper_table
from elcs.evaluation.pictures import pictures
from elcs.evaluation.problems import in_folder, true_graph
from elcs.evaluation.report import blocks, to_html, to_markdown
from elcs.evaluation.summary import write_tidy
from elcs.study import Plan
from elcs.writing import write_file

bench = typer.Typer(
    help="Compare methods on networks whose truth is known.", no_args_is_help=True, rich_markup_mode=None
)

_METHODS = "Which methods; several, separated by commas. Options may follow a name: 'elcs-hybrid decided=false'."
Networks = Annotated[list[str] | None, typer.Option("--networks", help="Which networks; several, separated by commas.")]
Repetitions = Annotated[
    int | None, typer.Option(help="Data sets per network and size; by default all in --data, or 3 sampled ones.", min=1)
]
Data = Annotated[Path | None, typer.Option(help="A folder of data sets to use instead of sampling them.")]
Limit = Annotated[
    float | None, typer.Option(help="Seconds after which a method gives up on a data set, and on larger ones.", min=0)
]
Out = Annotated[Path, typer.Option(help="The folder for the journal, the table of all targets and the report.")]
Jobs = Annotated[int | None, typer.Option(help="Number of processes; by default one per processor.", min=1)]
Seed = Annotated[int, typer.Option(help="The seed for sampling.")]


@bench.command(cls=Command)
def paper(
    table: Annotated[list[str] | None, typer.Option("--table", help=f"Which tables: {', '.join(TABLES)}.")] = None,
    networks: Networks = None,
    repetitions: Repetitions = None,
    data: Data = None,
    limit_seconds: Limit = 45.0,
    out: Out = Path("bench"),
    jobs: Jobs = None,
    seed: Seed = 0,
) -> None:
    """Redo tables of the ELCS paper, by default all six. After an interruption, the same command continues."""
    tables = [paper_table(name) for name in _split(table) or TABLES]
    chosen, folder = _split(networks) or list(NETWORKS), _folder(data)
    plan = [
        cell
        for network in chosen
        for entry in sorted(tables, key=lambda entry: entry.samples)  # what gives up on few rows is spared more
        for cell in cells(list(entry.methods), [network], [entry.samples], repetitions, folder)
    ]
    _execute(
        list(dict.fromkeys(plan)),
        Settings(limit_seconds=limit_seconds, data=folder, seed=seed),
        out,
        jobs,
        tables,
    )


@bench.command("run", cls=Command)
def run_command(
    methods: Annotated[list[str], typer.Option("--methods", help=_METHODS)],
    networks: Annotated[list[str], typer.Option("--networks", help="Which networks; several, separated by commas.")],
    samples: Annotated[list[str], typer.Option("--samples", help="Rows of a data set; several, separated by commas.")],
    repetitions: Repetitions = None,
    alpha: Annotated[float, typer.Option(help="Level of significance.")] = 0.01,
    data: Data = None,
    limit_seconds: Limit = None,
    out: Out = Path("bench"),
    jobs: Jobs = None,
    seed: Seed = 0,
    knowledge: Annotated[str | None, PLAN["knowledge"].__metadata__[0]] = None,
) -> None:
    """Run any methods on any networks."""
    try:
        sizes = [int(size) for size in _split(samples)]
    except ValueError:
        raise ElcsError(f"--samples takes whole numbers, not {', '.join(samples)}") from None
    names = _split(methods)
    asked = Plan(alpha=alpha, ci_test="g2", knowledge=knowledge)
    settings = Settings(asked, limit_seconds=limit_seconds, data=_folder(data), seed=seed)
    tables = [entry for entry in TABLES.values() if entry.samples in sizes and set(names) & set(entry.methods)]
    plan = cells(names, _split(networks), sizes, repetitions, settings.data)
    _execute(plan, settings, out, jobs, tables)


def _execute(
    plan: Sequence[Cell], settings: Settings, out: Path, jobs: int | None, tables: Sequence[PaperTable]
) -> None:
    """Run what is missing, showing progress, and write the results."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # or else the processes of the pool would be left running
    with Journal(out / "journal.jsonl", settings.to_dict()) as journal:
        before = sum(cell in journal.records for cell in plan)
        if before:
            messages.print(f"{before} of {len(plan)} cells are in {journal.path} already")
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
        )
        with Progress(*columns, console=messages, disable=not messages.is_terminal) as progress:
            task = progress.add_task("starting", total=len(plan), completed=before)

            def show(cell: Cell, record: Record) -> None:
                told = f"{cell.method} on {cell.network} {cell.samples} no. {cell.repetition}"
                progress.update(task, advance=1, description=told)

            try:
                run(plan, settings, journal, n_jobs=jobs, report=show)
            except KeyboardInterrupt:
                messages.print("interrupted; the same command continues where this one stopped")
                raise typer.Exit(130) from None
        absent = {cell: record for cell, record in missing(plan, settings).items() if cell not in journal.records}
        records = {cell: absent.get(cell) or journal.records[cell] for cell in plan}
    for method, package in {cell.method: record["needs"] for cell, record in absent.items()}.items():
        messages.print(
            f"{method} was not run: it needs {package}, which is not installed; the same command adds it later"
        )
    _write_results(records, settings, out, tables)


def _write_results(records: dict[Cell, Record], settings: Settings, out: Path, tables: Sequence[PaperTable]) -> None:
    def best(network: str, samples: int) -> LocalScores | None:
        return ceiling(true_graph(network, samples, settings.data))

    def origin(network: str, samples: int) -> str:
        return "original data" if in_folder(network, samples, settings.data) else "sampled here"

    laid_out = blocks(records, tables, best, origin)
    write_tidy(records, out / "targets.csv")
    write_file(out / "report.md", to_markdown(laid_out))
    write_file(out / "report.html", to_html(laid_out, pictures=pictures(records)))
    console.print(f"{out / 'report.md'}, {out / 'report.html'}: the tables; {out / 'targets.csv'}: every target")


def _split(values: Sequence[str] | None) -> list[str]:
    """Allow both --networks a,b and --networks a --networks b."""
    return [part.strip() for value in values or () for part in value.split(",") if part.strip()]


def _folder(data: Path | None) -> str | None:
    if data is not None and not data.is_dir():
        raise ElcsError(f"{data} is not a folder of data sets")
    return None if data is None else str(data.resolve())
