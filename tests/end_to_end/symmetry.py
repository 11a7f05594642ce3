#!/usr/bin/env python3
"""recon --conjugate-symmetry: partial Fourier of an object with a smooth phase gains, others
keep the image of least squares; spokes that begin near the centre; and errors of the option.

    symmetry.py LSRECON"""

import pathlib
import sys

import h5py
import numpy as np

from in_folders import INPUT, USAGE, expect, run_cases

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "scripts"))
from study_symmetry import coils_of, phantom, phases, write  # noqa: E402

N = 64
FLAG = "--conjugate-symmetry"


def image_of(folder, *words):
    folder.run(0, ["recon", "scan.h5", "-o", "image.h5", "--quiet", "--backend", "host", *words])
    with h5py.File(folder / "image.h5") as f:
        about = {name: np.ravel(value)[0] for name, value in f["record"].attrs.items()}
        return np.squeeze(f["image"][()]), about


def error_of(image, truth):
    image, shown = abs(image), abs(truth)
    image = image * (image * shown).sum() / (image ** 2).sum()
    return np.linalg.norm(image - shown) / np.linalg.norm(shown)


def gain(folder, truth, *words):
    """What the record says with the flag, and the error over that without."""
    with_it, about = image_of(folder, *words, FLAG)
    without = error_of(image_of(folder, *words)[0], truth)
    return about, error_of(with_it, truth) / without


def scan(folder, kind, coils=4, snr=40, **how):
    truth = phantom(N) * phases(N)[kind]
    pathlib.Path(folder / "scan.h5").unlink(missing_ok=True)
    write(folder / "scan.h5", truth, coils, snr, share=6 / 8, **how)
    return truth


def smooth_phases_gain(make):
    folder = make()
    for coils, maps in ((4, True), (4, False), (1, False)):
        truth = scan(folder, "smooth over 8", coils, with_maps=maps)
        about, ratio = gain(folder, truth, "--reg", "none", "--lambda", "0.003")
        expect(ratio < 2 / 3, f"{coils} coils: {ratio}")
        expect(about["conjugate_symmetry_frames"] == 1, "not used")
        expect(0.5 < about["conjugate_symmetry_filled"] < 1, f"filled {about}")
        expect(about["conjugate_symmetry_asymmetry"] < 0.25, f"asymmetry {about}")
    truth = scan(folder, "smooth over 8", with_maps=True)
    for words in (["--reg", "tv:0.002"], ["--lambda", "0.003", "--preconditioner", "none"],
                  ["--reg", "wavelet:0.002"]):
        ratio = gain(folder, truth, *words)[1]
        expect(ratio < 1, f"{words}: {ratio}")


def other_phases_lose_nothing(make):
    folder = make()
    for kind in ("smooth over 2", "a step"):
        truth = scan(folder, kind)
        about, ratio = gain(folder, truth, "--lambda", "0.003")
        expect(ratio < 1.01, f"{kind}: {ratio}")
        if about["conjugate_symmetry_frames"] == 0:
            folder.run(0, ["recon", "scan.h5", "-o", "image.h5", "--quiet", "--lambda", "0.003",
                           FLAG], finds=["symmetry_unused"])
    truth = phantom(N) * phases(N)["smooth over 8"]
    pathlib.Path(folder / "scan.h5").unlink()
    write(folder / "scan.h5", truth, 2, 40, share=1)
    about, ratio = gain(folder, truth, "--lambda", "0.003")
    expect(ratio == 1 and about["conjugate_symmetry_frames"] == 0, f"all of k-space: {ratio}")


def echoes_off_the_middle_of_spokes(make):
    """Spokes over half a turn that begin a little before the centre."""
    folder = make()
    truth = phantom(N) * phases(N)["smooth over 8"]
    angle = np.pi * np.arange(100)[:, None] / 100
    along = np.arange(-N // 4, N // 2, 0.5)
    k = np.stack([along * np.cos(angle), along * np.sin(angle)], -1).reshape(-1, 2)
    at = (np.arange(N) - N // 2) / N
    maps = coils_of(N, 2)
    waves = [np.exp(-2j * np.pi * k[:, d, None] * at) for d in (0, 1)]
    samples = np.einsum("cyx,mx,my->cm", maps * truth, *waves, optimize=True)
    draw = np.random.default_rng(5).standard_normal((2, *samples.shape))
    samples += (draw[0] + 1j * draw[1]) * N / 40
    pathlib.Path(folder / "scan.h5").unlink(missing_ok=True)
    with h5py.File(folder / "scan.h5", "w") as f:
        f.attrs["format"], f.attrs["version"] = "lsrecon-scan", 1
        f.attrs["matrix"], f.attrs["fov_mm"] = [N, N], [220.0, 220.0]
        f["trajectory"] = k.astype(np.float32)
        f["trajectory"].attrs["units"] = "cycles/fov"
        f["samples"], f["coil_maps"] = samples.astype(np.complex64), maps.astype(np.complex64)
    about, ratio = gain(folder, truth, "--lambda", "0.003")
    expect(ratio < 0.9 and about["conjugate_symmetry_frames"] == 1, f"spokes: {ratio} {about}")


def words_that_are_refused(make):
    folder = make()
    scan(folder, "smooth over 8")
    words = ["recon", "scan.h5", "-o", "image.h5", "--quiet", FLAG]
    for others in (["--snr-units"], ["--noise-map"], ["--solver", "eigen"], ["--reg", "llr:0.01"],
                   ["--method", "gridding"], ["--maps", "none"]):
        folder.run(USAGE, words + others, ["--conjugate-symmetry"])
    truth = phantom(N) * phases(N)["smooth over 8"]
    pathlib.Path(folder / "scan.h5").unlink()
    write(folder / "scan.h5", truth, 2, 40, share=0.55)
    folder.run(INPUT, words, ["at least 6"])


if __name__ == "__main__":
    sys.exit(run_cases([smooth_phases_gain, other_phases_lose_nothing,
                        echoes_off_the_middle_of_spokes, words_that_are_refused]))
