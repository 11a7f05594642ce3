#!/usr/bin/env python3
"""Images on another grid than that of the scan: of a low resolution, and with the coil maps and the
field map that the scan holds.

    other_grids.py LSRECON"""

import pathlib
import shutil
import sys

import h5py
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "data"))
from bad_ismrmrd import ACQUISITION, XML, write # noqa: E402
from in_folders import INPUT, expect, run_cases # noqa: E402

QUIET = ["--quiet", "--backend", "reference"]
N, COILS = 32, 4


def image_of(folder, scan, *words):
    folder.run(0, ["recon", scan, "-o", "i.h5", *QUIET, *words])
    with h5py.File(folder / "i.h5") as f:
        return f["image"][0]


def apart(found, wanted):
    return np.linalg.norm(found - wanted) / np.linalg.norm(wanted)


def without_maps(folder, scan, name):
    shutil.copy(folder / scan, folder / name)
    with h5py.File(folder / name, "r+") as f:
        del f["coil_maps"], f["field_map"]


def maps_of_the_scan_follow_the_grid(make):
    """As those of a file do, which the scan itself can be."""
    folder = make()
    folder.run(0, ["simulate", "--trajectory", "spiral", "--matrix", "16,16", "--coils", "2",
                   "--off-resonance-hz", "50", "--readout-ms", "2", "-o", "own.h5", *QUIET])
    without_maps(folder, "own.h5", "bare.h5")
    beside = ["--maps", "own.h5", "--field-map", "own.h5"]
    solve = ["--iterations", "4"]
    for grid in (["--matrix", "20,18"], ["--matrix", "7,6"], ["--fov-mm", "200,180"],
                 ["--matrix", "20,20", "--fov-mm", "300,300"]):
        found = image_of(folder, "own.h5", *solve, *grid)
        wanted = image_of(folder, "bare.h5", *solve, *grid, *beside)
        expect(found.tobytes() == wanted.tobytes(), f"{grid}: {apart(found, wanted)} apart")
    for words in (["--maps", "none"], ["--maps", "walsh", "--field-map", "none"]):
        image_of(folder, "own.h5", *solve, "--matrix", "20,20", *words)


def coils_and_object():
    x, y = np.meshgrid(np.arange(N) / N - 0.5, np.arange(N) / N - 0.5)
    angles = 2 * np.pi * np.arange(COILS) / COILS
    maps = np.array([np.exp(-(x - 0.6 * np.cos(a)) ** 2 - (y - 0.6 * np.sin(a)) ** 2 + 1j * a)
                     for a in angles])
    object_ = np.exp(-((x / 0.17) ** 2 + (y / 0.2) ** 2)) * (1 + 0.3 * np.cos(9 * x + 5 * y))
    return maps, object_


def to_kspace(images):
    return np.fft.fftshift(np.fft.fft2(np.fft.ifftshift(images, axes=(1, 2))), axes=(1, 2))


def write_scans(folder, kspace, maps):
    """Every sample of N x N, natively with maps, and as lines of an oversampled readout."""
    steps = np.arange(N) - N // 2
    with h5py.File(folder / "native.h5", "w") as f:
        f.attrs["format"], f.attrs["version"] = "lsrecon-scan", 1
        f.attrs["matrix"], f.attrs["fov_mm"] = [N, N], [240.0, 240.0]
        f["trajectory"] = np.stack(np.meshgrid(steps, steps), -1).reshape(-1, 2).astype("f4")
        f["trajectory"].attrs["units"] = "cycles/fov"
        f["samples"] = kspace.reshape(COILS, -1).astype("c8")
        f["coil_maps"] = maps.astype("c8")
    shutil.copy(folder / "native.h5", folder / "bare.h5")
    with h5py.File(folder / "bare.h5", "r+") as f:
        del f["coil_maps"]
    rows = []
    for step in range(N):
        row = np.zeros(1, ACQUISITION)
        head = row["head"]
        head["version"], head["number_of_samples"], head["center_sample"] = 1, N, N // 2
        head["available_channels"] = head["active_channels"] = COILS
        head["idx"]["kspace_encode_step_1"] = step
        row["traj"][0] = np.zeros(0, "f4")
        row["data"][0] = kspace[:, step].astype("c8").ravel().view("f4")
        rows.append(row)
    xml = XML.replace("<x>4</x><y>4</y>", f"<x>{N}</x><y>{N}</y>").replace("spiral", "cartesian")
    write(folder / "raw.h5", xml, np.concatenate(rows))


def a_low_resolution_is_what_was_asked_for(make):
    """The image of the samples within the smaller matrix, whatever it leaves out."""
    folder = make()
    maps, object_ = coils_and_object()
    kspace = to_kspace(maps * object_)
    write_scans(folder, kspace, maps)
    for small in (16, 8):
        first = N // 2 - small // 2
        center = kspace[:, first:first + small, first:first + small]
        coarse = np.fft.fftshift(np.fft.ifft2(np.fft.ifftshift(center, axes=(1, 2))), axes=(1, 2))
        step = N // small
        own = maps[:, ::step, ::step]  # at the same centres of voxels
        wanted = (own.conj() * coarse).sum(0) / (abs(own) ** 2).sum(0)
        matrix = ["--matrix", f"{small},{small}", "--lambda", "1e-4", "--iterations", "40"]
        for scan, words in (("native.h5", []), ("bare.h5", ["--maps", "native.h5"]),
                            ("raw.h5", ["--maps", "native.h5"])):
            off = apart(image_of(folder, scan, *matrix, *words), wanted)
            expect(off < 0.02, f"{scan}, {small} voxels: {off} off")
        for scan in ("bare.h5", "raw.h5"):
            found = np.abs(image_of(folder, scan, *matrix))
            square = np.sqrt((abs(coarse) ** 2).sum(0))  # maps that are estimated have squares of 1
            off = apart(found * (found * square).sum() / (found ** 2).sum(), square)
            expect(off < 0.05, f"{scan}, {small} voxels, maps of the scan: {off} off")
    solve = ["--lambda", "1e-4"]
    still = image_of(folder, "native.h5", *solve)
    moved = image_of(folder, "native.h5", *solve, "--shift-mm", "-7.5,7.5")  # a voxel each
    off = apart(moved, np.roll(still, (1, -1), (0, 1)))
    expect(off < 1e-3, f"an image that is moved with its maps is {off} off")
    folder.run(INPUT, ["recon", "native.h5", "-o", "image.h5", "--shift-mm", "50,0", *QUIET],
               ["field of view of the coil maps", "--fov-mm"])
    folder.run(INPUT, ["recon", "native.h5", "-o", "image.h5", *QUIET, "--matrix", "32,32",
                       "--fov-mm", "24000,24000"], ["samples that reach N/4"])


if __name__ == "__main__":
    sys.exit(run_cases([maps_of_the_scan_follow_the_grid, a_low_resolution_is_what_was_asked_for]))
