#!/usr/bin/env python3
"""The error of simulated images at the weight that `--reg tv` and `--reg wavelet` choose, of series
`--reg ttv`, `--reg llr` and `--reg tv` with ttv, over the best of a sweep by factors of 1.4, and
what `--reg auto` and least squares leave. Takes twenty minutes.

    study_weights.py LSRECON"""

import pathlib
import sys
import tempfile

import h5py
import numpy as np

from study_iterations import error_of, run

SWEEP = [0.00025 * 2 ** (i / 2) for i in range(20)]
RADIAL = [("golden-angle", size, coils, snr, ["--readouts", str(spokes)])
          for size, coils, spokes, snr in
          [(96, 8, 25, 30), (96, 8, 25, 5), (96, 8, 45, 8), (96, 8, 45, 100), (64, 4, 20, 10),
           (64, 4, 20, 30), (64, 4, 20, 100), (64, 4, 35, 10), (64, 4, 35, 30), (64, 4, 35, 100),
           (128, 8, 40, 15), (128, 8, 60, 60)]]
SPIRAL = [("spiral", 96, coils, snr, ["--undersampling", undersampling])
          for coils, undersampling, snr in
          [(8, "3", 30), (4, "2.5", 10), (8, "4", 100), (8, "4", 8), (4, "3", 60), (8, "3", 5)]]
LINES = [("cartesian", 96, coils, snr, factor)
         for coils, factor, snr in
         [(8, 3, 100), (8, 4, 30), (8, 4, 100), (4, 3, 10), (8, 3, 30), (4, 3, 5), (8, 4, 10),
          (4, 3, 40)]]
VOLUMES = [("radial-3d", 32, 4, snr, ["--readouts", str(spokes)])
           for spokes, snr in [(600, 30), (300, 30), (300, 10), (450, 100)]]

SERIES = [("golden-angle", size, coils, snr,
           ["--readouts", str(spokes), "--frames", str(frames), "--motion", str(motion)])
          for size, coils, spokes, frames, motion, snr in
          [(32, 4, 9, 10, 8, 30), (48, 4, 13, 8, 4, 15), (48, 6, 10, 16, 10, 50),
           (64, 8, 13, 12, 5, 20), (48, 4, 20, 6, 20, 10), (32, 2, 12, 24, 3, 60)]]


def leave_lines_out(path, size, factor):
    """A full centre of 20 lines and others at random, a line in `factor` of all."""
    centre = range(size // 2 - 10, size // 2 + 10)
    others = [line for line in range(size) if line not in centre]
    chosen = np.random.default_rng(factor).choice(others, size // factor - len(centre) + 8, False)
    with h5py.File(path, "r+") as f:
        line = np.round(f["trajectory"][:, 1]).astype(int) + size // 2
        kept = np.isin(line, [*centre, *chosen])
        for name in ("trajectory", "samples"):
            values = f[name][()]
            attributes = dict(f[name].attrs)
            del f[name]
            f[name] = values[kept] if name == "trajectory" else values[..., kept]
            f[name].attrs.update(attributes)


def simulate(program, folder, trajectory, size, coils, snr, how):
    matrix = ",".join([str(size)] * (3 if trajectory == "radial-3d" else 2))
    words = how if isinstance(how, list) else []
    run(program, "simulate", "--trajectory", trajectory, "--matrix", matrix, "--coils", str(coils),
        "--snr", str(snr), *words, "-o", f"{folder}/scan.h5", "--truth", f"{folder}/truth.h5")
    if trajectory == "cartesian" and not isinstance(how, list):
        leave_lines_out(f"{folder}/scan.h5", size, how)


def error(program, folder, *regs):
    words = [word for reg in regs for word in ("--reg", reg)]
    return 100 * error_of(run(program, "recon", f"{folder}/scan.h5", "-o", f"{folder}/image.h5",
                              "--truth", f"{folder}/truth.h5", *words))


def chosen(folder):
    with h5py.File(f"{folder}/image.h5") as f:
        return f["record"].attrs["regularisers"]


def main(program):
    print("| scan | SNR | regulariser | best | chosen | ratio | auto | least squares |")
    print("|---|---|---|---|---|---|---|---|")
    ratios = []
    for scan in RADIAL + SPIRAL + LINES + VOLUMES + SERIES:
        trajectory, size, coils, snr, how = scan
        kinds = ("ttv", "llr", "tv ttv:0.005", "tv ttv") if scan in SERIES else ("tv", "wavelet")
        with tempfile.TemporaryDirectory() as folder:
            simulate(program, folder, trajectory, size, coils, snr, how)
            words = " ".join(how) if isinstance(how, list) else f"R = {how}"
            name = f"{trajectory} {size}, {coils} coils, {words.replace('--', '')}"
            others = f"{error(program, folder, 'auto'):.2f} by {chosen(folder)}"
            others += f" | {error(program, folder, 'none'):.2f}"
            for reg in kinds:
                words = reg.split()
                best, at = min((error(program, folder, *(
                    one if ":" in one else f"{one}:{w:.3g}" for one in words)), w) for w in SWEEP)
                found = error(program, folder, *words)
                ratios.append(found / best)
                print(f"| {name} | {snr} | {reg} | {best:.2f} at {at:.2g} | {found:.2f} by "
                      f"{chosen(folder)} | {ratios[-1]:.2f} | {others} |", flush=True)
    print(f"\nOver the best weight of {len(ratios)}: median {np.median(ratios):.2f}, nine of ten "
          f"below {np.quantile(ratios, 0.9):.2f}, worst {max(ratios):.2f}")


if __name__ == "__main__":
    main(str(pathlib.Path(sys.argv[1]).resolve()))
