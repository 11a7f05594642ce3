#!/usr/bin/env python3
"""lsrecon convert: images of other programs are read with their values, at their place.

    convert_inputs.py LSRECON"""

import gzip
import shutil
import sys

import h5py
import nibabel
import numpy as np

from images import directions, marked, place_of, rng, write_image
from in_folders import INPUT, USAGE, expect, run_cases

LPS_TO_RAS = np.diag([-1.0, -1.0, 1.0])
SHAPES = (((5, 6), (150, 240)), ((4, 5), (180, 100)), ((6, 5, 4), (90, 130, 120)),
          ((3, 6, 7), (33, 66, 70)))


def read_back(folder, name="back.h5"):
    with h5py.File(folder / name) as f:
        labels = list(f["frame_labels"].asstr()) if "frame_labels" in f else None
        positions = f["frame_positions"][()] if "frame_positions" in f else None
        return f["image"][()], dict(f["image"].attrs), labels, positions


def expect_geometry(about, fov, position, rows, message):
    expect(np.allclose(about["fov_mm"], fov, rtol=1e-6), f"{message}: fov {about['fov_mm']}")
    expect(np.allclose(about["position"], position, atol=1e-4), f"{message}: another position")
    expect(np.allclose(about["directions"], np.ravel(rows), atol=1e-6),
           f"{message}: other directions")


def there_and_back(make):
    """Through NIfTI and through ISMRMRD images."""
    folder = make()
    parts = {"complex": np.asarray, "magnitude": abs, "imaginary": np.imag}
    for number, (shape, fov) in enumerate(SHAPES):
        for frames, left_handed in ((1, False), (3, True)):
            rows, position = directions(left_handed), rng.uniform(-80, 80, 3)
            values = rng.normal(size=(frames, *shape)) + 1j * rng.normal(size=(frames, *shape))
            values = values.astype("c8")
            write_image(folder / "i.h5", values, fov[::-1], position, rows)
            for name in ("o.nii", "o.nii.gz", "o.mrd"):
                # Of one of two images of as many dimensions every part.
                for part, of in list(parts.items())[:None if number % 2 else 1]:
                    folder.run(0, ["convert", "i.h5", "-o", name, "--part", part])
                    folder.run(0, ["convert", name, "-o", "back.h5"])
                    found, about, labels, positions = read_back(folder)
                    message = f"{name} {part} {shape} {frames}"
                    expect(found.shape == values.shape, f"{message}: {found.shape}")
                    expect(np.allclose(found, of(values), rtol=1e-6, atol=0), f"{message}: values")
                    expect_geometry(about, fov[::-1], position, rows, message)
                    expect(not any(labels or []) and positions is None,
                           f"{message}: labels or positions")
            folder.run(0, ["convert", "o.mrd", "-o", "o.cfl"])
            folder.run(0, ["convert", "o.nii", "-o", "o.mrd"])
    folder.run(USAGE, ["convert", "o.nii", "-o", "x.nii"], ["already NIfTI-1"])
    folder.run(USAGE, ["convert", "o.nii", "-o", "x.nii", "--part", "real"], ["already NIfTI-1"])
    folder.run(USAGE, ["convert", "o.mrd", "-o", "x.mrd"], ["already ISMRMRD images"])


def within_one_format(make):
    """A part, or another compression; what --part leaves open stays as it was."""
    folder = make()
    values = (rng.normal(size=(2, 4, 5)) + 1j * rng.normal(size=(2, 4, 5))).astype("c8")
    write_image(folder / "i.h5", values, (50, 40), np.zeros(3), np.eye(3))
    for ending in ("nii", "mrd"):
        folder.run(0, ["convert", "i.h5", "-o", f"c.{ending}", "--part", "complex"])
        folder.run(USAGE, ["convert", f"c.{ending}", "-o", f"x.{ending}"], ["already", "--part"])
        folder.run(0, ["convert", f"c.{ending}", "-o", f"m.{ending}", "--part", "magnitude"])
        folder.run(0, ["convert", f"m.{ending}", "-o", "m.h5"])
        expect(np.allclose(read_back(folder, "m.h5")[0], abs(values), rtol=1e-6), ending)
        for name, wanted in ((f"c.{ending}", values), (f"m.{ending}", abs(values))):
            folder.run(0, ["convert", name, "-o", f"one.{ending}", "--frame", "1"])
            folder.run(0, ["convert", f"one.{ending}", "-o", "one.h5"])
            expect(np.allclose(read_back(folder, "one.h5")[0], wanted[1], rtol=1e-6),
                   f"{name}: --frame changed the part")
    folder.run(0, ["convert", "c.nii", "-o", "c.nii.gz"])
    folder.run(0, ["convert", "c.nii.gz", "-o", "z.h5"])
    expect(np.array_equal(read_back(folder, "z.h5")[0], values), "compressed: other values")
    folder.run(INPUT, ["convert", "scan.h5", "-o", "x.h5"],
               ["the native scan file", "lsrecon recon"])


