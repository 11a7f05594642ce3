#!/usr/bin/env python3
"""A part of a scan without the others: images of each coil that are not combined, and one slice of
a stack.

    alone.py LSRECON"""

import json
import sys

import h5py
import numpy as np

from in_folders import INPUT, USAGE, expect, run_cases

QUIET = ["--quiet", "--backend", "host"]
LEAST = ["--lambda", "0.01", "--iterations", "80", "--tolerance", "1e-7"]


def simulated(folder, name, *words):
    folder.run(0, ["simulate", "-o", name, "--snr", "40", "--coils", "3", *words, *QUIET])


def image_of(folder, scan, name, *words):
    folder.run(0, ["recon", scan, "-o", name, *LEAST, *words, *QUIET])
    with h5py.File(folder / name) as file:
        return file["image"][:]


def apart(a, b):
    return np.linalg.norm(a - b) / np.linalg.norm(b)


def coils_are_images(make):
    folder = make()
    simulated(folder, "one.h5", "--matrix", "24,24", "--noise-samples", "64")
    kept = ["--maps", "none", "--keep-coils"]
    coils = image_of(folder, "one.h5", "coils.h5", *kept)
    expect(coils.shape == (3, 24, 24), f"shape {coils.shape}")
    together = image_of(folder, "one.h5", "together.h5", "--maps", "none")
    expect(apart(np.sqrt((abs(coils) ** 2).sum(0)), together[0].real) < 1e-5, "another combination")
    with h5py.File(folder / "one.h5", "r+") as file:  # each coil by itself is a scan
        samples = file["samples"][:]
        del file["samples"], file["coil_maps"]
        file["samples"] = samples[1:2]
        del file["noise"]
    alone = image_of(folder, "one.h5", "alone.h5")
    simulated(folder, "plain.h5", "--matrix", "24,24")
    plain = image_of(folder, "plain.h5", "plain_coils.h5", *kept)
    expect(apart(plain[1], alone[0]) < 1e-4, "a coil is not what it is alone")
    with h5py.File(folder / "coils.h5") as file:
        labels = [label.decode() for label in file["frame_labels"]]
        expect(labels == ["coil 0", "coil 1", "coil 2"], f"labels {labels}")
        axes = file["image"].attrs["DIMENSION_LABELS"]
        expect([str(axis) for axis in axes][0] in ("coil", "b'coil'"), f"axes {axes}")
        expect(file["record"].attrs["option_keep_coils"] == "yes", "the record lacks the option")
        expect(file["image"].attrs["coils"] == 3, "no number of coils")


def axes_of_a_series(make):
    folder = make()
    simulated(folder, "series.h5", "--matrix", "16,16", "--frames", "2", "--trajectory",
              "golden-angle")
    kept = ["--maps", "none", "--keep-coils"]
    series = image_of(folder, "series.h5", "series_coils.h5", *kept)
    expect(series.shape == (2, 3, 16, 16), f"shape {series.shape}")
    second = image_of(folder, "series.h5", "second.h5", *kept, "--frames", "1")
    expect(np.array_equal(second, series[1]), "another second frame")
    image_of(folder, "series.h5", "virtual.h5", *kept, "--coils", "2", "--leave-out", "coils:0")
    facts = json.loads(folder.run(0, ["info", "--json", "series_coils.h5"]).stdout)
    expect(facts["frames"] == 6 and facts["frame_labels"][4] == "frame 1, coil 1", f"{facts}")
    for name in ("a.nii", "a.cfl", "a.png"):
        folder.run(0, ["convert", "series_coils.h5", "-o", name])
    with open(folder / "a.hdr", encoding="ascii") as header:
        sizes = header.read().split("\n")[1].split()
    expect([sizes[3], sizes[10]] == ["3", "2"], f"BART's sizes {sizes}")
    with open(folder / "a.nii", "rb") as file:
        dimensions = np.frombuffer(file.read(56)[40:], "<i2")
    expect(list(dimensions[:5]) == [4, 16, 16, 1, 6], f"NIfTI's sizes {dimensions}")
    for other in ("a.nii", "a.cfl"):
        found = json.loads(folder.run(0, ["compare", "--json", "series_coils.h5", other]).stdout)
        expect(found["error"] < 1e-6, f"{other} is another image: {found}")
    folder.run(0, ["convert", "series_coils.h5", "-o", "a.h5", "--frame", "4"])
    with h5py.File(folder / "a.h5") as file:
        expect(np.array_equal(file["image"][0], series[1, 1]), "another frame")
    folder.run(0, ["view", "series_coils.h5", "-o", "page.html"])
    for words in (["--keep-coils"], ["--keep-coils", "--maps", "espirit"],
                  [*kept, "--reg", "ttv:0.01"], [*kept, "--noise-map"],
                  [*kept, "--prior", "series_coils.h5", "--reg", "prior:1"]):
        folder.run(USAGE, ["recon", "series.h5", "-o", "image.h5", *words, *QUIET],
                   says=["keep-coils", "next:"] if words != ["--keep-coils"] else ["maps"])


