#!/usr/bin/env python3
"""What happens to a scan before it is transformed: noise, coil compression and coil maps.

    prepare.py LSRECON"""

import os
import shutil
import sys

import h5py
import numpy as np

from in_folders import INPUT, USAGE, expect, run_cases

QUIET = ["--quiet", "--backend", "host"]


def coils_without_maps(folder, name="coils.h5", mixing=None):
    """A phantom of 6 coils; the file has noise in place of maps. `mixing` is what the receivers do
    to coils and noise alike."""
    folder.run(0, ["simulate", "--trajectory", "spiral", "--matrix", "40,40", "--coils", "6",
                   "--noise", "0.02", "-o", "with_maps.h5", "--truth", "object.h5", *QUIET])
    rng = np.random.default_rng(3)
    with h5py.File(folder / "with_maps.h5") as stored, h5py.File(folder / name, "w") as f:
        for key, value in stored.attrs.items():
            f.attrs[key] = value
        stored.copy("trajectory", f)
        samples = stored["samples"][()]
        deviation = 0.02 * np.sqrt((abs(samples)**2).mean())
        noise = deviation * (rng.normal(size=(6, 4000)) + 1j * rng.normal(size=(6, 4000)))
        mixing = np.eye(6) if mixing is None else mixing
        f["samples"] = (mixing @ samples).astype("c8")
        f["noise"] = (mixing @ noise).astype("c8")


def image_of(folder, name):
    with h5py.File(folder / name) as f:
        return f["image"][0], dict(f["record"].attrs)


def error(image, truth):
    scale = np.vdot(abs(image), abs(truth)) / np.vdot(image, image).real
    return np.linalg.norm(scale * abs(image) - abs(truth)) / np.linalg.norm(truth)


def maps_come_from_the_scan(make):
    folder = make()
    coils_without_maps(folder)
    folder.run(0, ["recon", "with_maps.h5", "-o", "given.h5", "--lambda", "0.01", *QUIET])
    truth, _ = image_of(folder, "object.h5")
    given = error(image_of(folder, "given.h5")[0], truth)
    for maps in ([], ["--maps", "walsh"], ["--coils", "4"], ["--energy", "0.999"]):
        folder.run(0, ["recon", "coils.h5", "-o", "image.h5", *maps, "--lambda", "0.01", *QUIET])
        image, record = image_of(folder, "image.h5")
        expect(np.iscomplexobj(image) and abs(image.imag).max() > 0, "the image has no phase")
        expect(error(image, truth) < 1.1 * given,
               f"{maps}: error {error(image, truth)}, with the true maps {given}")
        expect(any("coil maps by" in str(value) for value in record.values()),
               "the record does not name the maps")
        os.unlink(folder / "image.h5")
    folder.run(0, ["recon", "coils.h5", "-o", "tv.h5", "--reg", "tv:0.01", *QUIET])
    expect(error(image_of(folder, "tv.h5")[0], truth) < given,
           "total variation continues the object where no coil sees anything")
    folder.run(0, ["recon", "coils.h5", "-o", "rss.h5", "--maps", "none", *QUIET])
    rss, _ = image_of(folder, "rss.h5")
    expect((rss.imag == 0).all(), "the root of a sum of squares has a phase")


def maps_go_to_a_file_and_come_back(make):
    folder = make()
    coils_without_maps(folder)
    folder.run(0, ["maps", "coils.h5", "-o", "maps.h5", *QUIET])
    with h5py.File(folder / "maps.h5") as f:
        squares = (abs(f["coil_maps"][()])**2).sum(axis=0)
        expect(f["coil_maps"].shape == (6, 40, 40), f["coil_maps"].shape)
        expect(np.all((squares == 0) | (abs(squares - 1) < 1e-5)), "a sum of squares is not 1")
    recon = ["recon", "coils.h5", "--no-whitening", "--lambda", "0.01", *QUIET]
    folder.run(0, [*recon, "-o", "once.h5"])
    folder.run(0, [*recon, "-o", "twice.h5", "--maps", "maps.h5"])
    once, twice = (image_of(folder, name)[0] for name in ("once.h5", "twice.h5"))
    expect(np.linalg.norm(once - twice) < 1e-5 * np.linalg.norm(once), "maps of a file differ")
    # A file has maps of the coils as they are: whitening mixes them as it does the samples.
    rng = np.random.default_rng(6)
    mixing = np.diag([1, 4, 1, 1, 2, 1]) + 0.3 * rng.normal(size=(6, 6))
    coils_without_maps(folder, "x.h5", mixing)
    folder.run(0, ["maps", "x.h5", "-o", "m.h5", *QUIET])
    for out, flags in (("white.h5", []), ("as_it_is.h5", ["--no-whitening"])):
        folder.run(0, ["recon", "x.h5", "-o", out, "--maps=m.h5", "--lambda=.01", *QUIET, *flags])
    white, as_it_is = (image_of(folder, name)[0] for name in ("white.h5", "as_it_is.h5"))
    expect(error(white, as_it_is) < 0.05, f"whitening moves the image by {error(white, as_it_is)}")
    # A file of half the matrix.
    with h5py.File(folder / "maps.h5") as f, h5py.File(folder / "coarse.h5", "w") as coarse:
        coarse["coil_maps"] = f["coil_maps"][:, ::2, ::2]
        coarse.attrs["matrix"], coarse.attrs["fov_mm"] = [20, 20], f.attrs["fov_mm"]
    folder.run(0, [*recon, "-o", "coarse_image.h5", "--maps", "coarse.h5"])
    coarse, _ = image_of(folder, "coarse_image.h5")
    expect(np.linalg.norm(once - coarse) < 0.2 * np.linalg.norm(once), "resampled maps differ")


