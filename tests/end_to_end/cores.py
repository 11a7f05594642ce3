#!/usr/bin/env python3
"""The same image from fewer cores, from less of their time, and after the machine was measured.

    cores.py LSRECON"""

import contextlib
import hashlib
import json
import os
import re
import resource
import shlex
import sys
import time

from in_folders import USAGE, expect, run_cases
from predict import NAMES
from resume import contents

# Near where another engine, or another route, becomes worth it.
SCANS = (("--trajectory random --matrix 16,16,16 --readouts 600 --samples-per-readout 1000",
          ["--lambda", "0.01"]),
         ("--trajectory radial --matrix 96,96 --coils 4",
          ["--lambda", "0.01", "--certify", "1e-3"]),
         ("--trajectory radial --matrix 64,64 --coils 3 --without-maps", ["--iterations", "4"]))


def scans(folder):
    for number, (words, _) in enumerate(SCANS):
        folder.run(0, ["simulate", *words.split(), "--noise", "0.01", "-o", f"s{number}.h5",
                       "--quiet"])


def images_of(folder, options=(), **how):
    """With their records, of the scans."""
    found = []
    for number, (_, words) in enumerate(SCANS):
        folder.run(0, ["recon", f"s{number}.h5", "-o", "image.h5", "--quiet", *words,
                       *options], **how)
        found.append(contents(folder / "image.h5"))
    return found


def expect_equal(plain, others, what):
    for (words, _), one, other in zip(SCANS, plain, others):
        differ = [name for name in one if one[name] != other.get(name)]
        expect(not differ and len(one) == len(other), f"{what}: another {differ} of {words}")


def expect_the_same(folder, what, options=(), **how):
    expect_equal(images_of(folder), images_of(folder, options, **how), what)


def one_core_makes_the_same_image(make):
    folder = make()
    scans(folder)
    expect_the_same(folder, "one core", preexec_fn=lambda: os.sched_setaffinity(
        0, {min(os.sched_getaffinity(0))}))
    expect_the_same(folder, "one thread of PoCL",
                    env={**os.environ, "POCL_MAX_PTHREAD_COUNT": "1"})


def any_number_of_threads_makes_the_same_image(make):
    folder = make()
    folder.run(USAGE, ["recon", "scan.h5", "-o", "image.h5", "--threads", "0"],
               ["--threads 0", "a whole number from 1"])
    scans(folder)
    expect_the_same(folder, "--threads 1", ["--threads", "1"])
    for command in ("recon", "batch", "predict", "fhd", "q", "maps", "check", "simulate",
                    "validate", "bench", "tune", "devices"):
        expect("--threads N" in folder.run(0, [command, "--help-all"]).stdout,
               f"{command} has no --threads")
    folder.run(0, ["simulate", "--trajectory", "random", "--matrix", "64,64", "--readouts", "40",
                   "-o", "s.h5", "--quiet"])
    for scan, words in (("s0.h5", ["--engine", "exact"]), ("s.h5", ["--backend", "reference"])):
        begin, used = time.monotonic(), cpu_seconds()
        folder.run(0, ["fhd", scan, "-o", "image.h5", "--quiet", "--threads", "1", *words])
        cores = (cpu_seconds() - used) / (time.monotonic() - begin)
        expect(cores < 1.2, f"--threads 1 {words} kept {cores} cores busy")


def cpu_seconds():
    of_children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return of_children.ru_utime + of_children.ru_stime


def a_larger_machine_makes_the_same_image(make):
    folder = make()
    scans(folder)
    with open(folder / "online", "w", encoding="utf-8") as file:
        file.write("0-15\n")
    program = folder.program
    with open(folder / "larger.sh", "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\n"
                   'exec unshare -m sh -c \'mount --bind online /sys/devices/system/cpu/online && '
                   f'exec "$@"\' sh {shlex.quote(program)} "$@"\n')
    os.chmod(folder / "larger.sh", 0o700)
    plain = images_of(folder)
    folder.program = folder / "larger.sh"
    if folder.can_run(["--version"]):
        expect_equal(plain, images_of(folder), "16 cores")
        expect_equal(plain, images_of(folder, ["--threads", "3"]), "3 threads of 16 cores")
    else:
        print("nothing can be mounted here: a machine of 16 cores was not tried")


