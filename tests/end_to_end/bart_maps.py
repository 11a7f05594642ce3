#!/usr/bin/env python3
"""Coil maps of BART: read from its pair of files, written as one, and those of its ecalib.

    bart_maps.py LSRECON"""

import shutil
import subprocess
import sys

import h5py
import numpy as np

from in_folders import INPUT, USAGE, expect, run_cases

X, Y, COILS = 48, 40, 6
QUIET = ["--quiet", "--backend", "reference"]
RECON = ["recon", "scan.h5", *QUIET, "--lambda", "1e-3"]


def write_cfl(path, values, dimensions):
    """`values` in the order of the file; x is the fastest."""
    np.asarray(values, "<c8").tofile(path + ".cfl")
    with open(path + ".hdr", "w", encoding="ascii") as f:
        f.write("# Dimensions\n" + " ".join(str(n) for n in dimensions) + "\n")


def undersampled_scan(folder):
    """Every second line and the 16 in the middle, without maps; the true maps, and all of k-space
    [C, Y, X]. The image is not symmetric."""
    folder.run(0, ["simulate", "--trajectory", "cartesian", "--matrix", f"{X},{Y}", "--coils",
                   str(COILS), "--noise", "0.01", "-o", "full.h5", "--truth", "object.h5", *QUIET])
    with h5py.File(folder / "full.h5") as full, h5py.File(folder / "scan.h5", "w") as f:
        for name, value in full.attrs.items():
            f.attrs[name] = value
        k, samples = full["trajectory"][()], full["samples"][()]
        line = np.rint(k[:, 1]).astype(int)
        kept = (line % 2 == 0) | (abs(line) <= 8)
        f["trajectory"], f["samples"] = k[kept], samples[:, kept]
        f["trajectory"].attrs["units"] = full["trajectory"].attrs["units"]
        kspace = np.zeros((COILS, Y, X), "c8")
        kspace[:, line + Y // 2, np.rint(k[:, 0]).astype(int) + X // 2] = samples
        return full["coil_maps"][()], kspace


def image_of(folder, *words):
    folder.run(0, [*RECON, "-o", "i.h5", *words])
    with h5py.File(folder / "i.h5") as f:
        return f["image"][0], dict(f["record"].attrs)


def maps_of_a_pair_are_those_of_hdf5(make):
    folder = make()
    maps, _ = undersampled_scan(folder)
    with h5py.File(folder / "maps.h5", "w") as f:
        f["coil_maps"] = maps.astype("c8")
    write_cfl(folder / "maps", maps, (X, Y, 1, COILS))
    wanted, _ = image_of(folder, "--maps", "maps.h5")
    for name in ("maps.cfl", "maps.hdr"):
        found, record = image_of(folder, "--maps", name)
        expect(found.tobytes() == wanted.tobytes(), f"{name}: another image")
        expect(any(f"coil maps of {name}, SHA-256" in str(value) for value in record.values()),
               "the record does not name the maps")
    folder.run(0, ["convert", "maps.h5", "-o", "back.cfl"])
    with open(folder / "back.hdr", encoding="ascii") as f:
        sizes = [int(word) for word in f.read().splitlines()[1].split()]
    expect(sizes == [X, Y, 1, COILS] + [1] * 12, f"other dimensions: {sizes}")
    expect(np.array_equal(np.fromfile(folder / "back.cfl", "<c8"), maps.astype("c8").ravel()),
           "other values")
    folder.run(USAGE, ["convert", "maps.h5", "-o", "image.h5"], ["already"])
    folder.run(0, ["maps", "scan.h5", "-o", "own.h5", *QUIET])
    folder.run(0, ["convert", "own.h5", "-o", "own.cfl"])
    with h5py.File(folder / "own.h5") as f:
        expect(np.array_equal(np.fromfile(folder / "own.cfl", "<c8"), f["coil_maps"][()].ravel()),
               "other values of maps that were made here")


def other_pairs_are_refused(make):
    folder = make()
    maps, _ = undersampled_scan(folder)
    twice = np.stack([maps, 0 * maps])
    without_one = maps.copy()
    without_one[2] = 0
    with h5py.File(folder / "full.h5", "r+") as f:
        f["coil_maps"][2] = 0
    folder.run(INPUT, ["recon", "full.h5", *QUIET, "-o", "image.h5"],
               ["full.h5: /coil_maps", "only zeros for coil 2", "next:"])
    for values, dimensions, says in (
            (twice, (X, Y, 1, COILS, 2), ["[2, 6, 1, 40, 48]", "bart ecalib -m 1"]),
            (twice, (X, Y, 1, COILS, 1, 1, 1, 1, 1, 1, 2), ["[2, 1, 1, 1, 1, 1, 1, 6, 1, 40, 48]"]),
            (twice, (X, Y, 2, COILS), ["2 slices", "two dimensions"]),
            (maps[:3], (X, Y, 1, 3), ["maps of 3 coils", "6"]),
            (0 * maps, (X, Y, 1, COILS), ["only zeros"]),
            (without_one, (X, Y, 1, COILS), ["only zeros for coil 2", "has signal", "espirit"]),
            (np.nan * maps, (X, Y, 1, COILS), ["finite"]),
            (maps[:4], (X, Y, 1, COILS), ["declares"])):
        write_cfl(folder / "maps", values, dimensions)
        folder.run(INPUT, [*RECON, "-o", "image.h5", "--maps", "maps.cfl"],
                   ["maps.", "next:", *says])


def ecalib_is_as_good_as_espirit(make):
    """Skips where there is no BART."""
    if shutil.which("bart") is None:
        return
    folder = make()
    _, kspace = undersampled_scan(folder)
    write_cfl(folder / "kspace", kspace, (X, Y, 1, COILS))
    subprocess.run(["bart", "ecalib", "-m", "1", "-r", "16", "kspace", "maps"], cwd=folder.path,
                   check=True, stdout=subprocess.DEVNULL)
    with h5py.File(folder / "object.h5") as f:
        truth = abs(f["image"][0])

    def error(*words):
        found = abs(image_of(folder, *words)[0])
        found *= (found * truth).sum() / (found**2).sum()
        return np.linalg.norm(found - truth) / np.linalg.norm(truth)
    own, of_bart = error("--maps", "espirit"), error("--maps", "maps.cfl")
    expect(of_bart < 1.3 * own, f"error {of_bart} with maps of ecalib, {own} with espirit")
    values = np.fromfile(folder / "maps.cfl", "<c8").reshape(COILS, Y, X)
    for axis in (1, 2):
        write_cfl(folder / "flipped", np.flip(values, axis), (X, Y, 1, COILS))
        wrong = error("--maps", "flipped.cfl")
        expect(wrong > 1.5 * own, f"error {wrong} with flipped maps: the test shows nothing")


if __name__ == "__main__":
    sys.exit(run_cases([maps_of_a_pair_are_those_of_hdf5, other_pairs_are_refused,
                        ecalib_is_as_good_as_espirit]))
