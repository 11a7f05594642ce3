#!/usr/bin/env bash
# Installs what is missing, builds, and runs the tests; CI runs this and scripts/check_format.sh.
#     test.sh [--slow]
# --slow: also those with the label slow: documents, the page in a browser, each header alone, a
# build with clang and libc++, and cases of kernels that take long to compile.
set -euo pipefail
cd "$(dirname "$0")/.."

presets=(ci)
case ${1:-} in
    "") ;;
    --slow) presets=(ci slow) ;;
    *) echo "test.sh: $1 is no option; next: test.sh [--slow]" >&2; exit 2 ;;
esac
jobs=$(nproc)
# On a machine of ours a test that cannot find its device is a failure, not a skip.
export LSRECON_REQUIRE_DEVICE=1

# nanobind, of which the Python module is made, comes from PyPI alone.
python=()
environment() {
    local venv=$PWD/build/ci/venv
    if { [[ -x $venv/bin/python ]] || /usr/bin/python3 -m venv "$venv"; } &&
        "$venv/bin/pip" install -q nanobind pytest numpy scipy h5py pydicom; then
        python=(-DLSRECON_WITH_PYTHON=ON "-DPython_EXECUTABLE=$venv/bin/python")
    else
        echo "PyPI cannot be reached: the Python module is neither built nor tested"
    fi
}

step() {
    local name=$1 start=$SECONDS
    shift
    echo "== $name"
    "$@"
    echo "== $name: $((SECONDS - start)) s"
}

run_tests() {
    for preset in "${presets[@]}"; do
        ctest --preset "$preset" --parallel "$jobs" | tee -a "$log"
    done
}

log=$(mktemp)
trap 'rm -f "$log"' EXIT
step "setup" scripts/setup.sh
if ((${#presets[@]} > 1)); then
    # The page of 'lsrecon view' is tested where the distribution has a package of a browser.
    scripts/setup.sh chromium || (($? == 3))
    scripts/setup.sh clang libc++-dev libc++abi-dev
fi
step "environment of Python" environment
step "configure" cmake --preset ci "${python[@]}"
step "build" cmake --build --preset ci --parallel "$jobs"
step "tests" run_tests
skipped=$(sed -n 's/^\t[0-9]* - \(.*\) (Skipped)$/\1/p' "$log")
[[ -z $skipped ]] || printf 'skipped, because this machine lacks what they need:\n%s\n' "$skipped"
echo "all tests passed in $SECONDS s"
