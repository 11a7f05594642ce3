#!/usr/bin/env python3
"""Transforms and reconstructions beside those of other programs, in one run.

    compare_peers.py [--program LSRECON] [--bart BART] [--turns N] [--write]

Simulates a radial scan in two dimensions (256 x 256, 402 spokes of 512 samples, 8 coils with maps)
and one in three (128^3, 432,128 samples), and checks that all programs agree before it times them.
The first table has adjoints of all coils, from arrays to arrays with everything that a plan needs;
their errors are against sums in doubles at random voxels. Of a peer it takes the fastest setting
that reaches the error, or the most exact one. The second table has whole processes, from file to
file. Times are the least of --turns, the programs one after the other. --write puts the tables
into docs/performance.md. Peers that are not installed have a row that says so.
"""

import argparse
import datetime
import importlib
import os
import pathlib
import platform
import re
import shutil
import sys
import tempfile
import time

import h5py
import numpy as np

from compare_regularisers import difference, image_of, write_for_bart
from measure_scans import run

DOCS = pathlib.Path(__file__).parents[1] / "docs/performance.md"
MARKERS = ["<!-- compare_peers.py begins -->", "<!-- compare_peers.py ends -->"]
TARGETS = [1e-3, 1e-5]
# Of an image by another program, which regularises and stops in its own way, to ours.
SAME_WITHIN = 0.1
SCANS = {
    "radial 256^2, 402 x 512, 8 coils": [
        "--trajectory", "radial", "--matrix", "256,256", "--readouts", 402,
        "--samples-per-readout", 512, "--coils", 8],
    "radial 128^3, 3376 x 128, 1 coil": [
        "--trajectory", "radial-3d", "--matrix", "128,128,128", "--readouts", 3376,
        "--samples-per-readout", 128, "--model", "voxels"],
}
ITERATIONS = {2: 30, 3: 10}


