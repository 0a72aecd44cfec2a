"""Time conditional-independence tests: the compiled engine, the verbs on top of it, and plain numpy.

    python benchmarks/ci_tests.py DATA.csv.gz [--queries 20000] [--large]

CPU time of one thread, per test, on random distinct queries. The column "numpy" is a plain test by bincount and
xlogy, in the same run, so that the ratio does not depend on how busy the machine is. If graph.csv (parent,child)
is beside the data, the d-separation oracle is timed on it. `--large` adds 10 million rows by 20 columns, made on the
spot, on one thread and on all, and the memory that they take.
"""

from __future__ import annotations

import argparse
import csv
import os
import time
from collections.abc import Callable
from itertools import starmap
from pathlib import Path

import networkx as nx
import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

import elcs
from elcs.engines import MemoryEngine, Rule

SIZES = range(5)


def cpu_seconds(work: Callable[[], object], repeats: int = 5) -> float:
    """Return the least CPU time of several runs: the machine's other work can only add to it."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def numpy_test(data: elcs.Dataset, query: list[int]) -> float:
    """Compute G2 the plain way."""
    x, y, *z = query
    nx, ny = len(data.levels[x]), len(data.levels[y])
    cells, strata = np.zeros(data.n_rows, dtype=np.int64), 1
    for v in z:
        cells = cells * len(data.levels[v]) + data.codes[v]
        strata *= len(data.levels[v])
    cells = (cells * nx + data.codes[x]) * ny + data.codes[y]
    table = np.bincount(cells, minlength=strata * nx * ny).reshape(strata, nx, ny)
    by_x, by_y, by_z = table.sum(2), table.sum(1), table.sum((1, 2))
    terms = xlogy(table, table).sum() - xlogy(by_x, by_x).sum() - xlogy(by_y, by_y).sum()
    return float(2 * (terms + xlogy(by_z, by_z).sum()))


def distinct_queries(n_variables: int, size: int, n: int) -> NDArray[np.int32]:
    """Draw up to n distinct questions with conditioning sets of one size; fewer if there are not that many."""
    rng = np.random.default_rng(size)
    draws = rng.permuted(np.tile(np.arange(n_variables, dtype=np.int32), (3 * n, 1)), axis=1)[:, : size + 2]
    canonical = np.hstack([np.sort(draws[:, :2], axis=1), np.sort(draws[:, 2:], axis=1)])
    distinct = np.unique(canonical, axis=0)
    return np.ascontiguousarray(rng.permutation(distinct)[:n])


def microseconds(seconds: float, n: int) -> float:
    return seconds / n * 1e6


def time_tests(data: elcs.Dataset, n: int) -> None:
    engine = MemoryEngine(data, threads=1)
    print(f"{data.n_rows:,} rows, {len(data.names)} columns; {engine.cpu}; microseconds per test\n")
    print("|Z|  queries   engine    numpy   ratio | over the engine: test_many   test  independent")
    for size in SIZES:
        queries = distinct_queries(len(data.names), size, n)
        m = len(queries)
        tester = engine.tester(Rule(), cache_size=0)
        in_engine = microseconds(cpu_seconds(lambda: tester.test_many(queries, False)), m)
        some = queries[:400].tolist()
        plain = microseconds(cpu_seconds(lambda: [numpy_test(data, query) for query in some]), len(some))
        named = [(data.names[q[0]], data.names[q[1]], [data.names[v] for v in q[2:]]) for q in queries.tolist()]
        # The verbs' own cost shows best on answers that come from the cache.
        ci = elcs.G2(data, engine=engine)
        ci.test_many(named)
        cached = engine.tester(Rule(), cache_size=1 << 20)
        cached.test_many(queries, False)
        base = microseconds(cpu_seconds(lambda: cached.test_many(queries, False)), m)
        many = microseconds(cpu_seconds(lambda: ci.test_many(named)), m) - base
        one = microseconds(cpu_seconds(lambda: [ci.test(*query) for query in named]), m) - base
        bare = microseconds(cpu_seconds(lambda: [ci.independent(*query) for query in named]), m) - base
        print(
            f"{size:3} {m:8,} {in_engine:8.2f} {plain:8.1f} {plain / in_engine:6.0f}x |"
            f" {many:27.2f} {one:6.2f} {bare:12.2f}"
        )


def time_separator(data: elcs.Dataset) -> None:
    """Compare a call of `separator` with the same search inside the engine."""
    engine = MemoryEngine(data, threads=1)
    ci = elcs.G2(data, engine=engine)
    tester = engine.tester(Rule(), cache_size=1 << 20)
    print("\nseparator: microseconds per call, answers from the cache")
    print("pool  tests    inside   called    over")
    for pool in (2, 5, 10, 20):
        x, y, *among = range(pool + 2)
        names = [data.names[v] for v in among]

        def inside(x: int = x, y: int = y, among: list[int] = among) -> None:
            for _ in range(200):
                tester.separator(x, y, among, [3, 2, 1], [])

        def called(x: str = data.names[x], y: str = data.names[y], among: list[str] = names) -> None:
            for _ in range(200):
                ci.separator(x, y, among, sizes=[3, 2, 1])

        inside()
        called()
        before = ci.n_asked
        called()
        tests = (ci.n_asked - before) // 200
        low, high = microseconds(cpu_seconds(inside), 200), microseconds(cpu_seconds(called), 200)
        print(f"{pool:4} {tests:6} {low:9.2f} {high:8.2f} {high - low:7.2f}")


def time_oracle(path: Path) -> None:
    """Time the oracle on distinct random questions, so that its cache is of no help."""
    with path.open() as file:
        graph = nx.DiGraph([(row["parent"], row["child"]) for row in csv.DictReader(file)])
    nodes = list(graph)
    print("\nd-separation oracle, distinct questions")
    print("|Z|  answers a second")
    for size in SIZES:
        queries = [
            (nodes[q[0]], nodes[q[1]], [nodes[v] for v in q[2:]])
            for q in distinct_queries(len(nodes), size, 20_000).tolist()
        ]
        ci = elcs.DSeparation(graph, cache_size=0)
        seconds = cpu_seconds(lambda: list(starmap(ci.independent, queries)))
        print(f"{size:3} {len(queries) / seconds:17,.0f}")


def resident_bytes() -> int:
    """Return the memory that this process holds now."""
    with Path("/proc/self/statm").open() as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def time_large() -> None:
    print("\nlarge tables, |Z| = 1: wall milliseconds per test")
    print("      rows  1 thread  all threads  cores used ns per row  bytes per cell (3 levels: at most 1.375)")
    rng = np.random.default_rng(0)
    for n_rows in (1_000_000, 10_000_000):
        columns = {f"V{i}": rng.integers(0, 3, n_rows, dtype=np.uint8) for i in range(20)}
        data = elcs.Dataset.from_any(columns)
        before = resident_bytes()
        engine = MemoryEngine(data)
        held = (resident_bytes() - before + sum(codes.nbytes for codes in data.codes)) / (20 * n_rows)
        queries = distinct_queries(20, 1, 50)
        wall: dict[int, float] = {}
        cores = 0.0
        for threads in (1, os.cpu_count() or 1):
            tester = MemoryEngine(data, threads=threads).tester(Rule(), cache_size=0)
            start, cpu = time.perf_counter(), time.process_time()
            tester.test_many(queries, False)
            wall[threads] = time.perf_counter() - start
            cores = (time.process_time() - cpu) / wall[threads]
        one, many = (1e3 * seconds / len(queries) for seconds in wall.values())
        print(f"{n_rows:10,} {one:9.2f} {many:12.2f} {cores:11.2f} {1e6 * one / n_rows:10.3f} {held:13.3f}")
        del engine


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("--queries", type=int, default=20_000)
    parser.add_argument("--large", action="store_true")
    options = parser.parse_args()
    data = elcs.Dataset.from_any(options.data)
    time_tests(data, options.queries)
    time_separator(data)
    graph = Path(options.data).parent / "graph.csv"
    if graph.exists():
        time_oracle(graph)
    if options.large:
        time_large()


if __name__ == "__main__":
    main()
