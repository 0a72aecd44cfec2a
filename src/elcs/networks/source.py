"""What a benchmark runs on: a true graph, and data sets of several sizes that were drawn from it.

Two kinds of folders are read.

- CSV files: ``graph.csv``, with the columns parent and child, beside ``s5000_v1.csv`` or ``s5000_v1.csv.gz`` and so on:
  5,000 rows, first set.
- The files that go with the literature: ``Alarm1_graph.txt``, the adjacency matrix with a 1 in row i and column j if
  variable i is a cause of variable j, beside ``Alarm1_s5000_v1.txt``, whole numbers separated by white space. The
  variables have no names there and are called V0, V1, ...

A network is a third source: its data sets are drawn when they are asked for.
"""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from elcs.data.files import TextFile, located
from elcs.data.table import Table
from elcs.errors import DataError, KnowledgeError, unknown_name
from elcs.networks.checks import check_count, check_graph
from elcs.networks.network import Network

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["Source"]

_CSV_SET = re.compile(r"s(?P<rows>[0-9]+)_v(?P<version>[0-9]+)\.csv(?:\.gz)?")
_TEXT_SET = re.compile(r"(?P<name>.+)_s(?P<rows>[0-9]+)_v(?P<version>[0-9]+)\.txt(?:\.gz)?")
_TEXT_GRAPH = re.compile(r"(?P<name>.+)_graph\.txt(?:\.gz)?")

Key = tuple[int, int]
"""The number of rows of a data set, and its number among those of that size."""


@dataclass(frozen=True, eq=False, repr=False)
class Source:
    """A true graph and data sets drawn from it; made by `from_folder` or `from_network`.

    Attributes
    ----------
    name : str
        What it is called.
    variables : tuple of str
        All variables, in the order of the columns.
    edges : tuple of (str, str)
        The true causes and effects.
    sets : mapping of (int, int) to callable
        For each number of rows and version, a function that loads the data set.

    Examples
    --------
    >>> import elcs.networks
    >>> source = Source.from_network(elcs.networks.load("asia"), sizes=(500, 1000), versions=2)
    >>> source
    Source('asia', 8 variables, 8 edges, 4 data sets)
    >>> list(source.sets)
    [(500, 1), (500, 2), (1000, 1), (1000, 2)]
    >>> source.load(1000, 2)
    Table(1,000 rows, 8 columns)
    """

    name: str
    variables: tuple[str, ...]
    edges: tuple[tuple[str, str], ...]
    sets: Mapping[Key, Callable[[], Table]]

    @classmethod
    def from_folder(cls, folder: str | os.PathLike[str], *, name: str | None = None) -> Source:
        """Find the graph and the data sets in a folder; data sets are read when they are loaded.

        Parameters
        ----------
        folder : path
            Where the files are.
        name : str, optional
            For files that go with the literature, which network: 'Alarm1' for ``Alarm1_graph.txt``. Needed if there
            are several. For CSV files, what to call the source; by default the name of the folder.
        """
        path = located(folder)
        if not path.is_dir():
            raise DataError(f"there is no folder {str(path)!r}")
        if (path / "graph.csv").is_file():
            return _csv_source(path, name)
        return _text_source(path, name)

    @classmethod
    def from_network(
        cls, network: Network, *, sizes: Sequence[int] = (1000, 5000), versions: int = 10, random_state: int = 0
    ) -> Source:
        """Draw data sets from a network when they are loaded, `versions` of each size, each from its own seed."""
        check_count("versions", versions, 1)
        sets = {
            (int(rows), version): partial(_drawn, network, int(rows), (random_state, int(rows), version))
            for rows in sizes
            for version in range(1, versions + 1)
        }
        return cls(network.name, network.variables, network.edges, sets)

    def load(self, rows: int, version: int = 1) -> Table:
        """Return a data set. A variable that does not vary in it is a node of the graph, but not a column."""
        if (rows, version) not in self.sets:
            listed = ", ".join(f"{rows}/{version}" for rows, version in self.sets)
            raise DataError(f"{self.name!r} has no data set {version} of {rows} rows; it has {listed or 'none'}")
        return self.sets[rows, version]()

    def versions(self, rows: int) -> tuple[int, ...]:
        """Return which data sets of a size there are."""
        return tuple(version for size, version in self.sets if size == rows)

    def to_networkx(self) -> nx.DiGraph[str]:
        """Return the true graph, its nodes in the order of the columns."""
        import networkx as nx

        graph: nx.DiGraph[str] = nx.DiGraph(name=self.name)
        graph.add_nodes_from(self.variables)
        graph.add_edges_from(self.edges)
        return graph

    def __repr__(self) -> str:
        counts = f"{len(self.variables)} variables, {len(self.edges)} edges, {len(self.sets)} data sets"
        return f"Source({self.name!r}, {counts})"


