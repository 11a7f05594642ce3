#!/usr/bin/env python3
"""Delays and phases of readouts: found, corrected, and left alone where there are none.

    delays.py LSRECON"""

import json
import sys

import h5py
import numpy as np

from in_folders import INPUT, USAGE, codes, expect, run_cases

QUIET = ["--quiet", "--backend", "host"]
GIVEN = "0.6,-0.4,0.05:0.12,-0.09"


def simulate(folder, name, *more, trajectory="golden-angle"):
    folder.run(0, ["simulate", "--trajectory", trajectory, "--matrix", "32,32", "--coils", "4",
                   "--snr", "30", "-o", name, "--truth", "object.h5", *more, *QUIET])


def found(folder, scan):
    process = folder.run(0, ["delays", scan, "--json", "--backend", "host"])
    return json.loads(process.stdout)


def recon(folder, scan, image, *more):
    """The error, the image and its record."""
    folder.run(0, ["recon", scan, "-o", image, "--maps", "walsh", "--lambda", "0.003", *more,
                   *QUIET])
    with h5py.File(folder / image) as of, h5py.File(folder / "object.h5") as truth:
        a, b = (abs(np.squeeze(f["image"][:])) for f in (of, truth))
        error = np.linalg.norm((a * b).sum() / (a * a).sum() * a - b) / np.linalg.norm(b)
        return error, of["image"][:], dict(of["record"].attrs)


def spokes_are_corrected(make):
    folder = make()
    simulate(folder, "late.h5", "--readouts", "41", "--delays", GIVEN)
    simulate(folder, "right.h5", "--readouts", "41")
    simulate(folder, "apart.h5", "--readouts", "41", "--delays", "0.8,0.3")
    warnings = json.loads(folder.run(0, ["info", "apart.h5", "--json"]).stdout)["warnings"]
    expect(not warnings, f"late spokes are shots of other strengths: {warnings}")
    values = found(folder, "late.h5")
    near = [float(v) for v in values["delays"].replace(":", ",").split(",")]
    given = [float(v) for v in GIVEN.replace(":", ",").split(",")]
    expect(np.allclose(near, given, atol=0.01), f"found {values}")
    expect(values["is_clear"] and values["is_known"], f"{values}")
    before, _, _ = recon(folder, "late.h5", "none.h5", "--delays", "none")
    after, _, record = recon(folder, "late.h5", "auto.h5")
    typed, _, _ = recon(folder, "late.h5", "typed.h5", "--delays", GIVEN)
    right, _, _ = recon(folder, "right.h5", "right_image.h5")
    expect("delays_corrected" in codes(folder / "auto.h5"), f"{record}")
    expect(abs(float(record["delay_x"]) - 0.6) < 0.01, f"{record}")
    expect(after < 1.05 * right and typed < 1.05 * right and before > 1.5 * right,
           f"errors {before} {after} {typed} {right}")


def spokes_that_are_right_stay(make):
    folder = make()
    simulate(folder, "right.h5", "--readouts", "41")
    _, auto, _ = recon(folder, "right.h5", "auto.h5")
    _, none, _ = recon(folder, "right.h5", "none.h5", "--delays", "none")
    expect((auto == none).all(), "an image changed without delays")
    expect(not any("delays" in code for code in codes(folder / "auto.h5")), "a finding on delays")


def other_readouts_are_named(make):
    folder = make()
    simulate(folder, "late.h5", "--delays", "1,0.5", trajectory="spiral")
    _, _, record = recon(folder, "late.h5", "auto.h5")
    expect("delays_found" in codes(folder / "auto.h5") or "delay_x" in record, f"{record}")


def words(make):
    folder = make()
    simulate(folder, "right.h5", "--readouts", "41")
    for word in ("1", "a,b", "1,2:3", "1,2,3,4", "200,0", "1,1:4,0"):
        folder.run(USAGE, ["recon", "right.h5", "-o", "image.h5", "--delays", word, *QUIET],
                   says=["X,Y[,XY|Z][:COS,SIN]"])
    folder.run(USAGE, ["recon", "right.h5", "-o", "image.h5", "--delays", "1,2,3,0,0,0", *QUIET],
               says=["lsrecon delays"])
    simulate(folder, "lines.h5", trajectory="cartesian")
    folder.run(INPUT, ["delays", "lines.h5", "--backend", "host"], says=["several directions"])


if __name__ == "__main__":
    sys.exit(run_cases([spokes_are_corrected, spokes_that_are_right_stay, other_readouts_are_named,
                        words]))
