#!/usr/bin/env python3
"""Qs that runs keep for each other in a folder: what is read, what is computed, and that nothing in
the folder is trusted. And Qs of a file: how exact they say that they are, and must be.

    q_folder.py LSRECON"""

import os
import shutil
import subprocess
import sys

import h5py
import numpy as np

from in_folders import INPUT, USAGE, codes, expect, recon, run_cases

KEEP = ["--q-folder", "kept/qs"]


def made(folder, *words, name="image.h5", says=()):
    """An image, and whether its Q was computed, read, or neither."""
    folder.run(0, [*recon("-o", name, "--iterations", "4"), *words], says)
    with h5py.File(folder / name) as f:
        did = [stage for stage in ("q", "q_read") if "seconds_" + stage in f["record"].attrs]
        return f["image"][()], did


def kept(folder):
    return sorted(os.listdir(folder / "kept/qs"))


def of_other_samples(folder):
    """scan.h5 becomes another scan of the same trajectory."""
    shutil.copy(folder / "scan.h5", folder / "first.h5")
    with h5py.File(folder / "other.h5", "w") as f, h5py.File(folder / "first.h5") as first:
        for name, value in first.attrs.items():
            f.attrs[name] = value
        for name in first:
            first.copy(name, f)
        f["samples"][...] *= 1j
    return ["recon", "other.h5", "--quiet", "--backend", "reference", "--iterations", "4"]


def scans_of_one_trajectory_share_q(make):
    folder = make()
    image, did = made(folder, *KEEP)
    expect(did == ["q"] and len(kept(folder)) == 1, f"{did}, {kept(folder)}")
    again, did = made(folder, *KEEP, name="again.h5")
    expect(did == ["q_read"] and np.array_equal(again, image), f"the second run: {did}")
    folder.run(0, [*of_other_samples(folder), "-o", "other_image.h5", *KEEP])
    with h5py.File(folder / "other_image.h5") as f:
        expect("seconds_q" not in f["record"].attrs, "Q was computed for other samples")
        expect(np.allclose(f["image"][()], 1j * image), "not the image of the other samples")
    folder.run(0, recon("-o", "by_name.h5", "--q", f"kept/qs/{kept(folder)[0]}"))


def what_changes_q_has_another(make):
    folder = make()
    for number, words in enumerate(([], ["--matrix", "12,12", "--fov-mm", "165,165"],
                                    ["--conjugate"], ["--matrix=20,20"]), 1):
        plain, _ = made(folder, *words, name="plain.h5")
        for expected in (["q"], ["q_read"]):
            image, did = made(folder, *words, *KEEP, name="kept.h5")
            expect(did == expected and np.array_equal(image, plain), f"{words}: {did}")
        expect(len(kept(folder)) == number, f"{words}: {kept(folder)}")


def scans_without_q_leave_it_empty(make):
    for name, shape in (("field_map", (16, 16)), ("voxels", (5, 2))):
        folder = make()
        with h5py.File(folder / "scan.h5") as scan, h5py.File(folder / "without.h5", "w") as f:
            for key, value in scan.attrs.items():
                f.attrs[key] = value
            for key in scan:
                scan.copy(key, f)
            f[name] = np.full(shape, 2.0)
            if name == "field_map":
                f[name].attrs["units"] = "Hz"
                f["times"] = np.linspace(0, 0.01, scan["trajectory"].shape[-2])
                f["times"].attrs["units"] = "s"
        folder.run(0, ["recon", "without.h5", "-o", "image.h5", "--quiet", "--backend",
                       "reference", "--iterations", "2", *KEEP])
        expect(kept(folder) == [], f"{name}: {kept(folder)}")


def damaged_files_are_replaced(make):
    def values(f):
        f["q"][3, 3] += 1

    def key(f):
        f["keys"][0] = b"0" * 64

    for damage in (values, key, None):
        folder = make()
        image, _ = made(folder, *KEEP)
        path = folder / f"kept/qs/{kept(folder)[0]}"
        if damage is None:
            os.truncate(path, 1000)
        else:
            with h5py.File(path, "r+") as f:
                damage(f)
        again, did = made(folder, *KEEP, name="again.h5",
                          says=["note: kept/qs/", "the file replaced"])
        expect("q_not_kept" in codes(folder / "again.h5"), f"{damage} is not reported")
        expect("q" in did and np.array_equal(again, image), f"{damage} was believed")
        _, did = made(folder, *KEEP, name="third.h5")
        expect(did == ["q_read"], f"{damage}: the file was not replaced: {did}")


def runs_at_once_do_no_harm(make):
    folder = make()
    image, _ = made(folder)
    runs = [subprocess.Popen([folder.program, *recon("-o", f"{i}.h5", "--iterations", "4"), *KEEP],
                             cwd=folder.path) for i in range(6)]
    for i, run in enumerate(runs):
        expect(run.wait() == 0, f"run {i} failed")
        with h5py.File(folder / f"{i}.h5") as f:
            expect(np.array_equal(f["image"][()], image), f"run {i} has another image")
    expect(len(kept(folder)) == 1, f"left {kept(folder)}")


