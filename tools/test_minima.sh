#!/usr/bin/env bash
# Runs a part of the tests with the oldest versions of the dependencies that pyproject.toml permits, DuckDB among them.
set -euo pipefail
cd "$(dirname "$0")/.."
uv="${1:?the command uv}"
place="build/minima"
"$uv" venv --quiet --clear "$place"
"$uv" pip install --quiet --python "$place/bin/python" --resolution lowest-direct .
"$uv" pip freeze --quiet --python "$place/bin/python" | grep -v '^elcs' >"$place/oldest.txt"
"$uv" pip install --quiet --python "$place/bin/python" --constraint "$place/oldest.txt" pytest hypothesis pandas
"$uv" pip list --quiet --python "$place/bin/python"
# tests/graph/test_adjustment.py compares with a function of a later networkx
"$place/bin/python" -m pytest -q -o addopts= -o filterwarnings=default -p no:cacheprovider \
    tests/test_api.py tests/engines/test_engines.py tests/graph --ignore tests/graph/test_adjustment.py tests/test_cli.py -k 'not test_cli or test_learn or given_twice or stability'

# the oldest DuckDB, which closes connections that nobody holds, with all else as it is
"$uv" pip install --quiet --python "${uv%/uv}/python" --target build/oldest_duckdb --no-deps duckdb==1.1.0
PYTHONPATH=build/oldest_duckdb "${uv%/uv}/pytest" -q -p no:cacheprovider tests/test_copies.py tests/test_warehouse.py
