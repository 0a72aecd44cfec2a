"""Tables that are asked where they live: DuckDB, Spark, Dask, Polars, anything that narwhals has a lazy frame for.

`frames.py` knows how to ask, `dialects.py` what each engine has to be asked for in its own words, and `packing.py` how
several columns are asked for as one number; `asking.py` puts queries, and cancels them; `counting.py` reads what comes
back. `opening.py` decides, by what a sample lets expect (`expecting.py`), whether the rows, the distinct rows or only
counts are fetched. In the last case `copying.py` copies the distinct rows if that pays, into a DuckDB of our own
(`storing.py`), `survey.py` finds the levels, `remote.py` is the table, `cube.py` holds what is fetched of it, and
`groups.py` puts its rows into groups, for half-samples without a copy.
"""
