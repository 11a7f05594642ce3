#!/usr/bin/env python3
"""Precision that recon takes by itself: where rounding would show in the image, and where lambda
or --certify need it; the same for ranks, --resume and batch; what is asked for stays.

    precision.py LSRECON"""

import os
import pathlib
import shutil
import sys

import h5py
import numpy as np

from in_folders import INPUT, TOLERANCE, expect, run_cases

HEAD = pathlib.Path(__file__).parents[3] / "shared/data/jemris_clean_slc30/scan.h5"
TINY = ["--lambda", "1e-6", "--iterations", "40"]


def scan(folder, *words):
    """Without noise: a smaller lambda is always better."""
    folder.run(0, ["simulate", "--trajectory", "radial", "--matrix", "48,48", "--coils", "3", "-o",
                   "s.h5", "--quiet", *words])


def recon(folder, *words, code=0, says=(), file="s.h5"):
    """The image, its record, and what was said."""
    done = folder.run(code, ["recon", str(file), "-o", "i.h5", *words], says)
    with h5py.File(folder / "i.h5") as f:
        result = f["image"][()], dict(f["record"].attrs), done.stderr
    os.remove(folder / "i.h5")
    return result


def takes_doubles(record):
    return "double_precision" in (value for name, value in record.items()
                                  if name.startswith("code_of_remark_"))


def distance(a, b):
    return np.linalg.norm(a - b) / np.linalg.norm(b)


def rounding_does_not_show(make):
    folder = make()
    scan(folder)
    asked, of_asked, _ = recon(folder, *TINY, "--precision", "double")
    image, record, _ = recon(folder, *TINY, says=["note: Errors of", "times as long"])
    expect(takes_doubles(record), "it is not reported")
    expect(record["precision"] == of_asked["precision"] == "double", record["precision"])
    expect(float(record["accuracy"]) < 1e-9, record["accuracy"])
    expect(distance(image, asked) < 1e-6, f"{distance(image, asked)} from doubles")
    _, record, said = recon(folder, *TINY, "--precision", "single", says=["--precision double"])
    expect(record["precision"] == "single" and not takes_doubles(record), "floats were asked for")
    _, record, said = recon(folder, "--lambda", "0.01")
    expect(record["precision"] == "single" and not takes_doubles(record), "a usual lambda")


def lambda_stays_whatever_the_accuracy(make):
    folder = make()
    scan(folder, "--snr", "300")
    lambdas = [recon(folder, "--engine", "nufft", *words)[1]["lambda"]
               for words in ([], ["--accuracy", "1e-3"], ["--accuracy", "1e-4"])]
    expect(len(set(lambdas)) == 1, lambdas)
    scan(folder)
    expected = recon(folder, "--precision", "double")[1]["lambda"]
    for words in ([], ["--engine", "exact"], ["--engine", "nufft", "--accuracy", "1e-3"]):
        _, record, _ = recon(folder, *words)
        expect(record["lambda"] == expected, f"{words}: {record['lambda']} for {expected}")


def floats_that_cannot_bound_are_left(make):
    folder = make()
    scan(folder)
    certify = [*TINY, "--certify", "1e-6"]
    recon(folder, *certify, "--precision", "single", code=TOLERANCE)
    _, record, said = recon(folder, *certify)
    expect(takes_doubles(record), said)
    expect(0 < record["certified_image_upper"] <= 1e-6, record["certified_image_upper"])
    first = said.splitlines()[0]
    expect("NUFFT and rounding" in first and "errors of coil maps are not in it" in first, first)
    _, record, _ = recon(folder, "--lambda", "0.1", "--certify", "1e-2")
    expect(not takes_doubles(record), "floats can")


def alike_however_it_runs(make):
    """One of three frames fails, so that the others are found by --resume."""
    folder = make()
    scan(folder, "--frames", "3")
    with h5py.File(folder / "s.h5", "r+") as f:
        values = f["samples"][()]
        values[1, 0, 3] = np.nan
        f["samples"][()] = values
    folder.kept |= {"i.h5.part"}
    image, record, _ = recon(folder, *TINY, code=INPUT)
    resumed, of_resumed, _ = recon(folder, *TINY, "--resume", code=INPUT)
    expect(of_resumed["frames_resumed"] == 2 and of_resumed["accuracy"] == record["accuracy"],
           "not resumed")
    expect(image.tobytes() == resumed.tobytes(), "--resume: other bits")
    shutil.rmtree(folder / "i.h5.part")
    scan(folder)
    image, _, _ = recon(folder, *TINY)
    for message in ("done in", "finished before"):
        folder.run(0, ["batch", "s.h5", "--output", "out", *TINY], [message])
    with h5py.File(folder / "out/images/s.h5") as f:
        expect(f["image"][()].tobytes() == image.tobytes(), "batch: other bits")


def samples_that_are_read_once(make):
    """Those of a single frame of raw data."""
    if not HEAD.exists():
        print("skipped: no", HEAD)
        return
    folder = make()
    _, coarse, _ = recon(folder, "--engine", "nufft", "--accuracy", "1e-3", file=HEAD)
    _, usual, _ = recon(folder, file=HEAD)
    expect(coarse["lambda"] == usual["lambda"], f"{coarse['lambda']} for {usual['lambda']}")
    _, record, said = recon(folder, "--certify", "1e-3", file=HEAD)
    expect(takes_doubles(record), said)
    expect(record["certified_image_upper"] <= 1e-3, record["certified_image_upper"])


if __name__ == "__main__":
    sys.exit(run_cases([rounding_does_not_show, lambda_stays_whatever_the_accuracy,
                        floats_that_cannot_bound_are_left, alike_however_it_runs,
                        samples_that_are_read_once]))
