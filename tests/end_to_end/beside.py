#!/usr/bin/env python3
"""Values in files beside a scan: they make the image that they make within it.

    beside.py LSRECON"""

import sys

import h5py
import numpy as np

from in_folders import INPUT, USAGE, expect, run_cases

QUIET = ["--quiet", "--backend", "reference"]
SOLVE = ["--iterations", "8", *QUIET]
MATRIX, COILS = 20, 3
OF_SAMPLES = ("trajectory", "weights", "times")
VALUES = {"trajectory": "--trajectory", "weights": "--weights", "times": "--times",
          "coil_maps": "--maps", "field_map": "--field-map"}


def write_cfl(path, values):
    sizes = list(reversed(values.shape))
    if values.ndim == 3 and values.shape[0] == COILS:
        sizes.insert(2, 1)  # coils are dimension 3
    np.asarray(values, "<c8").tofile(path + ".cfl")
    with open(path + ".hdr", "w", encoding="ascii") as f:
        f.write("# Dimensions\n" + " ".join(str(n) for n in sizes) + "\n")


def scans(folder):
    """whole.h5 with all values, bare.h5 with samples alone; the values."""
    folder.run(0, ["simulate", "--trajectory", "spiral", "--matrix", f"{MATRIX},{MATRIX}",
                   "--coils", str(COILS), "--off-resonance-hz", "50", "--readout-ms", "5",
                   "-o", "whole.h5", *QUIET])
    with h5py.File(folder / "whole.h5", "r+") as f:
        samples = f["samples"].shape[-1]
        f["weights"] = np.linspace(0.5, 1.5, samples).astype("f4")
        for name in VALUES:  # what single precision holds, so that every format has the same
            f[name][...] = f[name][()].astype("c8" if name == "coil_maps" else "f4")
        values = {name: f[name][()] for name in VALUES}
        values["coil_maps"] = values["coil_maps"].astype("c8")
        units = {name: f[name].attrs.get("units") for name in VALUES}
        with h5py.File(folder / "bare.h5", "w") as bare:
            for name, value in f.attrs.items():
                bare.attrs[name] = value
            bare["samples"] = f["samples"][()]
    return values, units


def write_all(folder, values, units):
    """Each as .npy, as a pair of BART, and as HDF5."""
    for name, value in values.items():
        np.save(folder / f"{name}.npy", value)
        write_cfl(folder / name, value)
        with h5py.File(folder / f"{name}.h5", "w") as f:
            f[name] = value
            if units[name]:
                f[name].attrs["units"] = units[name]


def image(folder, scan, *words):
    folder.run(0, ["recon", scan, "-o", "i.h5", *SOLVE, *words])
    with h5py.File(folder / "i.h5") as f:
        return f["image"][0], [str(value) for value in f["record"].attrs.values()]


def files(ending):
    return [word for name, flag in VALUES.items() for word in (flag, name + ending)]


def every_format_makes_the_image_of_the_scan(make):
    folder = make()
    write_all(folder, *scans(folder))
    wanted, _ = image(folder, "whole.h5")
    for ending in (".npy", ".cfl", ".h5"):
        found, record = image(folder, "bare.h5", *files(ending))
        off = np.linalg.norm(found - wanted) / np.linalg.norm(wanted)
        # The field map is resampled and scaled, which rounds.
        expect(off < 1e-5, f"{ending}: {off} from the image of the scan with its own values")
        for name in OF_SAMPLES:
            expect(any(f"{name} of {name}{ending}, SHA-256" in value for value in record),
                   f"the record does not name {name}{ending}")


