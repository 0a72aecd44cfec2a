"""Our GES against that of causal-learn, by the score of what each finds and by CPU time.

    pip install causal-learn
    python benchmarks/ges.py DATA_FOLDER

Ten tables: Asia (sampled here), Child, Insurance and Alarm. Both climb by BDeu with a prior of one row; causal-learn's
score also has a prior on the number of parents. What both find is scored by our BDeu, without such a prior.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path

import peers

import elcs
from elcs.learners.steps.equivalence import bits_of, extension

TABLES = (
    *("child/s1000_v1", "child/s1000_v2", "child/s1000_v3", "child/s5000_v1", "insurance/s1000_v1"),
    *("alarm/s1000_v1", "alarm/s1000_v2"),
)

Arc = tuple[str, str]


def tables(folder: Path) -> Iterator[tuple[str, elcs.Table]]:
    for seed in (1, 2, 3):
        yield f"asia, 2,000 rows, seed {seed}", elcs.networks.load("asia").sample(2000, random_state=seed)
    for name in TABLES:
        yield name, elcs.Table.from_any(folder / f"{name}.csv.gz")


def total(score: elcs.BDeu, directed: Iterable[Arc], undirected: Iterable[Arc]) -> float:
    """Return the score of a network of the class; nan if the graph is that of no network."""
    names = score.variables
    at = {name: i for i, name in enumerate(names)}
    parents, beside = [0] * len(names), [0] * len(names)
    for a, b in directed:
        parents[at[b]] |= 1 << at[a]
    for a, b in undirected:
        beside[at[a]] |= 1 << at[b]
        beside[at[b]] |= 1 << at[a]
    network = extension(parents, beside)
    if network is None:
        return float("nan")
    return sum(score.local(names[y], [names[x] for x in bits_of(set_)]) for y, set_ in enumerate(network))


def main(folder: Path) -> None:
    warnings.simplefilter("ignore", elcs.DataWarning)
    print(f"{'table':<28}{'ours':>12}{'causal-learn':>14}{'CPU s':>9}{'causal-learn':>14}")
    for name, table in tables(folder):
        score = elcs.BDeu(table, ess=1)
        start = time.process_time()
        ours = elcs.learn_graph(score, method="ges")
        between = time.process_time()
        theirs = peers.causal_learn(table, "ges")
        seconds = between - start, time.process_time() - between
        totals = total(score, ours.directed, ours.undirected), total(score, *theirs)
        print(f"{name:<28}{totals[0]:12.2f}{totals[1]:14.2f}{seconds[0]:9.3f}{seconds[1]:14.1f}", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
