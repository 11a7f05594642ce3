#!/usr/bin/env python3
"""A scan's model against others: coil maps, field map and the sign of the trajectory.

    model.py LSRECON"""

import sys

import h5py
import numpy as np

from in_folders import USAGE, codes, expect, run_cases

QUIET = ["--quiet"]
FIXED = ["--lambda", "0.01"] # what is chosen is not what is tested
BETTER = "times better than"


def simulate(folder, name, *words):
    snr = [] if "--snr" in words else ["--snr", "30"]
    folder.run(0, ["simulate", "-o", name, *snr, *words, *QUIET])


def changed(folder, name, to, dataset, change):
    with h5py.File(folder / name) as source, h5py.File(folder / to, "w") as target:
        for key in source:
            source.copy(key, target)
        for key, value in source.attrs.items():
            target.attrs[key] = value
        target[dataset][...] = change(target[dataset][...])


def note_of(folder, name, *words):
    """What recon says of the model, and the numbers of the record."""
    said = folder.run(0, ["recon", name, "-o", "image-" + name, *FIXED, *words, *QUIET]).stderr
    with h5py.File(folder / ("image-" + name)) as f:
        numbers = dict(f["record"].attrs)
    return "\n".join(line for line in said.splitlines() if BETTER in line), numbers


def a_field_map_in_other_units_is_reported(make):
    folder = make()
    simulate(folder, "off.h5", "--matrix", "24,24", "--off-resonance-hz", "100")
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


def maps_and_signs_are_reported(make):
    folder = make()
    simulate(folder, "coils.h5", "--trajectory", "radial", "--matrix", "48,48", "--coils", "4")
    note, _ = note_of(folder, "coils.h5")
    expect(note == "", f"right maps: {note}")
    said = folder.run(0, ["check", "--model", "coils.h5"]).stdout
    expect("model: no other" in said, said)
    changed(folder, "coils.h5", "sign.h5", "trajectory", lambda k: -k)
    note, _ = note_of(folder, "sign.h5")
    expect("--conjugate" in note, f"the other sign: {note}")
    changed(folder, "coils.h5", "order.h5", "coil_maps", lambda maps: maps[[1, 0, 2, 3]])
    note, numbers = note_of(folder, "order.h5")
    expect("--maps espirit" in note, f"maps of other coils: {note}")
    expect(numbers["model_gain_estimated_maps"] > 2, str(numbers))
    said = folder.run(0, ["check", "--model", "order.h5"]).stdout
    expect("--maps espirit" in said, said)


def verdict(folder, name):
    """What check says of the model."""
    lines = folder.run(0, ["check", "--model", name]).stdout.splitlines()
    return next(line for line in lines if line.startswith("model: "))


def noise_is_no_fault_of_the_model(make):
    """Maps that are estimated from samples fit their noise, and any model a single image's."""
    folder = make()
    for words in ("cartesian --matrix 32,32 --coils 8 --snr 20",
                  "cartesian --matrix 32,32 --coils 12 --snr 5",
                  "cartesian --matrix 64,64 --coils 6 --snr 140 --off-resonance-hz -80",
                  "cartesian --matrix 24,24,12 --coils 2 --snr 38 --off-resonance-hz 100",
                  "cartesian --matrix 48,48 --coils 2 --undersampling 2 --off-resonance-hz 100",
                  "radial --matrix 48,40 --coils 4 --snr 137 --off-resonance-hz 100",
                  "spiral --matrix 64,64 --coils 3 --snr 10 --off-resonance-hz -80"):
        simulate(folder, "healthy.h5", "--trajectory", *words.split())
        said = verdict(folder, "healthy.h5")
        expect(BETTER not in said and "stay unexplained" in said, f"{words}: {said}")
        expect("no other field map" in said or "no other coil maps" in said, f"{words}: {said}")
    # Maps that end with the object, of next to no noise: their coarse grid explains less.
    simulate(folder, "s.h5", "--trajectory", "cartesian", "--matrix", "48,48", "--coils", "8",
             "--snr", "2000", "--truth", "t.h5")
    with h5py.File(folder / "t.h5") as f:
        object_ = np.abs(f["image"][0]) > 0
    changed(folder, "s.h5", "masked.h5", "coil_maps", lambda maps: maps * object_)
    expect(BETTER not in verdict(folder, "masked.h5"), verdict(folder, "masked.h5"))
    simulate(folder, "s.h5", "--trajectory", "cartesian", "--matrix", "32,32", "--coils", "8")
    changed(folder, "s.h5", "order.h5", "coil_maps", lambda maps: maps[[1, 0, *range(2, 8)]])
    expect("--maps espirit" in verdict(folder, "order.h5"), "maps of other coils")


