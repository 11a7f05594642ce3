#!/usr/bin/env python3
"""Which part of an ISMRMRD file becomes an image, by the flags of the program.

    raw_data.py LSRECON"""

import os
import pathlib
import sys

import h5py
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "data"))
from bad_ismrmrd import XML, acquisition, write # noqa: E402
from in_folders import INPUT, USAGE, expect, run_cases # noqa: E402

PARAMETER = ("<userParameters><userParameterLong><name>turns</name><value>12</value>"
             "</userParameterLong></userParameters></ismrmrdHeader>")


def readouts(path, count=6):
    """Two slices, each of `count` readouts counted as repetitions, after one of noise."""
    rows = []
    for repetition in range(count):
        for slice_number in range(2):
            row = acquisition()
            row["head"]["idx"]["repetition"], row["head"]["idx"]["slice"] = repetition, slice_number
            row["data"][0] = row["data"][0] * (1 + repetition + 10 * slice_number)
            rows.append(row)
    noise = acquisition()
    noise["head"]["flags"] = 1 << 18
    write(path, XML.replace("</ismrmrdHeader>", PARAMETER), np.concatenate([noise, *rows]))


def image(folder, *words):
    folder.run(0, ["recon", "raw.h5", "-o", "image.h5", "--quiet", "--backend", "reference",
                   "--maps", "none", "--no-whitening", "--iterations", "2", *words])
    with h5py.File(folder / "image.h5") as f:
        labels = list(f["frame_labels"].asstr()[()]) if "frame_labels" in f else []
        return f["image"][()], labels


def frames_are_chosen(make):
    folder = make()
    readouts(folder / "raw.h5")
    everything, labels = image(folder)
    expect(len(labels) == 12, f"frames {labels}")
    some, labels = image(folder, "--slice", "1", "--repetition", "0,2-3")
    expect(labels == [f"slice 1, repetition {r}" for r in (0, 2, 3)], f"frames {labels}")
    expect(np.array_equal(some, everything[[6, 8, 9]]), "the images are not those of all frames")
    one, _ = image(folder, "--slice", "1", "--repetition", "0,2-3", "--frames", "2")
    expect(np.array_equal(one, everything[[9]]), "--frames counts other frames")
    windows, labels = image(folder, "--join", "repetition", "--slice", "0", "--spokes-per-frame",
                            "4", "--stride", "2")
    expect(labels == ["slice 0, readouts 0-3", "slice 0, readouts 2-5"], f"frames {labels}")
    expect(windows.shape == (2, 4, 4), "a window is missing")


def wrong_choices_are_refused(make):
    folder = make()
    readouts(folder / "raw.h5")
    folder.run(0, ["recon", "raw.h5", "-o", "rss.h5", "--no-whitening", "--quiet", "--backend",
                   "reference"], ["no coil maps could be estimated", "centre of k-space"])
    folder.run(INPUT, ["recon", "raw.h5", "-o", "image.h5", "--no-whitening", "--quiet", "--maps",
                       "espirit"],
               ["raw.h5", "centre of k-space", "--maps none"])
    work = ["check", "raw.h5"]
    folder.run(INPUT, ["recon", "raw.h5", "-o", "image.h5", "--no-whitening", "--quiet",
                       "--maps", "espirit", "--slice", "1"],
               ["centre of k-space", "--maps none"])  # of one slice
    folder.run(INPUT, [*work, "--slice", "2"], ["--slice 2", "slice 0-1", "next:"])
    folder.run(INPUT, [*work, "--frames", "12"], ["--frames 12", "12 frames"])
    folder.run(USAGE, [*work, "--slice", "1-"], ["--slice", "0,2,5-9"])
    folder.run(USAGE, [*work, "--encoding", "1"], ["--encoding 1", "1 encoding", "0 (12"])
    folder.run(USAGE, [*work, "--spokes-per-frame", "2"], ["slice 0, repetition 0 has 1 readout"])
    folder.run(USAGE, [*work, "--stride", "2"], ["--spokes-per-frame"])
    folder.run(USAGE, ["check", "scan.h5", "--slice", "0"], ["--slice", "raw data"])


