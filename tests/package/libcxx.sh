#!/usr/bin/env bash
# Builds the program with clang and libc++, without what Debian has for libstdc++ alone, and
# reconstructs a scan with it. Exit code 77 where clang or libc++ is not installed.
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
    -DCMAKE_CXX_FLAGS=-stdlib=libc++ -DCMAKE_CXX_FLAGS_RELEASE=-O0 -DLSRECON_TESTS=OFF \
    -DLSRECON_WITH_ISMRMRD=OFF -DLSRECON_WITH_VOROPP=OFF >"$work/log"
cmake --build "$work" --parallel 2 --target lsrecon >>"$work/log" ||
    { grep -E 'error|warning' "$work/log" || tail "$work/log"; exit 1; }
cd "$work"
./lsrecon simulate --trajectory radial --matrix 32,32 --coils 2 -o scan.h5 --truth truth.h5
./lsrecon recon scan.h5 -o image.h5 --truth truth.h5 --backend reference --iterations 5
