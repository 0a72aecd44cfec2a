#!/usr/bin/env bash
# Install Debian's Java, which tests/test_warehouse.py needs for Spark; nothing to do if there is one.
# Where that cannot be done, say so and succeed: the test skips itself then, or fails where CI is set.
set -euo pipefail

if command -v java >/dev/null; then
    exit 0
fi
as_root=()
if [ "$(id -u)" -ne 0 ]; then
    as_root=(sudo --non-interactive)
fi
if ! command -v apt-get >/dev/null || ! "${as_root[@]}" true 2>/dev/null; then
    echo "tools/install_java.sh: please install Java 17 or later yourself" >&2
    exit 0
fi
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq || true  # a list that cannot be had now may have been had before
"${as_root[@]}" apt-get install -y -qq --no-install-recommends default-jre-headless >/dev/null ||
    echo "tools/install_java.sh: Java could not be installed" >&2
