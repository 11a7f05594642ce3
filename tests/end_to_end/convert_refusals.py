#!/usr/bin/env python3
"""lsrecon convert: what is no image, and what a format cannot hold, is refused by name, and nothing
is written.

    convert_refusals.py LSRECON"""

import os
import resource
import sys

import h5py
import numpy as np

from images import marked, rng, write_image
from in_folders import INPUT, USAGE, expect, run_cases


def bad_images(make):
    folder = make()
    good = marked((2, 3, 4), (0, 1, 2))

    def image(change):
        write_image(folder / "bad.h5", good, (40, 30), np.zeros(3), np.eye(3), np.zeros((2, 3)))
        with h5py.File(folder / "bad.h5", "r+") as f:
            change(f)

    def attribute(name, value):
        return lambda f: f["image"].attrs.__setitem__(name, value)

    def dataset(name, value):
        def change(f):
            if name in f:
                del f[name]
            f[name] = value
        return change

    def nan(f):
        f["image"][1, 2, 3] = complex(np.nan, 0)

    cases = [
        (nan, ["frame 1, voxel (3, 2)", "NaN"]),
        (lambda f: f["image"].__setitem__((0, 0, 0), 3e38 + 3e38j), ["voxel (0, 0)", "infinity"]),
        (lambda f: f["image"].__setitem__((), 0), ["0 in every voxel"]),
        (lambda f: f["image"].attrs.__delitem__("fov_mm"), ["field of view"]),
        (attribute("fov_mm", [40.0, 30.0, 20.0]), ["fov_mm", "3 numbers"]),
        (attribute("fov_mm", [40.0, 0.0]), ["fov_mm", "positive"]),
        (attribute("fov_mm", [40.0, np.nan]), ["fov_mm", "NaN"]),
        (attribute("position", [1.0]), ["position", "1 number"]),
        (attribute("directions", np.ones(9)), ["directions", "unit vectors"]),
        (dataset("frame_positions", np.zeros((3, 3))), ["/frame_positions"]),
        (dataset("frame_positions", np.full((2, 3), np.inf)), ["/frame_positions", "finite"]),
        (dataset("frame_labels", np.array([b"one"])), ["/frame_labels"]),
        (dataset("record/residuals", np.ones((5, 1, 2))), ["/record/residuals"]),
        (lambda f: f.__delitem__("image"), ["/image", "missing"]),
    ]
    for change, says in cases:
        image(change)
        for name in ("o.nii", "o.cfl", "o.png", "o.mrd"):
            folder.run(INPUT, ["convert", "bad.h5", "-o", name], ["bad.h5", "next:", *says])
    write_image(folder / "wide.h5", np.ones((1, 1, 40000)), (40000, 1))
    folder.run(INPUT, ["convert", "wide.h5", "-o", "o.nii"], ["40000", "32767"])
    write_image(folder / "wide.h5", np.ones((1, 1, 70000)), (70000, 1))
    folder.run(INPUT, ["convert", "wide.h5", "-o", "o.mrd"], ["70000", "65535"])
    for name in ("scan.h5", "none.h5", "text", "none.cfl"):
        with open(folder / "text", "w", encoding="ascii") as f:
            f.write("nothing of that kind\n")
        folder.run(INPUT, ["convert", name, "-o", "o.nii"], [name, "next:"])
    left = [name for name in os.listdir(folder.path) if name.startswith("o.")]
    expect(not left, f"files of bad images: {left}")


def bad_pairs(make):
    folder = make()
    for header, values, says in (
            ("# Dimensions\n4 3 1\n", 11, "88 bytes"), ("# Dimensions\n4 3 1\n", 13, "104 bytes"),
            ("# Dimensions\n4 0 1\n", 12, "whole numbers"), ("# Dimensions\n4 x\n", 12, "4 x"),
            ("# Dimensions\n4 -3\n", 12, "4 -3"), ("# Dimensions\n", 12, "nothing"),
            ("# Dimensions\n" + "1 " * 17 + "\n", 1, "16"),
            ("# Dimensions\n" + "999999999 " * 16 + "\n", 12, "declares"),
            ("Dimensions 4 3\n", 12, "NAME.cfl and NAME.hdr"),
            ("# Dimensions\n4 3 1\n", None, "no such")):
        for name in ("bad.cfl", "bad.hdr"):
            if os.path.exists(folder / name):
                os.unlink(folder / name)
        with open(folder / "bad.hdr", "w", encoding="ascii") as f:
            f.write(header)
        if values is not None:
            np.ones(values, "<c8").tofile(folder / "bad.cfl")
        folder.run(INPUT, ["convert", "bad.cfl", "-o", "o.h5"], [says, "next:"])
    expect(not os.path.exists(folder / "o.h5"), "a file of a bad pair")


def outputs(make):
    folder = make()
    write_image(folder / "i.h5", np.ones((1, 64, 64)), (64, 64))
    for words, says in ((["-o", "x.jpg"], "--to"), (["-o", "x"], "--to"),
                        (["-o", "x.png", "--to", "nifti"], "the ending .png"),
                        (["-o", "x", "--to", "nifti"], "NIfTI-1"), (["-o", "x.gz"], "--to"),
                        (["-o", "copy.h5"], "already"), (["-o", "i.h5", "--to", "cfl"], None)):
        run = folder.run(0 if says is None else USAGE, ["convert", "i.h5", *words],
                         [] if says is None else [says, "next:"])
        expect(says is None or "found:" in run.stderr, f"no finding: {run.stderr}")
    expect(os.path.exists(folder / "i.h5.cfl"), "--to did not choose the format")
    os.mkdir(folder / "half.hdr")
    folder.run(USAGE, ["convert", "i.h5", "-o", "half.cfl"], ["half.hdr"])
    expect(not os.path.exists(folder / "half.cfl"), "half a pair was written")

    def small_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
    rough = rng.normal(size=(1, 64, 64)) + 1j
    write_image(folder / "i.h5", rough, (64, 64))
    for name in ("full.nii", "full.nii.gz", "full.cfl", "full.png", "full.mrd"):
        folder.run(INPUT, ["convert", "i.h5", "-o", name], [name], preexec_fn=small_files)
    left = [name for name in os.listdir(folder.path) if name.startswith("full")]
    expect(not left, f"parts of files on a full disk: {left}")


if __name__ == "__main__":
    sys.exit(run_cases([bad_images, bad_pairs, outputs]))
