#!/usr/bin/env python3
"""Regularisers whose weight the scan chooses: near the best of a sweep, made again by the number,
and by default, beside least squares.

    weights.py LSRECON"""

import json
import re
import sys

import h5py
import numpy as np

from in_folders import INPUT, USAGE, expect, run_cases

SPOKES = ["--trajectory", "golden-angle", "--matrix", "48,48", "--readouts", "14", "--coils", "4",
          "--snr", "30"]
LINES = ["--trajectory", "cartesian", "--matrix", "32,32", "--snr", "20"]


def simulate(folder, *words):
    folder.run(0, ["simulate", "-o", "s.h5", "--truth", "t.h5", "--quiet", *words])


def recon(folder, *words, code=0, says=()):
    return folder.run(code, ["recon", "s.h5", "-o", "i.h5", *words], says).stderr


def image(folder):
    with h5py.File(folder / "i.h5") as f:
        return f["image"][()], {name: f["record"].attrs[name] for name in f["record"].attrs}


def error(folder):
    with h5py.File(folder / "t.h5") as f:
        truth = np.abs(f["image"][0])
    return np.linalg.norm(np.abs(image(folder)[0][0]) - truth) / np.linalg.norm(truth)


def near_the_best_of_a_sweep(make):
    folder = make()
    simulate(folder, *SPOKES)
    for name in ("tv", "wavelet"):
        best = np.inf
        for weight in (0.004, 0.008, 0.016): # of 0.001 to 0.128 these are the best
            recon(folder, "--reg", f"{name}:{weight}")
            best = min(best, error(folder))
        recon(folder, "--reg", name)
        # The worst of scripts/study_weights.py is 1.25.
        expect(error(folder) < 1.25 * best, f"{name}: {error(folder)}, at best {best}")


def the_number_makes_the_same_image(make):
    folder = make()
    simulate(folder, *SPOKES)
    recon(folder, "--reg", "tv")
    chosen, about = image(folder)
    expect(re.fullmatch(r"tv:0\.\d+", about["regularisers"]), about["regularisers"])
    expect(about["weight_rule"] == "held out", about)
    with h5py.File(folder / "i.h5") as f:
        table = f["record/weight_curve_tv"]
        expect(list(table.attrs["columns"]) == ["weight", "prediction"], "columns")
        expect(np.all(np.diff(table[:, 0]) < 0) and np.all(table[:, 1] > 0), "the curve")
    recon(folder, "--reg", about["regularisers"])
    expect(np.array_equal(image(folder)[0], chosen), "another image by the number")


def the_default_is_the_best_of_all(make):
    folder = make()
    simulate(folder, *SPOKES)
    said = recon(folder)
    expect(re.search(r"[0-9.]+ times better .* lose [0-9.]+ and [0-9.]+ %", said), said)
    by_default, about = image(folder)
    expect(about["regularisers"].startswith(("tv:", "wavelet:")), about["regularisers"])
    recon(folder, "--reg", "auto")
    expect(np.array_equal(image(folder)[0], by_default), "auto is not the default")
    best = error(folder)
    said = recon(folder, "--reg", "none")
    expect("lambda" in said and image(folder)[1]["regularisers"].startswith("band:"), said)
    expect(error(folder) > 2 * best, "least squares are as good")
    for words in (["--iterations", "5"], ["--lambda", "0.1"], ["--reg", "tv:0.1"]):
        recon(folder, *words)
        expect("weight_rule" not in image(folder)[1], f"{words}: something is chosen")


def full_scans_and_fields_gain_too(make):
    """Samples on all of k-space, of one coil, too, and time segments, of which no Q is one
    convolution."""
    folder = make()
    for words in ("cartesian --matrix 48,48 --coils 4", "cartesian --matrix 48,48",
                  "spiral --matrix 32,32 --coils 4 --off-resonance-hz 60"):
        simulate(folder, "--snr", "8", "--trajectory", *words.split())
        recon(folder)
        best = error(folder)
        recon(folder, "--reg", "none")
        expect(best < 0.8 * error(folder), f"{words}: {best}, least squares {error(folder)}")


def errors_of_the_trajectory_are_no_noise(make):
    """Gradients that are late by a third of a cycle ask for no more smoothing than others do."""
    folder = make()
    simulate(folder, "--trajectory", "radial", "--matrix", "64,64", "--coils", "4", "--snr", "40")
    with h5py.File(folder / "s.h5", "r+") as f:
        k = f["trajectory"][...]
        spokes = k.reshape(-1, 64, 2)
        ends = spokes[:, -1:] - spokes[:, :1]
        late = ends / np.linalg.norm(ends, axis=2, keepdims=True) * [0.3, 0.1]
        f["trajectory"][...] = (spokes + late).reshape(k.shape)
    recon(folder)
    chosen = error(folder)
    best = np.inf
    for weight in (0.002, 0.004, 0.008, 0.016):
        recon(folder, "--reg", f"tv:{weight}")
        best = min(best, error(folder))
    expect(chosen < 1.1 * best, f"by default {chosen}, at best {best}")


