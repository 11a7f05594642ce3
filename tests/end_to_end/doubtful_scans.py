#!/usr/bin/env python3
"""Scans that are read as they were meant, or whose image is warned about.

    doubtful_scans.py LSRECON"""

import pathlib
import struct
import sys

import h5py
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "data"))
from bad_ismrmrd import write # noqa: E402
from in_folders import INPUT, codes, expect, run_cases # noqa: E402

QUIET = ["--quiet", "--backend", "reference"]
SOLVE = ["--iterations", "8", *QUIET]


def simulated(folder, name, trajectory, matrix, coils, *more):
    folder.run(0, ["simulate", "--trajectory", trajectory, "--matrix", f"{matrix},{matrix}",
                   "--coils", str(coils), "-o", name, *more, *QUIET])


def image_of(folder, scan, *words, finds=()):
    folder.run(0, ["recon", scan, "-o", "i.h5", *SOLVE, *words], finds=finds)
    with h5py.File(folder / "i.h5") as f:
        return f["image"][0]


def apart(found, wanted):
    return np.linalg.norm(found - wanted) / np.linalg.norm(wanted)


def write_nifti(path, plane, fov_mm):
    """A plane of floats [Y, X] in NIfTI-1 without a place."""
    header = bytearray(352)
    struct.pack_into("<i", header, 0, 348)
    struct.pack_into("<8h", header, 40, 3, plane.shape[1], plane.shape[0], 1, 1, 1, 1, 1)
    struct.pack_into("<2h", header, 70, 16, 32)
    struct.pack_into("<8f", header, 76, 1, fov_mm / plane.shape[1], fov_mm / plane.shape[0], 5, 1,
                     1, 1, 1)
    struct.pack_into("<2f", header, 108, 352, 1)
    header[123] = 2  # mm
    header[344:348] = b"n+1\0"
    with open(path, "wb") as f:
        f.write(bytes(header) + np.asarray(plane, "<f4").tobytes())


def nan_in_a_field_map_is_no_value(make):
    """It takes the value of the nearest voxel; a map of nothing else is refused."""
    folder = make()
    simulated(folder, "s.h5", "spiral", 20, 1, "--off-resonance-hz", "50", "--readout-ms", "5")
    with h5py.File(folder / "s.h5") as f:
        field, fov_mm = f["field_map"][()].astype("f4"), f.attrs["fov_mm"][0]
    holes = field.copy()
    holes[:2] = holes[7:9, 11] = np.nan
    np.save(folder / "holes.npy", holes)
    write_nifti(folder / "holes.nii", holes, fov_mm)
    write_nifti(folder / "narrow.nii", holes[1:-1, 1:-1], fov_mm * 0.9)
    images = [image_of(folder, "s.h5", "--field-map", name, finds=["field_map_filled"])
              for name in ("holes.npy", "holes.nii", "narrow.nii")]
    expect(np.array_equal(images[0], images[1]), "another image by NIfTI than by an array")
    own = image_of(folder, "s.h5")
    expect(apart(images[2], own) < 0.1, f"{apart(images[2], own)} of a map of the object alone")
    expect(apart(images[0], own) < 0.1, f"{apart(images[0], own)} from the image of the whole map")
    np.save(folder / "nothing.npy", np.full_like(field, np.nan))
    holes[9, 9] = np.inf
    np.save(folder / "infinite.npy", holes)
    for name in ("nothing.npy", "infinite.npy"):
        folder.run(INPUT, ["recon", "s.h5", "-o", "image.h5", "--field-map", name, *SOLVE],
                   ["not finite"])


def trajectories_along_the_gradient_axes_are_rotated(make):
    """k of a slice, written along x, y, z of the scanner: the image is that of read and phase."""
    folder = make()
    simulated(folder, "flat.mrd", "spiral", 24, 1)
    with h5py.File(folder / "flat.mrd") as f:
        rows, xml = f["dataset/data"][()], f["dataset/xml"][0].decode()
    plane = [row["traj"].reshape(-1, 2).astype(float) for row in rows]
    wanted = image_of(folder, "flat.mrd")
    a, b = np.pi / 5, 0.3
    tilted = np.array([[np.cos(a), 0, np.sin(a)],
                       [np.sin(a) * np.sin(b), np.cos(b), -np.cos(a) * np.sin(b)]])
    for read, phase in (tilted, np.eye(3)[[1, 2]]):
        for row, k in zip(rows, plane):
            row["head"]["trajectory_dimensions"] = 3
            row["head"]["read_dir"], row["head"]["phase_dir"] = read, phase
            row["head"]["slice_dir"] = np.cross(read, phase)
            row["traj"] = (k @ np.array([read, phase])).astype("f4").ravel()
        write(folder / "gradients.h5", xml, rows)
        for words in ([], ["--header", "matrix=24,24,1"]):
            found = image_of(folder, "gradients.h5", *words, finds=["axes_assumed"])
            expect(apart(found, wanted) < 1e-5, f"{apart(found, wanted)} from the flat image")
    for row in rows:  # a kz of a slice that is not that of its directions
        row["head"]["read_dir"], row["head"]["phase_dir"], row["head"]["slice_dir"] = np.eye(3)
    write(folder / "kz.h5", xml, rows)
    folder.run(INPUT, ["recon", "kz.h5", "-o", "image.h5", *SOLVE], ["like kz"])


