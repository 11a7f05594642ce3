#!/usr/bin/env bash
# Builds the program with clang and libc++, without OpenCL, what Debian has for libstdc++ alone and
# what POSIX lacks (recon/base/platform.hpp), and reconstructs a scan with it. Exit code 77 where
# clang or libc++ is not installed.
#     libcxx.sh SOURCE_FOLDER
set -euo pipefail
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if ! echo '#include <vector>' | clang++ -stdlib=libc++ -x c++ -fsyntax-only - 2>/dev/null; then
    echo "skipped: no clang++ with libc++; next: scripts/setup.sh clang libc++-dev libc++abi-dev"
    exit 77
fi
# Compiling each file alone, and without optimisation, finds what this test is for.
cmake -S "$source" -B "$work" -G Ninja -DCMAKE_CXX_COMPILER=clang++ \
    -DCMAKE_CXX_FLAGS="-stdlib=libc++ -DLSRECON_POSIX_ALONE" -DCMAKE_CXX_FLAGS_RELEASE=-O0 \
    -DLSRECON_TESTS=OFF -DLSRECON_WITH_OPENCL=OFF -DLSRECON_WITH_ISMRMRD=OFF \
    -DLSRECON_WITH_VOROPP=OFF >"$work/log"
cmake --build "$work" --parallel 2 --target lsrecon >>"$work/log" ||
    { grep -E 'error|warning|undefined' "$work/log" || tail "$work/log"; exit 1; }
cd "$work"
export PATH=$work:$PATH # by which it starts itself where there is no /proc
lsrecon simulate --trajectory radial --matrix 32,32 --coils 2 --snr 30 -o scan.h5 --truth truth.h5
lsrecon check scan.h5
lsrecon recon scan.h5 -o image.h5 --truth truth.h5 --backend reference --iterations 5
lsrecon recon scan.h5 -o host.h5 --truth truth.h5
lsrecon view host.h5 -o page.html
lsrecon convert host.h5 -o image.nii
