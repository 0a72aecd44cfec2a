"""The same answers through every engine: Polars, Dask and Spark beside the rows in memory.

    python benchmarks/engines.py --rows 1000000 --engines polars dask spark

samples so many rows of Alarm (37 columns) into a Parquet file, asks each engine for counts alone, and says for each
target whether parents, children, spouses and evidence are those of the rows in memory, and how many seconds it took.
Spark needs Java.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from warehouse import make

import elcs


def _polars(file: Path) -> Any:
    import polars as pl

    return pl.scan_parquet(file)


def _dask(file: Path) -> Any:
    import dask.dataframe as dd

    return dd.read_parquet(file)


def _spark(file: Path) -> Any:
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    session = builder.config("spark.sql.shuffle.partitions", "4").config("spark.driver.host", "127.0.0.1").getOrCreate()
    return session.read.parquet(str(file))


ENGINES: dict[str, Callable[[Path], Any]] = {"polars": _polars, "dask": _dask, "spark": _spark}
COMPARED = ("parents", "children", "undirected", "spouses", "markov_blanket", "evidence")


def told(result: elcs.LocalStructure) -> list[Any]:
    plain = result.to_dict()
    return [plain[name] for name in COMPARED]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--memory", default="50MB")
    parser.add_argument("--engines", nargs="+", choices=[*ENGINES], default=[*ENGINES])
    parser.add_argument("--targets", nargs="+", default=["HR", "CO", "LVFAILURE"])
    asked = parser.parse_args()
    plan = elcs.Plan("elcs-exact")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "alarm.parquet")
        make(file, asked.rows)
        at_hand = elcs.Study.of(str(file), plan)
        for engine in asked.engines:
            frame = ENGINES[engine](file)
            for target in asked.targets:
                start = time.perf_counter()
                found = elcs.learn(frame, target, plan=plan, memory=asked.memory)
                seconds = time.perf_counter() - start
                same = told(found) == told(elcs.learn(at_hand, target))
                print(f"{engine:8}{target:12}{'same' if same else 'DIFFERENT':10}{seconds:8.1f} s", flush=True)


if __name__ == "__main__":
    main()
