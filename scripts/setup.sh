#!/usr/bin/env bash
# Installs the packages of Debian 12, Debian 13 and Ubuntu 24.04 that are missing; does nothing when
# none is.
#     setup.sh               what building, testing and the scripts need
#     setup.sh PACKAGE...    these
# Exit code 3 when the distribution has no package of that name.
set -euo pipefail

packages=(
    # build
    cmake ninja-build g++ pkg-config
    # libraries
    libeigen3-dev libhdf5-dev libpugixml-dev libfftw3-dev libpng-dev libssl-dev
    libcli11-dev nlohmann-json3-dev libgtest-dev libgmock-dev libismrmrd-dev
    libnifti2-dev voro++-dev zlib1g-dev
    # LSRECON_WITH_MPI
    openmpi-bin libopenmpi-dev
    # OpenCL: headers, loader, and a device for machines without a GPU
    ocl-icd-opencl-dev opencl-clhpp-headers pocl-opencl-icd libvkfft-dev
    # the Python module
    python3-dev python3-venv
    # scripts that make and read test data
    python3-h5py python3-numpy python3-nibabel python3-jsonschema
    python3-yaml
    # tests that read PNG files, pictures of the documents
    python3-matplotlib
    # documents and the manual page
    python3-sphinx python3-myst-parser furo
)
(($# == 0)) || packages=("$@")

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
"${as_root[@]}" apt-get update -qq
for package in "${missing[@]}"; do
    if [[ $(apt-cache policy "$package") != *Candidate:\ [0-9]* ]]; then
        echo "$(sed -n 's/^PRETTY_NAME=//p' /etc/os-release) has no package $package" >&2
        exit 3
    fi
done
echo "installing: ${missing[*]}"
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
    --no-install-recommends "${missing[@]}" >/dev/null
