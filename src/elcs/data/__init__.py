"""Data: any table in, a `Table` of named columns out, each of them discrete or numeric."""

from pathlib import Path

from elcs.data.columns import Column, Discrete, Numeric
from elcs.data.reading import Reading
from elcs.data.table import Table, open_with
from elcs.data.warehouse.opening import open_lazily

__all__ = ["SAMPLE", "Column", "Dataset", "Discrete", "Numeric", "Reading", "Table"]

open_with(open_lazily)

Dataset = Table
"""The former name of `Table`."""

SAMPLE = Path(__file__).parent / "customers.csv.gz"
"""The packaged sample table: 4,000 invented customers of a telephone company."""
