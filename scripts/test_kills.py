#!/usr/bin/env python3
"""Kills `lsrecon batch`, and ranks of MPI jobs, at random moments by SIGKILL and continues them.

    scripts/test_kills.py LSRECON [--count 100] [--seed 1]

Trials take turns: batch, a rank of `mpirun -n 2 lsrecon batch`, a rank of `mpirun -n 2 lsrecon
recon` of a series, and `mpirun` itself. A killed rank must be named. After a kill each image under
its final name must have the datasets of a run that nobody killed, bit for bit. The same
command again, with --resume for the series, must finish with these bits and leave nothing else
behind. A folder in which one of these fails is kept.
"""
import argparse
import collections
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

import h5py
import numpy

SCANS = 6
SOLVE = ["--lambda", "1e-3", "--iterations", "60", "--quiet"]
MPIRUN = ["mpirun", "-n", "2", "--oversubscribe", "--bind-to", "none"]
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


class Kind:
    """A command that runs in a folder, and which of its processes is killed."""

    def __init__(self, program, words, by_ranks=False, resumes=False, kills_mpirun=False):
        self.command = (MPIRUN if by_ranks else []) + [program] + words
        self.kills_rank, self.resumes = by_ranks and not kills_mpirun, resumes
        self.seconds = 0
        self.images = {}  # of a run that nobody killed

    def start(self, folder, more=()):
        with open(os.path.join(folder, "log.txt"), "ab") as log:
            return subprocess.Popen(self.command + list(more), cwd=folder, stdout=log, stderr=log,
                                    env={**os.environ, **AS_ROOT})

    def victim(self, process):
        """None before ranks have started."""
        if not self.kills_rank:
            return process.pid
        ranks = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process.pid)],
                               capture_output=True, text=True, check=False).stdout.split()
        return int(random.choice(ranks)) if ranks else None


def files_of(folder):
    """All that a command leaves, but its tables and this script's log."""
    return {os.path.relpath(os.path.join(where, name), folder)
            for where, _, names in os.walk(folder) for name in names
            if not name.startswith("results") and name != "log.txt"}


def contents_of(path):
    """Bytes of every dataset."""
    found = {}

    def keep(name, item):
        if isinstance(item, h5py.Dataset):
            found[name] = numpy.asarray(item[()]).tobytes()
    with h5py.File(path) as file:
        file.visititems(keep)
    return found


def prepare(program, folder):
    run = [program, "simulate", "--noise", "0.01", "--quiet"]
    for i in range(SCANS):
        subprocess.run(run + ["--matrix", "64,64", "--coils", "4", "--seed", str(i + 1),
                              "-o", f"scan{i}.h5"], cwd=folder, check=True,
                       stdout=subprocess.DEVNULL)
    subprocess.run(run + ["--matrix", "64,64", "--coils", "4", "--frames", "12",
                          "-o", "series.h5"], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def reference(kind, base, folder):
    for _ in range(2):  # the first run compiles
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(base, folder)
        begin = time.monotonic()
        if kind.start(folder).wait() != 0:
            sys.exit(f"{' '.join(kind.command)} failed, see {folder}/log.txt")
        kind.seconds = time.monotonic() - begin
    kind.images = {name: contents_of(os.path.join(folder, name))
                   for name in files_of(folder) - files_of(base)}


def damaged(kind, folder):
    """Names of the images that are there and not the reference's, and the number that are."""
    found = [name for name in kind.images if os.path.exists(os.path.join(folder, name))]
    wrong = []
    for name in found:
        try:
            if contents_of(os.path.join(folder, name)) != kind.images[name]:
                wrong.append(name)
        except (OSError, KeyError):
            wrong.append(name)
    return wrong, len(found)


def trial(kind, base, folder):
    """What went wrong, in words; whether it was alive when it was killed; images found then."""
    shutil.copytree(base, folder)
    process = kind.start(folder)
    time.sleep(random.uniform(0, kind.seconds))
    victim = kind.victim(process)
    alive = victim is not None and process.poll() is None
    try:
        os.kill(victim or process.pid, 9)
    except ProcessLookupError:
        alive = False
    code = process.wait()
    with open(os.path.join(folder, "log.txt"), encoding="utf-8", errors="replace") as log:
        words = log.read()
    wrong, found = damaged(kind, folder)
    if wrong:
        return f"after the kill {', '.join(wrong)} differ", alive, found
    is_done = found == len(kind.images)
    if alive and code == 0 and not is_done:
        return "exit code 0 of a job that was killed", alive, found
    if alive and code != 0 and kind.kills_rank and not re.search(r"rank \d", words):
        return f"exit code {code}, and the rank that was killed is not named", alive, found
    if not (kind.resumes and is_done):  # recon does not replace a finished image by itself
        has_part = any(".part" in name for name in files_of(folder))
        again = kind.start(folder, ["--resume"] if kind.resumes and has_part else [])
        if again.wait() != 0:
            return f"exit code {again.returncode} when it was continued", alive, found
    wrong, count = damaged(kind, folder)
    if wrong or count != len(kind.images):
        return f"continued: {count} images, {', '.join(wrong) or 'none'} differ", alive, found
    left = files_of(folder) - files_of(base) - set(kind.images)
    return f"left behind: {', '.join(sorted(left))}" if left else "", alive, found


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    random.seed(arguments.seed)
    program = os.path.abspath(arguments.program)
    scans = [f"scan{i}.h5" for i in range(SCANS)]
    batch = ["batch", *scans, "-o", "out", *SOLVE]
    kinds = {"batch": Kind(program, batch)}
    if shutil.which("mpirun") and subprocess.run(MPIRUN + [program, "--version"],
                                                 env={**os.environ, **AS_ROOT}, check=False,
                                                 capture_output=True).returncode == 0:
        kinds["ranks of batch"] = Kind(program, batch, by_ranks=True)
        kinds["ranks of recon"] = Kind(program, ["recon", "series.h5", "-o", "image.h5", *SOLVE],
                                       by_ranks=True, resumes=True)
        kinds["mpirun"] = Kind(program, batch, by_ranks=True, kills_mpirun=True)
    else:
        print("no MPI: batch alone is killed")
    work = tempfile.mkdtemp()
    base = os.path.join(work, "base")
    os.mkdir(base)
    prepare(program, base)
    for name, kind in kinds.items():
        reference(kind, base, os.path.join(work, name.replace(" ", "_")))
    sums = {name: collections.Counter() for name in kinds}
    for i in range(arguments.count):
        name = list(kinds)[i % len(kinds)]
        folder = os.path.join(work, f"trial{i}")
        trouble, alive, found = trial(kinds[name], base, folder)
        sums[name].update(kills=1, alive=alive, found=found, continued=not trouble)
        if trouble:
            print(f"{name}: {trouble}; see {folder}")
        else:
            shutil.rmtree(folder)
    print(f"{'killed':<16}{'kills':>8}{'alive':>8}{'images found':>14}{'same bits at the end':>22}")
    for name, of in sums.items():
        print(f"{name:<16}{of['kills']:>8}{of['alive']:>8}{of['found']:>14}{of['continued']:>22}")
    if sum(of["continued"] for of in sums.values()) != arguments.count:
        sys.exit(1)
    shutil.rmtree(work)


if __name__ == "__main__":
    main()
