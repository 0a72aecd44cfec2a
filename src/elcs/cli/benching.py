"""How `elcs bench` runs: what is missing in the journal, with progress shown, and then the report."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from pathlib import Path

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from elcs.cli.console import console, messages
from elcs.evaluation.benchmark import Settings, cells, missing, run
from elcs.evaluation.journal import Cell, Journal, Record
from elcs.evaluation.metrics import LocalScores, ceiling
from elcs.evaluation.paper import PaperTable
from elcs.evaluation.pictures import pictures
from elcs.evaluation.problems import in_folder, true_graph
from elcs.evaluation.report import blocks, to_html, to_markdown
from elcs.evaluation.summary import write_tidy
from elcs.writing import write_file

__all__ = ["Settings", "cells", "execute"]


def execute(
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