def a_slice_is_that_of_the_whole(make):
    folder = make()
    for design in ("stack-of-spirals", "cartesian"):
        scan = f"{design}.h5"
        simulated(folder, scan, "--trajectory", design, "--matrix", "16,16,6", "--off-resonance-hz",
                  "20", "--noise-samples", "64")
        with h5py.File(folder / scan, "r+") as file:
            file.attrs["position"] = [1.0, 2, 3]
            file.attrs["directions"] = np.eye(3)
        whole = image_of(folder, scan, "whole.h5")
        for z in (0, 4):
            found = image_of(folder, scan, "slice.h5", "--stack-slice", str(z))
            expect(found.shape == (1, 16, 16), f"{design}: shape {found.shape}")
            expect(apart(found[0], whole[0, z]) < 2e-4,
                   f"{design}: slice {z} is {apart(found[0], whole[0, z])} apart")
        with h5py.File(folder / "slice.h5") as file:
            position = file["image"].attrs["position"]
            expect(np.allclose(position, [1, 2, 3 + 240 / 6]), f"position {position}")
        image_of(folder, scan, "kept.h5", "--stack-slice", "3", "--maps", "none", "--keep-coils")
    own = image_of(folder, scan, "own.h5", "--stack-slice", "3", "--maps", "walsh")
    expect(np.isfinite(own).all() and abs(own).max() > 0, "estimated maps")
    folder.run(0, ["predict", scan, "--stack-slice", "3", *LEAST])
    folder.run(USAGE, ["recon", "scan.h5", "-o", "image.h5", "--stack-slice", "0", *QUIET],
               says=["not a 3D scan"])
    folder.run(USAGE, ["recon", scan, "-o", "image.h5", "--stack-slice", "6", *QUIET],
               says=["0 to 5"])


def dependent_slices_are_refused(make):
    folder = make()
    simulated(folder, "random.h5", "--trajectory", "random", "--matrix", "12,12,6")
    folder.run(INPUT, ["recon", "random.h5", "-o", "image.h5", "--stack-slice", "0", *QUIET],
               says=["stack-slice", "together"])
    simulated(folder, "full.h5", "--trajectory", "stack-of-spirals", "--matrix", "12,12,6")

    def changed(name, says, change):
        with h5py.File(folder / "full.h5") as of, h5py.File(folder / name, "w") as to:
            for key, value in of.attrs.items():
                to.attrs[key] = value
            k, samples = of["trajectory"][:], of["samples"][:]
            k, samples = change(k, samples)
            to["trajectory"], to["samples"] = k, samples
            to["trajectory"].attrs["units"] = of["trajectory"].attrs["units"]
        folder.run(INPUT, ["recon", name, "-o", "image.h5", "--stack-slice", "1", *QUIET], says)

    def without_a_partition(k, samples):
        kept = k[:, 2] != k[:, 2].max()
        return k[kept], samples[:, kept]

    def rotated(k, samples):
        one = k[:, 2] == k[:, 2].max()
        k[one, :2] = k[one, :2] @ np.array([[0.8, -0.6], [0.6, 0.8]])
        return k, samples

    def uneven(k, samples):
        k[k[:, 2] == k[:, 2].max(), 2] -= 0.4
        return k, samples

    changed("five.h5", ["5 partitions"], without_a_partition)
    changed("rotated.h5", ["other positions in its plane"], rotated)
    changed("uneven.h5", ["not 1 apart"], uneven)


if __name__ == "__main__":
    sys.exit(run_cases([coils_are_images, axes_of_a_series, a_slice_is_that_of_the_whole,
                        dependent_slices_are_refused]))
