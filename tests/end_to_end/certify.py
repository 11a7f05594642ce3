#!/usr/bin/env python3
"""recon --certify: its exit code, its message and what the record holds, with every kind of solve.

    certify.py LSRECON"""

import functools
import os
import pathlib
import shutil
import sys

import h5py
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "data"))
from bad_ismrmrd import ACQUISITION, XML, write # noqa: E402
from in_folders import INPUT, USAGE, expect, run_cases # noqa: E402

TOLERANCE = 6
FAST = ["--kernel", "nufft", "--accuracy", "1e-4"]


def scan_in(folder):
    folder.run(0, ["simulate", "--trajectory", "radial", "--matrix", "32,32", "--coils", "3",
                   "--noise", "0.02", "--frames", "2", "-o", "many.h5", "--quiet"])


def reconstruct(folder, code, *words, says=(), scan="many.h5"):
    """The record of the image, which is there whatever the code."""
    done = folder.run(code, ["recon", scan, "-o", "i.h5", *words], says)
    if not os.path.exists(folder / "i.h5"):
        expect(False, f"no image by {words}")
        return {}, done.stderr
    with h5py.File(folder / "i.h5") as file:
        record = dict(file["record"].attrs)
    os.remove(folder / "i.h5")
    return record, done.stderr


def it_is_sampled_where_it_is_not_exact(make):
    folder = make()
    scan_in(folder)
    record, said = reconstruct(folder, 0, "--lambda", "0")
    expect("certified_fhd" not in record and "errors     " not in said, "an exact engine")
    record, said = reconstruct(folder, 0, *FAST, "--lambda", "0")
    expect("errors     F^H d " in said and "confidence of 95 %" in said, said)
    expect(record["certified_voxels"] >= 16, "too few voxels")
    expect(1e-7 < record["certified_fhd"] < 1e-4, f"F^H d {record['certified_fhd']}")
    for name in ("certified_fhd", "certified_q", "certified_image"):
        expect(0 < record[name] < record[name + "_upper"], name)


def the_exit_code_says_it(make):
    folder = make()
    scan_in(folder)
    for how in (["--lambda", "0"], ["--lambda", "0.01"], [], ["--maps", "none", "--lambda", "0"],
                ["--reg", "tv:0.02"], ["--lambda", "0.01", "--solver", "eigen"],
                ["--lambda", "0", "--solver", "eigen"]):
        record, _ = reconstruct(folder, TOLERANCE, *FAST, *how, "--certify", "1e-12",
                                says=["--certify 1e-12", "image ", "--accuracy"])
        expect(record["certified_image_upper"] > 1e-12, f"{how}: no bound in the record")
        reconstruct(folder, 0, *FAST, *how, "--certify", "10")
    reconstruct(folder, TOLERANCE, "--lambda", "0", "--certify", "1e-12")
    record, _ = reconstruct(folder, 0, "--lambda", "0", "--certify", "1e-2")
    expect(0 < record["certified_fhd"] < 1e-6, "an exact engine in floats")
    folder.run(USAGE, ["recon", "many.h5", "-o", "i.h5", "--reg", "ttv:0.02", "--certify", "1e-3"],
               ["--certify", "next:"])


def the_accuracy_follows_from_it(make):
    folder = make()
    scan_in(folder)
    for asked in (1e-2, 1e-5, 1e-8):
        record, _ = reconstruct(folder, 0, "--kernel", "nufft", "--precision", "double",
                                "--lambda", "0", "--iterations", "10", "--certify", str(asked))
        upper = record["certified_image_upper"]
        expect(1e-4 * asked < upper <= asked, f"{upper} where {asked} was asked for")


