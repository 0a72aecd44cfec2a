"""Sets of columns that are counted together."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from elcs.engines.joining import Set, joined

SETS = st.lists(st.frozensets(st.integers(0, 40), min_size=1, max_size=5))


@given(SETS, st.integers(5, 12))
def test_each_set_is_in_one_group_and_none_is_too_wide(sets: list[Set], widest: int) -> None:
    groups = joined(sets, widest)
    assert sorted(map(sorted, (wanted for group in groups for wanted in group))) == sorted(map(sorted, {*sets}))
    assert all(len(Set().union(*group)) <= widest for group in groups)


@given(SETS)
def test_what_does_not_fit_is_not_joined(sets: list[Set]) -> None:
    """A set that another one holds needs no cube of its own."""
    groups = joined(sets, 40, lambda union: False)
    for group in groups:
        assert Set().union(*group) in group


@given(SETS, SETS, st.integers(5, 12), st.integers(1, 6))
def test_what_nobody_needs_is_there_only_if_it_fits(needed: list[Set], more: list[Set], widest: int, most: int) -> None:
    groups = joined(needed, widest, lambda union: len(union) <= most, more=more)
    members = [wanted for group in groups for wanted in group]
    assert set(needed) <= set(members) <= {*needed, *more}
    assert len(set(members)) == len(members)
    assert all(wanted in members for wanted in more if len(wanted) <= most)
    for group in groups:
        union = Set().union(*group)
        assert len(union) <= widest
        assert len(union) <= most or union in needed
