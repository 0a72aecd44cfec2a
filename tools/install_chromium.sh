#!/usr/bin/env bash
# Install Debian's Chromium and its driver, which tests/drawing/test_browser.py drives; nothing to do if they are there.
# Where that cannot be done, say so and succeed: the tests skip themselves then, or fail where CI is set.
set -euo pipefail

if command -v chromium >/dev/null && command -v chromedriver >/dev/null; then
    exit 0
fi
as_root=()
if [ "$(id -u)" -ne 0 ]; then
    as_root=(sudo --non-interactive)
fi
if ! command -v apt-get >/dev/null || ! "${as_root[@]}" true 2>/dev/null; then
    echo "tools/install_chromium.sh: please install chromium and chromedriver yourself" >&2
    exit 0
fi
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq || true  # a list that cannot be had now may have been had before
"${as_root[@]}" apt-get install -y -qq --no-install-recommends chromium chromium-driver fonts-dejavu-core >/dev/null ||
    echo "tools/install_chromium.sh: Chromium could not be installed" >&2
