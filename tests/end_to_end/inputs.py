#!/usr/bin/env python3
"""What a command is given beside the scan: Q and truth are checked before the work and not
believed; many frames and long images become files, too.

    inputs.py LSRECON"""

import os
import shlex
import sys

import h5py
import numpy as np

from in_folders import INPUT, USAGE, expect, recon, run_cases


def frames_of(number, path):
    """A scan of one sampling and many frames of 3 x 3 voxels."""
    rng = np.random.default_rng(0)
    with h5py.File(path, "w") as f:
        f.attrs["format"], f.attrs["version"] = "lsrecon-scan", 1
        f.attrs["matrix"], f.attrs["fov_mm"] = [3, 3], [200.0, 200.0]
        f["trajectory"] = rng.uniform(-1.5, 1.5, (12, 2))
        f["trajectory"].attrs["units"] = "cycles/fov"
        f["samples"] = (rng.normal(size=(number, 1, 12)) + 1j).astype("c8")


def many_frames(make):
    folder = make()
    frames_of(5000, folder / "frames.h5")
    folder.run(0, ["recon", "frames.h5", "-o", "image.h5", "--quiet", "--backend", "reference",
                   "--iterations", "2"])
    with h5py.File(folder / "image.h5") as f:
        expect(f["image"].shape == (5000, 3, 3), "not every frame was written")
        labels = f["frame_labels"].asstr()[()]
        expect(len(set(labels)) == 5000, "the labels are not those of the frames")


def endless_frames_are_refused_at_once(make):
    """A dataset that declares more frames than anybody can count, in a file of 10 kB."""
    folder = make()
    frames_of(2, folder / "endless.h5")
    with h5py.File(folder / "endless.h5", "a") as f:
        del f["trajectory"]
        f.create_dataset("trajectory", (1 << 58, 12, 2), "f8", chunks=(1, 12, 2))
        f["trajectory"].attrs["units"] = "cycles/fov"
    for command in (["check", "endless.h5"], ["check", "endless.h5", "--frames", "0-1"]):
        folder.run(INPUT, command, ["/trajectory", "next:"])


def maps_do_not_replace_their_input(make):
    folder = make()
    folder.run(0, ["simulate", "--matrix", "16,16", "--coils", "3", "-o", "coils.h5", "--quiet"])
    folder.run(0, ["maps", "coils.h5", "-o", "maps.h5", "--quiet"])
    before = folder.digest("maps.h5")
    folder.run(USAGE, ["maps", "coils.h5", "--maps", "maps.h5", "-o", "maps.h5"],
               ["maps.h5", "--maps", "a file of its own"])
    expect(folder.digest("maps.h5") == before, "maps were replaced")


def pipes_are_refused(make):
    folder = make()
    os.mkfifo(folder / "pipe.hdr")
    for half in ("pipe.img", "pipe.cfl"):
        os.link(folder / "truth.h5", folder / half)
    for name in ("pipe.hdr", "pipe.img", "pipe.cfl"):
        for words in (["info", name], ["convert", name, "-o", "x.nii"],
                      ["view", name, "-o", "x.html"],
                      recon("-o", "image.h5", "--maps", name),
                      recon("-o", "image.h5", "--reg", "prior:0.1", "--prior", name)):
            folder.run(INPUT, words, ["it is a pipe", "next:"])
    for command in ("info", "check"):
        folder.run(INPUT, [command, "/dev/stdin"], ["it is a pipe"], input="")


