#!/usr/bin/env python3
"""Images beside each other: how far one is from the other, and images made like one that is there.

    compare.py LSRECON"""

import json
import sys

import h5py
import numpy as np

from in_folders import INPUT, USAGE, expect, run_cases

QUIET = ["--quiet", "--backend", "host"]


def make_base(folder, *more):
    folder.run(0, ["simulate", "--trajectory", "golden-angle", "--matrix", "24,24", "--coils", "3",
                   "--frames", "2", "--snr", "30", "-o", "series.h5", *more, *QUIET])


def compared(folder, *words):
    return json.loads(folder.run(0, ["compare", "--json", *words]).stdout)


def values_of(path, name="image"):
    with h5py.File(path) as file:
        return file[name][:]


def errors_and_scales_are_those_of_the_values(make):
    folder = make()
    make_base(folder)
    folder.run(0, ["recon", "series.h5", "-o", "a.h5", "--lambda", "0.01", *QUIET])
    same = compared(folder, "a.h5", "a.h5")
    expect(same["error"] == 0 and abs(same["scale"] - 1) < 1e-12, f"the same image: {same}")
    a = values_of(folder / "a.h5").astype("c16")
    noise = 0.01 * np.random.default_rng(1).standard_normal(a.shape) * abs(a).max()
    b = 2j * a + noise
    b[1, 3, 4] += 5 * abs(a).max()
    with open(folder / "a.h5", "rb") as of, open(folder / "b.h5", "wb") as to:
        to.write(of.read())
    with h5py.File(folder / "b.h5", "r+") as file:
        file["image"][...] = b.astype("c8")
    found = compared(folder, "a.h5", "b.h5", "-o", "page.html")
    scale = np.vdot(a, b) / np.vdot(a, a)
    left = abs(scale * a - b)
    near = {"error": np.linalg.norm(a - b) / np.linalg.norm(b), "scale": abs(scale),
            "phase": np.angle(scale), "scaled_error": np.linalg.norm(left) / np.linalg.norm(b),
            "largest_difference": left.max() / abs(b).max()}
    for name, value in near.items():
        expect(abs(found[name] - value) < 1e-5 * value, f"{name} {found[name]}, not {value}")
    expect([found["largest_in_frame"], found["largest_at_voxel"]] == [1, 3 * 24 + 4],
           f"the largest is at {found}")
    expect(np.allclose(found["scaled_errors"], [np.linalg.norm(left[f]) / np.linalg.norm(b[f])
                                                for f in (0, 1)], rtol=1e-5), f"frames: {found}")
    expect("difference, scaled" in open(folder / "page.html", encoding="utf-8").read(), "no page")
    folder.run(0, ["convert", "b.h5", "-o", "b.cfl", "--quiet"])
    expect(compared(folder, "b.h5", "b.cfl")["error"] == 0, "BART's pair is another image")
    turned = compared(folder, "a.h5", "b.h5", "--magnitudes")
    expect(turned["of_magnitudes"] and turned["phase"] == 0, f"magnitudes: {turned}")


def what_cannot_be_compared_is_refused(make):
    folder = make()
    make_base(folder)
    for name, *words in (("a.h5",), ("small.h5", "--matrix", "16,16"), ("one.h5", "--frames", "0")):
        folder.run(0, ["recon", "series.h5", "-o", name, "--lambda", "0.01", *words, *QUIET])
    folder.run(INPUT, ["compare", "a.h5", "small.h5"], says=["24 x 24", "16 x 16", "convert"])
    folder.run(INPUT, ["compare", "a.h5", "one.h5"], says=["2 frames", "1 frame"])
    folder.run(INPUT, ["compare", "a.h5", "series.h5"])
    folder.run(USAGE, ["compare", "a.h5"])


def an_image_like_another(make):
    folder = make()
    make_base(folder)
    words = ["--maps", "walsh", "--reg", "tv:0.01", "--iterations", "3", "--leave-out", "coils:1"]
    folder.run(0, ["recon", "series.h5", "-o", "a.h5", *words, *QUIET])
    folder.run(0, ["recon", "series.h5", "-o", "b.h5", "--like", "a.h5", "--quiet"])
    expect(np.array_equal(values_of(folder / "a.h5"), values_of(folder / "b.h5")),
           "another image by the same options")
    folder.run(0, ["recon", "series.h5", "-o", "c.h5", "--like", "a.h5", "--iterations", "5",
                   "--quiet"])
    with h5py.File(folder / "c.h5") as file:
        record = dict(file["record"].attrs)
    expect(record["option_iterations"] == "5" and record["option_reg"] == "tv:0.01",
           f"not the user's: {record}")
    folder.run(0, ["maps", "series.h5", "-o", "maps.h5", *QUIET])
    folder.run(0, ["recon", "series.h5", "-o", "d.h5", "--maps", "maps.h5", *QUIET])
    folder.run(0, ["maps", "series.h5", "-o", "maps.h5", "--maps-crop", "0.5", *QUIET])
    folder.run(INPUT, ["recon", "series.h5", "-o", "image.h5", "--like", "d.h5", "--quiet"],
               says=["maps.h5", "changed since", "--like"])
    folder.run(INPUT, ["recon", "series.h5", "-o", "image.h5", "--like", "series.h5", "--quiet"],
               says=["no record"])


def adjoint_images_are_images(make):
    folder = make()
    make_base(folder, "--without-maps")
    folder.run(0, ["fhd", "series.h5", "-o", "fhd.h5", *QUIET])
    fhd = values_of(folder / "fhd.h5", "fhd")
    folder.run(0, ["convert", "fhd.h5", "-o", "fhd.cfl", "--quiet"])
    folder.run(0, ["convert", "fhd.cfl", "-o", "image_of_fhd.h5", "--quiet"])
    image = values_of(folder / "image_of_fhd.h5")
    expect(fhd.ndim == 4 and np.array_equal(fhd.reshape(image.shape), image),
           f"F^H d {fhd.shape} as an image {image.shape}")
    folder.run(0, ["view", "fhd.h5", "-o", "fhd.html", "--quiet"])
    expect("frame 1, coil 2" in open(folder / "fhd.html", encoding="utf-8").read(), "no labels")


if __name__ == "__main__":
    sys.exit(run_cases([errors_and_scales_are_those_of_the_values,
                        what_cannot_be_compared_is_refused, an_image_like_another,
                        adjoint_images_are_images]))
