#!/usr/bin/env python3
"""Raw data as a stream of messages, written here by the words of its documentation.

    raw_streams.py LSRECON"""

import struct
import sys

import h5py
import numpy as np

from in_folders import INPUT, expect, run_cases

CONFIG_FILE, CONFIG_TEXT, HEADER, CLOSE, TEXT = range(1, 6)
ACQUISITION, IMAGE, WAVEFORM = 1008, 1022, 1026
WORK = ["--quiet", "--backend", "reference", "--iterations", "2", "--maps", "none"]


def words(message, text):
    return struct.pack("<HI", message, len(text)) + text


def waveform():
    return (struct.pack("<HHxxxxxxQIIIHHfHxx", WAVEFORM, 1, 0, 0, 0, 0, 7, 3, 2.5, 1) + bytes(84))


def messages(path):
    """Those of a file in HDF5: what comes before the acquisitions, and each of them."""
    with h5py.File(path) as f:
        xml = f["dataset/xml"][0]
        rows = f["dataset/data"][()]
    before = [struct.pack("<H", CONFIG_FILE) + b"default.xml".ljust(1024, b"\0"),
              words(CONFIG_TEXT, b"<gadgetron/>"), words(HEADER, xml + b"\0")]
    return before, [struct.pack("<H", ACQUISITION) + row["head"].tobytes() +
                    row["traj"].tobytes() + row["data"].tobytes() for row in rows]


def write(path, *parts):
    with open(path, "wb") as f:
        f.write(b"".join(parts))


def simulated(folder):
    folder.run(0, ["simulate", "--trajectory", "spiral", "--matrix", "24,20", "--coils", "2",
                   "--frames", "3", "--motion", "10", "--noise", "0.02", "--noise-samples", "40",
                   "--without-maps", "--quiet", "--backend", "reference", "-o", "raw.mrd"])
    return messages(folder / "raw.mrd")


def streams_give_the_same_image(make):
    folder = make()
    before, acquisitions = simulated(folder)
    close = struct.pack("<H", CLOSE)
    write(folder / "raw.bin", *before, *acquisitions[:4], waveform(), *acquisitions[4:],
          words(TEXT, b"done"), close)
    write(folder / "short.bin", before[-1], *acquisitions, close)
    images = {}
    for name in ("raw.mrd", "raw.bin", "short.bin"):
        folder.run(0, ["recon", name, "-o", "image.h5", *WORK, "--frames", "1-2"])
        with h5py.File(folder / "image.h5") as f:
            images[name] = f["image"][()].tobytes()
            sha = f["record"].attrs["scan_sha256"]
    expect(len(set(images.values())) == 1, "a stream gives another image")
    expect(sha == folder.digest("short.bin"), "another hash than that of the stream")
    printed = folder.run(0, ["info", "raw.bin"]).stdout
    for piece in ("ismrmrd-stream", "frames       3", "noise        40", "waveforms    1 stored"):
        expect(piece in printed, f"info does not print '{piece}': {printed}")
    expect("raw.bin: ok" in folder.run(0, ["check", "raw.bin"]).stdout, "check of a stream")


def damaged_streams_are_refused(make):
    folder = make()
    before, acquisitions = simulated(folder)
    whole = b"".join([*before, *acquisitions])
    close = struct.pack("<H", CLOSE)
    image = struct.pack("<H", IMAGE) + bytes(198)
    for parts, pieces in (((whole,), ["early", "its writer was stopped"]),
                          ((whole[:-5],), ["early"]), ((whole[:-5], close), ["early"]),
                          ((whole, close, b"?"), ["1 bytes after the close"]),
                          ((whole, image, close), ["message 1022, an image"]),
                          ((whole, struct.pack("<H", 77), close), ["message 77"]),
                          ((whole, before[-1], close), ["a second header"]),
                          ((*before, close), ["acquisitions with image data", "none"])):
        write(folder / "bad.bin", *parts)
        folder.run(INPUT, ["check", "bad.bin"], ["bad.bin", *pieces, "next:"])
    # Counts of samples and coils that are not those of the arrays; whatever follows is no message.
    at = len(b"".join(before)) + 2
    for place in (34, 38, 176):
        for count in (0, 1, 65535):
            changed = bytearray(whole + close)
            changed[at + place:at + place + 2] = struct.pack("<H", count)
            write(folder / "bad.bin", changed)
            if changed != whole + close:
                folder.run(INPUT, ["check", "bad.bin"], ["bad.bin", "next:"])
    rng = np.random.default_rng(3)
    for length in rng.integers(0, len(whole), 12):
        write(folder / "bad.bin", whole[:length])
        folder.run(INPUT, ["check", "bad.bin"], ["bad.bin", "next:"])


def segments_are_read(make):
    """Of an echo train, whose times are not known."""
    folder = make()
    before, acquisitions = simulated(folder)
    dwell, segment = 2 + 178, 2 + 242 + 16 # after the message's number
    timed = [a[:dwell] + struct.pack("<f", 10) + a[dwell + 4:] for a in acquisitions]
    second = timed[-1][:segment] + struct.pack("<H", 1) + timed[-1][segment + 2:]
    for last, says in ((timed[-1], ["scan.h5", "/field_map"]), (second, ["idx.segment"])):
        write(folder / "raw.bin", *before, *timed, last, struct.pack("<H", CLOSE))
        folder.run(INPUT, ["recon", "raw.bin", "-o", "image.h5", *WORK, "--field-map", "scan.h5"],
                   says)


def version_2_is_named(make):
    folder = make()
    write(folder / "new.mrd", b"yardl\1\0\0", 20 * b'{"protocol":{"name":"Mrd"}}')
    with h5py.File(folder / "new.h5", "w") as f:
        f["Mrd/$yardl_schema"] = '{"protocol":{"name":"Mrd"}}'
    for name in ("new.mrd", "new.h5"):
        for work in (["info", name], ["recon", name, "-o", "image.h5", *WORK]):
            folder.run(INPUT, work, [name, "MRD version 2", "mrd_to_ismrmrd"])


if __name__ == "__main__":
    sys.exit(run_cases([streams_give_the_same_image, damaged_streams_are_refused,
                        segments_are_read, version_2_is_named]))
