#!/usr/bin/env python3
"""F^H d in the file against plain sums in double precision: in doubles to 1e-12, in floats to what
those hold.

    fhd.py LSRECON"""

import itertools
import sys

import h5py
import numpy as np

from in_folders import expect, run_cases

RNG = np.random.default_rng(7)
DOUBLES, FLOATS = 1e-12, 2e-6


def complex_noise(*shape):
    return RNG.normal(size=shape) + 1j * RNG.normal(size=shape)


class Scan:
    """Of an awkward size; k reaches the edge, so that the unit is believed."""

    def __init__(self, path, matrix, coils, frames=1, samples=97, maps=False, voxels=0, scale=1.0):
        size = np.array(matrix)
        self.k = RNG.uniform(-0.5, 0.5, (samples, len(matrix))) * size
        self.k[0] = size / 2
        self.samples = scale * complex_noise(frames, coils, samples)
        self.phi, self.weights = complex_noise(samples), RNG.uniform(0.1, 2, samples)
        grid = [(np.arange(n) - n // 2) / n for n in matrix]
        self.x = np.array([at[::-1] for at in itertools.product(*grid[::-1])]) # x fastest
        self.shape = tuple(matrix[::-1])
        if voxels:
            self.x, self.shape = RNG.uniform(-0.5, 0.5, (voxels, len(matrix))), (voxels,)
        self.maps = complex_noise(coils, len(self.x)) if maps else None
        with h5py.File(path, "w") as f:
            f.attrs.update({"format": "lsrecon-scan", "version": 1, "matrix": matrix,
                            "fov_mm": [200.0] * len(matrix)})
            f["trajectory"], f["samples"] = self.k, self.samples
            f["trajectory"].attrs["units"] = "cycles/fov"
            f["phi"], f["weights"] = self.phi, self.weights
            if maps:
                f["coil_maps"] = self.maps.reshape(coils, *self.shape)
            if voxels:
                f["voxels"] = self.x

    def fhd(self):
        """Frame, coil and voxel after voxel."""
        made = []
        for frame in self.samples:
            volumes = [np.array([np.sum(np.conj(self.phi) * self.weights * d *
                                        np.exp(2j * np.pi * (self.k @ x))) for x in self.x])
                       for d in frame]
            if self.maps is not None:
                volumes = [sum(np.conj(s) * v for s, v in zip(self.maps, volumes))]
            made.append(volumes)
        extents = [n for n in (len(made), len(made[0])) if n > 1]
        return np.array(made).reshape(*extents, *self.shape)


def relative(found, exact):
    return np.linalg.norm(found - exact) / np.linalg.norm(exact)


def agree(folder, name, exact, *flags):
    """In both precisions, and what the file says of them."""
    for precision, stored, bound in (("double", "c16", DOUBLES), ("single", "c8", FLOATS)):
        words = ["fhd", name, "--quiet", *flags, "--precision", precision]
        if not folder.can_run([*words, "-o", "fhd.h5"]):
            return # no device
        with h5py.File(folder / "fhd.h5") as f:
            found = f["fhd"]
            expect(found.dtype == stored and found.shape == exact.shape,
                   f"{name}, {precision}: {found.dtype} {found.shape}")
            error = relative(found[()], exact)
            expect(error < bound, f"{name}, {precision}, {flags}: wrong by {error}")
            expect(f["record"].attrs["precision"] == precision, f"{name}: not {precision}")
        said = folder.run(0, ["info", "fhd.h5"]).stdout
        bits = 4 * np.dtype(stored).itemsize
        expect(f"complex {{r,i}} of float{bits} [" in said, f"{name}, {precision}: {said[:200]}")


def plain_sums_agree(make):
    folder = make()
    for name, shape in (("coils.h5", {"matrix": [13, 10], "coils": 3}),
                        ("volume.h5", {"matrix": [5, 4, 7], "coils": 2}),
                        ("maps.h5", {"matrix": [9, 12], "coils": 4, "maps": True}),
                        ("frames.h5", {"matrix": [8, 9], "coils": 2, "frames": 3}),
                        ("voxels.h5", {"matrix": [16, 16], "coils": 2, "voxels": 37})):
        scan = Scan(folder / name, **shape)
        exact = scan.fhd()
        agree(folder, name, exact)


def pieces_are_put_together(make):
    """Of a device with room for some voxels and samples at a time."""
    folder = make()
    scan = Scan(folder / "wide.h5", matrix=[150, 131], coils=2, samples=211)
    words = ["fhd", "wide.h5", "-o", "fhd.h5", "--device-memory", "1"]
    if folder.can_run(words):
        folder.run(0, words, ["processed in pieces"])
    agree(folder, "wide.h5", scan.fhd(), "--device-memory", "1")


def the_reference_writes_doubles(make):
    folder = make()
    scan = Scan(folder / "coils.h5", matrix=[7, 6], coils=2)
    folder.run(0, ["fhd", "coils.h5", "-o", "fhd.h5", "--quiet", "--backend", "reference"])
    with h5py.File(folder / "fhd.h5") as f:
        expect(f["fhd"].dtype == "c16", f"{f['fhd'].dtype}")
        expect(relative(f["fhd"][()], scan.fhd()) < DOUBLES, "the reference is wrong")


def each_precision_has_its_range(make):
    """1e60 is beyond floats, and doubles hold it."""
    folder = make()
    scan = Scan(folder / "large.h5", matrix=[7, 6], coils=2, scale=1e60)
    words = ["fhd", "large.h5", "-o", "fhd.h5", "--quiet"]
    if not folder.can_run([*words, "--precision", "double"]):
        return
    with h5py.File(folder / "fhd.h5") as f:
        expect(relative(f["fhd"][()], scan.fhd()) < DOUBLES, "large values are wrong")
    folder.run(6, [*words, "--precision", "single"], ["the file's floats do not hold", "next:"])


if __name__ == "__main__":
    sys.exit(run_cases([plain_sums_agree, pieces_are_put_together, the_reference_writes_doubles,
                        each_precision_has_its_range]))
