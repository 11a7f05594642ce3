#!/usr/bin/env python3
"""lambda by a rule: the residuals of the stored curve are those of the images, the rule holds,
every frame has the value, and what cannot be chosen is refused.

    lambda.py LSRECON"""

import json
import os
import re
import sys

import h5py
import numpy as np

from in_folders import INPUT, USAGE, expect, run_cases

SIZE = 20
RECON = ["recon", "s.h5", "-o", "i.h5", "--quiet"]


def scan(folder, *words):
    folder.run(0, ["simulate", "--trajectory", "radial", "--matrix", f"{SIZE},{SIZE}", "--coils",
                   "3", "--snr", "15", "-o", "s.h5", "--quiet", *words])


def with_weights(folder):
    rng = np.random.default_rng(2)
    with h5py.File(folder / "s.h5", "r+") as f:
        f["weights"] = rng.uniform(0.5, 2, f["trajectory"].shape[0])


def residual(folder, image, maps):
    """||W^1/2 (F rho - d)||^2 by its definition."""
    with h5py.File(folder / "s.h5") as f, h5py.File(folder / image) as i:
        k, samples = f["trajectory"][()], f["samples"][()]
        weights = f["weights"][()] if "weights" in f else np.ones(len(k))
        rho = i["image"][0]
        coils = f["coil_maps"][()] if maps else np.ones((len(samples), SIZE, SIZE))
    x = (np.arange(SIZE) - SIZE // 2) / SIZE
    along = [np.exp(-2j * np.pi * np.outer(k[:, d], x)) for d in (0, 1)]
    model = np.einsum("my,mx,cyx->cm", along[1], along[0], coils * rho)
    return float(np.sum(weights * np.abs(model - samples) ** 2))


def curve_of(folder, image="i.h5"):
    with h5py.File(folder / image) as f:
        record = f["record"]
        columns = list(record["lambda_curve"].attrs["columns"])
        rows = record["lambda_curve"][()]
        about = {name: record.attrs[name] for name in record.attrs}
    return {name: rows[:, c] for c, name in enumerate(columns)}, about


def discrepancy_meets_the_noise(make):
    """Without whitening, because the scan's own samples are compared."""
    folder = make()
    scan(folder, "--noise-samples", "400")
    with_weights(folder)
    with h5py.File(folder / "s.h5") as f:
        energy = np.mean(np.sum(np.abs(f["noise"][()]) ** 2, axis=0)) * f["weights"][()].sum()
    for words in ([], ["--precision", "double"], ["--backend", "reference"],
                  ["--solver", "eigen"]):
        folder.run(0, [*RECON, "--lambda", "discrepancy", "--no-whitening", *words])
        curve, about = curve_of(folder)
        chosen = float(about["lambda"])
        at = int(np.argmin(np.abs(curve["lambda"] - chosen)))
        expect(about["lambda_rule"] == "discrepancy", f"{words}: by {about['lambda_rule']}")
        expect(about["option_lambda"] == "discrepancy", f"asked for {about['option_lambda']}")
        expect(curve["discrepancy"][at] <= 1 < curve["discrepancy"][at + 1], f"{words}: the rule")
        found = residual(folder, "i.h5", True)
        # The image is solved to a thousandth of lambda, and R is nearly flat in what is left.
        expect(abs(curve["residual"][at] ** 2 / found - 1) < 1e-3,
               f"{words}: residual {curve['residual'][at] ** 2}, that of the image is {found}")
        expect(abs(curve["discrepancy"][at] * energy / found - 1) < 1e-3, f"{words}: noise")
        expect(np.isclose(about["lambda_discrepancy"][0], curve["discrepancy"][at]), "the record")
    folder.run(0, ["recon", "s.h5", "-o", "n.h5", "--quiet", "--lambda", about["lambda"],
                   "--no-whitening", "--solver", "eigen"])
    with h5py.File(folder / "i.h5") as a, h5py.File(folder / "n.h5") as b:
        expect(np.array_equal(a["image"][()], b["image"][()]), "another image by the number")
        expect("lambda_curve" not in b["record"], "a curve of a number")


def the_page_draws_the_curve(make):
    folder = make()
    scan(folder, "--noise-samples", "400")
    folder.run(0, [*RECON, "--lambda", "discrepancy"])
    curve, about = curve_of(folder)
    expect((np.diff(curve["residual"]) > 0).all() and (np.diff(curve["solution"]) < 0).all(),
           "a curve that turns back")
    folder.run(0, ["view", "i.h5", "-o", "p.html"])
    with open(folder / "p.html", encoding="utf-8") as page:
        data = json.loads(re.search(r'id="data">(.*?)</script>', page.read(), re.S)[1])
    drawn = data["panels"]["lambda"]["points"]
    points = [point for point in drawn if point["chosen"]]
    expect(len(drawn) == len(curve["lambda"]) and len(points) == 1
           and points[0]["lambda"] == float(about["lambda"]), "the page's curve")


def coils_without_maps_share_a_lambda(make):
    folder = make()
    scan(folder, "--noise-samples", "400")
    folder.run(0, [*RECON, "--lambda", "auto", "--maps", "none"])
    with h5py.File(folder / "i.h5") as f:
        points, about = f["record/weight_curve_lambda"][()], dict(f["record"].attrs)
    best = points[np.argmin(points[:, 1]), 0]
    expect(best / 2 < float(about["lambda"]) < 2 * best, f"{about['lambda']}, best {best}")
    expect(about["lambda_rule"] == "held out", about)


def all_frames_have_one_value(make):
    folder = make()
    scan(folder, "--noise-samples", "400", "--frames", "4", "--motion", "10")
    with h5py.File(folder / "s.h5", "r+") as f:
        f["samples"][0, 0, 0] = np.nan  # the second is the first that is good
    words = [*RECON, "--lambda", "auto", "--iterations", "100", "--log", "log"]
    folder.kept.add("i.h5.part")
    done = folder.run(INPUT, words, ["frame 0"])
    expect("lambda" not in done.stdout, "stdout")
    with h5py.File(folder / "i.h5") as f:
        first, record = f["image"][()], dict(f["record"].attrs)
    folder.run(INPUT, [*words, "--resume"], ["frame 0"])
    with h5py.File(folder / "i.h5") as f:
        expect(f["record"].attrs["lambda"] == record["lambda"], "another lambda when resumed")
        expect(f["record"].attrs["frames_resumed"] == 3, "frames were solved again")
        expect(first[1:].tobytes() == f["image"][1:].tobytes(), "other bits when resumed")
    folder.run(0, ["recon", "s.h5", "-o", "n.h5", "--quiet", "--frames", "2", "--lambda",
                   record["lambda"], "--iterations", "100"])
    with h5py.File(folder / "n.h5") as f:
        expect(np.array_equal(f["image"][0], first[2]), "frame 2 has another lambda")


def few_samples_have_a_lambda(make):
    """Most eigenvalues of T are 0, and those of its rounded Q on either side."""
    folder = make()
    for words in (["golden-angle", "--matrix", "48,48", "--readouts", "2"],
                  ["random", "--matrix", "64,64", "--readouts", "60", "--samples-per-readout", "1"],
                  ["radial-3d", "--matrix", "16,16,16", "--readouts", "4"]):
        folder.run(0, ["simulate", "--snr", "30", "-o", "s.h5", "--quiet", "--trajectory", *words])
        folder.run(0, [*RECON, "--reg", "none"])
        os.unlink(folder / "i.h5")


def what_is_printed_makes_the_image_again(make):
    folder = make()
    scan(folder)

    def made(*words):
        said = folder.run(0, ["recon", "s.h5", "-o", "i.h5", *words]).stderr
        with h5py.File(folder / "i.h5") as f:
            return said, f["image"][()], dict(f["record"].attrs)

    said, image, record = made("--reg", "none")
    words = re.search(r"^lambda (\S+) with --reg (\S+):", said, re.M)
    expect(words and words[2] == "band:0.3", said)
    again = made("--lambda", words[1], "--reg", words[2])[1]
    expect(np.array_equal(again, image), f"--lambda {words[1]} --reg {words[2]}: another image")
    expect((record["lambda"], record["regularisers"]) == words.groups(), str(record))
    said, without, _ = made("--lambda", "auto")
    alone = re.search(r"^lambda (\S+):", said, re.M)
    expect(alone and np.array_equal(made("--lambda", alone[1])[1], without), said)
    record = made("--lambda", "0.012345678901", "--reg", "roughness:0.0012345678")[2]
    expect(record["lambda"] == "0.012345678901", record["lambda"])
    expect(record["regularisers"] == "roughness:0.0012345678", record["regularisers"])


def what_cannot_be_chosen_is_refused(make):
    folder = make()
    scan(folder, "--noise-samples", "400")
    with h5py.File(folder / "s.h5", "r+") as f:
        f["noise"][...] = 0
    folder.run(INPUT, [*RECON, "--lambda", "discrepancy", "--no-whitening"],
               ["/noise", "only zeros", "--lambda auto"])
    os.unlink(folder / "s.h5")
    scan(folder)
    folder.run(INPUT, [*RECON, "--lambda", "discrepancy"], ["/noise", "missing", "--lambda auto"])
    folder.run(USAGE, [*RECON, "--lambda", "auto", "--reg", "tv:0.01"], ["--reg", "next:"])
    folder.run(USAGE, [*RECON, "--lambda", "best"], ["expected: a number from 0"])
    scan(folder, "--noise-samples", "400")
    with h5py.File(folder / "s.h5", "r+") as f:
        f["noise"][()] *= 1000
    folder.run(INPUT, [*RECON, "--lambda", "discrepancy"],
               ["of the energy", "measured noise", "next:"])
    with h5py.File(folder / "s.h5", "r+") as f:
        f["noise"][()] /= 10000
    folder.run(INPUT, [*RECON, "--lambda", "discrepancy"], ["times the energy"])
    # A hundredth of the energy is noise: what is left is no noise, which is said, --quiet or not.
    folder.run(0, [*RECON, "--lambda", "auto"], ["times the noise"],
               finds=["data_unexplained"])


def corner_power(image):
    """That at frequencies that spokes do not reach."""
    k = np.fft.fftfreq(SIZE) * SIZE
    outside = np.hypot(k[:, None], k) > SIZE / 2 + 1
    return np.sum(np.abs(np.fft.fft2(image[0])[outside])**2)


def listed_voxels(folder):
    """Those of the grid, in another order."""
    scan(folder)
    with h5py.File(folder / "s.h5", "r+") as f:
        x = (np.arange(SIZE) - SIZE // 2) / SIZE
        f["voxels"] = np.array([(a, b) for a in x for b in x])
        del f["coil_maps"]
        f["samples"] = np.array(f.pop("samples")[:1])


def without_regularisers_lambda_is_chosen(make):
    """But where the user regularises otherwise."""
    def found(*words):
        folder.run(0, ["recon", "s.h5", "-o", "i.h5", *words])
        with h5py.File(folder / "i.h5") as f:
            record = dict(f["record"].attrs)
            return f["image"][()], float(record["lambda"]), record.get("lambda_rule", "")

    folder = make()
    scan(folder)
    image, weight, rule = found("--reg", "none")
    expect(rule == "held out" and weight >= 1e-4, f"{weight} by {rule}")
    expect(np.array_equal(image, found("--lambda", "auto", "--reg", "band:0.3")[0]), "another")
    with h5py.File(folder / "i.h5") as f:
        expect(f["record"].attrs["regularisers"] == "band:0.3", "the record's regulariser")
    corners = [corner_power(of) for of in (image, found("--lambda", "auto")[0])]
    expect(0 < corners[0] < corners[1] / 5, f"in corners of k-space {corners}")
    for words in (["--iterations", "5"], ["--reg", "roughness:0.1"], ["--lambda", "0"],
                  ["--reg", "tv:0.01"]):
        expect(found(*words)[1:] == (0, ""), f"{words} with lambda")
    scan(folder, "--off-resonance-hz", "100")
    image, weight, rule = found("--reg", "none")
    expect(rule == "held out" and weight >= 1e-4, f"off resonance {weight} by {rule}")
    expect(np.array_equal(image, found("--lambda", f"{weight:.15g}")[0]), "band off resonance")
    listed_voxels(folder)
    image, weight, rule = found()
    expect(rule == "held out" and weight >= 1e-4, f"listed voxels {weight} by {rule}")
    with h5py.File(folder / "i.h5") as f:
        expect("band" not in f["record"].attrs["regularisers"], "band on listed voxels")
        expect(f["record"].attrs["iterations"] == "300", "listed voxels stop early")


def a_frame_of_zeros_does_not_choose(make):
    folder = make()
    scan(folder, "--frames", "3")
    with h5py.File(folder / "s.h5", "r+") as f:
        f["samples"][0] = 0
    folder.run(0, ["recon", "s.h5", "-o", "i.h5", "--lambda", "auto"],
               ["all coils", "in frame 0"], finds=["samples_zero"])
    with h5py.File(folder / "i.h5") as f:
        image, weight = f["image"][()], f["record"].attrs["lambda"]
    expect(not image[0].any() and image[1].any(), "frames")
    folder.run(0, ["recon", "s.h5", "-o", "i.h5", "--frames", "1,2", "--lambda", "auto"])
    with h5py.File(folder / "i.h5") as f:
        expect(f["record"].attrs["lambda"] == weight, "frame 1 or 2 did not choose")


def a_bright_frame_chooses(make):
    folder = make()
    scan(folder, "--frames", "3")
    with h5py.File(folder / "s.h5", "r+") as f:
        rng = np.random.default_rng(4)
        noise = rng.standard_normal((2, *f["samples"].shape[1:])) * np.std(f["samples"][2]) / 20
        f["samples"][:2] = np.array([0.02, 0.1])[:, None, None] * f["samples"][:2] + noise
    done = folder.run(0, ["recon", "s.h5", "-o", "i.h5", "--lambda", "auto"])
    expect("chosen from frame 2 for all frames" in done.stderr, f"the console says {done.stderr}")
    with h5py.File(folder / "i.h5") as f:
        weight = f["record"].attrs["lambda"]
    folder.run(0, ["recon", "s.h5", "-o", "i.h5", "--frames", "2", "--lambda", "auto"])
    with h5py.File(folder / "i.h5") as f:
        expect(f["record"].attrs["lambda"] == weight, "frame 2 did not choose")


def what_is_left_of_the_samples_is_reported(make):
    folder = make()
    scan(folder)
    with_weights(folder)
    with h5py.File(folder / "s.h5") as f:
        energy = np.sum(f["weights"][()] * np.abs(f["samples"][()])**2)
    folder.run(0, [*RECON, "--lambda", "0.02"])
    left = residual(folder, "i.h5", True) / energy
    with h5py.File(folder / "i.h5") as f:
        record = f["record"].attrs
        expect(abs(record["unexplained"] / left - 1) < 1e-3,
               f"{record['unexplained']} is left, not {left}")
        expect(record["image_error_estimate"] > 0, "rounding is not estimated")


def undersampled(folder, *words):
    folder.run(0, ["simulate", "--trajectory", "cartesian", "--matrix", "48,48", "--coils", "4",
                   "--noise-samples", "400", "-o", "s.h5", "--truth", "t.h5", "--quiet", *words])


def ghost_of(folder, reduction):
    """How much of the object is where lines that are left out put it. It depends neither on what is
    blurred, which is alike in all of them, nor on noise."""
    with h5py.File(folder / "t.h5") as t, h5py.File(folder / "i.h5") as i:
        truth, image = t["image"][0], i["image"][0]
    copies = [np.roll(truth, n * 48 // reduction, 0).ravel() for n in range(reduction)]
    return np.abs(np.linalg.lstsq(np.array(copies).T, image.ravel(), rcond=None)[0][1:]).max()


def no_ghost_is_left_that_coils_resolve(make):
    for reduction in (2, 3):
        # Noise that is amplified costs least squares more than a ghost.
        for words, most in (([], 0.08), (["--reg", "none"], 0.12)):
            folder = make()
            undersampled(folder, "--undersampling", str(reduction), "--snr", "30")
            said = folder.run(0, [*RECON[:-1], *words])
            ghost = ghost_of(folder, reduction)
            expect(ghost < most, f"R = {reduction}, {words}: a ghost of {ghost}: {said.stderr}")


def noise_of_another_scale_is_not_used(make):
    folder = make()
    undersampled(folder, "--undersampling", "2", "--snr", "30")
    folder.run(0, [*RECON, "--no-whitening"])
    with h5py.File(folder / "i.h5") as f:
        expected = f["image"][()]
    with h5py.File(folder / "s.h5", "r+") as f:
        f["noise"][...] = f["noise"][()] / 300
    folder.run(0, [*RECON], finds=["noise_unused"])
    with h5py.File(folder / "i.h5") as f:
        expect(np.array_equal(f["image"][()], expected), "it whitens")


if __name__ == "__main__":
    sys.exit(run_cases([discrepancy_meets_the_noise, the_page_draws_the_curve,
                        coils_without_maps_share_a_lambda, all_frames_have_one_value,
                        few_samples_have_a_lambda, what_is_printed_makes_the_image_again,
                        what_cannot_be_chosen_is_refused, without_regularisers_lambda_is_chosen,
                        a_frame_of_zeros_does_not_choose, a_bright_frame_chooses,
                        what_is_left_of_the_samples_is_reported,
                        no_ghost_is_left_that_coils_resolve,
                        noise_of_another_scale_is_not_used]))
