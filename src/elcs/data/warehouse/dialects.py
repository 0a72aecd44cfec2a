"""What each engine has to be asked for in its own words: columns by position, plain text, a sample, numbers of rows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

import numpy as np

__all__ = ["CHOOSING", "GROUP", "NUMBERING", "PACKING", "PLAIN", "SAMPLING", "STREAMING", "threads_of"]

GROUP = "g"
"""The column that says to which group a row belongs."""

_ROWS = "elcs_rows_of_this_relation"
"""What DuckDB knows a relation by while it is asked; a table of the same name would be taken instead."""


def _choose_spark(native: Any, positions: Mapping[str, int]) -> Any:
    numbered = native.toDF(*[f"c{i}" for i in range(len(native.columns))])
    return numbered.selectExpr(*[f"c{at} AS {name}" for name, at in positions.items()])


CHOOSING: dict[str, Callable[[Any, Mapping[str, int]], Any]] = {
    "duckdb": lambda native, positions: native.project(
        ", ".join(f"#{at + 1} AS {name}" for name, at in positions.items())
    ),
    "pyspark": _choose_spark,
}
"""How to choose columns by their positions and give them names, by the engine; the others can do that by themselves."""

PLAIN: dict[str, Callable[[Any, Collection[str]], Any]] = {
    "duckdb": lambda native, texts: native.project(
        ", ".join(f"{name} COLLATE C AS {name}" if name in texts else name for name in native.columns)
    )
}
"""How to tell all texts apart in some columns, by the engine; a collation would give 'a' or 'A' for both."""

PACKING = frozenset({"duckdb"})
"""The engines that count several columns faster as one number."""

SAMPLING: dict[str, Callable[[Any, float], Any]] = {
    "duckdb": lambda native, share: native.query(_ROWS, f"FROM {_ROWS} USING SAMPLE {100 * share:.6f}% (bernoulli, 1)"),
    "polars": lambda native, share: native.gather_every(max(int(1 / share), 1)),
    "pyspark": lambda native, share: native.sample(fraction=share, seed=1),
    "dask": lambda native, share: native.sample(frac=share, random_state=1),
}
"""How to draw about this share of the rows, by the engine; of others the first rows are taken."""

STREAMING: dict[str, Callable[[Any, int], Any]] = {
    "duckdb": lambda native, n: (getattr(native, "to_arrow_reader", None) or native.fetch_arrow_reader)(n)
}
"""How to have so many rows of an answer at a time, by the engine."""


def threads_of(native: Any) -> int:
    """Return how many threads a relation of DuckDB is counted with."""
    return int(native.query(_ROWS, "SELECT current_setting('threads')").fetchall()[0][0])


def _number_duckdb(native: Any, n_groups: int) -> Any:
    return native.project(f"*, hash(row_number() OVER ()) % {n_groups} AS {GROUP}")


def _number_polars(native: Any, n_groups: int) -> Any:
    import polars as pl

    return native.with_row_index(GROUP).with_columns(pl.col(GROUP).hash() % n_groups)


def _number_spark(native: Any, n_groups: int) -> Any:
    return native.selectExpr("*", f"pmod(xxhash64(monotonically_increasing_id()), {n_groups}) AS {GROUP}")


def _number_dask(native: Any, n_groups: int) -> Any:
    return native.map_partitions(_in_groups, n_groups, meta={**native.dtypes, GROUP: "int64"})


def _in_groups(rows: Any, n_groups: int, partition_info: Mapping[str, Any] | None = None) -> Any:
    """Put the rows of one part of a Dask frame into groups."""
    number = 0 if partition_info is None else partition_info["number"]
    return rows.assign(**{GROUP: np.random.default_rng([1, number]).integers(n_groups, size=len(rows))})


NUMBERING: dict[str, Callable[[Any, int], Any]] = {
    "duckdb": _number_duckdb,
    "polars": _number_polars,
    "pyspark": _number_spark,
    "dask": _number_dask,
}
"""How to put each row into one of so many groups, by a hash of the row's number."""
