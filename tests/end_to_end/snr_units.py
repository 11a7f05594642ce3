#!/usr/bin/env python3
"""recon --snr-units: over 40 repetitions of one scan each part of every voxel scatters by 1.

    snr_units.py LSRECON"""

import sys

import h5py
import numpy as np

from in_folders import INPUT, USAGE, expect, recon, run_cases

N, COILS, FRAMES, NOISE = 24, 6, 40, 20000


def coil_maps():
    at = (np.arange(N) - N // 2) / N
    y, x = np.meshgrid(at, at, indexing="ij")
    angles = 2 * np.pi * np.arange(COILS) / COILS
    maps = [np.exp(-((x - 0.5 * np.cos(a))**2 + (y - 0.5 * np.sin(a))**2) / 0.3 + 1j * a + 2j * x)
            for a in angles]
    return np.array(maps) * ((x / 0.42)**2 + (y / 0.46)**2 < 1)


def lines(undersampling=1, first=-N // 2, oversampling=1, start=-N // 2):
    """Cartesian lines: every so many from `first` on, of readouts that begin at `start`."""
    ky = np.arange(-N // 2, N // 2)
    ky = ky[(ky % undersampling == 0) & (ky >= first)]
    kx = np.arange(start, N // 2, 1 / oversampling)
    return np.array([(a, b) for b in ky for a in kx], float)


def write_scan(path, k, rng, weights=None):
    """A scan of coils whose noise is correlated and unlike, with noise samples of its own."""
    maps = coil_maps()
    at = (np.arange(N) - N // 2) / N
    y, x = np.meshgrid(at, at, indexing="ij")
    truth = (maps != 0).any(0) * (1 + 0.5 * np.cos(9 * x) * np.exp(1j * y))
    fourier = np.exp(-2j * np.pi * (np.outer(k[:, 0], x.ravel()) + np.outer(k[:, 1], y.ravel())))
    clean = (maps * truth).reshape(COILS, -1) @ fourier.T
    mixing = 2 * np.eye(COILS) + 0.5 * rng.normal(size=(COILS, COILS))

    def noise(*shape):
        white = rng.normal(size=(*shape, 2)) @ [1, 1j]
        return np.einsum("dc,...cm->...dm", mixing, white).astype("c8")
    with h5py.File(path, "w") as f:
        f.attrs.update({"format": "lsrecon-scan", "version": 1, "matrix": [N, N],
                        "fov_mm": [240.0, 240.0]})
        f["trajectory"] = k
        f["trajectory"].attrs["units"] = "cycles/fov"
        f["samples"] = (clean + noise(FRAMES, COILS, len(k))).astype("c8")
        f["coil_maps"] = maps.astype("c8")
        f["noise"] = noise(COILS, NOISE)
        if weights is not None:
            f["weights"] = weights


def expect_units(folder, name, what, seen):
    with h5py.File(folder / name) as f:
        image = f["image"][()][:, seen]
        expect(f["image"].attrs["units"] == "SNR", f"{what}: the image has another unit")
    parts = np.concatenate([image.real, image.imag], axis=1)
    deviations = parts.std(axis=0, ddof=1)
    mean = np.sqrt(np.mean(deviations**2))
    expect(abs(mean - 1) < 0.02, f"{what}: a deviation of {mean}")
    scatter = 1 / np.sqrt(2 * (FRAMES - 1))
    expect(np.std(deviations) < 1.1 * scatter, f"{what}: it varies by {np.std(deviations)}")


def noise_has_a_deviation_of_one(make):
    folder = make()
    rng = np.random.default_rng(7)
    plain = ["--lambda", "0", "--iterations", "300"]
    cases = {"full": (lines(), plain), "oversampled": (lines(oversampling=2), plain),
             "R = 2": (lines(2), plain), "R = 3": (lines(3), plain),
             "partial Fourier": (lines(first=-3), ["--lambda", "0.01"]),
             "R = 2, partial Fourier, not whitened":
                 (lines(2, first=-4), ["--lambda", "0.02", "--no-whitening"]),
             "asymmetric echo": (lines(start=-5, oversampling=2), ["--lambda", "0.01"]),
             "weighted": (lines(2), plain),
             "stopped early": (lines(2), ["--lambda", "0", "--iterations", "4"]),
             "gridding": (lines(), ["--method", "gridding"]),
             "gridding, not whitened": (lines(), ["--method", "gridding", "--no-whitening"])}
    for what, (k, words) in cases.items():
        weights = rng.uniform(0.3, 1, len(k)) if what == "weighted" else None
        write_scan(folder / "s.h5", k, rng, weights)
        folder.run(0, ["recon", "s.h5", "-o", "i.h5", "--quiet", "--snr-units", *words])
        expect_units(folder, "i.h5", what, (coil_maps() != 0).any(0))


def noise_of_another_dwell_time_has_too(make):
    """Raw data whose noise was measured with a quarter of the bandwidth, and by default."""
    folder = make()
    folder.run(0, ["simulate", "--trajectory", "radial", "--matrix", "24,24", "--readouts", "24",
                   "--coils", "4", "--noise", "0.1", "--noise-correlation", "0.4",
                   "--noise-samples", "20000", "--frames", str(FRAMES), "-o", "s.mrd", "--quiet"])
    with h5py.File(folder / "s.mrd", "r+") as f:
        data = f["dataset/data"]
        for i in range(len(data)):
            one = data[i]
            is_noise = int(one["head"]["flags"]) & 1 << 18
            one["head"]["sample_time_us"] = 20 if is_noise else 5
            if is_noise:
                one["data"] = one["data"] / 2
            data[i] = one
    folder.run(0, ["recon", "s.mrd", "-o", "i.h5", "--quiet", "--snr-units", "--noise-map"])
    with h5py.File(folder / "i.h5") as f:
        seen = f["noise_map"][()] > 0
        expect("noise_probes" in f["record"].attrs, "noise of a regulariser that is not quadratic")
    expect_units(folder, "i.h5", "raw data", seen)


def outputs_carry_the_unit(make):
    folder = make()
    write_scan(folder / "s.h5", lines(2), np.random.default_rng(8))
    folder.run(0, ["recon", "s.h5", "-o", "i.h5", "--quiet", "--snr-units", "--noise-map",
                   "--frames", "0"])
    folder.run(0, ["convert", "i.h5", "-o", "i.nii", "--quiet"])
    with open(folder / "i.nii", "rb") as f:
        expect(f.read(348)[328:344].rstrip(b"\0") == b"SNR", "NIfTI lacks the unit")
    folder.run(0, ["convert", "i.h5", "-o", "n.nii", "--map", "noise_map", "--quiet"])
    with open(folder / "n.nii", "rb") as f:
        expect(f.read(348)[328:344].rstrip(b"\0") == b"", "the noise map has the image's unit")
    folder.run(0, ["convert", "i.h5", "-o", "i.mrd", "--quiet"])
    with open(folder / "i.mrd", "rb") as f:
        expect(b"<name>image_unit</name><value>SNR</value>" in f.read(), "ISMRMRD lacks the unit")


def it_is_refused_where_noise_is_unknown(make):
    folder = make()
    folder.run(INPUT, recon("-o", "image.h5", "--snr-units"), ["noise", "--snr-units", "next:"])
    folder.run(USAGE, recon("-o", "image.h5", "--snr-units", "--truth", "truth.h5"), ["--truth"])
    for reg in ("tv:0.01", "wavelet:0.01", "tv", "auto"):
        folder.run(USAGE, recon("-o", "image.h5", "--snr-units", "--reg", reg),
                   ["--snr-units", "next:"])


if __name__ == "__main__":
    sys.exit(run_cases([noise_has_a_deviation_of_one, noise_of_another_dwell_time_has_too,
                        outputs_carry_the_unit, it_is_refused_where_noise_is_unknown]))
