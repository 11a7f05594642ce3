#!/usr/bin/env python3
"""lsrecon convert: images of other programs that cannot be an image here, or are damaged, are
refused by name, and nothing is written.

    convert_input_refusals.py LSRECON"""

import gzip
import os
import sys

import h5py
import nibabel
import numpy as np

from images import rng, write_image
from in_folders import INPUT, USAGE, expect, run_cases

WORK = ("--quiet", "--backend", "reference")


def save(path, values, affine=None, change=None):
    """By sform and qform; `change` of the header as it lies in the file."""
    image = nibabel.Nifti1Image(values, np.eye(4) if affine is None else affine)
    image.to_filename(path)
    if change is not None:
        with open(path, "rb") as f:
            data = f.read()
        header = np.frombuffer(data[:348], nibabel.Nifti1Header.template_dtype).copy()
        change(header[0])
        with open(path, "wb") as f:
            f.write(header.tobytes() + data[348:])


def setter(name, value):
    def change(header):
        header[name] = value
    return change


def at(name, index, value):
    def change(header):
        header[name][index] = value
    return change


def only_qform(change):
    def both(header):
        header["sform_code"], header["qform_code"] = 0, 1
        change(header)
    return both


def bad_nifti(make):
    folder = make()
    values = rng.uniform(1, 2, (4, 5, 6)).astype("f4")
    sheared = np.eye(4)
    sheared[0, 1] = 0.2
    nan = values.copy()
    nan[3, 2, 1] = np.nan
    rgb = np.zeros((4, 5), np.dtype([("R", "u1"), ("G", "u1"), ("B", "u1")]))
    cases = [
        (values, sheared, None, ["affine", "right angles"]),
        (values, None, at("srow_y", 1, 0), ["affine"]),
        (values, None, at("srow_y", 3, np.nan), ["affine", "finite"]),
        (nan, None, None, ["voxel (3, 2, 1)", "NaN"]),
        (np.zeros((4, 5), "f4"), None, None, ["0 in every voxel"]),
        (np.full((4, 5), 1e300), None, None, ["infinity"]),
        (rgb, None, None, ["datatype", "RGB24"]),
        (rng.uniform(1, 2, (3, 4, 5, 2, 2)).astype("f4"), None, None, ["5 dimensions", "up to 4"]),
        (values, None, setter("datatype", 1536), ["datatype", "FLOAT128"]),
        (values, None, setter("datatype", 77), ["datatype", "77"]),
        (values, None, at("dim", 0, 0), ["dim"]), (values, None, at("dim", 2, -5), ["dim", "-5"]),
        (values, None, at("dim", slice(1, 4), 32767), ["memory"]),
        (values, None, setter("xyzt_units", 5), ["xyzt_units", "5"]),
        (values, None, only_qform(at("pixdim", 2, 0)), ["pixdim[2]"]),
        (values, None, only_qform(at("pixdim", 3, -1)), ["pixdim[3]", "-1"]),
        (values, None, setter("magic", b"ni1"), ["NAME.img"]),
        (values, None, setter("magic", b"nix"), ["none of the formats"]),
    ]
    for number, (data, affine, change, says) in enumerate(cases):
        save(folder / "bad.nii", data, affine, change)
        for name in ("o.h5", "o.cfl", "o.png", "o.mrd"):
            run = folder.run(INPUT, ["convert", "bad.nii", "-o", name], ["bad.nii", "next:", *says])
            expect("**" not in run.stderr, f"case {number}: the library prints: {run.stderr}")
    nibabel.Nifti2Image(values, np.eye(4)).to_filename(folder / "two.nii")
    folder.run(INPUT, ["convert", "two.nii", "-o", "o.h5"], ["NIfTI-2", "NIfTI-1"])
    nibabel.Nifti1Pair(values, np.eye(4)).to_filename(folder / "pair.img")
    os.unlink(folder / "pair.img")
    folder.run(INPUT, ["convert", "pair.hdr", "-o", "o.h5"], ["next:"])
    left = [name for name in os.listdir(folder.path) if name.startswith("o.")]
    expect(not left, f"files of bad images: {left}")


