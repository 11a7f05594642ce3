#!/usr/bin/env python3
"""The processors as a device, without OpenCL: every engine of theirs against the reference, what
they do not take, and that they serve where there is no OpenCL driver.

    processors.py LSRECON"""

import os
import subprocess
import sys

import h5py
import numpy as np

from in_folders import USAGE, expect, run_cases

HOST = ["--backend", "host", "--quiet"]


def image(folder, name):
    with h5py.File(folder / name) as f:
        return f["image"][()], dict(f["record"].attrs)


def apart(folder, a, b):
    a, b = image(folder, a)[0], image(folder, b)[0]
    return np.linalg.norm(a - b) / np.linalg.norm(b)


def engines_agree_with_the_reference(make):
    solve = ["--iterations", "8", "--lambda", "0.01"]
    for words in (["--trajectory", "radial", "--matrix", "31,24", "--coils", "3"],
                  ["--trajectory", "radial-3d", "--matrix", "9,12,10", "--readouts", "80"],
                  ["--trajectory", "spiral", "--matrix", "24,24", "--off-resonance-hz", "90"]):
        folder = make()
        folder.run(0, ["simulate", *words, "-o", "s.h5", "--quiet"])
        folder.run(0, ["recon", "s.h5", "-o", "r.h5", "--backend", "reference", "--quiet", *solve])
        for engine in ("sums", "separable", "nufft"):
            for precision, most in (("single", 2e-4), ("double", 1e-6)):
                folder.run(0, ["recon", "s.h5", "-o", "h.h5", *HOST, *solve, "--engine", engine,
                               "--precision", precision, "--segment-error", "1e-7"])
                error = apart(folder, "h.h5", "r.h5")
                expect(error < most, f"{words} by {engine} in {precision}: {error}")
                expect(image(folder, "h.h5")[1]["kernel"] == engine, f"not {engine}")


def cores_do_not_change_an_image(make):
    folder = make()
    for engine in ("sums", "separable"):
        folder.run(0, ["recon", "scan.h5", "-o", "two.h5", *HOST, "--engine", engine])
        folder.run(0, ["recon", "scan.h5", "-o", "one.h5", *HOST, "--engine", engine, "--threads",
                       "1"])
        expect(np.array_equal(image(folder, "one.h5")[0], image(folder, "two.h5")[0]), engine)


def they_serve_without_an_opencl_driver(make):
    folder = make()
    is_built = " OpenCL" in folder.run(0, ["--version"]).stdout.split("\nwithout")[0]
    os.environ["OCL_ICD_VENDORS"] = str(folder / "none")
    try:
        folder.run(0, ["recon", "scan.h5", "-o", "i.h5"],
                   ["no OpenCL driver", "the processors"] if is_built else [])
        expect(image(folder, "i.h5")[1]["backend"] == "host", "another backend")
        shown = folder.run(0, ["predict", "scan.h5"]).stdout
        expect("threads" in shown, shown)
        shown = subprocess.run([folder.program, "devices"], capture_output=True, text=True)
        expect("threads" in shown.stdout and "--backend host" in shown.stderr, f"devices: {shown}")
        for words in (["--device", "cpu"], ["--backend", "opencl"], ["--kernel", "tuned"]):
            expect(not folder.can_run(["recon", "scan.h5", "-o", "image.h5", *words]), words)
    finally:
        del os.environ["OCL_ICD_VENDORS"]


def what_they_do_not_take_is_refused(make):
    folder = make()
    folder.run(USAGE, ["recon", "scan.h5", "-o", "image.h5", *HOST, "--device", "0"],
               ["--backend host takes no --device"])


if __name__ == "__main__":
    sys.exit(run_cases([engines_agree_with_the_reference, cores_do_not_change_an_image,
                        they_serve_without_an_opencl_driver, what_they_do_not_take_is_refused]))
