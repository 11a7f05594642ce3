#!/usr/bin/env python3
"""Headers of scans that are wrong about the field of view or the matrix.

    scan_headers.py LSRECON"""

import pathlib
import re
import sys

import h5py
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "data"))
from bad_ismrmrd import write # noqa: E402
from in_folders import INPUT, USAGE, expect, run_cases # noqa: E402

SOLVE = ["--backend", "reference", "--iterations", "6"]


def simulated(folder):
    """Spirals of 24 x 20 voxels on 240 x 200 mm."""
    folder.run(0, ["simulate", "--trajectory", "spiral", "--matrix", "24,20", "--fov-mm", "240,200",
                   "--coils", "1", "--backend", "reference", "-o", "native.h5", "--quiet"])
    folder.run(0, ["simulate", "--trajectory", "spiral", "--matrix", "24,20", "--fov-mm", "240,200",
                   "--coils", "1", "--backend", "reference", "-o", "raw.mrd", "--quiet"])


def with_header(folder, new, change, per_m=False):
    """The raw file with its XML changed, and its trajectory in 1/m."""
    with h5py.File(folder / "raw.mrd") as f:
        rows, xml = f["dataset/data"][()], f["dataset/xml"][0].decode()
    for row in rows if per_m else []:
        k = row["traj"].reshape(-1, 2) * [24 / 0.240, 20 / 0.200]
        row["traj"] = k.astype(np.float32).ravel()
    write(folder / new, change(re.sub("<userParameterString>.*?</userParameterString>", "", xml,
                                      flags=re.S)), rows)


def lengths(*values):
    """Writes them as every field of view."""
    def change(xml):
        for axis, value in zip("xyz", values):
            xml = re.sub(f"(<fieldOfView_mm>.*?<{axis}>)[^<]*", rf"\g<1>{value}", xml, flags=re.S)
        return xml
    return change


def image_of(folder, scan, *words, says=()):
    printed = folder.run(0, ["recon", scan, "-o", "image.h5", *SOLVE, *words], says).stderr
    with h5py.File(folder / "image.h5") as f:
        image, fov = f["image"][0], f["image"].attrs["fov_mm"][()]
    (pathlib.Path(folder.path) / "image.h5").unlink()
    return image, fov, printed


def expect_same(name, found, wanted):
    away = np.linalg.norm(found[0] - wanted[0]) / np.linalg.norm(wanted[0])
    expect(away < 1e-5 and np.allclose(found[1], wanted[1]), f"{name}: {away} away, {found[1]} mm")


def metres_become_millimetres(make):
    folder = make()
    simulated(folder)
    note = ["0.24 x 0.2 mm,", ": 240 x 200 mm"]
    right = image_of(folder, "native.h5")
    with h5py.File(folder / "native.h5", "r+") as f:
        f.attrs["fov_mm"] = [0.24, 0.2]
    expect_same("native", image_of(folder, "native.h5", says=note), right)
    with h5py.File(folder / "native.h5", "r+") as f:
        f["trajectory"][...] *= [1 / 0.24, 1 / 0.2]
        f["trajectory"].attrs["units"] = "1/m"
    expect_same("native, 1/m", image_of(folder, "native.h5", says=note), right)
    right = image_of(folder, "raw.mrd")
    expect("metres" not in right[2], right[2])
    for per_m in (True, False):
        with_header(folder, "metres.h5", lengths(0.24, 0.2, 0.005), per_m)
        expect_same(f"raw, 1/m {per_m}", image_of(folder, "metres.h5", says=note), right)
    expect_same("--fov-mm", image_of(folder, "metres.h5", "--fov-mm", "240,200"), right)
    _, small, printed = image_of(folder, "metres.h5", "--header", "fov_mm=0.24,0.2")
    expect(np.allclose(small, [0.24, 0.2]) and "metres" not in printed, f"{small}: {printed}")


def a_header_is_replaced(make):
    folder = make()
    simulated(folder)
    right = image_of(folder, "raw.mrd")
    fov = ["--header", "fov_mm=240,200"]
    with_header(folder, "zeros.h5", lengths("0.0", "0.0", "0.0"))
    folder.run(INPUT, ["recon", "zeros.h5", "-o", "image.h5", *SOLVE], ["--header fov_mm=X,Y"])
    said = ["--header replaces fov_mm", "240 x 200"]
    expect_same("0.0 mm", image_of(folder, "zeros.h5", *fov, says=said), right)
    with_header(folder, "matrix.h5", lambda xml: xml.replace("<x>24<", "<x>0<"))
    folder.run(INPUT, ["recon", "matrix.h5", "-o", "image.h5", *SOLVE], ["matrixSize/x"])
    expect_same("matrix", image_of(folder, "matrix.h5", "--header", "matrix=24,20"), right)
    right = image_of(folder, "native.h5")
    with h5py.File(folder / "native.h5", "r+") as f:
        f.attrs["fov_mm"] = [0.0, 0.0]
        del f.attrs["matrix"]
    expect_same("native", image_of(folder, "native.h5", *fov, "--header", "matrix=24,20"), right)
    folder.run(USAGE, ["info", "native.h5", "--header", "matrix=24,20", "--header",
                       "fov_mm=1,2,3"], ["3 numbers"])
    for wrong in ("fov=1,2", "fov_mm", "fov_mm=", "fov_mm=1", "fov_mm=1,-2", "fov_mm=1,x",
                  "matrix=24,2.5", "matrix=1,2,3,4"):
        folder.run(USAGE, ["info", "raw.mrd", "--header", wrong], [wrong, "fov_mm=X,Y[,Z]"])


def most_samples_must_stay(make):
    folder = make()
    simulated(folder)
    for scan in ("native.h5", "raw.mrd"):
        folder.run(INPUT, ["recon", scan, "-o", "image.h5", *SOLVE, "--fov-mm", "24000,20000"],
                   ["lie beyond N/2", "half of them at most", "--header fov_mm=X,Y"])
        image_of(folder, scan, "--matrix", "10,8")
        image_of(folder, scan, "--matrix", "20,18")


if __name__ == "__main__":
    sys.exit(run_cases([metres_become_millimetres, a_header_is_replaced, most_samples_must_stay]))