def maps_of_any_scale_make_one_image(make):
    """In the units of the maps: coils 10 times less sensitive see an object 10 times as bright."""
    folder = make()
    folder.run(0, ["simulate", "--trajectory", "cartesian", "--matrix", "32,32", "--coils", "4",
                   "--undersampling", "2", "--snr", "30", "-o", "x1.h5", "--truth", "t1.h5",
                   *QUIET])
    for scale in (0.1, 1000):
        for name, dataset, factor in (("x", "coil_maps", scale), ("t", "image", 1 / scale)):
            shutil.copy(folder / f"{name}1.h5", folder / f"{name}{scale}.h5")
            with h5py.File(folder / f"{name}{scale}.h5", "r+") as f:
                f[dataset][...] = factor * f[dataset][()]
    for words in ([], ["--reg", "tv:0.02"], ["--lambda", "0.01"], ["--method", "gridding"],
                  ["--reg", "prior:0.1", "--prior", "PRIOR"],
                  ["--lambda", "0", "--iterations", "300", "--noise-map", "4"]):
        found = {}
        for scale in (1, 0.1, 1000):
            truth = f"t{scale}.h5"
            named = [word.replace("PRIOR", truth) for word in words]
            said = folder.run(0, ["recon", f"x{scale}.h5", "-o", "i.h5", "--truth", truth,
                                  *named]).stderr
            with h5py.File(folder / "i.h5") as f:
                record = dict(f["record"].attrs)
                maps = [scale * f[name][()] for name in ("image", "noise_map") if name in f]
                maps += [f["g_factor"][()]] if "g_factor" in f else []
                maps += [np.array([record[name]]) for name in ("truth_error", "unexplained")
                         if name in record]
            found[scale] = maps
            expect(("coil maps have a mean sum of squares" in said) == (scale != 1), said)
            expect(record.get("coil_maps_divided_by", 1) == scale, f"{scale}: {record}")
            expect(abs(record["coil_maps_squares_mean"] / scale ** 2 - 1) < 1e-5, f"{record}")
        expect("--noise-map" not in words or len(found[1]) == 5, f"{len(found[1])} results")
        for scale in (0.1, 1000):
            for one, other in zip(found[1], found[scale]):
                off = np.linalg.norm(other - one) / np.linalg.norm(one)
                expect(off < 2e-4, f"{words} x {scale}: {off}")


def noise_is_made_white(make):
    """Receivers that mix their coils do not change the image; without whitening they do."""
    folder = make()
    coils_without_maps(folder)
    rng = np.random.default_rng(5)
    mixing = rng.normal(size=(6, 6)) + 1j * rng.normal(size=(6, 6)) + np.diag([1, 30, 1, 1, 9, 1])
    coils_without_maps(folder, "mixed.h5", mixing)
    images = {}
    for name in ("coils", "mixed"):
        for flags in ("", "--no-whitening"):
            folder.run(0, ["recon", f"{name}.h5", "-o", "i.h5", "--maps", "walsh", *QUIET,
                           "--lambda", "0.01", *flags.split()])
            images[name + flags] = abs(image_of(folder, "i.h5")[0])
    difference = {flags: error(images["mixed" + flags], images["coils" + flags])
                  for flags in ("", "--no-whitening")}  # up to a scale
    expect(difference[""] < 0.02, f"whitened images differ by {difference['']}")
    expect(difference["--no-whitening"] > 0.1, "the mixing changed nothing")


