#!/usr/bin/env python3
"""Acquisitions of raw data whose positions are no numbers fail their frame alone; those that HDF5
cannot read refuse the scan, and other frames can be chosen.

    bad_acquisitions.py LSRECON"""

import os
import sys

import h5py
import numpy as np

from in_folders import INPUT, expect, run_cases

FRAMES = 5
WORK = ["--quiet", "--backend", "reference", "--iterations", "1", "--maps", "none"]


def simulated(folder, *words, frames=FRAMES):
    """Four readouts a frame; each frame differs, so that one in place of another is seen."""
    folder.run(0, ["simulate", "--trajectory", "spiral", "--matrix", "32,32", "--coils", "4",
                   "--frames", str(frames), "--motion", "10" if frames > 2 else "0",
                   "--noise", "0.02", "--quiet", "--without-maps", "--backend", "reference", "-o",
                   "raw.mrd", *words])
    folder.run(0, ["recon", "raw.mrd", "-o", "good.h5", *WORK, "--no-whitening"])


def damage(folder, acquisition):
    """The signature of the heap that its numbers lie in; the heap holds some others."""
    with h5py.File(folder / "raw.mrd") as f:
        values = f["dataset/data"][acquisition]["data"].tobytes()
    with open(folder / "raw.mrd", "rb") as f:
        file = bytearray(f.read())
    heap = file.rfind(b"GCOL", 0, file.find(values[:64]))
    expect(heap > 0, "no heap was found")
    file[heap] ^= 255
    with open(folder / "raw.mrd", "wb") as f:
        f.write(file)


def expect_only(folder, name, bad, good):
    """NaN in the bad frames, the very bits of the whole file's in the others."""
    with h5py.File(folder / name) as f:
        image, errors = f["image"][()], [e.decode() for e in f["record/frame_errors"][()]]
    for f in range(FRAMES):
        if f in bad:
            expect(np.isnan(image[f]).all() and "trajectory" in errors[f], f"{name}: frame {f}")
        else:
            expect(image[f].tobytes() == good[f].tobytes() and errors[f] == "",
                   f"{name}: frame {f} is not that of the whole file")


def what_cannot_be_read_is_refused(make):
    folder = make()
    simulated(folder)
    damage(folder, 9)
    folder.run(INPUT, ["recon", "raw.mrd", "-o", "image.h5", *WORK],
               ["/dataset/data, acquisition", "next:"])
    folder.run(0, ["recon", "raw.mrd", "-o", "first.h5", *WORK, "--repetition", "0"])


def a_place_that_is_no_number_fails_its_frame(make):
    folder = make()
    simulated(folder)
    with h5py.File(folder / "good.h5") as f:
        good = f["image"][()]
    cut = ["--join", "repetition", "--spokes-per-frame", "2"]
    folder.run(0, ["recon", "raw.mrd", "-o", "pairs.h5", *WORK, *cut])
    with h5py.File(folder / "raw.mrd", "a") as f:
        row = f["dataset/data"][9]
        row["traj"][5] = np.nan
        f["dataset/data"][9] = row
    folder.kept = {"some.h5.part", "cut.h5.part"}
    says = ["trajectory", "NaN at [", "next:"]
    folder.run(INPUT, ["recon", "raw.mrd", "-o", "some.h5", *WORK], ["frame 2 (", *says])
    expect_only(folder, "some.h5", [2], good)
    folder.run(INPUT, ["recon", "raw.mrd", "-o", "cut.h5", *WORK, *cut], ["frame 4 (", *says])
    with h5py.File(folder / "pairs.h5") as whole, h5py.File(folder / "cut.h5") as some:
        for f in range(2 * FRAMES):
            same = whole["image"][f].tobytes() == some["image"][f].tobytes()
            expect(np.isnan(some["image"][f]).all() if f == 4 else same, f"pair {f}")
    folder.run(INPUT, ["check", "raw.mrd"], says)
    folder.run(INPUT, ["recon", "raw.mrd", "-o", "one.h5", *WORK, "--frames", "2"], says)


def kz_is_judged_by_whole_frames(make):
    """Those with readouts on one side of kz = 0 alone have lost the others."""
    folder = make()
    folder.run(0, ["simulate", "--trajectory", "stack-of-spirals", "--matrix", "16,16,8", "--coils",
                   "2", "--frames", "3", "--without-maps", "--quiet", "-o", "raw.mrd"])
    with h5py.File(folder / "raw.mrd", "a") as f:
        rows = f["dataset/data"][()]
        kz = np.array([row["traj"].reshape(-1, 3)[0, 2] for row in rows])
        idx = rows["head"]["idx"]
        idx["kspace_encode_step_2"] = np.unique(kz, return_inverse=True)[1]
        lost = (idx["repetition"] == 1) & (kz < 0)
        expect(lost.any() and len(np.unique(kz)) == 8, "no stack")
        for i in np.flatnonzero(lost):
            rows["traj"][i][:] = np.nan
        f["dataset/data"][...] = rows
    folder.kept = {"some.h5.part"}
    folder.run(INPUT, ["recon", "raw.mrd", "-o", "some.h5", *WORK],
               ["frame 1 (repetition 1) failed", "trajectory", "NaN at ["])


def zeros_are_noted(make):
    folder = make()
    simulated(folder)
    with h5py.File(folder / "raw.mrd", "r+") as f:
        row = f["dataset/data"][6]
        row["data"] = np.zeros_like(row["data"])
        f["dataset/data"][6] = row
    folder.run(0, ["recon", "raw.mrd", "-o", "image.h5", *WORK],
               ["1 acquisition of", "acquisition 6"], finds=["samples_zero"])
    os.unlink(folder / "image.h5")


if __name__ == "__main__":
    sys.exit(run_cases([what_cannot_be_read_is_refused,
                        a_place_that_is_no_number_fails_its_frame, kz_is_judged_by_whole_frames,
                        zeros_are_noted]))
