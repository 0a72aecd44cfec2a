"""How near our methods come to what observations can determine, and how many of their directions are right.

    python benchmarks/accuracy.py DATA_FOLDER errors [--networks alarm child] [--rows 5000 1000] [--methods ges mmhc]
    python benchmarks/accuracy.py DATA_FOLDER directions [--networks asia sachs] [--rows 500 1000 5000]
    python benchmarks/accuracy.py DATA_FOLDER gaps [--networks alarm child] [--data-sets 4]
    python benchmarks/accuracy.py DATA_FOLDER order [--tables 200]
    python benchmarks/accuracy.py DATA_FOLDER seeds [--networks alarm child] [--data-sets 4] [--tables 200]
    python benchmarks/accuracy.py DATA_FOLDER peers [--networks alarm child] [--data-sets 3]

DATA_FOLDER holds a folder per network with graph.csv (parent,child) and s5000_v1.csv.gz, ...; tables that are not there
are sampled from the packaged network of that name, or from one of those made here: `tiled` (two copies of Child),
`dense` and `sparse` (random graphs), `hubs` (scale-free).

errors: for each target, the neighbours whose state (absent, parent, child, undecided) differs from the essential graph
(CPDAG) of the truth; the mean over targets and data sets. Columns that are constant in a data set are left out. Methods
that learn whole graphs are run once per data set, others for each target; seconds are CPU seconds per data set.

`elcs-hybrid, local` arranges the region of radius two around each target.

directions: of the directions that a method claims, the share that the essential graph has too; and, of the right ones
that the best network has, the share that is kept when only decided directions are claimed. If DATA_FOLDER holds no
tables, all are sampled, from --seed on.

gaps: errors with so many of all values missing, 2,000 rows: at random or, in the last column, in three quarters of the
columns and the more often, the rarer or the more frequent the value of one of the other columns.

peers: errors of other libraries on the same tables (`benchmarks/peers.py`), and their CPU seconds.

order: on how many random tables a method gives another answer if the columns are shuffled, and if the rows are.

seeds: on how many tables `elcs-hybrid` gives another answer, and for how many targets on a region, with other random
numbers: four seeds each, tables sampled from --seed on; --tables are the random tables of `order`.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import numpy as np
import peers
from local import read_graph

import elcs
from elcs.graph.cpdag import cpdag
from elcs.learners.steps.arrange import begin
from elcs.networks import Network, random_network, tile

State = dict[str, dict[str, str]]
"""For each variable, what each neighbour is to it."""

PAPER = ("alarm", "child", "insurance")
LARGE = ("alarm10", "child10", "insurance10", "pigs", "gene-like")  # only if they are named
OTHERS = ("asia", "sachs", "hailfinder", "win95pts", "tiled", "dense", "sparse", "hubs")
MADE: dict[str, Callable[[], Network]] = {
    "tiled": lambda: tile(elcs.networks.load("child"), 2, random_state=1),
    "dense": lambda: random_network(25, 50, concentration=0.5, random_state=2),
    "sparse": lambda: random_network(40, 40, concentration=0.5, random_state=3),
    "hubs": lambda: random_network(40, 50, kind="scale-free", concentration=0.5, random_state=4),
}
WHOLE = ("elcs-hybrid", "elcs-global", "pc-stable", "mmhc", "ges")
LOCAL = ("elcs-exact", "elcs-cautious")
SEEDS = (0, 1000, 2000, 3000)


class Cell(NamedTuple):
    """Tables of one size from one network."""

    name: str
    truth: State
    tables: list[elcs.Table]


def state(directed: Iterable[tuple[str, str]], undirected: Iterable[tuple[str, str]], names: Iterable[str]) -> State:
    """Return what each variable is to each other, for some variables."""
    found: State = {x: {} for x in names}
    for a, b in directed:
        if a in found and b in found:
            found[a][b], found[b][a] = "child", "parent"
    for a, b in undirected:
        if a in found and b in found:
            found[a][b] = found[b][a] = "undecided"
    return found


def cells(
    folder: Path, networks: Iterable[str], rows: Iterable[int], data_sets: int, seed: int = 100
) -> Iterator[Cell]:
    """Yield the tables of each network and size, with the essential graph of the truth."""
    for name in networks:
        has_files = (folder / name / "graph.csv").exists()
        made = MADE[name]() if name in MADE else elcs.networks.load(name)
        graph = read_graph(folder / name / "graph.csv") if has_files else made.to_networkx()
        truth = state(*cpdag(graph).edges_among(tuple(graph)), tuple(graph))
        for n in rows:
            paths = [folder / name / f"s{n}_v{v}.csv.gz" for v in range(1, data_sets + 1)]
            if has_files and all(path.exists() for path in paths):
                tables = [elcs.Table.from_any(path) for path in paths]
            elif has_files:  # variables have other names in the files
                plain = made.to_networkx()
                truth = state(*cpdag(plain).edges_among(tuple(plain)), tuple(plain))
                tables = [made.sample(n, random_state=seed + v) for v in range(data_sets)]
            else:
                tables = [made.sample(n, random_state=seed + v) for v in range(data_sets)]
            yield Cell(f"{name} {n}", truth, [elcs.Table.from_any(table) for table in tables])


def answer(table: elcs.Table, method: str, **options: object) -> State:
    """Return what a method says about all variables."""
    kind = next(known.kind for known in elcs.methods() if known.name == method)
    if (kind == "local" and method != "elcs-hybrid") or "radius" in options:
        study = elcs.Study.of(table, elcs.Plan(method=method, options=options))
        found: State = {}
        for x in table.names:
            study.forget()
            result = elcs.learn(study, x)
            groups = (("parent", result.parents), ("child", result.children), ("undecided", result.undirected))
            found[x] = {y: role for role, names in groups for y in names}
        return found
    graph = elcs.learn_graph(table, method=method, options=options).cpdag()
    return state(graph.directed, graph.undirected, table.names)


def n_errors(found: State, truth: State) -> float:
    """Return the errors per target."""
    errors = 0
    for x, near in found.items():
        true = {y: role for y, role in truth[x].items() if y in found}
        errors += sum(near.get(y) != true.get(y) for y in {**near, **true})
    return errors / len(found)


def directions(found: State) -> set[tuple[str, str]]:
    return {(x, y) for x, near in found.items() for y, role in near.items() if role == "child"}


def compare_errors(options: argparse.Namespace) -> None:
    """Print the errors of each method on each cell, and how long it took."""
    methods = options.methods or [*WHOLE[:1], "elcs-hybrid, local", *LOCAL, *WHOLE[1:]]
    print(f"{'errors / CPU s':<18}" + "".join(f"{method:>20}" for method in methods))
    for cell in cells(options.folder, options.networks, options.rows, options.data_sets):
        told = []
        for method in methods:
            start, errors = time.process_time(), 0.0
            for table in cell.tables:
                name, _, form = method.partition(", ")
                chosen = {"decided": False} if name == "elcs-hybrid" else {}
                errors += n_errors(answer(table, name, **chosen, **({"radius": 2} if form else {})), cell.truth)
            n = len(cell.tables)
            told.append(f"{errors / n:11.3f} / {(time.process_time() - start) / n:6.3f}")
        print(f"{cell.name:<18}" + "".join(told), flush=True)


def compare_directions(options: argparse.Namespace) -> None:
    """Print how many directions are right: all that the best network has, and the decided ones; whole and local."""
    ways: list[dict[str, object]] = [{"decided": False}, {}, {"radius": 2}]
    head = ("claimed", "right", "decided", "right", "kept", "local", "right", "kept")
    print(f"{'elcs-hybrid':<18}" + "".join(f"{word:>9}" for word in head))
    for cell in cells(options.folder, options.networks, options.rows, options.data_sets, options.seed):
        truth = directions(cell.truth)
        counts = np.zeros((3, 2), dtype=int)
        for table in cell.tables:
            for i, chosen in enumerate(ways):
                found = answer(table, "elcs-hybrid", **chosen)
                claimed = directions(found)
                if "radius" in chosen:  # each end of an edge is asked on its own
                    claimed |= {(y, x) for x, near in found.items() for y, role in near.items() if role == "parent"}
                counts[i] += len(claimed), len(claimed & truth)
        (n, right), *some = counts.tolist()
        told = f"{n:9}{right / max(n, 1):9.3f}"
        for m, kept in some:
            told += f"{m:9}{kept / max(m, 1):9.3f}{kept / max(right, 1):9.3f}"
        print(f"{cell.name:<18}{told}", flush=True)


def blanked(table: elcs.Table, share: float, seed: int, *, depending: bool = False) -> elcs.Table:
    """Return the table with this share of values missing: at random, or depending on columns that lack none."""
    rng = np.random.default_rng(seed)
    whole = rng.permutation(len(table.names))[: len(table.names) // 4 if depending else 0]
    columns = {}
    for j, name in enumerate(table.names):
        columns[name] = np.array(table.levels[j])[table.codes[j]].astype(object)
        chance = np.full(table.n_rows, share)
        if depending:
            codes = table.codes[rng.choice(whole)]
            often = (codes == np.bincount(codes).argmax()) == (rng.random() < 0.5)
            rest = (share - 0.4 * share * often.mean()) / max(1 - often.mean(), 0.05)
            chance = np.where(often, 0.4 * share, min(rest, 0.9))
        if j not in whole:
            columns[name][rng.random(table.n_rows) < chance] = None
    return elcs.Table.from_any(columns)


def compare_gaps(options: argparse.Namespace) -> None:
    """Print the errors with values missing."""
    ways = [(0.0, False), (0.03, False), (0.1, False), (0.3, False), (0.3, True)]
    print(f"{'errors':<28}" + "".join(f"{share:>8.0%}{'*' if depending else ''}" for share, depending in ways))
    for cell in cells(Path(), options.networks, [2000], options.data_sets):
        for method in ("elcs-hybrid", "elcs-global"):
            told = f"{cell.name:<15}{method:<13}"
            chosen = {"decided": False} if method == "elcs-hybrid" else {}
            for share, depending in ways:
                tables = [blanked(table, share, i, depending=depending) for i, table in enumerate(cell.tables)]
                told += f"{np.mean([n_errors(answer(table, method, **chosen), cell.truth) for table in tables]):8.3f}"
            print(told, flush=True)


def compare_peers(options: argparse.Namespace) -> None:
    """Print the errors of other libraries beside ours; those that take too long for a table are given up."""
    names = list(peers.installed())
    print(f"{'errors / CPU s':<18}" + "".join(f"{name:>20}" for name in ("elcs-hybrid", *names)))
    for cell in cells(options.folder, options.networks, options.rows, options.data_sets):
        start = time.process_time()
        own = np.mean([n_errors(answer(table, "elcs-hybrid", decided=False), cell.truth) for table in cell.tables])
        told = f"{own:11.3f} / {(time.process_time() - start) / len(cell.tables):6.3f}"
        for name in names:
            found = []
            for table in cell.tables:
                said = peers.ask(name, table)
                if said is None:
                    break
                found.append((n_errors(state(*said[0], table.names), cell.truth), said[1]))
            done = len(found) == len(cell.tables)
            told += "{:11.3f} / {:6.2f}".format(*np.mean(found, axis=0)) if done else f"{'-':>11} / {'-':>6}"
        print(f"{cell.name:<18}{told}", flush=True)


def random_tables(n_tables: int, rng: np.random.Generator) -> Iterator[elcs.Table]:
    """Yield tables of random networks of 6 to 15 variables."""
    for i in range(n_tables):
        n = int(rng.integers(6, 16))
        network = random_network(n, int(1.3 * n), concentration=0.5, random_state=i)
        yield elcs.Table.from_any(network.sample(int(rng.choice([100, 300, 1000])), random_state=i))


def check_order(options: argparse.Namespace) -> None:
    """Print on how many random tables an answer depends on the order of the columns, or of the rows."""
    rng = np.random.default_rng(0)
    changed = {method: [0, 0] for method in WHOLE}
    for table in random_tables(options.tables, rng):
        columns = {name: np.array(table.levels[j])[table.codes[j]] for j, name in enumerate(table.names)}
        order = rng.permutation(list(columns))
        rows = rng.permutation(table.n_rows)
        others = ({name: columns[name] for name in order}, {name: column[rows] for name, column in columns.items()})
        for method, count in changed.items():
            first, *again = (answer(elcs.Table.from_any(data), method) for data in (columns, *others))
            for j, found in enumerate(again):
                count[j] += {x: found[x] for x in first} != first
    for method, (by_columns, by_rows) in changed.items():
        told = f"on {by_columns} of {options.tables} tables by the order of columns, on {by_rows} by that of rows"
        print(f"{method:<14} another answer {told}", flush=True)


def with_seed(seed: int, table: elcs.Table, **options: object) -> State:
    """Return what `elcs-hybrid` says with these random numbers, which nobody else can choose."""
    seeded = partial(begin, seed=seed)
    with patch("elcs.learners.local.elcs_hybrid.begin", seeded), patch("elcs.learners.whole.elcs_hybrid.begin", seeded):
        return answer(table, "elcs-hybrid", **options)


def check_seeds(options: argparse.Namespace) -> None:
    """Print on how many tables, and for how many targets on a region, the random numbers make a difference."""
    sampled = cells(Path(), options.networks, options.rows, options.data_sets, options.seed)
    made = Cell("random tables", {}, list(random_tables(options.tables, np.random.default_rng(0))))
    ways: list[dict[str, object]] = [{"decided": False}, {}, {"radius": 2}]
    head = ("tables", "CPDAG", "decided", "targets", "region")
    print(f"{'other answers':<18}" + "".join(f"{word:>9}" for word in head))
    for cell in (*sampled, made):
        changed = [0, 0, 0]
        for table in cell.tables:
            for i, chosen in enumerate(ways):
                first, *others = (with_seed(seed, table, **chosen) for seed in SEEDS)
                unlike = [x for x in first if any(found[x] != first[x] for found in others)]
                changed[i] += len(unlike) if "radius" in chosen else bool(unlike)
        told = (len(cell.tables), *changed[:2], sum(len(table.names) for table in cell.tables), changed[2])
        print(f"{cell.name:<18}" + "".join(f"{n:9}" for n in told), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("what", choices=("errors", "directions", "gaps", "order", "peers", "seeds"))
    parser.add_argument("--networks", nargs="+", default=[*PAPER, *OTHERS], choices=[*PAPER, *OTHERS, *LARGE])
    parser.add_argument("--rows", nargs="+", type=int, default=[5000, 1000, 500])
    parser.add_argument("--data-sets", type=int, default=10)
    parser.add_argument("--methods", nargs="+", default=[])
    parser.add_argument(
        "--seed", type=int, default=100, help="of the tables that are sampled for `directions` and `seeds`"
    )
    parser.add_argument("--tables", type=int, default=200)
    options = parser.parse_args()
    warnings.simplefilter("ignore", elcs.DataWarning)
    measure = {
        "errors": compare_errors,
        "directions": compare_directions,
        "gaps": compare_gaps,
        "order": check_order,
        "peers": compare_peers,
        "seeds": check_seeds,
    }
    measure[options.what](options)


if __name__ == "__main__":
    main()
