#!/usr/bin/env python3
"""recon --maps espirit:2: an object wider than its field of view is taken with two sets of maps by
itself, others with one and the same bits; and errors of the option.

    sets.py LSRECON"""

import sys

import h5py
import numpy as np

from in_folders import USAGE, expect, run_cases

N, COILS = 64, 6
RECON = ["--quiet"]


def scan_of(folder, name, width, coils=COILS, reduction=2, noise=0.01):
    """Cartesian lines of an ellipse of this many fields along y; returns what all lines show."""
    x, y = np.meshgrid((np.arange(N) - N // 2) / N, (np.arange(2 * N) - N) / N)
    image = ((x / 0.4) ** 2 + (y / (width / 2)) ** 2 < 1) * (1 + 0.5 * np.cos(23 * x + 9 * y))
    angle = 2 * np.pi * np.arange(coils)[:, None, None] / coils
    maps = np.exp(1j * (angle + x)) / (0.3 + (x - 0.7 * np.cos(angle)) ** 2 +
                                       (y - 0.8 * np.sin(angle)) ** 2)
    maps /= np.sqrt((abs(maps) ** 2).sum(0)).max()
    folded = np.roll((maps * image).reshape(coils, 2, N, N).sum(1), N // 2, 1)
    shown = np.sqrt((abs(folded) ** 2).sum(0))
    axes = (1, 2)
    full = np.fft.fftshift(np.fft.fft2(np.fft.ifftshift(folded, axes)), axes)
    draw = np.random.default_rng(1).standard_normal((2, coils, N, N))
    full = full + noise * N * (draw[0] + 1j * draw[1])
    lines = [k for k in range(N) if k % reduction == 0 or abs(k - N // 2) < 12]
    kx, ky = np.meshgrid(np.arange(N) - N // 2, np.array(lines) - N // 2)
    with h5py.File(folder / name, "w") as f:
        f.attrs["format"], f.attrs["version"] = "lsrecon-scan", 1
        f.attrs["matrix"], f.attrs["fov_mm"] = [N, N], [200.0, 200.0]
        f["trajectory"] = np.stack([kx.ravel(), ky.ravel()], 1).astype(np.float32)
        f["trajectory"].attrs["units"] = "cycles/fov"
        f["samples"] = full[:, lines].reshape(coils, -1).astype(np.complex64)
    return shown


def image_of(folder, scan, *words):
    backend = [] if "--backend" in words else ["--backend", "host"]
    folder.run(0, ["recon", scan, "-o", "image.h5", *RECON, *backend, *words])
    with h5py.File(folder / "image.h5") as f:
        return np.squeeze(f["image"][()]), f["record"].attrs.get("coil_maps_sets", 1)


def error_of(image, shown):
    a = abs(image)
    return np.linalg.norm(a * (a * shown).sum() / (a * a).sum() - shown) / np.linalg.norm(shown)


def wider_than_the_field(make):
    folder = make()
    shown = scan_of(folder, "wide.h5", 1.3)
    image, sets = image_of(folder, "wide.h5")
    expect(sets == 2, f"{sets} sets")
    error = error_of(image, shown)
    of_one = error_of(image_of(folder, "wide.h5", "--maps", "espirit:1")[0], shown)
    expect(error < 0.5 * of_one and error < 0.07, f"two sets: {error}, one: {of_one}")
    expect(np.array_equal(image, image_of(folder, "wide.h5", "--maps", "espirit:2")[0]),
           "two sets that are asked for are those that are taken")
    for words in (["--reg", "tv:0.005"], ["--reg", "wavelet:0.005"], ["--reg", "roughness:0.001"],
                  ["--noise-map", "3", "--lambda", "0.01", "--maps", "espirit:2"],
                  ["--backend", "reference"]):
        error = error_of(image_of(folder, "wide.h5", *words)[0], shown)
        expect(error < 0.08, f"{words}: {error}")
    error = error_of(image_of(folder, "wide.h5", "--method", "gridding")[0], shown)
    expect(error < 1, "gridding has one set")


def within_the_field(make):
    folder = make()
    shown = scan_of(folder, "inside.h5", 0.9)
    image, sets = image_of(folder, "inside.h5")
    expect(sets == 1, f"{sets} sets")
    expect(np.array_equal(image, image_of(folder, "inside.h5", "--maps", "espirit:1")[0]),
           "an object within its field needs one set")
    two = error_of(image_of(folder, "inside.h5", "--maps", "espirit:2")[0], shown)
    expect(two < error_of(image, shown) + 0.01, f"two sets where one is enough: {two}")


def words_that_are_refused(make):
    folder = make()
    scan_of(folder, "wide.h5", 1.3)
    scan_of(folder, "single.h5", 1.3, coils=1)
    words = ["recon", "wide.h5", "-o", "image.h5", *RECON, "--maps"]
    folder.run(USAGE, [*words, "espirit:3"], ["espirit:2"])
    folder.run(USAGE, [*words, "walsh:2"], ["espirit:2"])
    folder.run(USAGE, ["recon", "single.h5", *words[2:], "espirit:2"], ["single coil"])
    folder.run(USAGE, [*words, "espirit:2", "--method", "gridding"], ["espirit:1"])
    folder.run(USAGE, ["maps", "wide.h5", "-o", "maps.h5", "--quiet", "--maps", "espirit:2"])


if __name__ == "__main__":
    sys.exit(run_cases([wider_than_the_field, within_the_field, words_that_are_refused]))
