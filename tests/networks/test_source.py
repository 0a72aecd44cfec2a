from __future__ import annotations

import csv
import gzip
import pickle
from pathlib import Path

import numpy as np
import pytest

from elcs import DataError, Dataset, KnowledgeError
from elcs.networks import Network, Source, load, random_network


def as_integers(data: Dataset) -> np.ndarray:
    return np.stack(data.codes, axis=1).astype(int)


@pytest.fixture
def network() -> Network:
    return random_network(6, 5, levels=(2, 3), random_state=4)  # X3 or so may be isolated


def write_csv(folder: Path, network: Network) -> None:
    with (folder / "graph.csv").open("w", newline="") as stream:
        csv.writer(stream).writerows([("parent", "child"), *network.edges])
    for rows, version, opener, end in ((50, 1, open, ""), (50, 10, gzip.open, ".gz"), (200, 2, gzip.open, ".gz")):
        with opener(folder / f"s{rows}_v{version}.csv{end}", "wt", newline="") as stream:
            data = network.sample(rows, random_state=version)
            csv.writer(stream).writerows([data.names, *as_integers(data).tolist()])


def write_text(folder: Path, name: str, network: Network) -> None:
    matrix = np.zeros((6, 6), dtype=int)
    for a, b in network.edges:
        matrix[network.variables.index(a), network.variables.index(b)] = 1
    np.savetxt(folder / f"{name}_graph.txt", matrix, fmt="%d")
    for rows, version in ((50, 1), (200, 1)):
        values = as_integers(network.sample(rows, random_state=version)) + 1
        np.savetxt(folder / f"{name}_s{rows}_v{version}.txt", values, fmt="%.7e", delimiter="   ")


def test_a_folder_of_csv_files(tmp_path: Path, network: Network) -> None:
    write_csv(tmp_path, network)
    (tmp_path / "README.txt").write_text("something else")
    source = Source.from_folder(tmp_path)
    assert source.name == tmp_path.name
    assert list(source.sets) == [(50, 1), (50, 10), (200, 2)]
    assert source.versions(50) == (1, 10)
    assert source.variables == network.variables  # isolated ones too
    assert set(source.edges) == set(network.edges)
    np.testing.assert_array_equal(as_integers(source.load(200, 2)), as_integers(network.sample(200, random_state=2)))
    assert tuple(source.to_networkx()) == network.variables
    assert set(source.to_networkx().edges) == set(network.edges)
    assert Source.from_folder(str(tmp_path), name="mine").name == "mine"
    with pytest.raises(DataError, match=r"no data set 3 of 50 rows; it has 50/1, 50/10, 200/2"):
        source.load(50, 3)


def test_original_files(tmp_path: Path, network: Network) -> None:
    write_text(tmp_path, "Gene", network)
    source = Source.from_folder(tmp_path)
    assert source.name == "Gene"
    assert source.variables == ("V0", "V1", "V2", "V3", "V4", "V5")
    assert list(source.sets) == [(50, 1), (200, 1)]
    number = {v: f"V{i}" for i, v in enumerate(network.variables)}
    assert set(source.edges) == {(number[a], number[b]) for a, b in network.edges}
    data = source.load(200)
    assert data.names == source.variables
    assert data.levels[0][0] == 1
    np.testing.assert_array_equal(as_integers(data), as_integers(network.sample(200, random_state=1)))


def test_several_networks_in_a_folder(tmp_path: Path, network: Network) -> None:
    write_text(tmp_path, "Gene", network)
    write_text(tmp_path, "Alarm_10", network)
    with pytest.raises(DataError, match="several networks; pass name=, one of 'Alarm_10', 'Gene'"):
        Source.from_folder(tmp_path)
    assert Source.from_folder(tmp_path, name="Alarm_10").name == "Alarm_10"
    with pytest.raises(DataError, match="holds no Pigs_graph.txt"):
        Source.from_folder(tmp_path, name="Pigs")


