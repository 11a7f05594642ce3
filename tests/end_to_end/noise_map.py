#!/usr/bin/env python3
"""recon --noise-map: the map of the noise against images of scans with other noise, on every
backend, by probes and by replicas, and what view and convert make of it.

    noise_map.py LSRECON"""

import sys

import h5py
import numpy as np

from in_folders import INPUT, USAGE, expect, recon, run_cases


def scan(folder, name, *words):
    folder.run(0, ["simulate", "--trajectory", "radial", "--matrix", "24,24", "--readouts", "16",
                   "--coils", "3", "-o", name, "--quiet", *words])


def scan_of_half_the_lines(folder, name):
    folder.run(0, ["simulate", "--trajectory", "cartesian", "--undersampling", "2", "--matrix",
                   "24,24", "--coils", "3", "--noise", "0.03", "-o", name, "--quiet"])


def numbers(folder, name, dataset):
    with h5py.File(folder / name) as f:
        return f[dataset][()]


def it_is_the_scatter_of_images_with_other_noise(make):
    """Frames are the same phantom with other noise, solved with the same maps."""
    folder = make()
    count = 60
    scan(folder, "s.h5", "--noise", "0.03", "--noise-correlation", "0.6", "--noise-samples", "2000",
         "--frames", str(count))
    how = ["s.h5", "-o", "i.h5", "--no-whitening", "--quiet", "--backend", "host", "--iterations",
           "6"]
    folder.run(0, ["recon", *how])
    scattered = np.std(numbers(folder, "i.h5", "image"), axis=0, ddof=1) / np.sqrt(2)
    folder.run(0, ["recon", *how, "--frames", "0", "--noise-map", str(count)])
    estimate = numbers(folder, "i.h5", "noise_map")
    # Each has the relative error 1 / (2 sqrt(59)); neighbours are correlated, so that the mean over
    # the image is not better by more than some voxels.
    one = 1 / (2 * np.sqrt(count - 1))
    ratio = estimate / scattered
    expect(abs(np.mean(ratio) - 1) < one, f"the mean ratio is {np.mean(ratio)}")
    expect(np.std(ratio) < 3 * one, f"the ratio scatters by {np.std(ratio)}")
    with h5py.File(folder / "i.h5") as f:
        expect("g_factor" not in f, "a g-factor of correlated noise")


def every_backend_and_solver_agrees(make):
    folder = make()
    scan(folder, "s.h5", "--noise", "0.03", "--noise-samples", "100")
    maps = []
    for words in (["--backend", "reference"], ["--backend", "reference", "--solver", "eigen"],
                  ["--precision", "double"], [], []):
        folder.run(0, ["recon", "s.h5", "-o", "i.h5", "--noise-map", "30", "--quiet",
                       "--iterations", "300", "--lambda", "0.03", "--tolerance", "1e-4", *words])
        maps.append(numbers(folder, "i.h5", "noise_map"))
        # Solves differ by the tolerance times what lambda lets through of it.
        distance = np.linalg.norm(maps[-1] - maps[0]) / np.linalg.norm(maps[0])
        expect(distance < 1e-2, f"{words}: {distance} from the reference")
    expect(maps[3].tobytes() == maps[4].tobytes(), "other bits of the same run")
    expect(maps[0].dtype == np.float32 and maps[0].shape == (24, 24), "another type or shape")
    with h5py.File(folder / "i.h5") as f:
        record = f["record"].attrs
        expect(np.isclose(record["noise_map_largest"][0], f["noise_map"][()].max()), "largest")
        middle = np.sort(f["noise_map"][()], axis=None)[24 * 24 // 2]
        expect(np.isclose(record["noise_map_median"][0], middle), "median")
        expect(2 < record["noise_probes"] <= 30, "probes")
        expect(0 < record["noise_map_error"] < 0.3, f"an error of {record['noise_map_error']}")
    folder.run(0, ["recon", "s.h5", "-o", "i.h5", "--noise-map", "3", "--quiet",
                   "--reg", "tv:0.01"])
    with h5py.File(folder / "i.h5") as f:
        expect(f["record"].attrs["noise_replicas"] == 3, "replicas")


def it_is_refused_or_left_out_where_it_means_nothing(make):
    folder = make()
    folder.run(USAGE, recon("-o", "image.h5", "--noise-map", "1"), ["a whole number from 2"])
    folder.run(USAGE, recon("-o", "image.h5", "--noise-map", "-3"))
    scan(folder, "radial.h5")
    scan_of_half_the_lines(folder, "half.h5")
    for name, words, why in (("radial.h5", ["--lambda", "0"], "corners of k-space"),
                             ("half.h5", ["--maps", "none"], "without maps"),
                             ("half.h5", [], "--lambda 0"),
                             ("half.h5", ["--lambda", "0", "--reg", "tv:0.01"], "--lambda 0"),
                             ("half.h5", ["--lambda", "0", "--iterations", "3"], "--iterations")):
        folder.run(0, ["recon", name, "-o", "i.h5", "--noise-map", "2", "--quiet",
                       "--backend", "host", *words], ["no g-factor", why, "variance 1"])
        with h5py.File(folder / "i.h5") as f:
            expect("noise_map" in f and "g_factor" not in f, f"{words}: what is in the file")


def the_g_factor_is_that_without_regularisation(make):
    folder = make()
    scan_of_half_the_lines(folder, "s.h5")
    folder.run(0, ["recon", "s.h5", "-o", "i.h5", "--noise-map", "--lambda", "0", "--iterations",
                   "300"], ["g-factor", "median 1."])
    g = numbers(folder, "i.h5", "g_factor")
    scatter = 1 / (2 * np.sqrt(99))
    expect(g.min() > 1 - 5 * scatter, f"a g-factor of {g.min()}")
    expect(g.max() > 1.3, f"nothing to find: {g.max()} at most")
    with h5py.File(folder / "i.h5") as f:
        expect("without regularisation" in f["g_factor"].attrs["definition"], "says not what it is")


def others_can_look_at_it(make):
    folder = make()
    scan_of_half_the_lines(folder, "s.h5")
    folder.run(0, ["recon", "s.h5", "-o", "i.h5", "--noise-map", "4", "--quiet",
                   "--lambda", "0", "--iterations", "300"])
    folder.run(0, ["view", "i.h5", "-o", "p.html"])
    with open(folder / "p.html", encoding="utf-8") as page:
        words = page.read()
    expect('"noise map"' in words and '"g-factor"' in words, "the page lacks a map")
    for name in ("noise_map", "g_factor"):
        folder.run(0, ["convert", "i.h5", "-o", "o.cfl", "--map", name, "--quiet"])
        values = np.fromfile(folder / "o.cfl", "<c8").reshape(24, 24)
        expect(np.array_equal(values, numbers(folder, "i.h5", name)), f"another {name}")
    expect("noise_map_median" in folder.run(0, ["info", "i.h5"]).stdout, "info says nothing")
    folder.run(0, ["recon", "s.h5", "-o", "i.h5", "--quiet"])
    folder.run(INPUT, ["convert", "i.h5", "-o", "n.png", "--map", "noise_map"],
               ["/noise_map", "--noise-map", "next:"])
    folder.run(USAGE, ["convert", "o.cfl", "-o", "n.png", "--map", "noise_map"], ["--map"])


if __name__ == "__main__":
    sys.exit(run_cases([it_is_the_scatter_of_images_with_other_noise,
                        every_backend_and_solver_agrees,
                        it_is_refused_or_left_out_where_it_means_nothing,
                        the_g_factor_is_that_without_regularisation, others_can_look_at_it]))
