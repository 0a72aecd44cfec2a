"""What cannot be asked: a target that is no name, settings without effect, knowledge about columns nobody has.

And what should be known before an answer is read.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Collection, Sequence

import numpy as np

from elcs.data import Reading, Table
from elcs.errors import DataError, DataWarning, ElcsError, KnowledgeError, unknown_name
from elcs.graph.knowledge import Knowledge
from elcs.independence import CITest
from elcs.scores import Score

__all__ = ["check_names", "check_target", "refuse_idle", "warn_of_rare_levels", "warn_of_tests_alone"]

FEW_ROWS, MANY_RARE = 10, 5
"""A level with fewer rows is rare. `G2` is larger than it should be where more levels are rare than so many times the
square root of their number: 500 levels, 270 of them rare, are called dependent on a coin in 9 of 40 samples, `Chi2`
does so in one."""


def check_target(target: object, data: object) -> None:
    """Refuse anything but a name, and say what the names are where they look like numbers."""
    if isinstance(target, str):
        return
    advice = "ask about one column at a time"
    if isinstance(target, int | np.integer):
        advice = f"names are text, so that of a column {target} is '{target}'"
        if isinstance(data, np.ndarray):
            advice = "the columns of an array are 'V0', 'V1', ..., or what names= says"
    raise DataError(f"the target must be the name of one column, not {target!r}; {advice}")


def check_names(known: Knowledge, variables: Sequence[str], table: Table | None) -> None:
    """Refuse knowledge about columns that the table never had; those that were left out do no harm."""
    if not known:
        return
    names = set(variables)
    if table is not None:
        names.update(dict(table.dropped), table.reading.drop or (), [str(table.reading.weights)])
        names.update(known.names if table.reading.columns is not None else ())
    for name in known.names:
        if name not in names:
            raise KnowledgeError(f"something is said about {name!r}, but {unknown_name(name, variables)}")


def refuse_idle(made: tuple[CITest | None, Score | None], given: Collection[str], reading: Reading) -> None:
    """Refuse settings for tests, scores or a table that were made beforehand."""
    for source, names in zip(made, (("alpha", "ci_test"), ("score",)), strict=True):
        idle = [f"{name}=" for name in names if name in given]
        if source is not None and idle:
            has = "has" if len(idle) == 1 else "have"
            raise ElcsError(
                f"{', '.join(idle)} {has} no effect on a {type(source).__name__} that has already been made; "
                f"make another one, or give the table instead"
            )
    if reading.given:
        told = ", ".join(f"{name}=" for name in reading.given)
        raise DataError(f"{told} cannot be applied to a table that has already been read; give the original data")


def warn_of_tests_alone(method: str, stacklevel: int) -> None:
    """Say that a method that needs scores gives way to tests alone, as the rows are not at hand."""
    warnings.warn(
        "the distinct rows of the table do not fit in the memory that may be used, so the answer comes from tests "
        f"alone, without {method}: more of its directions are wrong; raise memory= (--memory), keep fewer columns "
        f"(columns=, drop=), or ask for {method} (method=, --method), which takes many times as long here",
        DataWarning,
        stacklevel=stacklevel + 1,
    )


def warn_of_rare_levels(table: Table, stacklevel: int) -> None:
    """Say which columns have so many rare levels that `G2` would take chance for dependence."""
    for n, column in enumerate(table.columns):
        if len(table.levels[n]) <= MANY_RARE**2:
            continue
        counts = table.level_counts(n)
        rare = int((counts < FEW_ROWS).sum())
        if rare > MANY_RARE * math.sqrt(len(counts)):
            warnings.warn(
                f"{rare:,} of the {len(counts):,} levels of {column.name!r} have fewer than {FEW_ROWS} rows each, so "
                "the test g2 calls it dependent on other columns too often; pass ci_test='chi2' (--ci-test chi2), "
                "merge rare levels, or leave it out with drop= (--drop)",
                DataWarning,
                stacklevel=stacklevel + 1,
            )
