"""The sets that separate pairs of variables, of which large tables have millions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping, Sequence

import numpy as np

__all__ = ["Separators"]

Pair = frozenset[str]


class Separators(MutableMapping[Pair, tuple[str, ...]]):
    """For each pair found not to be adjacent, the set that separates the two.

    Most pairs of a large table are independent as they are, and the set is empty. Of these a byte is kept: at 2,000
    variables 4 MB together, where a dictionary would take 700.

    Parameters
    ----------
    variables : sequence of str
        All variables, in order.

    Examples
    --------
    >>> apart = Separators(["a", "b", "c"])
    >>> apart[frozenset("ac")] = ()
    >>> apart.note("b", {"a": ("c",)})
    >>> dict(apart) == {frozenset("ac"): (), frozenset("ab"): ("c",)}
    True
    >>> apart.n_independent, list(apart.sets.values())
    (1, [('c',)])
    """

    def __init__(self, variables: Sequence[str]) -> None:
        self._variables = variables
        self._at = {x: i for i, x in enumerate(variables)}
        self._empty: dict[str, bytearray] = {}  # of either of the two: 1 in the place of the other
        self._others: dict[Pair, tuple[str, ...]] = {}

    @classmethod
    def of(cls, variables: Sequence[str], found: Mapping[Pair, tuple[str, ...]]) -> Separators:
        """Return what was found in this form; what is in it already is not copied, as that takes seconds."""
        if isinstance(found, Separators):
            return found
        made = cls(variables)
        made.update(found)
        return made

    def note(self, x: str, found: MutableMapping[str, tuple[str, ...]]) -> None:
        """Note what separates others from x, as was found from its side.

        If both sides have found a set, the empty one is kept, or else that of the side that comes first by name.
        """
        row, at = self._marks(x), self._at
        for y, apart in found.items():
            if not apart:
                row[at[y]] = 1
            elif x < y or frozenset((x, y)) not in self._others:
                self._others[frozenset((x, y))] = apart

    @property
    def sets(self) -> dict[Pair, tuple[str, ...]]:
        """The pairs that are separated by a set that is not empty."""
        return {pair: apart for pair, apart in self._others.items() if not self._is_empty(pair)}

    @property
    def n_independent(self) -> int:
        """How many pairs are independent with nothing held fixed."""
        n = len(self._variables)
        marks = np.zeros((n, n), dtype=bool)
        for x, row in self._empty.items():
            marks[self._at[x]] = np.frombuffer(row, dtype=bool)
        return int(np.count_nonzero(marks | marks.T)) // 2

    def _marks(self, x: str) -> bytearray:
        return self._empty.setdefault(x, bytearray(len(self._variables)))

    def _is_empty(self, pair: Pair) -> bool:
        x, y = pair
        return any(b in self._at and a in self._empty and self._empty[a][self._at[b]] for a, b in ((x, y), (y, x)))

    def __getitem__(self, pair: Pair) -> tuple[str, ...]:
        return () if self._is_empty(pair) else self._others[pair]

    def __setitem__(self, pair: Pair, apart: tuple[str, ...]) -> None:
        self.pop(pair, None)
        if apart:
            self._others[pair] = apart
        else:
            x, y = pair
            self._marks(x)[self._at[y]] = 1

    def __delitem__(self, pair: Pair) -> None:
        if self._others.pop(pair, None) is None and not self._is_empty(pair):
            raise KeyError(pair)
        x, y = pair
        for a, b in ((x, y), (y, x)):
            if a in self._empty:
                self._empty[a][self._at[b]] = 0

    def __iter__(self) -> Iterator[Pair]:
        names = self._variables
        for i, x in enumerate(names):
            own = self._empty.get(x)
            for j in range(i + 1, len(names)):
                theirs = self._empty.get(names[j])
                if (own and own[j]) or (theirs and theirs[i]):
                    yield frozenset((x, names[j]))
        yield from (pair for pair in self._others if not self._is_empty(pair))

    def __len__(self) -> int:
        return sum(1 for _ in self)
