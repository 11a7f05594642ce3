#!/usr/bin/env python3
"""recon --reg llr and ttv: frames that are solved together are nearer to the truth than each alone;
what cannot be solved together is refused, and a bad frame is left out.

    low_rank.py LSRECON"""

import signal
import subprocess
import sys
import time

import h5py
import numpy as np

from in_folders import INPUT, USAGE, expect, run_cases

FRAMES = 10
LLR = ["--reg", "llr:0.01"]
TTV = ["--reg", "ttv:0.02"]
RECON = ["recon", "many.h5", "--quiet", "--backend", "host", "--precision", "double"]


def dynamic(folder, *words, trajectory="golden-angle"):
    """Nine golden-angle spokes a frame of a phantom that moves, each frame at other angles."""
    folder.run(0, ["simulate", "--trajectory", trajectory, "--matrix", "32,32", "--readouts",
                   "9", "--samples-per-readout", "32", "--coils", "4", "--frames", str(FRAMES),
                   "--motion", "8", "--noise", "0.02", "-o", "many.h5", "--truth", "many_truth.h5",
                   "--backend", "host", "--quiet", *words])


def image_of(folder, name):
    with h5py.File(folder / name) as f:
        return f["image"][()]


def error_of(folder, name):
    truth, image = (np.abs(image_of(folder, n)) for n in ("many_truth.h5", name))
    return np.linalg.norm(image - truth) / np.linalg.norm(truth)


def memory_is_that_of_virtual_coils(make):
    """Each of 12 frames has F^H d of 16 coils, 6 MiB in all, or of one."""
    folder = make()
    folder.run(0, ["simulate", "--trajectory", "golden-angle", "--matrix", "48,48", "--readouts",
                   "9", "--coils", "16", "--frames", "12", "-o", "many.h5", "--quiet"])
    words = ["recon", "many.h5", "-o", "i.h5", "--maps", "none", *LLR, "--device-memory", "4"]
    folder.run(INPUT, words, ["solved together", "--frames"])
    folder.run(0, [*words, "--coils", "1"])


def spoil(folder, frame):
    with h5py.File(folder / "many.h5", "r+") as f:
        f["samples"][frame, 1, 7] = np.nan


def frames_together_are_nearer_to_the_truth(make):
    folder = make()
    dynamic(folder)
    errors = {}
    for name, words in {"ls": ["--reg", "none"], "l2": ["--lambda", "0.01"], "llr": LLR,
                        "both": [*LLR, "--lambda", "0.0001"], "tv": [*LLR, "--reg", "tv:0.003"],
                        "coils": [*LLR, "--maps", "none"], "ttv": TTV,
                        "ttv and tv": ["--reg", "ttv:0.005", "--reg", "tv:0.01"]}.items():
        folder.run(0, [*RECON, "-o", f"{name}.h5", *words])
        errors[name] = error_of(folder, f"{name}.h5")
    # 0.31 of both; 0.17 together, 0.15 with total variation.
    for name in ("llr", "both", "tv", "ttv", "ttv and tv"):
        expect(errors[name] < 0.65 * min(errors["ls"], errors["l2"]), f"{name}: {errors}")
    folder.run(0, [*RECON, "-o", "again.h5", *LLR])
    expect(image_of(folder, "again.h5").tobytes() == image_of(folder, "llr.h5").tobytes(),
           "other bits in a second run")
    with h5py.File(folder / "llr.h5") as f:
        expect("alternating directions" in f["record"].attrs["solver"], "the record's solver")
        expect(f["record"].attrs["regularisers"] == "llr:0.01", "the record's regulariser")


