#!/usr/bin/env python3
"""Where the image of an ISMRMRD file lies, and which part of its readouts it needs.

    raw_positions.py LSRECON"""

import os
import pathlib
import sys

import h5py
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "data"))
from bad_ismrmrd import XML, acquisition, write # noqa: E402
from in_folders import INPUT, USAGE, expect, run_cases # noqa: E402

DIRECTIONS = np.array([[0.8, 0.6, 0], [0, 0, 1], [0.6, -0.8, 0]])  # read, phase, slice


def moved_away(path, away, positions):
    """A simulated file as a scanner writes it that does not shift: each frame's object lies
    `positions` mm from the isocentre along read and phase, and its headers say so."""
    with h5py.File(path, "r") as f:
        rows, xml, fov = f["dataset/data"][()], f["dataset/xml"][0].decode(), f.attrs["fov_mm"][()]
    for row in rows:
        read, phase = positions[row["head"]["idx"]["repetition"]]
        channels, samples = row["head"]["active_channels"], row["head"]["number_of_samples"]
        k = row["traj"].reshape(samples, 2) * [24, 20] / fov  # cycles/mm
        values = row["data"].view("c8").reshape(channels, samples)
        values = values * np.exp(-2j * np.pi * (k @ [read, phase]))
        row["data"] = values.astype("c8").view("f4").ravel()
        row["head"]["position"] = np.array([read, phase, 55]) @ DIRECTIONS
        for name, direction in zip(("read_dir", "phase_dir", "slice_dir"), DIRECTIONS):
            row["head"][name] = direction
    write(away, xml, rows)
    return rows, xml


def maps_are_shifted_as_the_image_is(make):
    folder = make()
    quiet = ["--quiet", "--backend", "reference"]
    for seed in ("1", "2"):
        folder.run(0, ["simulate", "--trajectory", "spiral", "--matrix", "24,20", "--coils", "3",
                       "--noise", "0.02", "--seed", seed, *quiet, "-o", "raw.mrd"])
        moved_away(folder / "raw.mrd", folder / f"scan{seed}.h5", [(20, -30)])
    shift = {"without": [], "with": ["--shift-mm", "header"]}
    for maps, of_maps in shift.items():
        folder.run(0, ["maps", "scan1.h5", "-o", "maps.h5", *quiet, *of_maps])
        for image, of_image in shift.items():
            name = f"{maps}_{image}.h5"
            work = ["-o", name, "--maps", "maps.h5", *quiet, "--iterations", "3", *of_image]
            differ = [f"{maps} --shift-mm header", f"{image} --shift-mm header"]
            if maps == image:
                folder.run(0, ["recon", "scan1.h5", *work])
                folder.run(0, ["recon", "scan2.h5", *work])
            else:
                folder.run(INPUT, ["recon", "scan1.h5", *work], [*differ, "next:"])
                folder.run(0, ["recon", "scan2.h5", *work], [*differ, "another scan"])