def test_a_network_is_a_source() -> None:
    asia = load("asia")
    source = Source.from_network(asia, sizes=(300, 400), versions=2, random_state=7)
    assert list(source.sets) == [(300, 1), (300, 2), (400, 1), (400, 2)]
    assert source.edges == asia.edges
    first = as_integers(source.load(300, 1))
    np.testing.assert_array_equal(first, as_integers(source.load(300, 1)))
    assert (first != as_integers(source.load(300, 2))).any()
    again = pickle.loads(pickle.dumps(source))
    np.testing.assert_array_equal(first, as_integers(again.load(300, 1)))
    with pytest.raises(DataError, match="versions= takes"):
        Source.from_network(asia, versions=0)


def test_faults_of_folders(tmp_path: Path, network: Network) -> None:
    with pytest.raises(DataError, match="there is no folder"):
        Source.from_folder(tmp_path / "nowhere")
    with pytest.raises(DataError, match="holds neither graph.csv nor a file whose name ends in _graph.txt"):
        Source.from_folder(tmp_path)
    (tmp_path / "graph.csv").write_text("parent,child\nX0,X1\n")
    with pytest.raises(DataError, match="holds a graph, but no data sets"):
        Source.from_folder(tmp_path)


@pytest.mark.parametrize(
    ("graph", "error", "message"),
    [
        ("X0,X1\n", DataError, "must start with the line 'parent,child'"),
        ("", DataError, "must start with the line"),
        ("parent,child\nX0,X1\nX0,X1,X2\n", DataError, "line 3: expected a parent and a child, found 3 cells"),
        ("parent,child\nX0,X7\n", KnowledgeError, "graph.csv': there is no column 'X7'"),
        ("parent,child\nX7,X0\n", KnowledgeError, "graph.csv': variable 'X0': there is no variable 'X7'"),
        ("parent,child\nX0,X1\nX1,X0\n", KnowledgeError, "graph.csv': .* has the cycle"),
        ("parent,child\nX0,X1\nX0,X1\n", KnowledgeError, "the parent 'X0' more than once"),
    ],
)
def test_faults_of_graphs(tmp_path: Path, network: Network, graph: str, error: type[Exception], message: str) -> None:
    write_csv(tmp_path, network)
    (tmp_path / "graph.csv").write_text(graph)
    with pytest.raises(error, match=message):
        Source.from_folder(tmp_path)


def test_faults_of_encodings(tmp_path: Path, network: Network) -> None:
    write_csv(tmp_path, network)
    (tmp_path / "graph.csv").write_bytes("parent,child\nX0,Xü\n".encode("latin-1"))
    with pytest.raises(DataError, match="not in the encoding utf-8"):
        Source.from_folder(tmp_path)


def test_faults_of_data_sets(tmp_path: Path, network: Network) -> None:
    write_csv(tmp_path, network)
    other = tmp_path / "s50_v3.csv"
    other.write_text("X0,X1,X2,X3,X4,Y\n0,0,0,0,0,0\n1,1,1,1,1,1\n")
    with pytest.raises(DataError, match="does not have the columns of the other data sets; look at 'X5'"):
        Source.from_folder(tmp_path).load(50, 3)


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("g_graph.txt", "0 1\n0 0\n1 0\n", r"must be a square table of 0 and 1; its shape is \(3, 2\)"),
        ("g_graph.txt", "0 2\n0 0\n", "must be a square table of 0 and 1"),
        ("g_graph.txt", "0 1\n0\n", "cannot be read as a table of numbers"),
        ("g_graph.txt", "0 0.5\n0 0\n", "must hold whole numbers"),
        ("g_s4_v1.txt", "0 1 1\n1 1 1\n0 0 0\n1 0 1\n", "has 3 columns, and its graph 2 variables"),
        ("g_s4_v1.txt", "0 x\n1 1\n", "cannot be read as a table of numbers"),
        ("g_s4_v1.txt", "0 nan\n1 1\n", "must hold whole numbers"),
    ],
)
def test_faults_of_original_files(tmp_path: Path, file: str, text: str, message: str) -> None:
    (tmp_path / "g_graph.txt").write_text("0 1\n0 0\n")
    (tmp_path / "g_s4_v1.txt").write_text("0 1\n1 1\n0 0\n1 0\n")
    assert Source.from_folder(tmp_path).load(4).n_rows == 4
    (tmp_path / file).write_text(text)
    with pytest.raises(DataError, match=message):
        Source.from_folder(tmp_path).load(4)
