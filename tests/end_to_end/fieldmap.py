#!/usr/bin/env python3
"""Field maps of echoes: of one scan, of two, of images, and on the way of a reconstruction.

    fieldmap.py LSRECON"""

import json
import struct
import sys

import h5py
import numpy as np

from in_folders import INPUT, USAGE, codes, expect, run_cases

QUIET = ["--quiet", "--backend", "host"]


def echoes(folder, name, *more, times="4,9"):
    folder.run(0, ["simulate", "--trajectory", "spiral", "--matrix", "48,48",
                   "--off-resonance-hz", "120", "--readout-ms", "12", "--coils", "4", "--snr", "30",
                   "--echo-times", times, "-o", name, "--truth", "object.h5", *more, *QUIET])


def map_of(folder, *words, name="map.h5"):
    """The facts of the map, its field and its mask."""
    run = folder.run(0, ["fieldmap", *words, "-o", name, "--json", *QUIET])
    with h5py.File(folder / name) as f:
        return json.loads(run.stdout), f["field_map"][...], f["mask"][...] > 0


def field_of(folder, name):
    with h5py.File(folder / name) as f:
        return f["field_map"][...]


def image_of(folder, name, frame=0):
    with h5py.File(folder / name) as f:
        return f["image"][frame]


def rms(values):
    return np.sqrt(np.mean(values**2))


def the_echoes_of_a_scan_give_its_field(make):
    folder = make()
    for name in ("echoes.h5", "echoes.mrd"):
        echoes(folder, name)
        facts, field, mask = map_of(folder, name)
        error = rms((field - field_of(folder, "echoes.h5"))[mask])
        expect(error < 4, f"{name}: {error} Hz off the field")
        expect(facts["kind"] == "echo_field" and abs(facts["period_hz"] - 200) < 1e-6
               and np.allclose(facts["echo_times_s"], [0.004, 0.009]), f"{name}: {facts}")
        expect(facts["noise_hz"]["smoothed"] < facts["noise_hz"]["voxel"]
               and facts["voxels"] == mask.sum() and not facts["pieces"], f"{name}: {facts}")
    folder.run(0, ["info", "map.h5"])
    folder.run(0, ["convert", "map.h5", "-o", "shown.nii", "--quiet"])
    two = ["--echo-times", "14,19"]  # their distance counts
    facts, field, _ = map_of(folder, "echoes.h5", *two)
    expect(facts["echo_times_s"] == [0.014, 0.019], f"times {facts['echo_times_s']}")


def two_scans_are_two_echoes(make):
    folder = make()
    echoes(folder, "echoes.h5", "--without-maps")
    for f in (0, 1):
        with h5py.File(folder / "echoes.h5") as both, h5py.File(folder / f"{f}.h5", "w") as one:
            for name, value in both.attrs.items():
                one.attrs[name] = value
            for name in ("trajectory", "times", "field_map"):
                both.copy(name, one)
            one["samples"] = both["samples"][f]
    folder.run(INPUT, ["fieldmap", "0.h5", "1.h5", "-o", "map.h5", *QUIET],
               ["echo time", "--echo-times"])
    _, field, mask = map_of(folder, "0.h5", "1.h5", "--echo-times", "4,9")
    _, other, _ = map_of(folder, "1.h5", "0.h5", "--echo-times", "9,4")
    error = rms((field - field_of(folder, "echoes.h5"))[mask])
    expect(error < 6, f"{error} Hz off the field")
    expect(rms((field - other)[mask]) < 1, "the order of the scans changes the field")


def as_nifti(folder, image, name, *part):
    folder.run(0, ["convert", image, "-o", name, *part, "--quiet"])


def scaled(folder, name, factor, to):
    """NIfTI whose numbers are this many times as large."""
    with open(folder / name, "rb") as f:
        content = bytearray(f.read())
    content[112:116] = struct.pack("<f", factor)  # scl_slope
    with open(folder / to, "wb") as f:
        f.write(content)


def images_give_the_same_field(make):
    """Complex ones, and a magnitude with a phase in rad or in units of a scanner."""
    folder = make()
    echoes(folder, "echoes.h5")
    folder.run(0, ["recon", "echoes.h5", "-o", "two.h5", "--field-map", "none", "--lambda", "0.01",
                   *QUIET])
    times = ["--echo-times", "4,9"]
    _, field, mask = map_of(folder, "two.h5", *times)
    as_nifti(folder, "two.h5", "complex.nii", "--part", "complex")
    as_nifti(folder, "two.h5", "m.nii", "--part", "magnitude")
    as_nifti(folder, "two.h5", "p.nii", "--part", "phase")
    scaled(folder, "p.nii", 4096 / np.pi, "scaled.nii")
    for names in (["complex.nii"], ["m.nii", "p.nii"], ["m.nii", "scaled.nii"]):
        _, other, _ = map_of(folder, *names, *times)
        expect(rms((field - other)[mask]) < 0.2, f"{names}: {rms((field - other)[mask])} Hz off")
    folder.run(0, ["fieldmap", "m.nii", "p.nii", *times, "-o", "field.nii.gz", *QUIET])
    solve = ["recon", "echoes.h5", "--frames", "0", "--lambda", "0.01", *QUIET]
    folder.run(0, [*solve, "-o", "by_nifti.h5", "--field-map", "field.nii.gz"])
    folder.run(0, [*solve, "-o", "by_hdf5.h5", "--field-map", "map.h5"])
    a, b = image_of(folder, "by_nifti.h5"), image_of(folder, "by_hdf5.h5")
    expect(np.linalg.norm(a - b) < 0.02 * np.linalg.norm(b), "NIfTI makes another image")
    expect("field_map_filled" in codes(folder / "by_nifti.h5"), "NIfTI has no mask")


