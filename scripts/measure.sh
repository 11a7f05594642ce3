#!/usr/bin/env bash
# Measures this machine: checks every kernel against the reference on a simulated scan, then prints
# the ladder's table. What docs/performance.md holds comes from here.
#     scripts/measure.sh [FOLDER [DEVICE]]     results go to FOLDER, build/measure by default
# LSRECON_PROGRAM=path/to/lsrecon uses that program and does not build; LSRECON_MATRIX,
# LSRECON_SAMPLES and LSRECON_SCAN_SAMPLES set the size of the table.
set -euo pipefail
cd "$(dirname "$0")/.."

out=${1:-build/measure}
device=${2:-}
program=${LSRECON_PROGRAM:-}
matrix=${LSRECON_MATRIX:-128,128,128}
samples=${LSRECON_SAMPLES:-65536}
scan_samples=${LSRECON_SCAN_SAMPLES:-432000}
on_device=()
if [[ -n $device ]]; then
    on_device=(--device "$device")
fi
if [[ -z $program ]]; then
    program=build/release/lsrecon
    cmake --preset release
    cmake --build --preset release --parallel "$(nproc)" --target lsrecon
fi

mkdir -p "$out"
"$program" devices | tee "$out/devices.txt"
"$program" simulate --trajectory stack-of-spirals --matrix 33,24,10 --coils 3 --noise 0.01 \
    -o "$out/scan.h5" --quiet
for kernel in naive register constant struct native tuned separable; do
    "$program" validate "$out/scan.h5" --kernel "$kernel" --pairs 1e7 --quiet "${on_device[@]}"
done | tee "$out/validate.txt"
for trajectory in spiral radial; do
    "$program" simulate --trajectory "$trajectory" --matrix 48,48 --coils 2 --snr 100 \
        --off-resonance-hz 200 -o "$out/off_resonance.h5" --quiet
    precisions=(single)
    if grep -q "single and double" "$out/devices.txt"; then
        precisions+=(double)
    fi
    for precision in "${precisions[@]}"; do
        "$program" validate "$out/off_resonance.h5" --precision "$precision" --quiet \
            "${on_device[@]}"
    done
done | tee -a "$out/validate.txt"
"$program" bench --matrix "$matrix" --samples "$samples" --scan-samples "$scan_samples" \
    --json "$out/bench.json" --quiet "${on_device[@]}" | tee "$out/bench.txt"
