#!/usr/bin/env python3
"""recon --certify: its exit code, its message and what the record holds, with every kind of solve.

    certify.py LSRECON"""

import os
import sys

import h5py

from in_folders import USAGE, expect, run_cases

TOLERANCE = 6
FAST = ["--kernel", "nufft", "--accuracy", "1e-4"]


def scan_in(folder):
    folder.run(0, ["simulate", "--trajectory", "radial", "--matrix", "48,48", "--coils", "3",
                   "--noise", "0.02", "--frames", "2", "-o", "many.h5", "--quiet"])


def reconstruct(folder, code, *words, says=()):
    """The record of the image, which is there whatever the code."""
    done = folder.run(code, ["recon", "many.h5", "-o", "i.h5", *words], says)
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


if __name__ == "__main__":
    sys.exit(run_cases([it_is_sampled_where_it_is_not_exact, the_exit_code_says_it,
                        the_accuracy_follows_from_it]))
