"""The options of the commands, and how they are parsed.

The options of a plan and of reading a table are declared once, under the names of the fields they set; `asking` adds
them to a command, which receives those that were given as one dictionary.
"""

from __future__ import annotations

import atexit
import inspect
import os
import shutil
import sys
import tempfile
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

import elcs
from elcs.api import COMPARED
from elcs.data.files import StandsFor
from elcs.data.reading import ENGINES, MISSING
from elcs.independence import TESTS
from elcs.scores import SCORES
from elcs.study.plan import AUTO
from elcs.study.question import Question
from elcs.writing import check_place, identity

__all__ = [
    "Command",
    "Data",
    "Dot",
    "EdgeStability",
    "Effects",
    "Explain",
    "ExplainEdges",
    "Html",
    "Jobs",
    "Json",
    "Methods",
    "Plot",
    "Quiet",
    "Stability",
    "Target",
    "asking",
    "reading",
]


def one_of(choices: Collection[str]) -> Callable[[str | None], str | None]:
    """Make the check for an option that takes one of several words."""

    def check(value: str | None) -> str | None:
        if value is not None and value not in choices:
            raise typer.BadParameter(f"must be {' or '.join(choices)}, not {value!r}")
        return value

    return check


def check_file(file: str | None) -> str | None:
    """Refuse to print what only a file can hold."""
    if file == "-":
        raise typer.BadParameter("needs the name of a file; it cannot be printed")
    return file


def check_outputs(arguments: Mapping[str, Any]) -> None:
    """Refuse, before any work, to write where nothing can be written, twice to one place, or over what is read."""
    read = {name: arguments.get(name) for name in ("data", "knowledge")}
    taken = {identity(file): name for name, file in read.items() if file is not None and str(file) != "-"}
    for name in ("json", "dot", "plot", "html"):
        file = arguments.get(name)
        if file is None:
            continue
        place = file if file == "-" else identity(file)
        if place in taken:
            told = "standard output" if file == "-" else repr(file)
            other = f"{taken[place]} is read from" if taken[place] in read else f"--{taken[place]} is written to"
            raise typer.BadParameter(f"{other} {told} already; give another file", param_hint=f"'--{name}'")
        taken[place] = name
        if file != "-":
            check_place(file)


def check_picture(file: str | None) -> str | None:
    """Refuse, before anything is learnt, a picture that could not be written in the end."""
    if file is not None:
        from elcs.drawing import plot

        check_file(file)
        plot.check_file(file)
    return file


def silence(quiet: bool) -> bool:
    """Do not warn where nothing is to be printed."""
    if quiet:
        warnings.simplefilter("ignore", elcs.DataWarning)
    return quiet


def parse_bins(text: str) -> int | dict[str, int]:
    """Parse a number of bins, or one for each of several columns."""
    parts = text.split(",")
    pairs = [part.rsplit("=", 1) if "=" in part else ["*", part] for part in parts]
    wrong = [part for part, (_, count) in zip(parts, pairs, strict=True) if not count.strip().isdecimal()]
    if wrong or (len(parts) > 1 and "=" not in text):
        listed = ", ".join(map(repr, wrong)) or repr(text)
        told = f"must be a number, COLUMN=NUMBER, or several of these separated by commas, not {listed}"
        raise typer.BadParameter(told, param_hint="'--bins'")
    return {name.strip(): int(count) for name, count in pairs} if "=" in text else int(text)


def parse_kinds(text: str) -> dict[str, str]:
    """Interpret a kind for each of several columns."""
    pairs = {part: part.rsplit("=", 1) for part in text.split(",")}
    wrong = [part for part, pair in pairs.items() if len(pair) != 2]
    if wrong:
        told = f"must be COLUMN=KIND separated by commas, not {', '.join(map(repr, wrong))}"
        raise typer.BadParameter(told, param_hint="'--kinds'")
    return {name.strip(): kind.strip() for name, kind in pairs.values()}


def from_standard_input(data: Path) -> os.PathLike[str]:
    """Let - stand for a table of text, which may be gzipped, that comes in through a pipe."""
    if str(data) != "-":
        return data
    if sys.stdin is None:
        raise elcs.DataError("standard input is closed; name a file, or send a table through a pipe")
    first = sys.stdin.buffer.read(len(_GZIPPED))
    suffix = ".csv.gz" if first == _GZIPPED else ".csv"
    kept = tempfile.NamedTemporaryFile(prefix="standard-input-", suffix=suffix)  # noqa: SIM115  # until the end
    kept.write(first)
    try:
        shutil.copyfileobj(sys.stdin.buffer, kept)
        kept.flush()
    except OSError as error:
        raise elcs.DataError(f"standard input cannot be kept in {kept.name}: {error.strerror}") from None
    atexit.register(kept.close)
    return StandsFor(kept.name, "standard input")