def _drawn(network: Network, rows: int, seed: tuple[int, int, int]) -> Table:
    return network.sample(rows, random_state=np.random.default_rng(seed))


# Folders of CSV files


def _csv_source(folder: Path, name: str | None) -> Source:
    found = {}
    for path in sorted(folder.iterdir()):
        match = _CSV_SET.fullmatch(path.name)
        if match:
            found[int(match["rows"]), int(match["version"])] = path
    edges = _csv_edges(folder / "graph.csv")
    # An isolated variable is in no edge, so the variables are taken from the header of a data set.
    header = TextFile(found[min(found)], "utf-8").names if found else []
    sets = {key: partial(_checked_csv, found[key], header) for key in sorted(found)}
    return _checked(name or folder.resolve().name, header, edges, sets, folder / "graph.csv")


def _csv_edges(path: Path) -> list[tuple[str, str]]:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeError:
        raise DataError(f"{str(path)!r} is not in the encoding utf-8") from None
    rows = [(number, row) for number, row in enumerate(csv.reader(lines), start=1) if row]
    if not rows or rows[0][1] != ["parent", "child"]:
        raise DataError(f"{str(path)!r} must start with the line 'parent,child'")
    for number, row in rows[1:]:
        if len(row) != 2:
            raise DataError(f"{str(path)!r}, line {number}: expected a parent and a child, found {len(row)} cells")
    return [(row[0], row[1]) for _, row in rows[1:]]


def _checked_csv(path: Path, header: list[str]) -> Table:
    data = Table.from_any(path)
    known = {*data.names, *(name for name, _ in data.dropped)}
    if known != set(header):
        odd = sorted(known.symmetric_difference(header))
        raise DataError(f"{str(path)!r} does not have the columns of the other data sets; look at {odd[0]!r}")
    return data


# Files that go with the literature


def _text_source(folder: Path, name: str | None) -> Source:
    graphs = {m["name"]: m.string for m in map(_TEXT_GRAPH.fullmatch, sorted(os.listdir(folder))) if m}
    if not graphs:
        raise DataError(f"{str(folder)!r} holds neither graph.csv nor a file whose name ends in _graph.txt")
    if name is None and len(graphs) > 1:
        raise DataError(f"{str(folder)!r} holds several networks; pass name=, one of {', '.join(map(repr, graphs))}")
    name = next(iter(graphs)) if name is None else name
    if name not in graphs:
        raise DataError(f"{str(folder)!r} holds no {name}_graph.txt; it has {', '.join(map(repr, graphs))}")
    matrix = _read_integers(folder / graphs[name])
    if matrix.shape[0] != matrix.shape[1] or not np.isin(matrix, (0, 1)).all():
        raise DataError(
            f"{str(folder / graphs[name])!r} must be a square table of 0 and 1; its shape is {matrix.shape}"
        )
    names = [f"V{i}" for i in range(len(matrix))]
    edges = [(names[i], names[j]) for i, j in np.argwhere(matrix).tolist()]
    found = {}
    for file in sorted(os.listdir(folder)):
        match = _TEXT_SET.fullmatch(file)
        if match and match["name"] == name:
            found[int(match["rows"]), int(match["version"])] = folder / file
    sets = {key: partial(_read_text, found[key], names) for key in sorted(found)}
    return _checked(name, names, edges, sets, folder / graphs[name])


def _read_text(path: Path, names: list[str]) -> Table:
    values = _read_integers(path)
    if values.shape[1] != len(names):
        raise DataError(f"{str(path)!r} has {values.shape[1]} columns, and its graph {len(names)} variables")
    return Table.from_any(values, names=names)


def _read_integers(path: Path) -> NDArray[np.int64]:
    try:
        values: NDArray[Any] = np.loadtxt(path, dtype=np.float64, ndmin=2)
    except (OSError, ValueError) as error:
        raise DataError(f"{str(path)!r} cannot be read as a table of numbers: {error}") from None
    if not values.size or not np.isfinite(values).all() or (values != np.trunc(values)).any():
        raise DataError(f"{str(path)!r} must hold whole numbers separated by white space")
    return values.astype(np.int64)


def _checked(
    name: str,
    variables: list[str],
    edges: list[tuple[str, str]],
    sets: Mapping[Key, Callable[[], Table]],
    path: Path,
) -> Source:
    if not sets:
        raise DataError(f"{str(path.parent)!r} holds a graph, but no data sets that go with it")
    parents: dict[str, list[str]] = {v: [] for v in variables}
    try:
        for parent, child in edges:
            if child not in parents:
                raise KnowledgeError(str(unknown_name(child, variables, what="column")))
            parents[child].append(parent)
        check_graph(parents)
    except KnowledgeError as error:
        raise KnowledgeError(f"{str(path)!r}: {error}") from None
    return Source(name, tuple(variables), tuple(edges), sets)
