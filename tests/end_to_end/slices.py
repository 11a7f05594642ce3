#!/usr/bin/env python3
"""Coil maps of a scan of several slices: each slice has its own, and its images are those of the
slice alone.

    slices.py LSRECON"""

import os
import pathlib
import shutil
import sys

import h5py
import nibabel
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "data"))
from bad_ismrmrd import ACQUISITION, XML, write # noqa: E402
from in_folders import INPUT, USAGE, codes, expect, run_cases # noqa: E402

N, COILS, SLICES, REPETITIONS = 24, 4, 3, 2
CALIBRATION = 1 << 19
CARTESIAN = XML.replace("<x>4</x><y>4</y>", f"<x>{N}</x><y>{N}</y>").replace("spiral", "cartesian")
RECON = ["recon", "raw.h5", "--backend", "reference", "--iterations", "8"]
rng = np.random.default_rng(3)


def coils(slice_number):
    """Maps that differ from slice to slice."""
    x, y = np.meshgrid(np.arange(N) / N - 0.5, np.arange(N) / N - 0.5)
    angles = 2 * np.pi * np.arange(COILS) / COILS + slice_number
    return np.array([np.exp(-2 * ((x - 0.6 * np.cos(a)) ** 2 + (y - 0.6 * np.sin(a)) ** 2) + 1j * a)
                     for a in angles])


