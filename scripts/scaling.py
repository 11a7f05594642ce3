#!/usr/bin/env python3
"""How the time of a transform grows with the samples and with the voxels, as curves and a table.

    scaling.py measure -o RESULT.json       runs 'lsrecon bench' over both, on this machine
    scaling.py draw RESULT.json -o PNG      log-log curves; needs matplotlib, on any machine
    scaling.py draw RESULT.json --table     the same as tables in Markdown, on stdout

Times are those of 'bench': each was verified against the double-precision loops first.
"""

import argparse
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

NO_MATPLOTLIB = 5  # the exit code of lsrecon for what is not built in
LABELS = {"reference": "LS (CPU, double)", "reference-single": "LS (CPU, single)"}
ABOUT = ("date", "processor", "device", "driver", "limits")


def bench(options, arguments):
    """What 'lsrecon bench' writes for these arguments."""
    with tempfile.TemporaryDirectory() as folder:
        result = pathlib.Path(folder) / "bench.json"
        command = [options.program, "bench", *arguments, "--json", str(result), "--quiet"]
        if options.device:
            command += ["--device", options.device]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)}\n  ended with exit code {done.returncode}")
        return json.loads(result.read_text(encoding="utf-8"))


class Measuring:
    """Runs every point once, and leaves out kernels that would take too long at the next."""

    def __init__(self, options):
        self.options = options
        self.kernels = options.kernel
        self.rates = {}  # (stage, kernel) -> pairs a second at the last point
        self.known = {}

    def affordable(self, stage, matrix, samples):
        pairs = math.prod(matrix) * samples * (2 ** len(matrix) if stage == "q" else 1)
        for kernel in self.kernels:
            rate = self.rates.get((stage, kernel))
            if rate and pairs / rate > self.options.most_seconds:
                print(f"  {kernel} is left out: about {pairs / rate:.0f} s a run", file=sys.stderr)
            else:
                yield kernel

    def point(self, stage, matrix, samples):
        key = (stage, tuple(matrix), samples)
        if key not in self.known:
            print(f"{stage}: matrix {matrix}, {samples} samples", file=sys.stderr)
            kernels = list(self.affordable(*key))
            if not kernels:
                return
            told = bench(self.options, [
                "--stage", stage, "--matrix", ",".join(map(str, matrix)), "--samples",
                str(samples), "--kernel", ",".join(kernels)])
            for row in told["rows"]:
                self.rates[stage, row["kernel"]] = row["pairs_per_second"]
            self.known[key] = {"stage": stage, "matrix": matrix, "samples": samples,
                               "rows": told["rows"]}

    def sweep(self):
        for stage in self.options.stage:
            for samples in sorted({*self.options.samples, self.options.at_samples}):
                self.point(stage, self.options.at_matrix, samples)
            for width in sorted(self.options.widths):
                self.point(stage, [width] * len(self.options.at_matrix), self.options.at_samples)
        return list(self.known.values())


def kernels_of(program):
    """Every kernel, as 'lsrecon devices' prints it."""
    told = subprocess.run([program, "devices"], capture_output=True, text=True, check=False)
    for line in told.stdout.splitlines():
        if line.startswith("kernels "):
            return line[len("kernels "):].split(";")[0].split(", ")
    sys.exit(f"{program} devices names no kernels:\n{told.stdout}{told.stderr}")


def measure(options):
    options.kernel = options.kernel or kernels_of(options.program)
    crossover = bench(options, ["--stage", "crossover"])
    points = Measuring(options).sweep()
    result = {**{name: crossover[name] for name in ABOUT},
              "command": "scaling.py " + " ".join(sys.argv[1:]),
              "at_matrix": options.at_matrix, "at_samples": options.at_samples,
              "points": points, "crossover": crossover["crossover"]}
    part = pathlib.Path(options.output + ".part")
    part.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    os.replace(part, options.output)


def series(result, stage):
    """The points of the sweep over samples, and of the one over voxels, in order."""
    points = [point for point in result["points"] if point["stage"] == stage]
    over_samples = [p for p in points if p["matrix"] == result["at_matrix"]]
    over_voxels = [p for p in points if p["samples"] == result["at_samples"]]
    return (sorted(over_samples, key=lambda p: p["samples"]),
            sorted(over_voxels, key=lambda p: math.prod(p["matrix"])))


def stages_of(result):
    return list(dict.fromkeys(point["stage"] for point in result["points"]))


def kernels_in(points):
    """Those of the point that has most, which is in the order of the ladder."""
    longest = max((point["rows"] for point in points), key=len)
    return [row["kernel"] for row in longest]


def seconds_of(point, kernel):
    return next((row["seconds"] for row in point["rows"] if row["kernel"] == kernel), None)


def shown(matrix):
    return "x".join(map(str, matrix))


def crossover_text(result):
    pairs = result["crossover"].get("pairs")
    if pairs is None:
        last = result["crossover"]["rows"][-1]
        faster = last["device_seconds"] < last["cpu_seconds"]
        return f"the device is {'faster' if faster else 'slower'} than the CPU at every size"
    return f"the device overtakes the CPU at {pairs:.2g} pairs, transfer and launch included"


