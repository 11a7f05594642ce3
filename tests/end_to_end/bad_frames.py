#!/usr/bin/env python3
"""One bad frame is reported and the others finish: what the image, its readers and --resume say.

    bad_frames.py LSRECON"""

import os
import shutil
import sys

import h5py
import numpy as np

from in_folders import INPUT, USAGE, expect, run_cases

FRAMES = 5
RECON = ["recon", "many.h5", "--iterations", "4", "--quiet", "--backend", "reference"]


def frames_of(folder, name, bad=(), scale=np.nan, with_maps=True, compressed=False, own=False):
    """A scan of several frames; a sample of each bad one is multiplied by this. Each may have a
    trajectory of its own."""
    folder.run(0, ["simulate", "--matrix", "16,16", "--coils", "2", "--noise", "0.02", "-o",
                   "one.h5", "--quiet"])
    with h5py.File(folder / "one.h5") as one, h5py.File(folder / name, "w") as many:
        for key, found in one.attrs.items():
            many.attrs[key] = found
        for key in ("trajectory", "coil_maps")[:2 if with_maps else 1]:
            one.copy(key, many)
        if own:
            k, units = one["trajectory"][()], one["trajectory"].attrs["units"]
            del many["trajectory"]
            many.create_dataset("trajectory", data=np.stack([k * (1 - f / 100)
                                                             for f in range(FRAMES)]),
                                chunks=(1, *k.shape), fletcher32=True).attrs["units"] = units
        samples = one["samples"][()].astype("c16" if np.isfinite(scale) else "c8")
        samples = np.stack([samples * (1 + f) for f in range(FRAMES)])
        for f in bad:
            samples[f, 1, 7] *= scale
        how = {"chunks": (1, *samples.shape[1:]), "fletcher32": True} if compressed else {}
        many.create_dataset("samples", data=samples, **how)


def damage(folder, name, frame, dataset="samples"):
    """One byte of the chunk of this frame, so that its checksum is wrong."""
    with h5py.File(folder / name) as f:
        at = f[dataset].id.get_chunk_info(frame).byte_offset
    with open(folder / name, "r+b") as f:
        f.seek(at + 100)
        byte = f.read(1)
        f.seek(at + 100)
        f.write(bytes([byte[0] ^ 255]))


def image_of(folder, name):
    with h5py.File(folder / name) as f:
        return f["image"][()]


def expect_only(folder, name, bad, good_image):
    """NaN in the bad frames, the very bits of the run without bad ones in the others."""
    image = image_of(folder, name)
    for f in range(FRAMES):
        if f in bad:
            expect(np.isnan(image[f].real).all() and np.isnan(image[f].imag).all(),
                   f"{name}: frame {f} holds numbers")
        else:
            expect(image[f].tobytes() == good_image[f].tobytes(), f"{name}: frame {f} differs")
    with h5py.File(folder / name) as f:
        record = f["record"]
        errors = [text.decode() for text in record["frame_errors"][()]]
        expect([i for i, text in enumerate(errors) if text] == list(bad), f"errors: {errors}")
        expect(all("\n" not in text for text in errors), "an error of several lines")
        expect(record.attrs["frames_failed"] == len(bad), "frames_failed")
        stopped = [text[0].decode() for text in record["stopped_by"][()]]
        expect([s == "failed" for s in stopped] == [i in bad for i in range(FRAMES)], str(stopped))
        finite = np.isfinite(record["residuals"][:, 0, 0])
        expect(list(finite) == [i not in bad for i in range(FRAMES)], "residuals")


def a_bad_frame_fails_alone(make):
    folder = make()
    frames_of(folder, "many.h5")
    folder.run(0, [*RECON, "-o", "good.h5"])
    good = image_of(folder, "good.h5")
    for what, bad, says in (("nan", [3], "NaN"), ("nan", [0, 4], "NaN"),
                            ("chunk", [2], "/samples")):
        frames_of(folder, "many.h5", bad if what == "nan" else (), compressed=what == "chunk")
        if what == "chunk":
            damage(folder, "many.h5", bad[0])
        name = f"{what}{bad[0]}.h5"
        folder.kept = {name + ".part"}
        process = folder.run(INPUT, [*RECON, "-o", name],
                             [f"frame {f} failed: " for f in bad] + [says, "next:", "--resume"])
        expect(process.stderr.count(f"frame {bad[0]} failed") == 1, "reported twice")
        listed = ",".join(str(f) for f in bad)
        expect(f"{len(bad)} of 5 frames failed: {listed}\n" in process.stderr, process.stderr)
        expect_only(folder, name, bad, good)
        folder.run(INPUT, ["check", "many.h5"], [says])
        shown = folder.run(0, ["info", "many.h5"]).stdout
        expect(f"bad          frame {bad[0]}: " in shown and says in shown, shown)
        shown = folder.run(0, ["q", "many.h5", "-o", "many_q.h5", "--backend", "reference"]).stderr
        expect("failed" not in shown, f"Q needs no samples: {shown}")
        folder.run(USAGE, [*RECON, "-o", name], ["--resume"])
        folder.run(INPUT, [*RECON, "-o", name, "--resume"], [f"frame {bad[0]} failed"])
        expect_only(folder, name, bad, good)
        with h5py.File(folder / name) as f:
            expect(f["record"].attrs["frames_resumed"] == FRAMES - len(bad), "frames_resumed")
        shutil.rmtree(folder / (name + ".part"))


