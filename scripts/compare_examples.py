#!/usr/bin/env python3
"""The examples of docs/python.md beside the same in SigPy: processor seconds and errors.

    compare_examples.py [--turns N] [--quick] [-o TABLE.md]

Three scans of the phantom in arrays, 8 coils with maps: CG-SENSE of undersampled spokes, spirals of
20 ms in a field map, and a cine with total variation along time. Both have the same samples and all
cores. Each solves CG-SENSE to within 1.1 % of its minimum, which takes 20 and 50 iterations, and
the spirals to within 0.5 %, by 15. Fewer iterations of SigPy's, 30, leave noise out, as stopping
early does: another problem, with a smaller error. Seconds of all processors are the least of
--turns after a first one, which loads and compiles. Errors are against the phantom. The regulariser
of the cine has another weight in each package: the best of a few. --quick takes tiny scans, and
shows only that the command works.
"""

import argparse
import functools
import operator
import time

import lsrecon
import numpy as np
import sigpy
import sigpy.mri.app
from compare_regularisers import put
from figures import table, three_digits

WEIGHT = 0.03  # of ||x||^2, relative to the number of samples; the best of a few for both
OURS, THEIRS = [0.005, 0.02, 0.05], [0.003, 0.01, 0.03]  # of total variation
SEGMENTS = 12


def error(image, truth):
    return np.linalg.norm(abs(np.squeeze(image)) - abs(truth)) / np.linalg.norm(truth)


def measured(call, truth, turns):
    """The least processor seconds after the first call, and the image's error."""
    image, seconds = call(), []
    for _ in range(turns):
        start = time.process_time()
        call()
        seconds.append(time.process_time() - start)
    return min(seconds), error(image, truth)


class Sampled:
    """A scan's arrays as SigPy has them: columns in the order of the image, a unitary scale."""

    def __init__(self, scan):
        self.scan = scan
        self.voxels = np.prod(scan.matrix)
        self.coord = np.ascontiguousarray(scan.trajectory[..., ::-1], "f4")
        self.samples = scan.samples / np.float32(np.sqrt(self.voxels))
        self.unit = scan.trajectory.shape[-2] / self.voxels  # of the diagonal of A^H A

    def sense(self):
        return sigpy.mri.app.SenseRecon(self.samples, self.scan.maps, lamda=WEIGHT * self.unit,
                                        coord=self.coord, max_iter=50,
                                        show_pbar=False).run()


def radial(n):
    scan = lsrecon.simulate("golden-angle", (n, n), coils=8, undersampling=2, snr=30)
    yield scan, lambda: lsrecon.recon(scan.samples, scan.trajectory, (n, n), maps=scan.maps,
                                      lambda_=WEIGHT, iterations=20).array
    yield scan, Sampled(scan).sense


def spiral(n):
    scan = lsrecon.simulate("spiral", (n, n), coils=8, readouts=4, off_resonance_hz=100,
                            readout_ms=20, snr=30)
    yield scan, lambda: lsrecon.recon(scan.samples, scan.trajectory, (n, n), maps=scan.maps,
                                      times=scan.times, field_map=scan.field_map,
                                      lambda_=WEIGHT, iterations=15).array
    sampled, phases = Sampled(scan), 2j * np.pi * scan.field_map

    def theirs():  # its own time segments are of one readout alone
        centres = np.linspace(scan.times.min(), scan.times.max(), SEGMENTS)
        ticks = np.linspace(scan.times.min(), scan.times.max(), 256)
        fields = np.linspace(scan.field_map.min(), scan.field_map.max(), 64)
        rates = np.exp(-2j * np.pi * np.outer(fields, centres))
        factors = np.linalg.lstsq(rates, np.exp(-2j * np.pi * np.outer(fields, ticks)), 1e-6)[0]
        at = np.interp(scan.times, ticks, np.arange(len(ticks))).round().astype(int)
        transform = sigpy.mri.linop.Sense(scan.maps, coord=sampled.coord)
        multiply = sigpy.linop.Multiply
        encoding = functools.reduce(operator.add, [
            multiply(transform.oshape, of_samples.astype("c8")) * transform *
            multiply(transform.ishape, np.exp(-phases * centre).astype("c8"))
            for of_samples, centre in zip(factors[:, at], centres)])
        return sigpy.app.LinearLeastSquares(encoding, sampled.samples, max_iter=15,
                                            lamda=WEIGHT * sampled.unit, show_pbar=False).run()
    yield scan, theirs


def cine(n, frames):
    scan = lsrecon.simulate("golden-angle", (n, n), coils=8, frames=frames, readouts=n // 4,
                            motion_mm=6, snr=30)
    sampled = Sampled(scan)

    def ours(weight):
        return lsrecon.recon(scan.samples, scan.trajectory, (n, n), maps=scan.maps,
                             reg=[("ttv", weight)]).array

    def theirs(weight):
        image = (1, *scan.maps.shape[1:])
        one = [sigpy.mri.linop.Sense(scan.maps, coord=coord) for coord in sampled.coord]
        each = [sigpy.linop.Reshape((1, *a.oshape), a.oshape) * a *
                sigpy.linop.Reshape(a.ishape, image) for a in one]
        encoding = sigpy.linop.Diag(each, iaxis=0, oaxis=0)
        along_time = sigpy.linop.FiniteDifference(encoding.ishape, axes=(0,))
        size = abs(encoding.H(sampled.samples)).max()
        return sigpy.app.LinearLeastSquares(
            encoding, sampled.samples, G=along_time, max_iter=100, show_pbar=False,
            proxg=sigpy.prox.L1Reg(along_time.oshape, weight * size)).run()
    for call, weights in ((ours, OURS), (theirs, THEIRS)):
        best = min(weights, key=lambda weight, call=call: error(call(weight), scan.truth))
        yield scan, functools.partial(call, best)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("-o", "--output")
    options = parser.parse_args()
    n, frames = (24, 3) if options.quick else (96, 6)
    rows = []
    for name, calls in ((f"radial SENSE, {n}^2, 8 coils", radial(n)),
                        (f"spiral with a field map, {n}^2", spiral(n)),
                        (f"cine, {frames} frames of {n}^2", cine(n, frames))):
        cells = []
        for scan, call in calls:
            seconds, wrong = measured(call, scan.truth, options.turns)
            cells.append(f"{three_digits(seconds)} s, {100 * wrong:.1f} %")
        rows.append([name, *cells])
    put("\n".join(table(["example", f"lsrecon {lsrecon.__version__}",
                         f"sigpy {sigpy.__version__}"], rows)), options.output)


if __name__ == "__main__":
    main()
