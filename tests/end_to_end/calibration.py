#!/usr/bin/env python3
"""Which frames calibration lines serve: those of their slice that lie where they do. What lacks
any fails alone. Lines of other coils serve none. And the field of view of a calibration.

    calibration.py LSRECON"""

import os
import shutil
import sys

import h5py
import numpy as np

from in_folders import INPUT, codes, expect, run_cases
from slices import (CALIBRATION, CARTESIAN, COILS, N, REPETITIONS, SLICES, image, kspace, line, rng,
                    write)

BOTH = 1 << 20
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
        expect("calibration_unused" in codes(folder / "i.h5"), said)
        expect("left out 13 acq" in said and where in said and "kept" not in said, said)
        expect(own.tobytes() == alone.tobytes(), f"{where}: maps of other samples than its own")
        write(folder / "raw.h5", CARTESIAN, np.concatenate([*elsewhere, *lines]))
        folder.run(INPUT, ["recon", "raw.h5", "-o", "image.h5", "--quiet", "--backend",
                           "reference"],
                   ["centre of k-space", f"calibration lines lie elsewhere: {where}", "next:"])
    # Both: those that lie here are used, and the others do not come in.
    both, said = frames(folder, [placed(calibration_of(0), (30, 0, 0)),
                                 placed(calibration, (0, 0, 0))], [lines])
    expect("left out 13" in said and "kept 13" in said, said)
    expect(both.tobytes() == here.tobytes(), "lines of two slices in one k-space")
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
        expect("calibration_unused" in codes(folder / "i.h5"), said)
        expect("left out 13 acq" in said and f"slice 1 is {where}" in said, said)
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
    for wrong, why in ((fewer, [f"{COILS - 1} channels", f"image's {COILS}"]),
                       (silent, ["zeros of coil 0"])):
        own, said = frames(folder, [wrong], [whole], says=why)
        expect("calibration_unused" in codes(folder / "i.h5"), said)
        expect(own.tobytes() == alone.tobytes(), f"{why}: maps of other samples than its own")
        write(folder / "raw.h5", CARTESIAN, np.concatenate([*wrong, *lines]))
        folder.run(INPUT, ["recon", "raw.h5", "-o", "image.h5", "--quiet", "--backend",
                           "reference"], ["calibration lines", *why, "--maps FILE", "next:"])
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


def whole_image(folder, slice_number):
    """Of all lines, with maps of their own."""
    write(folder / "raw.h5", CARTESIAN, np.concatenate(lines_of(slice_number, 0, every=1)))
    return image(folder)[0]