_GZIPPED = b"\x1f\x8b"
Data = Annotated[
    Path,
    typer.Argument(
        metavar="DATA",
        help="A .csv, .tsv or .parquet file; text may be gzipped. 'folder/*.parquet' stands for several. "
        "- reads it from standard input.",
    ),
]
Target = Annotated[str, typer.Option("--target", "-t", help="The column of interest.")]
Methods = Annotated[
    str | None,
    typer.Option(
        "--methods",
        metavar="NAME,NAME,...",
        help="Which methods; 'elcs methods' lists them.",
        show_default=",".join(COMPARED),
    ),
]
Jobs = Annotated[
    int | None, typer.Option(help="Number of processes, for methods that use several; -1 for one per processor.")
]
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
ExplainEdges = Annotated[bool, typer.Option("--explain", help="Say why, for each edge.")]
EdgeStability = Annotated[
    int | None,
    typer.Option(
        "--stability",
        metavar="N",
        help="Count how often edges come back in N half-samples, say 100; each learns anew. By default the directions "
        "of a method by tests alone are checked in this way, within a second; 0 switches that off.",
    ),
]
Effects = Annotated[
    bool, typer.Option("--effects", help="Say how large the effects are: of each cause, and on each effect.")
]
Stability = Annotated[
    int | None,
    typer.Option(
        "--stability",
        metavar="N",
        help="Count how often findings come back in N half-samples, say 100. By default 'learn' checks the directions "
        "of a method by tests alone in this way, within a second; 0 switches that off.",
    ),
]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Print no table, no progress and no warnings.", callback=silence)
]


def _default(field: str) -> str | bool:
    """Return the default of a field, for the help to show."""
    value = getattr(elcs.Plan, field, getattr(elcs.Reading, field, None))
    return False if value is None else str(value)


PLAN: dict[str, Any] = {
    "alpha": Annotated[
        float | None, typer.Option(help="Level of significance of the tests.", show_default=_default("alpha"))
    ],
    "ci_test": Annotated[
        str | None,
        typer.Option(
            "--ci-test",
            help="The test: g2 or chi2 for levels; careful, mixed or dg for levels and numbers; fisher-z for numbers.",
            callback=one_of((AUTO, *TESTS)),
            show_default=_default("ci_test"),
        ),
    ],
    "score": Annotated[
        str | None,
        typer.Option(
            help="For methods that ask for scores: bdeu or bic for levels, blocks for levels and numbers.",
            callback=one_of((AUTO, *SCORES)),
            show_default=_default("score"),
        ),
    ],
    "max_cond_size": Annotated[
        int | None,
        typer.Option(
            help="Largest conditioning set of a search; -1 for no limit.", show_default=_default("max_cond_size")
        ),
    ],
    "depth": Annotated[
        int | None, typer.Option(help="Also find all edges among the columns up to this many steps away.", min=1)
    ],
    "max_tests": Annotated[int | None, typer.Option(help="Stop after this many tests and scores.", min=0)],
    "timeout": Annotated[float | None, typer.Option(help="Stop after this many seconds.", min=0)],
    "knowledge": Annotated[
        str | None,
        typer.Option(metavar="FILE", help="What is known beforehand: a TOML file, or a knowledge file of Tetrad."),
    ],
}
"""The options of a plan, by the fields they set; --method is added by `asking`, as its default differs."""

KNOWN: dict[str, Any] = {
    "exogenous": Annotated[
        list[str] | None, typer.Option(metavar="COLUMN,...", help="Known: nothing in the table causes these columns.")
    ],
    "outcome": Annotated[
        list[str] | None, typer.Option(metavar="COLUMN,...", help="Known: these columns cause nothing in the table.")
    ],
    "before": Annotated[
        str | None,
        typer.Option(
            metavar="'A,B < C < D'", help="Known: the order of columns in time; nothing later causes anything earlier."
        ),
    ],
}
"""What can be said beforehand without a file; it is added to what the file says."""