def weights_are_chosen(make):
    """By the frames together: near the best of a sweep, which is 0.004 or 0.016, made again by the
    number."""
    folder = make()
    dynamic(folder)
    recon = ["recon", "many.h5", "--quiet", "-o", "i.h5"]
    for names, beside in ((["ttv"], []), (["llr"], []), (["tv"], ["--reg", "ttv:0.005"]),
                          (["tv", "ttv"], [])):
        best = np.inf
        for weight in (0.004, 0.016):
            given = [word for name in names for word in ("--reg", f"{name}:{weight}")]
            folder.run(0, [*recon, *given, *beside])
            best = min(best, error_of(folder, "i.h5"))
        folder.run(0, [*recon, *(word for name in names for word in ("--reg", name)), *beside])
        expect(error_of(folder, "i.h5") < 1.2 * best, f"{names}: {error_of(folder, 'i.h5')}, "
               f"at best {best}")
        with h5py.File(folder / "i.h5") as f:
            words = f["record"].attrs["regularisers"].split()
            image = f["image"][()]
            expect(f"weight_curve_{'_'.join(names)}" in f["record"], "no curve")
            has_settled = np.max(f["record/iterations_done"]) <= 24  # or went on by itself
        folder.run(0, [*recon, *(word for one in words for word in ("--reg", one))])
        expect(not has_settled or image_of(folder, "i.h5").tobytes() == image.tobytes(),
               f"{words}: another image")
    folder.run(0, [*recon, "--reg", "auto", "--reg", "ttv:0.005"])
    with h5py.File(folder / "i.h5") as f:
        words = f["record"].attrs["regularisers"].split()
        expect(len(words) == 2 and words[0] == "ttv:0.005", words)


def samplings_do_not_change_the_order(make):
    """Frames of two samplings in turn, which hold the same samples, another way round."""
    folder = make()
    dynamic(folder, trajectory="radial")
    folder.run(0, [*RECON, "-o", "one.h5", *TTV])
    with h5py.File(folder / "many.h5", "r+") as f:
        trajectory, samples = f["trajectory"][()], f["samples"][()]
        attributes = dict(f["trajectory"].attrs)
        del f["trajectory"]
        trajectory = np.broadcast_to(trajectory, (FRAMES, *trajectory.shape[-2:]))
        trajectory = trajectory.copy()
        trajectory[1::2] = trajectory[1::2, ::-1]
        samples[1::2] = samples[1::2, :, ::-1]
        f["trajectory"], f["samples"][...] = trajectory, samples
        f["trajectory"].attrs.update(attributes)
    folder.run(0, [*RECON, "-o", "two.h5", *TTV])
    one, two = (image_of(folder, name) for name in ("one.h5", "two.h5"))
    apart = np.linalg.norm(two - one) / np.linalg.norm(one)
    expect(apart < 1e-4, f"{apart} apart")


def told_and_logged(make):
    folder = make()
    dynamic(folder)
    said = folder.run(0, ["recon", "many.h5", "--backend", "host", "-o", "i.h5", *LLR,
                          "--log", "i.log"]).stderr
    for piece in (f"{FRAMES} frames with {FRAMES} trajectories",
                  f"frame {FRAMES} of {FRAMES}", f"{FRAMES} solves, "):
        expect(piece in said, f"'{piece}' not in {said}")
    with open(folder / "i.log", encoding="ascii") as log:
        rows = [line.split("\t") for line in log][1:]
    with h5py.File(folder / "i.h5") as f:
        residuals = f["record/residuals"][()][:, 0, :]
    for frame, history in enumerate(residuals):
        found = [float(row[3]) for row in rows if int(row[0]) == frame]
        expect(np.allclose(found, history[np.isfinite(history)], rtol=1e-8), f"frame {frame}")
    expect(residuals[0, 0] == 1 and residuals[:, -1].max() < 0.1, "residuals that do not fall")


def a_bad_frame_is_left_out(make):
    folder = make()
    dynamic(folder)
    others = ",".join(str(f) for f in range(FRAMES) if f != 3)
    folder.run(0, [*RECON, "-o", "others.h5", *LLR, "--frames", others])
    spoil(folder, 3)
    process = folder.run(INPUT, [*RECON, "-o", "bad.h5", *LLR], ["frame 3 failed: ", "NaN"])
    expect("--resume" not in process.stderr and ".part" not in process.stderr, process.stderr)
    image, good = image_of(folder, "bad.h5"), image_of(folder, "others.h5")
    expect(np.isnan(image[3]).all(), "numbers in the bad frame")
    expect(np.delete(image, 3, 0).tobytes() == good.tobytes(), "the others are not solved as alone")


