"""Tables and graphs made for tests."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import combinations, product
from pathlib import Path

import networkx as nx
import numpy as np
from hypothesis import strategies as st

from elcs import CITest, LocalStructure, Table, learn
from elcs.data.columns import Discrete
from elcs.engines import SequentialTester, Verdict
from elcs.engines.base import critical_value

NASTY = ["<script>alert(1)</script>", "\"'></script><img src=x onerror=alert(2)>", "]]>--><!--", "&lt;b&gt; $css ${js}"]


def coded(columns: Sequence[object], levels: Sequence[int], weights: object = None) -> Table:
    """Build a table straight from codes, without the checks that tables of users go through."""
    made = []
    for i, (column, r) in enumerate(zip(columns, levels, strict=True)):
        gaps = bool((np.asarray(column) == r).any())
        codes = np.array(column, dtype=np.uint8 if r + gaps <= 256 else np.uint16)
        made.append(Discrete(f"V{i}", "integer", codes, tuple(range(r)), incomplete=gaps))
    return Table(tuple(made), None if weights is None else np.asarray(weights, dtype=np.int64))


def rows_with(data: Table, variables: Sequence[int]) -> Table:
    """Delete the rows that lack one of these variables."""
    rows = np.all([~data.columns[v].missing for v in variables], axis=0)
    levels = [len(levels) for levels in data.levels]
    return coded([codes[rows] for codes in data.codes], levels, None if data.weights is None else data.weights[rows])


@st.composite
def datasets(draw: st.DrawFn, most_rows: int = 3000, most_levels: int = 300, *, gaps: bool = False) -> Table:
    """Draw tables of 2 to 8 columns, skewed, with dependences and levels that never occur; if asked, also with gaps."""
    n_columns = draw(st.integers(2, 8))
    small = st.integers(2, 5)
    levels = [draw(st.one_of(small, small, small, st.integers(2, most_levels))) for _ in range(n_columns)]
    n_rows = draw(st.one_of(st.integers(0, 80), st.integers(0, most_rows)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    skew = draw(st.floats(0.3, 4.0))
    columns: list[np.ndarray] = []
    for r in levels:
        column = (r * rng.random(n_rows) ** skew).astype(np.int64)
        if columns and rng.random() < 0.5:
            copied = rng.random(n_rows) < rng.random()
            column[copied] = columns[rng.integers(len(columns))][copied] % r
        columns.append(column)
    if gaps and draw(st.booleans()):
        for r, column in zip(levels, columns, strict=True):
            column[rng.random(n_rows) < rng.choice([0, 0.02, 0.2, 0.9])] = r
    most = draw(st.sampled_from([None, 2, 50]))  # none, a mask of rows, weights
    return coded(columns, levels, None if most is None else rng.integers(0, most, n_rows))


def graph_of(edges: str, order: Sequence[str] = ()) -> nx.DiGraph[str]:
    """Read a graph written as 'A>B B>C', with its nodes in the order given, if it is."""
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(order)
    for edge in edges.split():
        cause, effect = edge.split(">")
        graph.add_edge(cause, effect)
    return graph


def short_sighted(edges: str, opened: str = "") -> CITest:
    """Build a test that sees neighbours, as 'ab bc', and common effects, as 'acb' for a and b given c; nothing else."""
    names = sorted(set(edges) - {" "})
    near, effects = [set(pair) for pair in edges.split()], opened.split()

    def measure(x: int, y: int, given: tuple[int, ...]) -> tuple[float, int, Verdict]:
        pair, held = {names[x], names[y]}, [names[z] for z in given]
        seen = pair in near or any(pair == {path[0], path[2]} and path[1] in held for path in effects)
        return float(seen), 0, Verdict.DEPENDENT if seen else Verdict.INDEPENDENT

    return CITest(names, SequentialTester(measure, cache_size=1000))


class Testwise(CITest):
    """Fisher's z-test in plain numpy, each time on the rows that have all of its columns; fewer than 50 are too few."""

    __test__ = False
    statistic_name = "z²"

    def __init__(self, data: object, alpha: float = 0.01) -> None:
        table = Table.from_any(data)
        values = np.column_stack([column.numbers() for column in table.columns])
        self.alpha = alpha

        def measure(x: int, y: int, given: tuple[int, ...]) -> tuple[float, int, int, int, int]:
            whole = values[~np.isnan(values[:, [x, y, *given]]).any(axis=1)]
            n = len(whole)
            on = np.column_stack([np.ones(n), whole[:, list(given)]])
            left, right = (whole[:, v] - on @ np.linalg.lstsq(on, whole[:, v], rcond=None)[0] for v in (x, y))
            statistic = (n - len(given) - 3) * float(np.arctanh(np.corrcoef(left, right)[0, 1])) ** 2
            verdict = Verdict.DEPENDENT if statistic >= critical_value(alpha, 1) else Verdict.INDEPENDENT
            return statistic, 1, Verdict.UNRELIABLE if n < 50 else verdict, n, 1

        super().__init__(table.names, SequentialTester(measure, cache_size=1000), table)