def zeros_have_no_virtual_coils(make):
    folder = make()
    coils_without_maps(folder)
    with h5py.File(folder / "coils.h5", "r+") as f:
        samples = f["samples"][()]
        del f["samples"]
        f["samples"] = np.stack([0 * samples, samples])
    folder.run(INPUT, ["recon", "coils.h5", "-o", "image.h5", "--energy", "0.9", *QUIET],
               ["frame 0", "only zeros", "--frames"])


def what_cannot_be_done_is_refused(make):
    folder = make()
    coils_without_maps(folder)
    recon = ["recon", "coils.h5", "-o", "image.h5", *QUIET]
    folder.run(USAGE, [*recon, "--coils", "7"], ["at most the 6 coils"])
    folder.run(USAGE, ["maps", "coils.h5", "-o", "image.h5", "--maps", "none", *QUIET], ["none"])
    printed = folder.run(0, ["maps", "--help-all"]).stdout
    for flag in "--coils --energy --no-whitening --field-map".split():
        expect(flag not in printed, f"maps --help-all lists {flag}, which it has no use for")
        folder.run(USAGE, ["maps", "coils.h5", "-o", "image.h5", flag, "4", *QUIET], [flag])
    folder.run(INPUT, [*recon, "--maps", "nowhere.h5"], ["nowhere.h5", "next:"])
    for name, values in (("five.h5", np.ones((5, 40, 40))), ("flat.h5", np.ones((6, 1600))),
                         ("zeros.h5", np.zeros((6, 40, 40))),
                         ("nan.h5", np.full((6, 40, 40), np.nan))):
        with h5py.File(folder / name, "w") as f:
            f["coil_maps"] = values.astype("c8")
        folder.run(INPUT, [*recon, "--maps", name], [name, "/coil_maps", "next:"])
    with h5py.File(folder / "coils.h5", "r+") as f:
        f["noise"][2] = f["noise"][1]
    folder.run(INPUT, recon, ["coils.h5", "/noise", "singular", "--no-whitening"])
    folder.run(0, ["simulate", "--trajectory", "radial", "--matrix", "40,40", "--coils", "4",
                   "--undersampling", "20", "-o", "sparse.h5", *QUIET])
    with h5py.File(folder / "sparse.h5", "r+") as f:
        del f["coil_maps"]
    folder.run(0, ["recon", "sparse.h5", "-o", "rss.h5", "--lambda", "0.01", *QUIET],
               ["centre of k-space"], finds=["no_maps"])
    folder.run(INPUT, ["recon", "sparse.h5", "-o", "image.h5", "--maps", "espirit", *QUIET],
               ["sparse.h5", "centre of k-space", "--maps none"])


def faint_scan(path):
    """A point in so much noise that ESPIRiT sees no signal."""
    rng = np.random.default_rng(1)
    side = np.arange(40) - 20
    k = np.array([(x, y) for y in side if y % 2 == 0 or abs(y) < 5 for x in side], float)
    samples = rng.normal(size=(4, len(k))) + 1j * rng.normal(size=(4, len(k)))
    samples += 0.2 * np.exp(-2j * np.pi * k @ [0.1, 0.2])
    with h5py.File(path, "w") as f:
        f.attrs.update({"format": "lsrecon-scan", "version": 1, "matrix": [40, 40],
                        "fov_mm": [240.0, 240.0]})
        f["trajectory"], f["samples"] = k, samples.astype("c8")
        f["trajectory"].attrs["units"] = "cycles/fov"


def coils_without_maps_are_solved_alone(make):
    folder = make()
    faint_scan(folder / "faint.h5")
    recon = ["recon", "faint.h5", "--lambda", "0.01", *QUIET]
    says = folder.run(0, [*recon, "-o", "found.h5"], ["no voxel with signal", "solved alone"])
    expect("field of view" not in says.stderr, says.stderr)
    folder.run(0, [*recon, "-o", "none.h5", "--maps", "none"])
    found, record = image_of(folder, "found.h5")
    expect((found == image_of(folder, "none.h5")[0]).all(), "not the image of --maps none")
    expect("have maps" not in str(record), record)
    folder.run(INPUT, ["recon", "faint.h5", "-o", "image.h5", "--maps", "espirit", *QUIET],
               ["no voxel with signal"])


