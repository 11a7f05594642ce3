#!/usr/bin/env python3
"""predict: what it prints for this machine and for another one, and how near memory is.

    predict.py LSRECON"""

import json
import os
import signal
import subprocess
import sys
import time

from in_folders import DEVICE, INPUT, USAGE, expect, run_cases
from memory import peak_of

NAMES = ["start", "host", "sums", "grids"]
THERE = ["--machine", "gpu.json"]


def describe(folder, entries=(), **changes):
    """The file of a machine with a GPU that is not here, whose device and factors have entries.
    """
    device = {"platform": "p", "name": "Described GPU", "type": "gpu", "vendor": "NVIDIA",
              "version": "OpenCL 3.0", "driver": "1", "compute_capability": "9.0",
              "global_bytes": 1 << 36, "max_allocation_bytes": 1 << 34, "constant_bytes": 65536,
              "local_bytes": 49152, "max_work_group": 1024, "double_precision": True,
              "compute_units": 132, "clock_mhz": 1980}
    numbers = {name: 1e-9 for name in NAMES}
    numbers.update(cores=16, spread=1.25, start=200) # 94 s, and 1 s a stage
    for name, value in dict(entries).items():
        (device if name in device else numbers)[name] = value
    with open(folder / "gpu.json", "w", encoding="utf-8") as file:
        json.dump({"device": device, "pace": numbers, **changes}, file)


def a_described_machine_needs_no_device(make):
    folder = make()
    describe(folder)
    text = folder.run(0, ["predict", "scan.h5", *THERE, "--iterations", "5"]).stdout
    expect("on Described GPU" in text and "5 iterations at most" in text, text)
    expect("of the device" in text, text)
    for stage in ("start", "read", "fhd", "q", "solve", "all", "memory"):
        expect(any(line.startswith(stage) for line in text.splitlines()), f"{stage}: {text}")
    found = json.loads(folder.run(0, ["predict", "scan.h5", *THERE, "--lambda", "0.01",
                                      "--delays", "none", "--json"]).stdout)
    expect(95 < found["seconds"] < 101 and found["spread"] == 1.25, found)
    expect(abs(sum(found["stages"].values()) - found["seconds"]) < 1e-9, found)


def other_engines_are_predicted_beside_it(make):
    folder = make()
    describe(folder)
    for engine in ("exact", "nufft"):
        found = json.loads(folder.run(0, ["predict", "scan.h5", *THERE, "--engine", engine,
                                          "--json"]).stdout)
        engines = [one["engine"] for one in (found, *found["others"])]
        expect(len(engines) == 2 and "nufft" in engines, engines)
    text = folder.run(0, ["predict", "scan.h5", "--backend", "reference"]).stdout
    expect("engine loops" in text and "else" not in text, text)


def a_list_has_a_job(make):
    folder = make()
    describe(folder)
    there = [*THERE, "--lambda", "0.01", "--delays", "none"]  # nothing is chosen
    with open(folder / "list.txt", "w", encoding="utf-8") as file:
        file.write("scan.h5\nscan.h5\t--iterations 5\nscan.h5\n")
    lines = folder.run(0, ["predict", "list.txt", *there]).stdout.splitlines()
    expect(len(lines) == 5 and "scan.h5" in lines[2] and "all by one process" in lines[3], lines)
    found = json.loads(folder.run(0, ["predict", "list.txt", *there, "--json"]).stdout)
    expect([scan["iterations"] for scan in found["scans"]][1] == 5, found)
    expect(95 < found["seconds"] < 130, "a process starts once")
    job = folder.run(0, ["predict", "list.txt", *there, "--sbatch", "2"]).stdout
    # 112 s x 1.25 x 1.5 are 4 minutes.
    expect(job.split() == ["--array=0-1", "--time=5", "--mem=2G", "--gres=gpu:1"], job)
    for tasks in ("0", "4000002", "1000000000000000"):
        folder.run(USAGE, ["predict", "list.txt", "--sbatch", tasks], ["--sbatch"])
    job = folder.run(0, ["predict", "list.txt", *there, "--sbatch", "4000001"]).stdout
    expect("--array=0-4000000 --time=5" in job, job)
    folder.run(INPUT, ["predict", "none.txt"], ["none.txt"])
    some = folder.run(INPUT, ["predict", "none.h5", "scan.h5", *there, "--sbatch", "1"],
                      ["lsrecon: none.h5: ", "\n  found: ", "\n  expected: ", "\n  next: "]).stdout
    expect("--time=5" in some, f"a bad scan does not stop the others: {some}")