def frames_take_values_of_their_own(make):
    folder = make()
    folder.run(0, ["simulate", "--matrix", f"{MATRIX},{MATRIX}", "--frames", "2", "-o", "two.h5",
                   *QUIET])
    with h5py.File(folder / "two.h5") as f:
        samples = f["samples"].shape[-1]
    weights = np.ones((2, samples), "f4")
    weights[1, ::3] = 0.25
    np.save(folder / "both.npy", weights)
    for frame in range(2):
        np.save(folder / f"w{frame}.npy", weights[frame])

    def images(*words):
        folder.run(0, ["recon", "two.h5", "-o", "i.h5", *SOLVE, *words])
        with h5py.File(folder / "i.h5") as f:
            return f["image"][()]
    both = images("--weights", "both.npy")
    for frame in range(2):
        alone = images("--weights", f"w{frame}.npy")[frame]
        expect(np.array_equal(both[frame], alone), f"frame {frame} has other weights")
    expect(not np.array_equal(both[1], images("--weights", "w0.npy")[1]), "weights change nothing")


def prior_images_may_be_arrays(make):
    folder = make()
    with h5py.File(folder / "truth.h5") as f:
        prior = f["image"][0]
    np.save(folder / "prior.npy", prior)
    found = []
    for name in ("prior.npy", "truth.h5"):
        folder.run(0, ["recon", "scan.h5", "-o", "i.h5", *SOLVE, "--prior", name, "--reg",
                       "prior:1"])
        with h5py.File(folder / "i.h5") as f:
            found.append(f["image"][0])
    expect(np.array_equal(*found), "another image by an array than by an image file")


def wrong_files_are_refused(make):
    folder = make()
    values, units = scans(folder)
    write_all(folder, values, units)
    trajectory, weights = values["trajectory"], values["weights"]
    with_nan = weights.copy()
    with_nan[7] = np.nan
    tilted = np.c_[trajectory, np.full(len(trajectory), 0.5)].astype("f4")
    for flag, value, says in (
            ("--weights", weights[:-1], [f"[{len(weights) - 1}]", f"{len(weights)} samples"]),
            ("--weights", with_nan, ["nan", "at [7]", "finite real"]),
            ("--weights", -weights, [">= 0"]),
            ("--weights", weights * 1j, ["finite real"]),
            ("--weights", (10 * weights).astype("f2"), ["<f2", "complex"]),
            ("--trajectory", tilted, ["along z at sample 0"]),
            ("--trajectory", trajectory.T.copy(), ["one column a dimension"]),
            ("--maps", values["coil_maps"][0], ["[C, (Z,) Y, X]"]),
            ("--maps", np.stack([values["coil_maps"]] * 2, 1), ["2 slices", "no positions"]),
            ("--maps", 0 * values["coil_maps"], ["only zeros"]),
            ("--field-map", values["field_map"] + 1j, ["complex number", "real numbers"])):
        np.save(folder / "wrong.npy", value)
        folder.run(INPUT, ["recon", "whole.h5", "-o", "image.h5", *SOLVE, flag, "wrong.npy"],
                   ["next:", *says])
    with open(folder / "weights.npy", "r+b") as f:
        f.truncate(200)
    folder.run(INPUT, ["recon", "whole.h5", "-o", "image.h5", *SOLVE, "--weights", "weights.npy"],
               ["weights.npy", "bytes of values", "next:"])
    with h5py.File(folder / "times.h5", "r+") as f:
        f["times"].attrs["units"] = "ms"
    folder.run(INPUT, ["recon", "whole.h5", "-o", "image.h5", *SOLVE, "--times", "times.h5"],
               ["times.h5", "ms", "next:"])
    folder.run(USAGE, ["recon", "scan.h5", "-o", "image.h5", *SOLVE, "--times", "times.npy"],
               ["no field map", "next:"])
    folder.run(INPUT, ["recon", "bare.h5", "-o", "image.h5", *SOLVE],
               ["/trajectory", "--trajectory"])


if __name__ == "__main__":
    sys.exit(run_cases([every_format_makes_the_image_of_the_scan, frames_take_values_of_their_own,
                        prior_images_may_be_arrays, wrong_files_are_refused]))
