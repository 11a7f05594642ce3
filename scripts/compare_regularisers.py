#!/usr/bin/env python3
"""Regularised reconstructions of an undersampled scan, beside those of BART, in one run.

    compare_regularisers.py [--program LSRECON] [--bart BART] [-o TABLE.md]

Simulates golden-angle radial (25 spokes of 256 samples, 256 x 256, 8 coils with maps), checks that
both programs solve the same problem, then reconstructs by least squares, total variation and
wavelets at a few weights each. The table has the error against the truth at the best weight, and
the seconds of that run from file to file and of its processor time: the least of three, both
programs alternating. Without BART its columns are left empty.
"""

import argparse
import os
import pathlib
import platform
import resource
import shutil
import subprocess
import sys
import tempfile
import time

import h5py
import numpy as np

WEIGHTS = {  # of lsrecon, relative to Q(0) and the image
    "least squares": [""],
    "total variation": ["tv:0.03", "tv:0.07", "tv:0.1"],
    "wavelet": ["wavelet:0.03", "wavelet:0.06", "wavelet:0.08", "wavelet:0.12"],
}
LAMBDAS = {  # of BART, relative to its own scale; -e, because its own step diverges here
    "least squares": [["-l2", "-r", "0"]],
    "total variation": [["-R", f"T:3:0:{w}"] for w in (0.003, 0.006, 0.01, 0.02)],
    "wavelet": [["-e", "-R", f"W:3:0:{w}"] for w in (0.003, 0.005, 0.01, 0.03)],
}
# Of least squares that both converge on, relative to the diagonal of F^H F. BART interpolates
# k-space, with an error of 3e-4 in F^H d that a smaller lambda amplifies: 1 % here, 5 % at 0.05.
SAME_LAMBDA = 0.5
SAME_WITHIN = 0.02
TURNS = 3


def write_cfl(name, values):
    """Column-major complex floats and their 16 dimensions."""
    dimensions = [*values.shape, *[1] * (16 - values.ndim)]
    pathlib.Path(f"{name}.hdr").write_text(f"# Dimensions\n{' '.join(map(str, dimensions))}\n",
                                           encoding="ascii")
    np.asarray(values, "c8").ravel(order="F").tofile(f"{name}.cfl")


def read_cfl(name):
    dimensions = pathlib.Path(f"{name}.hdr").read_text(encoding="ascii").splitlines()[1].split()
    return np.fromfile(f"{name}.cfl", "c8").reshape([*map(int, dimensions)], order="F")


def write_for_bart(scan):
    """A scan as trajectory, k-space and maps where it has them; both programs count k in cycles per
    field of view. Frames are BART's dimension 10. Returns samples and voxels."""
    with h5py.File(scan) as f:
        k, samples, voxels = f["trajectory"][()], f["samples"][()], int(np.prod(f.attrs["matrix"]))
        maps = f["coil_maps"][()] if "coil_maps" in f else None
    k, samples = k.reshape(-1, *k.shape[-2:]), samples.reshape(-1, *samples.shape[-2:])
    frames, coils, count = samples.shape
    three = np.pad(k, [(0, 0), (0, 0), (0, 3 - k.shape[-1])])
    write_cfl("traj", three.transpose(2, 1, 0).reshape(3, count, *[1] * 8, frames))
    write_cfl("kspace", samples.transpose(2, 1, 0).reshape(1, count, 1, coils, *[1] * 6, frames))
    if maps is not None:
        volumes = maps.reshape(coils, -1, *maps.shape[-2:])
        write_cfl("maps", volumes.transpose(3, 2, 1, 0))
    return count, voxels


def image_of(name):
    if os.path.exists(f"{name}.cfl"):
        return read_cfl(name).squeeze().T
    with h5py.File(name) as f:
        return f["image"][()].squeeze()


def difference(image, other):
    """Relative, at the best common scale: BART's images have another."""
    image = image * (np.vdot(image, other) / np.vdot(image, image))
    return np.linalg.norm(image - other) / np.linalg.norm(other)


class Programs:
    def __init__(self, options):
        self.lsrecon = shutil.which(options.program) or sys.exit(f"no program {options.program}")
        self.lsrecon = os.path.abspath(self.lsrecon)
        self.bart = shutil.which(options.bart)
        self.folder = tempfile.TemporaryDirectory()
        os.chdir(self.folder.name)

    @staticmethod
    def timed(command):
        """Seconds, and those of the processor."""
        environment = {**os.environ, "OMP_NUM_THREADS": str(len(os.sched_getaffinity(0)))}
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        done = subprocess.run([*map(str, command)], env=environment, capture_output=True,
                              text=True, check=False)
        seconds, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode != 0:
            sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
        return np.array([seconds, after.ru_utime + after.ru_stime - before.ru_utime
                         - before.ru_stime])

    def by_lsrecon(self, words):
        """Image and seconds."""
        seconds = self.timed([self.lsrecon, "recon", "scan.h5", "-o", "image.h5", "--quiet",
                              *words])
        return image_of("image.h5"), seconds

    def by_bart(self, words):
        seconds = self.timed([self.bart, "pics", "-t", "traj", *words, "kspace", "maps", "image"])
        image = image_of("image")
        os.unlink("image.cfl")
        return image, seconds


