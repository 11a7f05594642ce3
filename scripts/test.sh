#!/usr/bin/env bash
# Installs what is missing, builds, and runs every test; CI runs this and scripts/check_format.sh.
set -euo pipefail
cd "$(dirname "$0")/.."

jobs=$(nproc)
# On a machine of ours a test that cannot find its device is a failure, not a skip.
export LSRECON_REQUIRE_DEVICE=1

step() {
    local name=$1 start=$SECONDS
    shift
    echo "== $name"
    "$@"
    echo "== $name: $((SECONDS - start)) s"
}

step "setup" scripts/setup.sh
step "configure" cmake --preset ci
step "build" cmake --build --preset ci --parallel "$jobs"
step "tests" ctest --preset ci --parallel "$jobs"
echo "all tests passed in $SECONDS s"
