#!/usr/bin/env python3
"""recon --log: a line an iteration, in the file while the program runs, equal to the record.

    iteration_log.py LSRECON"""

import errno
import os
import resource
import signal
import subprocess
import sys
import time

import h5py
import numpy as np

from in_folders import INPUT, USAGE, expect, recon, run_cases

HEADER = "frame\tproblem\titeration\trelative_residual\tseconds\n"


def table(path):
    """The columns by their names, as numbers."""
    with open(path, encoding="ascii") as log:
        expect(log.readline() == HEADER, "another first line")
        rows = np.array([[float(word) for word in line.split("\t")] for line in log])
    return dict(zip(HEADER.split(), rows.reshape(-1, 5).T))


def expect_record(folder, image, log):
    """Every residual of the record but the last of a solve, which is measured once more."""
    found = table(folder / log)
    with h5py.File(folder / image) as f:
        histories = f["record/residuals"][()]
    expect(np.all(np.diff(found["seconds"]) >= 0), "seconds that fall")
    count = 0
    for frame, problems in enumerate(histories):
        for problem, history in enumerate(problems):
            history = history[np.isfinite(history)]
            here = (found["frame"] == frame) & (found["problem"] == problem)
            expect(list(found["iteration"][here]) == list(range(len(history))), "iterations")
            # Nine digits are written.
            expect(np.allclose(found["relative_residual"][here][:-1], history[:-1], rtol=1e-8,
                               atol=0), "other residuals than the record's")
            count += len(history)
    expect(len(found["frame"]) == count, f"{len(found['frame'])} lines in place of {count}")


def every_solver_writes_one(make):
    folder = make()
    folder.run(0, ["simulate", "--matrix", "16,16", "--coils", "3", "--frames", "2", "-o",
                   "many.h5", "--quiet"])
    many = ["recon", "many.h5", "--quiet", "--backend", "reference", "-o", "i.h5", "--log", "i.log"]
    for words in ([], ["--solver", "eigen"], ["--maps", "none"], ["--reg", "tv:0.01"],
                  ["--reg", "llr:0.01"], ["--reg", "llr:0.01", "--maps", "none"]):
        folder.run(0, [*many, *words])
        expect_record(folder, "i.h5", "i.log")


def a_frame_that_was_resumed_has_no_new_lines(make):
    folder = make()
    folder.run(0, ["simulate", "--matrix", "16,16", "--frames", "3", "-o", "many.h5", "--quiet"])
    with h5py.File(folder / "many.h5", "r+") as f:
        f["samples"][1, 0, 0] = np.nan
    folder.kept = {"i.h5.part"}
    many = ["recon", "many.h5", "--quiet", "--backend", "reference", "-o", "i.h5", "--log", "i.log"]
    folder.run(INPUT, many)
    before = table(folder / "i.log")
    expect(set(before["frame"]) == {0, 2}, "lines of other frames")
    with open(folder / "i.log", "a", encoding="ascii") as log:
        log.write("1\t0\t0\t0.")  # as a kill leaves it
    folder.run(INPUT, [*many, "--resume"])
    after = table(folder / "i.log")
    expect(len(after["frame"]) == len(before["frame"]), "resuming wrote lines")
    with open(folder / "i.log", "w", encoding="ascii") as log:
        log.write("my own notes\n")
    folder.run(INPUT, [*many, "--resume"], ["i.log", "no log of lsrecon", "next:"])
    with open(folder / "i.log", encoding="ascii") as log:
        expect(log.read() == "my own notes\n", "notes are lost")


def it_is_an_output_like_others(make):
    folder = make()
    for name in ("scan.h5", "image.h5", "preview.png", "./image.h5"):
        folder.run(USAGE, recon("-o", "image.h5", "--png", "preview.png", "--log", name), ["--log"])
    for name in ("log.nii", "nowhere/i.log", "."):
        folder.run(USAGE, recon("-o", "image.h5", "--log", name), [name, "next:"])

    def small_files():
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_FSIZE, (60, 60))
    folder.run(INPUT, recon("-o", "image.h5", "--log", "i.log"),
               ["i.log", os.strerror(errno.EFBIG)], preexec_fn=small_files)


def it_grows_while_the_program_runs(make):
    folder = make()
    process = subprocess.Popen(
        [folder.program, *recon("-o", "i.h5", "--log", "i.log", "--iterations", "100000",
                                "--tolerance", "1e-300")],
        cwd=folder.path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until = time.time() + 60
    while time.time() < until and process.poll() is None:
        if os.path.exists(folder / "i.log") and os.path.getsize(folder / "i.log") > 2000:
            break
        time.sleep(0.01)
    expect(process.poll() is None, "it ended before its log was seen to grow")
    process.kill()
    process.wait()
    expect(len(table(folder / "i.log")["frame"]) > 10, "fewer lines than bytes say")


if __name__ == "__main__":
    sys.exit(run_cases([every_solver_writes_one, a_frame_that_was_resumed_has_no_new_lines,
                        it_is_an_output_like_others, it_grows_while_the_program_runs]))