def print_tables(result):
    print(f"{result['device']}, {result['driver']}; CPU: {result['processor']}; {result['date']}; "
          f"`{result['command']}`. Seconds of computing; {crossover_text(result)}.")
    for stage in stages_of(result):
        for points in series(result, stage):
            kernels = kernels_in(points)
            print(f"\n| {stage}: matrix | samples | "
                  + " | ".join(LABELS.get(kernel, kernel) for kernel in kernels) + " |")
            print("|---" * (len(kernels) + 2) + "|")
            for point in points:
                seconds = [seconds_of(point, kernel) for kernel in kernels]
                print(f"| {shown(point['matrix'])} | {point['samples']} | "
                      + " | ".join("" if s is None else f"{s:.3g}" for s in seconds) + " |")


def draw_curves(axes, points, x_of, kernels):
    for index, kernel in enumerate(kernels):
        known = [(x_of(point), seconds_of(point, kernel)) for point in points]
        known = [(x, seconds) for x, seconds in known if seconds]
        if not known:
            continue
        cpu = kernel in LABELS
        axes.plot(*zip(*known), color=("black", "grey")[index % 2] if cpu else f"C{index - 2}",
                  linestyle="--" if cpu else "-", marker="osv^Dp*hXP"[index % 10], markersize=5,
                  label=LABELS.get(kernel, kernel))
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.grid(True, which="major", color="0.9")


def draw(result, path):
    try:
        import matplotlib
    except ImportError:
        print("scaling.py: matplotlib is missing, so no curves are drawn\n"
              "  next:     install python3-matplotlib (scripts/setup.sh does), or draw on another "
              "machine", file=sys.stderr)
        return NO_MATPLOTLIB
    matplotlib.use("Agg")
    from matplotlib import pyplot

    names = {"fhd": "F^H d", "q": "Q"}
    stages = stages_of(result)
    figure, grid = pyplot.subplots(len(stages), 2, figsize=(11, 0.8 + 4.4 * len(stages)),
                                   sharey="row", squeeze=False)
    for row, stage in zip(grid, stages):
        over_samples, over_voxels = series(result, stage)
        kernels = kernels_in(over_samples + over_voxels)
        draw_curves(row[0], over_samples, lambda point: point["samples"], kernels)
        draw_curves(row[1], over_voxels, lambda point: math.prod(point["matrix"]), kernels)
        row[0].set_title(f"{names[stage]}, matrix {shown(result['at_matrix'])}")
        row[1].set_title(f"{names[stage]}, {result['at_samples']} samples")
        row[0].set_xlabel("samples M")
        row[1].set_xlabel("voxels N of the image")
        row[0].set_ylabel("computing time in seconds")
        row[1].legend(loc="center left", bbox_to_anchor=(1.02, 0.5), frameon=False)
    figure.suptitle(f"{result['device']}; CPU: {result['processor']}\n{crossover_text(result)}",
                    fontsize=10)
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    return 0


def numbers(text):
    return [int(part) for part in text.split(",")]


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    here = pathlib.Path(__file__).resolve().parent.parent

    sub = commands.add_parser("measure", help="run bench over samples and voxels")
    sub.add_argument("-o", "--output", required=True, help="JSON file to write")
    sub.add_argument("--program", default=str(here / "build/release/lsrecon"))
    sub.add_argument("--device", default="", help="OpenCL device, as bench takes it")
    sub.add_argument("--stage", type=lambda text: text.split(","), default=["fhd"])
    sub.add_argument("--kernel", type=lambda text: text.split(","), default=[], help="[all]")
    sub.add_argument("--samples", type=numbers, default=[512, 2048, 8192, 32768],
                     help="samples M of the sweep over them")
    sub.add_argument("--widths", type=numbers, default=[8, 16, 32, 64],
                     help="widths of the matrix in the sweep over voxels")
    sub.add_argument("--at-matrix", type=numbers, default=[32, 32, 32],
                     help="matrix of the sweep over samples")
    sub.add_argument("--at-samples", type=int, default=4096,
                     help="samples of the sweep over voxels")
    sub.add_argument("--most-seconds", type=float, default=20,
                     help="a kernel that would take longer for one run is left out")

    sub = commands.add_parser("draw", help="curves and tables of what was measured")
    sub.add_argument("result", help="what 'measure' wrote")
    sub.add_argument("-o", "--output", help="PNG file to write")
    sub.add_argument("--table", action="store_true", help="print the tables in Markdown")
    return parser.parse_args(arguments)


def main(arguments):
    options = parse(arguments)
    if options.command == "measure":
        measure(options)
        return 0
    if not options.output and not options.table:
        print("scaling.py draw: nothing to do\n  next:     give -o PNG, --table, or both",
              file=sys.stderr)
        return 2
    result = json.loads(pathlib.Path(options.result).read_text(encoding="utf-8"))
    if options.table:
        print_tables(result)
    return draw(result, options.output) if options.output else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