READING: dict[str, Any] = {
    "bins": Annotated[
        str | None,
        typer.Option(metavar="N,COLUMN=N,...", help="Cut quantities, or the columns named, into N bins."),
    ],
    "weights": Annotated[str | None, typer.Option(help="The column that says how often each row counts.")],
    "drop": Annotated[
        list[str] | None, typer.Option(metavar="COLUMN,...", help="Leave out columns; may be given several times.")
    ],
    "kinds": Annotated[
        str | None,
        typer.Option(metavar="COLUMN=KIND,...", help="What to take a column for: text, integer, category or number."),
    ],
    "missing": Annotated[
        str | None,
        typer.Option(
            help="Missing values: testwise (a test uses the rows that have its columns), drop, level or error.",
            callback=one_of(MISSING),
            show_default=_default("missing"),
        ),
    ],
    "encoding": Annotated[
        str | None, typer.Option(help="The encoding of a text file.", show_default=_default("encoding"))
    ],
    "engine": Annotated[
        str | None,
        typer.Option(
            help="What reads files: memory (this program) or duckdb (for several files, or more than fits in memory).",
            callback=one_of(ENGINES),
            show_default=_default("engine"),
        ),
    ],
    "memory": Annotated[
        str | None,
        typer.Option(
            metavar="SIZE", help="How much may be fetched of what DuckDB reads, as in 4GB.", show_default="1GB"
        ),
    ],
}
"""The options of reading a table, by the fields they set."""


def knowledge_of(said: dict[str, Any]) -> elcs.Knowledge | None:
    """Put together what a file and the options say beforehand, taking these options out; None if they say nothing."""
    file, before = said.pop("knowledge", None), said.pop("before", None)
    exogenous, outcomes = (_columns(said.pop(name, None)) for name in ("exogenous", "outcome"))
    if not (file or before or exogenous or outcomes):
        return None
    known = elcs.Plan(knowledge=file).known
    if before and known.tiers:
        raise typer.BadParameter(f"{file} has tiers of its own; give the order in one place", param_hint="'--before'")
    tiers = [_columns([tier]) for tier in before.split("<")] if before else known.tiers
    if not all(tiers):
        told = f"must be columns separated by commas, and <, not {before!r}"
        raise typer.BadParameter(told, param_hint="'--before'")
    return replace(known, tiers=tiers, exogenous=[*known.exogenous, *exogenous], outcomes=[*known.outcomes, *outcomes])


def _columns(values: Sequence[str] | None) -> list[str]:
    return [name.strip() for value in values or () for name in value.split(",") if name.strip()]


_UNDERSTOOD: dict[str, Callable[[Any], Any]] = {
    "bins": parse_bins,
    "kinds": parse_kinds,
    "max_cond_size": lambda size: None if size < 0 else size,
}


def asking(question: Question, *, method: bool = True) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Let a command take all options of a plan and of reading; it receives those that were given as `keywords`."""
    options = {name: option for name, option in PLAN.items() if name not in question.refuses} | KNOWN | READING
    if method:
        told = "Which method; 'elcs methods' lists them."
        options = {"method": Annotated[str | None, typer.Option(help=told, show_default=question.method)], **options}
    return lambda command: _with_options(command, options)


def reading(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command take the options of reading alone."""
    return _with_options(command, READING)


def _with_options(command: Callable[..., None], options: dict[str, Any]) -> Callable[..., None]:
    own = [p for p in inspect.signature(command, eval_str=True).parameters.values() if p.name != "keywords"]

    def run(**arguments: Any) -> None:
        check_outputs(arguments)
        arguments["data"] = from_standard_input(arguments["data"])
        said = {name: arguments.pop(name) for name in options}
        given = {name: value for name, value in said.items() if value is not None and value != []}
        known = knowledge_of(given)
        given |= {} if known is None else {"knowledge": known}
        keywords = {name: _UNDERSTOOD.get(name, lambda x: x)(value) for name, value in given.items()}
        command(keywords=keywords, **arguments)

    keyword = inspect.Parameter.KEYWORD_ONLY
    added = [inspect.Parameter(name, keyword, default=None, annotation=option) for name, option in options.items()]
    needed = [p for p in own if p.default is p.empty]
    parameters = [p.replace(kind=keyword) for p in (*needed, *added, *(p for p in own if p not in needed))]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in parameters}
    run.__name__, run.__doc__ = command.__name__, command.__doc__
    return run


class Command(TyperCommand):
    """A command that refuses an option given twice; otherwise the last would win without notice."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments."""
        self._refuse_repeated(args)
        return super().parse_args(ctx, args)

    def _refuse_repeated(self, args: Sequence[str]) -> None:
        """Look for a second value; a flag may be repeated."""
        single = {name: p for p in self.params for name in p.opts if name.startswith("-") and not p.multiple}
        single = {name: p for name, p in single.items() if not getattr(p, "is_flag", False)}
        seen: set[str | None] = set()
        rest = iter(args)
        for word in rest:
            if word == "--":
                return
            name, sign, _ = word.partition("=")
            option = single.get(name) or (single.get(word[:2]) if not word.startswith("--") else None)
            if option is None:
                continue
            if option.name in seen:
                told = max(option.opts, key=len)
                raise typer.BadParameter(f"{told} is given twice; it takes one value", param_hint=f"'{told}'")
            seen.add(option.name)
            if not sign and name in single:
                next(rest, None)  # its value, which may look like an option