def a_bad_trajectory_fails_its_frame_alone(make):
    folder = make()
    frames_of(folder, "many.h5", own=True)
    folder.run(0, [*RECON, "-o", "good.h5"])
    good = image_of(folder, "good.h5")

    def spoil(frame, value):
        with h5py.File(folder / "many.h5", "a") as f:
            k = f["trajectory"][frame]
            k[7, 1] = value
            f["trajectory"][frame] = k

    for what, says in (("single", {3: "NaN at [3, 7, 1]"}),
                       ("pair", {0: "NaN at [0, 7, 1]", 2: "NaN at [2, 7, 1]"})):
        frames_of(folder, "many.h5", own=True)
        for frame in says:
            spoil(frame, np.nan)
        name = f"{what}.h5"
        folder.kept = {name + ".part"}
        folder.run(INPUT, [*RECON, "-o", name], ["next:", "begin again"])
        expect_only(folder, name, says, good)
        with h5py.File(folder / name) as f:
            errors = f["record/frame_errors"].asstr()[()]
        expect(all("/trajectory" in errors[f] and found in errors[f] for f, found in says.items()),
               f"{errors}")
        folder.run(INPUT, ["check", "many.h5"], ["/trajectory"])
        shown = folder.run(0, ["info", "many.h5"]).stdout
        expect(all(f"bad          frame {f}: " in shown for f in says), shown)
        listed = ",".join(str(f) for f in says)
        folder.run(0, ["q", "many.h5", "-o", "many_q.h5", "--backend", "reference"],
                   ["the trajectory of frame", f" {listed} cannot be used: "])
        folder.run(INPUT, [*RECON, "-o", "some.h5", "--frames", listed], ["/trajectory"])
        folder.run(INPUT, [*RECON, "-o", name, "--resume"], [f"frame {min(says)} failed"])
        expect_only(folder, name, says, good)
        shutil.rmtree(folder / (name + ".part"))
        with h5py.File(folder / "many.h5", "a") as f:
            del f["samples"]
        shown = folder.run(0, ["info", "many.h5"]).stdout
        expect(all(f"bad          frame {f}: " in shown for f in says), shown)
    folder.kept = set()
    # One that cannot be read is left out by the user.
    frames_of(folder, "many.h5", own=True)
    damage(folder, "many.h5", 2, "trajectory")
    folder.run(INPUT, [*RECON, "-o", "none.h5"], ["/trajectory", "next:"])
    folder.run(0, [*RECON, "-o", "some.h5", "--frames", "0-1"])
    # What is beyond the matrix has a wrong unit, and then all frames do.
    for value, frames in ((1e4, [2]), (np.nan, range(FRAMES))):
        frames_of(folder, "many.h5", own=True)
        for frame in frames:
            spoil(frame, value)
        folder.run(INPUT, [*RECON, "-o", "none.h5"], ["/trajectory", "next:"])


def maps_come_from_a_good_frame(make):
    folder = make()
    frames_of(folder, "many.h5", with_maps=False)
    folder.run(0, [*RECON, "-o", "good.h5", "--frames", "1-4"])
    good = image_of(folder, "good.h5")
    frames_of(folder, "many.h5", [0], with_maps=False)
    folder.kept = {"maps.h5.part"}
    folder.run(INPUT, [*RECON, "-o", "maps.h5"], ["frame 0 failed"])
    expect(image_of(folder, "maps.h5")[1:].tobytes() == good.tobytes(), "other maps")


def without_a_good_frame_nothing_is_written(make):
    folder = make()
    frames_of(folder, "many.h5", range(FRAMES))
    folder.run(INPUT, [*RECON, "-o", "image.h5"], ["NaN", "next:"])
    frames_of(folder, "many.h5", [0])
    folder.run(INPUT, [*RECON, "-o", "image.h5", "--frames", "0"], ["NaN", "next:"])
    # Sound samples whose images are beyond the floats of the file: of every frame, and of one.
    frames_of(folder, "many.h5", range(FRAMES), 1e60)
    folder.run(6, [*RECON, "-o", "image.h5"], ["frame 0 failed", "floats", "next:"])
    frames_of(folder, "many.h5", [1], 1e60)
    folder.kept = {"large.h5.part"}
    folder.run(6, [*RECON, "-o", "large.h5"], ["1 of 5 frames failed: 1\n", "floats", "next:"])