def grid(size):
    """x and y of the voxels of a square, in fields of view."""
    axis = (np.arange(size) - size // 2) / size
    return np.meshgrid(axis, axis)


def fourier(k, size):
    """F, M x N."""
    x, y = grid(size)
    return np.exp(-2j * np.pi * (np.outer(k[:, 0], x) + np.outer(k[:, 1], y)))


def write_scan(path, size, k, samples, maps=None):
    with h5py.File(path, "w") as file:
        file.attrs.update({"format": "lsrecon-scan", "version": 1, "matrix": [size, size],
                           "fov_mm": [240.0, 240.0]})
        file["trajectory"] = k
        file["trajectory"].attrs["units"] = "cycles/fov"
        file["samples"] = samples
        if maps is not None:
            file["coil_maps"] = maps


def certified(record):
    return {name: float(np.ravel(record[name])[0]) for name in record if "certified" in name}


def expect_the_largest(whole, alone, what):
    """The record of all frames, and those of frames alone, where they are not alike."""
    for name in ("certified_fhd_upper", "certified_image_upper"):
        each = [certified(record)[name] for record in alone]
        expect(certified(whole)[name] == max(each), f"{what}: {name} {certified(whole)[name]} "
               f"of all frames, {each} of each alone")
        expect(max(each) > min(each), f"{what}: {name} is alike: {each}")


@functools.cache
def samples_of_frames(size):
    """Positions and three frames; of frame 1 the F^H d is a hundredth, so that its relative error
    is larger."""
    rng = np.random.default_rng(7)
    k = rng.uniform(-size / 2, size / 2, (1500, 2))
    f = fourier(k, size)
    x, y = grid(size)
    signal = f @ (x ** 2 + y ** 2 < 0.12).ravel()
    noise = rng.normal(size=1500) + 1j * rng.normal(size=1500)
    of_images = np.linalg.qr(f)[0]
    noise -= of_images @ (of_images.conj().T @ noise)
    weak = noise * np.linalg.norm(signal) / np.linalg.norm(noise) + 0.01 * signal
    return k, np.stack([signal, weak, signal + noise])[:, None]


def frames_of_one_sampling(folder, size=24):
    write_scan(folder / "many.h5", size, *samples_of_frames(size))


def each_frame_is_sampled(make):
    folder = make()
    frames_of_one_sampling(folder)
    for how, most in ((["--lambda", "0.01"], 1e-3), (["--iterations", "8"], 1e-3),
                      (["--reg", "tv:0.02"], 2e-4)):
        asked = [*FAST, *how, "--certify", str(most)]
        whole, _ = reconstruct(folder, TOLERANCE, *asked)
        alone = [reconstruct(folder, code, *asked, "--frames", f)[0]
                 for code, f in ((0, "0"), (TOLERANCE, "1"), (0, "2"))]
        expect_the_largest(whole, alone, how)
        with_map, _ = reconstruct(folder, TOLERANCE, *asked, "--noise-map", "2")
        expect(certified(with_map) == certified(whole), f"{how}: a noise map changes the errors")
    joint, _ = reconstruct(folder, 0, *FAST, "--reg", "ttv:0.02")
    expect(certified(joint)["certified_fhd_upper"] == certified(whole)["certified_fhd_upper"],
           "frames that are solved together")


def resumed_frames_keep_their_errors(make):
    folder = make()
    frames_of_one_sampling(folder)
    with h5py.File(folder / "many.h5", "r+") as file:
        file["samples"][2, 0, 0] = np.nan
    asked = [*FAST, "--lambda", "0.01", "--certify", "1"]
    folder.kept.add("i.h5.part")
    whole, _ = reconstruct(folder, INPUT, *asked)
    resumed, _ = reconstruct(folder, INPUT, *asked, "--resume")
    expect(resumed["frames_resumed"] == 2, "no frame was resumed")
    expect(certified(resumed) == certified(whole), f"{certified(resumed)}, {certified(whole)}")
    shutil.rmtree(folder / "i.h5.part")


def an_image_that_is_its_error_has_no_bound(make):
    folder = make()
    frames_of_one_sampling(folder)
    with h5py.File(folder / "many.h5", "r+") as file:
        strong, weak = file["samples"][0], file["samples"][1]
        file["samples"][1] = weak - 0.01 * strong
    record, _ = reconstruct(folder, TOLERANCE, *FAST, "--lambda", "0.01", "--certify", "10",
                            "--frames", "1", says=["at most inf with"])
    expect(np.isinf(record["certified_image_upper"]), f"{record['certified_image_upper']}")


def small_maps_do_not_hide_it(make):
    """Maps of 2 % of the voxels; elsewhere nothing, or next to nothing."""
    folder = make()
    rng = np.random.default_rng(5)
    size = 36
    x, y = grid(size)
    for elsewhere in (0, 1e-4):
        for place in range(2):
            k = rng.uniform(-size / 2, size / 2, (2 * size ** 2, 2))
            inside = (x - rng.uniform(-.4, .4)) ** 2 + (y - rng.uniform(-.4, .4)) ** 2 < 0.08 ** 2
            maps = np.stack([np.exp(2j * x), 1j * np.exp(-3 * (x - 0.3) ** 2)])
            maps *= np.where(inside, 1, elsewhere)
            f = fourier(k, size)
            samples = (maps * inside).reshape(2, -1) @ f.T
            write_scan(folder / "small.h5", size, k, samples, maps)
            record, _ = reconstruct(folder, 0, *FAST[:2], "--accuracy", "1e-3", "--lambda", "0.01",
                                    "--certify", "10", scan="small.h5")
            folder.run(0, ["fhd", "small.h5", "-o", "f.h5", *FAST[:2], "--accuracy", "1e-3"])
            with h5py.File(folder / "f.h5") as file:
                found = file["fhd"][()].ravel()
            os.remove(folder / "f.h5")
            exact = (np.conj(maps.reshape(2, -1)) * (samples @ np.conj(f))).sum(0)
            error = np.linalg.norm(found - exact) / np.linalg.norm(exact)
            said = certified(record)
            expect(0.5 * error < said.get("certified_fhd", 0) and
                   error < said["certified_fhd_upper"] < 3 * error,
                   f"{elsewhere}, place {place}: F^H d is wrong by {error}, {said}")


def raw_slices(path, size=24, coils=4, readouts=8):
    """Two slices of two repetitions: in the second one coils hardly differ, so that more of its
    image is not determined."""
    rng = np.random.default_rng(3)
    x, y = grid(size)
    rows = []
    for slice_number, distance in enumerate((0.6, 0.02)):
        angles = 2 * np.pi * np.arange(coils) / coils
        maps = np.array([np.exp(-2 * ((x - distance * np.cos(a)) ** 2 +
                                      (y - distance * np.sin(a)) ** 2) + 1j * a) for a in angles])
        image = (maps * (x ** 2 + y ** 2 < 0.14) * (1 + (np.abs(x) < 0.1))).reshape(coils, -1)
        for repetition in range(2):
            for step in range(readouts):
                angle = np.pi * (step + 0.5 * repetition) / readouts
                k = np.outer(np.arange(-size, size) / 2, [np.cos(angle), np.sin(angle)])
                samples = image @ fourier(k, size).T
                samples += 0.3 * (rng.normal(size=samples.shape) +
                                  1j * rng.normal(size=samples.shape))
                row = np.zeros(1, ACQUISITION)
                head = row["head"]
                head["version"], head["trajectory_dimensions"] = 1, 2
                head["number_of_samples"], head["center_sample"] = 2 * size, size
                head["available_channels"] = head["active_channels"] = coils
                head["read_dir"], head["phase_dir"], head["slice_dir"] = np.eye(3)
                head["position"] = [0, 0, 5.0 * slice_number]
                head["idx"]["slice"], head["idx"]["repetition"] = slice_number, repetition
                head["idx"]["kspace_encode_step_1"] = step
                row["traj"][0] = k.astype("f4").ravel()
                row["data"][0] = samples.astype("c8").ravel().view("f4")
                rows.append(row)
    header = XML.replace("<x>4</x><y>4</y>", f"<x>{size}</x><y>{size}</y>")
    write(path, header.replace("spiral", "radial"), np.concatenate(rows))


def each_slice_is_certified_by_its_own_maps(make):
    folder = make()
    raw_slices(folder / "raw.h5")
    for how in (["--lambda", "0.01"], ["--lambda", "0.001"]):
        asked = [*FAST, *how, "--maps", "walsh", "--certify", "1e-9"]
        whole, _ = reconstruct(folder, TOLERANCE, *asked, scan="raw.h5")
        alone = [reconstruct(folder, TOLERANCE, *asked, "--slice", number, scan="raw.h5")[0]
                 for number in "01"]
        expect_the_largest(whole, alone, how)


if __name__ == "__main__":
    sys.exit(run_cases([it_is_sampled_where_it_is_not_exact, the_exit_code_says_it,
                        the_accuracy_follows_from_it, each_frame_is_sampled,
                        resumed_frames_keep_their_errors, an_image_that_is_its_error_has_no_bound,
                        small_maps_do_not_hide_it, each_slice_is_certified_by_its_own_maps]))
