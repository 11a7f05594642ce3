#!/usr/bin/env python3
"""lsrecon convert: what other programs read is the same image at the same place.

    convert.py LSRECON"""

import os
import sys

import h5py
import nibabel
import numpy as np

from images import directions, marked, place_of, rng, write_image
from in_folders import INPUT, USAGE, expect, run_cases
from pixels import pixels

LPS_TO_RAS = np.diag([-1.0, -1.0, 1.0])


def expect_place(path, wanted, message, volume=0):
    """The largest voxel of the NIfTI file lies there, by sform and by qform."""
    image = nibabel.load(path)
    expect(image.header["sform_code"] == 1 and image.header["qform_code"] == 1,
           f"{message}: codes {image.header['sform_code']} and {image.header['qform_code']}")
    expect(image.header.get_xyzt_units()[0] == "mm", f"{message}: no unit")
    values = np.asarray(image.dataobj)
    values = abs(values[..., volume] if values.ndim == 4 else values)
    index = np.unravel_index(np.argmax(values), values.shape)
    for kind, affine in (("sform", image.get_sform()), ("qform", image.get_qform())):
        found = affine[:3, :3] @ index + affine[:3, 3]
        expect(np.allclose(found, LPS_TO_RAS @ wanted, atol=2e-3),
               f"{message}: by {kind} at {found}, expected {LPS_TO_RAS @ wanted}")


def voxels_lie_where_they_are(make):
    folder = make()
    for size, fov in (((6, 5), (240, 150)), ((5, 4), (100, 180)), ((4, 5, 6), (120, 130, 90)),
                      ((7, 6, 3), (70, 66, 33))):
        for left_handed in (False, True):
            rows, position = directions(left_handed), rng.uniform(-80, 80, 3)
            at = tuple(int(rng.integers(n)) for n in size)
            values = marked((1, *size[::-1]), (0, *at[::-1]))
            write_image(folder / "i.h5", values, fov, position, rows)
            for name in ("o.nii", "o.nii.gz"):
                folder.run(0, ["convert", "i.h5", "-o", name])
                expect_place(folder / name, place_of(at, size, fov, position, rows),
                             f"{size} left_handed={left_handed}")
            image = nibabel.load(folder / "o.nii.gz")
            found = np.asarray(image.dataobj).T
            expect(image.get_data_dtype() == np.float32, "magnitudes are no float32")
            expect(np.allclose(found.reshape(values[0].shape), abs(values[0]), rtol=1e-6),
                   "other magnitudes")
            zooms = [mm / n for mm, n in zip(fov, size)] + [1.0]
            expect(np.allclose(image.header.get_zooms()[:3], zooms[:3]), "other voxel sizes")


def parts_and_frames(make):
    folder = make()
    values = rng.normal(size=(3, 2, 4, 5)) + 1j * rng.normal(size=(3, 2, 4, 5))
    write_image(folder / "i.h5", values, (50, 40, 20))
    parts = {"magnitude": abs, "phase": np.angle, "real": np.real, "imaginary": np.imag,
             "complex": np.asarray}
    for part, of in parts.items():
        run = folder.run(0, ["convert", "i.h5", "-o", "o.nii", "--part", part], [part, "sform"])
        expect("3 frames" in run.stderr, "the frames are not reported")
        image = nibabel.load(folder / "o.nii")
        expect(image.header["sform_code"] == 0 and image.header["qform_code"] == 0,
               "a place that nobody knows")
        found = np.asarray(image.dataobj).transpose(3, 2, 1, 0)
        expect(np.iscomplexobj(found) == (part == "complex"), f"{part} of {found.dtype}")
        expect(np.allclose(found, of(values), atol=1e-6), f"another {part}")
    folder.run(0, ["convert", "i.h5", "-o", "o.nii", "--frame", "2", "--slices", "1"])
    found = np.asarray(nibabel.load(folder / "o.nii").dataobj)
    expect(np.allclose(found[..., 0].T, abs(values[2, 1]), atol=1e-6), "another frame or slice")
    for words in (["--frame", "3"], ["--slices", "1-2"], ["--slices", "1-0"], ["--frame", "-1"],
                  ["--slices", "x"], ["--part", "shape"], ["--window", "0,1"],
                  ["--fov-mm", "1,1,1"]):
        folder.run(USAGE, ["convert", "i.h5", "-o", "new.nii", *words], [words[0]])
    expect(not os.path.exists(folder / "new.nii"), "a refused command wrote a file")