class Problem:
    """Samples of all coils, and what they come to at some voxels."""

    def __init__(self, path):
        with h5py.File(path) as f:
            self.k, self.samples = f["trajectory"][()], f["samples"][()]
            self.size = tuple(int(n) for n in f.attrs["matrix"])
        self.at = np.random.default_rng(1).integers(0, self.size, (128, len(self.size)))
        positions = (self.at - np.array(self.size) // 2) / self.size
        self.exact = np.array([self.samples @ np.exp(2j * np.pi * (self.k @ x))
                               for x in positions]).T

    def error(self, values):
        """Of an adjoint, [C, (Z,) Y, X], at the best common scale: programs have their own."""
        values = np.asarray(values).reshape(len(self.samples), *self.size[::-1])
        return difference(values[(slice(None), *self.at.T[::-1])], self.exact)


def settings_of_finufft(module, problem, to_device, to_host, **more):
    """What its plans may be, and a call that runs one from arrays to arrays."""
    turns = (2 * np.pi * problem.k / problem.size).astype("f4")
    for sigma in (1.25, 2):
        for eps in (1e-3, 1e-4, 1e-5, 1e-6):
            def adjoint(eps=eps, sigma=sigma):
                plan = module.Plan(1, problem.size[::-1], n_trans=len(problem.samples), eps=eps,
                                   isign=1, dtype="complex64", upsampfac=sigma, **more)
                plan.setpts(*(to_device(np.ascontiguousarray(turns[:, d]))
                              for d in reversed(range(len(problem.size)))))
                return to_host(plan.execute(to_device(problem.samples.squeeze())))
            yield f"{eps:g}, sigma {sigma}", adjoint


def of_finufft(problem):
    module = importlib.import_module("finufft")
    yield from settings_of_finufft(module, problem, lambda a: a, lambda a: a,
                                   nthreads=len(os.sched_getaffinity(0)))


def of_cufinufft(problem):
    module, cupy = importlib.import_module("cufinufft"), importlib.import_module("cupy")
    for method in (1, 2, 3):
        for name, adjoint in settings_of_finufft(module, problem, cupy.asarray, cupy.asnumpy,
                                                 gpu_method=method):
            yield f"{name}, method {method}", adjoint


def of_sigpy(problem):
    module = importlib.import_module("sigpy")
    shape = (len(problem.samples), *problem.size[::-1])
    points = np.ascontiguousarray(problem.k[:, ::-1].astype("f4"))
    for sigma, width in ((1.25, 4), (2, 6)):
        yield f"sigma {sigma}, width {width}", lambda sigma=sigma, width=width: (
            module.nufft_adjoint(problem.samples, points, shape, oversamp=sigma, width=width))


ADJOINTS = {"finufft": of_finufft, "cufinufft": of_cufinufft, "sigpy": of_sigpy}


def timed(call):
    start = time.monotonic()
    call()
    return time.monotonic() - start


class Programs:
    def __init__(self, options):
        found = shutil.which(options.program) or sys.exit(f"no program {options.program}")
        self.lsrecon, self.bart = os.path.abspath(found), shutil.which(options.bart)
        self.turns = options.turns

    def adjoint(self, accuracy):
        """Seconds of the stage, with all that its plan needs, and the values."""
        run([self.lsrecon, "fhd", "coils.h5", "-o", "fhd.h5", "--quiet", "--engine", "nufft",
             "--accuracy", accuracy])
        with h5py.File("fhd.h5") as f:
            return float(f["record"].attrs["seconds_fhd"][0]), f["fhd"][()]


def best_setting(peer, problem, target):
    """The fastest that reaches the error, or else the most exact: name, call, error."""
    tried = [(name, call, problem.error(call())) for name, call in ADJOINTS[peer](problem)]
    good = [one for one in tried if one[2] <= target] or [min(tried, key=lambda one: one[2])]
    return min(good, key=lambda one: timed(one[1]))


def our_accuracy(programs, problem, target):
    """As best_setting, of those that promise the error or nearly do; and the error."""
    tried = []
    for accuracy in (target, 3 * target, 10 * target):
        error = problem.error(programs.adjoint(accuracy)[1])
        if not error <= accuracy:
            sys.exit(f"an error of {error:.2g}, and {accuracy:g} was asked for")
        if error <= target:
            tried.append((programs.adjoint(accuracy)[0], accuracy, error))
    return min(tried)[1:]


def rows_of_adjoints(programs, name, problem):
    for target in TARGETS:
        accuracy, ours = our_accuracy(programs, problem, target)
        for peer in ADJOINTS:
            try:
                setting, call, error = best_setting(peer, problem, target)
            except ImportError:
                yield [name, f"{target:g}", *[""] * 3, f"{peer}: not installed", *[""] * 3]
                continue
            version = importlib.import_module(peer).__version__
            least = np.min([[programs.adjoint(accuracy)[0], timed(call)]
                            for _ in range(programs.turns)], axis=0)
            yield [name, f"{target:g}", f"{accuracy:g}", f"{least[0]:.3f}", f"{ours:.1g}",
                   f"{peer} {version}, {setting}", f"{least[1]:.3f}", f"{error:.1g}",
                   f"{least[1] / least[0]:.1f}"]


def commands_of(programs, size):
    """Ours, that of BART, and the files of their results."""
    iterations, by_size = ITERATIONS[len(size)], ":".join(map(str, [*size, 1][:3]))
    recon = [programs.lsrecon, "recon", "scan.h5", "-o", "image.h5", "--lambda", 0, "--quiet",
             "--iterations", iterations]
    iterate = (["pics", "-t", "traj", "-i", iterations, "-l2", "-r", 0, "kspace", "maps"]
               if len(size) == 2 else
               ["nufft", "-i", "-m", iterations, "-d", by_size, "traj", "kspace"])
    return {
        f"{iterations} iterations": (recon, [programs.bart, *iterate, "image"]),
        "adjoint": ([programs.lsrecon, "fhd", "coils.h5", "-o", "fhd.h5", "--quiet"],
                    [programs.bart, "nufft", "-a", "-d", by_size, "traj", "kspace", "image"]),
    }


def rows_of_processes(programs, name, problem):
    """From file to file: seconds, memory, and how far each image is from the phantom."""
    for what, (ours, theirs) in commands_of(programs, problem.size).items():
        if not programs.bart:
            yield [name, what, *[""] * 3, "bart: not installed", *[""] * 4]
            continue
        run(ours)
        run(theirs)
        if what == "adjoint":
            with h5py.File("fhd.h5") as f:
                errors = [problem.error(f["fhd"][()]),
                          problem.error(image_of("image").reshape(-1, *problem.size[::-1]))]
        else:
            truth, images = image_of("truth.h5"), [image_of("image.h5"), image_of("image")]
            apart = difference(images[1], images[0])
            if not apart < SAME_WITHIN:
                sys.exit(f"{name}: the images are {apart:.3f} apart")
            errors = [difference(abs(image), abs(truth)) for image in images]
        pairs = np.array([[run(ours)[1:], run(theirs)[1:]] for _ in range(programs.turns)])
        (our_seconds, our_memory), (seconds, memory) = pairs.min(axis=0)
        version = run([programs.bart, "version"])[0].strip()
        yield [name, what, f"{our_seconds:.2f}", f"{our_memory:.0f}", f"{errors[0]:.2g}",
               f"bart {version} {theirs[1]}", f"{seconds:.2f}", f"{memory:.0f}",
               f"{errors[1]:.2g}", f"{seconds / our_seconds:.1f}"]


def simulate(programs, words):
    words = [programs.lsrecon, "simulate", *words, "--noise", 0.01, "--quiet"]
    run([*words, "-o", "scan.h5", "--truth", "truth.h5"])
    run([*words, "-o", "coils.h5", "--without-maps"])  # the same samples
    write_for_bart("scan.h5")


def table(head, rows):
    return [f"| {' | '.join(row)} |" for row in [head, ["---"] * len(head), *rows]]


def about():
    processor = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text("ascii"))
    return (f"{processor[1] if processor else platform.machine()}, "
            f"{len(os.sched_getaffinity(0))} cores, {datetime.date.today()}, "
            f"`scripts/compare_peers.py{''.join(' ' + word for word in sys.argv[1:])}`.")


def compare(programs):
    adjoints, processes = [], []
    for name, words in SCANS.items():
        simulate(programs, words)
        problem = Problem("coils.h5")
        adjoints += rows_of_adjoints(programs, name, problem)
        processes += rows_of_processes(programs, name, problem)
    return "\n".join([
        about(), "",
        *table(["adjoint of", "error at most", "--accuracy", "lsrecon, s", "error",
                "peer and setting", "s", "error", "ratio"], adjoints), "",
        *table(["from file to file", "", "lsrecon, s", "MB", "error", "peer", "s", "MB", "error",
                "ratio"], processes)])


def write(text):
    """Between the markers of the page."""
    begin, end = MARKERS
    before, rest = DOCS.read_text("utf-8").split(begin)
    DOCS.write_text(f"{before}{begin}\n{text}\n{end}{rest.split(end)[1]}", "utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="lsrecon")
    parser.add_argument("--bart", default="bart")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--write", action="store_true", help="into docs/performance.md")
    options = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", str(len(os.sched_getaffinity(0))))
    programs, here = Programs(options), os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        text = compare(programs)
        os.chdir(here)
    if options.write:
        write(text)
    else:
        print(text)


if __name__ == "__main__":
    main()