def lambda_leaves_nothing_where_no_coil_sees(make):
    folder = make()
    coils_without_maps(folder)
    truth, _ = image_of(folder, "object.h5")
    errors = {}
    for words in ([], ["--preconditioner", "none"], ["--iterations", "25"]):
        folder.run(0, ["recon", "coils.h5", "-o", "i.h5", "--lambda", "1e-3", *words, *QUIET])
        image, _ = image_of(folder, "i.h5")
        errors[" ".join(words)] = error(image, truth)
        expect((image == 0).sum() > 100, f"{words}: something where maps are 0")
        os.unlink(folder / "i.h5")
    expect(max(errors.values()) < 1.1 * min(errors.values()), errors)


def maps_are_of_all_frames_in_which_an_object_moves(make):
    folder = make()
    folder.run(0, ["simulate", "--trajectory", "golden-angle", "--matrix", "48,32", "--coils", "4",
                   "--without-maps", "--frames", "4", "--motion", "25", "--noise", "0.03", "-o",
                   "moving.h5", "--truth", "object.h5", *QUIET])
    with h5py.File(folder / "object.h5") as f:
        truth = f["image"][()]
    for method in ("espirit", "walsh"):
        folder.run(0, ["recon", "moving.h5", "-o", "i.h5", "--lambda", "1e-2", "--maps", method,
                       *QUIET])
        with h5py.File(folder / "i.h5") as f:
            errors = [error(one, other) for one, other in zip(f["image"][()], truth)]
        expect(max(errors) < 1.3 * min(errors), f"{method}: errors {errors}")
        os.unlink(folder / "i.h5")


def maps_go_with_the_image(make):
    """A shift of the image, and another field of view."""
    folder = make()
    coils_without_maps(folder)
    folder.run(0, ["maps", "coils.h5", "-o", "maps.h5", *QUIET])
    recon = ["recon", "coils.h5", "-o", "image.h5", "--maps", "maps.h5", *QUIET]
    folder.run(INPUT, [*recon, "--shift-mm", "20,0"],
               ["position and directions", "--shift-mm moves the image", "next:"])
    with h5py.File(folder / "maps.h5") as stored, h5py.File(folder / "bare.h5", "w") as f:
        f["coil_maps"] = stored["coil_maps"][()]
    images = []
    for name in ("maps.h5", "bare.h5"):
        folder.run(0, ["recon", "coils.h5", "-o", "i.h5", "--maps", name, "--fov-mm", "300,300",
                       "--lambda", "0.01", *QUIET])
        images.append(image_of(folder, "i.h5")[0])
        os.unlink(folder / "i.h5")
    expect((images[0] == images[1]).all(), "maps without a field of view are stretched")
    for words in (["--maps", "walsh", "--maps-crop", "0.7"], ["--maps", "none", "--soft-maps"],
                  ["--maps", "maps.h5", "--maps-threshold", "0.1"]):
        folder.run(USAGE, [*recon[:4], *words, *QUIET], ["are for --maps espirit", "next:"])
    folder.run(USAGE, [*recon[:4], "--coils", "3", "--energy", "0.9"], ["--energy", "--coils"])


def coils_fill_in_lines_that_were_not_sampled(make):
    folder = make()
    folder.run(0, ["simulate", "--trajectory", "cartesian", "--matrix", "48,48", "--coils", "8",
                   "--undersampling", "2", "--snr", "30", "-o", "lines.h5", "--truth", "object.h5",
                   *QUIET])
    truth, _ = image_of(folder, "object.h5")
    for name, words in (("tv", ["--reg", "tv:0.01"]), ("wavelet", ["--reg", "wavelet:0.01"]),
                        ("least", ["--lambda", "1e-2"])):
        folder.run(0, ["recon", "lines.h5", "-o", f"{name}.h5", *words, *QUIET])
    errors = {name: error(image_of(folder, f"{name}.h5")[0], truth)
              for name in ("tv", "wavelet", "least")}
    expect(errors["tv"] < errors["least"] and errors["wavelet"] < errors["least"],
           f"regularisers are further from the object than least squares: {errors}")


if __name__ == "__main__":
    sys.exit(run_cases([maps_come_from_the_scan, maps_go_to_a_file_and_come_back,
                        maps_of_any_scale_make_one_image,
                        coils_fill_in_lines_that_were_not_sampled, noise_is_made_white,
                        lambda_leaves_nothing_where_no_coil_sees, maps_go_with_the_image,
                        maps_are_of_all_frames_in_which_an_object_moves,
                        zeros_have_no_virtual_coils, coils_without_maps_are_solved_alone,
                        what_cannot_be_done_is_refused]))