def info_says_what_they_are(make):
    folder = make()
    values = rng.normal(size=(2, 4, 5)) + 1j
    write_image(folder / "i.h5", values, (50, 40), np.zeros(3), np.eye(3))
    for name, form, numbers in (("o.nii", "NIfTI-1", "real"), ("o.cfl", "BART's pair", "complex"),
                                ("o.mrd", "ISMRMRD images", "complex")):
        folder.run(0, ["convert", "i.h5", "-o", name])
        said = folder.run(0, ["info", name]).stdout
        for words in (form, "lsrecon view", "5 x 4 voxels", numbers, "frames                    2"):
            expect(words in said, f"info {name} does not say '{words}': {said}")
        for command in ("check", "recon"):
            folder.run(INPUT, [command, name, *["-o", "image.h5"][:2 * (command == "recon")]],
                       [form, "expected: a scan", "lsrecon info"])
    for name in ("o.nii", "o.mrd"):
        for words in (["--fov-mm", "1,1,1"], ["--map", "g_factor"]):
            folder.run(USAGE, ["convert", name, "-o", "x.h5", *words], [words[0], "leave"])
    folder.run(0, ["view", "o.nii", "-o", "p.html"])
    folder.run(0, ["view", "o.mrd", "-o", "p.html"])


def frames_keep_labels_and_positions(make):
    folder = make()
    rows, positions = directions(), rng.uniform(-80, 80, (3, 3))
    labels = ["slice 2, echo <1> & \"b\"", "", "slice 7"]
    values = rng.normal(size=(3, 4, 5))
    write_image(folder / "i.h5", values, (50, 40), positions[0], rows, positions, labels)
    folder.run(0, ["convert", "i.h5", "-o", "o.mrd"])
    folder.run(0, ["convert", "o.mrd", "-o", "back.h5"])
    found, about, names, places = read_back(folder)
    expect(np.allclose(found, values) and np.allclose(places, positions, atol=1e-4), "positions")
    expect(names == [labels[0], "slice 0", labels[2]], f"labels {names}")
    # Of a program that writes no labels: the counters that vary.
    with h5py.File(folder / "o.mrd", "r+") as f:
        del f["dataset/image_0/attributes"]
        header = f["dataset/image_0/header"][()]
        header["repetition"], header["contrast"] = [0, 1, 2], 4
        f["dataset/image_0/header"][()] = header
    folder.run(0, ["convert", "o.mrd", "-o", "back.h5"])
    expect(read_back(folder)[2] == [f"slice {s}, repetition {r}"
                                    for s, r in ((2, 0), (0, 1), (7, 2))], "counters")
    write_image(folder / "i.h5", values, (50, 40))
    folder.run(0, ["convert", "i.h5", "-o", "o.mrd"])
    folder.run(0, ["convert", "o.mrd", "-o", "back.h5"])
    about = read_back(folder)[1]
    expect("position" not in about and "directions" not in about, "a place that nobody knows")


def nifti(values, affine, code=1, units="mm", kind="sform"):
    """values [x, y(, z)(, frame)] as they are stored."""
    image = nibabel.Nifti1Image(values, None, dtype=values.dtype)
    image.header.set_xyzt_units(units)
    image.header.set_zooms([*np.linalg.norm(affine[:3, :3], axis=0)[:min(values.ndim, 3)],
                            *([1.0] if values.ndim > 3 else [])])
    image.set_sform(affine, code if kind == "sform" else 0)
    image.set_qform(affine if kind != "sform" else np.diag([1, 1, 1, 1.0]),
                    code if kind == "qform" else 0)
    return image


def corner_affines():
    """RAS affines of grids whose axes are named in any order, from either end, and oblique."""
    for order in ((0, 1, 2), (1, 2, 0), (2, 1, 0)):
        for signs in ((1, 1, 1), (-1, -1, 1), (-1, 1, -1)):
            affine = np.eye(4)
            voxel = rng.uniform(0.7, 4, 3)
            affine[:3, :3] = (np.eye(3) * signs)[:, order] * voxel
            affine[:3, 3] = rng.uniform(-90, 90, 3)
            yield affine
            affine = affine.copy()
            affine[:3, :3] = directions() @ affine[:3, :3]
            yield affine


