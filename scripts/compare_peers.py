#!/usr/bin/env python3
"""Transforms and CG-SENSE beside those of other programs, in one run.

    compare_peers.py [--program LSRECON] [--device cpu|gpu] [--turns N] [--quick] [--brief]
                     [--planned] [--transforms NAME ...] [--targets ERROR ...] [-o TABLE.md]

Simulates scans in two and three dimensions and gives all programs the same sampling and all cores.
Adjoint and forward transform are of all coils, and Q is an adjoint of ones on twice the grid. Each
goes from arrays to arrays with everything that a plan needs, or by a plan that was made and used
before (--planned); arrays are the device's. Errors are
against sums in doubles at random voxels or samples. A row has of every program the fastest setting
whose achieved error is at most the one named, or else its most exact one. The seconds of the least
turn are followed by those of the processor, the error and what was asked for, or with --brief by
the error alone; turns of all settings alternate. A dash stands for a transform that this version of
a program lacks, and for processor seconds that are not known.

CG-SENSE is by solve_in_memory.py where the Python module and its peers can be imported. Without
names after --transforms there is no other row.

Peers are finufft, ducc0, sigpy and mrinufft, on a GPU cufinufft by each of its methods. Those that
cannot be imported are named as not installed. The first line says whether the machine was quiet.
--quick takes tiny scans and one turn, and shows only that the command works.
"""

import argparse
import functools
import importlib
import importlib.metadata
import itertools
import json
import math
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from typing import Callable, NamedTuple

import h5py
import numpy as np

from compare_regularisers import common_flags, difference, image_of, put
from figures import Machine, bench, table, three_digits

TRANSFORMS = ["adjoint", "forward", "Q"]
TARGETS = [1e-3, 1e-5, 1e-6]
CHECKED = 64  # voxels or samples whose exact sums are compared
METHODS = [1, 2, 3, 4]  # of cuFINUFFT; a transform has some of them
ITERATIONS = 30
QUIET = 0.1  # of the processors that others take, and of the median turn over the least
CORES = len(os.sched_getaffinity(0))
DISTRIBUTIONS = {"mrinufft": "mri-nufft"}  # where the name is not that of the module
IN_MEMORY = ["lsrecon:doubles", "lsrecon:host", "lsrecon:opencl", "sigpy", "mrinufft:finufft",
             "mrinufft:ducc0", "mrinufft:toeplitz"]
NEEDS = {"mrinufft": "finufft", "cufinufft": "cupy"}


class Turn(NamedTuple):
    """Seconds, those of all cores or NaN where unknown, and the error that was achieved."""
    seconds: float
    processor: float
    error: float


class Setting(NamedTuple):
    """What was asked for, and a call of one turn."""
    words: str
    turn: Callable


