#!/usr/bin/env python3
"""The error of simulated images at the lambda that is chosen, beside the best of a sweep. Takes
some minutes.

    study_lambda.py LSRECON            each rule of --lambda
    study_lambda.py LSRECON EARLIER    the default of this program and of an earlier one"""

import pathlib
import statistics
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
PLANE = ["--matrix", "96,96", "--coils", "8"]
COMPARED = [(trajectory, [*PLANE, "--undersampling", factor])
            for trajectory, factors in [("radial", "14"), ("spiral", "12"), ("cartesian", "234")]
            for factor in factors]
COMPARED += [("radial-3d", ["--matrix", "32,32,32", "--coils", "4"])]


class Scan:
    """A simulated scan in a folder of its own."""

    def __init__(self, program, folder, trajectory, snr, words):
        self.folder = folder
        run(program, "simulate", "--trajectory", trajectory, *words, "--snr", str(snr), "-o",
            f"{folder}/scan.h5", "--truth", f"{folder}/truth.h5")

    def error(self, program, *words):
        """In percent, of the magnitude."""
        return 100 * error_of(run(program, "recon", f"{self.folder}/scan.h5", "-o",
                                  f"{self.folder}/image.h5", "--truth", f"{self.folder}/truth.h5",
                                  *words))

    def best(self, program, *words):
        return min((self.error(program, "--lambda", weight, *words), weight) for weight in SWEEP)

    def chosen(self):
        with h5py.File(f"{self.folder}/image.h5") as f:
            about = f["record"].attrs
            return about["lambda"], about.get("lambda_discrepancy", [0])[0]


def rules(program):
    print("| scan | SNR | best of a sweep | " + " | ".join(RULES) + " |")
    print("|---|---|---|" + "---|" * len(RULES))
    for trajectory, words in SCANS:
        for snr in NOISE:
            with tempfile.TemporaryDirectory() as folder:
                scan = Scan(program, folder, trajectory, snr,
                            ["--matrix", "128,128", "--coils", "8", "--noise-samples", "1000",
                             *words])
                best, at = scan.best(program)
                cells = [f"{best:.2f} at {at}"]
                for rule in RULES:
                    found = scan.error(program, "--lambda", rule)
                    weight, share = scan.chosen()
                    cells.append(f"{found:.2f} (+{100 * (found / best - 1):.0f} %) at {weight}"
                                 + (f", {share:.2f}" if rule == "discrepancy" else ""))
            name = " ".join([trajectory, *(word.strip("-") for word in words)])
            print(f"| {name} | {snr} | " + " | ".join(cells) + " |", flush=True)


def compare(program, earlier):
    print("| scan | SNR | best error, % | earlier lambda, error | lambda, error | over earlier: "
          "lambda, error | over best |")
    print("|---|---|---|---|---|---|---|")
    over_earlier, over_best = [], []
    for trajectory, words in COMPARED:
        for snr in NOISE:
            with tempfile.TemporaryDirectory() as folder:
                scan = Scan(program, folder, trajectory, snr, words)
                best, _ = scan.best(program, "--reg", "band:0.3")
                before, after = [(scan.error(one), float(scan.chosen()[0]))
                                 for one in (earlier, program)]
            over_earlier.append(after[0] / before[0])
            over_best.append(after[0] / best)
            name = " ".join([trajectory, *(word.strip("-") for word in words)])
            print(f"| {name} | {snr} | {best:.2f} | {before[1]:.3g}, {before[0]:.2f} | "
                  f"{after[1]:.3g}, {after[0]:.2f} | {after[1] / before[1]:.2f}, "
                  f"{over_earlier[-1]:.3f} | {over_best[-1]:.3f} |", flush=True)
    for words, ratios in (("earlier", over_earlier), ("best", over_best)):
        print(f"error over {words}: median {statistics.median(ratios):.3f}, least "
              f"{min(ratios):.3f}, worst {max(ratios):.3f}, {len(ratios)} scans")


if __name__ == "__main__":
    programs = [str(pathlib.Path(word).resolve()) for word in sys.argv[1:]]
    if len(programs) == 2:
        compare(*programs)
    else:
        rules(*programs)
