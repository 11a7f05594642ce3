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

run_tests() {
    ctest --preset ci --parallel "$jobs" | tee "$log"
}

log=$(mktemp)
trap 'rm -f "$log"' EXIT
step "setup" scripts/setup.sh
# The page of 'lsrecon view' is tested in a browser where the distribution has a package of one.
scripts/setup.sh chromium || (($? == 3))
step "configure" cmake --preset ci
step "build" cmake --build --preset ci --parallel "$jobs"
step "tests" run_tests
skipped=$(sed -n 's/^\t[0-9]* - \(.*\) (Skipped)$/\1/p' "$log")
[[ -z $skipped ]] || printf 'skipped, because this machine lacks what they need:\n%s\n' "$skipped"
echo "all tests passed in $SECONDS s"
