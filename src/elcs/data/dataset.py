"""The table every other layer works on: named columns of small integer codes."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elcs.data import prepare
from elcs.data.levels import Factor
from elcs.data.tables import encode, open_table
from elcs.errors import DataError, DataWarning, unknown_name


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Dataset:
    """A table of discrete observations, encoded and checked; made by `Dataset.from_any`.

    Attributes
    ----------
    names : tuple of str
        The columns; a name is what identifies a variable everywhere.
    codes : tuple of arrays
        For each column its codes, 0 to its number of levels - 1: uint8, or uint16 above 256 levels.
        Contiguous and read-only.
    levels : tuple of tuples
        For each column what its codes stand for. Each level occurs in some row.
    kinds : tuple of str
        What each column was taken for: 'category', 'text', 'integer', 'boolean' or 'binned'.
    weights : array of int64 or None
        How often each row counts, at least once; None if all rows count once.
    dropped : tuple of (str, str)
        Columns left out because they do not vary, each with the reason.

    Examples
    --------
    >>> data = Dataset.from_any({"rain": ["no", "yes", "no", "no"], "wet": [0, 1, 1, 0]})
    >>> data
    Dataset(4 rows, 2 columns)
    >>> data.levels
    (('no', 'yes'), (0, 1))
    >>> data.codes[data.index("rain")]
    array([0, 1, 0, 0], dtype=uint8)
    """

    names: tuple[str, ...]
    codes: tuple[NDArray[Any], ...]
    levels: tuple[tuple[object, ...], ...]
    kinds: tuple[str, ...]
    weights: NDArray[np.int64] | None = None
    dropped: tuple[tuple[str, str], ...] = ()

    @classmethod
    def from_any(
        cls,
        x: object,
        *,
        target: str | None = None,
        names: Sequence[str] | None = None,
        weights: object = None,
        columns: Collection[str] | None = None,
        drop: Collection[str] | None = None,
        kinds: Mapping[str, str] | None = None,
        bins: int | Mapping[str, int] | None = None,
        missing: str = "error",
        encoding: str = "utf-8",
    ) -> Dataset:
        """Encode a table, having checked that it can be learnt from.

        Categories keep their declared order; other levels are sorted. Whole numbers stored as floats are
        integers. A column that does not vary is left out with a `DataWarning`.

        Parameters
        ----------
        x : path, data frame, dict, array or Dataset
            A file (.csv, .tsv, .tab or .txt, also with .gz; .parquet, .pq), a pandas, Polars or PyArrow
            table, a dict of columns, or a two-dimensional numpy array. A Dataset is returned as it is.
        target : str, optional
            A column that must be there and vary.
        names : sequence of str, optional
            Names for the columns of an array; V0, V1, ... if not given.
        weights : str or array, optional
            How often each row counts: a column, which is then no variable, or a number for each row.
        columns, drop : collection of str, optional
            Keep only these columns; leave these out.
        kinds : mapping of str to str, optional
            What to take a column for. 'text': its values are labels, from a file as they are written.
            'integer': its labels are whole numbers ('007' is 7). 'category': each of its values is a level,
            fractions too.
        bins : int or mapping of str to int, optional
            Cut all columns of fractional numbers into this many bins of about as many rows each; or cut the
            columns named, which may hold whole numbers.
        missing : {'error', 'drop', 'level'}
            Refuse missing values, leave out their rows, or make '(missing)' a level. In text files the cells
            '', NA, N/A, NaN, nan, null and NULL are missing; None is a level like any other.
        encoding : str
            How a text file is written.

        Raises
        ------
        DataError
            If the table cannot be used; the message names the columns and says what to do.

        Examples
        --------
        >>> Dataset.from_any({"height": [1.6, 1.7, 1.8, 1.9], "sex": list("ffmm")}, bins=2).levels
        (('[1.6, 1.8)', '[1.8, 1.9]'), ('f', 'm'))
        """
        if isinstance(x, Dataset):
            options = (names, weights, columns, drop, kinds, bins)
            return x._with_target(target, has_options=any(option is not None for option in options))
        kinds = kinds or {}
        prepare.check_options(missing, kinds, bins, weights)
        table = open_table(x, names=names, encoding=encoding)
        weights_name = weights if isinstance(weights, str) else None
        chosen = prepare.choose_columns(table.names, columns, drop, weights_name)
        named = [*kinds, *(bins if isinstance(bins, Mapping) else ()), *([] if target is None else [target])]
        prepare.check_known(named, chosen)

        text = [name for name, kind in kinds.items() if kind == "text"]
        factors = table.load(chosen if weights_name is None else [*chosen, weights_name], text)
        counts = None if weights is None else factors.pop(weights_name) if weights_name else encode(weights)
        prepare.check_types(factors)
        n_rows = len(factors[chosen[0]].codes)
        row_weights = None if counts is None else prepare.weights_from(counts, n_rows)
        rows = np.ones(n_rows, dtype=np.bool_) if row_weights is None else row_weights > 0
        rows = prepare.usable_rows(factors, rows, missing, table.place)
        if not rows.all():
            factors = {name: factor.take(rows) for name, factor in factors.items()}
            row_weights = None if row_weights is None else row_weights[rows]

        factors = prepare.apply_kinds(factors, kinds)
        factors = prepare.apply_bins(factors, bins, row_weights)
        return cls._from_factors(prepare.missing_as_level(factors), row_weights, target)

    @classmethod
    def _from_factors(
        cls, factors: dict[str, Factor], weights: NDArray[np.int64] | None, target: str | None
    ) -> Dataset:
        n_rows = len(next(iter(factors.values())).codes)
        prepare.check_levels(factors, n_rows if weights is None else int(weights.sum()))
        varying, constant = prepare.split_constant(factors, target)
        bitmaps = sum(len(f.levels) for f in varying.values() if len(f.levels) <= prepare.MAX_BITMAPS)
        prepare.check_memory(n_rows, len(varying), n_bitmaps=bitmaps)
        if constant:
            listed = ", ".join(f"{name!r} (always {value!r})" for name, value in constant.items())
            warnings.warn(f"left out columns that do not vary: {listed}", DataWarning, stacklevel=3)
        return cls(
            names=tuple(varying),
            codes=tuple(f.codes for f in varying.values()),
            levels=tuple(tuple(f.levels) for f in varying.values()),
            kinds=tuple(f.kind for f in varying.values()),
            weights=weights,
            dropped=tuple((name, f"constant: always {value!r}") for name, value in constant.items()),
        )

    def __post_init__(self) -> None:
        for array in (*self.codes, self.weights):
            if array is not None:
                array.setflags(write=False)

    @property
    def n_rows(self) -> int:
        """The number of rows stored."""
        return len(self.codes[0])

    @property
    def total(self) -> int:
        """The number of observations: the sum of the weights, or the number of rows."""
        return self.n_rows if self.weights is None else int(self.weights.sum())

    def index(self, name: str) -> int:
        """Return the position of a column, or raise a `DataError` with the nearest names.

        Examples
        --------
        >>> Dataset.from_any({"rain": [0, 1], "wet": [0, 1]}).index("wet")
        1
        """
        try:
            return self.names.index(name)
        except ValueError:
            raise unknown_name(name, self.names, what="column") from None

    def halves(self, rng: np.random.Generator) -> tuple[Dataset, Dataset]:
        """Part the observations at random into two halves; of an odd number the second gets one more.

        Both share the columns of the whole and differ from it in the weights of the rows only. Of a row that counts
        several times, some observations go to one half and some to the other, as many as if all of them had rows of
        their own.

        Examples
        --------
        >>> data = Dataset.from_any({"rain": [0, 0, 1, 1, 1], "wet": [0, 1, 0, 1, 1]})
        >>> data.halves(np.random.default_rng(0))
        (Dataset(5 rows that count 2, 2 columns), Dataset(5 rows that count 3, 2 columns))
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

    def describe(self) -> str:
        """Say in a table what each column was taken for, and how its first levels are spread.

        Examples
        --------
        >>> data = Dataset.from_any({"rain": ["no", "yes", "no", "no"], "wet": [0, 1, 1, 0]})
        >>> print(data.describe())
        4 observations of 2 columns
        column  kind     levels  first levels
        rain    text          2  no 75%, yes 25%
        wet     integer       2  0 50%, 1 50%
        """
        rows = [("column", "kind", "levels", "first levels")]
        for name, codes, levels, kind in zip(self.names, self.codes, self.levels, self.kinds, strict=True):
            shares = np.bincount(codes, self.weights, minlength=len(levels)) / self.total
            first = ", ".join(
                f"{_shortened(level)} {share:.0%}" for level, share in zip(levels[:4], shares, strict=False)
            )
            rows.append((name, kind, str(len(levels)), first + (", ..." if len(levels) > 4 else "")))
        widths = [max(len(row[i]) for row in rows) for i in range(3)]
        lines = [f"{self.total:,} observations of {len(self.names)} columns"]
        for name, kind, count, first in rows:
            lines.append(f"{name:<{widths[0]}}  {kind:<{widths[1]}}  {count:>{widths[2]}}  {first}")
        lines += [f"left out: {name} ({reason})" for name, reason in self.dropped]
        return "\n".join(lines)

    def __repr__(self) -> str:
        rows = f"{self.n_rows:,} rows"
        if self.weights is not None:
            rows += f" that count {self.total:,}"
        return f"Dataset({rows}, {len(self.names)} columns)"

    def _with_target(self, target: str | None, *, has_options: bool) -> Dataset:
        if has_options:
            raise DataError("a Dataset is already encoded; give such options with the table it was made from")
        if target is not None:
            constant = dict(self.dropped).get(target)
            if constant is not None:
                raise DataError(f"target {target!r} is {constant}; nothing can be learnt about it")
            self.index(target)
        return self


def _shortened(level: object) -> str:
    text = str(level)
    return text if len(text) <= 24 else f"{text[:21]}..."