def images_that_have_not_settled_go_on(make):
    """Of one coil and samples at random an image of a small weight takes far more passes."""
    folder = make()
    simulate(folder, "--trajectory", "random", "--matrix", "40,40", "--readouts", "560",
             "--samples-per-readout", "1", "--snr", "130")
    said = recon(folder)
    chosen = image(folder)[1]["regularisers"]
    ours = error(folder)
    expect("ot converged" not in said, said)
    recon(folder, "--reg", "tv:0.02")
    expect(ours < 1.2 * error(folder), f"{chosen}: {ours}, tv:0.02 {error(folder)}")


def too_few_samples_have_usual_weights(make):
    folder = make()
    simulate(folder, "--trajectory", "random", "--matrix", "16,16", "--readouts", "1",
             "--samples-per-readout", "1", "--noise", "1")
    recon(folder, "--reg", "tv", says=["Too few samples", "--reg tv:0.01 is a guess"])
    recon(folder, says=["Too few samples", "lambda 0.01 is a guess"])
    expect(image(folder)[1]["lambda_rule"] == "usual", "the rule")


def one_weight_is_open(make):
    folder = make()
    simulate(folder, *LINES)
    for words, says in ((["--reg", "roughness"], "its weight cannot be chosen"),
                        (["--reg", "l1"], "its weight cannot be chosen"),
                        (["--reg", "ttv"], "has one frame"),
                        (["--reg", "tv", "--reg", "wavelet"], "2 regularisers without a weight"),
                        (["--reg", "llr", "--reg", "ttv"], "2 regularisers without a weight"),
                        (["--reg", "auto", "--method", "gridding"], "uses no solver"),
                        (["--reg", "tv", "--lambda", "auto"], "cannot choose lambda"),
                        (["--reg", "auto", "--lambda", "discrepancy"], "chooses lambda, too"),
                        (["--reg", "tv:0"], "or the name alone")):
        recon(folder, *words, code=USAGE, says=[says])
    recon(folder, "--reg", "tv", "--reg", "wavelet:0.003")
    expect(image(folder)[1]["regularisers"].endswith(" wavelet:0.003"), "the given weight")


def frames_share_a_weight_and_views_draw_it(make):
    folder = make()
    simulate(folder, "--trajectory", "golden-angle", "--matrix", "32,32", "--readouts", "10",
             "--coils", "4", "--snr", "20", "--frames", "3")
    said = recon(folder)
    expect(said.count("times better than by least squares") == 1, said)
    folder.run(0, ["view", "i.h5", "-o", "p.html"])
    with open(folder / "p.html", encoding="utf-8") as page:
        data = json.loads(re.search(r'id="data">(.*?)</script>', page.read(), re.S)[1])
    drawn = data["panels"]["weights"]["curves"]
    names = [curve["name"] for curve in drawn]
    expect(names == ["lambda", "llr", "tv", "tv_ttv", "wavelet"], names)
    predicted = folder.run(0, ["predict", "s.h5"]).stdout
    expect("weight" in predicted, predicted)


def a_series_has_the_best_of_all(make):
    """The same object in each frame, by other spokes: frames know of each other."""
    folder = make()
    simulate(folder, "--trajectory", "golden-angle", "--matrix", "32,32", "--readouts", "9",
             "--coils", "4", "--snr", "20", "--frames", "6")
    recon(folder, "--reg", "tv")
    by_frame = error(folder)
    said = recon(folder)
    _, about = image(folder)
    expect(re.fullmatch(r"llr:\S+|tv:(\S+) ttv:\1", about["regularisers"]), about["regularisers"])
    expect(error(folder) < by_frame, f"{error(folder)} together, {by_frame} by frame")
    expect("are solved together" in said, said)
    with h5py.File(folder / "i.h5") as f:
        tried = sorted(name for name in f["record"] if name.startswith("weight_curve_"))
    expect(tried == [f"weight_curve_{name}"
                     for name in ("lambda", "llr", "tv", "tv_ttv", "wavelet")], tried)
    with h5py.File(folder / "s.h5", "r+") as f:
        f["samples"][2] = np.nan
    with open(folder / "list", "w", encoding="utf-8") as names:
        names.write("s.h5\n")
    for _ in range(2):  # frames that are solved together are tried again together
        folder.run(INPUT, ["batch", "list", "-o", "images", "--reg", "auto"])
    recon(folder, "--frames", "0,1", "--reg", "auto", "--noise-map", "2")  # of a single frame
    expect("ttv" not in image(folder)[1]["regularisers"], "a noise map of a joint solve")


if __name__ == "__main__":
    sys.exit(run_cases([near_the_best_of_a_sweep, the_number_makes_the_same_image,
                        the_default_is_the_best_of_all, full_scans_and_fields_gain_too,
                        errors_of_the_trajectory_are_no_noise,
                        images_that_have_not_settled_go_on, too_few_samples_have_usual_weights,
                        one_weight_is_open, frames_share_a_weight_and_views_draw_it,
                        a_series_has_the_best_of_all]))
