#!/usr/bin/env python3
"""The error of field maps of two echoes, beside the noise of a voxel by itself.

    fieldmap_sweep.py [--program LSRECON] [--matrix 96]

Cartesian scans of an ellipse with a texture, of one coil and of eight, are made with NumPy; the
maps of the coils are estimated. The field is smooth over 8 voxels (white noise under a Gaussian of
that deviation, scaled to its peak), or has an edge: 40 Hz a voxel over five voxels, or a step of
40 Hz. SNR is the mean signal over the deviation of a real part. Errors are root mean squares in Hz,
of all voxels and of those within two of the edge. Another table has spirals that are corrected with
the true map and with that of their echoes, and a last one spirals whose map is wrong by a smooth
error, which `--field-map refine` corrects.
"""

import argparse
import json
import os
import subprocess
import tempfile

import h5py
import numpy as np

ECHOES = {"4, 5": (0.004, 0.005), "4, 9": (0.004, 0.009)}


def smooth(n, peak, inside, seed):
    k = np.fft.fftfreq(n)
    white = np.random.default_rng(seed).normal(size=(n, n))
    filtered = np.fft.ifft2(np.fft.fft2(white)
                            * np.exp(-2 * (np.pi * 8)**2 * (k[:, None]**2 + k**2))).real
    return peak * filtered / np.abs(filtered[inside]).max()


def coil_maps(coils, x, y):
    if coils == 1:
        return np.ones((1, *x.shape))
    at = 2 * np.pi * np.arange(coils)[:, None, None] / coils
    maps = np.exp(-((x - 0.6 * np.cos(at))**2 + (y - 0.6 * np.sin(at))**2) / 0.35
                  + 1j * (at + 2 * x * np.cos(at)))
    return maps / np.sqrt((np.abs(maps)**2).sum(0))


