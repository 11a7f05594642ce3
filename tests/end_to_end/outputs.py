#!/usr/bin/env python3
"""What a command writes: refused before the work, never in place of what is no file, never in
parts, and nothing left behind.

    outputs.py LSRECON"""

import errno
import fcntl
import os
import random
import resource
import shutil
import signal
import stat
import subprocess
import sys
import time

import h5py
import numpy as np

from in_folders import INPUT, USAGE, expect, recon, run_cases


def outputs_that_are_inputs_or_each_other(make):
    folder = make()
    os.link(folder / "scan.h5", folder / "hard.h5")
    os.symlink("truth.h5", folder / "soft.h5")
    for words, flag in [(["-o", "scan.h5"], "SCAN"), (["-o", "hard.h5"], "SCAN"),
                        (["-o", "soft.h5", "--truth", "truth.h5"], "--truth"),
                        (["-o", "q.h5", "--q", "q.h5"], "--q"),
                        (["-o", "image.h5", "--png", "image.h5"], "--output"),
                        (["-o", "image.h5", "--png", "truth.h5", "--truth", "truth.h5"],
                         "--truth")]:
        folder.run(USAGE, recon(*words), [f"the file of {flag}", "next:"])
    for command in ("fhd", "q"):
        folder.run(USAGE, [command, "scan.h5", "-o", "./scan.h5"], ["the file of SCAN"])
    folder.run(USAGE, ["validate", "scan.h5", "--json", "scan.h5"], ["the file of SCAN"])
    folder.run(USAGE, ["simulate", "--matrix", "8,8", "-o", "s.h5", "--truth", "./s.h5"],
               ["the file of --output"])


def both_halves_of_maps_are_inputs(make):
    folder = make()
    folder.run(0, ["simulate", "--matrix", "16,16", "--coils", "3", "-o", "coils.h5", "--quiet"])
    folder.run(0, ["maps", "coils.h5", "-o", "maps.h5", "--quiet", "--backend", "reference"])
    folder.run(0, ["convert", "maps.h5", "-o", "maps.cfl", "--quiet"])
    for half in ("maps.hdr", "maps.cfl"):
        os.symlink(half, folder / f"{half}.h5")
        folder.run(USAGE, ["recon", "coils.h5", "--maps", "maps.cfl", "-o", f"{half}.h5"],
                   ["the file of --maps"])


def modes_are_kept(make):
    folder = make()
    for name in ("private.h5", "x.png"):
        with open(folder / name, "w", encoding="ascii"):
            os.chmod(folder / name, 0o600)
    folder.run(0, recon("-o", "private.h5", "--png", "x.png"))
    for name in ("private.h5", "x.png"):
        expect(stat.S_IMODE(os.stat(folder / name).st_mode) == 0o600, f"{name} lost its mode")


def a_link_in_the_folder_of_q_is_replaced(make):
    folder = make()
    words = recon("-o", "private.h5", "--q-folder", "kept")
    folder.run(0, words)
    [q] = os.listdir(folder / "kept")
    os.unlink(os.path.join(folder / "kept", q))
    os.symlink("../truth.h5", os.path.join(folder / "kept", q))
    folder.run(0, words, ["the file replaced"])  # and truth.h5 stays as it is
    expect(not os.path.islink(os.path.join(folder / "kept", q)), "the link is still there")


def the_second_of_two_runs_is_reported(make):
    folder = make()
    folder.kept.add("image.h5.part")
    os.mkdir(folder / "image.h5.part")
    part = os.open(folder / "image.h5.part", os.O_RDONLY)
    fcntl.flock(part, fcntl.LOCK_EX)
    folder.run(USAGE, recon("-o", "image.h5"), ["another process"])
    os.close(part)
    folder.run(USAGE, recon("-o", "image.h5"), ["--resume"])


