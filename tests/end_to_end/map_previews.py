#!/usr/bin/env python3
"""The image file shows the coil maps that it was made with: those of `lsrecon maps`, at some
voxels.

    map_previews.py LSRECON"""

import os
import sys

import h5py
import numpy as np

from in_folders import INPUT, expect, run_cases

PREVIEWS = "coil_map_previews"
QUIET = ["--iterations", "2", "--quiet", "--backend", "reference"]


def simulated(folder, matrix, coils, *more):
    folder.run(0, ["simulate", "--trajectory", "radial" if matrix.count(",") == 1 else "radial-3d",
                   "--matrix", matrix, "--undersampling", "4", "--coils", str(coils), *more, "-o",
                   "coils.h5", "--quiet"])


def made(folder, *words):
    """Previews and their attributes, None for none."""
    folder.run(0, ["recon", "coils.h5", "-o", "i.h5", "--iterations", "1", "--quiet", *words])
    with h5py.File(folder / "i.h5") as f:
        if PREVIEWS not in f:
            return None
        return f[PREVIEWS][()], {name: value for name, value in f[PREVIEWS].attrs.items()
                                 if name != "DIMENSION_LABELS"}


def maps_of(path):
    with h5py.File(path) as f:
        return f["coil_maps"][()].astype("c8")


def they_are_the_maps_at_some_voxels(make):
    folder = make()
    simulated(folder, "70,50", 5, "--without-maps")
    folder.run(0, ["maps", "coils.h5", "-o", "maps.h5", "--quiet"])
    estimated = maps_of(folder / "maps.h5")
    for words in ([], ["--maps", "espirit"], ["--maps", "maps.h5"]):
        values, about = made(folder, *words)
        expect(values.dtype == np.complex64 and np.array_equal(values, estimated[:, ::2, ::2]),
               f"{words}: previews of {values.shape}, not the maps")
        expect(about == {"coils": 5, "step": 2}, f"{words}: {about}")
    told = folder.run(0, ["info", "i.h5"]).stdout
    expect("/coil_map_previews        5 coils, one of 2 voxels in each direction: " in told, told)
    values, _ = made(folder, "--maps", "walsh")
    expect(values.shape == (5, 25, 35) and not np.array_equal(values, estimated[:, ::2, ::2]),
           "previews of other maps than walsh's")
    values, about = made(folder, "--coils", "3")
    expect(values.shape == (3, 25, 35) and about["coils"] == 3, f"of virtual coils {about}")
    values, about = made(folder, "--matrix", "40,40")
    expect(values.shape == (5, 40, 40) and about["step"] == 1, f"on another grid {about}")
    expect(made(folder, "--maps", "none") is None, "previews without maps")
    expect("coil_map" not in folder.run(0, ["info", "i.h5"]).stdout, "info tells of none")


def of_volumes_the_middle_slice_and_of_many_coils_the_first(make):
    folder = make()
    simulated(folder, "10,8,6", 40)
    values, about = made(folder)
    expect(np.array_equal(values, maps_of(folder / "coils.h5")[:32, 3]), "not the scan's own maps")
    expect(about == {"coils": 40, "step": 1, "slice": 3}, f"{about}")
    expect("32 of 40 coils, slice 3: " in folder.run(0, ["info", "i.h5"]).stdout, "info")
    with h5py.File(folder / "coils.h5", "r+") as f:
        f["coil_maps"][:, 3] = 0
    expect(made(folder) is None, "previews of zeros")


def one_coil_without_maps_has_none(make):
    folder = make()
    simulated(folder, "16,16", 1, "--without-maps")
    expect(made(folder) is None, "previews of one coil")


def a_run_that_was_continued_has_the_same(make):
    """It finds all frames but a bad one in the part that the first run left."""
    folder = make()
    simulated(folder, "48,48", 4, "--without-maps", "--frames", "3")
    with h5py.File(folder / "coils.h5", "r+") as scan:
        scan["samples"][0, 0, 5] = np.nan
    found = []
    folder.kept = {"i.h5.part"}
    for words in ([], ["--resume"]):
        folder.run(INPUT, ["recon", "coils.h5", "-o", "i.h5", *words, *QUIET], ["frame 0"])
        with h5py.File(folder / "i.h5") as f:
            found.append((f[PREVIEWS][()], f["record"].attrs.get("frames_resumed")))
    expect(found[0][1] is None and found[1][1] == 2, f"{found[1][1]} frames were kept")
    expect(np.array_equal(found[0][0], found[1][0]), "other previews")


def damaged_ones_are_refused(make):
    folder = make()
    simulated(folder, "70,50", 2, "--without-maps")
    made(folder)

    def damaged(code, says, change):
        with open(folder / "i.h5", "rb") as f, open(folder / "bad.h5", "wb") as copy:
            copy.write(f.read())
        with h5py.File(folder / "bad.h5", "r+") as f:
            change(f)
        folder.run(code, ["view", "bad.h5", "-o", "p.html"], says)

    def replace(values):
        def change(file):
            attributes = dict(file[PREVIEWS].attrs)
            del file[PREVIEWS]
            file[PREVIEWS] = values
            file[PREVIEWS].attrs.update(attributes)
        return change

    def attribute(name, value=None):
        def change(file):
            del file[PREVIEWS].attrs[name]
            if value is not None:
                file[PREVIEWS].attrs[name] = value
        return change

    damaged(INPUT, [PREVIEWS, "NaN", "next:"], replace(np.full((2, 25, 35), np.nan, "c8")))
    damaged(INPUT, [PREVIEWS, "[2, 25, 35]", "next:"], replace(np.ones((2, 25, 34), "c8")))
    damaged(INPUT, [PREVIEWS, "complex", "next:"], replace(np.ones((2, 25, 35))))
    damaged(INPUT, [PREVIEWS, "step", "whole number", "next:"], attribute("step", 1.5))
    damaged(INPUT, [PREVIEWS, "step", "next:"], attribute("step"))
    damaged(INPUT, [PREVIEWS, "coils", "next:"], attribute("coils", 0))
    expect(not os.path.exists(folder / "p.html"), "a page of a bad file")


if __name__ == "__main__":
    sys.exit(run_cases([they_are_the_maps_at_some_voxels,
                        of_volumes_the_middle_slice_and_of_many_coils_the_first,
                        one_coil_without_maps_has_none, a_run_that_was_continued_has_the_same,
                        damaged_ones_are_refused]))