def what_reads_files_of_others_is_said(make):
    """By content or, where that says nothing, by name."""
    folder = make()
    twix = np.array([0, 1, 7, 8], "u4").tobytes() + np.uint64(40).tobytes() + bytes(16)
    native = "lsrecon import FILES"
    files = {"meas.dat": (twix + b"\x10\0\0\0\4\0\0\0Config\0", "siemens_to_ismrmrd"),
             "vb.dat": (b"\x10\0\0\0\4\0\0\0Config\0", "siemens_to_ismrmrd"),
             "twix.x": (twix + b"\x10\0\0\0\4\0\0\0Config\0", "siemens_to_ismrmrd"),
             "odd.dat": (bytes(99), "siemens_to_ismrmrd"),
             "five.mat": (b"MATLAB 5.0 MAT-file" + bytes(200), native),
             "of_matlab": (b"MATLAB 5.0 MAT-file" + bytes(200), native),
             "odd.mat": (b"text", native), "odd.cfl": (bytes(64), native),
             "odd.npz": (b"PK\3\4", native)}
    for name, (content, says) in files.items():
        with open(folder / name, "wb") as file:
            file.write(content)
        for command in (["check", name], ["recon", name, "-o", "image.h5"]):
            folder.run(INPUT, command, [name, says, "next:"])
    np.save(folder / "k.npy", np.ones(3))
    folder.run(INPUT, ["check", "k.npy"], ["arrays of NumPy", native])
    with h5py.File(folder / "seven.mat", "w", userblock_size=512) as file:
        file["kdata"] = np.ones(3)
    with open(folder / "seven.mat", "r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file")
    folder.run(INPUT, ["check", "seven.mat"], ["a file of MATLAB", native])


def values_of_files_colour_and_forge_nothing(make):
    folder = make()
    folder.run(0, recon("-o", "made.h5"))
    forged = "red\x1b[31m\n  next:     paste this"
    with h5py.File(folder / "made.h5", "a") as f:
        f["record"].attrs["device"] = forged
    with h5py.File(folder / "units.h5", "w") as f, h5py.File(folder / "scan.h5") as scan:
        f.attrs.update(scan.attrs)
        for name in scan:
            scan.copy(name, f)
        f["trajectory"].attrs["units"] = forged
    shown = (folder.run(0, ["info", "made.h5"]).stdout,
             folder.run(INPUT, ["check", "units.h5"]).stderr)
    for text in shown:
        expect("red [31m   next:     paste this" in text and "\x1b" not in text, text)
    with h5py.File(folder / "two.mrd", "w") as f:
        for series in ("a; touch forged '", "b"):
            f[f"dataset/{series}/header"], f[f"dataset/{series}/data"] = np.zeros(1), np.zeros(1)
    said = folder.run(INPUT, ["convert", "two.mrd", "-o", "x.nii"], ["h5copy"]).stderr
    words = shlex.split(said[said.index("h5copy -p"):])
    expect(words[-3] == words[-1] == "dataset/a; touch forged '", words)


def numbers_beyond_all_measure_are_refused(make):
    folder = make()
    many, wide = str(2**64 - 1), "4294967296,4294967296"
    for command in ("bench", "tune"):
        folder.run(USAGE, [command, "--samples", many], [many, "to 1000000000", "next:"])
        folder.run(USAGE, [command, "--matrix", wide], ["4294967296", "to 1000000000"])
        folder.run(USAGE, [command, "--matrix", "65536,65536"], ["at most 1e+09"])
    folder.run(USAGE, recon("-o", "image.h5", "--matrix", wide), ["4294967296", "1 to 1000000"])
    folder.run(USAGE, recon("-o", "image.h5", "--shift-mm", "1e300,1e300"),
               ["1e300", "at most 100000 mm"])


def inputs_are_checked_before_the_work(make):
    """A scan on which the work takes far longer than the test may."""
    folder = make()
    rng = np.random.default_rng(0)
    with h5py.File(folder / "long.h5", "w") as f:
        f.attrs["format"], f.attrs["version"] = "lsrecon-scan", 1
        f.attrs["matrix"], f.attrs["fov_mm"] = [512, 512], [200.0, 200.0]
        f["trajectory"] = rng.uniform(-256, 256, (200000, 2))
        f["trajectory"].attrs["units"] = "cycles/fov"
        f["samples"] = np.ones((1, 200000), "c8")
    for name, value in (("nan.h5", np.nan), ("zeros.h5", 0)):
        with h5py.File(folder / name, "w") as f:
            f["image"] = np.full((1, 512, 512), value, "c8")
    with h5py.File(folder / "residuals.h5", "w") as f:
        f["image"], f["record/residuals"] = np.ones((1, 512, 512), "c8"), 3.0
    work = ["recon", "long.h5", "-o", "image.h5", "--quiet", "--backend", "reference"]
    for truth, said in (("truth.h5", "512, 512"), ("nan.h5", "not finite"), ("zeros.h5", "zeros"),
                        ("residuals.h5", "residuals"), ("scan.h5", "/image")):
        folder.run(INPUT, [*work, "--truth", truth], [truth, said, "next:"])
    for q in ("q.h5", "truth.h5"):
        folder.run(INPUT, [*work, "--q", q], [q, "lsrecon q"])


