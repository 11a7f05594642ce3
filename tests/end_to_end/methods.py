#!/usr/bin/env python3
"""Images without a solver: gridding is near the truth, the FFT of a Cartesian scan is its
least-squares image, and what a method has no use for is refused.

    methods.py LSRECON"""

import json
import re
import sys

import h5py
import numpy as np

from in_folders import INPUT, USAGE, expect, recon, run_cases

NOT_BUILT = 5


def simulate(folder, *words):
    folder.run(0, ["simulate", "-o", "s.h5", "--truth", "t.h5", "--quiet",
                   *words])


def image(folder, *words):
    folder.run(0, ["recon", "s.h5", "-o", "i.h5", "--quiet", *words])
    with h5py.File(folder / "i.h5") as file:
        return file["image"][()], dict(file["record"].attrs)


def error(folder, *words):
    """Relative L2 error against the truth, phase and scale included."""
    found, _ = image(folder, *words)
    with h5py.File(folder / "t.h5") as file:
        truth = file["image"][()]
    return np.linalg.norm(found - truth) / np.linalg.norm(truth)


def densities(folder):
    words = ["recon", "scan.h5", "-o", "v.h5", "--method", "gridding", "--density", "voronoi"]
    built = folder.can_run(words)
    if not built:
        folder.run(NOT_BUILT, words, ["not built in", "pipe"])
    return ["auto", "pipe"] + (["voronoi"] if built else [])


def gridding_is_near_the_truth(make):
    for shape in (["radial", "--matrix", "48,48"], ["spiral", "--matrix", "48,40"],
                  ["golden-angle", "--matrix", "48,48"], ["radial-3d", "--matrix", "16,16,16"]):
        folder = make()
        simulate(folder, "--trajectory", *shape, "--coils", "3")
        bound = 0.5 if "radial-3d" in shape else 0.25
        for density in densities(folder):
            found = error(folder, "--method", "gridding", "--density", density)
            expect(found < bound, f"{shape} {density}: error {found}")
        _, record = image(folder, "--method", "gridding")
        expect(record["method"] == "gridding", f"method {record['method']}")
        expect("analytic" in record["solver"], f"solver {record['solver']}")
        expect("lambda" not in record, "lambda of what was not solved")


def an_even_density_is_least_squares(make):
    """Samples of a full grid, moved by a fraction of a cell: no FFT, but an even density."""
    folder = make()
    simulate(folder, "--trajectory", "cartesian", "--matrix", "16,15", "--coils", "2")
    with h5py.File(folder / "s.h5", "r+") as file:
        file["weights"] = np.full(240, 7.0)
    solved, _ = image(folder, "--lambda", "0", "--tolerance", "1e-9", "--iterations", "50")
    for density in densities(folder):
        gridded, _ = image(folder, "--method", "gridding", "--density", density)
        expect(np.allclose(gridded, solved, rtol=0, atol=1e-5 * abs(solved).max()), density)


def the_fft_is_least_squares(make):
    rng = np.random.default_rng(3)
    has_device = make().can_run(["recon", "scan.h5", "-o", "d.h5", "--backend", "opencl"])
    for words in ("16,16 --coils 3", "16,16", "15,12 --coils 3 --maps none", "7,6,5 --coils 3",
                  "7,6,5 --coils 3 --maps none", "7,6,5"):
        folder = make()
        matrix, *more = words.split()
        coils, maps = more[:2], more[2:]
        simulate(folder, "--trajectory", "cartesian", "--matrix", matrix, *coils)
        with h5py.File(folder / "s.h5", "r+") as file:
            order = rng.permutation(len(file["trajectory"]))
            for name in ("trajectory", "samples"):
                values = file[name][()]
                file[name][...] = values[order] if name == "trajectory" else values[:, order]
            phi = rng.uniform(0.5, 1, len(order)) * np.exp(1j * rng.uniform(0, 1, len(order)))
            file["phi"] = phi
            file["samples"][...] = file["samples"][()] * phi
        solved, _ = image(folder, "--lambda", "0", "--tolerance", "1e-9", "--iterations", "99",
                          "--precision", "double", *maps)
        for backend in ("reference", "opencl") if has_device else ("reference",):
            found, _ = image(folder, "--method", "fft", "--backend", backend, *maps)
            off = np.linalg.norm(found - solved) / np.linalg.norm(solved)
            expect(off < 3e-7, f"{words} {backend}: {off}")


def the_fft_fills_a_finer_grid_with_zeros(make):
    for matrix, finer in (("16,16", (32, 20)), ("15,12", (24, 13)), ("7,6,5", (14, 12, 10))):
        folder = make()
        simulate(folder, "--trajectory", "cartesian", "--matrix", matrix, "--coils", "1")
        found, _ = image(folder, "--method", "fft", "--matrix", ",".join(map(str, finer)))
        with h5py.File(folder / "s.h5") as file:
            k, samples = np.rint(file["trajectory"][()]).astype(int), file["samples"][0]
            values = samples["r"] + 1j * samples["i"] if samples.dtype.names else samples
        cells = np.zeros(finer[::-1], complex)
        cells[tuple(k.T[::-1])] = values
        wanted = np.fft.fftshift(np.fft.ifftn(cells))
        off = np.linalg.norm(found[0] - wanted) / np.linalg.norm(wanted)
        expect(off < 1e-6, f"{matrix} on {finer}: {off}")


