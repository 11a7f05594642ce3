#!/usr/bin/env python3
"""Whole reconstructions, from file to file: where the time goes, and the memory.

    measure_scans.py [--program LSRECON] [--device DEVICE] [--scan NAME ...] [--divide N]
                     [--folder FOLDER] [-o TABLE.md]

Simulates the scans of docs/performance.md one after the other, reconstructs each in the ways that
are listed with it, and writes a table: the seconds of every stage and of all, the least of
--runs, with the largest memory of the process and, where there is nvidia-smi, of its device. The
error is against the phantom: it says that the image is one, and differs between commands on
purpose. --divide N makes matrices N times smaller and samples fewer by N^2, for a first try;
--scan names those to measure. The largest needs 10 GB of disk.
"""

import argparse
import datetime
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

STAGES = ["read", "fhd", "q", "lambda", "solve"]
TEN = ["--iterations", "10"]


def of_random_samples(coils):
    return (["--trajectory", "random", "--coils", coils], 256, 10**6, [TEN])


SCANS = {  # what makes the samples, width of the matrix, samples if not Nyquist's, commands
    "radial": (["--trajectory", "radial-3d", "--coils", 8, "--noise", 0.01], 128, None,
               [TEN, [*TEN, "--precision", "double"], []]),
    "random-4": of_random_samples(4),
    "random-16": of_random_samples(16),
    "random-32": of_random_samples(32),
}


def simulate(program, name, divide, device):
    words, width, samples, _ = SCANS[name]
    matrix = ",".join([str(width // divide)] * 3)
    if samples:
        words = [*words, "--readouts", samples // divide**2 // 250, "--samples-per-readout", 250]
    run([program, "simulate", *words, "--matrix", matrix, "-o", "scan.h5", "--truth", "truth.h5",
         "--quiet", *device])


class DeviceMemory(threading.Thread):
    """The largest use while it runs, in MiB, or None."""

    def __init__(self):
        super().__init__(daemon=True)
        self.most = None
        self.over = threading.Event()

    def run(self):
        query = ["nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader,nounits"]
        while shutil.which(query[0]) and not self.over.wait(0.2):
            used = subprocess.run(query, capture_output=True, text=True, check=False).stdout
            self.most = max([self.most or 0, *map(int, re.findall(r"\d+", used))])

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.join()


# Runs a command and prints what it took at the end. A process counts the memory of the one that it
# was forked from, which must be small.
SMALL = """
import os, sys, time
start = time.monotonic()
child = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ)
_, status, usage = os.wait4(child, 0)
print("\\n", time.monotonic() - start, usage.ru_maxrss)
sys.exit(status != 0)
"""


def run(command):
    """Its output, seconds, and largest resident memory in MB."""
    done = subprocess.run([sys.executable, "-S", "-c", SMALL, *map(str, command)], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    text, _, numbers = done.stdout.rpartition("\n ")
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{text}")
    seconds, kilobytes = map(float, numbers.split())
    return text, seconds, kilobytes * 1024 / 1e6


def measure(program, words, runs, device):
    """Seconds, those of the stages, the error and the memory, of the fastest run."""
    found = []
    for _ in range(runs):
        with DeviceMemory() as used:
            said, seconds, memory = run([program, "recon", "scan.h5", "-o", "image.h5", "--truth",
                                         "truth.h5", "--quiet", *words, *device])
        record = run([program, "info", "image.h5"])[0]
        os.unlink("image.h5")
        stages = dict(re.findall(r"^seconds_(\w+)\s+(\S+)", record, re.M))
        error = float(re.search(r"error against the truth: (\S+)", said)[1])
        found.append((seconds, stages, error, memory, used.most))
    return min(found, key=lambda row: row[0])


def row_of(name, words, measured):
    seconds, stages, error, memory, of_device = measured
    size = os.path.getsize("scan.h5") / 1e6
    return [name, f"`{' '.join(words)}`" if words else "",
            *[f"{float(stages[stage]):.2f}" if stage in stages else "" for stage in STAGES],
            f"{seconds:.1f}", f"{100 * error:.1f}", f"{size:.0f}", f"{memory:.0f}",
            str(of_device or "")]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="lsrecon")
    parser.add_argument("--device", help="as recon takes it")
    parser.add_argument("--scan", nargs="+", choices=SCANS, default=list(SCANS))
    parser.add_argument("--divide", type=int, default=1)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--folder", help="where the scans go [a temporary one]")
    parser.add_argument("-o", "--output")
    options = parser.parse_args()
    program = shutil.which(options.program) or sys.exit(f"no program {options.program}")
    program = os.path.abspath(program)
    device = ["--device", options.device] if options.device else []
    rows = [["scan", "flags", *STAGES, "all, s", "error, %", "file, MB", "host, MB",
             "device, MiB"]]
    rows.append(["---"] * len(rows[0]))
    here = os.getcwd()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        os.chdir(folder)
        for name in options.scan:
            simulate(program, name, options.divide, device)
            for words in SCANS[name][3]:
                rows.append(row_of(name, words, measure(program, words, options.runs, device)))
                print(" | ".join(rows[-1]), file=sys.stderr, flush=True)
        os.chdir(here)
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    table = f"{datetime.date.today()}, divided by {options.divide}\n\n{table}\n"
    print(table)
    if options.output:
        pathlib.Path(options.output).write_text(table, encoding="utf-8")


if __name__ == "__main__":
    main()
