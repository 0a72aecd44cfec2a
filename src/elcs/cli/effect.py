"""The command `elcs effect`: what would happen to one column if another were set."""

from __future__ import annotations

from typing import Annotated, Any

import typer

import elcs
from elcs.cli import progress
from elcs.cli.asking import asking
from elcs.cli.console import console
from elcs.cli.options import Data, Json, Plot, Quiet
from elcs.cli.output import tell_if_stopped, write
from elcs.study.question import EFFECT

__all__ = ["effect"]

Cause = Annotated[str, typer.Option("--cause", "-c", help="The column that would be set.")]
Effect = Annotated[str, typer.Option("--effect", "-e", help="The column to look at.")]
Samples = Annotated[
    int | None,
    typer.Option("--stability", metavar="N", help="Learn the graph anew from N half-samples, say 100, as well."),
]


@asking(EFFECT)
def effect(
    data: Data,
    cause: Cause,
    effect: Effect,
    keywords: dict[str, Any],
    json: Json = None,
    plot: Plot = None,
    stability: Samples = None,
    quiet: Quiet = False,
) -> None:
    """Estimate what would happen to one column if another were set."""
    study = elcs.Study.of(data, EFFECT.put(None, keywords), target=cause)
    n_samples = stability or 0
    with progress.counting(n_samples, quiet or not n_samples) as report, progress.stopped_by_ctrl_c():
        found = elcs.effect(study, cause, effect, n_samples=n_samples, report=report)
    if json is not None:
        write(json, found.to_json())
    if plot is not None:
        from elcs.drawing.bars import bars
        from elcs.drawing.plot import save

        save(bars((found,)), plot)
    if not quiet and json != "-":
        console.print(str(found), markup=False, highlight=False, soft_wrap=True)
    tell_if_stopped(found.complete)
