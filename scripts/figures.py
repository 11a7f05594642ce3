#!/usr/bin/env python3
"""Measures what docs/performance.md claims, and writes its tables.

    figures.py [--program LSRECON] [--device cpu|gpu] [--tables NAME ...] [--quick] [-o PAGE]

The page is its own template: a table stands between two comments that name it and the device, and
only tables of --device are replaced. Each is written as soon as it is measured, so that --tables
can go on where time was up. Scans are simulated in a temporary folder. A time is the least of
--turns, fewer where they take a minute on a CPU or 20 s on a GPU. Peers that cannot be imported or
found are named as not installed. `lsrecon devices --measure` runs before tables with predictions,
and replaces what was kept of this device. --quick takes tiny scans, skips that, and shows only that
the command works.
"""

import argparse
import datetime
import itertools
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import h5py
import numpy as np

import predictions
from compare_regularisers import difference, image_of, write_for_bart

PAGE = pathlib.Path(__file__).parents[1] / "docs/performance.md"
ENOUGH = {"cpu": 60, "gpu": 20}  # seconds, after which no turn begins
SAME_WITHIN = 0.1  # BART's image from ours: it stops and scales in its own way
TEN = ["--iterations", 10]
WAYS = [[], ["--reg", "tv:0.02"], TEN]


def scan(trajectory, matrix, *words):
    return ["--trajectory", trajectory, "--matrix", ",".join(map(str, matrix)), "--noise", 0.01,
            *words]


