"""Data: any table in, a `Table` of named columns out, each of them discrete or numeric."""

from pathlib import Path

from elcs.data.columns import Column, Discrete, Numeric
from elcs.data.reading import Reading
from elcs.data.table import Table

__all__ = ["SAMPLE", "Column", "Dataset", "Discrete", "Numeric", "Reading", "Table"]

Dataset = Table
"""The former name of `Table`."""

SAMPLE = Path(__file__).parent / "customers.csv.gz"
"""The packaged sample table: 4,000 invented customers of a telephone company."""
