"""The learners that fit weights: right where their assumptions hold, harmless where they do not."""

from __future__ import annotations

import builtins
import contextlib
import time
from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

import elcs
from elcs.errors import DataError, DataWarning, ElcsError
from elcs.learners.steps.drawn_graphs import alone
from elcs.learners.steps.weights import without_circles
from elcs.learners.whole.dag_gnn import Autoencoder
from elcs.learners.whole.notears import acyclicity

FITS: list[tuple[str, dict[str, Any]]] = [("notears", {}), ("dag-gnn", {"steps": 5})]
both = pytest.mark.parametrize(("method", "options"), FITS)

Table = dict[str, NDArray[np.float64]]


def linear(n: int, rows: int, seed: int) -> tuple[set[tuple[str, str]], Table]:
    """Return the edges of a random linear model with noise of variance one, one edge a variable, and a sample."""
    rng = np.random.default_rng(seed)
    weights = np.triu(rng.random((n, n)) < 2 / (n - 1), 1) * rng.uniform(0.5, 2, (n, n)) * rng.choice([-1, 1], (n, n))
    order = rng.permutation(n)
    weights = weights[np.ix_(order, order)]
    sample = rng.normal(size=(rows, n)) @ np.linalg.inv(np.eye(n) - weights)
    return {(f"x{i}", f"x{j}") for i, j in np.argwhere(weights)}, {f"x{i}": sample[:, i] for i in range(n)}


def f1(truth: set[Any], found: set[Any]) -> float:
    return 2 * len(truth & found) / (len(truth) + len(found))


def acyclic(graph: elcs.CausalGraph) -> bool:
    return not graph.undirected and nx.is_directed_acyclic_graph(graph.to_networkx())


@pytest.mark.parametrize(("n", "seed"), [(10, 0), (15, 2), (20, 3)])
def test_notears_finds_linear_models_with_equal_noise(n: int, seed: int) -> None:
    truth, table = linear(n, 1500, seed)
    graph = elcs.learn_graph(table, method="notears")
    assert graph.complete
    assert acyclic(graph)
    assert f1(truth, set(graph.directed)) > 0.9


def test_dag_gnn_finds_most_of_a_linear_model() -> None:
    truth, table = linear(10, 1000, 1)
    graph = elcs.learn_graph(table, method="dag-gnn", options={"steps": 150, "batch_size": 100, "hidden": 16})
    assert acyclic(graph)
    assert f1({frozenset(edge) for edge in truth}, {frozenset(edge) for edge in graph.directed}) > 0.6


