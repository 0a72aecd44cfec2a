"""The options of the commands.

The options of a plan and of reading a table are declared once, under the names of the fields they set; `asking` adds
them to a command, which receives those that were given as one dictionary.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import elcs
from elcs.api import COMPARED
from elcs.cli.parsing import check_file, check_picture, one_of, silence
from elcs.data.reading import ENGINES, MISSING
from elcs.independence import TESTS
from elcs.scores import SCORES
from elcs.study.plan import AUTO

__all__ = [
    "KNOWN",
    "PLAN",
    "READING",
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
]

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