def what_is_no_machine_is_refused(make):
    folder = make()
    folder.run(USAGE, ["predict", "scan.h5", "--machine", "none.json"], ["--machine none.json"])
    describe(folder, pace={})
    folder.run(USAGE, ["predict", "scan.h5", *THERE],
               ["holds no machine", "devices"])
    folder.run(INPUT, ["predict", "none.h5"], ["none.h5"])
    folder.run(USAGE, ["devices", "-o", "gpu.json"], ["--measure"])


def a_number_that_no_machine_has_is_named(make):
    folder = make()
    for name in ["cores", "spread", "compute_units", "clock_mhz", "global_bytes",
                 "max_allocation_bytes", "constant_bytes", "local_bytes", "max_work_group",
                 "start", "sums"]:
        for value in (-1, 0, 1e300, "1", None):
            describe(folder, {name: value})
            folder.run(USAGE, ["predict", "scan.h5", "scan.h5", *THERE, "--sbatch", "2"],
                       ["--machine gpu.json: " + name, "next: "])
    for name, value in (("compute_units", 1.5), ("spread", 0.5), ("type", "banana")):
        describe(folder, {name: value})
        folder.run(USAGE, ["predict", "scan.h5", *THERE], ["--machine gpu.json: " + name])
    describe(folder, {name: 1e-308 for name in NAMES})
    folder.run(0, ["predict", "scan.h5", "scan.h5", *THERE, "--sbatch", "2"])


def measuring_is_reported_and_leaves_nothing(make):
    folder = make()
    begin = time.time()
    folder.run(USAGE, ["devices", "--measure", "-o", "none/gpu.json"], ["none/gpu.json"])
    folder.run(DEVICE, ["devices", "--measure", "--device", "no such"], ["no such", "\n  next: "])
    expect(time.time() - begin < 30, "what is wrong is found after what it is for was measured")
    temporary = folder / "a folder's"
    os.mkdir(temporary)
    with subprocess.Popen([folder.program, "devices", "--measure"], stderr=subprocess.PIPE,
                          text=True, env={**os.environ, "TMPDIR": temporary}) as process:
        printed = []
        for line in process.stderr:
            printed.append(line)
            if line.startswith("  recon --engine exact") and line.endswith(" s\n"):
                break
        expect(os.listdir(temporary), f"nothing is in TMPDIR: {printed}")
        expect("scans" in printed[0] and printed[1].startswith("scan 1 of "), f"printed: {printed}")
        process.send_signal(signal.SIGTERM)
        process.stderr.read()
    expect(process.returncode == -signal.SIGTERM, f"{process.returncode}: {printed}")
    for _ in range(100):
        if not os.listdir(temporary):
            return
        time.sleep(0.1)
    expect(False, f"a signal left {os.listdir(temporary)}")


def memory_is_near(make):
    folder = make()
    for words, options in (("--matrix 24,24 --coils 2", ["--iterations", "4"]),
                           ("--matrix 40,40,40 --trajectory radial-3d", ["--iterations", "2"])):
        folder.run(0, ["simulate", "-o", "s.h5", "--noise", "0.01", "--quiet", *words.split()])
        predicted = json.loads(folder.run(0, ["predict", "s.h5", "--json", *options]).stdout)
        ratio = predicted["host_bytes"] / peak_of(folder, ["recon", "s.h5", "-o", "i.h5", "--quiet",
                                                           *options])
        expect(0.7 < ratio < 1.6, f"{words}: {ratio:.2f} of the memory was predicted")


if __name__ == "__main__":
    sys.exit(run_cases([a_described_machine_needs_no_device,
                        other_engines_are_predicted_beside_it, a_list_has_a_job,
                        what_is_no_machine_is_refused, a_number_that_no_machine_has_is_named,
                        measuring_is_reported_and_leaves_nothing, memory_is_near]))