def damaged_nifti(make):
    """Cut anywhere, or with a byte changed where that shows."""
    folder = make()
    save(folder / "i.nii", rng.uniform(1, 2, (9, 8, 7)).astype("f4"))
    with open(folder / "i.nii", "rb") as f:
        whole = f.read()
    packed = gzip.compress(whole)
    cuts = [(name, data[:int(size)]) for name, data in (("c.nii", whole), ("c.nii.gz", packed))
            for size in (0, 4, 100, 347, 353, *rng.integers(354, len(packed) - 1, 4),
                         len(data) - 1)]
    for _ in range(6):
        changed = bytearray(packed)
        changed[int(rng.integers(400, len(packed) - 4))] ^= 0x55
        cuts.append(("c.nii.gz", bytes(changed)))
    for name, data in cuts:
        with open(folder / name, "wb") as f:
            f.write(data)
        folder.run(INPUT, ["convert", name, "-o", "o.h5"], [name, "next:"])
        expect(not os.path.exists(folder / "o.h5"), f"an image of {len(data)} bytes of {name}")
        os.unlink(folder / name)


def bad_ismrmrd_images(make):
    folder = make()
    values = rng.normal(size=(2, 3, 4, 5))
    group = "dataset/image_0"

    def images(change):
        write_image(folder / "i.h5", values, (50, 40, 30), np.zeros(3), np.eye(3))
        folder.run(0, ["convert", "i.h5", "-o", "bad.mrd"])
        with h5py.File(folder / "bad.mrd", "r+") as f:
            change(f)

    def field(name, value):
        def change(f):
            header = f[group]["header"][()]
            header[name][1] = value
            f[group]["header"][()] = header
        return change

    def replaced(name, value):
        def change(f):
            del f[group][name]
            f[group][name] = value
        return change

    def without_field(f):
        header = f[group]["header"][()]
        names = [name for name in header.dtype.names if name != "position"]
        replaced("header", header[names].copy())(f)

    cases = [
        (lambda f: f.copy(group, "other/image_3"),
         ["2 series", "/dataset/image_0", "/other/image_3", "h5copy"]),
        (field("image_type", 2), ["several types"]), (field("read_dir", (0, 0, 1)), ["orient"]),
        (field("matrix_size", (5, 4, 2)), ["matrix_size 5 x 4 x 2", "5 x 4 x 3"]),
        (field("field_of_view", (1, 2, 3)), ["fields of view"]),
        (field("position", (0, np.nan, 0)), ["not finite"]), (without_field, ["/header"]),
        (field("phase_dir", (0, np.nan, 0)), ["not finite"]),
        (replaced("header", np.ones(2)), ["/header", "rows of a table"]),
        (replaced("data", np.ones((2, 2, 3, 4, 5))), ["one channel", "channels"]),
        (replaced("data", np.ones((3, 1, 3, 4, 5))), ["/data"]),
        (replaced("data", np.full((2, 1, 3, 4, 5), b"x")), ["/data"]),
        (replaced("data", np.full((2, 1, 3, 4, 5), np.inf)), ["infinity"]),
    ]
    for change, says in cases:
        images(change)
        for name in ("o.h5", "o.nii"):
            folder.run(INPUT, ["convert", "bad.mrd", "-o", name], ["bad.mrd", "next:", *says])
    images(lambda f: None)
    with open(folder / "bad.mrd", "rb") as f:
        whole = f.read()
    for size in (600, *rng.integers(700, len(whole) - 1, 5)):
        with open(folder / "cut.mrd", "wb") as f:
            f.write(whole[:int(size)])
        folder.run(INPUT, ["convert", "cut.mrd", "-o", "o.h5"], ["cut.mrd", "next:"])
    left = [name for name in os.listdir(folder.path) if name.startswith("o.")]
    expect(not left, f"files of bad images: {left}")


def other_flags_say_what_to_do(make):
    folder = make()
    save(folder / "n.nii.gz", rng.uniform(1, 2, (16, 16)).astype("f4"))
    folder.run(0, ["convert", "truth.h5", "-o", "n.mrd"])
    for name, summary in (("n.nii.gz", "NIfTI-1"), ("n.mrd", "ISMRMRD images")):
        folder.run(INPUT, ["recon", "scan.h5", "-o", "image.h5", *WORK, "--truth", name],
                   [name, summary, f"lsrecon convert {name} -o"])
    folder.run(USAGE, ["convert", "truth.h5", "-o", "x.dcm"], ["-o NAME.mrd", "DICOM"])
    with open(folder / "i.dcm", "wb") as f:
        f.write(bytes(128) + b"DICM")
    folder.run(INPUT, ["convert", "i.dcm", "-o", "x.h5"], ["NIfTI-1", "ISMRMRD", "dcm2niix"])


if __name__ == "__main__":
    sys.exit(run_cases([bad_nifti, damaged_nifti, bad_ismrmrd_images, other_flags_say_what_to_do]))
