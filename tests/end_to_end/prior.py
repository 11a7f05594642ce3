#!/usr/bin/env python3
"""Regularisers that compare with a prior image, and prior images that do not belong to a scan.

    prior.py LSRECON"""

import sys

import h5py
import nibabel
import numpy as np

from images import directions
from in_folders import INPUT, USAGE, expect, recon, run_cases


def image_of(folder, name):
    with h5py.File(folder / name) as f:
        return f["image"][0], dict(f["record"].attrs)


def error(folder, name):
    truth = image_of(folder, "truth.h5")[0]
    return np.linalg.norm(image_of(folder, name)[0] - truth) / np.linalg.norm(truth)


def write_prior(folder, name, values, **attributes):
    """The truth's file with other values of its frame, or other attributes of /image."""
    with h5py.File(folder / "truth.h5") as truth, h5py.File(folder / name, "w") as f:
        f["image"] = np.asarray(values)[None].astype("c8")
        for key, value in {**truth["image"].attrs, **attributes}.items():
            if key in ("fov_mm", "position", "directions"):
                f["image"].attrs[key] = value


def noisy_scan(folder):
    folder.run(0, ["simulate", "--matrix", "40,40", "--snr", "5", "-o", "noisy.h5", "--truth",
                   "fine.h5", "--truth-of", "band", "--quiet"])


def a_frame_of_zeros_is_its_prior(make):
    """Also where a term that is not quadratic has no image of its own to be relative to."""
    folder = make()
    folder.run(0, ["simulate", "--matrix", "16,16", "--frames", "2", "-o", "two.h5", "--quiet"])
    with h5py.File(folder / "two.h5", "r+") as f:
        f["samples"][1] = 0
    write_prior(folder, "prior.h5", image_of(folder, "truth.h5")[0])
    for words in ([], ["--reg", "tv:0.01"]):
        folder.run(0, ["recon", "two.h5", "-o", "i.h5", "--quiet", "--prior", "prior.h5", "--reg",
                       "prior:1", *words])
        with h5py.File(folder / "i.h5") as f:
            ratio = np.linalg.norm(f["image"][1]) / np.linalg.norm(f["image"][0])
        expect(0.1 < ratio < 1, f"{words}: {ratio}")


def a_prior_pulls_the_image_to_it(make):
    folder = make()
    truth = image_of(folder, "truth.h5")[0]
    write_prior(folder, "prior.h5", truth)
    errors = []
    for weight in (0.001, 1, 1000):
        folder.run(0, recon("-o", "i.h5", "--prior", "prior.h5", "--reg", f"prior:{weight}",
                            "--iterations", "60"))
        errors.append(error(folder, "i.h5"))
    expect(errors[0] > errors[1] > errors[2] and errors[2] < 1e-3, f"errors {errors}")
    folder.run(0, recon("-o", "eigen.h5", "--prior", "prior.h5", "--reg", "prior:1", "--solver",
                        "eigen", "--iterations", "60", "--tolerance", "1e-6"))
    folder.run(0, recon("-o", "device.h5", "--prior", "prior.h5", "--reg", "prior:1",
                        "--iterations", "60", "--tolerance", "1e-6"))
    one, other = (image_of(folder, name)[0] for name in ("eigen.h5", "device.h5"))
    expect(np.linalg.norm(one - other) < 1e-5 * np.linalg.norm(one), "two solvers, two images")
    # On a Cartesian grid A is Q(0): weight 1 gives the mean of the image and its prior.
    folder.run(0, ["simulate", "--trajectory", "cartesian", "--matrix", "16,16", "-o", "grid.h5",
                   "--quiet"])
    write_prior(folder, "larger.h5", 1.5 * truth)
    for name, words in {"alone.h5": ["--iterations", "5"],
                        "both.h5": ["--prior", "larger.h5", "--reg", "prior:1"]}.items():
        folder.run(0, ["recon", "grid.h5", "-o", name, "--quiet", "--backend", "reference", *words])
    alone, both = (image_of(folder, name)[0] for name in ("alone.h5", "both.h5"))
    mean = (alone + 1.5 * truth) / 2
    expect(np.linalg.norm(both - mean) < 1e-5 * np.linalg.norm(mean), "not the mean of both")
    record = image_of(folder, "device.h5")[1]
    expect(len(record["option_prior_sha256"]) == 64, record)
    expect(record["option_prior"] == "prior.h5", record)