def q_files_are_not_believed(make):
    def values(change):
        return lambda f: f["q"].write_direct(np.ascontiguousarray(change(f["q"][()])))

    def replace(name, value):
        def change(f):
            attributes = dict(f[name].attrs)
            del f[name]
            f[name] = value(f) if callable(value) else value
            f[name].attrs.update(attributes)
        return change

    cases = {
        "times 1e300": values(lambda q: q * 1e300), "negated": values(lambda q: -q),
        "transposed": values(lambda q: q.T), "conjugate": values(np.conj),
        "zero": values(lambda q: 0 * q), "flat": values(lambda q: 0 * q + 1),
        "one bit": values(lambda q: q.real * (1 + 1e-15) + 1j * q.imag),
        "nan": values(lambda q: q * np.nan),
        "complex64": lambda f: replace("q", f["q"][()].astype("c8"))(f),
        "real": lambda f: replace("q", f["q"][()].real)(f),
        "scalar": replace("q", 1 + 0j), "short": lambda f: replace("q", f["q"][:-1])(f),
        "more": lambda f: replace("q", np.concatenate([f["q"][()]] * 2))(f),
        "no hash": lambda f: f.__delitem__("sha256"), "no key": lambda f: f.__delitem__("keys"),
        "number as hash": replace("sha256", 3.0), "empty key": replace("keys", np.array([b""])),
        "two hashes": replace("sha256", np.array([b"a" * 64] * 2)),
        "another format": lambda f: f.attrs.modify("format", "lsrecon-image"),
        "version 1": lambda f: [f.__delitem__("keys"), f.__delitem__("sha256")],
    }
    for name, change in cases.items():
        folder = make()
        with h5py.File(folder / "q.h5", "r+") as f:
            change(f)
        run = folder.run(INPUT, recon("-o", "image.h5", "--q", "q.h5"), ["q.h5", "next:"])
        expect(run.returncode == INPUT, f"Q {name} was believed")
    folder = make()
    folder.run(0, recon("-o", "image.h5", "--q", "q.h5"))


def previews_are_bounded(make):
    folder = make()
    with h5py.File(folder / "column.h5", "w") as f:
        f.attrs["format"], f.attrs["version"] = "lsrecon-scan", 1
        f.attrs["matrix"], f.attrs["fov_mm"] = [1, 20000], [200.0, 200.0]
        f["trajectory"] = np.array([[0.0, 0.0], [0.0, 9000.0]])
        f["trajectory"].attrs["units"] = "cycles/fov"
        f["samples"] = np.ones((1, 2), "c8")
    folder.run(0, ["recon", "column.h5", "-o", "image.h5", "--png", "x.png", "--quiet",
                   "--backend", "reference", "--iterations", "1"],
               ["one of 5 voxels"], finds=["preview_partial"])
    expect(os.path.getsize(folder / "x.png") < 1 << 20, "the picture is large")


if __name__ == "__main__":
    sys.exit(run_cases([many_frames, endless_frames_are_refused_at_once,
                        maps_do_not_replace_their_input, pipes_are_refused,
                        what_reads_files_of_others_is_said,
                        values_of_files_colour_and_forge_nothing,
                        numbers_beyond_all_measure_are_refused, inputs_are_checked_before_the_work,
                        q_files_are_not_believed, previews_are_bounded]))