def is_central(step):
    return abs(step - N // 2) <= 6


def embedded_lines_are_in_the_image(make):
    """What the image's readout measured between its lines is as if it were flagged as both."""
    folder = make()
    truth = whole_image(folder, 0)
    samples = kspace(0, 0)
    found = {}
    for flags, words in ((BOTH, []), (CALIBRATION, []),
                         (CALIBRATION, ["--calibration-lines", "maps"])):
        lines = [line(samples[:, step], 0, 0, step,
                      flags if step % EVERY > 0 else BOTH if is_central(step) else 0)
                 for step in range(N) if step % EVERY == 0 or is_central(step)]
        found[flags, len(words)], _ = frames(folder, [], [lines], words)
    expect(found[CALIBRATION, 0].tobytes() == found[BOTH, 0].tobytes(), "other lines")
    away = [error_of(abs(found[CALIBRATION, words]), abs(truth)) for words in (0, 2)]
    expect(away[0] < 0.9 * away[1], f"with and without the lines {away} away")


def reference_of(slice_number, fields=1):
    """All lines of a slice in another encoding, of 1 or 2 fields of view along y."""
    samples = kspace(slice_number, 0)
    if fields == 2:  # in between lie samples of the same image
        rows = np.fft.fftshift(np.fft.ifft(np.fft.ifftshift(samples, axes=1), axis=1), axes=1)
        waves = np.exp(-1j * np.pi * np.outer(np.arange(2 * N) - N, np.arange(N) / N - 0.5))
        samples = waves @ rows
    rows = [line(samples[:, step], slice_number, 0, step, CALIBRATION)
            for step in range(samples.shape[1])]
    for row in rows:
        row["head"]["encoding_space_ref"] = 1
    return rows


def with_second_encoding(*changes):
    begin = CARTESIAN.index("<encoding>")
    end = CARTESIAN.index("</encoding>") + len("</encoding>")
    second = CARTESIAN[begin:end]
    for before, after in changes:
        expect(before in second, f"no {before} in {second}")
        second = second.replace(before, after)
    return CARTESIAN[:end] + second + CARTESIAN[end:]


def a_reference_scan_of_its_own_encoding_makes_maps(make):
    folder = make()
    truth = whole_image(folder, 0)
    xml, scan = with_second_encoding(), [*reference_of(0), *lines_of(0, 0)]
    noise = [line(rng.normal(size=(COILS, N)) + 1j * rng.normal(size=(COILS, N)), 0, 0, 0, NOISE)
             for _ in range(N)]
    for rows, words in ((scan, []), ([*noise, *scan], []), ([*noise, *scan], ["--no-whitening"])):
        write(folder / "raw.h5", xml, np.concatenate(rows))
        own, _ = image(folder, *words)
        expect("encoding_unused" not in codes(folder / "i.h5"), f"{words}: it is not read")
        folder.run(0, ["maps", "raw.h5", "--encoding", "1", "-o", "maps.h5", "--quiet",
                       "--backend", "reference"])
        by_command, _ = image(folder, *words, "--maps", "maps.h5")
        os.unlink(folder / "maps.h5")
        # Noise of 0.3 a sample, of 0.013 a voxel of 1, grows in a third of the lines; without maps
        # three objects lie on each other.
        errors = [error_of(abs(found), abs(truth)) for found in (own, by_command)]
        expect(errors[0] < min(0.2, 1.1 * errors[1]), f"{words}: the image is {errors} away")
    folder.run(INPUT, ["check", "raw.h5", "--encoding", "1"], ["with image data of encoding 1"])


def a_reference_scan_serves_each_slice_in_a_wider_field(make):
    folder = make()
    truths = [whole_image(folder, number) for number in range(SLICES)]
    images = [lines_of(number, 0) for number in range(SLICES)]
    own, _ = frames(folder, [calibration_of(number) for number in range(SLICES)], images)
    wide = with_second_encoding((f"<y>{N}</y>", f"<y>{2 * N}</y>"), ("<y>200</y>", "<y>400</y>"))
    for xml, fields in ((with_second_encoding(), 1), (wide, 2)):
        references = [reference_of(number, fields) for number in range(SLICES)]
        write(folder / "raw.h5", xml, np.concatenate(sum([*references, *images], [])))
        found, _ = image(folder)
        expect("encoding_unused" not in codes(folder / "i.h5"), "it is not read")
        for number, truth in enumerate(truths):
            errors = [error_of(abs(of[number]), abs(truth[0])) for of in (found, own)]
            expect(errors[0] < 1.1 * errors[1], f"slice {number}, {fields} fields: {errors} away")


def a_reference_scan_that_does_not_fit_has_a_command(make):
    folder = make()
    narrow = with_second_encoding(("<x>200</x>", "<x>180</x>"))
    write(folder / "raw.h5", narrow, np.concatenate([*reference_of(0), *lines_of(0, 0)]))
    said = folder.run(0, ["check", "raw.h5"]).stdout
    expect("--encoding 1 -o MAPS" in said, said)


def write_native(name, matrix, fov, k, samples, **more):
    with h5py.File(name, "w") as f:
        f.attrs.update({"format": "lsrecon-scan", "version": 1, "matrix": list(matrix),
                        "fov_mm": [float(side) for side in fov]})
        f["samples"], f["trajectory"] = samples, k
        f["trajectory"].attrs["units"] = "cycles/fov"
        for key, value in more.items():
            f[key] = value


def noise_of(shape, level):
    values = np.random.default_rng(1).normal(scale=level / np.sqrt(2), size=(*shape, 2))
    return values[..., 0] + 1j * values[..., 1]


def write_cartesian(name, images, noise):
    """The full k-space of the coils' images, with so much noise a voxel."""
    n = images.shape[-1]
    k = np.arange(n) - n // 2
    dft = np.exp(-2j * np.pi * np.outer(k, k) / n)
    samples = dft @ images @ dft.T + noise_of(images.shape, noise * n)
    kx, ky = np.meshgrid(k, k)
    write_native(name, (n, n), (240, 240), np.stack([kx.ravel(), ky.ravel()], axis=1).astype(float),
                 samples.reshape(len(images), -1))


def samples_of(images, k):
    """Exact sums over voxels; k in cycles/FOV."""
    matrix = images.shape[:0:-1]
    axes = [(np.arange(size) - size // 2) / size for size in matrix]
    waves = [np.exp(-2j * np.pi * np.outer(k[:, d], axis)) for d, axis in enumerate(axes)]
    words = "mx,my,cyx->cm" if len(matrix) == 2 else "mx,my,mz,czyx->cm"
    return np.einsum(words, *waves, images, optimize="greedy")


def golden_spokes(count, reach, step):
    angles = np.arange(count) * np.pi * (np.sqrt(5) - 1) / 2
    r = np.arange(-reach, reach, step)
    return np.stack([np.outer(np.cos(angles), r), np.outer(np.sin(angles), r)], -1).reshape(-1, 2)


def surface_coils(x, y, centres, width):
    """Each is weak beyond its width."""
    return np.array([np.exp(1j * (c + 3 * (x * u + y * v))) * width ** 3 /
                     (width ** 2 + (x - u) ** 2 + (y - v) ** 2) ** 1.5
                     for c, (u, v) in enumerate(centres)])


def image_of(folder, name, *words):
    """The image, in absolute values, and what was said."""
    said = folder.run(0, ["recon", name, "-o", "i.h5", *words]).stderr
    with h5py.File(folder / "i.h5") as f:
        return np.abs(f["image"][0]), said


def error_of(found, truth):
    """Whatever the units."""
    gain = np.sum(found * truth) / np.sum(found ** 2)
    return np.linalg.norm(gain * found - truth) / np.linalg.norm(truth)


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
    write_cartesian(folder / "s.h5", coils * truth, 0.004)
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


def what_coils_hardly_see_has_maps(make):
    """Coils on one side, and one that is near the object and strong: maps were 0 far away."""
    folder, n = make(), 64
    x, y = np.meshgrid(*[(np.arange(n) - n // 2) / n] * 2)
    disc = np.hypot(x / 0.36, y / 0.42) < 1
    truth = disc - 0.4 * (np.hypot(x - 0.12, y + 0.1) < 0.1)
    for name, centres, width in (
            ("side", [(0.55, v) for v in np.linspace(-0.5, 0.5, 8)], 0.25),
            ("near", [(0.42, 0), *[(1.5 * np.cos(a), 1.5 * np.sin(a))
                                   for a in np.arange(5) * 2 * np.pi / 5]], 0.3)):
        coils = surface_coils(x, y, centres, width)
        write_cartesian(folder / "s.h5", coils * truth, 0.01 * np.abs(coils[:, disc]).mean())
        found, _ = image_of(folder, "s.h5", "--lambda", "1e-3", "--quiet")
        expect(np.mean(found[disc] == 0) <= 0.005, f"{name}: {np.mean(found[disc] == 0)} are 0")
        expect(np.mean(found[~disc] == 0) > 0.5, f"{name}: noise outside is not cut")


def an_object_whose_phase_varies_has_maps(make):
    """Its k-space is strong beyond the centre alone: maps were 0 in half of it."""
    folder, n = make(), 96
    x, y = np.meshgrid(*[(np.arange(n) - n // 2) / n] * 2)
    disc = np.hypot(x / 0.36, y / 0.42) < 1
    phase = np.exp(2j * np.pi * (15 * x + 30 * (x ** 2 - y ** 2)))
    coils = surface_coils(x, y, [(0.7 * np.cos(a), 0.7 * np.sin(a))
                                 for a in np.arange(8) * np.pi / 4], 0.45)
    write_cartesian(folder / "s.h5", coils * disc * phase, 0.02 * np.abs(coils[:, disc]).mean())
    found, _ = image_of(folder, "s.h5", "--lambda", "1e-3", "--quiet")
    truth = disc * np.linalg.norm(coils, axis=0)
    expect(np.mean(found[disc] == 0) <= 0.005, f"{np.mean(found[disc] == 0)} are 0")
    expect(np.mean(found[~disc] == 0) > 0.5, "noise outside is not cut")
    expect(error_of(found, truth) < 0.1, f"an error of {error_of(found, truth)}")


BEYOND = "beyond_field_of_view"


def what_lies_beside_the_field_is_in_a_wider_image(make):
    """Readouts of twice the field of view hold it: maps ended at the scan's field."""
    folder, n = make(), 40
    x, y = np.meshgrid(*[(np.arange(2 * n) - n) / n] * 2)  # in scan's fields of view
    whole = 1.0 * (np.hypot(x / 0.36, y / 0.42) < 1) - 0.4 * (np.hypot(x - 0.12, y + 0.1) < 0.1)
    arms = np.hypot((np.abs(x) - 0.72) / 0.11, y / 0.28) < 1
    k = golden_spokes(64, n / 2, 0.5)
    coils = surface_coils(x, y, [(1.4 * np.cos(a), 1.4 * np.sin(a))
                                 for a in np.arange(6) * np.pi / 3], 1)
    inside = np.s_[n // 2:n // 2 + n, n // 2:n // 2 + n]
    truth = (np.linalg.norm(coils, axis=0) * whole)[inside]
    wide = ["--matrix", f"{2 * n},{2 * n}", "--fov-mm", "440,440"]
    for beside, says in ((0, False), (1, True)):
        samples = samples_of(coils * (whole + beside * arms), 2 * k)
        samples += noise_of(samples.shape, 0.01 * np.sqrt(np.mean(np.abs(samples) ** 2)))
        write_native(folder / "s.h5", (n, n), (220, 220), k, samples)
        _, said = image_of(folder, "s.h5", "--lambda", "1e-3")
        expect((BEYOND in codes(folder / "i.h5")) == says, f"arms {beside}: {said}")
        expect((" ".join(wide) in said) == says, f"arms {beside}: {said}")
        found, said = image_of(folder, "s.h5", "--lambda", "1e-3", *wide)
        expect(BEYOND not in codes(folder / "i.h5"), f"of a wider image: {said}")
        error = error_of(found[inside], truth)
        expect(error < 0.08, f"arms {beside}: an error of {error}")


def healthy_scans_reach_beyond_no_field(make):
    folder = make()
    for trajectory in ("golden-angle", "radial", "spiral", "cartesian"):
        for snr in ("5", "50"):
            folder.run(0, ["simulate", "--trajectory", trajectory, "--matrix", "48,48", "--coils",
                           "6", "--without-maps", "--snr", snr, "-o", "native.h5", "--quiet"])
            _, said = image_of(folder, "native.h5", "--lambda", "0.01")
            expect(BEYOND not in codes(folder / "i.h5"), f"{trajectory}, SNR {snr}: {said}")


def a_hole_in_the_centre_of_kspace_makes_no_maps(make):
    """Spokes from the centre outwards whose first samples are lost: maps of the ring around it
    were worse than none, and were advised in place of right ones."""
    folder, n = make(), 16
    grid = [(np.arange(n) - n // 2) / n] * 3
    z, y, x = np.meshgrid(*grid, indexing="ij")
    truth = 1.0 * (np.sqrt((x / 0.36) ** 2 + (y / 0.42) ** 2 + (z / 0.4) ** 2) < 1)
    coils = np.array([np.exp(side * (1.2 + 1.5j) * (x + 0.4 * z)) for side in (-1, 1)])
    i = np.arange(700) + 0.5
    polar, turn = np.arccos(1 - 2 * i / len(i)), np.pi * (1 + np.sqrt(5)) * i
    ball = np.stack([np.cos(turn) * np.sin(polar), np.sin(turn) * np.sin(polar), np.cos(polar)], 1)
    for first, is_hole in ((0, False), (2, True)):
        k = (ball[:, None] * np.arange(first, n / 2, 0.5)[:, None]).reshape(-1, 3)
        samples = samples_of(coils * truth, k)
        samples += noise_of(samples.shape, 0.5)
        write_native(folder / "s.h5", (n,) * 3, (200,) * 3, k, samples)
        write_native(folder / "m.h5", (n,) * 3, (200,) * 3, k, samples, coil_maps=coils)
        found, said = image_of(folder, "s.h5", "--lambda", "1e-3")
        alone, _ = image_of(folder, "s.h5", "--lambda", "1e-3", "--maps", "none")
        is_alone = np.array_equal(found, alone)
        expect(is_alone == is_hole, f"from {first}: coils alone {is_alone}")
        expect(("it is a hole" in said) == is_hole, f"from {first}: {said}")
        _, said = image_of(folder, "m.h5", "--lambda", "1e-3")
        expect("--maps espirit" not in said, f"from {first}: {said}")
    folder.run(INPUT, ["recon", "s.h5", "-o", "image.h5", "--maps", "espirit", "--quiet"],
               ["centre of k-space", "it is a hole", "--maps none"])


if __name__ == "__main__":
    sys.exit(run_cases([lines_elsewhere_are_left_out, each_slice_has_its_own_elsewhere,
                        frames_that_drift_keep_their_calibration,
                        embedded_lines_are_in_the_image,
                        a_reference_scan_of_its_own_encoding_makes_maps,
                        a_reference_scan_serves_each_slice_in_a_wider_field,
                        a_reference_scan_that_does_not_fit_has_a_command,
                        lines_of_other_coils_make_no_maps,
                        the_first_slice_fails_alone, a_wider_image_has_the_same_maps,
                        a_hole_in_the_object_has_maps, what_coils_hardly_see_has_maps,
                        an_object_whose_phase_varies_has_maps,
                        what_lies_beside_the_field_is_in_a_wider_image,
                        healthy_scans_reach_beyond_no_field,
                        a_hole_in_the_centre_of_kspace_makes_no_maps]))
