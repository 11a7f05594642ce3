#!/usr/bin/env python3
"""A scan of 20 frames is stopped again and again and continued: the image is that of a run that was
never stopped, bit for bit, and a signal leaves finished frames and nothing else.

    resume.py LSRECON"""

import os
import random
import shutil
import signal
import subprocess
import sys
import time

import h5py
import numpy as np

from in_folders import INPUT, USAGE, expect, run_cases

FRAMES = 20
RNG = random.Random(1)
RECON = ["recon", "many.h5", "--iterations", "6", "--quiet"]


def scan_of_frames(folder):
    """Two trajectories that alternate; each frame has another phase."""
    folder.run(0, ["simulate", "--trajectory", "spiral", "--matrix", "40,40", "--coils", "3", "-o",
                   "one.h5", "--quiet"])
    with h5py.File(folder / "one.h5") as one, h5py.File(folder / "many.h5", "w") as many:
        for name, value in one.attrs.items():
            many.attrs[name] = value
        k, samples = one["trajectory"][()], one["samples"][()]
        k = np.stack([k if f % 2 == 0 else k[:, ::-1] for f in range(FRAMES)])
        many["trajectory"] = k
        many["trajectory"].attrs["units"] = one["trajectory"].attrs["units"]
        many["samples"] = np.stack([samples * np.exp(0.3j * f) for f in range(FRAMES)])
        many["coil_maps"] = one["coil_maps"][()]


def contents(path):
    """Everything but when and how it was made: a run that finds every frame finished computes
    nothing, and has neither a kernel's parameters nor models that it compared."""
    with h5py.File(path) as f:
        found = {"image": f["image"][()].tobytes()}
        for name in f["record"]:
            found[name] = f["record"][name][()].tobytes()
        for name, value in f["record"].attrs.items():
            if not name.startswith(("seconds_", "model_")) and name not in ("made", "command",
                                                                "frames_resumed",
                                                                "kernel_parameters"):
                found[name] = np.asarray(value).tobytes()
    return found


def parts(folder):
    return sorted(name for name in os.listdir(folder.path) if name.endswith(".part"))


def frames_in(part):
    try:
        return sum(name.isdigit() for name in os.listdir(part))
    except FileNotFoundError:  # not begun, or finished and renamed this moment
        return 0


def stopped(folder, kind, output, grown=0, command=RECON):
    """Stops a run when its part has grown by this many frames, whatever time that takes: its exit
    code, which is 0 where the run was finished first, and what it said. 0 frames is any moment."""
    part = folder / f"{output}.part"
    enough = frames_in(part) + grown
    process = subprocess.Popen([folder.program, *command, "-o", output, "--resume"],
                               cwd=folder.path, stderr=subprocess.PIPE, text=True)
    if grown == 0:
        time.sleep(RNG.uniform(0, 0.2))
    while frames_in(part) < enough and process.poll() is None:
        time.sleep(0.0005)
    process.send_signal(kind)
    said = process.communicate(timeout=60)[1]
    return process.returncode, said


def stopped_in_time(folder, kind, output, grown=0, command=RECON):
    """The same, again where a run was finished first, up to the removal of its part: a busy machine
    may send signals late."""
    for _ in range(20):
        code, said = stopped(folder, kind, output, grown, command)
        if not os.path.exists(folder / output):
            break
        os.unlink(folder / output)
        shutil.rmtree(folder / f"{output}.part", ignore_errors=True)
    return code, said


def killed_and_resumed(make):
    folder = make()
    scan_of_frames(folder)
    folder.run(0, [*RECON, "-o", "whole.h5"])
    expect(not parts(folder), "a part is left beside a finished image")
    whole = contents(folder / "whole.h5")
    kills = 0
    for round_ in range(3):
        output = f"image{round_}.h5"
        for _ in range(60):
            frames = RNG.choice([0, 1, 2, 4, 8])
            code, _ = stopped(folder, signal.SIGKILL, output, frames)
            if code == 0:
                break
            expect(code == -signal.SIGKILL, f"exit {code} in place of a kill")
            kills += 1
        folder.kept = {f"{output}.part"}
        folder.run(0, [*RECON, "-o", output, "--resume"])  # also of an image that is finished
        expect(contents(folder / output) == whole, f"{output} is another image")
        expect(output + ".part" not in parts(folder), "a part is left beside a finished image")
    expect(kills >= 3, f"only {kills} kills came in time")


