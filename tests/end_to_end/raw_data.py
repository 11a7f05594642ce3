#!/usr/bin/env python3
"""Which part of an ISMRMRD file becomes an image, by the flags of the program.

    raw_data.py LSRECON"""

import json
import os
import pathlib
import sys

import h5py
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "data"))
from bad_ismrmrd import XML, acquisition, write, write_group # noqa: E402
from in_folders import INPUT, USAGE, expect, run_cases # noqa: E402

PARAMETER = ("<userParameters><userParameterLong><name>turns</name><value>12</value>"
             "</userParameterLong><userParameterBase64><name>protocol</name><value>AAEC</value>"
             "</userParameterBase64></userParameters></ismrmrdHeader>")


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


def a_matrix_takes_what_lies_beyond_the_files(make):
    folder = make()
    row = acquisition()
    samples = int(row["head"]["number_of_samples"][0])
    k = np.stack([np.linspace(-2.4, 2.4, samples)] * 2, 1).astype(np.float32)
    row["head"]["trajectory_dimensions"] = 2
    row["traj"][0] = k.ravel()
    write(folder / "raw.h5", XML, np.concatenate([row, row]))
    work = ["recon", "raw.h5", "-o", "image.h5", "--backend", "reference", "--maps", "none",
            "--traj-units", "cycles/fov"]
    folder.run(INPUT, work, ["--matrix"])
    notes = folder.run(0, [*work, "--matrix", "4,4"]).stderr
    beyond = 2 * int((np.abs(k) > 2.1).any(1).sum())
    expect(f"left out {beyond} of" in notes, f"no count of samples:\n{notes}")
    notes = folder.run(0, [*work, "--matrix", "6,6"]).stderr
    expect("beyond N/2" not in notes, f"samples are left out:\n{notes}")


def the_group_with_images_is_read(make):
    folder = make()
    noise, other = acquisition(), acquisition()
    noise["head"]["flags"] = 1 << 18
    other["data"][0] = 2 * other["data"][0]
    with h5py.File(folder / "raw.h5", "w", libver="earliest") as f:
        for name, rows in (("dataset", noise), ("dataset_2", acquisition()), ("dataset_3", other)):
            write_group(f, name, XML, rows)
    printed = folder.run(0, ["check", "raw.h5"]).stdout
    for piece in ("Only group /dataset_2 is read", "--group", "/dataset, /dataset_3"):
        expect(piece in printed, f"check does not print {piece}: {printed}")
    folder.run(INPUT, ["check", "raw.h5", "--group", "/dataset"], ["/dataset/data", "/dataset_2"])
    folder.run(USAGE, ["check", "raw.h5", "--group", "data"], ["--group data", "/dataset_3"])
    found, _ = image(folder)
    third, _ = image(folder, "--group", "dataset_3")
    # The default lambda is relative; sums are those of doubles, stored as floats.
    expect(np.allclose(third, 2 * found, rtol=1e-5), "another group than --group names is read")


def wrong_choices_are_refused(make):
    folder = make()
    readouts(folder / "raw.h5")
    folder.run(0, ["recon", "raw.h5", "-o", "rss.h5", "--no-whitening", "--quiet", "--backend",
                   "reference"], ["centre of k-space"], finds=["no_maps"])
    folder.run(INPUT, ["recon", "raw.h5", "-o", "image.h5", "--no-whitening", "--quiet", "--maps",
                       "espirit"],
               ["raw.h5", "centre of k-space", "--maps none"])
    work = ["check", "raw.h5"]
    folder.run(INPUT, ["recon", "raw.h5", "-o", "image.h5", "--no-whitening", "--quiet",
                       "--maps", "espirit", "--slice", "1"],
               ["centre of k-space", "--maps none"])  # of one slice
    folder.run(INPUT, [*work, "--slice", "2"], ["--slice 2", "slice 0-1", "next:"])
    folder.run(INPUT, [*work, "--frames", "12"], ["--frames 12", "frames 0 to 11"])
    folder.run(USAGE, [*work, "--slice", "1-"], ["--slice", "0,2,5-9"])
    folder.run(USAGE, [*work, "--encoding", "1"], ["--encoding 1", "1 encoding", "0 (12"])
    folder.run(USAGE, [*work, "--spokes-per-frame", "2"], ["slice 0, repetition 0 has 1 readout"])
    folder.run(USAGE, [*work, "--stride", "2"], ["--spokes-per-frame"])
    folder.run(USAGE, ["check", "scan.h5", "--slice", "0"], ["--slice", "raw data"])