def what_is_no_file_is_not_replaced(make):
    folder = make()
    os.mkfifo(folder / "node")
    kinds = [(stat.S_ISFIFO, "a pipe")]
    if os.geteuid() == 0:
        kinds.append((stat.S_ISCHR, "a device"))
    for is_kind, said in kinds:
        if is_kind is stat.S_ISCHR:
            os.unlink(folder / "node")
            os.mknod(folder / "node", stat.S_IFCHR | 0o666, os.makedev(1, 3))
        folder.run(USAGE, recon("-o", "node"), [said, "next:"])
        folder.run(USAGE, recon("-o", "image.h5", "--png", "node"), [said])
        folder.run(USAGE, ["simulate", "--matrix", "8,8", "-o", "s.h5", "--truth", "node"], [said])
        folder.run(USAGE, ["bench", "--json", "node"], [said])
        folder.run(USAGE, ["tune", "--json", "node"], [said])
        expect(is_kind(os.lstat(folder / "node").st_mode), f"{said} was replaced")
    os.symlink("real.h5", folder / "link.h5")
    folder.run(0, recon("-o", "link.h5"))
    expect(os.path.islink(folder / "link.h5"), "a link was replaced")
    expect(os.path.isfile(folder / "real.h5"), "the file behind a link was not made")


def odd_names(make):
    folder = make()
    os.symlink("loop", folder / "loop")
    os.mkdir(folder / "gone")
    for name in ("", "a" * 300, "loop", "none/image.h5", "scan.h5/image.h5", "gone/"):
        folder.run(USAGE, recon("-o", name), [""])
    for name in ("x.nii", "x.nii.gz", "x.png", "x.mat", "x.DCM"):
        folder.run(USAGE, recon("-o", name), ["the ending", "HDF5", "next:"])
        expect(not os.path.exists(folder / name), f"{name} was written")
    for name in ("x.jpg", "x.h5", "x"):
        folder.run(USAGE, recon("-o", "image.h5", "--png", name), ["PNG"])
    for flag in ("--q", "--truth"):
        folder.run(INPUT, recon("-o", "image.h5", flag, "none.h5"), [flag, "no such file"])
        folder.run(INPUT, recon("-o", "image.h5", flag, "a" * 300), [flag])
        folder.run(USAGE, recon("-o", "image.h5", flag, ""),
                   [flag + ' ""', "expected: the name of a file"])
    for name in ("loop", "a" * 300, ".", "scan.h5/x"):
        folder.run(INPUT, ["check", name], ["next:"])
    for name in ("b" * 240 + ".h5", "c" * 255, "./-o", "%s%n.h5", "a b.h5"):
        folder.run(0, recon("-o", name))
        expect(os.path.isfile(folder / name), f"{name[:20]} was not written")
    folder.run(USAGE, ["recon", folder / "scan.h5", "-o", "image.h5"], ["cannot be written"],
               cwd=folder / "gone", preexec_fn=lambda: os.rmdir(folder / "gone"))


def streams(make):
    folder = make()
    for words in (["info", "scan.h5"], ["--help"], ["--version"]):
        with open("/dev/full", "w") as full:
            folder.run(INPUT, words, ["stdout"], stdout=full, stderr=subprocess.PIPE)
    folder.run(INPUT, ["info", "scan.h5"], ["stdout"], preexec_fn=lambda: os.close(1))
    folder.run(0, recon("-o", "image.h5"), preexec_fn=lambda: os.closerange(0, 3))
    with h5py.File(folder / "image.h5") as f:
        expect(np.all(np.isfinite(f["image"][()])), "printed text went into the image")

    def small_files():
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # Python ignores it, and that is inherited
        resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))
    os.unlink(folder / "image.h5")
    folder.run(INPUT, recon("-o", "image.h5"), [os.strerror(errno.EFBIG)], preexec_fn=small_files)


def links_of(process):
    """Where its descriptors lead; nowhere once it has ended."""
    descriptors = f"/proc/{process.pid}/fd"
    try:
        return [os.readlink(f"{descriptors}/{name}") for name in os.listdir(descriptors)]
    except OSError:
        return []


