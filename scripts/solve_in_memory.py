#!/usr/bin/env python3
"""CG-SENSE of arrays by one package in a process of its own; compare_peers.py runs it.

    solve_in_memory.py PACKAGE ARRAYS.npz ITERATIONS IMAGE.npy

Prints as JSON the least seconds of two calls, those of the processors then, those of the solve with
its transforms, and MB above what the process had with NumPy and the arrays. Packages are lsrecon on
each of its devices (lsrecon:host, lsrecon:opencl, and lsrecon:doubles to compare with), sigpy,
mrinufft:finufft, mrinufft:ducc0, and mrinufft:toeplitz where its version has that.
"""

import json
import sys
import time

import numpy as np


def memory(name):
    with open("/proc/self/status", encoding="ascii") as f:
        return next(int(line.split()[1]) for line in f if line.startswith(name)) / 1024


class Watch:
    """Processor seconds of the stages that a function is told of."""

    def __init__(self):
        self.of_stages, self.stage, self.begin = {}, "", time.process_time()

    def __call__(self, stage, _=None):
        now = time.process_time()
        self.of_stages[self.stage] = self.of_stages.get(self.stage, 0) + now - self.begin
        self.stage, self.begin = stage, now


def by_lsrecon(device, arrays, iterations):
    import lsrecon
    doubles = device == "doubles"
    more = ({"accuracy": 1e-9, "backend": "host"} if doubles else
            {"accuracy": 1e-6, "backend": device})  # 30 iterations magnify errors by 200
    if doubles:
        arrays = {**arrays, "samples": arrays["samples"].astype("c16")}

    def solve():
        watch = Watch()
        image = lsrecon.recon(arrays["samples"], arrays["trajectory"],
                              tuple(arrays["maps"].shape[:0:-1]), maps=arrays["maps"],
                              iterations=iterations, lambda_=0, progress=watch,
                              tolerance=1e-12 if doubles else 1e-6, **more)
        watch("")
        return image.array, sum(watch.of_stages.get(name, 0) for name in ("fhd", "q", "solve"))
    return solve


def by_sigpy(_, arrays, iterations):
    import sigpy.mri.app
    scale = np.sqrt(np.prod(arrays["maps"].shape[1:]))
    coord = np.ascontiguousarray(arrays["trajectory"][:, ::-1], "f4")

    def solve():
        image = sigpy.mri.app.SenseRecon(arrays["samples"] / np.float32(scale), arrays["maps"],
                                         lamda=0, coord=coord, max_iter=iterations,
                                         show_pbar=False).run()
        return image, None
    return solve


def by_mrinufft(kind, arrays, iterations):
    """Conjugate gradients on its operator, or on its Toeplitz operator."""
    from mrinufft.operators import get_operator
    shape = arrays["maps"].shape[1:]
    turns = (2 * np.pi * arrays["trajectory"] / shape[::-1])[:, ::-1].astype("f4")
    more = {} if kind == "ducc0" else {"eps": 1e-5}
    backend = "ducc0" if kind == "ducc0" else "finufft"

    def solve():
        operator = get_operator(backend)(turns, shape, n_coils=len(arrays["maps"]),
                                         smaps=arrays["maps"], **more)
        product = (operator.gram_op if kind == "toeplitz"
                   else lambda image: operator.adj_op(operator.op(image)))
        if kind == "toeplitz":
            operator.compute_toeplitz_kernel()
        residual = operator.adj_op(arrays["samples"]).squeeze()
        image, direction, square = 0, residual, np.vdot(residual, residual).real
        for _ in range(iterations):
            of_direction = product(direction).squeeze()
            step = square / np.vdot(direction, of_direction).real
            image, residual = image + step * direction, residual - step * of_direction
            before, square = square, np.vdot(residual, residual).real
            direction = residual + square / before * direction
        return image, None
    return solve


def main():
    package, arrays, iterations, output = sys.argv[1:]
    with np.load(arrays) as file:
        arrays = {name: file[name] for name in file.files}
    before = memory("VmRSS")
    name, _, kind = package.partition(":")
    solve = {"lsrecon": by_lsrecon, "sigpy": by_sigpy, "mrinufft": by_mrinufft}[name](
        kind, arrays, int(iterations))
    turns = []
    for _ in range(2):  # the first one also loads and compiles
        start, processor = time.monotonic(), time.process_time()
        image, of_solve = solve()
        turns.append((time.monotonic() - start, time.process_time() - processor, of_solve))
    seconds, processor, of_solve = min(turns)
    np.save(output, image)
    print(json.dumps({"seconds": seconds, "processor": processor, "of_solve": of_solve or processor,
                      "megabytes": memory("VmHWM") - before}))


if __name__ == "__main__":
    main()