def cut_slices_stay_where_they_were(make):
    folder = make()
    for slices in (5, 6):
        size, fov = (4, 3, slices), (80, 60, 55)
        rows, position = directions(), rng.uniform(-80, 80, 3)
        write_image(folder / "i.h5", marked((1, *size[::-1]), (0, 3, 1, 2)), fov, position, rows)
        for cut in ("3", "1-3", "2-4", "0-3"):
            folder.run(0, ["convert", "i.h5", "-o", "o.nii", "--slices", cut])
            expect_place(folder / "o.nii", place_of((2, 1, 3), size, fov, position, rows), cut)


def slices_become_volumes(make):
    folder = make()
    for count in (4, 5):
        rows, centre = directions(), rng.uniform(-50, 50, 3)
        order = [(s, r) for r in range(2) for s in rng.permutation(count)]
        order.sort(key=lambda pair: pair[1])
        values = np.full((len(order), 5, 6), 0.1 + 0j)
        values[order.index((2, 1)), 1, 4] = 9
        positions = [centre + 3.5 * s * rows[2] for s, _ in order]
        labels = [f"slice {s}, repetition {r}" for s, r in order]
        write_image(folder / "i.h5", values, (120, 100), positions[0], rows, positions, labels)
        folder.run(0, ["convert", "i.h5", "-o", "o.nii"], [f"{count} slices, 3.5 mm apart"])
        image = nibabel.load(folder / "o.nii")
        expect(image.shape == (6, 5, count, 2), f"volumes of {image.shape}")
        expect(np.allclose(image.header.get_zooms()[:3], (20, 20, 3.5)), "another distance")
        wanted = place_of((4, 1), (6, 5), (120, 100), positions[order.index((2, 1))], rows)
        expect_place(folder / "o.nii", wanted, f"{count} slices", volume=1)
        folder.run(0, ["convert", "i.h5", "-o", "o.nii", "--slices", "1-2"])
        expect(nibabel.load(folder / "o.nii").shape == (6, 5, 2, 2), "other slices")
        expect_place(folder / "o.nii", wanted, "two slices", volume=1)


def other_positions_are_refused(make):
    folder = make()
    rows = directions()
    still = np.zeros(3)
    cases = {
        "uneven": [still, 3 * rows[2], 7 * rows[2]], "no slices": [still, 3 * rows[0], 6 * rows[0]],
        "slanted": [still, 3 * rows[2] + rows[0], 6 * rows[2] + 2 * rows[0]],
        "unequal": [still, still, 3 * rows[2]],
    }
    for name, positions in cases.items():
        values = marked((3, 4, 4), (1, 2, 3))
        write_image(folder / "i.h5", values, (40, 40), positions[0], rows, positions)
        run = folder.run(INPUT, ["convert", "i.h5", "-o", "o.nii"], ["position", "--frame"])
        expect(run.returncode == INPUT, f"{name} positions became volumes")
        expect(not os.path.exists(folder / "o.nii"), f"{name} positions left a file")
    folder.run(0, ["convert", "i.h5", "-o", "o.nii", "--frame", "1"])
    expect_place(folder / "o.nii", place_of((3, 2), (4, 4), (40, 40), positions[1], rows), "one")
    write_image(folder / "i.h5", values, (40, 40), still, rows,
                [still, 3 * rows[2], 6 * rows[2]], ["a", "b", "c"])
    folder.run(INPUT, ["convert", "i.h5", "-o", "new.nii"], ['"a" and "b"'])
    write_image(folder / "i.h5", marked((2, 3, 4, 4), (1, 2, 3, 0)), (40, 40, 30), still, rows,
                [still, rows[2]])
    folder.run(INPUT, ["convert", "i.h5", "-o", "new.nii"], ["volumes at 2 positions"])


