"""What a table costs that is asked where it lives, in units of DuckDB's own GROUP BY of two columns.

    python benchmarks/warehouse.py --rows 10000000

samples so many rows of Alarm (37 columns) into a Parquet file, asks them through DuckDB with one thread, and prints
CPU time: of opening the table, of a cube of 20 columns, of one target, of all targets if asked for, and of the whole
graph, by scores too if counts are cheap; how much of it is spent by this package and not by DuckDB; and how many
rounds there were. `--memory` bounds what is fetched: with 300MB the distinct rows of 10 million fit, with 60MB they are
copied, unless `--no-copy` says that the table itself is to be asked.
`--check` compares every target with the rows in memory.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

import elcs
from elcs.data.warehouse import survey
from elcs.data.warehouse.frames import Frame
from elcs.data.warehouse.storing import Store
from elcs.engines import CubeEngine

AT_ONCE = 1_000_000


def make(path: Path, n_rows: int) -> None:
    """Write so many rows of Alarm, as text."""
    network = elcs.networks.load("alarm")
    writer = None
    for start in range(0, n_rows, AT_ONCE):
        table = network.sample(min(AT_ONCE, n_rows - start), random_state=start // AT_ONCE)
        columns = {}
        for name, codes, levels in zip(table.names, table.codes, table.levels, strict=True):
            texts = pa.array([str(level) for level in levels])
            columns[name] = pa.DictionaryArray.from_arrays(pa.array(codes), texts).cast(pa.string())
        batch = pa.table(columns)
        writer = writer or pq.ParquetWriter(path, batch.schema)
        writer.write_table(batch)
    if writer is not None:
        writer.close()


class Clock:
    """CPU seconds, those of them that queries took, and of these the samples."""

    def __init__(self) -> None:
        self.queries = self.samples = 0.0
        for owner, name in ((Frame, "_collect"), (Store, "ask"), (Store, "fill")):
            setattr(owner, name, self._timed(getattr(owner, name)))

    def _timed(self, query: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*given: Any) -> Any:
            start = time.process_time()
            try:
                return query(*given)
            finally:
                took = time.process_time() - start
                self.queries += took
                self.samples += took if given[-1] == "a sample" else 0

        return timed

    @contextmanager
    def measure(self, what: str, unit: float) -> Iterator[None]:
        """Print what something took."""
        start, queries, samples, wall = time.process_time(), self.queries, self.samples, time.perf_counter()
        yield
        spent, asked = time.process_time() - start, self.queries - queries
        share = f"{(spent - asked) / asked:.0%} of that by us" if asked else ""
        drawn = f"{(self.samples - samples) / unit:.1f} of them a sample"
        print(f"{what:34} {spent / unit:7.1f} G  queries {asked / unit:6.1f} G, {drawn}  {share}  ", end="")
        print(f"{time.perf_counter() - wall:.1f} s", flush=True)


def rounds_of(table: elcs.Table) -> tuple[int, int]:
    """Return the numbers of rounds and of cubes so far."""
    engine = elcs.G2(table).engine
    return (engine.cubes.n_rounds, engine.cubes.n_fetched) if isinstance(engine, CubeEngine) else (0, 0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--file", type=Path, default=None, help="keep the rows here, and use them again")
    parser.add_argument("--memory", nargs="*", default=["300MB", "60MB"])
    parser.add_argument("--targets", nargs="*", default=["HR", "VENTLUNG", "CO", "LVFAILURE"], help="'all' for all")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--no-copy", action="store_true", help="ask the table itself for counts")
    asked = parser.parse_args()
    if asked.no_copy:
        survey.COPIED_FROM = sys.maxsize
    path = asked.file or Path(f"/tmp/alarm-{asked.rows}.parquet")
    if not path.exists():
        make(path, asked.rows)
    connection = duckdb.connect()
    connection.execute("SET threads = 1")
    rows = connection.read_parquet(str(path))
    units = []
    for _ in range(3):
        start = time.process_time()
        rows.aggregate("HR, CO, count(*)", "HR, CO").fetchall()
        units.append(time.process_time() - start)
    unit, clock = min(units), Clock()
    print(f"{asked.rows:,} rows; G = {unit:.3f} s")
    names = rows.columns
    with clock.measure("20 columns, by DuckDB itself", unit):
        listed = ", ".join(f'"{name}"' for name in names[:20])
        rows.aggregate(f"{listed}, count(*)", listed).to_arrow_table()
    whole = elcs.Table.from_any(path, engine="memory") if asked.check else None
    for memory in asked.memory:
        print(f"\nmemory={memory}")
        with clock.measure("open", unit):
            table = elcs.Table.from_any(rows, memory=memory)
        print(f"  {table}")
        counts, right = [], 0
        targets = names if asked.targets == ["all"] else asked.targets
        for target in targets:
            with clock.measure(f"{target}, elcs-exact, opened anew", unit):
                opened = elcs.Table.from_any(rows, target=target, memory=memory)
                found = elcs.learn(opened, target, method="elcs-exact")
            counts.append(rounds_of(opened))
            if whole is not None:
                same = elcs.learn(whole, target, method="elcs-exact")
                right += {x: e.to_dict() for x, e in found.evidence.items()} == {
                    x: e.to_dict() for x, e in same.evidence.items()
                }
        told = [f"{what}: median {median(some)}, largest {max(some)}" for what, some in _columns(counts)]
        print(f"  {'; '.join(told)}" + (f"; {right} of {len(targets)} as in memory" if whole is not None else ""))
        for method in ("elcs-global", "elcs-hybrid") if table.quick else ("elcs-global",):
            with clock.measure(f"whole graph, {method}", unit):
                opened = elcs.Table.from_any(rows, memory=memory)
                elcs.learn_graph(opened, method=method)
            print(f"  rounds and cubes: {rounds_of(opened)}; {'fetched' if table.has_rows else 'asked'}")


def _columns(counts: list[tuple[int, int]]) -> list[tuple[str, list[int]]]:
    return [("rounds", [one for one, _ in counts]), ("cubes", [other for _, other in counts])]


if __name__ == "__main__":
    main()
