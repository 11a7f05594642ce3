#!/usr/bin/env python3
"""scripts/real_scans.py makes scans of files in the formats of the public ones, and takes no other.

    real_scans.py LSRECON REPOSITORY"""

import os
import pathlib
import subprocess
import sys
import tempfile

import h5py
import numpy as np

program, repository = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
sys.dont_write_bytecode = True
sys.path.insert(0, str(repository / "scripts"))
import real_scans  # noqa: E402: its folder is known only now


def write_dat(path, values):
    """Text, and for each coil the number of its floats and the floats."""
    with open(path, "wb") as file:
        file.write(b"version = 1.000000\nxDimension = 64\n")
        for coil, of_coil in enumerate(values):
            file.write(b"// Coil No. %d\nBinary_Size = %d\nBinary:\n" % (coil + 1, len(of_coil)))
            file.write(of_coil.astype("<f4").tobytes() + b"\n")


def simulated(folder, words):
    (folder / "scan.h5").unlink(missing_ok=True)  # no scan is replaced
    subprocess.run([program, "simulate", *words.split(), "-o", "scan.h5", "--quiet"], cwd=folder,
                   check=True)
    with h5py.File(folder / "scan.h5") as file:
        return file["trajectory"][()], file["samples"][()]


def require_same(path, trajectory, samples):
    with h5py.File(path) as file:
        assert np.allclose(file["trajectory"][()], trajectory, atol=1e-5), path
        assert np.allclose(file["samples"][()], samples, rtol=1e-6), path
    subprocess.run([program, "check", path], check=True, stdout=subprocess.DEVNULL)


with tempfile.TemporaryDirectory() as name:
    work = pathlib.Path(name)
    k, d = simulated(work, "--trajectory stack-of-spirals --matrix 64,64,16 --coils 2")
    for stem, of_stem in (("kx", k[:, :1].T), ("ky", k[:, 1:2].T), ("kz", k[:, 2:].T),
                          ("kdata_r", d.real), ("kdata_i", d.imag)):
        write_dat(work / f"{stem}.dat", of_stem)
    real_scans.brain(work / "brain.h5", work)
    require_same(work / "brain.h5", k, d)
    try:
        import scipy.io
    except ImportError:
        print("there is no SciPy: the heart's file was not tried")
    else:
        k, d = simulated(work, "--trajectory radial --matrix 32,32 --coils 3 --readouts 9 "
                               "--samples-per-readout 32")
        scipy.io.savemat(work / "heart.mat", {
            "k": ((k[:, 0] + 1j * k[:, 1]) / 32).reshape(9, 32).T,
            "rawdata": d.reshape(3, 9, 32).transpose(2, 1, 0)})
        real_scans.heart(work / "heart.h5", work / "heart.mat")
        require_same(work / "heart.h5", k, d)
    (work / "downloads").mkdir()
    (work / "downloads/kx.dat").write_bytes(b"another")
    try:
        real_scans.fetched(work, "kx.dat", "https://example.org/kx.dat", "0" * 64)
    except SystemExit as refused:
        assert "another file" in str(refused) and "next:" in str(refused), refused
    else:
        sys.exit("a file of another hash was taken")