def cfl_there_and_back(make):
    folder = make()
    for shape, fov in (((3, 4, 5), (50, 40)), ((1, 2, 3, 4), (44, 33, 22))):
        values = (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype("c8")
        write_image(folder / "i.h5", values, fov)
        folder.run(0, ["convert", "i.h5", "-o", "b", "--to", "cfl"])
        with open(folder / "b.hdr", encoding="ascii") as f:
            lines = f.read().splitlines()
        space = list(shape[:0:-1]) + [1] * (4 - len(shape))
        wanted = space + [1] * 7 + [shape[0]] + [1] * 5
        expect(lines[0] == "# Dimensions" and lines[1].split() == [str(n) for n in wanted],
               f"another header: {lines}")
        expect(np.array_equal(np.fromfile(folder / "b.cfl", "<c8"), values.ravel()), "other values")
        for name in ("b", "b.cfl", "b.hdr"):
            folder.run(0, ["convert", name, "-o", "back.h5", "--fov-mm",
                           ",".join(str(mm) for mm in fov)])
            with h5py.File(folder / "back.h5") as f:
                expect(np.array_equal(f["image"][()], values), f"{name} came back as another image")
                expect(np.allclose(f["image"].attrs["fov_mm"], fov), "another field of view")
                expect(f["record"].attrs["converted_from"] == name, "the record does not say it")
    folder.run(0, ["convert", "b", "-o", "back.h5"], ["1 mm"])
    with h5py.File(folder / "back.h5") as f:
        expect(np.array_equal(f["image"].attrs["voxel_size_mm"], [1, 1, 1]), "voxels are not 1 mm")


def other_dimensions_of_cfl_are_frames(make):
    folder = make()
    values = np.arange(1, 49).astype("<c8") # x 4, y 3, coil 2, time 2
    values.tofile(folder / "c.cfl")
    with open(folder / "c.hdr", "w", encoding="ascii") as f:
        f.write("# Dimensions\n4 3 1 2 1 1 1 1 1 1 2\n# Command\nphantom\n")
    folder.run(0, ["convert", "c", "-o", "o.h5"])
    with h5py.File(folder / "o.h5") as f:
        expect(f["image"].shape == (4, 3, 4) and f["image"][2, 1, 1] == 30, "another order")
        expect(list(f["frame_labels"].asstr()) == [f"coil {c}, time {t}" for t in (0, 1)
                                                   for c in (0, 1)], "other labels")
    folder.run(USAGE, ["convert", "c", "-o", "new.h5", "--fov-mm", "1,2,3"], ["--fov-mm"])


def ismrmrd_images(make):
    """As h5py sees what libismrmrd would have written."""
    folder = make()
    values = rng.normal(size=(3, 4, 5)) + 1j * rng.normal(size=(3, 4, 5))
    rows = directions()
    positions = rng.uniform(-80, 80, (3, 3)) # of any kind: every image has its own
    labels = ["slice 2, contrast 0", "slice 2, contrast 1", "slice 7, contrast 0"]
    write_image(folder / "i.h5", values, (50, 40), positions[0], rows, positions, labels)
    for words, kind, part in (([], 5, np.asarray), (["--part", "phase"], 2, np.angle)):
        folder.run(0, ["convert", "i.h5", "-o", "o.mrd", *words], ["3 frames"])
        with h5py.File(folder / "o.mrd") as f:
            group = f["dataset/image_0"]
            found, header = group["data"][()], group["header"][()]
            texts = group["attributes"].asstr()[()]
        if kind == 5:
            found = found["real"] + 1j * found["imag"]
        expect(found.shape == (3, 1, 1, 4, 5), f"data {found.shape}")
        expect(np.allclose(found[:, 0, 0], part(values), atol=1e-6), "other values")
        # Readers of the format copy the bytes of a header: its size and offsets are the format's.
        offsets = [header.dtype.fields[n][1] for n in ("flags", "position", "attribute_string_len")]
        expect(header.dtype.itemsize == 198 and offsets == [4, 36, 194], f"a layout of {offsets}")
        expect(list(header["image_index"]) == [1, 2, 3] and set(header["image_type"]) == {kind},
               "other images")
        expect(list(header["slice"]) == [2, 2, 7] and list(header["contrast"]) == [0, 1, 0],
               "other counters")
        expect(header["matrix_size"].tolist() == [[5, 4, 1]] * 3, "another matrix")
        expect(np.allclose(header["field_of_view"][:, :2], (50, 40)), "another field of view")
        expect(np.allclose(header["position"], positions), "other positions")
        for name, row in zip(("read_dir", "phase_dir", "slice_dir"), rows):
            expect(np.allclose(header[name], row), f"another {name}")
        expect(all(label in words for label, words in zip(labels, texts)), "labels are lost")
        expect([len(text) for text in texts] == list(header["attribute_string_len"]), "lengths")


def pictures(make):
    folder = make()
    values = np.zeros((2, 3, 4, 4), "c8")
    values[1, :, 0, 0], values[1, :, 3, 3] = 5j, -10
    write_image(folder / "i.h5", values, (4, 4, 3))

    def corners(*words):
        folder.run(0, ["convert", "i.h5", "-o", "p.png", "--frame", "1", "--slices", "1", *words])
        grey = pixels(folder / "p.png")
        return [grey[0, 0], grey[0, -1], grey[-1, -1]]

    expect(corners("--percentile", "100") == [128, 0, 255], "the largest is not white")
    expect(corners("--window", "2.5,7.5") == [128, 0, 255], "another window")
    expect(corners("--window", "0,40") == [32, 0, 64], "a wider window is not darker")
    expect(corners("--part", "phase") == [191, 128, 255], "other phases")
    expect(corners("--part", "real", "--percentile", "100") == [128, 128, 0], "other real parts")
    folder.run(0, ["convert", "i.h5", "-o", "p.png"])
    expect(pixels(folder / "p.png").shape == (256, 384), "not six panes of slices and frames")
    folder.run(0, ["convert", "-o", "p.png", "--window", "-1.5,2e1", "i.h5"])
    for words in (["--window", "2,1"], ["--window", "1"], ["--window", "-inf,inf"],
                  ["--window", "0,nan"], ["--window", "0,1,2"], ["--window", "0,x"],
                  ["--percentile", "101"], ["--percentile", "0"],
                  ["--part", "complex"], ["--part", "phase", "--percentile", "50"],
                  ["--window", "0,1", "--percentile", "50"]):
        folder.run(USAGE, ["convert", "i.h5", "-o", "new.png", *words])
    expect(not os.path.exists(folder / "new.png"), "a refused command wrote a picture")


def a_frame_of_an_image_file_becomes_one(make):
    folder = make()
    values = marked((3, 5, 6), (1, 2, 3))
    write_image(folder / "i.h5", values, (60, 50), rng.uniform(-80, 80, 3), directions(False))
    folder.run(0, ["convert", "i.h5", "-o", "one.h5", "--frame", "1"])
    with h5py.File(folder / "i.h5") as whole, h5py.File(folder / "one.h5") as one:
        expect(np.array_equal(one["image"][()], whole["image"][1:2]), "the frame's values")
        for name in ("position", "directions", "fov_mm"):
            expect(np.array_equal(one["image"].attrs[name], whole["image"].attrs[name]), name)
    folder.run(USAGE, ["convert", "i.h5", "-o", "x.h5"], ["already", "--frame"])


if __name__ == "__main__":
    sys.exit(run_cases([a_frame_of_an_image_file_becomes_one, voxels_lie_where_they_are,
                        parts_and_frames,
                        cut_slices_stay_where_they_were, slices_become_volumes,
                        other_positions_are_refused, cfl_there_and_back,
                        other_dimensions_of_cfl_are_frames, ismrmrd_images, pictures]))
