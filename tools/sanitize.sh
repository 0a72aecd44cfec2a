#!/usr/bin/env bash
# The kernel with gcc's sanitizers. Addresses and undefined behaviour: the package is installed in a place of its own, and the
# kernel's tests are run. Threads: a program without Python, in which everything is shared, and the tests that use threads.
# Python leaks on purpose, so leaks are not looked for.
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
    # -s: or what a sanitizer says would be lost
    LD_PRELOAD="$library" PYTHONMALLOC=malloc "$place/bin/python" -m pytest -q -s -o addopts= -p no:cacheprovider "$@"
}

export ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 TSAN_OPTIONS="exitcode=66:ignore_noninstrumented_modules=1"
echo "threads, without Python"
mkdir -p build
g++ -std=c++17 -O1 -g -fsanitize=thread -pthread -Isrc/elcs/engines tools/kernel_check.cpp -o build/kernel_check
build/kernel_check
echo "threads, in Python"
build "-fsanitize=thread"
run libtsan.so tests/engines -k "thread or signal"
echo "addresses and undefined behaviour"
build "-fsanitize=address,undefined -fno-sanitize-recover=all"
run libasan.so tests/engines tests/independence/test_g2.py tests/independence/test_gram.py tests/scores
