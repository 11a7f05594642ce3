#!/usr/bin/env python3
"""Holds `lsrecon predict` against reconstructions of random simulated scans.

    scripts/predictions.py --program build/release/lsrecon --count 200 [--device gpu] -o runs.jsonl
    scripts/predictions.py --read runs.jsonl

Each line of the output is a configuration with what was predicted and what it took. A configuration
runs twice, and the second run counts: kernels are compiled by then. The table has the share of
predictions within 30 %, the median error, and how far memory was from its prediction. Measure the
device before, by `lsrecon devices --measure`.
"""
import argparse
import json
import math
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time

MOST_VALUES = 2e7  # of all coils
MOST_SAMPLES = 1e7
MOST_PAIRS = {"gpu": 5e12, "cpu": 3e10}  # of exact transforms
MOST_POINTS = {"gpu": 1e10, "cpu": 1e8}  # voxels x coils x iterations


def log_uniform(low, high):
    return math.exp(random.uniform(math.log(low), math.log(high)))


def scan_of(tiny=False):
    """Words for simulate, or None where a scan would be too large."""
    dimensions = 2 if tiny else random.choice([2, 3])
    width = int(log_uniform(16, 33 if tiny else 257 if dimensions == 2 else 193))
    coils = int(log_uniform(1, 5 if tiny else 33))
    names = {2: ["radial", "golden-angle", "spiral", "random"],
             3: ["radial-3d", "stack-of-spirals", "cones", "random"]}
    trajectory = random.choice(names[dimensions])
    words = ["--trajectory", trajectory, "--matrix", ",".join([str(width)] * dimensions),
             "--coils", str(coils), "--noise", "0.01"]
    if trajectory == "random":
        samples = log_uniform(1e3, min(MOST_SAMPLES, MOST_VALUES / coils))
        readouts = max(1, int(samples ** 0.5))
        words += ["--readouts", str(readouts), "--samples-per-readout",
                  str(int(samples / readouts))]
    else:
        sparser = log_uniform(0.8, 6)
        if 4 * width ** dimensions * coils / sparser > MOST_VALUES:
            return None
        words += ["--undersampling", f"{sparser:.2f}"]
    if coils > 1 and random.random() < 0.3:
        words.append("--without-maps")
    return words, width ** dimensions, coils


def recon_of():
    iterations = random.randint(3, 40)
    words = ["--iterations", str(iterations), "--tolerance", "1e-5"]
    words += random.choice([["--lambda", "0"], ["--lambda", "0"], ["--lambda", "0.01"],
                            ["--reg", "tv:0.01"], ["--reg", "wavelet:0.01"]])
    words += random.choice([[], [], ["--precision", "double"]])
    words += ["--engine", random.choice(["auto", "auto", "exact", "nufft"])]
    return words, iterations


def run(command):
    """Standard output, seconds and largest resident bytes; None when it fails."""
    begin = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    out, errors = process.stdout.read(), process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        return None
    return out, errors, time.monotonic() - begin, usage.ru_maxrss * 1024


def collect(arguments, folder, tiny=False):
    program = [arguments.program]
    scan, image = os.path.join(folder, "scan.h5"), os.path.join(folder, "image.h5")
    kind = "gpu" if arguments.device == "gpu" else "cpu"
    device = ["--device", arguments.device]
    end = time.monotonic() + arguments.seconds
    done = 0
    with open(arguments.output, "a", encoding="utf-8") as file:
        while done < arguments.count and time.monotonic() < end:
            chosen = scan_of(tiny)
            if chosen is None:
                continue
            words, voxels, coils = chosen
            if os.path.exists(scan):
                os.unlink(scan)  # no scan is replaced
            simulated = run(program + ["simulate", "-o", scan] + words + device)
            if simulated is None:
                continue
            samples = int(re.search(r"(\d+) samples each", simulated[0]).group(1))
            how, iterations = recon_of()
            if "exact" in how and samples * voxels * coils > MOST_PAIRS[kind]:
                how[how.index("exact")] = "auto"
            if voxels * coils * iterations > MOST_POINTS[kind] or samples > MOST_SAMPLES:
                continue
            predicted = run(program + ["predict", scan, "--json"] + how + device)
            command = program + ["recon", scan, "-o", image] + how + device
            if predicted is None or run(command) is None:
                continue
            _, errors, seconds, memory = run(command)
            stages = {}
            for name, value in re.findall(r"^([a-z_]+)\s+([\d.]+) s$", errors, re.M):
                if name != "time":
                    stages[name] = stages.get(name, 0) + float(value)
            row = {"scan": words, "recon": how, "samples": samples, "seconds": seconds,
                   "host_bytes": memory, "stages": stages, "predicted": json.loads(predicted[0])}
            file.write(json.dumps(row) + "\n")
            file.flush()
            done += 1


def rows_of(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def summary(path):
    """Shares within 30 % and within the interval, the median error, and sorted ratios of memory."""
    rows = rows_of(path)
    errors = [row["predicted"]["seconds"] / row["seconds"] for row in rows]
    return {
        "runs": len(rows),
        "near": sum(1 / 1.3 <= error <= 1.3 for error in errors) / len(errors),
        "within": sum(1 / row["predicted"]["spread"] <= error <= row["predicted"]["spread"]
                      for row, error in zip(rows, errors)) / len(errors),
        "median": math.exp(statistics.median(abs(math.log(error)) for error in errors)) - 1,
        "memory": sorted(row["predicted"]["host_bytes"] / row["host_bytes"] for row in rows),
    }


def report(path):
    rows, found = rows_of(path), summary(path)
    memory = found["memory"]
    print(f"{found['runs']} configurations on {rows[0]['predicted']['device']}")
    print(f"seconds: {100 * found['near']:.0f} % within 30 %, "
          f"median error {100 * found['median']:.0f} %, "
          f"{100 * found['within']:.0f} % within the interval")
    print(f"host memory: predicted over used from {memory[0]:.2f} to {memory[-1]:.2f}, "
          f"median {statistics.median(memory):.2f}")
    for name in sorted({stage for row in rows for stage in row["stages"]}):
        pairs = [(row["predicted"]["stages"].get(name, 0), row["stages"][name]) for row in rows
                 if row["stages"].get(name, 0) > 0.1 * row["seconds"]]
        if pairs:
            ratios = sorted(max(predicted, 1e-4) / took for predicted, took in pairs)
            print(f"  {name:<10} {len(pairs):4} runs in which it is a tenth or more; "
                  f"predicted over taken {ratios[len(ratios) // 10]:.2f}, "
                  f"median {statistics.median(ratios):.2f}, {ratios[-1 - len(ratios) // 10]:.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/release/lsrecon")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=math.inf, help="stop after so many")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-o", "--output", default="predictions.jsonl")
    parser.add_argument("--read", help="print the table of an earlier output")
    arguments = parser.parse_args()
    random.seed(arguments.seed)
    if not arguments.read:
        with tempfile.TemporaryDirectory() as folder:
            collect(arguments, folder)
    report(arguments.read or arguments.output)


if __name__ == "__main__":
    sys.exit(main())
