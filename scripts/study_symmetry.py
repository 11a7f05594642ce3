#!/usr/bin/env python3
"""The error of partial Fourier with `--conjugate-symmetry`, over that of the same program without.
Takes a few minutes.

    study_symmetry.py LSRECON [BRAIN.npy]

A row for each truth: a phantom, and the real image of a file if one is named, times phases that are
smooth over 8 and 2 voxels (a random field of 1 rad), signs at random, and steps of a right angle.
In brackets what `--reg none` has; the imaginary share that the program measured, and what it
filled."""

import pathlib
import sys
import tempfile

import h5py
import numpy as np

from study_iterations import run

SIZE = 128


def phantom(size):
    x, y = np.meshgrid(*2 * [(np.arange(size) - size // 2) / size])
    image = np.zeros((size, size))
    for at, by, wide, high, value in ((0, 0, 0.36, 0.42, 1), (0.12, -0.1, 0.1, 0.14, 0.6),
                                      (-0.15, 0.15, 0.08, 0.05, -0.5),
                                      (-0.1, -0.25, 0.05, 0.05, 0.8), (0.2, 0.2, 0.04, 0.08, 0.5)):
        image[((x - at) / wide) ** 2 + ((y - by) / high) ** 2 < 1] += value
    return image


def phases(size):
    draw = np.random.default_rng(3)
    y = np.arange(size)[:, None] * np.ones(size)
    k = 2 * np.pi * np.fft.fftfreq(size)

    def smooth(voxels):
        gaussian = np.exp(-voxels ** 2 * (k[:, None] ** 2 + k ** 2) / 2)
        field = np.fft.ifft2(gaussian * np.fft.fft2(draw.standard_normal((size, size)))).real
        return np.exp(1j * field / field.std())
    return {"smooth over 8": smooth(8), "smooth over 2": smooth(2),
            "random signs": np.sign(draw.standard_normal((size, size))),
            "a step": np.where(y > 0.53 * size, 1, 1j)}


def coils_of(size, coils):
    x, y = np.meshgrid(*2 * [(np.arange(size) - size // 2) / size])
    angle = 2 * np.pi * np.arange(coils)[:, None, None] / coils
    maps = np.exp(1j * (angle + 1.5 * x * np.cos(angle) + 1.2 * y * np.sin(angle))) / (
        0.25 + (x - 0.7 * np.cos(angle)) ** 2 + (y - 0.7 * np.sin(angle)) ** 2)
    return maps / np.sqrt((abs(maps) ** 2).sum(0))


def write(path, truth, coils, snr, share=5 / 8, with_maps=False):
    """Lines from a side of the centre to the other end of k-space."""
    size = len(truth)
    maps = coils_of(size, coils)
    axes = (1, 2)
    full = np.fft.fftshift(np.fft.fft2(np.fft.ifftshift(maps * truth, axes)), axes)
    draw = np.random.default_rng(7).standard_normal((2, coils, size, size))
    full += (draw[0] + 1j * draw[1]) / 2 ** 0.5 * abs(truth[truth != 0]).mean() * size / snr
    lines = np.arange(round((1 - share) * size), size)
    kx, ky = np.meshgrid(np.arange(size) - size // 2, lines - size // 2)
    with h5py.File(path, "w") as f:
        f.attrs["format"], f.attrs["version"] = "lsrecon-scan", 1
        f.attrs["matrix"], f.attrs["fov_mm"] = [size, size], [220.0, 220.0]
        f["trajectory"] = np.stack([kx.ravel(), ky.ravel()], 1).astype(np.float32)
        f["trajectory"].attrs["units"] = "cycles/fov"
        f["samples"] = full[:, lines].reshape(coils, -1).astype(np.complex64)
        if with_maps:
            f["coil_maps"] = maps.astype(np.complex64)


def error(program, folder, truth, *words):
    """Of magnitudes in the best scale, and what the record says."""
    run(program, "recon", f"{folder}/scan.h5", "-o", f"{folder}/image.h5", *words)
    with h5py.File(f"{folder}/image.h5") as f:
        image, about = abs(np.squeeze(f["image"][()])), dict(f["record"].attrs)
    shown = abs(truth)
    image *= (image * shown).sum() / (image ** 2).sum()
    return np.linalg.norm(image - shown) / np.linalg.norm(shown), about


def main(program, brain=None):
    truths = {"phantom": phantom(SIZE)}
    if brain:
        truths["brain"] = np.load(brain)
    print("| truth | phase | coils | SNR | with, over without | imaginary | filled |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, real in truths.items():
            for words, phase in phases(len(real)).items():
                for coils, snr in ((8, 40), (8, 10), (1, 40)):
                    truth = real * phase
                    write(f"{folder}/scan.h5", truth, coils, snr)
                    ratios = []
                    for how in ([], ["--reg", "none"]):
                        with_it, about = error(program, folder, truth, *how,
                                               "--conjugate-symmetry")
                        ratios.append(with_it / error(program, folder, truth, *how)[0])
                    imaginary, filled = (float(about[f"conjugate_symmetry_{what}"][0])
                                         for what in ("asymmetry", "filled"))
                    print(f"| {name} | {words} | {coils} | {snr} | {ratios[0]:.2f} "
                          f"({ratios[1]:.2f}) | {imaginary:.2f} | {filled:.2f} |", flush=True)


if __name__ == "__main__":
    main(str(pathlib.Path(sys.argv[1]).resolve()), *sys.argv[2:])
