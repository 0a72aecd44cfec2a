"""The command `elcs bench`: compare methods on networks whose truth is known."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from elcs.cli.asking import Command
from elcs.cli.options import PLAN
from elcs.errors import ElcsError
from elcs.evaluation.paper import NETWORKS, TABLES, paper_table
from elcs.study import Plan

bench = typer.Typer(
    help="Compare methods on networks whose truth is known.", no_args_is_help=True, rich_markup_mode=None
)

Networks = Annotated[list[str] | None, typer.Option("--networks", help="Which networks; several, separated by commas.")]
Repetitions = Annotated[
    int | None, typer.Option(help="Data sets per network and size; by default all in --data, or 3 sampled ones.", min=1)
]
Data = Annotated[Path | None, typer.Option(help="A folder of data sets to use instead of sampling them.")]
Limit = Annotated[
    float | None,
    typer.Option(help="CPU seconds after which a method gives up on a data set, and on larger ones.", min=0),
]
Out = Annotated[Path, typer.Option(help="The folder for the journal, the table of all targets and the report.")]
_METHODS = "Which methods; several, separated by commas. Options may follow a name: 'elcs-hybrid decided=false'."
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
    from elcs.cli.benching import Settings, cells, execute  # no other command needs what this loads

    tables = [paper_table(name) for name in _split(table) or TABLES]
    chosen, folder = _split(networks) or list(NETWORKS), _folder(data)
    plan = [
        cell
        for network in chosen
        for entry in sorted(tables, key=lambda entry: entry.samples)  # what gives up on few rows is spared more
        for cell in cells(list(entry.methods), [network], [entry.samples], repetitions, folder)
    ]
    execute(
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
    from elcs.cli.benching import Settings, cells, execute

    try:
        sizes = [int(size) for size in _split(samples)]
    except ValueError:
        raise ElcsError(f"--samples takes whole numbers, not {', '.join(samples)}") from None
    names = _split(methods)
    asked = Plan(alpha=alpha, ci_test="g2", knowledge=knowledge)
    settings = Settings(asked, limit_seconds=limit_seconds, data=_folder(data), seed=seed)
    tables = [entry for entry in TABLES.values() if entry.samples in sizes and set(names) & set(entry.methods)]
    plan = cells(names, _split(networks), sizes, repetitions, settings.data)
    execute(plan, settings, out, jobs, tables)


def _split(values: Sequence[str] | None) -> list[str]:
    """Allow both --networks a,b and --networks a --networks b."""
    return [part.strip() for value in values or () for part in value.split(",") if part.strip()]


def _folder(data: Path | None) -> str | None:
    if data is not None and not data.is_dir():
        raise ElcsError(f"{data} is not a folder of data sets")
    return None if data is None else str(data.resolve())
