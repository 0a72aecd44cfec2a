"""From finished cells to figures: every target in a tidy table, means and standard deviations, verdicts."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from elcs.errors import ElcsError
from elcs.evaluation.journal import Cell, Record
from elcs.evaluation.paper import LARGER_IS_BETTER, Figure
from elcs.writing import write_file, write_with

__all__ = ["Summary", "tidy_csv", "verdict", "write_tidy"]

# What the columns of a record are called in tables.
_COLUMNS = {"tests": "CI tests", "cpu": "Time"}


class Summary:
    """Means over the targets of a data set, then mean and standard deviation over data sets.

    Parameters
    ----------
    records : mapping
        The finished cells.
    """

    def __init__(self, records: Mapping[Cell, Record]) -> None:
        self._means: dict[tuple[str, str, int], list[dict[str, float]]] = {}
        self._gave_up: set[tuple[str, str, int]] = set()
        self._missing: set[tuple[str, str, int]] = set()
        self.variables: dict[str, int] = {}
        for cell, record in records.items():
            key = (cell.method, cell.network, cell.samples)
            self.variables[cell.network] = record["variables"]
            if record["status"] != "done":
                (self._missing if record["status"] == "missing" else self._gave_up).add(key)
                continue
            rows = record["targets"]
            names = [name for name in rows[0] if name != "target"]
            means = {_COLUMNS.get(name, name): float(np.mean([row[name] for row in rows])) for name in names}
            self._means.setdefault(key, []).append(means)

    def figure(self, method: str, network: str, samples: int, metric: str) -> Figure | None:
        """Return one figure; None if there is none, or if a data set was given up."""
        key = (method, network, samples)
        if key in self._gave_up or key not in self._means:
            return None
        values = [means[metric] for means in self._means[key] if metric in means]
        if not values:
            return None
        return Figure(float(np.mean(values)), float(np.std(values, ddof=1)) if len(values) > 1 else 0.0)

    def gave_up(self, method: str, network: str, samples: int) -> bool:
        """Tell whether the method took too long on one of the data sets."""
        return (method, network, samples) in self._gave_up

    def missing(self, method: str, network: str, samples: int) -> bool:
        """Tell whether the method could not be run, because a package is not installed."""
        return (method, network, samples) in self._missing

    def n_sets(self, network: str, samples: int) -> int:
        """Return the number of data sets for which there are figures."""
        return max(
            (len(sets) for (_, n, size), sets in self._means.items() if (n, size) == (network, samples)), default=0
        )

    @property
    def series(self) -> list[tuple[str, str, int]]:
        """The methods, networks and sample sizes for which there are figures."""
        return list(dict.fromkeys([*self._means, *self._gave_up]))


def verdict(metric: str, ours: Figure, theirs: Figure) -> str:
    """Compare a figure with a published one.

    "=": within one standard deviation; "~": within two; "+": better; "-": worse. The standard deviation is the larger
    of the two, and at least as large as the error of rounding to two digits.

    Examples
    --------
    >>> verdict("F1", Figure(0.95, 0.01), Figure(0.91, 0.01)), verdict("SHD", Figure(1.0, 0.1), Figure(1.05, 0.0))
    ('+', '=')
    """
    deviation = max(ours.std, theirs.std, 0.005)
    off = (ours.mean - theirs.mean) / deviation
    if abs(off) <= 1:
        return "="
    if abs(off) <= 2:
        return "~"
    return "+" if (off > 0) == (metric in LARGER_IS_BETTER) else "-"


def tidy_rows(records: Mapping[Cell, Record]) -> Iterable[dict[str, Any]]:
    """Yield every target of every cell as one row."""
    for cell, record in records.items():
        for row in record["targets"]:
            yield {**cell._asdict(), **row}


def tidy_csv(records: Mapping[Cell, Record]) -> str:
    """Return every target of every cell as CSV."""
    rows = list(tidy_rows(records))
    columns = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n", restval="")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def write_tidy(records: Mapping[Cell, Record], path: Any) -> None:
    """Write every target of every cell to a CSV file or, by its ending, to a Parquet file."""
    if path.suffix != ".parquet":
        write_file(path, tidy_csv(records))
        return
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise ElcsError('writing Parquet needs a library: pip install "elcs[parquet]"; or name a .csv file') from None
    rows = list(tidy_rows(records))
    columns = dict.fromkeys(name for row in rows for name in row)
    table = pyarrow.table({name: [row.get(name) for row in rows] for name in columns})
    write_with(path, lambda beside: pyarrow.parquet.write_table(table, beside))
