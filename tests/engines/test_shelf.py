"""The cubes that are kept: which of them answers."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from elcs.data import Table
from elcs.data.warehouse.cube import Cube
from elcs.engines.shelf import Held, Shelf

SETS = st.lists(st.frozensets(st.integers(0, 8), min_size=2), min_size=1, max_size=8)


def held(variables: frozenset[int], n_rows: int) -> Held:
    """Return a cube of some columns, with so many rows."""
    codes = np.arange(n_rows, dtype=np.uint8) % 2
    return Held(Cube(tuple(sorted(variables)), Table.from_any({f"c{v}": codes for v in sorted(variables)})))


@given(SETS, st.data())
def test_the_smallest_that_holds_what_is_asked_about_answers(sets: list[frozenset[int]], data: st.DataObject) -> None:
    shelf = Shelf()
    put = [shelf.put(held(variables, data.draw(st.integers(2, 9)))) for variables in sets]
    assert shelf.n_bytes == sum(one.n_bytes for one in put)
    wanted = data.draw(st.frozensets(st.integers(0, 8), min_size=1, max_size=3))
    having = [one for one in put if wanted <= one.variables]
    found = shelf.covering(wanted)
    assert (found is None) == (not having)
    if found is not None:
        assert found in having
        assert found.n_rows == min(one.n_rows for one in having)
    others = sorted(data.draw(st.frozensets(st.integers(0, 8), max_size=5)) - wanted)
    most = shelf.most_of(wanted, others)
    n_most = max((len(one.variables.intersection(others)) for one in having), default=0)
    assert (most is None) == (not having or (bool(others) and n_most == 0))
    if most is not None:
        assert most in having
        assert len(most.variables.intersection(others)) == n_most