class Problem:
    """What a transform takes, and what it comes to at some voxels or samples."""

    def __init__(self, path, transform, planned):
        self.planned = planned
        rng = np.random.default_rng(1)
        with h5py.File(path) as f:
            k, samples = f["trajectory"][()], f["samples"][()].astype("c8")
            self.matrix = np.array(f.attrs["matrix"]).astype(int)
        samples = samples.reshape(-1, len(k))
        self.turns = (2 * np.pi * k / self.matrix)[:, ::-1].copy()  # radians a voxel, z first
        self.transform, self.forward = transform, transform == "forward"
        size = (2 * self.matrix if transform == "Q" else self.matrix)[::-1]
        self.size, self.coils = tuple(map(int, size)), len(samples)
        if self.forward:
            parts = rng.normal(size=(self.coils, *self.size, 2)).astype("f4")
            self.values = parts.view("c8")[..., 0]
            self.at = rng.integers(0, len(k), CHECKED)
            self.exact = np.array([self.sums_over_voxels(t) for t in self.turns[self.at]]).T
        else:
            self.values = np.ones((1, len(k)), "c8") if transform == "Q" else samples
            self.at = rng.integers(1, self.size, (CHECKED, len(self.size)))  # Q(-N) is never used
            self.exact = np.array([self.values @ np.exp(1j * (self.turns @ x))
                                   for x in self.at - np.array(self.size) // 2]).T

    def sums_over_voxels(self, turns):
        values = self.values.astype("c16")
        for turn, n in zip(turns[::-1], self.size[::-1]):
            values = values @ np.exp(-1j * turn * (np.arange(n) - n // 2))
        return values

    def error(self, values):
        """Of [C, (Z,) Y, X] or [C, M], at the best common scale: programs have their own."""
        if self.forward:
            return difference(np.reshape(values, (len(self.values), -1))[:, self.at], self.exact)
        values = np.reshape(values, (len(self.values), *self.size))
        return difference(values[(slice(None), *self.at.T)], self.exact)


def in_memory(words, problem, plan, call, values_of=lambda values: values):
    """A setting of call(plan()) from arrays to arrays; its error is computed once, in a turn of its
    own, which also imports and loads what the call needs."""
    errors = []

    def turn():
        if problem.planned or not errors:
            made = plan()
            values = call(made)
        if not errors:
            errors.append(problem.error(values_of(values)))
        start, processor = time.monotonic(), time.process_time()
        call(made if problem.planned else plan())
        return Turn(time.monotonic() - start, time.process_time() - processor, errors[0])
    return Setting(words, turn)


def settings_of_finufft(module, problem, to_device, done, to_host, **more):
    points = [to_device(np.ascontiguousarray(turn.astype("f4"))) for turn in problem.turns.T]
    values = to_device(problem.values.squeeze())
    count = len(problem.values)
    for sigma, eps in itertools.product((1.25, 1.5, 2), (1e-3, 1e-4, 1e-5, 1e-6)):
        def plan(eps=eps, sigma=sigma):
            made = module.Plan(2 if problem.forward else 1, problem.size, n_trans=count, eps=eps,
                               isign=-1 if problem.forward else 1, dtype="complex64",
                               upsampfac=sigma, **more)
            made.setpts(*points)
            return made
        method = f", method {more['gpu_method']}" if "gpu_method" in more else ""
        yield in_memory(f"{eps:g}, sigma {sigma:g}{method}", problem, plan,
                        lambda made: done(made.execute(values)), to_host)


def of_finufft(module, problem):
    yield from settings_of_finufft(module, problem, *[lambda values: values] * 3, nthreads=CORES)


def of_cufinufft(module, problem):
    cupy = importlib.import_module("cupy")

    def done(values):
        cupy.cuda.Device().synchronize()
        return values
    for method in METHODS:
        yield from settings_of_finufft(module, problem, cupy.asarray, done, cupy.asnumpy,
                                       gpu_method=method)


def of_ducc0(module, problem):
    """Its plans in floats and in doubles, whose coordinates have fewer or more bits."""
    for eps, real in [*itertools.product((1e-3, 5e-4, 1e-4, 2e-5, 1e-5, 1e-6), ["f4"]),
                      *itertools.product((1e-5, 1e-6, 5e-7), ["f8"])]:
        points = problem.turns.astype(real)

        def plan(eps=eps, points=points):
            return module.nufft.plan(nu2u=not problem.forward, coord=points, epsilon=eps,
                                     grid_shape=problem.size, nthreads=CORES)

        def call(made, real=real):
            values = problem.values.astype({"f4": "c8", "f8": "c16"}[real], copy=False)
            if problem.forward:
                return [made.u2nu(grid=one, forward=True) for one in values]
            return [made.nu2u(points=one, forward=False) for one in values]
        yield in_memory(f"{eps:g}, {'floats' if real == 'f4' else 'doubles'}", problem, plan, call)


def of_sigpy(module, problem):
    points = (problem.turns * problem.size / (2 * np.pi)).astype("f4")
    for sigma, width in ((1.25, 4), (2, 6)):
        def call(_, sigma=sigma, width=width):
            if problem.forward:
                return module.nufft(problem.values, points, oversamp=sigma, width=width)
            return module.nufft_adjoint(problem.values, points,
                                        (len(problem.values), *problem.size), oversamp=sigma,
                                        width=width)
        yield in_memory(f"sigma {sigma:g}, width {width}", problem, lambda: None, call)


def operator_of_mrinufft(points, size, coils, eps, **more):
    make = importlib.import_module("mrinufft.operators").get_operator("finufft")
    return make(points.astype("f4"), size, n_coils=coils, eps=eps, nthreads=CORES, **more)


def of_mrinufft(_, problem):
    """By FINUFFT; Q is the kernel of its Toeplitz operator."""
    of_q = problem.transform == "Q"
    size = tuple(n // 2 for n in problem.size) if of_q else problem.size
    coils = len(problem.values)
    for eps in (1e-3, 1e-4, 1e-5, 1e-6):
        def plan(eps=eps):
            return operator_of_mrinufft(problem.turns, size, coils, eps, n_trans=coils)

        def call(operator):
            if of_q:
                return operator.compute_toeplitz_kernel()
            return (operator.op if problem.forward else operator.adj_op)(problem.values)

        def values_of(values):
            return np.fft.fftshift(np.fft.ifftn(values)) if of_q else values
        if of_q and not hasattr(operator_of_mrinufft(problem.turns, size, 1, eps),
                                "compute_toeplitz_kernel"):
            return
        yield in_memory(f"{eps:g}", problem, plan, call, values_of)


PEERS = {"cpu": {"finufft": of_finufft, "ducc0": of_ducc0, "sigpy": of_sigpy,
                 "mrinufft": of_mrinufft},
         "gpu": {"cufinufft": of_cufinufft}}


ACCURACIES = (3e-2, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 3e-6, 1e-6)


def of_lsrecon(machine, problem):
    """By `lsrecon bench`, on radial samples like those of its peers."""
    for accuracy in ACCURACIES:
        turns = itertools.count()

        def turn(accuracy=accuracy, turns=turns):
            row = rows_of_bench(machine, tuple(problem.matrix), len(problem.turns), problem.coils,
                                accuracy, next(turns))[problem.transform.lower()]
            return Turn(row["seconds" if problem.planned else "first_seconds"],
                        math.nan if problem.planned else row["processor_seconds"],
                        row["relative_error"])
        yield Setting(f"{accuracy:g}", turn)


@functools.cache
def rows_of_bench(machine, matrix, samples, coils, accuracy, _):
    """By transform: one run measures all."""
    words = ["--matrix", ",".join(map(str, matrix)), "--samples", samples, "--coils", coils]
    return {row["transform"]: row for row in
            bench(machine, "--stage", "nufft", *words, "--accuracies", accuracy)["nufft"]}


class Noise:
    """What else ran on the processors, and how far turns of one setting are apart."""

    def __init__(self):
        self.begin, self.spreads = self.read(), []

    @staticmethod
    def read():
        """Seconds, those of all processors, and those of this process and its children."""
        with open("/proc/stat", encoding="ascii") as f:
            ticks = [int(word) for word in f.readline().split()[1:9]]
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        return np.array([time.monotonic(),
                         (sum(ticks) - ticks[3] - ticks[4]) / os.sysconf("SC_CLK_TCK"),  # not idle
                         time.process_time() + children.ru_utime + children.ru_stime])

    def add(self, turns):
        seconds = [turn.seconds for turn in turns]
        if len(seconds) > 1:
            self.spreads.append(np.median(seconds) / min(seconds) - 1)

    def sentence(self):
        seconds, busy, own = self.read() - self.begin
        others = max(busy - own, 0) / (CORES * seconds)
        spread = np.median(self.spreads) if self.spreads else math.nan
        quiet = others < QUIET and not spread >= QUIET
        return (f"{'Quiet' if quiet else 'Not quiet'}: others took {100 * others:.0f} % of "
                f"{CORES} cores" + (f", and the median turn {100 * spread:.0f} % longer than the "
                                    "least." if self.spreads else "; one turn each."))


def measure(settings, machine, noise):
    """By program, of every setting: its words, the least seconds and those of the processor then,
    and the largest error. A setting that its program refuses is left out."""
    found = [[] for _ in settings]
    for count in range(machine.turns):
        for (program, setting), turns in zip(settings, found):
            if len(turns) < count or sum(turn.seconds for turn in turns) > machine.enough:
                continue
            try:
                turns.append(setting.turn())
            except (RuntimeError, ValueError) as refusal:
                print(f"{program}, {setting.words}: {refusal}", file=sys.stderr)
    by_program = {program: [] for program, _ in settings}
    for (program, setting), turns in zip(settings, found):
        if turns:
            noise.add(turns)
            by_program[program].append((setting.words, Turn(
                min(turns).seconds, min(turns).processor, max(turn.error for turn in turns))))
    return by_program


def cell_of(tried, target, with_settings):
    reached = [one for one in tried if one[1].error <= target]
    if not tried:
        return "-"
    words, turn = (min(reached, key=lambda one: one[1].seconds) if reached
                   else min(tried, key=lambda one: one[1].error))
    processor = "-" if math.isnan(turn.processor) else three_digits(1e3 * turn.processor)
    return f"{three_digits(1e3 * turn.seconds)}, " + (
        f"{processor}, {turn.error:.0e} ({words})" if with_settings else f"{turn.error:.0e}")


def name_of(program):
    return f"{program} {importlib.metadata.version(DISTRIBUTIONS.get(program, program))}"


def installed(names):
    """Modules, and the names of those that cannot be imported."""
    modules, missing = {}, []
    for name in names:
        try:
            importlib.import_module(NEEDS.get(name, name))
            modules[name] = importlib.import_module(name)
        except ImportError:
            missing.append(name)
    return modules, missing


def transforms(machine, modules, noise):
    if not machine.settings:  # by the packages that compute them: mrinufft calls finufft
        modules = {name: module for name, module in modules.items() if name != "mrinufft"}
    rows = []
    for key, transform in itertools.product(("2D", "3D"), machine.transforms):
        machine.simulate(key)
        shutil.copy(f"{key}.h5", "coils_alone.h5")
        with h5py.File("coils_alone.h5", "r+") as f:
            f.pop("coil_maps", None)
        problem = Problem("coils_alone.h5", transform, machine.planned)
        settings = [("lsrecon", setting) for setting in of_lsrecon(machine, problem)]
        for name, module in modules.items():
            settings += [(name, setting)
                         for setting in PEERS[machine.device][name](module, problem)]
        found = measure(settings, machine, noise)
        rows += [[f"{transform}, {key}", f"{target:g}",
                  *(cell_of(found.get(program, []), target, machine.settings)
                    for program in ["lsrecon", *modules])]
                 for target in machine.targets]
    cell = "lsrecon: ms, processor ms, error" if machine.settings else "lsrecon: ms, error"
    return table(["transform", "error at most", cell,
                  *map(name_of, modules)], rows)


def cg_sense(machine, noise):
    """From file to file by the program, and from arrays to arrays by packages, each in a process of
    its own. All are compared with the same iterations in doubles."""
    with h5py.File("2D.h5") as f:
        np.savez("2D.npz", trajectory=f["trajectory"][()], samples=f["samples"][()].astype("c8"),
                 maps=f["coil_maps"][()].astype("c8"))
    words = ["--iterations", ITERATIONS, "--lambda", 0]
    rows, exact = [], None
    for package in IN_MEMORY:
        turns = []
        for _ in range(machine.turns):
            done = subprocess.run([sys.executable, pathlib.Path(__file__).with_name(
                "solve_in_memory.py"), package, "2D.npz", str(ITERATIONS), "solved.npy"],
                                  capture_output=True, text=True, check=False)
            if done.returncode:
                print(f"{package}: {done.stderr.splitlines()[-1]}", file=sys.stderr)
                break
            turns.append(json.loads(done.stdout))
        if not turns:
            continue
        image = np.load("solved.npy").squeeze()
        if package == "lsrecon:doubles":
            exact = image
            continue
        noise.add([Turn(turn["seconds"], 0, 0) for turn in turns])
        least = {name: min(turn[name] for turn in turns) for name in turns[0]}
        error = "-" if exact is None else f"{difference(image, exact):.0e}"
        rows.append([package, *(f"{least[name]:.2f}" for name in
                                ("seconds", "processor", "of_solve")),
                     f"{least['megabytes']:.0f}", error])
    turns = [machine.run("recon", "2D.h5", "-o", "image.h5", *words)[1]
             for _ in range(machine.turns)]
    seconds, processor = (min(turn[i] for turn in turns) for i in (0, 1))
    rows.append([f"`lsrecon recon {' '.join(map(str, words))}`", f"{seconds:.2f}",
                 f"{processor:.2f}", "-", "-", "-" if exact is None else
                 f"{difference(image_of('image.h5').squeeze(), exact):.0e}"])
    return table([f"CG-SENSE of 2D, {ITERATIONS} iterations", "s", "processor, s",
                  "of transforms and solve, s", "MB over NumPy's", "error"], rows)


def compare(options):
    output = options.output and os.path.abspath(options.output)
    machine, here = Machine(options), os.getcwd()
    machine.transforms, machine.targets = options.transforms, options.targets
    machine.settings, machine.planned = not options.brief, options.planned
    modules, missing = installed(PEERS[machine.device])
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        noise = Noise()
        if machine.transforms:
            lines = transforms(machine, modules, noise)
        else:
            machine.simulate("2D")
            lines = []
        if machine.device == "cpu":
            lines += ["", *cg_sense(machine, noise)]
        os.chdir(here)
    put("\n".join([noise.sentence(), "", *lines,
                   *(["", f"Not installed: {', '.join(missing)}."] if missing else [])]), output)


def main():
    parser = common_flags(__doc__)
    parser.add_argument("--device", choices=["cpu", "gpu"], default="cpu")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--brief", action="store_true", help="without the settings")
    parser.add_argument("--planned", action="store_true", help="by plans that were made before")
    parser.add_argument("--transforms", nargs="*", choices=TRANSFORMS, default=TRANSFORMS)
    parser.add_argument("--targets", nargs="+", type=float, default=TARGETS,
                        help="errors that the transforms must reach")
    os.environ.setdefault("OMP_NUM_THREADS", str(CORES))
    compare(parser.parse_args())


if __name__ == "__main__":
    main()