def new_group():
    """The path of a control group below that of this process, and the quota of one core in it."""
    name = f"lsrecon-test-{os.getpid()}"
    with open("/proc/self/cgroup", encoding="utf-8") as file:
        for line in file:
            _, controllers, path = line.strip().split(":", 2)
            if "cpu" in controllers.split(","):
                return f"/sys/fs/cgroup/cpu{path}/{name}", {"cpu.cfs_quota_us": "100000"}
    return f"/sys/fs/cgroup{path}/{name}", {"cpu.max": "100000 100000"}


@contextlib.contextmanager
def time_of_one_core():
    """What a process calls to have no more, or None where no control group can be made."""
    group, files = new_group()
    try:
        os.mkdir(group)
    except OSError:
        yield None
        return

    def enter():
        with open(f"{group}/cgroup.procs", "w", encoding="utf-8") as file:
            file.write(str(os.getpid()))

    try:
        for name, value in files.items():
            with open(f"{group}/{name}", "w", encoding="utf-8") as file:
                file.write(value)
    except OSError:
        enter = None
    try:
        yield enter
    finally:
        os.rmdir(group)


def a_quota_makes_the_same_image(make):
    folder = make()
    scans(folder)
    with time_of_one_core() as enter:
        if enter is None:
            print("no control group can be made here: parallel_test.cpp alone has quotas")
            return
        expect_the_same(folder, "a quota", preexec_fn=enter)


def keep_machine(folder, cache, **factors):
    """As `lsrecon devices --measure` does."""
    said = folder.run(0, ["devices"]).stdout
    index = re.search(r"^chosen +(\d+):", said, re.MULTILINE)[1]
    name = re.search(rf"^{index}: (.*)", said, re.MULTILINE)[1]
    platform = re.search(rf"^{index}: .*\n   type .*\n   platform +(.*)", said, re.MULTILINE)[1]
    device = {"platform": platform, "name": name, "type": "cpu", "vendor": "", "version": "",
              "driver": "", "compute_capability": "", "global_bytes": 10**9,
              "max_allocation_bytes": 10**9, "constant_bytes": 10**4, "local_bytes": 10**4,
              "max_work_group": 1, "double_precision": True, "compute_units": 1, "clock_mhz": 1}
    numbers = {**{name: 1e-9 for name in NAMES}, "cores": 1, "spread": 1, **factors}
    path = hashlib.sha256(f"{platform}\n{name}".encode()).hexdigest()[:16]
    os.makedirs(folder / f"{cache}/pace", exist_ok=True)
    with open(folder / f"{cache}/pace/{path}.json", "w", encoding="utf-8") as file:
        json.dump({"device": device, "pace": numbers}, file)
    return {**os.environ, "LSRECON_CACHE": folder / cache}


def a_measurement_makes_the_same_image(make):
    folder = make()
    scans(folder)
    for factors in ({"sums": 100, "grids": 0.01}, {"sums": 0.01, "grids": 100}):
        environment = keep_machine(folder, "cache", start=1000, **factors)
        expect_the_same(folder, f"factors {factors}", env=environment)
    def start(environment=None):
        words = ["predict", "s0.h5", "--json"]
        return json.loads(folder.run(0, words, env=environment).stdout)["stages"]["start"]

    nominal = start({**os.environ, "LSRECON_CACHE": folder / "none"})
    expect(abs(start(environment) / nominal - 1000) < 1e-6,
           f"predict does not know the measurement: {start(environment)}, {nominal} without")


if __name__ == "__main__":
    sys.exit(run_cases([one_core_makes_the_same_image,
                        any_number_of_threads_makes_the_same_image,
                        a_larger_machine_makes_the_same_image, a_quota_makes_the_same_image,
                        a_measurement_makes_the_same_image]))
