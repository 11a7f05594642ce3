#!/usr/bin/env python3
"""The error of simulated images by default, over the best of a grid of lambda, tv and wavelet.
Takes some minutes.

    study_choice.py LSRECON"""

import pathlib
import sys
import tempfile

import h5py
import numpy as np

from study_iterations import error_of, run
from study_weights import LINES, RADIAL, SPIRAL, simulate

VOXELS = ["--model", "voxels"]  # whose truth has no ringing
FULL = [("radial", 96, 8, 30, []), ("radial", 96, 8, 8, []), ("spiral", 96, 4, 30, []),
        ("spiral", 96, 4, 8, []), ("cartesian", 96, 4, 30, []), ("cartesian", 96, 4, 8, []),
        ("radial", 96, 1, 30, VOXELS), ("spiral", 96, 1, 30, VOXELS), ("spiral", 96, 1, 8, VOXELS),
        ("cartesian", 96, 1, 30, VOXELS), ("cartesian", 96, 1, 8, VOXELS)]
GRID = [["--reg", "none", "--lambda", str(weight)] for weight in (1e-3, 1e-2, 0.03, 0.1, 0.3, 1)]
GRID += [["--reg", f"{name}:{0.0005 * 2 ** i}"] for name in ("tv", "wavelet") for i in range(8)]


def error(program, folder, *words):
    return 100 * error_of(run(program, "recon", f"{folder}/scan.h5", "-o", f"{folder}/image.h5",
                              "--truth", f"{folder}/truth.h5", *words))


def chosen(folder):
    with h5py.File(f"{folder}/image.h5") as f:
        about = f["record"].attrs
        regularisers = about["regularisers"]
        return f"lambda {about['lambda']}" if "lambda_rule" in about else regularisers


def main(program):
    print("| scan | SNR | default | best of the grid | ratio |")
    print("|---|---|---|---|---|")
    ratios = []
    for scan in FULL + RADIAL + SPIRAL + LINES:
        trajectory, size, coils, snr, how = scan
        with tempfile.TemporaryDirectory() as folder:
            simulate(program, folder, *scan)
            found = error(program, folder)
            by = chosen(folder)
            best, words = min((error(program, folder, *one), one[-1]) for one in GRID)
            ratios.append(found / best)
            detail = " ".join(how).replace("--", "") if isinstance(how, list) else f"R = {how}"
            print(f"| {trajectory} {size}, {coils} coils {detail} | {snr} | {found:.2f} by {by} | "
                  f"{best:.2f} by {words} | {ratios[-1]:.2f} |", flush=True)
    print(f"\nOver the best of {len(ratios)}: median {np.median(ratios):.2f}, nine of ten below "
          f"{np.quantile(ratios, 0.9):.2f}, worst {max(ratios):.2f}")


if __name__ == "__main__":
    main(str(pathlib.Path(sys.argv[1]).resolve()))
