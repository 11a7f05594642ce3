#!/usr/bin/env bash
# The commands one after another, as a user would chain them; every output must exist.
#     commands.sh LSRECON BACKEND [ENGINE]
set -euo pipefail
lsrecon=$1
backend=$2
on=(--backend "$backend" ${3:+--engine "$3"})
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# Runs the program without progress; what it prints on stdout is kept in the file `printed`.
run() {
    if ! "$lsrecon" "$@" >printed 2>err; then
        echo "failed: lsrecon $*" >&2
        cat printed err >&2
        exit 1
    fi
}

expect() { # FILE... exist and are not empty
    for file in "$@"; do
        [[ -s $file ]] || { echo "missing: $file" >&2; exit 1; }
    done
}

expect_printed() { # PATTERN is in what the last command printed
    grep -q -- "$1" printed || { echo "not printed: $1" >&2; cat printed >&2; exit 1; }
}

run simulate --trajectory spiral --matrix 16,16 --coils 3 --noise 0.01 --seed 2 \
    -o scan.h5 --truth truth.h5 "${on[@]}" --quiet
expect scan.h5 truth.h5

run info scan.h5
expect_printed 16
expect_printed "sum |map|^2"
run check scan.h5

# Coils without maps and with correlated noise, as a scanner gives them.
run simulate --trajectory radial --matrix 24,24 --coils 3 --without-maps --snr 30 \
    --noise-samples 200 --noise-correlation 0.5 -o scanner.h5 \
    "${on[@]}" --quiet
run recon scanner.h5 -o scanner_image.h5 --iterations 5 "${on[@]}" --quiet
run info scanner_image.h5
expect_printed "prewhitened with 200 samples"

# A Cartesian image against the phantom in its band has rounding alone for an error.
run simulate --trajectory cartesian --matrix 24,24 -o cartesian.h5 --truth band.h5 \
    --truth-of band --quiet
run recon cartesian.h5 -o cartesian_image.h5 --truth band.h5 --lambda 1e-6 "${on[@]}" --quiet
expect_printed "truth: 0.0000"

# Frames of a phantom that moves, each with its own spokes and its own truth.
run simulate --trajectory golden-angle --matrix 16,16 --coils 2 --frames 3 --motion 30 \
    -o moving.h5 --truth moving_truth.h5 "${on[@]}" --quiet
run recon moving.h5 -o moving_image.h5 --truth moving_truth.h5 "${on[@]}" --quiet
/usr/bin/python3 - <<'PYTHON'
import h5py

truth = h5py.File("moving_truth.h5")
assert "shifted by 25.98 mm" in truth["frame_labels"].asstr()[1], truth["frame_labels"][1]
record = h5py.File("moving_image.h5")["record"]
assert 0 < record.attrs["truth_error"][0] < 0.3, record.attrs["truth_error"]
PYTHON

run fhd scan.h5 -o fhd.h5 "${on[@]}" --quiet
run q scan.h5 -o q.h5 "${on[@]}" --accuracy 2e-7 --quiet
expect fhd.h5 q.h5

run recon scan.h5 -o image.h5 "${on[@]}" --quiet
run recon scan.h5 -o with_q.h5 --q q.h5 "${on[@]}" --truth truth.h5 --quiet
expect_printed truth
expect image.h5 with_q.h5
/usr/bin/python3 - <<'PYTHON'
import h5py
import numpy as np

image, with_q, truth = (h5py.File(name)["image"][0] for name in
                        ("image.h5", "with_q.h5", "truth.h5"))
assert image.shape == (16, 16), image.shape
difference = np.linalg.norm(image - with_q) / np.linalg.norm(image)
assert difference < 1e-4, f"the image differs by {difference} when Q comes from a file"
record = h5py.File("with_q.h5")["record"]
assert 0 < record.attrs["truth_error"][0] < 0.3, record.attrs["truth_error"]
assert 0 < record["iterations_done"][0, 0] <= 300 and record["stopped_by"].asstr()[0, 0] in (
    "tolerance", "iterations")