def scans_of(quick):
    """Words for simulate; their samples are those of a scanner that samples densely enough."""
    flat, deep, small = (32, 12, 10) if quick else (256, 128, 64)
    dense = [] if quick else ["--readouts", 402, "--samples-per-readout", 512]
    sparse = [] if quick else ["--readouts", 3376, "--samples-per-readout", 128]
    single = [] if quick else ["--readouts", 4000, "--samples-per-readout", 250]
    frames, coils = (3, 2) if quick else (12, 8)
    return {
        "2D": scan("radial", [flat] * 2, "--coils", 8, *dense),
        "3D": scan("radial-3d", [deep] * 3, "--model", "voxels", *sparse),
        "series": scan("golden-angle", [32 if quick else 128] * 2, "--readouts", 21, "--frames",
                       frames, "--coils", coils, "--motion", 8),
        "coils": scan("radial-3d", [deep] * 3, "--coils", 8),
        "batch": scan("radial", [small] * 2, "--coils", 8),
        "large": scan("random", [2 * deep] * 3, "--coils", 16, *single),
        "unlike": scan("random", [deep * 3 // 4] * 3, "--coils", 8, "--readouts",
                       100 if quick else 3072, "--samples-per-readout", 250),
    }


# What a table takes on each device: a GPU has more than a small scan to do.
TRANSFORMED = {"cpu": [[]], "gpu": [[], ["--matrix", "128,128,128", "--coils", 8],
                                    ["--matrix", "256,256,256"]]}
NONE = ["--reg", "none"]
RECONSTRUCTED = {"cpu": {"2D": [*WAYS, NONE], "3D": [*WAYS, NONE], "series": WAYS[::2]},
                 "gpu": {"2D": WAYS, "series": WAYS[:2], "coils": [*WAYS, NONE], "large": [TEN],
                         "unlike": [TEN]}}
UNLIKE = 8  # frames, each with samples of its own


class DeviceMemory(threading.Thread):
    """The largest use of a GPU while it runs, in MiB."""

    def __init__(self):
        super().__init__(daemon=True)
        self.most = 0
        self.over = threading.Event()

    def run(self):
        query = ["nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader,nounits"]
        while shutil.which(query[0]) and not self.over.wait(0.1):
            used = subprocess.run(query, capture_output=True, text=True, check=False).stdout
            self.most = max([self.most, *map(int, re.findall(r"\d+", used))])

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
print("\\n", time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss)
sys.exit(status != 0)
"""


def run(command):
    """Its output, seconds, those of the processor, and largest resident memory in MB."""
    done = subprocess.run([sys.executable, "-S", "-c", SMALL, *map(str, command)], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    text, _, numbers = done.stdout.rpartition("\n ")
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{text}")
    seconds, processor, kilobytes = map(float, numbers.split())
    return text, np.array([seconds, processor, kilobytes * 1024 / 1e6])


def three_digits(value):
    return f"{float(f'{value:.3g}'):g}"


def table(head, rows):
    lines = [f"| {' | '.join(map(str, row))} |" for row in [head, *rows]]
    return [lines[0], f"|{'---|' * len(head)}", *lines[1:]]


class Machine:
    """The program, the device, and scans that are simulated where they are first needed."""

    def __init__(self, options):
        found = shutil.which(options.program) or sys.exit(f"no program {options.program}")
        self.lsrecon, self.bart = os.path.abspath(found), shutil.which(options.bart)
        self.device, self.quick = options.device, options.quick
        self.turns, self.enough = 1 if options.quick else options.turns, ENOUGH[options.device]
        self.scans = scans_of(options.quick)
        self.cores = len(os.sched_getaffinity(0))

    def run(self, command, *words):
        return run([self.lsrecon, command, *words, "--device", self.device])

    def simulate(self, key):
        """Files of the scan and of its truth."""
        if not os.path.exists(f"{key}.h5"):
            self.run("simulate", *self.scans[key], "-o", f"{key}.h5", "--truth",
                     f"{key}_truth.h5")
            if key == "unlike":
                self.add_unlike_frames(f"{key}.h5", self.scans[key])

    def add_unlike_frames(self, path, words):
        """Makes a series of a scan and others, whose samples are elsewhere."""
        for seed in range(2, UNLIKE + 1):
            self.run("simulate", *words, "--seed", seed, "-o", f"other_{seed}.h5")
        with h5py.File(path, "r+") as f:
            others = [h5py.File(f"other_{seed}.h5") for seed in range(2, UNLIKE + 1)]
            for name in ("trajectory", "samples"):
                about = dict(f[name].attrs)
                values = np.stack([f[name][()], *[other[name][()] for other in others]])
                del f[name]
                f[name] = values
                f[name].attrs.update(about)

    def repeat(self, call):
        """What it returns, of every turn."""
        found, begin = [], time.monotonic()
        while not found or (len(found) < self.turns and time.monotonic() - begin < self.enough):
            found.append(call())
        return found

    def predict(self, path, *words):
        text, _ = self.run("predict", path, "--json", *words)
        return json.loads(text[text.index("{"):])

    def about(self, table_name):
        name = self.predict("2D.h5")["device"]
        if name.startswith("pthread-"):  # PoCL's: the kind of core and its instructions come first
            name = name.split("-")[-1]
        least = f"the least of {self.turns} turns or fewer" if self.turns > 1 else "one turn"
        turns = OTHER_TURNS.get(table_name, least)
        return f"{name}, {self.cores} cores, {datetime.date.today()}, {turns}."


def bench(machine, *words):
    """All of its figures."""
    machine.run("bench", *words, "--json", "bench.json")
    return json.loads(pathlib.Path("bench.json").read_text("utf-8"))


def transforms(machine):
    """The NUFFT, by bench."""
    cases = [["--matrix", "12,12"]] if machine.quick else TRANSFORMED[machine.device]
    found = [row for case in cases for row in bench(machine, "--stage", "nufft", *case)["nufft"]]
    asked = sorted({row["accuracy"] for row in found}, reverse=True)
    of_case = itertools.groupby(found, lambda row: (row["transform"], row["matrix"],
                                                    row["samples"], row["coils"]))
    rows = [[f"{transform}, {'x'.join(map(str, matrix))}", f"{samples / 1e6:.3g} M x {coils}",
             *[f"{1e3 * row['first_seconds']:.3g}, {1e3 * row['seconds']:.3g}, "
               f"{row['relative_error']:.0e}" for row in each]]
            for (transform, matrix, samples, coils), each in of_case]
    first, *others = [f"{one:.0e}" for one in asked]
    return table(["NUFFT", "samples x coils", f"{first}: ms first, again, error", *others], rows)


def kernels(machine):
    """The ladder, by bench."""
    size = (["--matrix", "8,9", "--samples", 70, "--kernel", "native,separable"] if machine.quick
            else [] if machine.device == "cpu" else ["--matrix", "128,128,128", "--samples", 8192])
    found = bench(machine, "--stage", "fhd,q", *size)["rows"]
    found = [row for row in found if row["seconds"] > 0]  # the NUFFT has no pairs to count
    rows = []
    for kernel in dict.fromkeys(row["kernel"] for row in found):
        fhd, q = ({row["stage"]: row for row in found if row["kernel"] == kernel}[stage]
                  for stage in ("fhd", "q"))
        loops = kernel.startswith("reference")
        rows.append([kernel, *[", ".join([
            three_digits(row["pairs_per_second"] / 1e9),
            "-" if loops else f"{100 * row['fraction_of_limit']:.0f}",
            f"{row['relative_error']:.0e}"]) for row in (fhd, q)]])
    return table(["kernel", "F^H d: G/s, % of limit, error", "Q"], rows)


def commands_of(machine, size):
    """For each way: our words for recon, and BART's command with the words that name it."""
    files, by_size = ["traj", "kspace"], ":".join(map(str, [*size, 1][:3]))
    inverse, tv = ["nufft", "-i", "-m", 10, "-d", by_size], ["-R", "T:3:0:0.005"]
    plain = [*TEN, "--lambda", 0]
    if len(size) == 3:
        return [(plain, [machine.bart, *inverse, *files, "image"], inverse[:4])]
    return [(ours, [machine.bart, "pics", *theirs, "-t", *files, "maps", "image"],
             ["pics", *theirs])
            for ours, theirs in ((plain, ["-i", 10, "-l2", "-r", 0]), (["--reg", "tv:0.02"], tv))]


def processes(machine):
    """From file to file beside BART."""
    if not machine.bart:
        return ["Not installed: bart."]
    rows, version = [], run([machine.bart, "version"])[0].strip()
    for key in ("2D", "3D"):
        machine.simulate(key)
        write_for_bart(f"{key}.h5")
        truth = abs(image_of(f"{key}_truth.h5"))
        for words, theirs, named in commands_of(machine, truth.shape[::-1]):
            ours = [machine.lsrecon, "recon", f"{key}.h5", "-o", "image.h5", "--device",
                    machine.device, *words]
            took = machine.repeat(lambda ours=ours, theirs=theirs: [run(ours)[1],
                                                                            run(theirs)[1]])
            images = [image_of("image.h5"), image_of("image")]
            apart = difference(images[1], images[0])
            if "--lambda" in words and not machine.quick and not apart < SAME_WITHIN:
                sys.exit(f"{key}: the images are {apart:.3f} apart")
            least = np.min(took, axis=0)
            programs = [f"`lsrecon recon {' '.join(map(str, words))}`",
                        f"`bart {' '.join(map(str, named))}`"]
            for who, (seconds, processor, used), image in zip(programs, least, images):
                rows.append([key, who, f"{seconds:.2f}", f"{processor:.2f}", f"{used:.0f}",
                             f"{100 * difference(abs(image), truth):.1f}"])
    return table(["file to file", f"lsrecon and BART {version}", "s", "processor, s", "MB",
                  "error, %"], rows)


def by_script(machine, script, *words):
    """Lines that another script of this folder writes."""
    run([sys.executable, pathlib.Path(__file__).with_name(script), "--program", machine.lsrecon,
         "--bart", machine.bart or "none", "--turns", machine.turns, "-o", "by_script.md", *words])
    return pathlib.Path("by_script.md").read_text("utf-8").splitlines()


def peers(machine):
    quick = ["--quick"] if machine.quick else []
    brief = ["--brief", "--transforms", "adjoint", "forward", "--targets", "1e-3", "1e-5",
             *(["--planned"] if machine.device == "gpu" else [])]
    return [*by_script(machine, "compare_peers.py", "--device", machine.device, *brief, *quick),
            "", *processes(machine)]


def first_run(machine):
    """Seconds of the first run ever, without kernels that an earlier one compiled."""
    kept = dict(os.environ)
    with tempfile.TemporaryDirectory() as empty:
        os.environ.update({name: f"{empty}/{name}" for name in
                           ("LSRECON_CACHE", "POCL_CACHE_DIR", "CUDA_CACHE_PATH")})
        _, took = machine.run("recon", "2D.h5", "-o", "image.h5")
    os.environ.clear()
    os.environ.update(kept)
    return took


def runs(machine):
    """Whole reconstructions as users type them, beside what predict says of them."""
    of_gpu = machine.device == "gpu"
    seconds, processor, memory = first_run(machine)
    rows = [["2D", "default, the first run ever", f"{seconds:.2f}", f"{processor:.2f}",
             f"{memory:.0f}", *(["-"] if of_gpu else []), "-"]]
    for key, ways in RECONSTRUCTED[machine.device].items():
        machine.simulate(key)
        for words in ways:
            predicted = machine.predict(f"{key}.h5", *words)
            with DeviceMemory() as used:
                truth = [] if key == "unlike" else ["--truth", f"{key}_truth.h5"]
                found = machine.repeat(lambda: machine.run(
                    "recon", f"{key}.h5", "-o", "image.h5", *words, *truth))
            seconds, processor, memory = np.min([took for _, took in found], axis=0)
            error = re.search(r"error against the truth: (\S+)", found[0][0])
            rows.append([key, f"`{' '.join(map(str, words))}`" if words else "default",
                         f"{seconds:.2f} ({predicted['seconds']:.2f})", f"{processor:.2f}",
                         f"{memory:.0f} ({predicted['host_bytes'] / 1e6:.0f})",
                         *([f"{used.most} ({predicted['device_bytes'] / 2**20:.0f})"] if of_gpu
                           else []), f"{100 * float(error[1]):.1f}" if error else "-"])
    return table(["scan", "options", "s (predicted)", "processor, s", "MB (predicted)",
                  *(["device, MiB (predicted)"] if of_gpu else []), "error, %"], rows)


def of_one_trajectory(machine, count):
    """Files of scans of one trajectory, with noise of their own."""
    machine.simulate("batch")
    paths = [f"batch_{i}.h5" for i in range(count)]
    for seed, path in enumerate(paths):
        shutil.copy("batch.h5", path)
        with h5py.File(path, "r+") as f:
            noise = np.random.default_rng(seed).normal(0, 0.01, (*f["samples"].shape, 2))
            f["samples"][...] = f["samples"][()] + noise @ np.array([1, 1j])
    return paths


def batch(machine):
    """Small scans in one process, and as many processes."""
    paths, rows = of_one_trajectory(machine, 3 if machine.quick else 200), []

    def together(words):
        shutil.rmtree("images", ignore_errors=True)
        return machine.run("batch", *paths, "-o", "images", *words)[1]

    def alone(words):
        return sum(machine.run("recon", path, "-o", "image.h5", *words)[1] for path in paths)

    for words in (TEN, []):
        (_, one, _), (_, many, _) = (
            np.min(machine.repeat(lambda way=way: way(words)), axis=0) / len(paths)
            for way in (together, alone))
        rows.append([f"`{' '.join(map(str, words))}`" if words else "default", len(paths),
                     f"{1e3 * one:.1f}", f"{1e3 * many:.1f}", f"{many / one:.2f}"])
    return table(["options", "count", "batch: processor, ms a scan", "processes", "ratio"], rows)


def maps(machine):
    """By the script that compares them with ecalib."""
    small = ["--matrix", 32] if machine.quick else []
    return [line for line in by_script(machine, "compare_maps.py", *small)
            if line.startswith("|")]


def predicted(machine):
    """Random configurations, by the script that makes them."""
    random.seed(1)
    arguments = argparse.Namespace(program=machine.lsrecon, device=machine.device,
                                   count=2 if machine.quick else 60,
                                   seconds=80 if machine.device == "gpu" else 240,
                                   output="predictions.jsonl")
    with tempfile.TemporaryDirectory() as folder:
        predictions.collect(arguments, folder, machine.quick)
    found = predictions.summary(arguments.output)
    return table(["runs", "within 30 %", "median error", "in the interval", "memory, over used"],
                 [[found["runs"], f"{100 * found['near']:.0f} %", f"{100 * found['median']:.0f} %",
                   f"{100 * found['within']:.0f} %",
                   f"{found['memory'][0]:.2f} to {found['memory'][-1]:.2f}"]])


TABLES = {"transforms": transforms, "kernels": kernels, "runs": runs, "predictions": predicted,
          "peers": peers, "maps": maps, "batch": batch}
OTHER_TURNS = {"kernels": "medians of five turns", "predictions": "the second of two turns"}
OF_CPU = ["maps", "batch"]  # they measure the host
WITH_PREDICTIONS = ["runs", "predictions"]


def put(page, name, device, lines):
    """The page with the lines between the comments of a table."""
    begin, end = f"<!--{name}:{device}-->", f"<!--/{name}:{device}-->"
    before, found, rest = page.partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        sys.exit(f"the page has no '{begin}' followed by '{end}'")
    return before + "\n".join([begin, *lines, end]) + after


def names_of(options):
    return options.tables or [name for name in TABLES
                              if options.device == "cpu" or name not in OF_CPU]


def measure(options):
    machine, output = Machine(options), pathlib.Path(options.output).resolve()
    here = os.getcwd()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        os.chdir(folder)
        machine.simulate("2D")
        names = names_of(options)
        if not options.quick and set(names) & set(WITH_PREDICTIONS):
            machine.run("devices", "--measure")
        for name in names:
            begin = time.monotonic()
            lines = TABLES[name](machine)
            page = (output if output.exists() else PAGE).read_text("utf-8")
            output.write_text(put(page, name, options.device, [machine.about(name), "", *lines]),
                              "utf-8")
            print(f"{name}: {time.monotonic() - begin:.0f} s", file=sys.stderr, flush=True)
        os.chdir(here)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="lsrecon")
    parser.add_argument("--bart", default="bart")
    parser.add_argument("--device", choices=["cpu", "gpu"], default="cpu")
    parser.add_argument("--tables", nargs="+", choices=TABLES, help="[all of the device]")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--folder", help="where the scans go [a temporary one]")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("-o", "--output", default=PAGE, help="the page [docs/performance.md]")
    os.environ.setdefault("OMP_NUM_THREADS", str(len(os.sched_getaffinity(0))))
    measure(parser.parse_args())


if __name__ == "__main__":
    main()
