"""Measure the tests and the score for numbers: how often they err, what they find, and how long they take.

    python benchmarks/mixed.py calibration    # share of p < 0.01 among pairs that a set separates
    python benchmarks/mixed.py power          # share of p < 0.01 among causes and effects, the other causes held fixed
    python benchmarks/mixed.py errors         # errors per target of elcs-global against the CPDAG, on random graphs
    python benchmarks/mixed.py speed          # microseconds a test in bulk, and the layout of a large table
    python benchmarks/mixed.py runs           # milliseconds of whole runs, layout included: careful and gaps
    python benchmarks/mixed.py gaps           # errors per target with values missing
    python benchmarks/mixed.py uneven         # the same where some columns lack many values, and by the default method
    python benchmarks/mixed.py scores         # errors per target of mmhc with the score blocks and others; speed
    python benchmarks/mixed.py methods        # errors per target of whole learners, and how many directions are right
    python benchmarks/mixed.py linear         # how many decided directions are right on linear tables of few columns
    python benchmarks/mixed.py levels         # how strong what many levels tell of a number must be to be an edge

Problems are drawn anew: random graphs whose numeric variables are sums of straight, bent or U-shaped functions of their
causes plus noise, and whose discrete ones are drawn with probabilities that depend on their causes. Of the variables
with several causes, two in five depend on the product of two of them as well.
"""

from __future__ import annotations

import argparse
import math
import pickle
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from itertools import combinations

import networkx as nx
import numpy as np

import elcs
from elcs.evaluation import Neighbourhood, local_scores, neighbourhoods

Problem = tuple["nx.DiGraph[str]", dict[str, np.ndarray]]
Query = tuple[str, str, tuple[str, ...]]
TESTS = ("mixed", "careful", "dg", "g2, 3 bins", "g2, 4 bins")


