#!/usr/bin/env python3
"""The library by default makes the image of the program without options.

usage: library.py PROGRAM BY_LIBRARY
"""

import subprocess
import sys

import h5py
import numpy as np
from in_folders import expect, run_cases

BY_LIBRARY = sys.argv[2] if len(sys.argv) > 2 else ""


def defaults_are_the_same(make):
    folder = make()
    for words in ("radial --matrix 48,48 --coils 4 --snr 30",
                  "spiral --matrix 40,48 --coils 4 --snr 30 --without-maps --noise-samples 200",
                  "golden-angle --matrix 24,24 --coils 3 --snr 30 --frames 3",
                  "radial-3d --matrix 16,16,16 --snr 30",
                  "spiral --matrix 24,24 --coils 2 --snr 30 --off-resonance-hz 60"):
        folder.run(0, ["simulate", "-o", "s.h5", "--quiet", "--trajectory", *words.split()])
        folder.run(0, ["recon", "s.h5", "-o", "i.h5", "--quiet"])
        subprocess.run([BY_LIBRARY, "s.h5", "raw"], cwd=folder.path, check=True)
        with h5py.File(folder / "i.h5") as f:
            image = f["image"][()]
        raw = np.fromfile(folder / "raw", dtype=np.complex64)
        expect(np.array_equal(raw, image.ravel()), f"{words}: another image")


if __name__ == "__main__":
    sys.exit(run_cases([defaults_are_the_same]))