def signals_keep_frames(make):
    folder = make()
    scan_of_frames(folder)
    folder.run(0, [*RECON, "-o", "whole.h5"])
    for kind in (signal.SIGTERM, signal.SIGINT):
        for grown in (0, 2):  # a frame is counted a moment after it is written
            code, said = stopped_in_time(folder, kind, "image.h5", grown)
            expect(code == -kind, f"exit {code} by {kind.name}")
            left = parts(folder)
            expect(left == ["image.h5.part"] or left == [] and grown == 0,
                   f"{kind.name} left {left}")
            if left:
                expect("frames are kept in image.h5.part" in said and "--resume" in said, said)
        folder.run(0, [*RECON, "-o", "image.h5", "--resume"])
        expect(contents(folder / "image.h5") == contents(folder / "whole.h5"), "another image")
        os.unlink(folder / "image.h5")


def a_signal_before_the_first_frame_is_answered(make):
    """While weights are chosen, which takes longer than until `fhd` is reported."""
    folder = make()
    scan_of_frames(folder)
    with subprocess.Popen([folder.program, "recon", "many.h5", "-o", "image.h5"], cwd=folder.path,
                          stderr=subprocess.PIPE, text=True) as process:
        for line in process.stderr:
            if line.startswith("fhd "):
                break
        process.send_signal(signal.SIGINT)
        said = process.stderr.read()
    expect("by a signal" in said and "nothing of image.h5" in said, said)


def fhd_is_of_one_precision(make):
    """A bad frame leaves the part of the others."""
    folder = make()
    scan_of_frames(folder)
    with h5py.File(folder / "many.h5", "r+") as scan:
        scan["samples"][2, 0, 5] = np.nan
    fhd = ["fhd", "many.h5", "-o", "fhd.h5", "--quiet"]
    folder.kept = {"fhd.h5.part"}
    folder.run(INPUT, fhd, ["frame"])
    for flags, words in ((["--precision", "double"], ["precision", '"double"']),
                         (["--segment-error", "1e-2"], ["other settings: --segment-error"])):
        folder.run(INPUT, [*fhd, "--resume", *flags], [*words, "next:"])
    with h5py.File(folder / "fhd.h5") as made:
        record = dict(made["record"].attrs)
    expect(record["precision"] == "single" and "option_precision" not in record,
           f"the record has {record}")


def fhd_in_doubles_is_resumed(make):
    folder = make()
    scan_of_frames(folder)
    command = ["fhd", "many.h5", "--precision", "double", "--quiet"]
    if not folder.can_run([*command, "-o", "whole.h5"]):
        return
    kills = 0
    while kills < 3:
        code, _ = stopped(folder, signal.SIGKILL, "fhd.h5", 1, command)
        kills += code != 0
        if code == 0: # finished first
            os.unlink(folder / "fhd.h5")
    folder.kept = {"fhd.h5.part"}
    folder.run(0, [*command, "-o", "fhd.h5", "--resume"])
    expect(not parts(folder), "a part is left beside a finished file")
    with h5py.File(folder / "whole.h5") as whole, h5py.File(folder / "fhd.h5") as found:
        expect(found["fhd"].dtype == "c16", f"resumed: {found['fhd'].dtype}")
        expect(found["fhd"][()].tobytes() == whole["fhd"][()].tobytes(), "another F^H d")


def other_settings_and_another_scan_are_refused(make):
    folder = make()
    scan_of_frames(folder)
    stopped_in_time(folder, signal.SIGKILL, "image.h5", 1)
    expect("image.h5.part" in parts(folder), "no frame was kept")
    folder.kept = {"image.h5.part"}
    folder.run(USAGE, [*RECON, "-o", "image.h5"], ["image.h5.part", "--resume", "next:"])
    for flags, words in ((["--lambda", "0.5"], ["other settings: --lambda"]),
                         (["--precision", "double"], ["--precision", '"double"']),
                         (["--conjugate"], ["--conjugate", "nothing", '"yes"']),
                         (["--frames", "0,1"], ["--frames", '"0,1"']),
                         (["--reg", "tv:0.0200001"], ["--reg", '"tv:0.0200001"']),
                         (["--device-memory", "7"], ["nothing", '"7"'])):
        folder.run(INPUT, [*RECON, "-o", "image.h5", "--resume", *flags], [*words, "next:"])
    expect(parts(folder) == ["image.h5.part"], "a refused run took the part")
    # Another file in its place: the reader of the killed run may hold the old one a moment longer.
    shutil.copy(folder / "many.h5", folder / "changed.h5")
    with h5py.File(folder / "changed.h5", "r+") as changed:
        changed["samples"][7] = 2 * changed["samples"][7]
    os.replace(folder / "changed.h5", folder / "many.h5")
    folder.run(INPUT, [*RECON, "-o", "image.h5", "--resume"], ["settings: the scan", "next:"])


