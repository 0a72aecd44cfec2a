"""Every state has an address, and what is said while walking becomes knowledge."""

from __future__ import annotations

import json
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

import elcs
from elcs.explore.saying import before, statements
from elcs.explore.state import State

START = elcs.Plan(method="elcs-hybrid")
names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)


@given(
    names,
    st.none() | names,
    st.floats(1e-6, 0.5),
    st.sampled_from(["elcs-hybrid", "elcs-exact", "ges", "pc-stable"]),
    st.lists(st.tuples(names, names).filter(lambda pair: pair[0] != pair[1]), max_size=3),
    st.tuples(st.booleans(), st.booleans(), st.booleans()),
)
def test_every_state_comes_back_from_its_address(
    target: str,
    beside: str | None,
    alpha: float,
    method: str,
    forbidden: list[tuple[str, str]],
    switches: tuple[bool, bool, bool],
) -> None:
    given_alpha = {} if method == "ges" else {"alpha": alpha}
    plan = elcs.Plan(method=method, knowledge=elcs.Knowledge(forbidden=forbidden), **given_alpha)  # type: ignore[arg-type]
    state = State(START, plan, target, beside if beside != target else None, *switches)
    again = State.read(state.query, START)
    assert again == state
    assert again.query == state.query


def test_what_is_empty_or_has_no_effect_is_left_out() -> None:
    state = State.read("target=a&beside=&alpha=0.2&method=ges&ci_test=g2", elcs.Plan(method="elcs-exact", alpha=0.05))
    assert state.query == "target=a&method=ges"
    assert State.read("beside=b&stability=1", START).query == ""  # beside nothing, of nothing
    assert State.read("target=a&beside=a", START).beside is None


def test_knowledge_of_the_command_line_can_be_taken_back() -> None:
    start = elcs.Plan(method="elcs-exact", knowledge={"exogenous": ["age"]})
    state = State.read("target=churn", start)
    assert state.query == "target=churn"
    (words, without), *rest = statements(state.plan.known)
    assert (words, rest) == ("nothing causes age", [])
    bare = state.knowing(without)
    assert State.read(bare.query, start).plan.known == elcs.Knowledge()


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("alpha=2", "alpha must lie between 0 and 1"),
        ("alpha=x", "alpha must lie between 0 and 1, not 'x'"),
        ("alpha=nan", "alpha must lie between 0 and 1"),
        ("ci_test=t", "ci_test must be one of"),
        ("method=elcs-exakt", "there is no method 'elcs-exakt'; did you mean 'elcs-exact'"),
        ("method=iamb", "'iamb' is a blanket learner"),
        ("shown=all", "shown= takes 'neighbours'"),
        ("colour=red", "an address has no 'colour'"),
        ("knowledge=[", "knowledge= in the address is not understood"),
        ("knowledge=" + "[" * 9000, "knowledge= in the address is not understood"),
        ("knowledge=[1]", "knowledge is a mapping"),
        ("forbid=1", "forbid= takes two columns"),
        (urlencode({"before": '["a", "a"]'}), "before= takes two different columns"),
        (urlencode({"require": '["a", "b"]', "forbid": '["a", "b"]'}), "these statements contradict each other"),
    ],
)
def test_what_is_not_understood_is_said_in_words(query: str, told: str) -> None:
    with pytest.raises(elcs.ElcsError) as error:
        State.read(query, START)
    assert told in str(error.value)


def ordered(*pairs: str) -> list[list[str]]:
    """Say for each pair of letters that the first comes before the second."""
    known = elcs.Knowledge()
    for pair in pairs:
        known = before(known, pair[0], pair[1])
    return [list(tier) for tier in known.tiers]


def test_an_order_says_as_little_as_it_can() -> None:
    assert ordered("ab") == [["a"], ["b"]]
    assert ordered("ab", "ab") == [["a"], ["b"]]
    assert ordered("ab", "cb") == [["a", "c"], ["b"]]
    assert ordered("ab", "ac") == [["a"], ["b", "c"]]
    assert ordered("ab", "bc", "dc") == [["a"], ["b", "d"], ["c"]]
    assert ordered("ab", "bc", "ca") == [["c"], ["a"], ["b"]]  # who drags a column to the front means it
    assert ordered("ab", "ba") == [["b"], ["a"]]
    assert ordered("ab", "cd") == [["a", "c"], ["b", "d"]]


@given(st.lists(st.permutations("abcde"), max_size=6), st.sets(st.integers(1, 2)))
def test_what_is_said_last_holds(orders: list[list[str]], closed: set[int]) -> None:
    known = elcs.Knowledge(tiers=[["p", "q"], ["r", "s"]], closed=sorted(closed))
    for first, second, *_ in orders:
        known = before(known, first, second)
        assert known.comes_before(first, second)
    assert known.comes_before("p", "r")
    assert bool(known.forbids("p", "q")) == (1 in closed)  # a tier stays closed wherever it goes
    assert bool(known.forbids("r", "s")) == (2 in closed)


def test_everything_said_can_be_taken_back() -> None:
    known = elcs.Knowledge(
        tiers=[["a", "b"], ["c"], ["d"]],
        required=[("a", "d")],
        forbidden=[("e", "a")],
        exogenous=["f"],
        outcomes=["g"],
        closed=[1],
    )
    told = dict(statements(known))
    assert len(told) == 8
    assert told["a comes before c"].tiers == (("b",), ("c",), ("d",))
    assert told["c comes before d"].tiers == (("a", "b"), ("d",))
    assert told["c comes before d"].closed == (1,)
    assert told["a, b do not cause each other"].closed == ()
    left = known
    while left:
        left = next(statements(left))[1]
    assert left == elcs.Knowledge()


@given(st.lists(names, min_size=2, max_size=4, unique=True))
def test_a_knowledge_file_says_the_same(tmp_path_factory: pytest.TempPathFactory, columns: list[str]) -> None:
    known = elcs.Knowledge(tiers=[columns[:1], columns[1:]], forbidden=[(columns[1], columns[0])], closed=[2])
    file = tmp_path_factory.mktemp("known") / "known.toml"
    file.write_text(known.to_toml(), encoding="utf-8")
    assert elcs.Plan(knowledge=file).known == known
    assert json.loads(State(START, START).knowing(known).knowledge) == known.to_dict()
