#!/usr/bin/env bash
# Makes the sdist, and from it, for each Python, a wheel; installs that where nothing else is, and runs the command there.
#     tools/release_check.sh UV [PYTHON...]
set -euo pipefail
cd "$(dirname "$0")/.."
uv="$(realpath "${1:?the command uv}")"
shift
away="$(mktemp -d)"  # so that nothing of the source can be found by chance
trap 'rm -rf "$away"' EXIT

rm -rf dist
"$uv" build --quiet --sdist --out-dir dist
sdist="$(realpath dist/*.tar.gz)"
version="$(basename "$sdist" .tar.gz)"
version="${version#elcs-}"
cd "$away"
for python in "${@:-python3}"; do
    echo "$python"
    "$python" -m venv --clear here
    here/bin/pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir wheels "$sdist"
    here/bin/pip install --quiet --disable-pip-version-check wheels/*.whl
    here/bin/pip check
    here/bin/elcs --version | tee said
    grep -q "^elcs $version," said
    if here/bin/python -m zipfile --list wheels/*.whl | grep -E '\.(cpp|hpp|inc) '; then
        echo "source files in the wheel" >&2
        exit 1
    fi
    ( time here/bin/elcs demo > /dev/null ) 2>&1 | grep real
    ls wheels
    rm -r wheels
done
