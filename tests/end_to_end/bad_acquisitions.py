#!/usr/bin/env python3
"""Acquisitions of raw data that HDF5 cannot read: their frames fail alone.

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


def damage(folder, acquisition, change):
    """Changes the heap that the numbers of this acquisition lie in; the heap holds some others."""
    with h5py.File(folder / "raw.mrd") as f:
        values = f["dataset/data"][acquisition]["data"].tobytes()
    with open(folder / "raw.mrd", "rb") as f:
        file = bytearray(f.read())
    heap = file.rfind(b"GCOL", 0, file.find(values[:64]))
    expect(heap > 0, "no heap was found")
    change(file, heap)
    with open(folder / "raw.mrd", "wb") as f:
        f.write(file)


def wrong_signature(file, heap):
    file[heap] ^= 255


def endless_object(file, heap):
    """HDF5 1.10 crashes on the first array of the heap and gives zeros for the others."""
    file[heap + 24:heap + 32] = (1 << 40).to_bytes(8, "little")


def unreadable(folder):
    """As h5py finds them, which says nothing of a crash."""
    lost = set()
    with h5py.File(folder / "raw.mrd") as f:
        rows = f["dataset/data"]
        for i in range(len(rows)):
            try:
                rows[i]
            except OSError:
                lost.add(i)
    return lost


def expect_only(folder, name, bad, good):
    """NaN in the bad frames, the very bits of the whole file's in the others."""
    with h5py.File(folder / name) as f:
        image, errors = f["image"][()], [e.decode() for e in f["record/frame_errors"][()]]
    for f in range(FRAMES):
        if f in bad:
            expect(np.isnan(image[f]).all() and "acquisition" in errors[f], f"{name}: frame {f}")
        else:
            expect(image[f].tobytes() == good[f].tobytes() and errors[f] == "",
                   f"{name}: frame {f} is not that of the whole file")


def frames_with_damage_fail_alone(make):
    for acquisition, change in ((9, wrong_signature), (19, wrong_signature), (9, endless_object)):
        folder = make()
        simulated(folder)
        with h5py.File(folder / "good.h5") as f:
            good = f["image"][()]
        damage(folder, acquisition, change)
        # The heap of acquisition 9 holds the numbers of 6 to 9.
        bad = {i // 4 for i in unreadable(folder)} if change is wrong_signature else {1, 2}
        expect(acquisition // 4 in bad and len(bad) < FRAMES, f"damage in frames {bad}")
        folder.kept = {"some.h5.part"}
        told = folder.run(INPUT, ["recon", "raw.mrd", "-o", "some.h5", *WORK],
                          [f"frame {f} (repetition {f}) failed: " for f in bad] +
                          ["/dataset/data, acquisition", "next:", "--resume"]).stderr
        expect(f"{len(bad)} of {FRAMES} frames failed: " in told, told)
        expect_only(folder, "some.h5", bad, good)
        listed = folder.run(0, ["info", "raw.mrd"]).stdout
        expect(f"bad          frame {min(bad)}: " in listed, listed)
        folder.run(INPUT, ["check", "raw.mrd"], ["acquisition", "next:"])
        folder.run(0, ["q", "raw.mrd", "-o", "raw_q.h5", "--backend", "reference", "--quiet"],
                   ["the trajectory of frame"])
        for f in (min(bad), 0):
            folder.run(INPUT if f in bad else 0,
                       ["recon", "raw.mrd", "-o", f"one{f}.h5", *WORK, "--frames", str(f)])


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
    says = ["acquisition 9, traj", "NaN at [", "next:"]
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
               ["frame 1 (repetition 1) failed", "traj", "NaN at ["])


def parts_of_a_damaged_frame_stay(make):
    """Of a frame that is cut into pairs of readouts, the pairs without damage."""
    folder = make()
    simulated(folder)
    cut = ["--join", "repetition", "--spokes-per-frame", "2"]
    folder.run(0, ["recon", "raw.mrd", "-o", "pairs.h5", *WORK, *cut])
    damage(folder, 9, wrong_signature)
    bad = {i // 2 for i in unreadable(folder)}
    folder.kept = {"some.h5.part"}
    folder.run(INPUT, ["recon", "raw.mrd", "-o", "some.h5", *WORK, *cut],
               [f"frame {f} (readouts {2 * f}-{2 * f + 1}) failed" for f in bad])
    with h5py.File(folder / "pairs.h5") as whole, h5py.File(folder / "some.h5") as some:
        for f in range(2 * FRAMES):
            same = whole["image"][f].tobytes() == some["image"][f].tobytes()
            expect(np.isnan(some["image"][f]).all() if f in bad else same, f"pair {f}")


def what_all_frames_need_is_refused(make):
    """Noise, headers, and the only frame."""
    for words, frames, acquisition in ((["--noise-samples", "900"], 2, 0), ([], 1, 2)):
        folder = make()
        simulated(folder, *words, frames=frames)
        damage(folder, acquisition, wrong_signature)
        folder.run(INPUT, ["recon", "raw.mrd", "-o", "image.h5", *WORK],
                   [f"acquisition {min(unreadable(folder))}", "next:"])
    folder = make()
    simulated(folder)
    with h5py.File(folder / "raw.mrd") as f:
        rows, xml = f["dataset/data"][()], f["dataset/xml"][0].decode()
    with h5py.File(folder / "raw.mrd", "w") as f:
        f.create_dataset("dataset/xml", data=np.array([xml], object),
                         dtype=h5py.string_dtype("ascii"))
        f.create_dataset("dataset/data", data=rows, chunks=(4,), fletcher32=True)
    with h5py.File(folder / "raw.mrd") as f:
        place = f["dataset/data"].id.get_chunk_info(2).byte_offset
    with open(folder / "raw.mrd", "r+b") as f:
        f.seek(place + 50)
        f.write(b"\xff")
    folder.run(INPUT, ["recon", "raw.mrd", "-o", "image.h5", *WORK],
               ["headers of the acquisitions", "frames cannot be told apart"])


def zeros_are_noted(make):
    folder = make()
    simulated(folder)
    with h5py.File(folder / "raw.mrd", "r+") as f:
        row = f["dataset/data"][6]
        row["data"] = np.zeros_like(row["data"])
        f["dataset/data"][6] = row
    folder.run(0, ["recon", "raw.mrd", "-o", "image.h5", *WORK],
               ["zeros alone in 1 acquisition of the image, first in acquisition 6"])
    os.unlink(folder / "image.h5")


if __name__ == "__main__":
    sys.exit(run_cases([frames_with_damage_fail_alone, a_place_that_is_no_number_fails_its_frame,
                        kz_is_judged_by_whole_frames, parts_of_a_damaged_frame_stay,
                        what_all_frames_need_is_refused, zeros_are_noted]))
