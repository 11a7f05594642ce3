#!/usr/bin/env python3
"""The error of simulated images over iterations and lambda, at several noise levels: the table of
docs/performance.md. Takes some minutes.

    study_iterations.py LSRECON"""

import pathlib
import subprocess
import sys
import tempfile

SCANS = [("spiral", "96,96"), ("radial", "96,96"), ("cones", "32,32,32"),
         ("radial-3d", "32,32,32")]
NOISE = [10, 30, 100]
STOPPED = [5, 10, 15, 20, 30, 60, 120]
REGULARISED = ["1e-3", "1e-2", "3e-2"]


def run(program, *words):
    result = subprocess.run([program, *words, "--quiet"], capture_output=True, text=True,
                            check=True)
    return result.stdout


def error(program, folder, *words):
    """In percent, of the magnitude against the phantom at the resolution of the grid."""
    said = run(program, "recon", f"{folder}/scan.h5", "-o", f"{folder}/image.h5", "--truth",
               f"{folder}/truth.h5", *words)
    return 100 * float(said.split("error against the truth:")[1].split()[0])


def main(program):
    print("| scan | SNR | " + " | ".join(map(str, STOPPED)) + " | "
          + " | ".join(f"lambda {weight}" for weight in REGULARISED) + " |")
    print("|---|---|" + "---|" * (len(STOPPED) + len(REGULARISED)))
    for trajectory, matrix in SCANS:
        for snr in NOISE:
            with tempfile.TemporaryDirectory() as folder:
                run(program, "simulate", "--trajectory", trajectory, "--matrix", matrix, "--snr",
                    str(snr), "--truth-of", "band", "-o", f"{folder}/scan.h5", "--truth",
                    f"{folder}/truth.h5")
                errors = [error(program, folder, "--iterations", str(count))
                          for count in STOPPED]
                errors += [error(program, folder, "--lambda", weight) for weight in REGULARISED]
            best = min(errors)
            cells = [f"**{value:.1f}**" if value == best else f"{value:.1f}" for value in errors]
            print(f"| {trajectory} {matrix.replace(',', ' x ')} | {snr} | "
                  + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main(str(pathlib.Path(sys.argv[1]).resolve()))
