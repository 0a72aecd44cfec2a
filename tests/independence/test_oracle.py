"""The d-separation oracle against networkx, and its verbs against those of the other tests."""

from __future__ import annotations

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import dags

import elcs


@settings(max_examples=300, deadline=None)
@given(graph=dags(), pick=st.data())
def test_agrees_with_networkx(graph: nx.DiGraph[str], pick: st.DataObject) -> None:
    x, y, *rest = pick.draw(st.permutations(sorted(graph)))
    given_nodes = rest[: pick.draw(st.integers(0, len(rest)))]
    ci = elcs.DSeparation(graph)
    expected = nx.is_d_separator(graph, {x}, {y}, set(given_nodes))
    assert ci.independent(x, y, given_nodes) == ci.independent(y, x, given_nodes) == expected
    result = ci.test(x, y, given_nodes)
    assert result.reliable
    assert result.independent == expected
    assert result.p_value == (1.0 if expected else 0.0)
    if not expected:
        distance = nx.shortest_path_length(graph.to_undirected(as_view=True), x, y)
        assert ci.association(x, y, given_nodes) == 1 / distance


def test_separator_and_counters() -> None:
    ci = elcs.DSeparation(nx.DiGraph([("a", "b"), ("b", "c"), ("a", "d"), ("d", "c")]))
    assert ci.separator("a", "c", ["b", "d"], sizes=range(3)) == ("b", "d")
    assert (ci.n_asked, ci.n_computed) == (4, 4)
    assert ci.separator("a", "c", ["d", "b"], sizes=range(3)) == ("d", "b")
    assert (ci.n_asked, ci.n_computed) == (8, 4)
    assert [r.independent for r in ci.test_many([("a", "c", ()), ("b", "d", ("a",))])] == [False, True]


def test_the_cache_is_bounded() -> None:
    ci = elcs.DSeparation(nx.DiGraph([("a", "b"), ("b", "c")]), cache_size=1)
    for _ in range(2):
        ci.test("a", "b")
        ci.test("a", "c")
    assert ci.n_computed == 4


def test_only_acyclic_directed_graphs() -> None:
    with pytest.raises(elcs.KnowledgeError, match="cycle a -> b -> a"):
        elcs.DSeparation(nx.DiGraph([("a", "b"), ("b", "a")]))
    with pytest.raises(elcs.KnowledgeError, match="directed"):
        elcs.DSeparation(nx.Graph([("a", "b")]))  # type: ignore[arg-type]