def truth_and_preview_leave_bad_frames_out(make):
    folder = make()
    frames_of(folder, "many.h5")
    folder.run(0, [*RECON, "-o", "good.h5"])
    frames_of(folder, "many.h5", [1])
    folder.kept = {"bad.h5.part"}
    process = folder.run(INPUT, [*RECON, "-o", "bad.h5", "--truth", "good.h5", "--png", "p.png"],
                         ["frame 1 failed"])
    expect("error against the truth: 0.0000" in process.stdout, process.stdout)
    expect(os.path.getsize(folder / "p.png") > 200, "no preview")


def readers_of_the_image_know(make):
    folder = make()
    frames_of(folder, "many.h5", [3])
    folder.kept = {"bad.h5.part"}
    folder.run(INPUT, [*RECON, "-o", "bad.h5"])
    process = folder.run(0, ["info", "bad.h5"])
    expect("failed: frame 3" in process.stdout and "NaN" in process.stdout, process.stdout)
    for name in ("o.nii", "o.cfl", "o.mrd", "o.png"):
        folder.run(INPUT, ["convert", "bad.h5", "-o", name],
                   ["1 of 5 frames failed: 3", "--keep-failed", "next:"])
        expect(not os.path.exists(folder / name), f"{name} was written")
        folder.run(0, ["convert", "bad.h5", "-o", name, "--keep-failed"], ["failed: 3"])
    folder.run(INPUT, ["convert", "bad.h5", "-o", "o.nii", "--frame", "3"], ["frame 3", "failed"])
    folder.run(0, ["convert", "bad.h5", "-o", "one.cfl", "--frame", "2", "--quiet"])
    stored = np.fromfile(folder / "o.cfl", "<c8").reshape(FRAMES, 16, 16)
    expect(np.isnan(stored[3]).all() and np.isfinite(np.delete(stored, 3, 0)).all(), "o.cfl")
    folder.run(0, ["view", "bad.h5", "-o", "p.html"], ["1 of 5 frames failed: 3", "frame 3: "])
    with open(folder / "p.html", encoding="utf-8") as page:
        words = page.read()
    expect("1 of 5 frames failed: 3" in words and "3 (failed)" in words, "the page")


def fhd_does_the_same(make):
    folder = make()
    frames_of(folder, "many.h5")
    fhd = ["fhd", "many.h5", "--quiet", "--backend", "reference"]
    folder.run(0, [*fhd, "-o", "good.h5"])
    frames_of(folder, "many.h5", [2])
    folder.kept = {"bad.h5.part"}
    for more in ([], ["--resume"]):
        folder.run(INPUT, [*fhd, "-o", "bad.h5", *more], ["frame 2 failed: ", "--resume"])
        with h5py.File(folder / "good.h5") as good, h5py.File(folder / "bad.h5") as bad:
            expect(np.isnan(bad["fhd"][2]).all(), "numbers in a bad frame of F^H d")
            for f in (0, 1, 3, 4):
                expect(bad["fhd"][f].tobytes() == good["fhd"][f].tobytes(), f"F^H d of frame {f}")
    expect("failed: frame 2" in folder.run(0, ["info", "bad.h5"]).stdout, "info of F^H d")
    folder.run(USAGE, [*fhd, "-o", "bad.h5"], ["--resume"])


def a_batch_tries_them_again(make):
    folder = make()
    frames_of(folder, "many.h5", [2])
    batch = ["batch", "many.h5", "-o", "out", "--backend", "reference"]

    def row():
        with open(folder / "out/results.tsv", encoding="utf-8") as rows:
            return rows.read()

    for _ in range(2):
        folder.run(INPUT, batch)
        expect("1 of 5 frames failed: 2; found: " in row(), "the row does not say why")
    shutil.rmtree(folder / "out/images/many.h5.part")
    said = folder.run(0, batch).stderr
    expect("finished before" in said, "an image that was accepted is made again")
    expect("1 of 5 frames failed: 2" in row(), "the row does not say that a frame is missing")


if __name__ == "__main__":
    sys.exit(run_cases([a_bad_frame_fails_alone, a_bad_trajectory_fails_its_frame_alone,
                        maps_come_from_a_good_frame,
                        without_a_good_frame_nothing_is_written,
                        truth_and_preview_leave_bad_frames_out, readers_of_the_image_know,
                        fhd_does_the_same, a_batch_tries_them_again]))