def test_the_gradient_of_the_acyclicity_is_right() -> None:
    w = np.random.default_rng(0).normal(size=(5, 5))
    steps = 1e-6 * np.eye(25).reshape(25, 5, 5)
    slopes = [(acyclicity(w + s)[0] - acyclicity(w - s)[0]) / 2e-6 for s in steps]
    np.testing.assert_allclose(acyclicity(w)[1].ravel(), slopes, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("n", [2, 3, 4, 6, 9, 17])
def test_the_acyclicity_sees_the_longest_circle_and_nothing_else(n: int) -> None:
    circle = 3.0 * np.roll(np.eye(n), 1, axis=1)
    assert acyclicity(circle)[0] > 0
    assert acyclicity(np.triu(np.ones((n, n)), 1))[0] == pytest.approx(0, abs=1e-12)


def test_circles_are_cut_where_they_are_weakest() -> None:
    w = np.zeros((4, 4))
    w[0, 1], w[1, 2], w[2, 0] = 0.9, -0.4, 0.8  # a circle
    w[2, 3], w[3, 2] = 0.35, 0.5  # another
    w[0, 3] = 0.2
    kept = without_circles(w, threshold=0.3)
    assert {(int(i), int(j)) for i, j in np.argwhere(kept)} == {(0, 1), (2, 0), (3, 2)}
    assert not without_circles(w, threshold=2.0).any()
    full = without_circles(np.random.default_rng(1).normal(size=(12, 12)), threshold=0.0)
    assert nx.is_directed_acyclic_graph(nx.from_numpy_array(full, create_using=nx.DiGraph))


def test_the_loss_of_the_autoencoder_falls() -> None:
    import torch

    rows = torch.from_numpy(np.column_stack(list(linear(10, 300, 1)[1].values())))
    with alone(torch, seed=0):
        model = Autoencoder(~np.eye(10, dtype=bool), 16, 1e-2)
        losses = [model.train(rows, 1.0, 0.0) for _ in range(60)]
    assert losses[-1] < losses[30] < losses[0]


def test_dag_gnn_is_seeded_and_leaves_no_trace() -> None:
    import torch

    table = linear(10, 300, 2)[1]
    threads, state = torch.get_num_threads(), torch.random.get_rng_state()
    runs = [
        elcs.learn_graph(table, method="dag-gnn", options={"steps": 20, "seed": 5, "threshold": 0.1}) for _ in range(2)
    ]
    assert runs[0].directed
    assert runs[0].directed == runs[1].directed
    assert torch.get_num_threads() == threads
    assert torch.equal(torch.random.get_rng_state(), state)


def test_dag_gnn_without_torch_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = builtins.__import__

    def no_torch(name: str, *args: Any) -> Any:
        if name == "torch":
            raise ModuleNotFoundError("No module named 'torch'", name="torch")
        return usual(name, *args)

    monkeypatch.setattr(builtins, "__import__", no_torch)
    with pytest.raises(ElcsError, match=r'pip install "elcs\[bench\]"'):
        elcs.learn_graph({"a": [1.0, 2.0, 3.0], "b": [1.0, 0.0, 2.0]}, method="dag-gnn")


@both
def test_codes_give_a_graph_without_circles_and_words(method: str, options: dict[str, Any]) -> None:
    data = elcs.data.SAMPLE
    graph = elcs.learn_graph(data, method=method, options={"threshold": 0.02, **options})
    assert graph.directed
    assert acyclic(graph)
    cause, effect = graph.directed[0]
    local = elcs.learn(data, effect, method=method, options={"threshold": 0.02, **options})
    assert local.parents == graph.parents(effect)
    assert local.children == graph.children(effect)
    assert "fits the numbers best" in local.explain(cause)
    assert all(local.explain(x) for x in local.evidence)
    assert local.evidence[cause].direction is not None


@both
@pytest.mark.parametrize("limit", [{"timeout": 0.0}, {"max_tests": 7}])
def test_a_limit_leaves_an_empty_incomplete_graph(method: str, options: dict[str, Any], limit: dict[str, Any]) -> None:
    table = linear(8, 200, 0)[1]
    graph = elcs.learn_graph(table, method=method, **options, **limit)
    assert not graph.complete
    assert not graph.directed
    assert graph.n_tests <= 7
    assert not elcs.learn(table, "x0", method=method, **options, **limit).complete


@both
def test_awkward_tables(method: str, options: dict[str, Any]) -> None:
    rng = np.random.default_rng(0)
    wide = {f"x{i}": rng.normal(size=5) for i in range(9)}
    assert acyclic(elcs.learn_graph(wide, method=method, **options))
    twins = {"a": wide["x0"], "b": wide["x0"], "c": -wide["x0"]}
    assert acyclic(elcs.learn_graph(twins, method=method, **options))
    with pytest.warns(DataWarning, match="'same' .constant: always 1"):
        graph = elcs.learn_graph({**wide, "same": np.ones(5)}, method=method, **options)
    assert "same" not in graph.nodes
    with pytest.raises(DataError):
        elcs.learn_graph({**wide, "gap": [1.0, 2.0, float("nan"), 4.0, 5.0]}, method=method, **options)
    with pytest.raises(DataError, match="'huge' are too large"):
        elcs.learn_graph({**wide, "huge": wide["x0"] * 1e200}, method=method, **options)


@pytest.mark.parametrize("factor", [1e-200, 1e30])
@both
def test_columns_on_very_different_scales(method: str, options: dict[str, Any], factor: float) -> None:
    table = linear(5, 100, 0)[1]
    table["x0"] = table["x0"] * factor
    with contextlib.suppress(DataError):  # to give up is fine; a traceback, a circle or NaN is not
        assert acyclic(elcs.learn_graph(table, method=method, **options))
    assert acyclic(elcs.learn_graph(table, method=method, options={"standardise": True, **options}))


def test_rows_count_as_often_as_their_weights_say() -> None:
    rng = np.random.default_rng(3)
    rows, counts = rng.integers(0, 3, (40, 3)).astype(float), rng.integers(1, 5, 40)
    rows[:, 1] += rows[:, 0]
    many = elcs.learn_graph(np.repeat(rows, counts, axis=0), method="notears", options={"threshold": 0.05})
    few = elcs.learn_graph(rows, weights=counts, method="notears", options={"threshold": 0.05})
    assert few.directed == many.directed != ()
    huge = elcs.learn_graph(rows, weights=counts * 10**8, method="notears", options={"threshold": 0.05})
    assert huge.directed == many.directed  # repeating the rows would take 12 GiB
    halves = elcs.stability(rows, "V1", weights=counts * 20, method="notears", n_samples=4, options={"threshold": 0.05})
    assert halves.shares["V0"].neighbour == 1
    assert elcs.learn_graph(rows, weights=counts * 10**8, method="dag-gnn", options={"steps": 2}).complete


@both
def test_a_column_may_be_called_data(method: str, options: dict[str, Any]) -> None:
    table = linear(4, 200, 1)[1]
    frame = pd.DataFrame(table).rename(columns={"x0": "data"})
    assert elcs.learn_graph(frame, method=method, options=options).nodes[0] == "data"


def test_the_time_limit_holds_within_an_evaluation(monkeypatch: pytest.MonkeyPatch) -> None:
    elcs.learn_graph(linear(3, 50, 0)[1], method="notears")  # what it needs is imported now, and not within the limit
    breaths: list[int] = []

    def slow(w: NDArray[np.float64], breathe: Callable[[], None]) -> tuple[float, NDArray[np.float64]]:
        def breathe_slowly() -> None:
            breaths.append(1)
            time.sleep(2.1)
            breathe()

        return acyclicity(w, breathe_slowly)

    monkeypatch.setattr("elcs.learners.whole.notears.acyclicity", slow)
    table = linear(40, 200, 0)[1]  # six matrix products an evaluation
    graph = elcs.learn_graph(table, method="notears", timeout=2.0)
    assert (graph.complete, graph.n_tests, len(breaths)) == (False, 1, 1)
