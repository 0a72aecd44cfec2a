#!/usr/bin/env bash
# Installs the package in a place of its own with a kernel compiled by gcc with sanitizers, and runs the kernel's tests:
# for addresses and undefined behaviour, then for threads. Python leaks on purpose, so leaks are not looked for.
set -euo pipefail
cd "$(dirname "$0")/.."
uv="${1:?the command uv}"
place="build/sanitized"

build() {  # build FLAGS
    "$uv" venv --quiet --clear "$place"
    "$uv" pip install --quiet --python "$place/bin/python" pytest hypothesis pandas
    CXXFLAGS="$1 -O1 -fno-omit-frame-pointer" "$uv" pip install --quiet --no-cache --python "$place/bin/python" \
        --config-settings cmake.build-type=Debug --config-settings install.strip=false \
        --config-settings build-dir=build/sanitized-kernel .
}

run() {  # run LIBRARY TESTS...: tests with the library of a sanitizer loaded first
    library="$(gcc -print-file-name="$1") $(gcc -print-file-name=libstdc++.so)"
    shift
    LD_PRELOAD="$library" PYTHONMALLOC=malloc "$place/bin/python" -m pytest -q -s -o addopts= -p no:cacheprovider "$@"  # -s: or what a sanitizer says would be lost
}

export ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1
export TSAN_OPTIONS="exitcode=66:ignore_noninstrumented_modules=1"
echo "addresses and undefined behaviour"
build "-fsanitize=address,undefined -fno-sanitize-recover=all"
run libasan.so tests/engines tests/independence/test_g2.py tests/independence/test_gram.py tests/scores/test_arrangement.py
echo "threads"
build "-fsanitize=thread"
run libtsan.so tests/engines -k "thread or signal"
