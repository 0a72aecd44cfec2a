"""RL-BIC and D-VAE on five to eight variables: better than where they start, acyclic, seeded, obedient."""

from __future__ import annotations

import builtins
import functools
from typing import Any

import networkx as nx
import numpy as np
import pytest

import elcs
from elcs.learners.notes import Whole
from elcs.learners.steps.drawn_graphs import Scored, alone
from elcs.learners.whole.d_vae import Autoencoder, d_vae
from elcs.learners.whole.rl_bic import rl_bic

torch = pytest.importorskip("torch")

COLUMNS = ["age", "contract", "churn", "satisfaction", "outages", "price_rise"]
SHORT: dict[str, dict[str, Any]] = {
    "rl-bic": {"steps": 60, "batch_size": 32},
    "d-vae": {"graphs": 200, "steps": 200, "rounds": 4},
}
LEARN = {"rl-bic": rl_bic, "d-vae": d_vae}
each = pytest.mark.parametrize("method", SHORT)


@functools.cache
def table(name: str) -> elcs.Table:
    if name == "sample":
        return elcs.Table.from_any(elcs.data.SAMPLE, columns=COLUMNS)
    return elcs.networks.load(name).sample(1000, random_state=1)


def search(method: str, name: str, **more: Any) -> tuple[elcs.CausalGraph, Scored]:
    score = elcs.BIC(table(name))
    graph = elcs.learn_graph(score, method=method, options={**SHORT[method], **more})
    return graph, Scored(score, Whole(score.variables))


def height(scored: Scored, graph: elcs.CausalGraph) -> float:
    """Return the score of a network of the class that was found."""
    from elcs.learners.steps.equivalence import bits_of, extension

    at = {name: i for i, name in enumerate(scored.names)}
    parents, beside = [0] * len(at), [0] * len(at)
    for a, b in graph.directed:
        parents[at[b]] |= 1 << at[a]
    for a, b in graph.undirected:
        beside[at[a]] |= 1 << at[b]
        beside[at[b]] |= 1 << at[a]
    network = extension(parents, beside)
    assert network is not None  # so there is an acyclic member
    found = np.zeros((len(at), len(at)), dtype=np.int8)
    for y, members in enumerate(network):
        found[bits_of(members), y] = 1
    return scored.of(found)


@each
@pytest.mark.parametrize("name", ["sample", "asia"])
def test_what_is_found_scores_better_than_the_start(method: str, name: str) -> None:
    graph, scored = search(method, name)
    best = height(scored, elcs.learn_graph(scored.score, method="ges"))
    found = height(scored, graph)
    assert nx.is_directed_acyclic_graph(graph.to_networkx(undirected="drop"))
    assert found > scored.first + 0.5 * (best - scored.first)
    assert graph.complete


@each
def test_a_longer_search_finds_no_worse(method: str) -> None:
    grown = {"rl-bic": {"steps": 1}, "d-vae": {"rounds": 0}}[method]
    first, scored = search(method, "asia", **grown)
    later, _ = search(method, "asia")
    assert height(scored, later) > height(scored, first)


@each
def test_equal_seeds_give_equal_graphs_and_leave_no_trace(method: str) -> None:
    torch.manual_seed(3)
    before = torch.random.get_rng_state()
    first, second = (search(method, "sample", seed=7)[0] for _ in range(2))
    assert (first.directed, first.undirected) == (second.directed, second.undirected)
    assert torch.equal(before, torch.random.get_rng_state())


@each
def test_obeys(method: str) -> None:
    known = elcs.Knowledge(required=[("churn", "age")], forbidden=[("outages", "satisfaction")], exogenous=["contract"])
    graph = elcs.learn_graph(table("sample"), method=method, knowledge=known, options=SHORT[method])
    assert ("churn", "age") in graph.directed
    assert not [arrow for arrow in graph.directed if known.forbids(*arrow)]
    assert nx.is_directed_acyclic_graph(graph.to_networkx(undirected="drop"))


@each
def test_a_search_that_is_stopped_leaves_the_best_graph_so_far(method: str) -> None:
    whole = elcs.learn_graph(table("sample"), method=method, options=SHORT[method])
    for most in (3, whole.n_tests // 2):
        part = elcs.learn_graph(table("sample"), method=method, max_tests=most, options=SHORT[method])
        assert not part.complete
        assert part.n_tests <= most
        assert nx.is_directed_acyclic_graph(part.to_networkx(undirected="drop"))


@each
def test_without_torch_it_says_what_to_install(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *args: Any, **keywords: Any) -> Any:
        if name == "torch":
            raise ImportError("no torch")
        return real(name, *args, **keywords)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(elcs.ElcsError, match=rf'{method} needs PyTorch .*pip install "elcs\[bench\]"'):
        elcs.learn_graph(table("sample"), method=method)


def test_whatever_the_autoencoder_decodes_is_acyclic() -> None:
    rng = np.random.default_rng(0)
    graphs = np.triu(rng.random((50, 7, 7)) < 0.3, 1).astype(np.int8)
    with alone(torch, 0):
        model = Autoencoder(torch, graphs, lambda: None)
        for steps in (0, 100):
            model.train(steps)
            for graph in model.decode(rng.normal(scale=3, size=(200, 8))):
                assert nx.is_directed_acyclic_graph(nx.from_numpy_array(graph, create_using=nx.DiGraph))


def test_the_autoencoder_learns_the_graphs_it_was_shown() -> None:
    rng = np.random.default_rng(0)
    graphs = np.triu(rng.random((30, 5, 5)) < 0.4, 1).astype(np.int8)
    with alone(torch, 0):
        model = Autoencoder(torch, graphs, lambda: None)
        wrong = [int((model.decode(model.encode(graphs)) != graphs).sum())]
        model.train(600)
        wrong.append(int((model.decode(model.encode(graphs)) != graphs).sum()))
    assert wrong[1] < 0.3 * wrong[0]


def test_pruning_never_costs_anything() -> None:
    scored = Scored(elcs.BIC(table("asia")), Whole(table("asia").names))
    full = np.triu(np.ones((8, 8), dtype=np.int8), 1)
    pruned = scored.pruned(full)
    assert scored.of(pruned) > scored.of(full)
    assert (pruned <= full).all()
    assert np.array_equal(scored.pruned(pruned), pruned)