def voxels_of_nibabel_lie_where_they_are(make):
    folder = make()
    shapes = ((5, 4, 6), (4, 7, 3, 2), (6, 5), (3, 4, 1))
    for number, affine in enumerate(corner_affines()):
        shape = shapes[number % len(shapes)]
        for kind in ("sform", "qform"):
            index = tuple(int(rng.integers(n)) for n in shape[:3]) + (0,) * (3 - len(shape[:3]))
            values = marked(shape, index[:len(shape[:3])] + (0,) * (len(shape) - 3)).real
            nibabel.save(nifti(values.astype("f4"), affine, kind=kind), folder / "n.nii.gz")
            folder.run(0, ["convert", "n.nii.gz", "-o", "back.h5"])
            found, about, *_ = read_back(folder)
            first = values.reshape(*shape[:3], -1)[..., 0] if len(shape) > 2 else values
            expect(np.array_equal(found[0].ravel(), first.astype("f4").T.ravel()),
                   f"{shape}: other values")
            size = (*shape[:3], 1)[:3]
            fov = [*about["fov_mm"], np.linalg.norm(affine[:3, 2])][:3]
            place = place_of(index, size, fov, about["position"],
                             about["directions"].reshape(3, 3))
            wanted = LPS_TO_RAS @ (affine[:3, :3] @ index + affine[:3, 3])
            expect(np.allclose(place, wanted, atol=2e-3), f"{kind} {shape}: {place}, not {wanted}")


def types_orders_scales_and_units(make):
    folder = make()
    affine = np.diag([2.0, 3, 4, 1])
    affine[:3, 3] = 10, 20, 30
    for name in ("u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f4", "f8", "c8", "c16"):
        for order in "<>":
            values = rng.integers(0, 100, (3, 4, 5, 2)).astype(order + name)
            if name[0] == "c":
                values = values + 1j * rng.integers(0, 100, values.shape)
            image = nifti(values, affine)
            image = nibabel.Nifti1Image(values.astype(order + name), None,
                                        image.header.as_byteswapped(order),
                                        dtype=np.dtype(order + name))
            image.header.set_data_dtype(np.dtype(order + name))
            image.to_filename(folder / "n.nii")
            folder.run(0, ["convert", "n.nii", "-o", "back.h5"])
            found, about, *_ = read_back(folder)
            expect(np.array_equal(found, values.transpose(3, 2, 1, 0)), f"{order}{name}: values")
            expect(np.allclose(about["voxel_size_mm"], (2, 3, 4)), f"{order}{name}: voxels")
    values = rng.normal(size=(3, 4, 5)) * 7 + 100
    image = nifti(values, affine)
    image.header.set_data_dtype(np.int16) # nibabel finds slope and intercept
    for files in (("n.nii",), ("n.hdr", "n.img"), ("n.hdr.gz", "n.img.gz")):
        nibabel.save(image, folder / files[-1])
        wanted = nibabel.load(folder / files[-1]).get_fdata()
        for name in files:
            folder.run(0, ["convert", name, "-o", "back.h5"])
            expect(np.allclose(read_back(folder)[0][0], wanted.T, rtol=1e-6), f"{name}: scaled")
    for units, factor in (("meter", 1000), ("micron", 1e-3), ("unknown", 1)):
        nibabel.save(nifti(values.astype("f4"), affine, units=units), folder / "n.nii")
        folder.run(0, ["convert", "n.nii", "-o", "back.h5"])
        about = read_back(folder)[1]
        expect(np.allclose(about["voxel_size_mm"], np.array([2, 3, 4]) * factor), units)
        centre = LPS_TO_RAS @ (affine @ [1, 2, 2, 1])[:3]
        expect(np.allclose(about["position"], centre * factor), f"{units}: position")
    nibabel.save(nifti(values.astype("f4"), affine, kind="none"), folder / "n.nii")
    folder.run(0, ["convert", "n.nii", "-o", "back.h5"], ["has no position or directions"])
    about = read_back(folder)[1]
    expect("position" not in about and np.allclose(about["voxel_size_mm"], (2, 3, 4)), "no place")
    with open(folder / "n.nii", "rb") as plain, gzip.open(folder / "image", "wb") as packed:
        shutil.copyfileobj(plain, packed)
    folder.run(0, ["convert", "image", "-o", "back.h5"]) # by its content


if __name__ == "__main__":
    sys.exit(run_cases([there_and_back, within_one_format, info_says_what_they_are,
                        frames_keep_labels_and_positions, voxels_of_nibabel_lie_where_they_are,
                        types_orders_scales_and_units]))