def noise_of_other_coils_does_not_block_the_scan(make):
    folder = make()
    noise = acquisition()
    noise["head"]["flags"], noise["head"]["active_channels"] = 1 << 18, 1
    noise["data"][0] = noise["data"][0][:16]
    write(folder / "raw.h5", XML, np.concatenate([noise, acquisition()]))
    printed = json.loads(folder.run(0, ["info", "--json", "raw.h5"]).stdout)["warnings"]
    expect("noise_unused" in [one["code"] for one in printed], printed)
    expect(image(folder)[0].shape == (1, 4, 4), "no image with --no-whitening")
    os.unlink(folder / "image.h5")
    folder.run(INPUT, ["recon", "raw.h5", "-o", "image.h5", "--quiet", "--backend", "reference"],
               ["acquisition 0 (noise)", "active_channels", "--no-whitening"])


def echo_trains_have_no_times(make):
    """Where an excitation serves several acquisitions, times would begin anew in each."""
    folder = make()
    rows = []
    for segment in (0, 1):
        row = acquisition()
        row["head"]["sample_time_us"], row["head"]["idx"]["segment"] = 20, segment
        rows.append(row)
    with h5py.File(folder / "field.h5", "w") as f:
        f["field_map"] = np.full((4, 4), 100.0)
        f["field_map"].attrs["units"] = "Hz"
    work = ["recon", "raw.h5", "-o", "image.h5", "--quiet", "--backend", "reference"]
    write(folder / "raw.h5", XML, np.concatenate(rows))
    folder.run(INPUT, [*work, "--field-map", "field.h5"],
               ["acquisition 1, idx.segment", "--field-map", "/times"])
    write(folder / "raw.h5", XML.replace(">spiral<", ">epi<"), np.concatenate([rows[0]] * 2))
    folder.run(INPUT, [*work, "--field-map", "field.h5"], ["acquisition 1", "epi", "/times"])
    expect(not os.path.exists(folder / "image.h5"), "an image after a refusal")
    expect(image(folder)[0].shape == (1, 4, 4), "no image without the map")


def a_field_map_uses_the_times_of_headers(make):
    """A constant field is a phase of each sample."""
    folder = make()
    hz, dwell, centre = 3000.0, 20.0, 3
    images = []
    for field in (1e-6, hz): # a map of zeros is refused
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
        offsets = [("flags", 2), ("number_of_samples", 34), ("channel_mask", 40),
                  ("center_sample", 172), ("sample_time_us", 178), ("slice_dir", 218),
                  ("idx", 242), ("user_int", 276), ("user_float", 308)]
        expect(head.itemsize == 340 and rows.dtype.names == ("head", "traj", "data"), "the layout")
        expect([(n, head.fields[n][1]) for n, _ in offsets] == offsets, "offsets of the header")
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


if __name__ == "__main__":
    sys.exit(run_cases([frames_are_chosen, a_matrix_takes_what_lies_beyond_the_files,
                        the_group_with_images_is_read,
                        wrong_choices_are_refused,
                        noise_of_other_coils_does_not_block_the_scan, echo_trains_have_no_times,
                        a_field_map_uses_the_times_of_headers,
                        simulated_raw_data_gives_the_same_image]))