def edges_of_another_contrast_keep_edges(make):
    """Noise goes, and the object's edges stay: with edges from another grid and contrast, and
    half the error of the same weight without edges."""
    folder = make()
    noisy_scan(folder)
    truth = abs(image_of(folder, "fine.h5")[0])
    contrast = np.sqrt(truth) * (1 + 1j)
    write_prior(folder, "prior.h5", np.kron(contrast, np.ones((2, 2))))
    errors = {}
    for name, words in {"plain": [], "roughness": ["--reg", "roughness:0.3"],
                        "anatomical": ["--reg", "anatomical:0.3", "--prior", "prior.h5"]}.items():
        folder.run(0, ["recon", "noisy.h5", "-o", "i.h5", "--quiet", "--backend", "reference",
                       "--iterations", "40", *words])
        image = abs(image_of(folder, "i.h5")[0])
        errors[name] = np.linalg.norm(image - truth) / np.linalg.norm(truth)
    expect(errors["anatomical"] < 0.6 * min(errors["plain"], errors["roughness"]), errors)


def nifti_of_another_corner(path, values, voxel, position, rows, slowest_first):
    """values [y, x] of a plane, stored from its last x on, and y first where that is wanted."""
    steps = np.array([values.shape[1] - 1 - values.shape[1] // 2, -(values.shape[0] // 2)]) * voxel
    affine = np.eye(4)
    columns = [-rows[0] * voxel, rows[1] * voxel, -rows[2] * 5]
    stored = values[:, ::-1].T
    if slowest_first:
        columns[:2], stored = columns[1::-1], stored.T
    affine[:3, :3] = np.transpose(columns)
    affine[:3, 3] = position + steps[0] * rows[0] + steps[1] * rows[1]
    affine[:2] *= -1 # from LPS to RAS
    nibabel.save(nibabel.Nifti1Image(stored[..., None].astype("i2"), affine), path)


def a_prior_of_a_scanner_is_read_where_it_is(make):
    """A proton image in NIfTI on a finer grid and from another corner does what the same image in a
    file of this program does."""
    folder = make()
    noisy_scan(folder)
    rows, position = directions(), np.array([10.0, -20, 30])
    with h5py.File(folder / "noisy.h5", "r+") as f:
        f.attrs["position"], f.attrs["directions"] = position, rows.ravel()
        voxel = f.attrs["fov_mm"][0] / 80
    truth = abs(image_of(folder, "fine.h5")[0])
    proton = np.rint(1000 * np.kron(np.sqrt(truth / truth.max()), np.ones((2, 2))))
    write_prior(folder, "prior.h5", proton, position=position, directions=rows.ravel())
    nifti_of_another_corner(folder / "x.nii.gz", proton, voxel, position, rows, False)
    nifti_of_another_corner(folder / "y.nii.gz", proton, voxel, position, rows, True)
    folder.run(0, ["convert", "prior.h5", "-o", "prior.mrd"])
    images = {}
    for name in ("prior.h5", "x.nii.gz", "y.nii.gz", "prior.mrd"):
        folder.run(0, ["recon", "noisy.h5", "-o", "i.h5", "--quiet", "--backend", "reference",
                       "--iterations", "40", "--reg", "anatomical:0.3", "--prior", name])
        images[name], record = image_of(folder, "i.h5")
        expect(len(record["option_prior_sha256"]) == 64 and record["option_prior"] == name, record)
    wanted = images["prior.h5"]
    expect(np.linalg.norm(abs(wanted) - truth) < 0.5 * np.linalg.norm(truth), "a bad image")
    for name, image in images.items():
        expect(np.linalg.norm(image - wanted) < 1e-4 * np.linalg.norm(wanted), f"{name} differs")
    nifti_of_another_corner(folder / "far.nii", proton, voxel, position + 60 * rows[0], rows, True)
    nifti_of_another_corner(folder / "turned.nii", proton, voxel, position, directions(), True)
    for name, says in (("far.nii", "field of view"), ("turned.nii", "turned against")):
        folder.run(INPUT, ["recon", "noisy.h5", "-o", "image.h5", "--quiet", "--reg",
                           "anatomical:0.3", "--prior", name], [name, says])


def a_prior_goes_with_what_uses_it(make):
    folder = make()
    write_prior(folder, "prior.h5", image_of(folder, "truth.h5")[0])
    for name in ("prior", "anatomical"):
        folder.run(USAGE, recon("-o", "image.h5", "--reg", f"{name}:1"), [name, "--prior FILE"])
    folder.run(USAGE, recon("-o", "image.h5", "--prior", "prior.h5"), ["no regulariser uses it"])
    folder.run(USAGE, recon("-o", "image.h5", "--prior", "prior.h5", "--reg", "tv:1"),
               ["no regulariser uses it"])
    folder.run(0, ["simulate", "--matrix", "16,16", "--coils", "3", "-o", "coils.h5", "--quiet"])
    folder.run(USAGE, ["recon", "coils.h5", "-o", "image.h5", "--maps", "none", "--prior",
                       "prior.h5", "--reg", "prior:1", "--quiet"], ["is solved alone", "--maps"])


def a_prior_that_does_not_belong_is_refused(make):
    folder = make()
    truth = image_of(folder, "truth.h5")[0]
    with h5py.File(folder / "truth.h5") as f:
        fov = f["image"].attrs["fov_mm"]
    nan = truth.copy()
    nan[3, 4] = np.nan
    outside = np.zeros((64, 64))
    outside[0, 0] = 1
    cases = {
        "zeros.h5": ((np.zeros((16, 16)),), {}, "0 in every voxel"),
        "nan.h5": ((nan,), {}, "voxel (4, 3)"),
        "small.h5": ((truth,), {"fov_mm": fov / 2}, "field of view"),
        "metres.h5": ((truth,), {"fov_mm": fov * 1000}, "field of view"),
        "volume.h5": ((np.ones((4, 16, 16)),), {"fov_mm": [*fov, 10]},
                      "no position and directions"),
        "outside.h5": ((outside,), {"fov_mm": fov * 4}, "only zeros where"),
        "large.h5": ((truth * 1e6,), {}, "multiplied by"),
        "turned.h5": ((truth * 1j,), {}, "multiplied by"),
    }
    for name, (values, attributes, says) in cases.items():
        write_prior(folder, name, *values, **attributes)
        folder.run(INPUT, recon("-o", "image.h5", "--prior", name, "--reg", "prior:1"),
                   [name, says, "next:"])
    write_prior(folder, "flat.h5", np.ones((16, 16)))
    folder.run(INPUT, recon("-o", "image.h5", "--prior", "flat.h5", "--reg", "anatomical:1"),
               ["flat.h5", "same magnitude"])
    with h5py.File(folder / "truth.h5") as f, h5py.File(folder / "two.h5", "w") as two:
        two["image"] = np.repeat(f["image"][()], 2, axis=0)
        two["image"].attrs["fov_mm"] = fov
    folder.run(INPUT, recon("-o", "image.h5", "--prior", "two.h5", "--reg", "prior:1"),
               ["two.h5", "2 frames", "one frame"])
    folder.run(INPUT, recon("-o", "image.h5", "--prior", "nowhere.h5", "--reg", "prior:1"),
               ["nowhere.h5"])
    folder.run(INPUT, recon("-o", "image.h5", "--prior", "scan.h5", "--reg", "prior:1"),
               ["scan.h5", "next:"])
    write_prior(folder, "three.h5", truth * 3)
    folder.run(0, recon("-o", "i.h5", "--prior", "three.h5", "--reg", "prior:0.01"),
               ["multiplied by 0.3"])


if __name__ == "__main__":
    sys.exit(run_cases([a_prior_pulls_the_image_to_it, a_frame_of_zeros_is_its_prior,
                        edges_of_another_contrast_keep_edges,
                        a_prior_of_a_scanner_is_read_where_it_is, a_prior_goes_with_what_uses_it,
                        a_prior_that_does_not_belong_is_refused]))