def what_cannot_be_is_refused(make):
    folder = make()
    dynamic(folder)
    for words, says in ((["--noise-map", "4"], "--noise-map"), (["--resume"], "--resume"),
                        (["--solver", "eigen"], "--solver eigen"),
                        (["--frames", "2"], "one frame")):
        folder.run(USAGE, [*RECON, "-o", "image.h5", *LLR, *words], [says, "next:"])
    for words in (LLR, TTV):
        folder.run(USAGE, ["recon", "scan.h5", "-o", "image.h5", *words],
                   [words[1].split(":")[0], "the scan has one frame"])


def memory_is_asked_for_first(make):
    folder = make()
    dynamic(folder)
    if not folder.can_run(["devices", "--quiet"]) and not folder.can_run(["devices"]):
        return
    recon = ["recon", "many.h5", "--quiet", *LLR, "--iterations", "2"]
    if not folder.can_run([*recon, "-o", "device.h5"]):
        return # no OpenCL device
    spoil(folder, 0) # which is not noticed before the memory is
    process = folder.run(INPUT, [*recon, "-o", "image.h5", "--device-memory", "0.7"],
                         ["10 of 32 x 32 voxels with 10 trajectories", "at most ", "--frames"])
    said = folder.run(INPUT, [*recon, "-o", "image.h5", "--device-memory", "2", "--matrix",
                              "64,64"], ["10 of 64 x 64 voxels with 10 trajectories"]).stderr
    expect("frame 0" not in said, f"samples were read before: {said}")
    fit = int(process.stderr.split("at most ")[1].split(",")[0])
    expect(1 < fit < FRAMES, f"{fit} fit")
    folder.run(0, [*recon, "-o", "few.h5", "--frames", f"1-{fit}", "--device-memory", "0.7"])


def a_signal_says_that_nothing_is_kept(make):
    folder = make()
    dynamic(folder)
    with subprocess.Popen([folder.program, *RECON, "-o", "image.h5", "--log", "i.log", *LLR,
                           "--iterations", "100000", "--tolerance", "1e-10"], cwd=folder.path,
                          stderr=subprocess.PIPE, text=True) as process:
        while process.poll() is None:
            time.sleep(0.05)
            try:
                with open(folder / "i.log", encoding="ascii") as log:
                    if len(log.readlines()) > 2 * FRAMES:
                        break
            except FileNotFoundError:
                pass
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=60)[1]
    expect(process.returncode == -signal.SIGINT, f"exit code {process.returncode}")
    expect("solved together" in said and "saved only when all" in said, said)
    folder.run(0, [*RECON, "-o", "next.h5", *LLR, "--iterations", "2"]) # nothing is in its way


def a_tolerance_out_of_reach_is_refused_before_the_work(make):
    folder = make()
    dynamic(folder)
    for words in (LLR, ["--reg", "tv:0.01"]):
        said = folder.run(6, ["recon", "many.h5", "--backend", "host", "-o", "image.h5",
                              *words, "--tolerance", "1e-15"], ["1e-15", "at best", "next:"]).stderr
        expect("fhd" not in said, f"it was said after the work: {said}")


if __name__ == "__main__":
    sys.exit(run_cases([frames_together_are_nearer_to_the_truth, weights_are_chosen,
                        samplings_do_not_change_the_order,
                        a_tolerance_out_of_reach_is_refused_before_the_work, told_and_logged,
                        a_bad_frame_is_left_out, what_cannot_be_is_refused,
                        memory_is_asked_for_first, memory_is_that_of_virtual_coils,
                        a_signal_says_that_nothing_is_kept]))
