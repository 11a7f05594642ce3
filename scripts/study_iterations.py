#!/usr/bin/env python3
"""Iterations on simulated scans. Takes some minutes.

    study_iterations.py LSRECON error            the error of the image over iterations and lambda
    study_iterations.py LSRECON preconditioner [TRAJECTORY:X,Y[,Z][:SNR[:COILS]] ...]
                                                 iterations to 1 % of the converged image; SNR 30
                                                 and one coil where it is not said"""

import pathlib
import subprocess
import sys
import tempfile

import h5py

SCANS = ["spiral:96,96", "radial:96,96", "cones:32,32,32", "radial-3d:32,32,32"]
NOISE = [10, 30, 100]
STOPPED = [5, 10, 15, 20, 30, 60, 120]
REGULARISED = ["1e-3", "1e-2", "3e-2"]
PRECONDITIONERS = ["none", "cosine"]
ENOUGH = 0.01


def run(program, *words):
    return subprocess.run([program, *words, "--quiet"], capture_output=True, text=True,
                          check=True).stdout


def error_of(said):
    """The relative error of the magnitude that `recon --truth` printed."""
    return float(said.split("error against the truth:")[1].split()[0])


class Scan:
    """A simulated scan in a folder of its own, with its Q."""

    def __init__(self, program, name, snr=30, coils=1):
        self.program = program
        self.name = name
        self.folder = tempfile.TemporaryDirectory()
        self.scan, self.q, self.image, self.truth, self.converged = (
            f"{self.folder.name}/{part}.h5" for part in
            ["scan", "q", "image", "truth", "converged"])
        trajectory, matrix = name.split(":")
        self.run("simulate", "--trajectory", trajectory, "--matrix", matrix, "--snr", str(snr),
                 "--coils", str(coils), "--truth-of", "band" if int(coils) == 1 else "voxels",
                 "-o", self.scan, "--truth", self.truth)
        self.run("q", self.scan, "-o", self.q)

    def run(self, *words):
        return run(self.program, *words)

    def recon(self, image, truth, *words):
        """The relative error of the image's magnitude."""
        return error_of(self.run("recon", self.scan, "-o", image, "--q", self.q, "--truth", truth,
                                 *words))

    def iterations(self):
        """Of the last image."""
        with h5py.File(self.image) as image:
            return int(image["record/iterations_done"][0, 0])

    def error(self, *words):
        return self.recon(self.image, self.truth, *words)

    def distance(self, *words):
        return self.recon(self.image, self.converged, *words)

    def needed(self, *words):
        """The smallest number of iterations from which the image is near the converged one."""
        def near(count):
            return self.distance("--iterations", str(count), "--tolerance", "1e-11",
                                 *words) <= ENOUGH
        most = 16
        while not near(most):
            most *= 2
        least = most // 2
        while most - least > max(1, most // 50):
            middle = (least + most) // 2
            least, most = (least, middle) if near(middle) else (middle, most)
        return most


def error_table(program):
    print("| scan | SNR | " + " | ".join(map(str, STOPPED)) + " | "
          + " | ".join(f"lambda {weight}" for weight in REGULARISED) + " | default |")
    print("|---|---|" + "---|" * (len(STOPPED) + len(REGULARISED) + 1))
    for name in SCANS:
        for snr in NOISE:
            scan = Scan(program, name, snr)
            errors = [100 * scan.error("--iterations", str(count)) for count in STOPPED]
            errors += [100 * scan.error("--lambda", weight) for weight in REGULARISED]
            best = min(errors)
            cells = [f"**{value:.1f}**" if value == best else f"{value:.1f}" for value in errors]
            cells.append(f"{100 * scan.error():.1f}")
            print(f"| {name} | {snr} | " + " | ".join(cells) + " |", flush=True)


def preconditioner_table(program, names):
    print("| scan | lambda | by default | stopped after | "
          + " | ".join(f"to 1 %, {word}" for word in PRECONDITIONERS) + " |")
    print("|---|---|---|---|" + "---|" * len(PRECONDITIONERS))
    for name in names:
        trajectory, matrix, *snr_and_coils = name.split(":")
        scan = Scan(program, f"{trajectory}:{matrix}", *snr_and_coils)
        for weight in ["1e-3", "1e-2"]:
            regularised = ["--lambda", weight]
            scan.recon(scan.converged, scan.truth, *regularised, "--iterations", "3000",
                       "--tolerance", "1e-9")
            left = scan.distance(*regularised)
            stopped = scan.iterations()
            counts = [scan.needed(*regularised, "--preconditioner", word)
                      for word in PRECONDITIONERS]
            print(f"| {name} | {weight} | {100 * left:.2g} % | {stopped} | "
                  + " | ".join(map(str, counts)) + " |", flush=True)


def main(program, table, *names):
    if table == "error":
        error_table(program)
    else:
        preconditioner_table(program, names or SCANS)


if __name__ == "__main__":
    main(str(pathlib.Path(sys.argv[1]).resolve()), *sys.argv[2:])
