"""The command `elcs demo`: a question about the packaged sample table."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Annotated

import typer

import elcs
from elcs.cli.console import console, messages
from elcs.cli.output import show, write

__all__ = ["demo"]


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