def what_was_not_tried_is_reported(make):
    folder = make()
    simulate(folder, "half.h5", "--trajectory", "cartesian", "--matrix", "64,64", "--coils", "8",
             "--undersampling", "2")
    cannot = "maps cannot be estimated"
    said = verdict(folder, "half.h5")
    expect("no other was tried" in said and cannot in said, said)
    note = folder.run(0, ["recon", "half.h5", "-o", "a.h5", *FIXED, *QUIET]).stderr
    expect("model_differs" not in codes(folder / "a.h5"), f"right maps: {note}")
    for name, change in (("transposed", lambda maps: maps.swapaxes(1, 2)),
                         ("mirrored", lambda maps: maps[:, :, ::-1])):
        changed(folder, "half.h5", name + ".h5", "coil_maps", change)
        said = verdict(folder, name + ".h5")
        says = "kx and ky exchanged explains" if name == "transposed" else "k-space unexplained"
        expect(cannot in said and says in said, said)
        expect("--conjugate" not in said and "no other" not in said, f"{name}: {said}")
        folder.run(0, ["recon", name + ".h5", "-o", name + "-image.h5", *FIXED, *QUIET],
                   [cannot], finds=["model_differs"])
    changed(folder, "half.h5", "sign.h5", "trajectory", lambda k: -k)
    expect("--conjugate" in verdict(folder, "sign.h5"), "the other sign")


def maps_and_a_field_map_are_reported_together(make):
    folder = make()
    for words, factor, undo in (
            ("spiral --matrix 24,24 --coils 4 --off-resonance-hz 60", -1, "--field-scale -1"),
            ("radial --matrix 24,24 --coils 4 --off-resonance-hz 20", 2 * np.pi, "0.15915")):
        simulate(folder, "s.h5", "--trajectory", *words.split())
        changed(folder, "s.h5", "maps.h5", "coil_maps", lambda maps: maps[[1, 0, 2, 3]])
        said = verdict(folder, "maps.h5")
        expect("--maps espirit" in said and "--field" not in said, f"maps alone: {said}")
        changed(folder, "maps.h5", "both.h5", "field_map", lambda f, by=factor: by * f)
        note, _ = note_of(folder, "both.h5", "--iterations", "3")
        expect("--maps espirit" in note and undo in note, f"{words}: {note}")


def what_corrects_nothing_is_reported(make):
    folder = make()
    simulate(folder, "off.h5", "--matrix", "32,32", "--off-resonance-hz", "60")
    changed(folder, "off.h5", "ks.h5", "times", lambda t: t / 1000)
    folder.run(0, ["recon", "ks.h5", "-o", "a.h5", *FIXED, *QUIET],
               finds=["field_map_doubtful"])
    with h5py.File(folder / "scan.h5") as source, h5py.File(folder / "one.h5", "w") as target:
        for key in source:
            source.copy(key, target)
        for key, value in source.attrs.items():
            target.attrs[key] = value
        weights = np.zeros(len(target["trajectory"]))
        weights[::100] = 1
        target["weights"] = weights
    folder.run(0, ["recon", "one.h5", "-o", "b.h5", *QUIET],
               finds=["weights_zero", "undersampled"])


