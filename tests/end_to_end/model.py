#!/usr/bin/env python3
"""A scan's model against others: coil maps, field map and the sign of the trajectory.

    model.py LSRECON"""

import sys

import h5py
import numpy as np

from in_folders import USAGE, expect, run_cases

QUIET = ["--quiet"]
BETTER = "times better than"


def simulate(folder, name, *words):
    folder.run(0, ["simulate", "-o", name, "--snr", "30", *words, *QUIET])


def changed(folder, name, to, dataset, change):
    with h5py.File(folder / name) as source, h5py.File(folder / to, "w") as target:
        for key in source:
            source.copy(key, target)
        for key, value in source.attrs.items():
            target.attrs[key] = value
        target[dataset][...] = change(target[dataset][...])


def note_of(folder, name, *words):
    """What recon says of the model, and the numbers of the record."""
    said = folder.run(0, ["recon", name, "-o", "image-" + name, *words, *QUIET]).stderr
    with h5py.File(folder / ("image-" + name)) as f:
        numbers = dict(f["record"].attrs)
    return "\n".join(line for line in said.splitlines() if BETTER in line), numbers


def a_field_map_in_other_units_is_told(make):
    folder = make()
    simulate(folder, "off.h5", "--matrix", "64,64", "--off-resonance-hz", "100")
    note, numbers = note_of(folder, "off.h5")
    expect(note == "", f"the right field map: {note}")
    expect(numbers["model_gain_no_field"] < 1, "the right field map explains less than none")
    for factor, says, undo in ((2 * np.pi, "divided by 2 pi", "0.15915"),
                               (-1, "with the other sign", "-1")):
        changed(folder, "off.h5", "other.h5", "field_map", lambda f, by=factor: by * f)
        note, _ = note_of(folder, "other.h5")
        expect(says in note and f"--field-scale {undo}" in note, f"field times {factor}: {note}")
        note, _ = note_of(folder, "other.h5", "--field-scale", undo)
        expect(note == "", f"field times {factor}, mended: {note}")
        a, b = (h5py.File(folder / f"image-{of}.h5")["image"][0] for of in ("off", "other"))
        apart = np.linalg.norm(a - b) / np.linalg.norm(a)
        expect(apart < 1e-3, f"field times {factor}, mended: {apart} apart")
    folder.run(USAGE, ["recon", "scan.h5", "-o", "image.h5", "--field-scale", "-1"],
               ["--field-scale", "has no field map"])


def maps_and_signs_are_told(make):
    folder = make()
    simulate(folder, "coils.h5", "--trajectory", "radial", "--matrix", "64,64", "--coils", "6")
    note, _ = note_of(folder, "coils.h5")
    expect(note == "", f"right maps: {note}")
    said = folder.run(0, ["check", "--model", "coils.h5"]).stdout
    expect("model: no other" in said, said)
    changed(folder, "coils.h5", "sign.h5", "trajectory", lambda k: -k)
    note, _ = note_of(folder, "sign.h5")
    expect("--conjugate" in note, f"the other sign: {note}")
    changed(folder, "coils.h5", "order.h5", "coil_maps", lambda maps: maps[[1, 0, 2, 3, 4, 5]])
    note, numbers = note_of(folder, "order.h5")
    expect("--maps espirit" in note, f"maps of other coils: {note}")
    expect(numbers["model_gain_estimated_maps"] > 2, str(numbers))
    said = folder.run(0, ["check", "--model", "order.h5"]).stdout
    expect("--maps espirit" in said, said)


def slices_of_a_volume_are_named(make):
    folder = make()
    simulate(folder, "volume.h5", "--trajectory", "stack-of-spirals", "--matrix", "32,32,12",
             "--coils", "4")

    def scrambled(maps):
        phase = np.random.default_rng(1).uniform(0, 2 * np.pi, maps[:, 4:6].shape)
        maps[:, 4:6] *= np.exp(1j * phase)
        return maps

    changed(folder, "volume.h5", "bad.h5", "coil_maps", scrambled)
    note, _ = note_of(folder, "volume.h5")
    expect(note == "", f"right maps of a volume: {note}")
    note, _ = note_of(folder, "bad.h5")
    expect("--maps espirit" in note and "slices" in note and " 4, 5" in note, note)


def what_corrects_nothing_is_told(make):
    folder = make()
    simulate(folder, "off.h5", "--matrix", "32,32", "--off-resonance-hz", "60")
    changed(folder, "off.h5", "ks.h5", "times", lambda t: t / 1000)
    folder.run(0, ["recon", "ks.h5", "-o", "a.h5", *QUIET], ["The field map corrects nothing"])
    with h5py.File(folder / "scan.h5") as source, h5py.File(folder / "one.h5", "w") as target:
        for key in source:
            source.copy(key, target)
        for key, value in source.attrs.items():
            target.attrs[key] = value
        weights = np.zeros(len(target["trajectory"]))
        weights[::100] = 1
        target["weights"] = weights
    folder.run(0, ["recon", "one.h5", "-o", "b.h5", *QUIET],
               ["samples have weight 0", "of k-space"])


def a_large_lambda_beside_much_that_is_left_is_told(make):
    folder = make()
    simulate(folder, "coils.h5", "--trajectory", "radial", "--matrix", "64,64", "--coils", "6")
    changed(folder, "coils.h5", "shifted.h5", "samples", lambda d: np.roll(d, 1, axis=1))
    folder.run(0, ["recon", "shifted.h5", "-o", "a.h5", *QUIET], ["of the data stay unexplained"])
    said = folder.run(0, ["recon", "coils.h5", "-o", "b.h5", *QUIET]).stderr
    expect("stay unexplained" not in said, said)


def the_error_of_a_simulation_is_recorded(make):
    folder = make()

    def simulated(name, *words):
        said = folder.run(0, ["simulate", "-o", name, "--trajectory", "radial-3d", "--matrix",
                              "20,18,16", "--coils", "3", *words, *QUIET]).stdout
        with h5py.File(folder / name) as f:
            return f["samples"][()].view(np.complex64), float(f.attrs["simulation_error"][0]), said

    exact, of_exact, _ = simulated("exact.h5", "--engine", "exact", "--precision", "double")
    expect(of_exact < 2e-7, f"in doubles, and in a file of floats: {of_exact}")
    for words, most in ((["nufft"], 5.1e-6), (["nufft", "--accuracy", "1e-3"], 1e-3),
                        (["nufft", "--precision", "double"], 2e-7), (["separable"], 1e-5),
                        (["direct"], 1e-4)):
        samples, error, said = simulated("of.h5", "--engine", *words)
        apart = np.linalg.norm(samples - exact) / np.linalg.norm(exact)
        expect(apart <= error + of_exact and error <= most,
               f"{words}: {apart} apart, {error} recorded")
        shown = float(said.split("relative error at most ")[1].split(",")[0])
        expect(abs(shown - error) <= 0.05 * error, f"{words}: {error} recorded, told: {said}")
    expect("simulation error" in folder.run(0, ["info", "of.h5"]).stdout, "info shows it")
    apart = np.linalg.norm(simulated("of.h5", "--engine", "nufft", "--accuracy", "1e-3")[0] - exact)
    expect(apart > 1e-6 * np.linalg.norm(exact), "the NUFFT was asked for 1e-3 and not used")


if __name__ == "__main__":
    sys.exit(run_cases([a_field_map_in_other_units_is_told, maps_and_signs_are_told,
                        slices_of_a_volume_are_named, what_corrects_nothing_is_told,
                        the_error_of_a_simulation_is_recorded,
                        a_large_lambda_beside_much_that_is_left_is_told]))