def few_voxels_keep_their_rim(make):
    folder = make()
    for matrix, coils in ((11, 4), (16, 8)):
        simulated(folder, "few.h5", "cartesian", matrix, coils, "--truth", "few_truth.h5")
        with h5py.File(folder / "few.h5", "r+") as f:
            del f["coil_maps"]
        solved = image_of(folder, "few.h5", "--maps", "none")  # the root of the sum of squares
        found = np.abs(image_of(folder, "few.h5"))
        scale = (found * np.abs(solved)).sum() / (found ** 2).sum()
        off = apart(scale * found, np.abs(solved))
        expect(off < 0.03, f"{off} from each coil alone, {matrix} voxels")


def what_no_model_mends_is_warned_about(make):
    """A transposed field map, and echoes of opposite sign in one image: no other model is named."""
    folder = make()
    simulated(folder, "s.h5", "spiral", 48, 4, "--off-resonance-hz", "100", "--snr", "50")
    with h5py.File(folder / "s.h5", "r+") as f:
        f["field_map"][...] = f["field_map"][()].T
    folder.run(0, ["recon", "s.h5", "-o", "i.h5", "--quiet", "--backend", "host", "--lambda",
                   "0.01"], finds=["data_unexplained"])
    expect("model_differs" not in codes(folder / "i.h5"), "advice that turns the field map")
    simulated(folder, "one.mrd", "cartesian", 16, 4)
    with h5py.File(folder / "one.mrd") as f:
        rows, xml = f["dataset/data"][()], f["dataset/xml"][0]
    other = rows.copy()
    other["head"]["idx"]["contrast"] = 1
    for row in other:
        row["data"] = -row["data"]
    write(folder / "two.h5", xml, np.concatenate([rows, other]))
    folder.run(0, ["recon", "two.h5", "-o", "i.h5", "--maps", "none", "--join", "contrast", *SOLVE],
               ["--join contrast"], finds=["data_unexplained"])


def cartesian_lines(folder):
    """The lines of a scan of 32 x 32 without their trajectory, and its header."""
    simulated(folder, "all.mrd", "cartesian", 32, 4)
    with h5py.File(folder / "all.mrd") as f:
        rows, xml = f["dataset/data"][()], f["dataset/xml"][0].decode()
    rows["head"]["trajectory_dimensions"] = 0
    for row in rows:
        row["traj"] = np.zeros(0, "f4")
    return rows, xml


def lines_without_their_gaps_are_noted(make):
    """Every other line of a scan, numbered one after the other."""
    folder = make()
    rows, xml = cartesian_lines(folder)
    write(folder / "all.mrd", xml, rows)
    lines = rows[np.argsort(rows["head"]["idx"]["kspace_encode_step_1"])][::2]
    image_of(folder, "all.mrd")
    expect("reach_uneven" not in codes(folder / "i.h5"), "a whole scan has lines without gaps")
    for number, line in enumerate(lines):
        line["head"]["idx"]["kspace_encode_step_1"] = 8 + number
    write(folder / "packed.h5", xml, lines)
    image_of(folder, "packed.h5", finds=["reach_uneven"])


def lines_beyond_the_matrix_are_left_out(make):
    """A header of fewer voxels than there are lines, and one whose centre is wrong."""
    folder = make()
    rows, xml = cartesian_lines(folder)
    steps = rows["head"]["idx"]["kspace_encode_step_1"]
    limits = xml[xml.index("<kspace_encoding_step_1>"):xml.index("</kspace_encoding_step_1>")]
    expect("<center>16<" in limits and xml.count("<y>32</y>") == 2, xml)
    small = xml.replace("<y>32</y>", "<y>24</y>")
    for name, header, lines in (("all.h5", xml, rows), ("more.h5", small, rows),
                                ("held.h5", small, rows[(steps >= 4) & (steps < 28)])):
        write(folder / name, header, lines)
    held = image_of(folder, "held.h5", "--maps", "walsh")
    expect("lines_beyond" not in codes(folder / "i.h5"), "no line is beyond")
    more = image_of(folder, "more.h5", "--maps", "walsh", finds=["lines_beyond"])
    expect(more.shape == (24, 32) and more.tobytes() == held.tobytes(), "not what is held")
    finer = image_of(folder, "more.h5", "--maps", "walsh", "--header", "matrix=32,32,1")
    expect(finer.tobytes() == image_of(folder, "all.h5", "--maps", "walsh").tobytes(),
           "not the image of all lines")
    write(folder / "off.h5", xml.replace(limits, limits.replace(">16<", ">8<")), rows)
    folder.run(INPUT, ["recon", "off.h5", "-o", "image.h5", *SOLVE],
               ["write 16 for kspace_encoding_step_1/center", "has 8"])


if __name__ == "__main__":
    sys.exit(run_cases([nan_in_a_field_map_is_no_value,
                        trajectories_along_the_gradient_axes_are_rotated,
                        few_voxels_keep_their_rim, what_no_model_mends_is_warned_about,
                        lines_without_their_gaps_are_noted,
                        lines_beyond_the_matrix_are_left_out]))