def what_an_image_leaves_is_reported(make):
    """With any regulariser, by what is in use alone, and not where it is noise."""
    folder = make()
    simulate(folder, "coils.h5", "--trajectory", "radial", "--matrix", "48,48", "--coils", "4")

    def with_wrong_spokes(samples):
        spokes = samples.view(np.complex64).reshape(4, -1, 48)
        spokes[:, ::10] *= -1
        return samples

    changed(folder, "coils.h5", "wrong.h5", "samples", with_wrong_spokes)
    much = "data_unexplained"
    for words in ([], ["--reg", "tv:0.02"], ["--reg", "wavelet:0.02"], ["--lambda", "0.01"]):
        said = folder.run(0, ["recon", "wrong.h5", "-o", "a.h5", *words, *QUIET],
                          ["the trajectory", "the coil maps", "times the noise"],
                          finds=[much, "readouts_unexplained"]).stderr
        expect("field map" not in said and said.count("unexplained") == 2, f"{words}: {said}")
        said = folder.run(0, ["recon", "coils.h5", "-o", "b.h5", *words, *QUIET]).stderr
        expect(much not in codes(folder / "b.h5"), f"{words}: {said}")
    said = folder.run(0, ["recon", "wrong.h5", "-o", "a.h5", "--maps", "none", *FIXED,
                          *QUIET]).stderr
    expect("coil maps" not in said, said)
    for name, words in (("noisy.h5", []), ("measured.h5", ["--noise-samples", "400"])):
        folder.run(0, ["simulate", "-o", name, "--trajectory", "random", "--matrix", "40,40",
                       "--coils", "8", "--snr", "5", *words, *QUIET])
        for how in ([], ["--reg", "tv:0.02"]):
            done = folder.run(0, ["recon", name, "-o", "a.h5", *how])
            share = float(done.stderr.split("data       ")[1].split(" %")[0])
            found = codes(folder / "a.h5")
            expect(share > 40 and much not in found, f"{name} {how}: {done.stderr}")


def delayed(folder, name, to, delay, readout):
    """Positions of readouts of so many samples are `delay` samples late."""
    def later(k):
        spokes = k.reshape(-1, readout, 2)
        return (spokes + delay * np.gradient(spokes, axis=1)).reshape(k.shape)

    changed(folder, name, to, "trajectory", later)


def small_delays_leave_more_than_noise(make):
    folder = make()
    much = "data_unexplained"
    for words, delay in (("--snr 50", 0.1), ("--snr 30 --noise-samples 500", 0.1),
                         ("--snr 50 --coils 4 --without-maps", 0.3)): # maps fit some of it
        simulate(folder, "right.h5", "--trajectory", "radial", "--matrix", "48,48",
                 "--samples-per-readout", "96", *words.split())
        done = folder.run(0, ["recon", "right.h5", "-o", "a.h5", "--reg", "tv"])
        expect(much not in codes(folder / "a.h5") and "noise would leave it" in done.stderr,
               f"{words}: {done.stderr}")
        delayed(folder, "right.h5", "late.h5", delay, 96)
        for how in (["--reg", "tv"], ["--lambda", "auto"]):
            folder.run(0, ["recon", "late.h5", "-o", "a.h5", "--delays", "none", *how],
                       ["something in the model is wrong"], finds=[much])


def what_a_penalty_leaves_is_not_the_models(make):
    folder = make()
    simulate(folder, "right.h5", "--trajectory", "spiral", "--matrix", "48,48", "--snr", "100",
             "--coils", "4", "--noise-samples", "500")
    for how in (["--reg", "tv:0.1"], ["--lambda", "0.3"]):
        done = folder.run(0, ["recon", "right.h5", "-o", "a.h5", *how], ["regularisation leaves"])
        with h5py.File(folder / "a.h5") as f:
            numbers = dict(f["record"].attrs)
        noise = numbers["unexplained"] / numbers["unexplained_over_noise"]
        expect(numbers["unexplained"] > 3 * noise and numbers["unexplained_by_model"] < 1.5 * noise,
               f"{how}: {done.stderr}")
        expect("data_unexplained" not in codes(folder / "a.h5"), f"{how}: {done.stderr}")
    folder.run(0, ["recon", "right.h5", "-o", "a.h5", "--lambda", "20"], ["lambda 20 is too large"],
               finds=["data_unexplained"])


