"""Reading a table as far as it goes: what can be used, what is left out, and everything that is wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from elcs.data import leaving, naming, prepare
from elcs.data.columns import Column, Discrete, Numeric
from elcs.data.files import TextFile
from elcs.data.levels import Factor
from elcs.data.opened import Opened
from elcs.data.reading import Reading
from elcs.data.sources import encode, open_table
from elcs.data.times import TIMES, UNITS

__all__ = ["Draft", "draft"]

A_ROW_INDEX = "the row index of a data frame; reset_index() makes it a column"
AN_UNNAMED_INDEX = "a row index without a name"


@dataclass
class Draft:
    """A table as far as it could be read.

    Attributes
    ----------
    factors : dict of str to Factor
        The columns that could be read, those among them that are left out included.
    weights : array of int64 or None
        How often each row counts.
    reading : Reading
        How it was read.
    left_out : dict of str to str
        The columns from which nothing can be learnt, each with the reason.
    broken : dict of str to Factor
        The columns that cannot be used.
    problems : list of str
        Everything that is wrong.
    identifiers : Identifiers
        Which of the columns identify the rows, or may; judged on all rows that were read.
    """

    factors: dict[str, Factor]
    weights: NDArray[np.int64] | None
    reading: Reading
    n_rows: int
    left_out: dict[str, str] = field(default_factory=dict)
    broken: dict[str, Factor] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    identifiers: leaving.Identifiers = field(default_factory=lambda: leaving.Identifiers({}, []))

    @property
    def total(self) -> int:
        """The number of observations."""
        return self.n_rows if self.weights is None else int(self.weights.sum())

    @property
    def kept(self) -> dict[str, Factor]:
        """The columns to learn from."""
        return {name: factor for name, factor in self.factors.items() if name not in self.left_out}

    def prepared(self, place: Callable[[int], str] = "row {}".format) -> Draft:
        """Do to the columns what the reading says, and note everything that is wrong; `place` says where a row is."""
        reading, problems, factors, weights = self.reading, self.problems, self.factors, self.weights
        kinds = reading.kinds or {}
        self.broken = prepare.check_types(factors, problems)
        factors = {name: factor for name, factor in factors.items() if name not in self.broken}
        self.identifiers = leaving.identifiers(factors, weights, reading.named_columns)
        rows = np.ones(self.n_rows, dtype=np.bool_) if weights is None else weights > 0
        rows = prepare.usable_rows(factors, rows, reading.missing, place, problems)
        if not rows.all():
            factors = {name: factor.take(rows) for name, factor in factors.items()}
            weights = None if weights is None else weights[rows]
            self.n_rows = int(rows.sum())
        factors = prepare.apply_kinds(factors, kinds, problems)
        factors = prepare.apply_bins(factors, reading.bins, weights, problems)
        for name in prepare.check_finite(factors, weights, problems):
            self.broken[name] = factors.pop(name)
        if reading.missing == "level":
            factors = prepare.missing_as_level(factors, weights, problems)
        self.factors, self.weights = factors, weights
        return self

    def leave_out(self, target: str | None) -> Draft:
        """Leave out the columns from which nothing can be learnt."""
        total = self.total
        found = {name: why for name, factor in self.kept.items() if (why := self._unusable(name, factor, total))}
        told = {**self.left_out, **found}
        self.left_out = {n: told[n] for n in dict.fromkeys((*self.factors, *told)) if n in told}
        if target is not None and target in self.left_out:
            self.problems.append(leaving.say_of_target(target, self.left_out[target]))
        found_at_all, n_kept = [*self.factors, *self.broken], len(self.kept) + len(self.broken)
        if len(found_at_all) < 2:
            listed = naming.quoted(found_at_all) or "none"
            self.problems.append(f"at least two columns are needed; the table has {len(found_at_all)}: {listed}")
        elif n_kept < 2:
            listed = ", ".join(f"{name!r} ({why})" for name, why in self.left_out.items())
            self.problems.append(
                f"at least two columns that vary are needed; the table has {n_kept}; left out: {listed}"
            )
        return self

    def _unusable(self, name: str, factor: Factor, total: int) -> str:
        said = name in self.reading.named_columns
        return leaving.unusable(factor, total, said=said) or self.identifiers.found.get(name, "")

    def columns(self) -> tuple[Column, ...]:
        """Make the columns to learn from."""
        kinds, total = self.reading.kinds or {}, self.total
        return tuple(_column(name, f, total, said=kinds.get(name) == f.kind) for name, f in self.kept.items())


def draft(x: object, target: str | None, reading: Reading) -> Draft:
    """Read a table as far as it goes; raise a `DataError` only if nothing can be read."""
    source = open_table(x, names=reading.names, encoding=reading.encoding)
    problems = list(source.problems)
    weights_name = reading.weights if isinstance(reading.weights, str) else None
    chosen = naming.choose_columns(source.names, reading.columns, reading.drop, weights_name, problems)
    naming.check_target(target, chosen, source.names, problems)
    naming.check_known(reading.named_columns, chosen, problems)

    kinds = reading.kinds or {}
    text = [name for name, kind in kinds.items() if kind == "text"]
    factors = source.load(chosen if weights_name is None else [*chosen, weights_name], text)
    left_out = dict.fromkeys((name for name in chosen if name in source.index), A_ROW_INDEX)
    if _has_unnamed_index(source, factors):
        left_out[chosen[0]] = AN_UNNAMED_INDEX
    problems += source.no_names([name for name in chosen if name not in left_out])

    counts = factors.pop(weights_name, None) if weights_name else None
    if reading.weights is not None and weights_name is None:
        counts = encode(reading.weights)
    n_rows = source.n_rows
    weights = None if counts is None else prepare.weights_from(counts, n_rows, problems)
    found = Draft(factors, weights, reading, n_rows, left_out, problems=problems)
    return found.prepared(source.place).leave_out(target)


def _has_unnamed_index(source: Opened, factors: Mapping[str, Factor]) -> bool:
    """Tell whether only the first column of a text file lacks a name, and names the rows, as pandas and R write it."""
    if not isinstance(source, TextFile) or list(source.nameless.values()) != [1]:
        return False
    first = source.names[0]
    return first in factors and leaving.names_rows(factors[first])


def _column(name: str, factor: Factor, total: int, *, said: bool) -> Column:
    """Make a column; `said` means that somebody said what kind it is."""
    gaps, crowded = factor.has_missing, prepare.is_crowded(factor, total)
    if factor.kind == "number":
        return Numeric(name, _values(factor), factor.codes, incomplete=gaps)
    is_quantity = prepare.is_quantity(factor, total) and not said
    if is_quantity and crowded and factor.kind in TIMES:  # the text of so many levels would only cost time
        return Numeric(name, _values(factor), factor.codes, factor.kind, crowded=True, incomplete=gaps)
    levels = tuple(factor.labels)
    if is_quantity:
        return Numeric(name, _values(factor), factor.codes, factor.kind, factor.codes, levels, crowded, gaps)
    return Discrete(name, factor.kind, factor.codes, levels, crowded, gaps)


def _values(factor: Factor) -> NDArray[np.float64]:
    """Return the number in each row, NaN where it is missing."""
    levels: Sequence[float] = factor.levels
    numbers = np.array(levels, dtype=np.float64) / UNITS.get(factor.kind, 1)
    values: NDArray[np.float64] = np.append(numbers, np.nan)[factor.codes]
    return values
