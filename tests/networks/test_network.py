from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import dags

from elcs import DataError, DSeparation, ElcsError, KnowledgeError, learn
from elcs.networks import Network, load

PARTS: dict[str, Any] = {
    "name": "rain",
    "variables": ("rain", "wet"),
    "levels": {"rain": ("no", "yes"), "wet": ("no", "yes")},
    "parents": {"rain": (), "wet": ("rain",)},
    "tables": {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.05, 0.95]]},
}


def changed(part: str, **entries: Any) -> Network:
    return Network(**{**PARTS, part: {**PARTS[part], **entries}})


FAULTS: list[tuple[Callable[[], Network], type[ElcsError], str]] = [
    (lambda: Network("x", (), {}, {}, {}), DataError, "at least one variable"),
    (lambda: Network(**{**PARTS, "variables": ("rain", "wet", "wet")}), DataError, "variable 'wet' more than once"),
    (lambda: Network(**{**PARTS, "variables": ("rain", "wet", " ")}), DataError, "' ' cannot be the name"),
    (lambda: Network(**{**PARTS, "variables": ("rain", "wet", "snow")}), DataError, "variable 'snow' has no levels"),
    (lambda: changed("levels", snow=("no",)), DataError, "there is no variable 'snow'"),
    (lambda: changed("levels", wet=()), DataError, "variable 'wet' has no levels"),
    (lambda: changed("levels", wet=("no", "no")), DataError, "variable 'wet' has the level 'no' more than once"),
    (lambda: changed("levels", wet=(0, 1)), DataError, "variable 'wet' has the level 0; .* are text"),
    (lambda: changed("parents", wet=("rian",)), KnowledgeError, "variable 'wet': .* did you mean 'rain'"),
    (lambda: changed("parents", wet=("rain", "rain")), KnowledgeError, "'wet' has the parent 'rain' more than once"),
    (lambda: changed("parents", rain=("wet",)), KnowledgeError, "cycle (rain -> wet -> rain|wet -> rain -> wet)"),
    (lambda: changed("parents", rain=("rain",)), KnowledgeError, "cycle rain -> rain"),
    (lambda: changed("tables", wet=[0.5, 0.5]), DataError, r"table of 'wet' has the shape \(2,\); .* must be \(2, 2\)"),
    (lambda: changed("tables", wet=[["a", "b"]] * 2), DataError, "table of 'wet' does not hold only numbers"),
    (lambda: changed("tables", wet=[[1.5, -0.5]] * 2), DataError, "table of 'wet' holds -0.5"),
    (lambda: changed("tables", wet=[[np.nan, 1]] * 2), DataError, "table of 'wet' holds nan"),
    (lambda: changed("tables", wet=[[1, 0], [0.5, 0.4]]), DataError, r"'wet' .* sum to 0.9 .* position \(1,\)"),
]


@pytest.mark.parametrize(("make", "error", "message"), FAULTS)
def test_faults_are_named(make: Callable[[], Network], error: type[ElcsError], message: str) -> None:
    with pytest.raises(error, match=message):
        make()


def test_networks_cannot_be_changed() -> None:
    network = Network(**PARTS)
    with pytest.raises(AttributeError):
        network.name = "snow"  # type: ignore[misc]
    with pytest.raises(TypeError):
        network.parents["rain"] = ("wet",)  # type: ignore[index]
    with pytest.raises(ValueError, match="read-only"):
        network.tables["rain"][0] = 0


def test_equality_and_copies() -> None:
    network = Network(**PARTS)
    assert network == Network(**PARTS)
    assert hash(network) == hash(Network(**PARTS))
    assert pickle.loads(pickle.dumps(network)) == copy.deepcopy(network) == network
    assert network != changed("tables", rain=[0.7, 0.3])
    assert network != changed("levels", rain=("dry", "rain"))
    assert network != "rain"


def test_a_sum_that_is_a_little_off_is_mended() -> None:
    np.testing.assert_allclose(changed("tables", rain=[0.8, 0.2 + 5e-7]).tables["rain"].sum(), 1, rtol=1e-15)


def test_relations() -> None:
    asia = load("asia")
    assert asia.parents["either"] == ("lung", "tub")
    assert asia.children["either"] == ("xray", "dysp")
    assert set(asia.markov_blanket("either")) == {"lung", "tub", "xray", "dysp", "bronc"}
    with pytest.raises(DataError, match="did you mean 'either'"):
        asia.markov_blanket("eiter")
    graph = asia.to_networkx()
    assert tuple(graph) == asia.variables
    assert tuple(sorted(graph.edges)) == tuple(sorted(asia.edges))
    assert set(asia.order) == set(asia.variables)
    assert all(asia.order.index(a) < asia.order.index(b) for a, b in asia.edges)


def test_the_perfect_test_finds_the_essential_graph() -> None:
    asia = load("asia")
    essential = asia.cpdag()
    for target in asia.variables:
        found = learn(DSeparation(asia.to_networkx()), target, max_cond_size=None)
        assert set(found.parents) == set(essential.parents(target))
        assert set(found.children) == set(essential.children(target))


@settings(max_examples=40, deadline=None)
@given(graph=dags(most_nodes=7), data=st.data())
def test_marginals_agree_with_enumeration(
    joint: Callable[[Network], np.ndarray], graph: nx.DiGraph[str], data: st.DataObject
) -> None:
    rng = np.random.default_rng(data.draw(st.integers(0, 999)))
    names = tuple(graph)
    counts = {v: int(rng.integers(1, 4)) for v in names}
    parents = {v: tuple(graph.predecessors(v)) for v in names}
    tables = {v: rng.dirichlet([1.0] * counts[v], size=[counts[p] for p in parents[v]]) for v in names}
    network = Network("random", names, {v: tuple("abc"[: counts[v]]) for v in names}, parents, tables)
    asked = data.draw(st.lists(st.sampled_from(names), max_size=3, unique=True))
    others = tuple(i for i, v in enumerate(names) if v not in asked)
    kept = [v for v in names if v in asked]
    expected = joint(network).sum(axis=others).transpose([kept.index(v) for v in asked])
    np.testing.assert_allclose(network.marginal(*asked), expected, atol=1e-12)


def test_marginals_refuse_what_they_cannot_do() -> None:
    asia = load("asia")
    with pytest.raises(DataError, match="there is no variable 'lungs'"):
        asia.marginal("lungs")
    with pytest.raises(DataError, match="more than once"):
        asia.marginal("lung", "lung")
    with pytest.raises(DataError, match="table of .* variables, which is too large"):
        load("pigs").marginal(*load("pigs").variables[:60])
