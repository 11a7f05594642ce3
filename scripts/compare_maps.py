#!/usr/bin/env python3
"""Coil maps of `lsrecon maps`, beside those of BART's ecalib, in one run.

    compare_maps.py [--program LSRECON] [--bart BART] [--matrix N] [--turns N]
                    [--volume N] [-o TABLE.md]

Simulates a full Cartesian scan without maps (128 x 128, 8 coils, SNR 30), from which every method
estimates maps, and an undersampled radial scan of the same phantom and coils, which is
reconstructed with each of them and with the true ones. The table has the errors of these images
against the phantom, and the seconds of estimating maps from file to file and of processor time:
the least of --turns, one method after the other. --volume also estimates maps of N^3 voxels and 16
coils from the centre of 28^3 samples, once; 128 takes minutes and 4 GB. Without BART its rows are
left out.
"""

import os
import platform
import shutil

import h5py
import numpy as np

from compare_regularisers import (common_flags, difference, image_of, read_cfl, write_cfl,
                                  write_table)

COILS, LAMBDA = 8, "0.03"
CENTRE, VOLUME_COILS = 28, 16
CALIBRATION = 24  # the width that ecalib takes by default, and that of decision 0019


def simulate(programs, output, trajectory, size, coils, *words):
    programs.timed([programs.lsrecon, "simulate", "--trajectory", trajectory, "--matrix",
                    ",".join(map(str, size)), "--coils", coils, "--snr", 30, "-o", output,
                    "--quiet", *words])


def write_kspace(scan, size):
    """The samples of a Cartesian scan on their grid, in the middle of one of `size` points."""
    with h5py.File(scan) as f:
        k, samples = np.rint(f["trajectory"][()]).astype(int), f["samples"][()]
    grid = np.zeros((*size, *[1] * (3 - len(size)), len(samples)), "c8", order="F")
    at = [k[:, d] + n // 2 for d, n in enumerate(size)]
    grid[(*at, *[0] * (3 - len(size)))] = samples.T
    write_cfl("cartesian", grid)


def methods_of(programs, size, *words):
    """Name, and the command that leaves maps of this size in a file."""
    ours = [programs.lsrecon, "maps", "calibration.h5", "-o", "maps.h5", "--quiet", *words]
    methods = [("lsrecon maps, espirit", [*ours, "--maps", "espirit"]),
               ("lsrecon maps, walsh", [*ours, "--maps", "walsh"])]
    if programs.bart:
        write_kspace("calibration.h5", size)
        methods.append(("bart ecalib", [programs.bart, "ecalib", "-r", CALIBRATION, "-m", 1,
                                        "cartesian", "bart_maps"]))
    return methods


def keep_maps(name):
    """As a file for --maps, whoever made them."""
    if "bart" not in name:
        shutil.copy("maps.h5", "used.h5")
        return
    maps = read_cfl("bart_maps").squeeze().transpose(2, 1, 0)
    with h5py.File("maps.h5") as ours, h5py.File("used.h5", "w") as f:
        for key, value in ours.attrs.items():
            f.attrs[key] = value
        f["coil_maps"] = np.ascontiguousarray(maps)
        for key, value in ours["coil_maps"].attrs.items():
            if not key.startswith("DIMENSION_"):
                f["coil_maps"].attrs[key] = value


def error_with(programs, truth, *words):
    programs.timed([programs.lsrecon, "recon", "scan.h5", "-o", "image.h5", "--quiet", "--lambda",
                    LAMBDA, *words])
    return difference(abs(image_of("image.h5")), abs(truth))


def rows_in_the_plane(programs, width, turns):
    size = (width, width)
    simulate(programs, "calibration.h5", "cartesian", size, COILS, "--without-maps")
    simulate(programs, "scan.h5", "radial", size, COILS, "--undersampling", 3, "--truth",
             "truth.h5", "--seed", 2)
    truth = image_of("truth.h5")
    with_true = error_with(programs, truth)
    rows = [["true maps", f"{100 * with_true:.2f}", "-", "-", "-"]]
    methods = methods_of(programs, size)
    seconds = np.min([[programs.timed(command) for _, command in methods] for _ in range(turns)],
                     axis=0)
    for (name, command), (wall, processor) in zip(methods, seconds):
        programs.timed(command)
        keep_maps(name)
        found = error_with(programs, truth, "--maps", "used.h5")
        rows.append([name, f"{100 * found:.2f}", f"{100 * (found / with_true - 1):+.1f} %",
                     f"{wall:.2f}", f"{processor:.2f}"])
    return rows


def rows_of_volume(programs, width):
    size = (width,) * 3
    os.unlink("calibration.h5")  # no scan is replaced
    simulate(programs, "calibration.h5", "cartesian", (CENTRE,) * 3, VOLUME_COILS,
             "--without-maps")
    return [[f"{name}, {width}^3, {VOLUME_COILS} coils", "", "",
             *(f"{value:.1f}" for value in programs.timed(command))]
            for name, command in methods_of(programs, size, "--matrix", ",".join(map(str, size)))
            if "walsh" not in name]


def compare(programs, options):
    head = ["maps", "image error, %", "beside true maps", "s", "processor, s"]
    rows = rows_in_the_plane(programs, options.matrix, options.turns)
    if options.volume:
        rows += rows_of_volume(programs, options.volume)
    about = (f"{options.matrix} x {options.matrix}, {COILS} coils, SNR 30, radial, undersampled 3 "
             f"times; {platform.machine()}, {len(os.sched_getaffinity(0))} cores.")
    lines = [f"| {' | '.join(row)} |" for row in [head, *rows]]
    return "\n".join([about, "", lines[0], f"|{'---|' * len(head)}", *lines[1:]])


def main():
    parser = common_flags(__doc__)
    parser.add_argument("--matrix", type=int, default=128)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--volume", type=int, help="width in voxels")
    write_table(compare, parser.parse_args())


if __name__ == "__main__":
    main()