def write_scan(path, images, times, noise, seed):
    """Fully sampled lines of images [E, C, Y, X]."""
    n = images.shape[-1]
    random = np.random.default_rng(seed)
    images = images + noise * (random.normal(size=images.shape)
                               + 1j * random.normal(size=images.shape))
    shifted = np.fft.ifftshift(images, axes=(-2, -1))
    samples = np.fft.fftshift(np.fft.fft2(shifted), axes=(-2, -1))
    ky, kx = np.meshgrid(np.arange(n) - n // 2, np.arange(n) - n // 2, indexing="ij")
    with h5py.File(path, "w") as f:
        f.attrs.update({"format": "lsrecon-scan", "version": 1, "matrix": [n, n],
                        "fov_mm": [240.0, 240.0]})
        f["trajectory"] = np.stack([kx.ravel(), ky.ravel()], -1).astype(float)
        f["trajectory"].attrs["units"] = "cycles/fov"
        f["samples"] = samples.reshape(*images.shape[:2], -1).astype(np.complex64)
        f["echo_times"] = np.array(times)
        f["echo_times"].attrs["units"] = "s"


def run(program, *words):
    return subprocess.run([program, *words, "--quiet"], check=True, capture_output=True,
                          text=True).stdout


def error_of_map(program, folder, field, echoes, snr, coils, seed):
    n = field.shape[0]
    y, x = np.meshgrid(np.arange(n) / n - 0.5, np.arange(n) / n - 0.5, indexing="ij")
    inside = (x / 0.42)**2 + (y / 0.36)**2 < 1
    object_ = inside * (1 + 0.3 * np.cos(14 * x) * np.cos(11 * y))
    times = ECHOES[echoes]
    images = np.array([coil_maps(coils, x, y) * object_ * np.exp(-2j * np.pi * field * t)
                       for t in times])
    scan, made = os.path.join(folder, "scan.h5"), os.path.join(folder, "map.h5")
    write_scan(scan, images, times, object_[inside].mean() / snr, seed)
    facts = json.loads(run(program, "fieldmap", scan, "-o", made, "--json"))
    with h5py.File(made) as f:
        off, mask = f["field_map"][...] - field, f["mask"][...] > 0
    off -= facts["period_hz"] * np.round(np.median(off[mask & inside]) / facts["period_hz"])
    edge = mask & inside & (np.abs(x * n + 0.5) <= 2)
    bound = np.sqrt(2) / (snr * 2 * np.pi * (times[1] - times[0]))
    return [np.sqrt(np.mean(off[where]**2)) for where in (mask & inside, edge)] + [
        bound, (mask & inside).sum() / inside.sum(), len(facts["pieces"])]


def table_of_maps(program, folder, n):
    y, x = np.meshgrid(np.arange(n) / n - 0.5, np.arange(n) / n - 0.5, indexing="ij")
    inside = (x / 0.42)**2 + (y / 0.36)**2 < 1
    fields = {f"smooth, {peak} Hz": smooth(n, peak, inside, 2) for peak in (50, 150, 400)}
    fields["40 Hz a voxel"] = smooth(n, 50, inside, 2) + np.clip(40 * x * n, -100, 100)
    fields["step of 40 Hz"] = smooth(n, 50, inside, 2) + np.where(x < 0, -20, 20)
    print("| field | echoes, ms | coils | SNR | a voxel by itself | map | at the edge | voxels "
          "| other pieces |\n|---|---|---|---|---|---|---|---|---|")
    for name, field in fields.items():
        for echoes in ECHOES:
            for coils in (1, 8):
                for snr in (5, 10, 20, 50):
                    off, edge, bound, share, pieces = error_of_map(program, folder, field, echoes,
                                                                   snr, coils, snr + coils)
                    at_edge = "" if name.startswith("smooth") else f"{edge:.2f}"
                    print(f"| {name} | {echoes} | {coils} | {snr} | {bound:.2f} | {off:.2f} "
                          f"| {at_edge} | {100 * share:.0f} % | {pieces} |", flush=True)


def table_of_spirals(program, folder):
    print("\n| peak, Hz | echoes, ms | coils | no map | true map | `--field-map auto` |\n"
          "|---|---|---|---|---|---|")
    scan, truth, image = (os.path.join(folder, name) for name in ("s.h5", "t.h5", "i.h5"))
    for peak, echoes, coils in ((100, "4,5", 1), (100, "4,5", 8), (150, "4,9", 8), (200, "4,9", 1)):
        for path in (scan, truth):  # a scan is never replaced
            if os.path.exists(path):
                os.remove(path)
        run(program, "simulate", "--trajectory", "spiral", "--matrix", "64,64", "--coils",
            str(coils), "--snr", "20", "--off-resonance-hz", str(peak), "--readout-ms", "12",
            "--echo-times", echoes, "-o", scan, "--truth", truth)
        errors = []
        for more in (["--field-map", "none"], [], ["--field-map", "auto"]):
            run(program, "recon", scan, "-o", image, "--lambda", "0.01", *more)
            with h5py.File(image) as f, h5py.File(truth) as g:
                a, b = np.abs(f["image"][0]), np.abs(g["image"][0])
            errors.append(f"{np.linalg.norm(a - b) / np.linalg.norm(b):.4f}")
        print(f"| {peak} | {echoes} | {coils} | " + " | ".join(errors) + " |", flush=True)


def errors_of_maps(n, peak):
    """What wrong shims leave, and a field that is smooth over 16 voxels."""
    y, x = np.meshgrid(np.arange(n) / n - 0.5, np.arange(n) / n - 0.5, indexing="ij")
    k = np.fft.fftfreq(n)
    white = np.fft.fft2(np.random.default_rng(3).normal(size=(n, n)))
    random = np.fft.ifft2(white * np.exp(-2 * (np.pi * 16)**2 * (k[:, None]**2 + k**2))).real
    return {"constant": peak + 0 * x, "linear": peak * 2 * (x + y),
            "quadratic": peak * (8 * (x**2 + y**2) - 1) / 1.5,
            "random": peak * random / np.abs(random).max()}


def table_of_refined(program, folder, n=64):
    print("\n| coils | SNR | error of the map | peak, Hz | true map | wrong map | refined | "
          "correction, Hz | deviation, Hz |\n|---|---|---|---|---|---|---|---|---|")
    for coils, snr in ((8, 10), (8, 30), (8, 100), (1, 30)):
        scan, truth, image, wrong = (os.path.join(folder, f"{name}_{coils}_{snr}.h5")
                                     for name in ("scan", "truth", "image", "wrong"))
        run(program, "simulate", "--trajectory", "spiral", "--matrix", f"{n},{n}", "--coils",
            str(coils), "--snr", str(snr), "--off-resonance-hz", "80", "--readout-ms", "12", "-o",
            scan, "--truth", truth)
        with h5py.File(truth) as f, h5py.File(scan) as g:
            true, field = np.abs(f["image"][0]), g["field_map"][...]

        def error(*more):
            run(program, "recon", scan, "-o", image, "--lambda", "0.01", *more)
            with h5py.File(image) as f:
                found = [float(np.ravel(f["record"].attrs.get(f"field_correction{name}_hz", 0))[0])
                         for name in ("", "_deviation")]
                return np.linalg.norm(np.abs(f["image"][0]) - true) / np.linalg.norm(true), *found

        for peak in (10, 30, 60):
            for name, off in errors_of_maps(n, peak).items():
                with h5py.File(wrong, "w") as f:
                    f["field_map"] = field + off
                    f["field_map"].attrs["units"] = "Hz"
                refined, size, deviation = error("--field-map", "refine:" + wrong)
                print(f"| {coils} | {snr} | {name} | {peak} | {error()[0]:.4f} "
                      f"| {error('--field-map', wrong)[0]:.4f} | {refined:.4f} | {size:.1f} "
                      f"| {deviation:.1f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="lsrecon")
    parser.add_argument("--matrix", type=int, default=96)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        table_of_maps(options.program, folder, options.matrix)
        table_of_spirals(options.program, folder)
        table_of_refined(options.program, folder)


if __name__ == "__main__":
    main()
