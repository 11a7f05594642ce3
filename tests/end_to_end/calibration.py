#!/usr/bin/env python3
"""Which frames calibration lines serve: those of their slice that lie where they do. What lacks
any fails alone. Lines of other coils serve none. And the field of view of a calibration.

    calibration.py LSRECON"""

import os
import shutil
import sys

import h5py
import numpy as np

from in_folders import INPUT, expect, run_cases
from slices import CALIBRATION, CARTESIAN, COILS, N, REPETITIONS, SLICES, image, kspace, line, write

NOISE = 1 << 18
EVERY = 3  # lines: without calibration no maps can be made


def placed(rows, position=None, degrees=0):
    """The same lines elsewhere, turned around z."""
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    for row in rows:
        head = row["head"]
        head["read_dir"], head["phase_dir"] = [c, s, 0], [-s, c, 0]
        if position is not None:
            head["position"] = position
    return rows


def calibration_of(slice_number):
    samples = kspace(slice_number, 0)
    return [line(samples[:, step], slice_number, 0, step, CALIBRATION)
            for step in range(N // 2 - 6, N // 2 + 7)]


def lines_of(slice_number, repetition, every=EVERY):
    samples = kspace(slice_number, repetition)
    return [line(samples[:, step], slice_number, repetition, step) for step in range(0, N, every)]


def frames(folder, calibrations, images, words=(), **expected):
    """The images of these lines."""
    rows = [row for part in [*calibrations, *images] for row in part]
    write(folder / "raw.h5", CARTESIAN, np.concatenate(rows))
    folder.kept = {"i.h5.part"}
    shutil.rmtree(folder / "i.h5.part", ignore_errors=True)
    if os.path.exists(folder / "i.h5"):
        os.unlink(folder / "i.h5")
    return image(folder, *words, **expected)


def lines_elsewhere_are_left_out(make):
    folder = make()
    calibration, lines = calibration_of(0), lines_of(0, 0)
    here, _ = frames(folder, [calibration], [lines])
    for position, degrees in (((3, 0, 2), 0), ((0, 0, 0), 2)):
        near, said = frames(folder, [placed(calibration, position, degrees)], [lines])
        expect(near.tobytes() == here.tobytes(), f"{position}, {degrees}: {said}")
    far = (((30, 0, 0), 0, "30 mm away"), ((0, 0, 6), 0, "6 mm away"),
           ((0, 0, 0), 20, "turned by 20 degrees"), ((0, 0, 0), -90, "turned by 90 degrees"))
    whole = lines_of(0, 0, every=1)
    alone, _ = frames(folder, [], [whole])
    for position, degrees, where in far:
        elsewhere = placed(calibration, position, degrees)
        own, said = frames(folder, [elsewhere], [whole])
        note = "left out 13 acquisitions flagged parallel calibration, which lie elsewhere"
        expect(note in said and where in said and "kept" not in said, said)
        expect(own.tobytes() == alone.tobytes(), f"{where}: maps of other samples than its own")
        write(folder / "raw.h5", CARTESIAN, np.concatenate([*elsewhere, *lines]))
        folder.run(INPUT, ["recon", "raw.h5", "-o", "image.h5", "--quiet", "--backend",
                           "reference"],
                   ["centre of k-space", f"calibration lines lie elsewhere: {where}", "next:"])
    # Both: those that lie here are used, and the others do not come in.
    both, said = frames(folder, [placed(calibration_of(0), (30, 0, 0)),
                                 placed(calibration, (0, 0, 0))], [lines])
    expect("left out 13" in said and "kept 13" in said, said)
    expect(both.tobytes() == here.tobytes(), "lines of two places in one k-space")
    # A header that was never filled in does not say that it lies elsewhere.
    for row in calibration:
        for name in ("position", "read_dir", "phase_dir", "slice_dir"):
            row["head"][name] = 0
    unknown, said = frames(folder, [calibration], [placed(lines, (0, 0, 40))])
    expect(unknown.tobytes() == here.tobytes(), f"a header of zeros: {said}")


def each_slice_has_its_own_elsewhere(make):
    folder = make()
    calibrations = [calibration_of(number) for number in range(SLICES)]
    images = [lines_of(number, 0) for number in range(SLICES)]
    good, _ = frames(folder, calibrations, images)
    for position, degrees, where in (((30, 0, 5), 0, "30 mm away"), (None, 20, "turned by 20")):
        moved = [part if number != 1 else placed([row.copy() for row in part], position, degrees)
                 for number, part in enumerate(calibrations)]
        found, said = frames(folder, moved, images, code=INPUT,
                             says=["frame 1 (slice 1) failed", where, "(slice 1)"])
        expect(f"left out 13 acquisitions flagged parallel calibration, which lie elsewhere than "
               f"the frames of their slice: slice 1 is {where}" in said, said)
        expect("kept 26 acquisitions" in said, said)
        expect(np.isnan(found[1]).all(), "slice 1 has maps of another place")
        for number in (0, 2):
            expect(found[number].tobytes() == good[number].tobytes(), f"slice {number}")


def frames_that_drift_keep_their_calibration(make):
    folder = make()
    calibration = calibration_of(0)
    images = [lines_of(0, repetition) for repetition in range(5)]
    still, _ = frames(folder, [calibration], images)
    for shift in ([], ["--shift-mm", "7,-3"]):
        shifted, _ = frames(folder, [calibration], images, shift)
        drift = [placed([row.copy() for row in part], (millimetres, 0, 0))
                 for millimetres, part in enumerate(images)]
        found, said = frames(folder, [calibration], drift, shift)
        expect(found.tobytes() == shifted.tobytes(), f"drift {shift}: {said}")
    expect(not np.isnan(still).any(), "a frame failed")
    drift[4] = placed(drift[4], (30, 0, 0))
    found, _ = frames(folder, [calibration], drift, code=INPUT,
                      says=["frame 4 (repetition 4) failed", "lie elsewhere: 30 mm away"])
    expect(np.isnan(found[4]).all() and found[:4].tobytes() == still[:4].tobytes(), "others fail")


def lines_of_other_coils_make_no_maps(make):
    folder = make()
    lines, whole = lines_of(0, 0), lines_of(0, 0, every=1)
    alone, _ = frames(folder, [], [whole])
    fewer, silent = calibration_of(0), calibration_of(0)
    for row in fewer:
        row["head"]["active_channels"] = COILS - 1
        row["data"][0] = row["data"][0][:2 * N * (COILS - 1)]
    for row in silent:
        row["data"][0][:2 * N] = 0
    for wrong, why in ((fewer, f"have {COILS - 1} channels, not the image's {COILS}"),
                       (silent, "hold only zeros of coil 0, which has signal in the image")):
        own, said = frames(folder, [wrong], [whole])
        expect(why in said, said)
        expect(own.tobytes() == alone.tobytes(), f"{why}: maps of other samples than its own")
        write(folder / "raw.h5", CARTESIAN, np.concatenate([*wrong, *lines]))
        folder.run(INPUT, ["recon", "raw.h5", "-o", "image.h5", "--quiet", "--backend",
                           "reference"], [f"calibration lines {why}", "--maps FILE", "next:"])
        frames(folder, [wrong], [lines], ["--maps", "none"])


def the_first_slice_fails_alone(make):
    folder = make()
    calibrations = [calibration_of(number) for number in range(SLICES)]
    images = [lines_of(number, repetition) for number in range(SLICES)
              for repetition in range(REPETITIONS)]
    noise = [line(kspace(0, 0, empty=[0])[:, step], 0, 0, 0, NOISE) for step in range(N)]
    for words in ([], ["--lambda", "discrepancy"], ["--reg", "llr:0.01"]):
        good, _ = frames(folder, [noise, *calibrations], images, [*words, "--slice", "1,2"])
        found, said = frames(folder, [noise, *calibrations[1:]], images, words, code=INPUT,
                             says=["frame 0 (slice 0, repetition 0) failed",
                                   "estimated (slice 0)", "2 of 6 frames failed: 0,1"])
        expect(np.isnan(found[:2]).all(), f"{words}: slice 0 has maps")
        expect(found[2:].tobytes() == good.tobytes(), f"{words}: other images: {said}")
    write(folder / "raw.h5", CARTESIAN, np.concatenate([row for part in images for row in part]))
    os.unlink(folder / "i.h5")
    folder.run(INPUT, ["recon", "raw.h5", "-o", "image.h5", "--quiet", "--backend", "reference",
                       "--maps", "espirit"], ["estimated (slice 0)", "next:"])


def a_reference_scan_of_its_own_encoding_makes_maps(make):
    folder = make()
    whole, lines = lines_of(0, 0, every=1), lines_of(0, 0)
    reference = [line(kspace(0, 0)[:, step], 0, 0, step, CALIBRATION) for step in range(N)]
    for row in reference:
        row["head"]["encoding_space_ref"] = 1
    begin = CARTESIAN.index("<encoding>")
    end = CARTESIAN.index("</encoding>") + len("</encoding>")
    xml = CARTESIAN[:end] + CARTESIAN[begin:]
    work = ["--quiet", "--backend", "reference"]
    write(folder / "raw.h5", xml, np.concatenate([*reference, *lines]))
    said = folder.run(0, ["check", "raw.h5"]).stdout
    expect("'lsrecon maps SCAN --encoding 1 -o MAPS' makes coil maps from them." in said, said)
    folder.run(INPUT, ["check", "raw.h5", "--encoding", "1"], ["with image data of encoding 1"])
    folder.run(0, ["maps", "raw.h5", "--encoding", "1", "-o", "maps.h5", *work])
    folder.kept = {"maps.h5", "i.h5"}
    found, _ = image(folder, "--maps", "maps.h5", "--encoding", "0")
    write(folder / "raw.h5", CARTESIAN, np.concatenate(whole))
    truth, _ = image(folder)
    # Noise of 0.3 a sample, of 0.013 a voxel of 1, grows in a third of the lines; without maps
    # three objects lie on each other.
    away = np.linalg.norm(abs(found) - abs(truth)) / np.linalg.norm(truth)
    expect(away < 0.2, f"the image is {away} away")


def a_wider_image_has_the_same_maps(make):
    """The centre of k-space is dense enough for the file's field of view, not for a wider one."""
    folder = make()
    folder.run(0, ["simulate", "--trajectory", "golden-angle", "--matrix", "48,48", "--coils", "8",
                   "--without-maps", "--snr", "50", "-o", "native.h5", "--truth", "phantom.h5",
                   "--quiet"])
    with h5py.File(folder / "phantom.h5") as f:
        truth = np.abs(f["image"][0])
    errors = []
    for voxels in (48, 60, 72):
        field = f"{5 * voxels}"
        folder.run(0, ["recon", "native.h5", "-o", "i.h5", "--quiet", "--maps", "espirit",
                       "--matrix", f"{voxels},{voxels}", "--fov-mm", f"{field},{field}"])
        with h5py.File(folder / "i.h5") as f:
            image = np.abs(f["image"][0])
        edge = (voxels - 48) // 2
        inside = image[edge:edge + 48, edge:edge + 48]
        errors.append(np.linalg.norm(inside - truth) / np.linalg.norm(truth))
        expect(np.linalg.norm(image) < 1.05 * np.linalg.norm(inside), f"{voxels}: folded")
    expect(max(errors) < 1.1 * errors[0], f"errors {errors}")


def a_hole_in_the_object_has_maps(make):
    """A disc with a dark hole, as a lung has: maps were 0 there, and so was the image."""
    folder, n = make(), 48
    k = np.arange(n) - n // 2
    x, y = np.meshgrid(k / n, k / n)
    hole = np.hypot(x - 0.05, y) < 0.22
    truth = np.where(hole, 0.03, np.hypot(x, y) < 0.4)
    coils = np.array([np.exp(-np.hypot(x - 0.6 * np.cos(a), y - 0.6 * np.sin(a)) ** 2 * 5 + 1j * a)
                      for a in np.arange(8) * np.pi / 4])
    coils /= np.linalg.norm(coils, axis=0)
    dft = np.exp(-2j * np.pi * np.outer(k, k) / n)
    noise = np.random.default_rng(1).normal(scale=0.004 * n / np.sqrt(2), size=(8, n, n, 2))
    samples = dft @ (coils * truth) @ dft.T + noise[..., 0] + 1j * noise[..., 1]
    kx, ky = np.meshgrid(k, k)
    with h5py.File(folder / "s.h5", "w") as f:
        f.attrs.update({"format": "lsrecon-scan", "version": 1, "matrix": [n, n],
                        "fov_mm": [240.0, 240.0]})
        f["samples"] = samples.reshape(8, -1)
        f["trajectory"] = np.stack([kx.ravel(), ky.ravel()], axis=1).astype(float)
        f["trajectory"].attrs["units"] = "cycles/fov"
    folder.run(0, ["maps", "s.h5", "-o", "m.h5", "--quiet"])
    folder.run(0, ["recon", "s.h5", "-o", "i.h5", "--lambda", "1e-3", "--quiet"])
    with h5py.File(folder / "m.h5") as f:
        maps = np.linalg.norm(f["coil_maps"][()], axis=0)
    with h5py.File(folder / "i.h5") as f:
        image = np.abs(f["image"][0])
    error = np.linalg.norm((image - truth)[hole]) / np.linalg.norm(truth[hole])
    expect(np.allclose(maps[hole], 1), f"{np.sum(maps[hole] == 0)} of {np.sum(hole)} maps are 0")
    expect(error < 0.3, f"an error of {error} in the hole")
    expect(maps[0, 0] == 0 and np.mean(maps == 0) > 0.2, "noise outside is not cut")


if __name__ == "__main__":
    sys.exit(run_cases([lines_elsewhere_are_left_out, each_slice_has_its_own_elsewhere,
                        frames_that_drift_keep_their_calibration,
                        a_reference_scan_of_its_own_encoding_makes_maps,
                        lines_of_other_coils_make_no_maps,
                        the_first_slice_fails_alone, a_wider_image_has_the_same_maps,
                        a_hole_in_the_object_has_maps]))
