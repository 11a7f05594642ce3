#!/usr/bin/env python3
"""The error of simulated images at the lambda that each rule of --lambda chooses, beside the best
of a sweep. Takes some minutes.

    study_lambda.py LSRECON"""

import pathlib
import sys
import tempfile

import h5py

from study_iterations import error_of, run

SCANS = [("spiral", []), ("radial", []), ("radial", ["--undersampling", "4"]),
         ("cartesian", ["--undersampling", "3"])]
NOISE = [5, 30, 100]
RULES = ["auto", "discrepancy"]
SWEEP = ["0.0003", "0.001", "0.002", "0.005", "0.01", "0.02", "0.03", "0.05", "0.1", "0.2", "0.3",
         "0.5", "1"]


def error(program, folder, weight):
    """In percent, of the magnitude."""
    return 100 * error_of(run(program, "recon", f"{folder}/scan.h5", "-o", f"{folder}/image.h5",
                              "--truth", f"{folder}/truth.h5", "--lambda", weight))


def chosen(folder):
    with h5py.File(f"{folder}/image.h5") as f:
        about = f["record"].attrs
        return about["lambda"], about["lambda_discrepancy"][0]


def main(program):
    print("| scan | SNR | best of a sweep | " + " | ".join(RULES) + " |")
    print("|---|---|---|" + "---|" * len(RULES))
    for trajectory, words in SCANS:
        for snr in NOISE:
            with tempfile.TemporaryDirectory() as folder:
                run(program, "simulate", "--trajectory", trajectory, "--matrix", "128,128",
                    "--coils", "8", "--snr", str(snr), "--noise-samples", "1000", *words, "-o",
                    f"{folder}/scan.h5", "--truth", f"{folder}/truth.h5")
                best, at = min((error(program, folder, weight), weight) for weight in SWEEP)
                cells = [f"{best:.2f} at {at}"]
                for rule in RULES:
                    found = error(program, folder, rule)
                    weight, share = chosen(folder)
                    cells.append(f"{found:.2f} (+{100 * (found / best - 1):.0f} %) at {weight}"
                                 + (f", {share:.2f}" if rule == "discrepancy" else ""))
            name = " ".join([trajectory, *(word.strip("-") for word in words)])
            print(f"| {name} | {snr} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main(str(pathlib.Path(sys.argv[1]).resolve()))