def houses(n: int = 2000) -> dict[str, np.ndarray]:
    """Make a table of the graph size -> price <- age, price -> tax, size -> garden, with levels and without gaps."""
    rng = np.random.default_rng(0)
    size, age = rng.normal(100, 20, n), rng.normal(50, 10, n)
    price = 3 * size - 2 * age + rng.normal(0, 30, n)
    return {
        "size": size,
        "age": age,
        "price": price,
        "tax": 0.01 * price + rng.normal(0, 0.5, n),
        "garden": np.where(size + rng.normal(0, 20, n) > 100, "yes", "no"),
    }


def houses_with_gaps() -> dict[str, np.ndarray]:
    """Make a table of numbers with gaps: 250 in age, 62 in tax, 40 of these in the same rows."""
    table = houses()
    table["garden"] = (table["garden"] == "yes") + 0.0
    table["age"][:250] = np.nan
    table["tax"][210:272] = np.nan
    return table


def golden(name: str) -> dict[str, str]:
    """Load a file of known answers."""
    found: dict[str, str] = json.loads((Path(__file__).parent / "golden" / f"{name}.json").read_text())
    return found


def all_dags(n: int) -> Iterator[nx.DiGraph[str]]:
    """Yield every directed acyclic graph over n labelled nodes."""
    nodes = [chr(ord("A") + i) for i in range(n)]
    pairs = list(combinations(nodes, 2))
    for states in product((0, 1, 2), repeat=len(pairs)):
        graph: nx.DiGraph[str] = nx.DiGraph()
        graph.add_nodes_from(nodes)
        graph.add_edges_from(pair if s == 1 else pair[::-1] for pair, s in zip(pairs, states, strict=True) if s)
        if nx.is_directed_acyclic_graph(graph):
            yield graph


@st.composite
def dags(draw: st.DrawFn, most_nodes: int = 9, most_parents: int = 3) -> nx.DiGraph[str]:
    """Draw directed acyclic graphs whose nodes stand in no particular order."""
    n = draw(st.integers(2, most_nodes))
    order = draw(st.permutations(range(n)))
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(f"N{i}" for i in range(n))
    for i, node in enumerate(order):
        parents = draw(st.sets(st.sampled_from(order[:i]), max_size=most_parents)) if i else ()
        graph.add_edges_from((f"N{p}", f"N{node}") for p in sorted(parents))
    return graph


def nasty() -> LocalStructure:
    """Learn from a table whose names and levels are hostile."""
    return learn(nasty_table(), NASTY[2])


def nasty_table() -> dict[str, list[str]]:
    """Make a table whose names and levels are hostile."""
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 2, (2, 800))
    c = np.where(rng.random(800) < 0.9, a | b, 1 - (a | b))
    d = np.where(rng.random(800) < 0.9, c, 1 - c)
    columns = dict(zip(NASTY, (a, b, c, d), strict=True))
    return {name: [f"</script>{v}" for v in column] for name, column in columns.items()}
