#!/usr/bin/env bash
# From a fresh machine to an image: installs what is missing, builds, simulates a 3D multi-coil
# spiral scan, reconstructs it on the best OpenCL device, and compares it with the truth.
# LSRECON_PROGRAM=path/to/lsrecon uses that program and neither installs nor builds;
# LSRECON_DEMO=folder puts the results there.
set -euo pipefail
cd "$(dirname "$0")/.."

program=${LSRECON_PROGRAM:-}
out=${LSRECON_DEMO:-build/demo}
if [[ -z $program ]]; then
    program=build/release/lsrecon
    scripts/setup.sh
    cmake --preset release
    cmake --build --preset release --parallel "$(nproc)" --target lsrecon
fi

mkdir -p "$out"
rm -f "$out/scan.h5" # of an earlier demo: no scan is replaced
"$program" simulate --trajectory stack-of-spirals --matrix 64,64,32 --coils 4 --noise 0.02 \
    --seed 1 -o "$out/scan.h5" --truth "$out/truth.h5"
{
    "$program" info "$out/scan.h5"
    "$program" recon "$out/scan.h5" -o "$out/image.h5" --png "$out/image.png" \
        --truth "$out/truth.h5" 2>&1
} | tee "$out/summary.txt"

for result in image.h5 image.png summary.txt; do
    [[ -s $out/$result ]] || { echo "the demo made no $out/$result" >&2; exit 1; }
done
echo
echo "image:   $out/image.h5 (HDF5)"
echo "preview: $out/image.png"
echo "summary: $out/summary.txt"
