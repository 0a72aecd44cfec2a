"""What the commands can be told, and how it is understood."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Annotated

import typer

import elcs
from elcs.data.prepare import MISSING
from elcs.drawing import plot as drawing
from elcs.independence import TESTS
from elcs.scores import SCORES


def one_of(choices: Collection[str]) -> Callable[[str], str]:
    """Make the check of an option that takes one of several words."""

    def check(value: str) -> str:
        if value not in choices:
            raise typer.BadParameter(f"must be {' or '.join(choices)}, not {value!r}")
        return value

    return check


def limit_from(size: int) -> int | None:
    """Understand a negative limit as none."""
    return None if size < 0 else size


def check_file(file: str | None) -> str | None:
    """Refuse to print what only a file can hold."""
    if file == "-":
        raise typer.BadParameter("needs the name of a file; it cannot be printed")
    return file


def check_picture(file: str | None) -> str | None:
    """Refuse, before anything is learnt, a picture that could not be written in the end."""
    if file is not None:
        check_file(file)
        drawing.check_file(file)
    return file


def silence(quiet: bool) -> bool:
    """Do not warn where nothing is to be printed."""
    if quiet:
        warnings.simplefilter("ignore", elcs.DataWarning)
    return quiet


Data = Annotated[Path, typer.Argument(metavar="DATA", help="A .csv, .tsv or .parquet file; text may be gzipped.")]
Target = Annotated[str, typer.Option("--target", "-t", help="The column of interest.")]
Bins = Annotated[
    str | None, typer.Option(metavar="N or COLUMN=N,...", help="Cut fractional columns, or those named, into N bins.")
]
Weights = Annotated[str | None, typer.Option(help="The column that counts identical rows.")]
Drop = Annotated[list[str] | None, typer.Option(help="Leave out a column; may be given several times.")]
Encoding = Annotated[str, typer.Option(help="How a text file is written.")]
Missing = Annotated[
    str,
    typer.Option(help="Missing values: error, drop (their rows) or level.", callback=one_of(MISSING)),
]
Method = Annotated[str, typer.Option(help="How to find out; 'elcs methods' lists the methods.")]
Alpha = Annotated[float, typer.Option(help="Level of significance of the tests.")]
CITestName = Annotated[str, typer.Option("--ci-test", help="The test: g2 or chi2.", callback=one_of(TESTS))]
ScoreName = Annotated[
    str, typer.Option("--score", help="For methods that ask for scores: bdeu or bic.", callback=one_of(SCORES))
]
MaxCondSize = Annotated[
    int | None, typer.Option(help="Largest conditioning set of a search; -1 for no limit.", callback=limit_from)
]
MaxTests = Annotated[int | None, typer.Option(help="Stop after so many tests.", min=0)]
Timeout = Annotated[float | None, typer.Option(help="Stop after so many seconds.", min=0)]
Json = Annotated[str | None, typer.Option("--json", metavar="FILE", help="Write everything as JSON; - prints it.")]
Dot = Annotated[str | None, typer.Option("--dot", metavar="FILE", help="Write the picture in DOT; - prints it.")]
Plot = Annotated[
    str | None,
    typer.Option("--plot", metavar="FILE", help="Draw the picture: a .png, .svg or .pdf file.", callback=check_picture),
]
Html = Annotated[
    str | None,
    typer.Option(
        "--html", metavar="FILE", help="Write a page with picture, evidence, data and settings.", callback=check_file
    ),
]
Explain = Annotated[bool, typer.Option("--explain", help="Say why, for each variable of the blanket.")]
Stability = Annotated[
    int | None,
    typer.Option("--stability", metavar="N", help="Count how often findings come back in N half-samples, say 100."),
]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Print no table, no progress and no warnings.", callback=silence)
]


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


def parse_bins(text: str | None) -> int | dict[str, int] | None:
    """Understand a number of bins, or one for each of several columns."""
    try:
        if text is None or "=" not in text:
            return None if text is None else int(text)
        pairs = [part.rsplit("=", 1) for part in text.split(",")]
        return {name.strip(): int(count) for name, count in pairs}
    except ValueError:
        told = f"must be a number, or COLUMN=NUMBER separated by commas, not {text!r}"
        raise typer.BadParameter(told, param_hint="'--bins'") from None