def the_header_says_how_far_to_shift(make):
    folder = make()
    folder.run(0, ["simulate", "--trajectory", "spiral", "--matrix", "24,20", "--frames", "2",
                   "--motion", "0", "--coils", "2", "--noise", "0.02", "--quiet", "--backend",
                   "reference", "-o", "raw.mrd"])
    work = ["--backend", "reference", "--iterations", "6", "--maps", "none"]
    folder.run(0, ["recon", "raw.mrd", "-o", "centred.h5", *work])
    rows, xml = moved_away(folder / "raw.mrd", folder / "away.h5", [(41.5, -70), (-23, 18.25)])
    folder.run(0, ["recon", "away.h5", "-o", "folded.h5", *work])
    folder.run(0, ["recon", "away.h5", "-o", "moved.h5", *work, "--shift-mm", "header"],
               ["shifted by -41.5 x 70 mm", "--shift-mm header", "in the first frame, from"])
    images, positions = {}, {}
    for name in ("centred", "folded", "moved"):
        with h5py.File(folder / f"{name}.h5") as f:
            images[name], positions[name] = f["image"][()], f.get("frame_positions", [None])[:]
    distance = {name: np.linalg.norm(images[name] - images["centred"]) /
                np.linalg.norm(images["centred"]) for name in images}
    # Phases of up to 2 pi 12 0.3 turns from floats of 2^-24, twice, through six iterations.
    expect(distance["moved"] < 10 * 2 * 2 * np.pi * 3.6 * 2**-24, f"moved by {distance}")
    expect(distance["folded"] > 0.5, "the shift does nothing")
    there = np.array([[41.5, -70, 55], [-23, 18.25, 55]]) @ DIRECTIONS
    for name in ("folded", "moved"):
        expect(np.allclose(positions[name], there, atol=1e-4), f"{name} lies elsewhere")
    one_less = rows.copy()
    one_less["head"]["position"][3] += 1
    turned = rows.copy()
    turned["head"]["read_dir"][-len(rows) // 2:] *= -1
    nowhere = rows.copy()
    for name in ("position", "read_dir", "phase_dir", "slice_dir"):
        nowhere["head"][name] = 0
    for changed, pieces in ((one_less, ["acquisition 4, position", "--shift-mm X,Y"]),
                            (turned, ["orientations of the frames", "--shift-mm header"]),
                            (nowhere, ["position, read_dir", "--shift-mm X,Y"])):
        write(folder / "away.h5", xml, changed)
        folder.run(INPUT, ["recon", "away.h5", "-o", "no.h5", *work, "--shift-mm", "header"],
                   [*pieces, "next:"])
    folder.run(USAGE, ["recon", "scan.h5", "-o", "no.h5", *work, "--shift-mm", "header"],
               ["raw data", "--shift-mm X,Y"])
    folder.run(USAGE, ["recon", "away.h5", "-o", "no.h5", *work, "--shift-mm", "header,1"],
               ["--shift-mm", "header alone"])
    folder.run(USAGE, ["recon", "away.h5", "-o", "no.h5", *work, "--shift-mm", "1,x"],
               ["--shift-mm", "expected: a number"])


def lines(path, voxels, values, place):
    """Cartesian, 8 x 8 voxels of 25 mm, with readouts of twice that."""
    rows = []
    for ky in range(8):
        row = acquisition(trajectory_values=0)
        head = row["head"][0]
        head["trajectory_dimensions"], head["idx"]["kspace_encode_step_1"] = 0, ky
        head["number_of_samples"], head["center_sample"], head["active_channels"] = 16, 8, 1
        head["position"] = [*place, 0]
        turns = np.arange(-8, 8)[:, None] / 16 * voxels[:, 0] + (ky - 4) / 8 * voxels[:, 1]
        row["data"][0] = (np.exp(-2j * np.pi * turns) @ values).astype("c8").view("f4")
        rows.append(row)
    small = XML.replace(">4<", ">8<").replace(">spiral<", ">cartesian<")
    write(path, small.replace("<x>8</x>", "<x>16</x>", 1).replace("<x>200</x>", "<x>400</x>", 1),
          np.concatenate(rows))


def readouts_are_cropped_where_the_image_will_be(make):
    folder = make()
    rng = np.random.default_rng(7)
    inside = np.array([[-4, 1], [-1, -3], [0, 0], [3, 2]])
    outside = np.array([[-6, 0], [-5, -2], [4, 1], [6, 3]])
    bright = rng.normal(size=8) + 1j * rng.normal(size=8)
    lines(folder / "centred_scan.h5", inside, bright[:4], (0, 0))
    lines(folder / "away_scan.h5", np.concatenate([inside, outside]) + [3, 2], bright, (75, 50))
    work = ["--quiet", "--backend", "reference", "--iterations", "6", "--maps", "none"]
    images = {}
    for scan, name, words in (("centred", "centred", []),
                              ("away", "by_header", ["--shift-mm", "header"]),
                              ("away", "by_numbers", ["--shift-mm=-75,-50"])):
        folder.run(0, ["recon", f"{scan}_scan.h5", "-o", f"{name}.h5", *work, *words])
        with h5py.File(folder / f"{name}.h5") as f:
            images[name] = f["image"][()]
        expect(images[name].shape == (1, 8, 8), "oversampling is not removed")
        distance = np.linalg.norm(images[name] - images["centred"])
        # Phases of up to 2 pi (4 75 / 200 + 4 50 / 200) turns from floats of 2^-24, and back.
        bound = 10 * 2 * 2 * np.pi * 2.5 * 2**-24 * np.linalg.norm(images["centred"])
        expect(distance < bound, f"{name}: {distance} from the centred image, above {bound}")


def a_wider_field_of_view_is_not_cropped_away(make):
    """What was sampled beside reconSpace is there when it is asked for, and notes are of the grid
    that is asked for."""
    folder = make()
    rng = np.random.default_rng(8)
    voxels = np.array([[-8, 1], [-6, 0], [-5, -2], [-1, -3], [0, 0], [3, 2], [4, 1], [6, 3]])
    bright = rng.normal(size=8) + 1j * rng.normal(size=8)
    lines(folder / "raw.h5", voxels, bright, (0, 0))
    for fov, matrix in ((400, 16), (300, 12)):
        shown = folder.run(0, ["recon", "raw.h5", "-o", "image.h5", "--backend", "reference",
                              "--maps", "none", "--iterations", "6", "--fov-mm", f"{fov},200",
                              "--matrix", f"{matrix},8"])
        with h5py.File(folder / "image.h5") as f:
            found = f["image"][0]
        os.unlink(folder / "image.h5")
        truth = np.zeros((8, matrix), complex)
        for (x, y), value in zip(voxels, bright):
            if -matrix // 2 <= x < matrix // 2:
                truth[y + 4, x + matrix // 2] = value
        off = np.linalg.norm(found - truth) / np.linalg.norm(truth)
        # Phases of up to 2 pi 8 turns from floats of 2^-24, through transforms and iterations.
        expect(off < 10 * 2 * 2 * np.pi * 8 * 2**-24, f"{fov} mm: {off} from the truth")
        expect("Expect aliasing" not in shown.stdout + shown.stderr, f"{fov} mm: {shown.stderr}")
    folder.run(0, ["recon", "raw.h5", "-o", "image.h5", "--backend", "reference", "--maps", "none",
                   "--fov-mm", "400,400", "--matrix", "16,16", "--reg", "none"],
               ["Expect aliasing"])
    shown = folder.run(0, ["recon", "raw.h5", "-o", "image.h5", "--backend", "reference", "--maps",
                          "none", "--fov-mm", "400,400", "--matrix", "16,16", "--reg", "tv:0.02"])
    expect("Expect aliasing" not in shown.stderr, shown.stderr)


if __name__ == "__main__":
    sys.exit(run_cases([maps_are_shifted_as_the_image_is,
                        the_header_says_how_far_to_shift,
                        readouts_are_cropped_where_the_image_will_be,
                        a_wider_field_of_view_is_not_cropped_away]))