def frames(folder, count):
    with h5py.File(folder / "scan.h5") as one, h5py.File(folder / "many.h5", "w") as many:
        for name, value in one.attrs.items():
            many.attrs[name] = value
        k, samples = one["trajectory"][()], one["samples"][()]
        many["trajectory"] = np.stack([k * (1 - 0.01 * f) for f in range(count)])
        many["trajectory"].attrs["units"] = one["trajectory"].attrs["units"]
        many["samples"] = np.stack([samples] * count)
    return ["recon", "many.h5", "--quiet", "--backend", "reference", "--iterations", "2"]


def every_sampling_has_its_own(make):
    folder = make()
    many = frames(folder, 3)
    for words in (["--lambda", "0.01"], ["--reg", "llr:0.01"]):
        for name in ("first.h5", "second.h5"):
            folder.run(0, [*many, "-o", name, *words, *KEEP])
        with h5py.File(folder / "first.h5") as one, h5py.File(folder / "second.h5") as two:
            expect(np.array_equal(one["image"], two["image"]), f"{words}: another image")
            expect("seconds_q" not in two["record"].attrs, f"{words}: a Q was computed again")
    expect(len(kept(folder)) == 3, f"{kept(folder)}")


def the_folder_is_no_setting(make):
    """Frames that were finished with another folder, or none, are continued."""
    folder = make()
    many = frames(folder, 3)
    with h5py.File(folder / "many.h5", "r+") as f:
        f["samples"][1, 0, 0] = np.nan
    folder.kept.add("frames.h5.part")
    folder.run(3, [*many, "-o", "frames.h5"], ["1 of 3 frames failed"])
    printed = folder.run(3, [*many, "-o", "frames.h5", "--resume", *KEEP]).stderr
    expect("other settings" not in printed and "1 of 3 frames failed" in printed, printed)
    expect(kept(folder) == [], "finished frames were solved again")


def folders_are_checked_before_the_work(make):
    folder = make()
    folder.run(USAGE, recon("-o", "image.h5", "--q-folder", "scan.h5"),
               ["scan.h5: --q-folder", "expected: a folder", "next:"])
    folder.run(USAGE, recon("-o", "image.h5", "--q-folder", "scan.h5/qs"), ["--q-folder", "next:"])
    folder.run(USAGE, recon("-o", "image.h5", "--q", "q.h5", *KEEP), ["--q"])
    if os.geteuid() != 0:
        os.mkdir(folder / "read_only", 0o500)
        folder.run(USAGE, recon("-o", "image.h5", "--q-folder", "read_only"), ["Permission denied"])


def q_made(folder, *words):
    """By the NUFFT: its bound, the accuracy that the file names, and its error."""
    folder.run(0, ["q", "scan.h5", "-o", "rough.h5", "--engine", "nufft", *words, "--quiet"])
    with h5py.File(folder / "rough.h5") as rough, h5py.File(folder / "q.h5") as exact:
        error = (np.linalg.norm(rough["q"][()] - exact["q"][()]) /
                 np.linalg.norm(exact["q"][()]))
        return rough["errors"][0], float(np.ravel(rough.attrs["accuracy"])[0]), error


def a_q_is_as_exact_as_what_is_asked_for(make):
    folder = make()
    taking_it = ["recon", "scan.h5", "--quiet", "--iterations", "4", "--q", "rough.h5", "-o"]
    for words in ([], ["--accuracy", "1e-3"], ["--accuracy", "1e-8", "--precision", "double"]):
        bound, named, error = q_made(folder, *words)
        expect(error <= bound == named, f"{words}: {error}, bound {bound}, the file names {named}")
    bound, _, _ = q_made(folder, "--accuracy", "1e-2")
    expect(1e-3 < bound <= 1e-2, f"a bound of {bound}")
    for engine in ("nufft", "exact", "auto"):
        asked = [*taking_it, "image.h5", "--engine", engine]
        folder.run(INPUT, [*asked, "--accuracy", "1e-3"],
                   ["rough.h5: /errors", "at most 0.001", "--accuracy 0.001, or"])
        folder.run(INPUT, asked, ["rough.h5: /errors"])
        folder.run(0, [*taking_it, "taken.h5", "--engine", engine, "--accuracy", "1e-2"])


if __name__ == "__main__":
    sys.exit(run_cases([scans_of_one_trajectory_share_q, what_changes_q_has_another,
                        scans_without_q_leave_it_empty, damaged_files_are_replaced,
                        runs_at_once_do_no_harm, every_sampling_has_its_own,
                        the_folder_is_no_setting, folders_are_checked_before_the_work,
                        a_q_is_as_exact_as_what_is_asked_for]))
