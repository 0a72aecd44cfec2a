"""Tables that are asked where they live: DuckDB, Spark, Dask, Polars, anything that narwhals has a lazy frame for.

`frames.py` knows how to ask; `opening.py` decides, by what a sample lets expect (`expecting.py`), whether the rows, the
distinct rows or only counts are fetched; `remote.py` is the table of which only counts are fetched, and `survey.py`
finds its levels.
"""