error = np.linalg.norm(image - truth) / np.linalg.norm(truth)
assert error < 0.3, f"the image is {error} off the truth"
PYTHON

# Q of another sampling is refused, and the image that was there stays as it was.
run simulate --trajectory spiral --matrix 16,16 --undersampling 1.5 -o other.h5 --quiet
before=$(sha256sum image.h5)
code=0
"$lsrecon" recon other.h5 -o image.h5 --q q.h5 "${on[@]}" --quiet 2>err || code=$?
[[ $code == 3 ]] || { echo "Q of another scan: exit code $code, expected 3" >&2; exit 1; }
grep -q q.h5 err
[[ $before == "$(sha256sum image.h5)" ]]

run validate scan.h5 "${on[@]}" --quiet
run batch scan.h5 moving.h5 -o many "${on[@]}"
expect many/images/scan.h5 many/images/moving.h5
run maps scanner.h5 -o maps.h5 "${on[@]}" --quiet
run convert image.h5 -o image.cfl --quiet
expect maps.h5 image.cfl image.hdr
run view image.h5 -o image.html --quiet
run view scan.h5 -o scan.html --quiet
expect image.html scan.html
if [[ $backend == opencl ]]; then
    run bench --matrix 8,8 --samples 16 --stage fhd --kernel "tuned,${3:-separable}" --quiet
    run predict scan.h5 "${on[@]}"
    expect_printed "^all "
    # One object a row under "rows".
    run validate scan.h5 --pairs 2e4 --json validate.json --quiet
    /usr/bin/python3 - <<'PYTHON'
import json

stages = [row["stage"] for row in json.load(open("validate.json"))["rows"]]
assert stages == ["mu", "fhd", "q", "f", "operator", "solution", "solver"], stages
PYTHON
fi

# The device's solver: the same bits again, the image says what solved it, and Eigen checks it.
if [[ $backend == opencl ]]; then
    for name in device again; do
        run recon scan.h5 -o "$name.h5" --solver device --lambda 0.1 --tolerance 1e-5 --quiet
    done
    run recon scan.h5 -o eigen.h5 --solver eigen --lambda 0.1 --tolerance 1e-5 --quiet
    run recon scan.h5 -o no_room.h5 --device-memory 0.01 --lambda 0.1 --tolerance 1e-5 --quiet
    grep -q 'the solver runs on the CPU' err || { echo "no note:" >&2; cat err >&2; exit 1; }
    /usr/bin/python3 - <<'PYTHON'
import h5py
import numpy as np

files = {name: h5py.File(f"{name}.h5") for name in ("device", "again", "eigen", "no_room")}
images = {name: file["image"][0] for name, file in files.items()}
solvers = {name: file["record"].attrs["solver"] for name, file in files.items()}
assert images["device"].tobytes() == images["again"].tobytes(), "two runs differ"
assert "on the device" in solvers["device"], solvers
assert "Eigen" in solvers["eigen"] and "Eigen" in solvers["no_room"], solvers
# Without room F^H d and Q come in pieces, too, which are rounded otherwise.
for name in ("device", "no_room"):
    difference = np.linalg.norm(images[name] - images["eigen"]) / np.linalg.norm(images["eigen"])
    assert difference < 1e-5, f"{name} is {difference} off"
PYTHON
fi

# Several frames: reported by their number and, after them, a line a stage.
/usr/bin/python3 - <<'PYTHON'
import h5py
import numpy as np

with h5py.File("scan.h5") as one, h5py.File("frames.h5", "w") as frames:
    for name, value in one.attrs.items():
        frames.attrs[name] = value
    one.copy("trajectory", frames)
    frames["samples"] = np.repeat(one["samples"][()][np.newaxis], 3, 0)
PYTHON
run recon frames.h5 --iterations 15 -o frames_image.h5 "${on[@]}"
if ! grep -q '^frame 3 of 3$' err || [[ $(grep -c '^fhd ' err) != 1 ]]; then
    echo "frames are not reported:" >&2
    cat err >&2
    exit 1
fi

left=$(find . -name '*.part')
[[ -z $left ]] || { echo "left behind: $left" >&2; exit 1; }