def advice_makes_no_other_wrong_image(make):
    """Transposed maps and exchanged axes explain the same samples: both are named."""
    folder = make()
    simulate(folder, "s.h5", "--trajectory", "spiral", "--matrix", "48,48", "--coils", "6")
    changed(folder, "s.h5", "maps.h5", "coil_maps", lambda maps: maps.swapaxes(1, 2))
    changed(folder, "s.h5", "axes.h5", "trajectory", lambda k: k[:, ::-1])
    for name in ("maps", "axes"):
        said = verdict(folder, name + ".h5")
        expect("kx and ky exchanged" in said and "--conjugate" not in said, f"{name}: {said}")
        folder.run(0, ["recon", name + ".h5", "-o", "a.h5", *FIXED, *QUIET],
                   ["as it is", "with kx and ky exchanged"], finds=["model_differs"])


def spikes_are_named(make):
    folder = make()
    simulate(folder, "s.h5", "--trajectory", "spiral", "--matrix", "48,48", "--coils", "3")
    said = folder.run(0, ["check", "s.h5"]).stdout
    expect("spike" not in said, said)

    def spoilt(samples):
        values = samples.view(np.complex64).reshape(samples.shape)
        values[:, 1000] = np.abs(values).max() * 3
        return samples

    changed(folder, "s.h5", "spike.h5", "samples", spoilt)
    said = folder.run(0, ["check", "spike.h5"]).stdout
    expect("1 sample" in said and "sample 1000 of frame 0" in said, said)
    folder.run(0, ["recon", "spike.h5", "-o", "a.h5", *FIXED, *QUIET], finds=["spikes"])


def the_error_of_a_simulation_is_recorded(make):
    folder = make()

    def simulated(name, *words):
        said = folder.run(0, ["simulate", "-o", name, "--trajectory", "radial-3d", "--matrix",
                              "12,10,8", "--coils", "3", *words, *QUIET]).stdout
        with h5py.File(folder / name) as f:
            return f["samples"][()].view(np.complex64), float(f.attrs["simulation_error"][0]), said

    exact, of_exact, _ = simulated("exact.h5", "--engine", "exact", "--precision", "double")
    expect(of_exact < 2e-7, f"in doubles, and in a file of floats: {of_exact}")
    for words, most in ((["nufft"], 5.1e-6), (["nufft", "--accuracy", "1e-3"], 1e-3),
                        (["nufft", "--precision", "double"], 2e-7), (["separable"], 1e-5),
                        (["direct" if folder.can_run(["devices"]) else "sums"], 1e-4)):
        samples, error, said = simulated("of.h5", "--engine", *words)
        apart = np.linalg.norm(samples - exact) / np.linalg.norm(exact)
        expect(apart <= error + of_exact and error <= most,
               f"{words}: {apart} apart, {error} recorded")
        shown = float(said.split("relative error at most ")[1].split(",")[0])
        expect(abs(shown - error) <= 0.05 * error, f"{words}: {error} recorded, printed: {said}")
    expect("simulation error" in folder.run(0, ["info", "of.h5"]).stdout, "info shows it")
    apart = np.linalg.norm(simulated("of.h5", "--engine", "nufft", "--accuracy", "1e-3")[0] - exact)
    expect(apart > 1e-6 * np.linalg.norm(exact), "the NUFFT was asked for 1e-3 and not used")


if __name__ == "__main__":
    sys.exit(run_cases([a_field_map_in_other_units_is_reported, maps_and_signs_are_reported,
                        noise_is_no_fault_of_the_model, what_was_not_tried_is_reported,
                        maps_and_a_field_map_are_reported_together,
                        what_corrects_nothing_is_reported, small_delays_leave_more_than_noise,
                        what_a_penalty_leaves_is_not_the_models,
                        advice_makes_no_other_wrong_image, spikes_are_named,
                        the_error_of_a_simulation_is_recorded, what_an_image_leaves_is_reported]))