def other_maps_of_that_name_are_refused(make):
    """A bad frame leaves the part of the others."""
    folder = make()
    scan_of_frames(folder)
    with h5py.File(folder / "many.h5", "r+") as scan:
        scan["samples"][2, 0, 5] = np.nan
    command = [*RECON, "-o", "made.h5", "--maps", "maps.h5"]
    folder.run(0, ["maps", "one.h5", "-o", "maps.h5", "--maps", "walsh", "--quiet"])
    folder.kept = {"made.h5.part"}
    folder.run(INPUT, command, ["frame"])
    shutil.copy(folder / "maps.h5", folder / "copy.h5")
    os.replace(folder / "copy.h5", folder / "maps.h5")
    folder.run(INPUT, [*command, "--resume"], ["frame 2"])  # the same maps
    with h5py.File(folder / "maps.h5", "r+") as maps:
        maps["coil_maps"][0] = 2 * maps["coil_maps"][0]
    folder.run(INPUT, [*command, "--resume"], ["other settings: the file of --maps", "next:"])


def what_was_chosen_is_not_chosen_again(make):
    folder = make()
    scan_of_frames(folder)
    command = ["recon", "many.h5"]
    folder.run(0, [*command, "-o", "whole.h5"])
    stopped_in_time(folder, signal.SIGKILL, "image.h5", 1, command)
    folder.kept = {"image.h5.part"}
    said = folder.run(0, [*command, "-o", "image.h5", "--resume"]).stderr
    expect("as the run before chose: lambda " in said, said)
    expect("\nlambda  " not in said and "\nghosts  " not in said, "it was chosen again")
    expect(contents(folder / "image.h5") == contents(folder / "whole.h5"), "another image")


def a_damaged_frame_is_solved_again(make):
    folder = make()
    scan_of_frames(folder)
    folder.run(0, [*RECON, "-o", "whole.h5"])
    for damage in (lambda file: file.seek(-1, 2) and file.write(b"?"),
                   lambda file: file.truncate(file.seek(-9, 2)),
                   lambda file: file.seek(0, 2) and file.write(8 * b"?")):
        stopped_in_time(folder, signal.SIGKILL, "image.h5", 1)
        one = min(filter(str.isdigit, os.listdir(folder / "image.h5.part")), key=int)
        with open(folder / f"image.h5.part/{one}", "r+b") as file:
            damage(file)
        shutil.copy(folder / f"image.h5.part/{one}", folder / "image.h5.part/999")
        folder.kept = {"image.h5.part"}
        folder.run(0, [*RECON, "-o", "image.h5", "--resume"],
                   ["image.h5.part", f"again: {one}\n"], finds=["frames_damaged"])
        expect(contents(folder / "image.h5")["image"] == contents(folder / "whole.h5")["image"],
               "another image")
        os.unlink(folder / "image.h5")


def truth_and_preview_of_many_frames(make):
    folder = make()
    scan_of_frames(folder)
    folder.run(0, [*RECON, "-o", "before.h5"])
    process = folder.run(0, [*RECON, "-o", "image.h5", "--truth", "before.h5", "--png",
                             "image.png"])
    expect("error against the truth: 0.0000" in process.stdout, process.stdout)
    expect(os.path.getsize(folder / "image.png") > 1000, "no preview")


if __name__ == "__main__":
    sys.exit(run_cases([killed_and_resumed, signals_keep_frames,
                        a_signal_before_the_first_frame_is_answered,
                        other_settings_and_another_scan_are_refused,
                        other_maps_of_that_name_are_refused,
                        fhd_is_of_one_precision, fhd_in_doubles_is_resumed,
                        what_was_chosen_is_not_chosen_again, a_damaged_frame_is_solved_again,
                        truth_and_preview_of_many_frames]))