def a_field_map_uses_the_times_of_headers(make):
    """A constant field is a phase of each sample."""
    folder = make()
    hz, dwell, centre = 3000.0, 20.0, 3
    images = []
    for field in (0.0, hz):
        row = acquisition()
        row["head"]["sample_time_us"], row["head"]["center_sample"] = dwell, centre
        samples, channels = row["head"]["number_of_samples"][0], row["head"]["active_channels"][0]
        values = np.array(row["data"][0]).reshape(channels, samples, 2)
        times = 1e-6 * dwell * (np.arange(samples) - centre)
        turned = (values[..., 0] + 1j * values[..., 1]) * np.exp(-2j * np.pi * field * times)
        row["data"][0] = np.stack([turned.real, turned.imag], -1).astype("f4").ravel()
        write(folder / "raw.h5", XML, row)
        with h5py.File(folder / "field.h5", "w") as f:
            f["field_map"] = np.full((4, 4), field)
            f["field_map"].attrs["units"] = "Hz"
        images.append(image(folder, "--field-map", "field.h5")[0])
    difference = np.linalg.norm(images[1] - images[0]) / np.linalg.norm(images[0])
    expect(difference < 1e-5, f"a known phase moves the image by {difference}")
    os.unlink(folder / "image.h5")
    row["head"]["sample_time_us"] = 0
    write(folder / "raw.h5", XML, row)
    folder.run(INPUT, ["recon", "raw.h5", "-o", "other.h5", "--quiet", "--field-map", "field.h5"],
               ["sample_time_us", "--field-map"])


def simulated_raw_data_gives_the_same_image(make):
    """What the program writes, read as the format says, without the program."""
    folder = make()
    words = ["simulate", "--trajectory", "spiral", "--matrix", "24,20", "--coils", "2", "--frames",
             "2", "--motion", "0", "--noise", "0.02", "--noise-samples", "50",
             "--off-resonance-hz", "120", "--quiet", "--backend", "reference"]
    folder.run(0, [*words, "-o", "native.h5"])
    folder.run(0, [*words, "-o", "raw.mrd"], ["/coil_maps", "--maps raw.mrd", "/field_map"])
    folder.run(0, [*words, "-o", "named.h5", "--to", "ismrmrd"])
    with h5py.File(folder / "native.h5") as native, h5py.File(folder / "raw.mrd") as raw:
        rows = raw["dataset/data"]
        head = rows.dtype["head"]
        # Offsets of the format's documentation: readers of it copy the bytes.
        places = [("flags", 2), ("number_of_samples", 34), ("channel_mask", 40),
                  ("center_sample", 172), ("sample_time_us", 178), ("slice_dir", 218),
                  ("idx", 242), ("user_int", 276), ("user_float", 308)]
        expect(head.itemsize == 340 and rows.dtype.names == ("head", "traj", "data"), "the layout")
        expect([(n, head.fields[n][1]) for n, _ in places] == places, "offsets of the header")
        is_noise = rows["head"]["flags"] >> 18 & 1 == 1
        expect(is_noise.sum() == 1 and is_noise[0], "one acquisition of noise, the first")
        noise = rows[0]["data"].view("c8").reshape(2, 50)
        expect(np.array_equal(noise, native["noise"][()]), "the noise differs")
        image = rows[~is_noise]
        for f, samples in enumerate(native["samples"][()]):
            of_frame = image[image["head"]["idx"]["repetition"] == f]
            values = [row["data"].view("c8").reshape(2, -1) for row in of_frame]
            expect(np.array_equal(np.concatenate(values, 1), samples), f"samples of frame {f}")
            k = np.concatenate([row["traj"].reshape(-1, 2) for row in of_frame]) * [24, 20]
            largest = np.abs(k - native["trajectory"][()]).max()
            expect(largest < 12 * 2**-23, f"a trajectory that is {largest} cycles/fov off")
            seconds = [1e-6 * row["head"]["sample_time_us"] *
                       (np.arange(row["head"]["number_of_samples"]) - row["head"]["center_sample"])
                       for row in of_frame]
            difference = np.abs(np.concatenate(seconds) - native["times"][()]).max()
            expect(difference < 0.02 * 2**-22, f"times that are {difference} s off")
        xml = raw["dataset/xml"][0].decode()
        for piece in ("<x>24</x>", "<y>20</y>", "<trajectory>spiral</trajectory>",
                      "<receiverChannels>2</receiverChannels>"):
            expect(piece in xml, f"the header lacks {piece}")
    told = folder.run(0, ["check", "raw.mrd"]).stdout
    for piece in ("/coil_maps", "--maps raw.mrd", "--field-map raw.mrd"):
        expect(piece in told, f"check does not tell {piece}: {told}")
    both = {}
    for name, more in (("native.h5", []),
                       ("raw.mrd", ["--maps", "raw.mrd", "--field-map", "raw.mrd"])):
        folder.run(0, ["recon", name, "-o", "image.h5", "--quiet", "--backend", "reference",
                       "--iterations", "4", *more])
        with h5py.File(folder / "image.h5") as f:
            both[name] = f["image"][()]
        os.unlink(folder / "image.h5")
    # k and t are floats: phases of 2 pi 12 0.5 2^-24 and 2 pi 120 0.02 2^-24 are off, and the
    # condition of the system, below 10 after four iterations, multiplies them.
    difference = (np.linalg.norm(both["raw.mrd"] - both["native.h5"]) /
                  np.linalg.norm(both["native.h5"]))
    expect(difference < 10 * 2 * np.pi * (6 + 2.4) * 2**-24, f"the image differs by {difference}")
    radial = ["simulate", "--trajectory", "radial", "--matrix", "16,16", "-o", "radial.mrd"]
    folder.run(USAGE, [*radial, "--off-resonance-hz", "50"], ["times", "sample 8", "next:"])
    folder.run(USAGE, [*radial, "--samples-per-readout", "70000"], ["70000", "65535", "next:"])
    expect(not os.path.exists(folder / "radial.mrd"), "a file after a refusal")


