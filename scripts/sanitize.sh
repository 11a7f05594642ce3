#!/usr/bin/env bash
# Builds with AddressSanitizer and UndefinedBehaviorSanitizer, and runs the unit, property and
# bad-file tests, and each command on the reference, on PoCL and by the NUFFT.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh
cmake --preset sanitize
cmake --build --preset sanitize --parallel "$(nproc)"
ctest --preset sanitize --parallel "$(nproc)"
