"""The experiments of the ELCS paper: its six tables as presets, and the figures it published.

S. Yang, H. Wang, K. Yu, F. Cao and X. Wu (2022), Towards efficient local causal structure learning, IEEE Transactions
on Big Data 8(6). The figures are in published.csv, one per line, as the paper prints them.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from elcs.errors import ElcsError

__all__ = ["NETWORKS", "TABLES", "Figure", "PaperTable", "paper_table", "published"]

LOCAL_METRICS = ("ArrP", "ArrR", "SHD", "FDR", "CI tests", "Time")
BLANKET_METRICS = ("Precision", "Recall", "F1", "Distance", "CI tests", "Time")
LARGER_IS_BETTER = frozenset({"ArrP", "ArrR", "Precision", "Recall", "F1"})

NETWORKS: Mapping[str, str] = {
    "alarm": "Alarm",
    "child": "Child",
    "insurance": "Insurance",
    "alarm10": "Alarm10",
    "child10": "Child10",
    "insurance10": "Insurance10",
    "pigs": "Pigs",
    "gene-like": "Gene",
}
"""Our networks, and what the paper calls them. Gene itself is not available; gene-like has its dimensions."""


@dataclass(frozen=True)
class PaperTable:
    """One of the paper's tables.

    Attributes
    ----------
    name, title : str
        What we call it, and what it shows.
    published_as : str
        Its name in published.csv.
    samples : int
        Rows of each data set.
    metrics : tuple of str
        Its columns.
    methods : mapping
        Our methods, with options where they are given any, and what the paper calls them (empty: not in the paper).
    """

    name: str
    title: str
    published_as: str
    samples: int
    metrics: tuple[str, ...]
    methods: Mapping[str, str]


_LOCAL = {
    "mmhc": "MMHC",
    "ges": "",
    "sll-c": "",
    "sll-g": "",
    "s2tmb-c": "",
    "s2tmb-g": "",
    "ggsl": "",
    "notears": "NOTEARS",
    "dag-gnn": "DAG-GNN",
    "gsbn": "",
    "pc-stable": "",
    "elcs-global": "",
    "pcd-by-pcd": "PCD-by-PCD",
    "cmb": "CMB",
    "mb-by-mb": "",
    "ldecc": "",
    "psl": "",
    "elcs": "ELCS",
    "elcs-ii": "ELCS-II",
    "elcs-exact": "",
    "elcs-cautious": "",
    "elcs-hybrid": "",
    "elcs-hybrid decided=false": "",
}
_BLANKET = {
    "gs": "",
    "iamb": "IAMB",
    "inter-iamb": "",
    "fast-iamb": "",
    "mmmb": "MMMB",
    "hiton-mb": "HITON-MB",
    "pcmb": "",
    "stmb": "STMB",
    "bamb": "BAMB",
    "ccmb": "",
    "sll": "",
    "s2tmb": "",
    "emb": "EMB",
    "emb-ii": "EMB-II",
    "emb-exact": "",
}
_WITHOUT_N = {"elcs-no-n": "ELCS w/o N", "elcs": "ELCS"}
_OTHER_BLANKETS = {
    "elcs-m": "ELCS-M",
    "elcs-s": "ELCS-S",
    "elcs-b": "ELCS-B",
    "elcs": "ELCS",
    "elcs-ii": "ELCS-II",
    "elcs-exact": "",
}

TABLES: Mapping[str, PaperTable] = {
    table.name: table
    for table in (
        PaperTable("local-5000", "Local causal structure, 5,000 rows", "local", 5000, LOCAL_METRICS, _LOCAL),
        PaperTable("local-1000", "Local causal structure, 1,000 rows", "local", 1000, LOCAL_METRICS, _LOCAL),
        PaperTable("blanket-5000", "Markov blankets, 5,000 rows", "blanket", 5000, BLANKET_METRICS, _BLANKET),
        PaperTable("blanket-1000", "Markov blankets, 1,000 rows", "blanket", 1000, BLANKET_METRICS, _BLANKET),
        PaperTable(
            "ablation-n", "ELCS without N-structures, 5,000 rows", "local-ablation-n", 5000, LOCAL_METRICS, _WITHOUT_N
        ),
        PaperTable(
            "ablation-mb",
            "ELCS with other blanket learners, 5,000 rows",
            "local-ablation-mb",
            5000,
            LOCAL_METRICS,
            _OTHER_BLANKETS,
        ),
    )
}


class Figure(NamedTuple):
    """A mean and a standard deviation."""

    mean: float
    std: float


@cache
def _all_published() -> dict[tuple[str, int, str, str, str], Figure]:
    with (Path(__file__).parent / "published.csv").open(encoding="utf-8") as file:
        return {
            (row["table"], int(row["samples"]), row["network"], row["algorithm"], row["metric"]): Figure(
                float(row["mean"]), float(row["std"] or 0)
            )
            for row in csv.DictReader(file)
            if row["mean"] not in ("", "-")
        }


def published(table: PaperTable, network: str, method: str, metric: str) -> Figure | None:
    """Return a figure of the paper for one of our networks and methods, or None if it has none.

    Examples
    --------
    >>> published(TABLES["local-5000"], "alarm", "elcs", "ArrP")
    Figure(mean=0.86, std=0.01)
    """
    algorithm = table.methods.get(method, "")
    key = (table.published_as, table.samples, NETWORKS.get(network, ""), algorithm, metric)
    return _all_published().get(key)


def paper_table(name: str) -> PaperTable:
    """Return the table of this name."""
    if name not in TABLES:
        raise ElcsError(f"the paper has no table {name!r}; the tables are {', '.join(TABLES)}")
    return TABLES[name]
