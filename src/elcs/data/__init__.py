"""Data: any table in, a `Dataset` of named columns and small integer codes out."""

from pathlib import Path

from elcs.data.dataset import Dataset

__all__ = ["SAMPLE", "Dataset"]

SAMPLE = Path(__file__).parent / "customers.csv.gz"
"""The packaged sample table: 4,000 invented customers of a telephone company."""
