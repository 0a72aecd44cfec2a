"""The table every other layer works on: named columns, each of them discrete or numeric."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from elcs.data import leaving, prepare
from elcs.data.columns import Column, Discrete, Kind, Numeric
from elcs.data.draft import Draft, draft
from elcs.data.levels import Factor
from elcs.data.listing import Description, Listing
from elcs.data.naming import quoted, that
from elcs.data.reading import Reading, ReadingKeywords
from elcs.errors import DataError, DataWarning, unknown_name

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["Table", "open_with"]

Laid = TypeVar("Laid")

TEST_FOR_NUMBERS = "a test for numbers: ci_test='careful' (--ci-test careful)"

_OPENERS: list[Callable[[object, str | None, Reading], Table | None]] = []


def open_with(opener: Callable[[object, str | None, Reading], Table | None]) -> None:
    """Let `Table.from_any` try this first; it returns None for what it does not know how to open."""
    _OPENERS.append(opener)


def _open_otherwise(x: object, target: str | None, reading: Reading) -> Table | None:
    """Open what is no table in memory and no file to be read, if somebody knows how."""
    opened = (opener(x, target, reading) for opener in _OPENERS)
    return next((table for table in opened if table is not None), None)


_AS_IT_IS = Reading()


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """A table of observations, encoded and checked; made by `Table.from_any`.

    A table keeps what was laid out from it, so that asking about it ten times does not lay it out ten times.

    Attributes
    ----------
    columns : tuple of Discrete and Numeric
        The columns.
    weights : array of int64 or None
        How often each row counts; None if all rows count once.
    dropped : tuple of (str, str)
        Columns left out because nothing can be learnt from them, each with the reason: constants, identifiers, text
        with more levels than the rows can tell anything about.
    reading : Reading
        How it was read.

    Examples
    --------
    >>> data = Table.from_any({"rain": ["no", "yes", "no", "no"], "wet": [0, 1, 1, 0]})
    >>> data
    Table(4 rows, 2 columns)
    >>> data.levels
    (('no', 'yes'), (0, 1))
    >>> data.codes[data.index("rain")]
    array([0, 1, 0, 0], dtype=uint8)
    """

    columns: tuple[Column, ...]
    weights: NDArray[np.int64] | None = None
    dropped: tuple[tuple[str, str], ...] = ()
    reading: Reading = field(default_factory=Reading)
    _kept: dict[object, Any] = field(default_factory=dict, init=False)

    @classmethod
    def from_any(
        cls,
        x: object,
        *,
        target: str | None = None,
        reading: Reading | None = None,
        **keywords: Unpack[ReadingKeywords],
    ) -> Table:
        """Check that a table can be used, and encode it.

        Categories keep their declared order; other levels are sorted. Whole numbers stored as floats are
        integers; more than ten different ones are a quantity. So are dates, in days, and durations and times of day, in
        seconds. A column that does not vary, that identifies the rows or that has too many levels is left out with a
        `DataWarning`.

        Parameters
        ----------
        x : path, data frame, dict, array or Table
            A file (.csv, .tsv, .tab or .txt, also with .gz; .parquet, .pq) or several ('folder/*.parquet'), a pandas,
            Polars or PyArrow table, a dict of columns, or a two-dimensional numpy array. A lazy table (of DuckDB,
            Spark, Dask or Polars) is fetched if it fits, and asked where it lives otherwise. A Table is returned as it
            is.
        target : str, optional
            A column that must be there and vary.
        reading : Reading, optional
            How to read it.
        **keywords
            The fields of `Reading`, one by one: names, weights, columns, drop, kinds, bins, missing, encoding.

        Raises
        ------
        DataError
            If the table cannot be used; the message tells everything that is wrong and what to do. `elcs.describe`
            tells it without an error.

        Examples
        --------
        >>> Table.from_any({"height": [1.6, 1.7, 1.8, 1.9], "sex": list("ffmm")}, bins=2).levels
        (('[1.6, 1.8)', '[1.8, 1.9]'), ('f', 'm'))
        """
        if keywords or reading is None:
            reading = replace(reading or _AS_IT_IS, **keywords) if keywords else _AS_IT_IS
        if isinstance(x, Table):
            return x._with_target(target, reading)
        opened = _open_otherwise(x, target, reading)
        if opened is not None:
            return opened
        return cls.of(draft(x, target, reading), 3)

    @classmethod
    def from_factors(
        cls,
        factors: Mapping[str, Factor],
        weights: NDArray[np.int64] | None = None,
        *,
        target: str | None = None,
        reading: Reading | None = None,
    ) -> Table:
        """Put a table together from encoded columns, leaving out those from which nothing can be learnt."""
        n_rows = len(next(iter(factors.values())).codes)
        read = Draft(dict(factors), weights, reading or _AS_IT_IS, n_rows)
        read.identifiers = leaving.identifiers(factors, weights)
        return cls.of(read.leave_out(target), 4)

    @classmethod
    def of(cls, read: Draft, stacklevel: int = 2) -> Table:
        """Make a table of what was read, if nothing is wrong with it."""
        prepare.refuse(read.problems)
        bitmaps = sum(len(f.levels) for f in read.kept.values() if len(f.levels) <= prepare.MAX_BITMAPS)
        prepare.check_memory(read.n_rows, len(read.kept), n_bitmaps=bitmaps)
        if read.left_out:
            listed = ", ".join(f"{name!r} ({why})" for name, why in read.left_out.items())
            warnings.warn(f"left out columns: {listed}", DataWarning, stacklevel=stacklevel)
        return cls(read.columns(), read.weights, tuple(read.left_out.items()), read.reading)

    @classmethod
    def from_codes(
        cls,
        names: Sequence[str],
        codes: Sequence[NDArray[Any]],
        levels: Sequence[Sequence[object]],
        *,
        weights: NDArray[np.int64] | None = None,
    ) -> Table:
        """Put a table together from codes, without the checks that users' tables go through."""
        parts = zip(names, codes, levels, strict=True)
        return cls(tuple(Discrete(name, "integer", codes, tuple(levels)) for name, codes, levels in parts), weights)

    def __post_init__(self) -> None:
        for column in self.columns:
            for array in (column.codes, getattr(column, "values", None), getattr(column, "ranks", None)):
                if array is not None:
                    array.setflags(write=False)
        if self.weights is not None:
            self.weights.setflags(write=False)

    def __getstate__(self) -> dict[str, Any]:
        return {"columns": self.columns, "weights": self.weights, "dropped": self.dropped, "reading": self.reading}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _kept={})
        self.__post_init__()

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the columns; a name is what identifies a variable everywhere."""
        return tuple(column.name for column in self.columns)

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """What each column was taken for.

        'category', 'text', 'integer', 'boolean', 'binned', 'number', 'date', 'duration' or 'time'.
        """
        return tuple(column.taken_for for column in self.columns)

    @cached_property
    def codes(self) -> tuple[NDArray[Any], ...]:
        """The codes of all columns, contiguous and read-only; raises a `DataError` if a column has none."""
        codes = [column.codes for column in self.columns if column.codes is not None]
        if len(codes) < len(self.columns):
            numeric = [column.name for column in self.columns if column.codes is None]
            raise DataError(f"column {quoted(numeric)} is numeric and has no codes")
        return tuple(codes)

    @cached_property
    def levels(self) -> tuple[tuple[object, ...], ...]:
        """For each column, what its codes stand for; nothing for one without codes."""
        return tuple(column.levels for column in self.columns)

    @property
    def n_rows(self) -> int:
        """The number of rows stored."""
        first = self.columns[0]
        return len(first.codes if isinstance(first, Discrete) else first.values)

    @cached_property
    def total(self) -> int:
        """The number of observations: the sum of the weights, or the number of rows."""
        return self.n_rows if self.weights is None else int(self.weights.sum())

    def level_counts(self, position: int) -> NDArray[np.int64]:
        """Return how many observations there are of each level of a column; none of one without codes."""
        column = self.columns[position]
        codes = column.codes if isinstance(column, Discrete) else np.empty(0, dtype=np.int64)
        weights = self.weights if len(codes) else None
        return np.bincount(codes, weights, len(column.levels))[: len(column.levels)].astype(np.int64)

    def index(self, name: str) -> int:
        """Return the position of a column, or raise a `DataError` with the nearest names.

        Examples
        --------
        >>> Table.from_any({"rain": [0, 1], "wet": [0, 1]}).index("wet")
        1
        """
        try:
            return self.names.index(name)
        except ValueError:
            raise unknown_name(name, self.names, what="column") from None

    def require(self, kinds: Collection[Kind], instead: str = TEST_FOR_NUMBERS) -> None:
        """Refuse the table if a column is of none of these kinds, saying everything that is wrong.

        `instead` is what to choose for quantities in place of whatever cannot take them.
        A discrete column must not have so many levels that the rows say nothing about most of them.
        """
        prepare.refuse_unfit(
            {}
            if "numeric" in kinds
            else {c.name: c.taken_for for c in self.columns if isinstance(c, Numeric) and c.codes is None},
            {
                c.name: len(c.levels)
                for c in self.columns
                if c.crowded and c.codes is not None and c.kind not in set(kinds) - {"discrete"}
            },
            self.total,
            instead,
        )

    @property
    def divisible(self) -> bool:
        """Whether it can be halved."""
        return True

    def require_divisible(self) -> None:
        """Refuse the table if it cannot be halved."""

    @property
    def incomplete(self) -> tuple[str, ...]:
        """The columns in which values are missing."""
        return tuple(column.name for column in self.columns if column.incomplete)

    @property
    def has_rows(self) -> bool:
        """Whether its rows are at hand."""
        return True

    @property
    def quick(self) -> bool:
        """Whether counting takes little, so that scores can be asked for."""
        return True

    def require_rows(self, what: str, *, tests_do: bool = True) -> None:
        """Refuse the table if its rows are not at hand, which `what` needs."""

    def require_complete(self) -> None:
        """Refuse the table if a value is missing."""
        if self.incomplete:
            raise DataError(
                f"values are missing in {quoted(self.incomplete)}, and this method needs whole rows; pass "
                "missing='drop' (--missing drop) to leave out rows with gaps, or leave out the columns with drop="
            )

    def require_finite(self) -> None:
        """Refuse the table if a number in it has no end."""
        endless = [c.name for c in self.columns if isinstance(c, Numeric) and np.isinf(c.values).any()]
        if endless:
            raise DataError(f"{that(endless, 'holds', 'hold')} infinite numbers; replace them, or use drop= (--drop)")

    def keep(self, what: object, lay_out: Callable[[Table], Laid]) -> Laid:
        """Return what was laid out from this table under this key, laying it out when it is first asked for."""
        if what not in self._kept:
            self._kept[what] = lay_out(self)
        found: Laid = self._kept[what]
        return found

    def halves(self, rng: np.random.Generator) -> tuple[Table, Table]:
        """Split the observations at random into two halves; if their number is odd, the second gets one more.

        Both share the columns of the whole and differ from it only in the weights of the rows. The observations of a
        row that counts several times are split as if each had a row of its own.

        Examples
        --------
        >>> data = Table.from_any({"rain": [0, 0, 1, 1, 1], "wet": [0, 1, 0, 1, 1]})
        >>> data.halves(np.random.default_rng(0))
        (Table(5 rows that count 2, 2 columns), Table(5 rows that count 3, 2 columns))
        """
        if self.weights is None:
            whole = np.ones(self.n_rows, dtype=np.int64)
            drawn = np.zeros_like(whole)
            drawn[rng.permutation(self.n_rows)[: self.n_rows // 2]] = 1
        else:
            if self.total >= 10**9:
                raise DataError(f"{self.total:,} observations are too many to draw half of; scale the weights down")
            whole = self.weights
            drawn = rng.multivariate_hypergeometric(whole, self.total // 2, method="marginals")
        return replace(self, weights=drawn), replace(self, weights=whole - drawn)

    def describe(self) -> Description:
        """Say in a table what each column was taken for, and how often its first levels occur.

        Examples
        --------
        >>> data = Table.from_any({"rain": ["no", "yes", "no", "no"], "mm": [0.0, 2.5, 0.1, 0.0]})
        >>> print(data.describe())
        4 observations of 2 columns
        column  kind    levels  first levels
        rain    text         2  no 75%, yes 25%
        mm      number       -  0 to 2.5
        """
        return Description.of(Listing(self.columns, self.weights, self.total, self.dropped))

    def _repr_html_(self) -> str:
        return Description.of(Listing(self.columns, self.weights, self.total, self.dropped))._repr_html_()

    def __repr__(self) -> str:
        rows = f"{self.n_rows:,} rows"
        if self.weights is not None:
            rows += f" that count {self.total:,}"
        return f"Table({rows}, {len(self.columns)} columns)"

    def _with_target(self, target: str | None, reading: Reading) -> Table:
        if reading.given:
            given = ", ".join(f"{name}=" for name in reading.given)
            raise DataError(
                f"{given} cannot be applied to a table that is already encoded; give it with the table "
                "that this one was made from"
            )
        if target is not None:
            why = dict(self.dropped).get(target)
            if why is not None:
                raise DataError(leaving.say_of_target(target, why))
            self.index(target)
        return self
