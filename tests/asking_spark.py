"""Ask Spark, and compare with the rows in memory; a program of its own, because Spark leaves threads and warnings."""

from __future__ import annotations

import numpy as np
import polars as pl
from pyspark.sql import SparkSession
from test_warehouse import COLUMNS, HOSTILE, SMALL, TINY, rows_of, told

import elcs


def main() -> None:
    table = elcs.networks.load("alarm").sample(3000, random_state=4)
    columns = {
        HOSTILE.get(name, name): [str(levels[code]) if code or i % 7 else None for i, code in enumerate(codes.tolist())]
        for name, codes, levels in zip(table.names, table.codes, table.levels, strict=True)
        if name in COLUMNS
    }
    spark = (
        SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "1")
        .config("spark.driver.host", "127.0.0.1")
        .getOrCreate()
    )
    lazy = spark.createDataFrame(list(zip(*columns.values(), strict=True)), list(columns)).cache()
    rows = pl.DataFrame(columns)
    for target in ("c0", "VENTLUNG", "c`d"):
        for memory in (TINY, SMALL):
            asked = elcs.learn(lazy, target, method="elcs-exact", memory=memory)
            same = told(asked) == told(elcs.learn(rows, target, method="elcs-exact"))
            print("same" if same else f"different for {target}")
    table = elcs.Table.from_any(lazy, memory=TINY)
    half = table.halves(np.random.default_rng(0))[0]
    same = elcs.G2(half).test("c0", "select") == elcs.G2(rows_of(half)).test("c0", "select")
    print("same" if same else "different for a half")
    spark.stop()


if __name__ == "__main__":
    main()