def signals_leave_nothing(make):
    """Not even SIGKILL, whenever it comes."""
    folder, number = make(), 0
    try:
        os.close(os.open(folder.path, os.O_TMPFILE | os.O_RDWR))
    except OSError:
        return  # this file system has named files alone
    before = sorted(os.listdir(folder.path))
    for kind in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL):
        for _ in range(5):
            process = subprocess.Popen(
                [folder.program, "simulate", "--matrix", "64,64", "-o", "s.h5", "--quiet"],
                cwd=folder.path, stdout=subprocess.DEVNULL)
            while process.poll() is None and not any(
                    link.startswith(os.path.realpath(folder.path)) for link in links_of(process)):
                pass  # it writes no file yet
            time.sleep(random.uniform(0, 0.01))
            process.send_signal(kind)
            stopped = process.wait(20) == -kind
            number += stopped
            left = sorted(os.listdir(folder.path))
            expect(left in (before, sorted(before + ["s.h5"])), f"{kind.name} left {left}")
            if "s.h5" in left:
                folder.run(0, ["check", "s.h5"])
                os.unlink(folder / "s.h5")
    expect(number > 0, "no signal came in time")


def scans_are_not_replaced(make):
    """Whoever made them, and whatever command names one by mistake."""
    folder = make()
    shutil.copy(folder / "scan.h5", folder / "other.h5")
    with h5py.File(folder / "raw.h5", "w") as f:  # as ISMRMRD has them
        f["dataset/xml"], f["dataset/data"] = "<ismrmrdHeader/>", np.zeros(3)
    folder.run(0, recon("-o", "i.h5"))
    before = {name: folder.digest(name) for name in ("other.h5", "raw.h5")}
    for name, kind in (("other.h5", "the native scan file"), ("raw.h5", "ISMRMRD raw data")):
        for words in (recon(), ["fhd", "scan.h5"], ["q", "scan.h5"], ["maps", "scan.h5"],
                      ["convert", "i.h5", "--to", "ismrmrd"], ["simulate", "--matrix", "8,8"],
                      ["simulate", "-o", "new.h5", "--matrix", "8,8", "--truth", name]):
            output = [] if name in words else ["-o", name]
            folder.run(USAGE, [*words, *output], [name, kind, "remove it first"])
    expect(before == {name: folder.digest(name) for name in before}, "a scan was replaced")
    for words, code in ((["--coils", "2"], 0), (["--coils", "2"], 0), (["--coils", "3"], USAGE)):
        folder.run(code, ["simulate", "--matrix", "8,8", "-o", "simulated.h5", *words])
    for command in ("fhd", "q"):  # what is made again is replaced
        for _ in range(2):
            folder.run(0, [command, "scan.h5", "-o", "again.h5", "--quiet"])
    folder.run(INPUT, ["convert", "again.h5", "-o", "x.nii"], ["/image", "it is missing\n"])
    with open(folder / "pair.hdr", "wb") as f:  # of NIfTI-1, say
        f.write(bytes(348))
    folder.run(USAGE, ["convert", "i.h5", "-o", "pair.cfl"], ["pair.hdr", "of another format"])
    expect(os.path.getsize(folder / "pair.hdr") == 348, "a header was replaced")
    os.unlink(folder / "pair.hdr")
    for _ in range(2):
        folder.run(0, ["convert", "i.h5", "-o", "pair.cfl"])


def caches(make):
    """A folder in place of an entry or of the winners is no entry."""
    folder = make()
    environment = dict(os.environ, LSRECON_CACHE=folder / "cache")
    words = ["recon", "scan.h5", "-o", "image.h5", "--quiet", "--kernel", "tuned"]
    if not folder.can_run(["devices"]):
        return
    folder.run(0, words, env=environment)
    entries = os.path.join(folder / "cache", "kernels")
    for name in os.listdir(entries):
        os.unlink(os.path.join(entries, name))
        os.mkdir(os.path.join(entries, name))
    folder.run(0, words, env=environment)


if __name__ == "__main__":
    sys.exit(run_cases([outputs_that_are_inputs_or_each_other, both_halves_of_maps_are_inputs,
                        modes_are_kept, a_link_in_the_folder_of_q_is_replaced,
                        the_second_of_two_runs_is_reported, what_is_no_file_is_not_replaced,
                        odd_names, streams, signals_leave_nothing, scans_are_not_replaced,
                        caches]))