DIRECTIONS = np.array([[0.8, 0.6, 0], [0, 0, 1], [0.6, -0.8, 0]])  # read, phase, slice


def moved_away(path, away, places):
    """A simulated file as a scanner writes it that does not shift: each frame's object lies
    `places` mm from the isocentre along read and phase, and its headers say so."""
    with h5py.File(path, "r") as f:
        rows, xml, fov = f["dataset/data"][()], f["dataset/xml"][0].decode(), f.attrs["fov_mm"][()]
    for row in rows:
        read, phase = places[row["head"]["idx"]["repetition"]]
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


def the_header_says_how_far_to_shift(make):
    folder = make()
    folder.run(0, ["simulate", "--trajectory", "spiral", "--matrix", "24,20", "--frames", "2",
                   "--motion", "0", "--coils", "2", "--noise", "0.02", "--quiet", "--backend",
                   "reference", "-o", "raw.mrd"])
    work = ["--quiet", "--backend", "reference", "--iterations", "6", "--maps", "none"]
    folder.run(0, ["recon", "raw.mrd", "-o", "centred.h5", *work])
    rows, xml = moved_away(folder / "raw.mrd", folder / "away.h5", [(41.5, -70), (-23, 18.25)])
    folder.run(0, ["recon", "away.h5", "-o", "folded.h5", *work])
    folder.run(0, ["recon", "away.h5", "-o", "moved.h5", *work, "--shift-mm", "header"],
               ["shifted by -41.5 x 70 mm", "--shift-mm header", "other frames by other lengths"])
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
               ["--shift-mm", "expected a number"])


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


if __name__ == "__main__":
    sys.exit(run_cases([frames_are_chosen, wrong_choices_are_refused,
                        a_field_map_uses_the_times_of_headers,
                        simulated_raw_data_gives_the_same_image,
                        the_header_says_how_far_to_shift,
                        readouts_are_cropped_where_the_image_will_be]))