def draw(rng: np.random.Generator, rows: int, n: int = 20, numeric: float = 0.5) -> Problem:
    """Draw a graph of n variables with one and a half edges each, and a sample of it."""
    names = [f"x{i}" for i in range(n)]
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(names)
    pairs = list(combinations(range(n), 2))
    graph.add_edges_from((names[i], names[j]) for i, j in (pairs[k] for k in rng.permutation(len(pairs))[: 3 * n // 2]))
    table: dict[str, np.ndarray] = {}
    signal: dict[str, np.ndarray] = {}
    for name in names:
        causes = list(graph.predecessors(name))
        total = sum((bent(rng, signal[cause]) for cause in causes), np.zeros(rows))
        if len(causes) > 1 and rng.random() < 0.4:
            total += rng.choice([-1, 1]) * np.clip(signal[causes[0]] * signal[causes[1]], -4, 4)
        if rng.random() < numeric:
            noise = (rng.normal(size=rows), rng.standard_cauchy(rows), rng.standard_exponential(rows))
            table[name] = total + np.clip(noise[rng.integers(3)], -20, 20)
            signal[name] = (table[name] - table[name].mean()) / table[name].std()
        else:
            levels = int(rng.integers(2, 5))
            scores = np.outer(total, np.linspace(-1.5, 1.5, levels)) + rng.gumbel(size=(rows, levels))
            codes = scores.argmax(axis=1)
            table[name] = np.array([f"l{c}" for c in codes])
            signal[name] = (codes - codes.mean()) / max(float(codes.std()), 1e-9)
    return graph, table


def bent(rng: np.random.Generator, x: np.ndarray) -> np.ndarray:
    shape, weight = rng.integers(4), rng.uniform(0.6, 1.4) * rng.choice([-1, 1])
    bends = (x, np.tanh(2 * x), x * x - 1, np.sign(x) * np.sqrt(np.abs(x)))
    return np.asarray(weight * bends[shape])


def make(name: str, table: dict[str, np.ndarray]) -> elcs.CITest:
    if name.startswith("g2"):
        return elcs.G2(elcs.Table.from_any(table, bins=int(name[4])))
    return {"mixed": elcs.Mixed, "careful": elcs.Careful, "fisher-z": elcs.FisherZ, "dg": elcs.DegenerateGaussian}[
        name
    ](table)


def separated(rng: np.random.Generator, graph: nx.DiGraph[str], size: int) -> Iterator[Query]:
    """Yield pairs that only the causes of one of them separate, so many; of size 0, pairs that are independent."""
    nodes = list(graph)
    for _ in range(4000):
        x, y = (nodes[i] for i in rng.permutation(len(nodes))[:2])
        given = tuple(graph.predecessors(x))
        if len(given) != size or y in given or not nx.is_d_separator(graph, {x}, {y}, set(given)):
            continue
        if size == 0 or not nx.is_d_separator(graph, {x}, {y}, set()):
            yield x, y, given


def connected(rng: np.random.Generator, graph: nx.DiGraph[str], size: int) -> Iterator[Query]:
    """Yield causes and effects, the other causes of the effect being so many."""
    for x, y in graph.edges:
        given = tuple(cause for cause in graph.predecessors(y) if cause != x)
        if len(given) == size:
            yield x, y, given


def found_dependent(problems: int, ask: Callable[..., Iterator[Query]], told: str) -> None:
    print(f"{'test':<12} rows   |Z|=0   |Z|=1   |Z|=2   |Z|=3   (share of p < 0.01; {told})")
    for rows in (500, 2000):
        found: dict[str, list[list[bool]]] = {name: [[], [], [], []] for name in TESTS}
        for seed in range(problems):
            rng = np.random.default_rng([rows, seed])
            graph, table = draw(rng, rows)
            for size in range(4):
                queries = list(ask(rng, graph, size))[:60]
                for name in found:
                    found[name][size] += [r.p_value < 0.01 for r in make(name, table).test_many(queries) if r.reliable]
        for name, sizes in found.items():
            print(f"{name:<12} {rows:4}  " + "  ".join(f"{np.mean(hits):6.3f}" if hits else "     -" for hits in sizes))


def errors_of(truth: Mapping[str, Neighbourhood], whole: elcs.CausalGraph) -> float:
    """Return the errors per target; a variable that was left out has no neighbours."""
    nothing: frozenset[str] = frozenset()
    views = {v: Neighbourhood(nothing, nothing, nothing) for v in truth}
    for v in whole.nodes:
        views[v] = Neighbourhood(*map(frozenset, (whole.parents(v), whole.children(v), whole.undecided(v))))
    return float(np.mean([local_scores(truth[v], views[v]).shd for v in truth]))


def errors(problems: int) -> None:
    print(f"{'test':<12}   500 rows  2,000 rows   (errors per target of elcs-global, {problems} problems each)")
    sums: dict[str, list[float]] = {name: [] for name in TESTS}
    for rows in (500, 2000):
        found: dict[str, list[float]] = {name: [] for name in sums}
        for seed in range(problems):
            graph, table = draw(np.random.default_rng([rows, seed, 1]), rows)
            truth = neighbourhoods(graph, identifiable=True)
            for name in sums:
                found[name].append(errors_of(truth, elcs.learn_graph(make(name, table), method="elcs-global")))
        for name, values in found.items():
            sums[name].append(float(np.mean(values)))
    for name, (few, many) in sums.items():
        print(f"{name:<12} {few:10.3f}  {many:10.3f}")


def speed() -> None:
    rng = np.random.default_rng(0)
    _, table = draw(rng, 2000, 30)
    _, numbers = draw(rng, 2000, 30, numeric=1.0)
    tests = [("mixed", table), ("mixed", numbers), ("careful", table), ("careful", numbers)]
    for name, data in [*tests, ("fisher-z", numbers), ("dg", table)]:
        ci = make(name, data)
        ci.clear_cache()
        line = [f"{name:<9} {'numbers' if data is numbers else 'both':<8}"]
        for size in range(4):
            nodes = list(data)
            orders = [rng.permutation(len(nodes))[: size + 2] for _ in range(4000)]
            queries = [(nodes[o[0]], nodes[o[1]], tuple(nodes[i] for i in o[2:])) for o in orders]
            queries.sort(key=lambda query: query[2])
            times = []
            for _ in range(5):
                ci.clear_cache()
                start = time.process_time()
                ci.test_many(queries)
                times.append(time.process_time() - start)
            line.append(f"|Z|={size} {min(times) / len(queries) * 1e6:5.2f} us")
        print("  ".join(line))
    wide = {f"x{i}": rng.normal(size=1_000_000) for i in range(50)}
    laid_out = elcs.Table.from_any(wide)
    start = time.perf_counter()
    elcs.FisherZ(laid_out)
    middle = time.perf_counter()
    elcs.Mixed(laid_out)
    print(f"layout of 1,000,000 x 50: fisher-z {middle - start:.1f} s, mixed {time.perf_counter() - middle:.1f} s")


def with_gaps(rng: np.random.Generator, table: dict[str, np.ndarray], share: float) -> dict[str, list[object]]:
    """Blank out this share of the cells, each with the same chance."""
    return {
        name: [None if gone else x for gone, x in zip(rng.random(len(column)) < share, column.tolist(), strict=True)]
        for name, column in table.items()
    }


def runs(problems: int) -> None:
    ways = [("mixed", False), ("careful", False), ("mixed", True), ("careful", True)]
    print(f"  rows  numbers  targets  {'':2}mixed  careful  with 10 % missing: mixed   careful   (ms, layout included)")
    for rows in (500, 2000, 20000):
        for numeric, targets in ((0.5, 1), (0.5, 20), (1.0, 1), (1.0, 20)):
            found: dict[tuple[str, bool], list[float]] = {way: [] for way in ways}
            for seed in range(problems):
                rng = np.random.default_rng([rows, seed, 2])
                _, table = draw(rng, rows, numeric=numeric)
                tables = {False: elcs.Table.from_any(table), True: elcs.Table.from_any(with_gaps(rng, table, 0.1))}
                for name, has_gaps in ways:
                    best = np.inf
                    for _ in range(4):
                        fresh = pickle.loads(pickle.dumps(tables[has_gaps]))  # nothing laid out yet
                        start = time.process_time()
                        study = elcs.Study.of(fresh, elcs.Plan(method="elcs-exact", ci_test=name))
                        for target in fresh.names[:targets]:
                            elcs.learn(study, target)
                        best = min(best, time.process_time() - start)
                    found[name, has_gaps].append(best * 1e3)
            told = "  ".join(f"{np.mean(found[way]):8.1f}" for way in ways)
            print(f"{rows:6}  {numeric:7.0%}  {targets:7}  {told}")


def gaps(problems: int) -> None:
    print(
        f"{'rows':<6} test      complete  10 %  30 % missing  10 % dropped   (errors per target, {problems} problems)"
    )
    for rows in (500, 2000):
        for name in ("mixed", "careful"):
            found: list[list[float]] = [[], [], [], []]
            for seed in range(problems):
                rng = np.random.default_rng([rows, seed, 3])
                graph, table = draw(rng, rows)
                truth = neighbourhoods(graph, identifiable=True)
                holes = with_gaps(rng, table, 0.1)
                tables = [
                    elcs.Table.from_any(table),
                    elcs.Table.from_any(holes),
                    elcs.Table.from_any(with_gaps(rng, table, 0.3)),
                    elcs.Table.from_any(holes, missing="drop"),
                ]
                for errors, data in zip(found, tables, strict=True):
                    errors.append(errors_of(truth, elcs.learn_graph(data, ci_test=name, method="elcs-global")))
            print(f"{rows:<6} {name:<9} " + "  ".join(f"{np.mean(errors):8.3f}" for errors in found))


def uneven(problems: int) -> None:
    shares = {"10 %": (0.1,), "30 %": (0.3,), "0 to 80 %": (0.0, 0.0, 0.05, 0.1, 0.3, 0.5, 0.8)}
    ways: dict[str, dict[str, bool]] = {"elcs-hybrid": {"decided": False}, "elcs-global": {}}
    print(f"errors per target with so many values of a column missing, {problems} problems each")
    print(f"{'rows':<6} method       " + "".join(f"{share:>11}" for share in shares))
    for rows in (100, 300, 1000, 3000):
        for method, options in ways.items():
            line = []
            for which, choices in enumerate(shares.values()):
                wrong = []
                for seed in range(problems):
                    rng = np.random.default_rng([rows, seed, which, 4])
                    graph, table = draw(rng, rows)
                    holes = {x: with_gaps(rng, {x: table[x]}, float(rng.choice(choices)))[x] for x in table}
                    whole = elcs.learn_graph(holes, method=method, options=options)
                    wrong.append(errors_of(neighbourhoods(graph, identifiable=True), whole))
                line.append(np.mean(wrong))
            print(f"{rows:<6} {method:<12} " + "".join(f"{errors:11.3f}" for errors in line), flush=True)


class Flat(elcs.Blocks):
    """The score `blocks` with f = 1, whatever the number of rows."""

    few_rows = math.inf


def scores(problems: int) -> None:
    ways: dict[str, tuple[int | None, str | type[elcs.Score]]] = {
        "careful, blocks": (None, "blocks"),
        "careful, f = 1": (None, Flat),
        "g2, bdeu, 3 bins": (3, "bdeu"),
        "g2, bdeu, 4 bins": (4, "bdeu"),
    }
    print(f"{'test and score':<18}   rows   errors      ms   (mmhc's CPDAG, 20 variables, {problems} problems each)")
    for rows in (500, 2000, 20000):
        for name, (bins, score) in ways.items():
            wrong, seconds = [], []
            for seed in range(problems):
                graph, columns = draw(np.random.default_rng([rows, seed, 1]), rows)
                table = elcs.Table.from_any(columns, bins=bins)
                start = time.process_time()
                whole = elcs.learn_graph(table, method="mmhc", score=score)
                seconds.append(time.process_time() - start)
                wrong.append(errors_of(neighbourhoods(graph, identifiable=True), whole.cpdag()))
            print(f"{name:<18} {rows:6} {np.mean(wrong):8.3f} {np.median(seconds) * 1e3:7.1f}")
    rng = np.random.default_rng(0)
    for kind, numeric in (("both", 0.5), ("numbers", 1.0)):
        _, columns = draw(rng, 2000, numeric=numeric)
        blocks, nodes, line = elcs.Blocks(columns, cache_size=0), list(columns), [f"blocks, {kind:<8}"]
        for size in range(1, 5):
            orders = [rng.permutation(len(nodes))[: size + 1] for _ in range(4000)]
            families = [(nodes[o[0]], [nodes[i] for i in o[1:]]) for o in orders]
            times = []
            for _ in range(5):
                start = time.process_time()
                for child, parents in families:
                    blocks.local(child, parents)
                times.append(time.process_time() - start)
            line.append(f"{size} parents {min(times) / len(families) * 1e6:5.2f} us")
        print("  ".join(line))


def methods(problems: int) -> None:
    ways: dict[str, tuple[str, int | None, dict[str, bool]]] = {
        "elcs-hybrid": ("elcs-hybrid", None, {"decided": False}),
        "elcs-hybrid, decided": ("elcs-hybrid", None, {}),
        "elcs-hybrid, 3 bins": ("elcs-hybrid", 3, {"decided": False}),
        "elcs-global": ("elcs-global", None, {}),
        "mmhc": ("mmhc", None, {}),
    }
    print(f"{'method':<22}   rows   errors      ms  directions  right   (20 variables, {problems} problems each)")
    for rows in (500, 2000):
        for name, (method, bins, options) in ways.items():
            wrong, seconds, claimed, right = [], [], 0, 0
            for seed in range(problems):
                graph, columns = draw(np.random.default_rng([rows, seed, 1]), rows)
                table = elcs.Table.from_any(columns, bins=bins)
                start = time.process_time()
                whole = elcs.learn_graph(table, method=method, options=options).cpdag()
                seconds.append(time.process_time() - start)
                truth = neighbourhoods(graph, identifiable=True)
                wrong.append(errors_of(truth, whole))
                claimed += len(whole.directed)
                right += sum(a in truth[b].parents for a, b in whole.directed)
            told = f"{np.mean(wrong):8.3f} {np.median(seconds) * 1e3:7.1f} {claimed:11} {right / max(claimed, 1):6.3f}"
            print(f"{name:<22} {rows:6} {told}", flush=True)


def linear(problems: int) -> None:
    print(f"decided directions on linear tables of 8 numbers, up to 2 causes each, {problems} tables")
    for rows in (500, 1000, 5000):
        claimed = right = 0
        for seed in range(problems):
            rng = np.random.default_rng([rows, seed, 5])
            graph: nx.DiGraph[str] = nx.DiGraph()
            columns: dict[str, np.ndarray] = {}
            for name in "abcdefgh":
                graph.add_node(name)
                noise = rng.normal(size=rows)
                for cause in rng.choice([*columns], min(len(columns), int(rng.integers(3))), replace=False).tolist():
                    graph.add_edge(cause, name)
                    noise += rng.uniform(0.5, 1) * rng.choice([-1, 1]) * columns[cause] / columns[cause].std()
                columns[name] = noise
            found = elcs.learn_graph(columns).directed
            truth = neighbourhoods(graph, identifiable=True)
            claimed += len(found)
            right += sum(a in truth[b].parents for a, b in found)
        print(f"{rows:6} rows: {right} of {claimed} right ({right / claimed:.3f})", flush=True)


def levels(problems: int) -> None:
    shares = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4)
    print(
        "share of tables with an edge between a column of levels and the number whose variance it explains so much of;"
    )
    print("at 0 %, with any edge at that column")
    print("  rows  levels  method      " + "".join(f"{share:>7.0%}" for share in shares))
    for rows, n_levels in ((rows, n) for rows in (500, 2000, 10000) for n in (5, 10, 20, 40)):
        found: dict[str, list[float]] = {"elcs-hybrid": [], "elcs-global": []}
        for share in shares:
            tables = [
                many_levels(np.random.default_rng([rows, n_levels, i]), rows, n_levels, share) for i in range(problems)
            ]
            for method, kept in found.items():
                graphs = [elcs.learn_graph(table, method=method) for table in tables]
                near = [{*g.parents("shop"), *g.children("shop"), *g.undecided("shop")} for g in graphs]
                kept.append(float(np.mean(["sales" in some if share else bool(some) for some in near])))
        for method, kept in found.items():
            print(f"{rows:6}  {n_levels:6}  {method:<12}" + "".join(f"{x:7.2f}" for x in kept), flush=True)


def many_levels(rng: np.random.Generator, rows: int, n_levels: int, share: float) -> elcs.Table:
    """Draw a number of which a column of levels explains this share of the variance, with an effect of each kind."""
    shop = rng.integers(0, n_levels, rows)
    means = rng.normal(size=n_levels)[shop]
    sales = math.sqrt(share) * (means - means.mean()) / means.std() + math.sqrt(1 - share) * rng.normal(size=rows)
    columns = {"shop": np.array([f"s{i:02}" for i in shop]), "sales": sales, "tax": 0.5 * sales + rng.normal(size=rows)}
    columns["full"] = np.where(sales + rng.normal(size=rows) > 0, "yes", "no")
    columns["day"] = np.array(list("abc"))[rng.integers(0, 3, rows)]
    columns |= {f"x{i}": rng.normal(size=rows) for i in range(3)}
    return elcs.Table.from_any(columns)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument(
        "what",
        choices=[
            "calibration",
            "power",
            "errors",
            "gaps",
            "runs",
            "scores",
            "speed",
            "methods",
            "levels",
            "uneven",
            "linear",
        ],
    )
    parser.add_argument("--problems", type=int, default=40)
    options = parser.parse_args()
    warnings.simplefilter("ignore", elcs.DataWarning)
    if options.what == "speed":
        speed()
    elif options.what == "calibration":
        found_dependent(options.problems, separated, "0.01 is right")
    elif options.what == "power":
        found_dependent(options.problems, connected, "the more the better")
    else:
        measures = (errors, gaps, runs, scores, methods, levels, uneven, linear)
        {measure.__name__: measure for measure in measures}[options.what](options.problems)


if __name__ == "__main__":
    main()