def what_is_not_cartesian_is_refused(make):
    folder = make()
    fft = ["--method", "fft", "-o", "image.h5"]
    folder.run(INPUT, recon(*fft), ["sample 1 at", "whole cycles", "least_squares"])
    simulate(folder, "--trajectory", "cartesian", "--matrix", "8,6")
    command = ["recon", "s.h5", "--quiet", *fft]
    with h5py.File(folder / "s.h5", "r+") as file:
        first = file["trajectory"][0]
        file["trajectory"][0] = first + [8, 0] if first[0] < 0 else first - [8, 0]
        file["trajectory"][9] = file["trajectory"][11]
    folder.run(INPUT, command, ["sample 11 at", "as sample 9", "once"])
    with h5py.File(folder / "s.h5", "r+") as file:
        for name in ("trajectory", "samples"):
            values = file[name][()]
            del file[name]
            file[name] = values[10:] if name == "trajectory" else values[:, 10:]
        file["trajectory"].attrs["units"] = "cycles/fov"
    folder.run(INPUT, command, ["38 samples", "all 40 points"])
    with h5py.File(folder / "s.h5", "r+") as file:
        file["weights"] = np.linspace(1, 2, 38)
    folder.run(INPUT, command, ["from 1 to 2", "the same for all"])


def options_without_a_meaning_are_refused(make):
    folder = make()
    for method in ("gridding", "fft"):
        for words in (["--lambda", "0.1"], ["--reg", "tv:0.1"], ["--iterations", "3"],
                      ["--tolerance", "0.1"], ["--preconditioner", "none"], ["--q", "q.h5"],
                      ["--solver", "eigen"], ["--log", "l.txt"], ["--q-folder", "."]):
            folder.run(USAGE, recon("-o", "image.h5", "--method", method, *words),
                       [f"{words[0]} has no effect with --method {method}", "least_squares"])
    for words, says in ((["--reg", "tv:0.1", "--reg", "tv"], "--reg tv after --reg tv:0.1"),
                        (["--noise-map=2147483648"], "a whole number from 2 to 1000000"),
                        (["--lambda", "0x1p-3"], "a number from 0")):
        folder.run(USAGE, recon("-o", "image.h5", *words), [says, "next:"])
    folder.run(USAGE, recon("-o", "image.h5", "--density", "pipe", "--method", "least_squares"),
               ["no density compensation"])
    simulate(folder, "--trajectory", "random", "--matrix", "16,16")
    folder.run(USAGE, ["recon", "s.h5", "-o", "image.h5", "--method", "gridding", "--density",
                       "analytic"], ["neither of spokes", "pipe"])


def what_is_said_is_what_is_in_use(make):
    folder = make()
    simulate(folder, "--trajectory", "golden-angle", "--readouts", "8", "--matrix", "48,48")
    said = folder.run(0, ["recon", "s.h5", "-o", "i.h5", "--method", "gridding"]).stderr
    expect("Try --method least_squares." in said, said)
    said = folder.run(0, ["recon", "s.h5", "-o", "i.h5", "--lambda", "0.1"]).stderr
    expect("Try --reg auto." in said, said)
    simulate(folder, "--trajectory", "spiral", "--matrix", "32,32", "--coils", "2", "--frames",
             "3", "--without-maps", "--snr", "20")
    for words in (["--frames", "0"], []):
        said = folder.run(0, ["recon", "s.h5", "-o", "i.h5", "--certify", "0.1", "--engine",
                              "nufft", *words]).stderr
        stages = re.findall(r"^(\w+) +[0-9.]+ s$", said, re.MULTILINE)
        expect({"fhd", "weight", "certify", "solve"} <= set(stages), said)
        expect(len(stages) == len(set(stages)), f"stages with several lines: {said}")
    # Large enough for the NUFFT, were it made.
    simulate(folder, "--trajectory", "cartesian", "--matrix", "256,256", "--without-maps",
             "--coils", "2")
    for words in ([], ["--maps", "none"]):
        said = folder.run(0, ["recon", "s.h5", "-o", "i.h5", "--method", "fft", *words]).stderr
        expect("engine" not in said, said)
        expect(("coil maps" in said) == (not words), said)
    said = folder.run(0, ["predict", "s.h5", "--method", "fft"]).stdout
    expect("\nfft  " in said and not any(word in said for word in ("engine", "iterations", "fhd")),
           said)


def the_rest_of_the_line_is_as_ever(make):
    """Frames, the noise map, the preview and the facts, without a solver."""
    folder = make()
    simulate(folder, "--trajectory", "golden-angle", "--matrix", "16,16", "--coils", "2",
             "--frames", "3", "--noise-samples", "50", "--snr", "20")
    done = folder.run(0, ["recon", "s.h5", "-o", "i.h5", "--quiet", "--json", "--truth", "t.h5",
                          "--method", "gridding", "--noise-map", "20"])
    facts = json.loads(done.stdout)
    with h5py.File(folder / "i.h5") as file:
        expect(file["image"].shape == (3, 16, 16), f"{file['image'].shape}")
        expect(file["noise_map"][()].min() > 0, "the noise map")
        expect("g_factor" not in file, "a g-factor of gridding")
    expect(facts, "no facts")


if __name__ == "__main__":
    sys.exit(run_cases([gridding_is_near_the_truth, an_even_density_is_least_squares,
                        the_fft_is_least_squares, the_fft_fills_a_finer_grid_with_zeros,
                        what_is_not_cartesian_is_refused,
                        options_without_a_meaning_are_refused, what_is_said_is_what_is_in_use,
                        the_rest_of_the_line_is_as_ever]))
