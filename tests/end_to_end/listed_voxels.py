#!/usr/bin/env python3
"""Images of listed voxels: those of a grid are shown on it, others are no picture.

    listed_voxels.py LSRECON"""

import pathlib
import sys

import h5py
import numpy as np

from in_folders import INPUT, expect, run_cases
from pixels import pixels

RECON = ["recon", "listed.h5", "-o", "made.h5", "--quiet", "--backend", "reference",
         "--iterations", "4", "--lambda", "1e-3"]
X, Y = 14, 11
RNG = np.random.default_rng(7)


def listed(folder, positions):
    """A scan of X x Y voxels that lists these."""
    folder.run(0, ["simulate", "--trajectory", "spiral", "--matrix", f"{X},{Y}", "--coils", "1",
                   "--noise", "0.01", "--backend", "reference", "-o", "listed.h5", "--quiet"])
    with h5py.File(folder / "listed.h5", "r+") as f:
        f.pop("coil_maps", None)
        f["voxels"] = positions


def some_of_the_grid(count):
    """Indices y, x in any order, and their positions as floats round them."""
    y, x = np.divmod(RNG.permutation(X * Y)[:count], X)
    return y, x, np.stack([(x - X // 2) / X, (y - Y // 2) / Y], 1).astype(np.float32)


def voxels_of_a_grid_are_shown_on_it(make):
    for count in (X * Y, 40):
        folder = make()
        y, x, positions = some_of_the_grid(count)
        listed(folder, positions)
        folder.run(0, [*RECON, "--png", "image.png", "--noise-map", "3"])
        with h5py.File(folder / "made.h5") as f:
            values, noise = f["image"][0], f["noise_map"][()]
            expect(np.array_equal(f["voxels"], positions), "the image does not say where it is")
            expect(values.shape == noise.shape == (count,), f"{values.shape}, {noise.shape}")
        for name, stored, words in (("image", values, []),
                                    ("noise", noise, ["--map", "noise_map"])):
            folder.run(0, ["convert", "made.h5", "-o", f"{name}_grid.hdf5", *words])
            wanted = np.zeros((Y, X), complex)
            wanted[y, x] = stored
            with h5py.File(folder / f"{name}_grid.hdf5") as f:
                expect(np.array_equal(f["image"][0], wanted.astype("c8")), f"{name} is elsewhere")
                expect("voxels" not in f, "a list beside an image on the grid")
        folder.run(0, ["convert", "made.h5", "-o", "again.png"])
        shown = pixels(folder / "image.png")
        expect(np.array_equal(shown, pixels(folder / "again.png")), "convert shows another image")
        zoom = shown.shape[1] // X
        expect(shown.shape == (Y * zoom, X * zoom), f"a picture of {shown.shape}")
        dark = np.ones((Y, X), bool)
        dark[y, x] = False
        expect(not shown[::zoom, ::zoom][dark].any(), "voxels that are not listed have values")
        folder.run(0, ["view", "made.h5", "-o", "page.html", "--quiet"])
        folder.run(0, ["view", "image_grid.hdf5", "-o", "grid.html", "--quiet"])
        pages = [pathlib.Path(folder / name).read_text() for name in ("page.html", "grid.html")]
        pictures = [page.split('id="magnitude_0_0">')[1].split("<")[0] for page in pages]
        expect(pictures[0] == pictures[1], "the page shows another image")
        expect('"noise map"' in pages[0], "the page has no map of the noise")


def others_are_no_picture(make):
    y, x, positions = some_of_the_grid(40)
    beside, twice, outside = positions.copy(), positions.copy(), positions.copy()
    beside[7] += [0.1 / X, 0]
    twice[9] = twice[3]
    outside[5, 1] = 0.5 + 0.5 / Y
    for wrong, says in ((beside, ["voxel 7", "beside the grid"]), (twice, ["voxel 9", "another"]),
                        (outside, ["voxel 5", "beside the grid"])):
        folder = make()
        listed(folder, wrong)
        says = ["/voxels, " + says[0], says[1], "without --png"]
        with h5py.File(folder / "listed.h5", "r+") as f:
            samples = f["samples"][()]
            f["samples"][...] = np.nan
        folder.run(INPUT, [*RECON, "--png", "image.png"], says)
        with h5py.File(folder / "listed.h5", "r+") as f:
            f["samples"][...] = samples
        folder.run(0, RECON)
        for words in (["convert", "made.h5", "-o", "i.nii"], ["convert", "made.h5", "-o", "i.png"],
                      ["view", "made.h5", "-o", "page.html"]):
            folder.run(INPUT, words, says)


if __name__ == "__main__":
    sys.exit(run_cases([voxels_of_a_grid_are_shown_on_it, others_are_no_picture]))