def words_of(weight):
    """Of regularisers, or of least squares, which few iterations regularise."""
    return ["--iterations", "15"] if not weight else [
        word for one in weight.split() for word in ("--reg", one)]


def same_problem(programs, samples, voxels):
    """How far apart the two are where the solution is unique and both converge to it."""
    ours, _ = programs.by_lsrecon(["--lambda", SAME_LAMBDA, "--iterations", 100, "--tolerance",
                                   "1e-6"])
    # BART's transform is over the root of the voxels, so that its diagonal is samples / voxels.
    theirs, _ = programs.by_bart(["-l2", "-w", 1, "-i", 100, "-r",
                                  SAME_LAMBDA * samples / voxels])
    return difference(theirs, ours)


def best_of(run, choices, truth):
    """The choice of least error, and its error."""
    found = []
    for choice in choices:
        image, _ = run(choice)
        found.append((difference(abs(image), abs(truth)), choice))
        print(f"  {' '.join(choice) or 'default'}: {100 * found[-1][0]:.2f} %", file=sys.stderr)
    return min(found)


def row_of(programs, name, weights, lambdas, truth):
    """Cells of the table."""
    print(name, file=sys.stderr)
    words = [words_of(weight) for weight in weights]
    runs, choices = [programs.by_lsrecon], [words]
    if programs.bart:
        runs, choices = [*runs, programs.by_bart], [*choices, lambdas]
    best = [best_of(run, some, truth) for run, some in zip(runs, choices)]
    seconds = np.min([[run(choice)[1] for run, (_, choice) in zip(runs, best)]
                      for _ in range(TURNS)], axis=0)
    cells = [name]
    for (error, choice), (wall, processor) in zip(best, seconds):
        cells += [" ".join(choice), f"{100 * error:.1f}", f"{wall:.2f}", f"{processor:.2f}"]
    if programs.bart:
        ratios = seconds[1] / seconds[0]
        return [*cells, f"{ratios[0]:.1f}", f"{ratios[1]:.1f}"]
    return [*cells, *[""] * 6]


def table_of(programs, weights, lambdas, truth):
    """In Markdown, a line each."""
    head = ["", "lsrecon recon", "error, %", "s", "processor, s", "bart pics", "error, %", "s",
            "processor, s", "s, ratio", "processor, ratio"]
    rows = [row_of(programs, name, weights[name], lambdas[name], truth) for name in weights]
    return [f"| {' | '.join(row)} |" for row in [head, ["---"] * len(head), *rows]]


def common_flags(description):
    parser = argparse.ArgumentParser(description=description,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="lsrecon")
    parser.add_argument("--bart", default="bart")
    parser.add_argument("-o", "--output", help="the table, in Markdown [stdout]")
    return parser


def put(text, output):
    """To a file, or to stdout without one."""
    if output:
        pathlib.Path(output).write_text(text + "\n", encoding="utf-8")
    else:
        print(text)


def write_table(make, options):
    """What make(programs, options) returns, to the output of common_flags."""
    output = options.output and os.path.abspath(options.output)  # Programs moves to a folder
    put(make(Programs(options), options), output)


def compare(programs, options):
    programs.timed([programs.lsrecon, "simulate", "--trajectory", "golden-angle", "--matrix",
                    f"{options.matrix},{options.matrix}", "--readouts", options.spokes,
                    "--samples-per-readout", options.matrix, "--coils", 8, "--noise", 0.02,
                    "-o", "scan.h5", "--truth", "truth.h5", "--quiet"])
    for name in WEIGHTS:  # kernels are built at the first run
        programs.by_lsrecon(words_of(WEIGHTS[name][0]))
    truth = image_of("truth.h5")
    about = (f"{options.matrix} x {options.matrix}, {options.spokes} golden-angle spokes of "
             f"{options.matrix} samples, 8 coils; {platform.machine()}, "
             f"{len(os.sched_getaffinity(0))} cores.")
    if programs.bart:
        apart = same_problem(programs, *write_for_bart("scan.h5"))
        if not apart < SAME_WITHIN:
            sys.exit(f"the programs solve different problems: {apart:.3f} apart")
        about += (f" With lambda {SAME_LAMBDA} both converge to the same image, "
                  f"{100 * apart:.2f} % apart.")
    return "\n".join([about, "", *table_of(programs, WEIGHTS, LAMBDAS, truth)])


def main():
    parser = common_flags(__doc__)
    parser.add_argument("--matrix", type=int, default=256)
    parser.add_argument("--spokes", type=int, default=25)
    write_table(compare, parser.parse_args())


if __name__ == "__main__":
    main()
