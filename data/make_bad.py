#!/usr/bin/python3
"""Writes data/bad/: one malformed scan for every input error, and expected.json with the pieces of
text that the error message must hold (besides the file's name and the lines found:, expected: and
next:). The files are the same on every run. bad_native.py and bad_ismrmrd.py hold the tables,
scan_changes.py what their rows do to a good scan.

    data/make_bad.py [FOLDER]
"""

import json
import pathlib
import sys

import h5py
import numpy as np

sys.dont_write_bytecode = True
import bad_ismrmrd
from bad_ismrmrd import CASES as ISMRMRD_CASES
from bad_native import CASES as NATIVE_CASES
from scan_changes import Scan, drop

# Enough for Q, so that only a reconstruction refuses it.
RECON_ONLY = {"samples_missing.h5"}


def write_native(folder):
    for name, _, change in NATIVE_CASES:
        scan = Scan()
        change(scan)
        scan.write(folder / f"{name}.h5")


def overwrite(path, offset, content):
    with open(path, "r+b") as file:
        file.seek(offset)
        file.write(content)


def damage(path):
    """Overwrites the compressed chunk of /samples."""
    with h5py.File(path, "r") as file:
        chunk = file["samples"].id.get_chunk_info(0)
    overwrite(path, chunk.byte_offset, b"\xff" * chunk.size)


def write_later_types(folder):
    """Compounds in a later version of their message than any HDF5 knows, as those that HDF5 1.12
    writes are to HDF5 1.10."""
    scan = Scan()
    drop("phi", "weights", "coil_maps")(scan)
    scan.write(folder / "samples_later_type.h5")
    bad_ismrmrd.write(folder / "ismrmrd_later_type.h5", table=bad_ismrmrd.acquisition())
    for name, begin in (("samples_later_type.h5", b"\x16\2\0\0"),
                        ("ismrmrd_later_type.h5", b"\x26\3\0\0")):
        message = (folder / name).read_bytes().index(begin)
        overwrite(folder / name, message, b"\xf6")
    words = ["a later HDF5 wrote it", "libver=", "h5py.File"]
    return {"samples_later_type.h5": ["/samples", *words],
            "ismrmrd_later_type.h5": ["/dataset/data", *words]}


def write_not_hdf5(folder):
    """Files that are no HDF5 file, or not a whole one."""
    Scan().write(folder / "truncated.h5")
    whole = (folder / "truncated.h5").read_bytes()
    (folder / "truncated.h5").write_bytes(whole[:len(whole) // 2])
    named = folder / "names_damaged.h5"
    named.write_bytes(whole)
    overwrite(named, whole.index(b"SNOD") + 8, b"\xff" * 4) # where the first name lies
    (folder / "empty.h5").write_bytes(b"")
    (folder / "text.h5").write_text("trajectory 0 0 1 1\n")
    with h5py.File(folder / "other_hdf5.h5", "w", libver="earliest") as file:
        file.create_dataset("kspace", data=np.zeros(3), track_times=False)
    return {"truncated.h5": ["truncated"], "names_damaged.h5": ["list of what it holds"],
            "empty.h5": ["HDF5"], "text.h5": ["HDF5"],
            "other_hdf5.h5": ["kspace", "no root attributes", "lsrecon-scan", "ISMRMRD"]}


def main():
    here = pathlib.Path(__file__).resolve().parent
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else here / "bad"
    folder.mkdir(parents=True, exist_ok=True)
    write_native(folder)
    damage(folder / "samples_damaged.h5")
    expected = {f"{name}.h5": pieces for name, pieces, _ in NATIVE_CASES}
    expected.update(write_not_hdf5(folder))
    expected.update(write_later_types(folder))
    for name, pieces, write in ISMRMRD_CASES:
        write(folder / f"{name}.h5")
        expected[f"{name}.h5"] = pieces
    rows = {name: {"message": pieces,
                   "commands": ["recon"] if name in RECON_ONLY else ["check", "recon"]}
            for name, pieces in sorted(expected.items())}
    (folder / "expected.json").write_text(json.dumps(rows, indent=2) + "\n")
    print(f"{len(rows)} files in {folder}")


if __name__ == "__main__":
    main()
