#!/usr/bin/env python3
"""Delays that `lsrecon delays` finds, beside the joint Cramer-Rao bound of all samples.

    delays_sweep.py LSRECON [DRAWS]

Prints a row for each sampling: the largest bound of a delay, dwell times, and of a phase, rad, with
true coil maps; the root mean square of their errors over draws of the noise, without coil maps and
with them; and the largest ratio of the two.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import h5py
import numpy as np

PLANE = [0.5, 0.3, 0.05, 0.1, -0.08]
VOLUME = [0.5, 0.3, -0.2, 0.05, 0, 0.05, 0.1, -0.08, 0.05]


def grid(matrix):
    axes = [(np.arange(n) - n // 2) / n for n in matrix[::-1]]
    return np.stack([g.ravel() for g in np.meshgrid(*axes, indexing="ij")][::-1], 1)


def phantom(x):
    value = np.zeros(len(x))
    for centre, radii, of in ((0, 0, 0), (.36, .42, .4), 1), ((.1, -.1, .05), (.1, .14, .2), .6), \
            ((-.15, .15, -.1), (.08, .05, .15), -.5), ((.2, .2, .1), (.04, .08, .1), .5):
        axes = x.shape[1]
        value += of * ((((x - centre[:axes]) / radii[:axes]) ** 2).sum(1) < 1)
    return value


def coils(x, count):
    angles = 2 * np.pi * np.arange(count) / count
    maps = np.array([np.exp(1j * (a + 1.5 * x[:, 0] * np.cos(a))) /
                     (.25 + (x[:, 0] - .7 * np.cos(a)) ** 2 + (x[:, 1] - .7 * np.sin(a)) ** 2)
                     for a in angles])
    return maps / np.sqrt((abs(maps) ** 2).sum(0))


def spokes(angles, n):
    u = np.stack([np.cos(angles), np.sin(angles)], 1)
    return u[:, None] * ((np.arange(2 * n) - n) / 2)[None, :, None]


def golden(count, n):
    return spokes(np.arange(count) * np.pi * (np.sqrt(5) - 1) / 2, n)


def uniform(count, n, circle=2):
    return spokes(np.arange(count) * circle * np.pi / count, n)


def stack(count, n, planes):
    plane = golden(count, n)
    return np.concatenate([np.concatenate([plane, np.full((*plane.shape[:2], 1), float(z))], 2)
                           for z in range(-planes // 2, planes // 2)])


def ball(count, n):
    i = np.arange(count) + .5
    polar, azimuth = np.arccos(1 - 2 * i / count), np.pi * (1 + 5 ** .5) * i
    u = np.stack([np.cos(azimuth) * np.sin(polar), np.sin(azimuth) * np.sin(polar),
                  np.cos(polar)], 1)
    return u[:, None] * ((np.arange(2 * n) - n) / 2)[None, :, None]


def spiral(shots, samples, n):
    t = np.linspace(0, 1, samples)
    a = 2 * np.pi * (n / 2 / shots * t + np.arange(shots)[:, None] / shots)
    return n / 2 * t[:, None] * np.stack([np.cos(a), np.sin(a)], 2)


# Name, readouts, matrix, coils, SNR, delays and phases.
SCANS = [
    ("golden, 25 spokes", golden(25, 32), (32, 32), 4, 20, PLANE),
    ("golden, 13 spokes", golden(13, 32), (32, 32), 4, 20, PLANE),
    ("golden, delays of 0.05", golden(25, 32), (32, 32), 4, 20, [.05, -.05, 0, 0, 0]),
    ("golden, delays of 2", golden(25, 32), (32, 32), 4, 20, [2, 1.5, .1, .1, -.08]),
    ("golden, SNR 5", golden(25, 32), (32, 32), 4, 5, PLANE),
    ("golden, 48 x 48, 8 coils", golden(41, 48), (48, 48), 8, 20, PLANE),
    ("uniform, 25 spokes", uniform(25, 32), (32, 32), 4, 20, PLANE),
    ("uniform, 13 spokes", uniform(13, 32), (32, 32), 4, 20, PLANE),
    ("13 over half a circle", uniform(13, 32, 1), (32, 32), 4, 20, PLANE),
    ("one coil, 51 spokes", golden(51, 32), (32, 32), 1, 20, PLANE),
    ("stack of stars", stack(13, 16, 8), (16, 16, 8), 4, 20, PLANE),
    ("3D radial", ball(150, 12), (12, 12, 12), 4, 20, VOLUME),
    ("spiral, 8 shots", spiral(8, 200, 32), (32, 32), 4, 20, PLANE),
    ("spiral, no phases", spiral(16, 120, 32), (32, 32), 4, 20, [-.5, -.3, 0, 0, 0]),
]


def parameters(k):
    """What each delay moves, and the phases of each readout."""
    velocity, course = np.gradient(k, axis=1), k[:, -1] - k[:, 0]
    course /= np.linalg.norm(course, axis=1)[:, None]
    axes = 3 if k.shape[2] == 3 and abs(course[:, 2]).max() > 1e-6 else 2
    shifts = []
    crossed = [(a, b) for a in range(axes) for b in range(a + 1, axes)]
    for a, b in [(d, d) for d in range(axes)] + crossed:
        shift = np.zeros_like(k)
        shift[..., a] = velocity[..., b]
        shift[..., b] = velocity[..., a]
        shifts.append(shift.reshape(-1, k.shape[2]))
    return shifts, [np.repeat(course[:, d], k.shape[1]) for d in range(axes)]


def samples_and_bound(k, matrix, maps, values, snr):
    """Samples without noise, the deviation of their noise, and the deviations of all values."""
    x = grid(matrix)
    rho = phantom(x)
    shifts, phases = parameters(k)
    positions = k.reshape(-1, len(matrix)) + sum(v * s for v, s in zip(values, shifts))
    f = np.exp(-2j * np.pi * (positions @ x.T))
    clean = np.array([f @ (s * rho) for s in maps])
    columns = [sum(s[:, d] * np.array([f @ (-2j * np.pi * x[:, d] * m * rho) for m in maps])
                   for d in range(len(matrix))) for s in shifts]
    columns += [1j * p * clean for p in phases]
    gram = f.conj().T @ f
    gram = sum(m.conj()[:, None] * gram * m for m in maps) + 1e-9 * len(f) * np.eye(len(x))
    back = np.stack([sum(m.conj() * (f.conj().T @ c) for m, c in zip(maps, column))
                     for column in columns], 1)
    columns = np.stack([column.ravel() for column in columns], 1)
    fisher = (columns.conj().T @ columns - back.conj().T @ np.linalg.solve(gram, back)).real
    deviation = rho[rho > .1].mean() * np.sqrt(len(x)) / snr  # of each part of a sample
    turn = np.exp(1j * sum(v * p for v, p in zip(values[len(shifts):], phases)))
    return clean * turn, deviation, deviation * np.sqrt(np.diag(np.linalg.inv(fisher)))


def found(lsrecon, path, k, matrix, samples, maps):
    with h5py.File(path, "w") as scan:
        scan.attrs.update({"format": "lsrecon-scan", "version": 1, "matrix": matrix,
                           "fov_mm": [240.0] * len(matrix)})
        scan["trajectory"] = k.reshape(-1, len(matrix))
        scan["trajectory"].attrs["units"] = "cycles/fov"
        scan["samples"] = samples.astype("c8")
        if maps is not None:
            scan["coil_maps"] = maps.reshape(len(maps), *matrix[::-1]).astype("c8")
    said = subprocess.run([lsrecon, "delays", path, "--json"], capture_output=True, text=True,
                          check=True)
    return [float(v) for v in json.loads(said.stdout)["delays"].replace(":", ",").split(",")]


def row(lsrecon, folder, of, draws):
    name, k, matrix, count, snr, values = of
    maps = coils(grid(matrix), count) if count > 1 else np.ones((1, np.prod(matrix)))
    clean, deviation, bound = samples_and_bound(k, matrix, maps, values, snr)
    generator = np.random.default_rng(1)
    errors = {False: [], True: []}
    for _ in range(draws):
        noise = deviation * (generator.standard_normal(clean.shape) +
                             1j * generator.standard_normal(clean.shape))
        for given in errors:
            near = found(lsrecon, folder / "scan.h5", k, matrix, clean + noise,
                         maps if given and count > 1 else None)
            errors[given].append(np.subtract(near, values))
    delays = 6 if len(values) == 9 else 3
    words = f"{name:25} {bound[:delays].max():7.4f} {bound[delays:].max():7.4f}"
    for given in errors:
        rms = np.sqrt(np.mean(np.square(errors[given]), 0))
        words += f"  {rms[:delays].max():7.4f} {rms[delays:].max():7.4f} {(rms / bound).max():5.2f}"
    print(words, flush=True)


def main():
    print(f"{'':25} {'bound':15}  {'without maps':21}  with maps")
    with tempfile.TemporaryDirectory() as folder:
        for of in SCANS:
            row(sys.argv[1], pathlib.Path(folder), of,
                int(sys.argv[2]) if len(sys.argv) > 2 else 20)


if __name__ == "__main__":
    main()
