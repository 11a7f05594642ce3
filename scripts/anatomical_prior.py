#!/usr/bin/env python3
"""What the edges of a proton image do for a noisy sodium image, as in Stone et al. 2008.

    anatomical_prior.py [--program LSRECON] [-o TABLE.md]

Simulates a radial scan of SNR 5, and images of the same object in another contrast, of twice the
matrix and with noise of their own: dark where the scan is bright. One has every border, as an
anatomical image should, the other none around what is brightest, as with a lesion that protons do
not see. Compares gridding (radial density, then F^H d), least squares, and
regularisers at the best of a few weights each, against the truth.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile

import h5py
import numpy as np

from compare_regularisers import difference, image_of, put

WEIGHTS = (0.03, 0.1, 0.3, 1, 3, 10)
SPARSE = (0.01, 0.03, 0.1, 0.3)  # of what is not quadratic
PROTON_NOISE = 0.03  # of its largest value
PROTONS = {"every border": 1, "border missing": 0.6}  # values above it, of the largest, look alike


def run(*words):
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}\n{done.stdout}{done.stderr}")


def write_proton(fine, name, brightest):
    """From the object on a finer grid: where there is any, the contrast is inverted, and what is
    brighter than this share of the maximum looks as its neighbours do."""
    rng = np.random.default_rng(1)
    with h5py.File(fine) as f, h5py.File(name, "w") as proton:
        values = abs(f["image"][()])
        largest = values.max()
        inside = np.clip(values / (0.05 * largest), 0, 1)
        values = inside * (1 - 0.8 * np.minimum(values, brightest * largest) / largest)
        noise = rng.normal(size=values.shape) + 1j * rng.normal(size=values.shape)
        values = values + PROTON_NOISE * values.max() * noise
        proton["image"] = values.astype("c8")
        proton["image"].attrs["fov_mm"] = f["image"].attrs["fov_mm"]


def gridded(program):
    """F^H d with the density of radial spokes as weights."""
    shutil.copy("scan.h5", "weighted.h5")
    with h5py.File("weighted.h5", "r+") as f:
        radius = np.linalg.norm(f["trajectory"][()], axis=1)
        f["weights"] = np.maximum(radius, 0.25)
    run(program, "fhd", "weighted.h5", "-o", "fhd.h5", "--quiet")
    with h5py.File("fhd.h5") as f:
        return f["fhd"][()].squeeze()


def rows_of(program, truth):
    """Name, weight, error at the best common scale."""
    def error(*words, iterations=100):
        run(program, "recon", "scan.h5", "-o", "image.h5", "--iterations", iterations, "--quiet",
            *words)
        return difference(abs(image_of("image.h5")), truth)

    yield "gridding", "", difference(abs(gridded(program)), truth)
    yield "least squares, 15 iterations", "", error(iterations=15)
    for name, weights, prior in (("lambda", WEIGHTS, ""), ("roughness", WEIGHTS, ""),
                                 ("tv", SPARSE, ""), ("wavelet", SPARSE, ""),
                                 *(("anatomical", WEIGHTS, proton) for proton in PROTONS)):
        words = ["--prior", f"{prior}.h5"] if prior else []
        yield min(((f"{name} {prior}".strip(), weight,
                    error(*(["--lambda", weight] if name == "lambda"
                            else ["--reg", f"{name}:{weight}"]), *words))
                   for weight in weights), key=lambda row: row[2])


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="lsrecon")
    parser.add_argument("--matrix", type=int, default=96)
    parser.add_argument("--snr", type=float, default=5)
    parser.add_argument("-o", "--output", help="the table, in Markdown [stdout]")
    options = parser.parse_args()
    output = options.output and os.path.abspath(options.output)
    program = os.path.abspath(shutil.which(options.program)
                              or sys.exit(f"no program {options.program}"))
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for matrix, name, more in ((options.matrix, "scan.h5", ["--snr", options.snr]),
                                   (2 * options.matrix, "fine.h5", ["--readouts", 1])):
            run(program, "simulate", "--trajectory", "radial", "--matrix", f"{matrix},{matrix}",
                "-o", name, "--truth", f"truth_of_{name}", "--quiet", *more)
        for name, brightest in PROTONS.items():
            write_proton("truth_of_fine.h5", f"{name}.h5", brightest)
        table = ["| | weight | error, % |", "|---|---|---|"]
        table += [f"| {name} | {weight} | {100 * error:.1f} |" for name, weight, error
                  in rows_of(program, abs(image_of("truth_of_scan.h5")))]
        os.chdir("/")
    put("\n".join([f"Radial, {options.matrix} x {options.matrix}, SNR {options.snr:g}:", "",
                   *table]), output)


if __name__ == "__main__":
    main()