def a_spiral_is_corrected_on_the_way(make):
    folder = make()
    for name in ("echoes.h5", "echoes.mrd"):
        echoes(folder, name)
    truth = np.abs(image_of(folder, "object.h5"))

    def error(*words):
        folder.run(0, ["recon", *words, "-o", "one.h5", "--lambda", "0.01", *QUIET])
        return [np.linalg.norm(np.abs(image_of(folder, "one.h5", f)) - truth)
                / np.linalg.norm(truth) for f in (0, 1)]

    true, none = error("echoes.h5"), error("echoes.h5", "--field-map", "none")
    expect(none[0] > 2 * true[0], f"{none} without a map, {true} with the true one")
    for name in ("echoes.h5", "echoes.mrd"):
        auto = error(name, "--field-map", "auto")
        expect(max(np.divide(auto, true)) < 1.1, f"{name}: {auto} with auto, {true} with the true")
    map_of(folder, "echoes.h5")
    made = error("echoes.h5", "--field-map", "map.h5")
    expect(max(np.divide(made, true)) < 1.1, f"{made} with the map, {true} with the true one")


def the_scan_refines_its_map(make):
    folder = make()
    folder.run(0, ["simulate", "--trajectory", "spiral", "--matrix", "32,32", "--coils", "8",
                   "--off-resonance-hz", "60", "--readout-ms", "12", "--snr", "80", "-o",
                   "blurred.h5", "--truth", "object.h5", *QUIET])
    truth = np.abs(image_of(folder, "object.h5"))
    with h5py.File(folder / "wrong.h5", "w") as f:
        f["field_map"] = field_of(folder, "blurred.h5") + np.linspace(-10, 60, 32)
        f["field_map"].attrs["units"] = "Hz"
    images = {}
    for words in ([], ["refine"], ["wrong.h5"], ["refine:wrong.h5"]):
        folder.run(0, ["recon", "blurred.h5", "-o", "one.h5", "--lambda", "0.01", *QUIET,
                       *(["--field-map", *words] if words else [])])
        images["".join(words)] = image_of(folder, "one.h5")
        if words == ["refine"]:
            expect("field_kept" in codes(folder / "one.h5"), "a right map is refined")
    expect(np.array_equal(images[""], images["refine"]), "a right map changes the image")
    expect("field_refined" in codes(folder / "one.h5"), "a wrong map is not refined")
    with h5py.File(folder / "one.h5") as f:
        record = dict(f["record"].attrs)
    expect(record["field_unexplained"] < record["field_unexplained_before"], f"{record}")
    wrong, refined = (np.linalg.norm(np.abs(images[word]) - truth) / np.linalg.norm(truth)
                      for word in ("wrong.h5", "refine:wrong.h5"))
    expect(refined < 0.7 * wrong, f"{refined} with the refined map, {wrong} with the wrong one")
    folder.run(USAGE, ["recon", "object.h5", "-o", "x.h5", "--field-map", "refine:none", *QUIET],
               ["refine:FILE"])


def echoes_of_both_directions_are_noted(make):
    folder = make()
    for name, times in (("two.mrd", "4,9"), ("three.mrd", "4,6,8")):
        echoes(folder, name, times=times)
        facts, _, _ = map_of(folder, name)
        expect(not facts["warnings"], f"{facts['warnings']}")
        with h5py.File(folder / name, "r+") as f:
            rows = f["dataset/data"][...]
            backward = rows["head"]["idx"]["contrast"] == 1
            rows["head"]["flags"][backward] |= 1 << 21
            f["dataset/data"][...] = rows
        facts, _, _ = map_of(folder, name)
        found = [w["code"] for w in facts["warnings"]]
        expect(found.count("echoes_bipolar") == (name == "two.mrd")
               and found.count("echoes_corrected") == (name == "three.mrd"), f"{name}: {found}")


def what_is_missing_is_named(make):
    folder = make()
    echoes(folder, "echoes.h5")
    folder.run(0, ["recon", "echoes.h5", "-o", "two.h5", "--field-map", "none", "--iterations", "2",
                   *QUIET])
    as_nifti(folder, "two.h5", "m.nii", "--part", "magnitude")
    as_nifti(folder, "two.h5", "p.nii", "--part", "phase")
    scaled(folder, "p.nii", 100, "odd.nii")
    fieldmap = ["fieldmap", "-o", "map.h5", *QUIET]
    for code, words, says in (
            (INPUT, ["two.h5"], ["--echo-times"]),
            (INPUT, ["m.nii", "--echo-times", "4,9"], ["phase"]),
            (INPUT, ["p.nii", "m.nii", "--echo-times", "4,9,14"], ["--echo-times"]),
            (INPUT, ["m.nii", "odd.nii", "--echo-times", "4,9"], ["rad"]),
            (INPUT, ["scan.h5"], ["echo time", "--echo-times"]),
            (INPUT, ["echoes.h5", "--frames", "1"], ["second scan"]),
            (INPUT, ["echoes.h5", "--echo-times", "4,9,14"], ["frames"]),
            (USAGE, ["echoes.h5", "two.h5"], ["scan and an image"])):
        folder.run(code, [*fieldmap[:1], *words, *fieldmap[1:]], says)
    folder.run(INPUT, ["recon", "scan.h5", "-o", "image.h5", "--field-map", "auto", *QUIET],
               ["/times"])


if __name__ == "__main__":
    sys.exit(run_cases([the_echoes_of_a_scan_give_its_field, two_scans_are_two_echoes,
                        images_give_the_same_field, a_spiral_is_corrected_on_the_way,
                        the_scan_refines_its_map,
                        echoes_of_both_directions_are_noted, what_is_missing_is_named]))