def kspace(slice_number, repetition, empty=()):
    """Of a disc with a square in it, elsewhere in every slice; of noise where it is empty."""
    x, y = np.meshgrid(np.arange(N) - N // 2, np.arange(N) - N // 2)
    image = (x ** 2 + y ** 2 < 81).astype(float)
    image[8 + slice_number:12 + slice_number, 9:14] += 1 + 0.5 * repetition
    if slice_number in empty:
        image[:] = 0
    shifted = np.fft.ifftshift(image * coils(slice_number), axes=(1, 2))
    noise = rng.normal(size=(COILS, N, N)) + 1j * rng.normal(size=(COILS, N, N))
    return np.fft.fftshift(np.fft.fft2(shifted), axes=(1, 2)) + 0.3 * noise


def line(samples, slice_number, repetition, step, flags=0):
    row = np.zeros(1, ACQUISITION)
    head = row["head"]
    head["version"], head["flags"] = 1, flags
    head["number_of_samples"], head["center_sample"] = N, N // 2
    head["available_channels"] = head["active_channels"] = COILS
    head["read_dir"], head["phase_dir"], head["slice_dir"] = np.eye(3)
    head["position"] = [0, 0, 5.0 * slice_number]
    head["idx"]["slice"], head["idx"]["repetition"] = slice_number, repetition
    head["idx"]["kspace_encode_step_1"] = step
    row["traj"][0] = np.zeros(0, "f4")
    row["data"][0] = samples.astype("c8").ravel().view("f4")
    return row


def raw(folder, every=1, empty=(), bad=()):
    """Every so many lines of the image, slices interleaved; with fewer than all the 12 in the
    centre as calibration alone. Of a bad frame (slice, repetition) a sample is NaN."""
    rows = []
    for repetition in range(REPETITIONS):
        for slice_number in (0, 2, 1):
            samples = kspace(slice_number, repetition, empty)
            for step in range(N):
                if every > 1 and repetition == 0 and abs(step - N // 2) <= 6:
                    rows.append(line(samples[:, step], slice_number, 0, step, CALIBRATION))
            if (slice_number, repetition) in bad:
                samples[1, N // 2, 3] = np.nan
            for step in range(0, N, every):
                rows.append(line(samples[:, step], slice_number, repetition, step))
    write(folder / "raw.h5", CARTESIAN, np.concatenate(rows))


def image(folder, *words, code=0, says=()):
    process = folder.run(code, [*RECON, "-o", "i.h5", *words], says)
    with h5py.File(folder / "i.h5") as f:
        return f["image"][()], process.stderr


def each_slice_has_its_own(make):
    for every in (1, 2):
        folder = make()
        raw(folder, every)
        for words in ([], ["--maps", "walsh"], ["--coils", "3"][: 2 if every == 1 else 0]):
            whole, said = image(folder, *words)
            expect("for each of 3 slices" in said, f"{words}: {said}")
            if "--coils" in words:
                continue  # compressed as the first slice is
            for number in range(SLICES):
                one, said = image(folder, *words, "--slice", str(number))
                expect(one.tobytes() == whole[2 * number:2 * number + 2].tobytes(),
                       f"every {every}, {words}: slice {number} is another")
        expect(not np.allclose(whole.imag, 0), "a magnitude")


def the_console_names_the_frames(make):
    folder = make()
    raw(folder, bad=[(1, 0)])
    folder.kept = {"i.h5.part"}
    folder.run(INPUT, [*RECON, "-o", "i.h5", "--maps", "walsh"],
               ["frame 1 of 6 (slice 0, repetition 0)\n", "frame 6 of 6 (slice 2, repetition 1)\n",
                "frame 2 (slice 1, repetition 0) failed: "])


def repetitions_of_each_slice_are_solved_together(make):
    folder = make()
    raw(folder)
    llr = ["--reg", "llr:0.01"]
    whole, said = image(folder, *llr)
    for number in range(SLICES):
        one, _ = image(folder, *llr, "--slice", str(number))
        expect(one.tobytes() == whole[2 * number:2 * number + 2].tobytes(), f"slice {number}")
    folder.run(USAGE, [*RECON, "-o", "image.h5", *llr, "--repetition", "0"],
               ["a slice has one frame", "next:"])


def a_slice_without_signal_or_a_frame_is_no_obstacle(make):
    folder = make()
    raw(folder, empty=[2])  # such flags leave no voxel of a slice of noise alone
    found, said = image(folder, "--maps-threshold", "0.5", "--maps-crop", "0.99")
    expect("maps_by_walsh" in codes(folder / "i.h5") and "slice of frame 4" in said, said)
    expect(all(np.abs(frame).max() > 0 for frame in found), "an image of zeros")
    raw(folder)
    raw(folder, bad=[(1, 0)])
    folder.kept = {"i.h5.part"}
    found, said = image(folder, code=INPUT, says=["slice 1, repetition 0) failed"])
    expect("1 of 6 frames failed: 2" in said, said)
    shutil.rmtree(folder / "i.h5.part")
    alone, _ = image(folder, "--slice", "1", "--repetition", "1")
    expect(found[3].tobytes() == alone[0].tobytes(), "maps of another frame than the good one")
    with h5py.File(folder / "raw.h5", "r+") as f:
        rows = f["dataset/data"][()]
        for row in rows[rows["head"]["idx"]["slice"] == 2]:
            row["data"][:] = 0
        f["dataset/data"][...] = rows
    folder.kept = {"i.h5.part"}
    _, said = image(folder, "--slice", "0,2", code=INPUT)
    expect("only zeros" in said and "2 of 4 frames failed: 2,3" in said, said)


def one_prior_image_serves_no_slices(make):
    folder = make()
    raw(folder)
    image(folder, "--slice", "0", "--repetition", "0")
    os.rename(folder / "i.h5", folder / "prior.h5")
    with h5py.File(folder / "prior.h5") as f:
        expect(f["frame_labels"].asstr()[0] == "slice 0, repetition 0", "an image without a label")
    prior = ["--prior", "prior.h5", "--reg", "prior:0.1"]
    folder.run(INPUT, [*RECON, "-o", "image.h5", *prior], ["several slices", "--slice", "next:"])
    image(folder, *prior, "--slice", "0")


def maps_that_cannot_be_made(make):
    folder = make()
    raw(folder)
    folder.run(0, ["maps", "raw.h5", "-o", "maps.h5", "--slice", "0", "--quiet"])
    for words in (["recon", "raw.h5", "-o", "image.h5", "--maps", "maps.h5"],
                  ["maps", "raw.h5", "-o", "more.h5"]):
        shown = folder.run(INPUT, [*words, "--quiet"], ["several slices", "--slice", "next:"]
                           ).stderr
        expect(("--maps none" in shown) == (words[0] == "recon"), f"{words[0]} advises: {shown}")
    # Every second line and no calibration: the centre is too sparse in every slice.
    raw(folder, 2)
    with h5py.File(folder / "raw.h5", "r+") as f:
        rows = f["dataset/data"][()]
        del f["dataset/data"]
        f["dataset/data"] = rows[rows["head"]["flags"] == 0]
    folder.run(INPUT, [*RECON, "-o", "image.h5", "--maps", "espirit"], ["centre of k-space"])
    folder.run(INPUT, ["maps", "raw.h5", "-o", "more.h5", "--slice", "0", "--quiet"],
               ["centre of k-space", "'lsrecon recon --maps none'"])
    _, said = image(folder)
    expect("no_maps" in codes(folder / "i.h5"), said)


def the_noise_is_that_of_the_first_slice(make):
    folder = make()
    raw(folder)
    image(folder, "--noise-map", "3")
    with h5py.File(folder / "i.h5") as f:
        whole = f["noise_map"][()]
    image(folder, "--noise-map", "3", "--slice", "0")
    with h5py.File(folder / "i.h5") as f:
        expect(np.array_equal(f["noise_map"][()], whole), "another noise map")
    raw(folder, bad=[(0, 0), (0, 1)]) # the first good frame is of the second slice
    folder.kept = {"i.h5.part"}
    image(folder, "--noise-map", "3", code=INPUT)
    folder.run(0, ["convert", "i.h5", "-o", "n.nii", "--map", "noise_map", "--quiet"])
    height = nibabel.load(folder / "n.nii").affine[2, 3]
    expect(np.isclose(height, 5), f"the noise map lies at z = {height}")
    thickness = nibabel.load(folder / "n.nii").header.get_zooms()[2]
    expect(np.isclose(thickness, 5), f"slices of {thickness} mm")


def a_series_that_was_stopped_is_made_as_far_as_it_goes(make):
    """In its second repetition, after a third of the lines of slice 1."""
    folder = make()
    raw(folder)
    with h5py.File(folder / "raw.h5") as f:
        rows, xml = f["dataset/data"][()], f["dataset/xml"][0].decode()
    words = ["--maps", "none", "--lambda", "1e-3"]
    whole, said = image(folder, *words)
    expect("frames_incomplete" not in codes(folder / "i.h5"), said)
    idx = rows["head"]["idx"]
    lost = ((idx["repetition"] == 1) & (idx["slice"] == 2)) | (
        (idx["repetition"] == 1) & (idx["slice"] == 1) & (idx["kspace_encode_step_1"] >= 8))
    write(folder / "raw.h5", xml, rows[~lost])
    found, said = image(folder, *words)
    expect("frames_incomplete" in codes(folder / "i.h5"), said)
    expect("frame 3 (slice 1, repetition 1)" in said and "8 of 24" in said
           and "missing (slice 2, repetition 1)" in said and "--frames 0-2,4 " in said, said)
    expect(found.shape == (5, N, N), f"{found.shape}")
    for frame in (0, 1, 2, 4):
        expect(found[frame].tobytes() == whole[frame].tobytes(), f"frame {frame} is another")
    convert = ["convert", "i.h5", "-o", "i.nii", "--part", "real"]
    folder.run(0, convert, ["1 of 6 slices are missing", "NaN"])
    volumes = nibabel.load(folder / "i.nii").get_fdata()
    expect(volumes.shape == (N, N, 3, 2), f"{volumes.shape}")
    expect(np.isnan(volumes[..., 2, 1]).all() and np.isfinite(volumes[..., 0]).all()
           and np.isfinite(volumes[..., :2, 1]).all(), "NaN elsewhere than in what is missing")
    image(folder, *words, "--frames", "0-2,4")
    expect("frames_incomplete" not in codes(folder / "i.h5"), "whole frames are noted")


if __name__ == "__main__":
    sys.exit(run_cases([each_slice_has_its_own, the_console_names_the_frames,
                        repetitions_of_each_slice_are_solved_together,
                        a_slice_without_signal_or_a_frame_is_no_obstacle,
                        one_prior_image_serves_no_slices, maps_that_cannot_be_made,
                        the_noise_is_that_of_the_first_slice,
                        a_series_that_was_stopped_is_made_as_far_as_it_goes]))
