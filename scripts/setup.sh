#!/usr/bin/env bash
# Installs the Debian and Ubuntu packages that are missing; does nothing when none is.
set -euo pipefail

packages=(
    # build
    cmake ninja-build g++ pkg-config clang-format-14
    # libraries
    libeigen3-dev libhdf5-dev libpugixml-dev libfftw3-dev libpng-dev libssl-dev
    libcli11-dev nlohmann-json3-dev libgtest-dev libgmock-dev libismrmrd-dev
    # OpenCL: headers, loader, and a device for machines without a GPU
    ocl-icd-opencl-dev opencl-clhpp-headers pocl-opencl-icd libvkfft-dev
    # scripts that make and read test data
    python3-h5py python3-numpy
    # curves of scripts/scaling.py
    python3-matplotlib
)

missing=()
for package in "${packages[@]}"; do
    state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    if [[ $state != installed ]]; then
        missing+=("$package")
    fi
done
if ((${#missing[@]} == 0)); then
    exit 0
fi

as_root=()
if ((EUID != 0)); then
    as_root=(sudo)
fi
echo "installing: ${missing[*]}"
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
    --no-install-recommends "${missing[@]}" >/dev/null
