"""What the tests of the module share: scans, and the program that they are compared with."""

import os
import subprocess

import h5py
import numpy as np
import pytest

import lsrecon

PROGRAM = os.environ.get("LSRECON", "lsrecon")


@pytest.fixture(scope="session")
def scan():
    """Spokes of three coils on an uneven grid."""
    return lsrecon.simulate("radial", (28, 24), coils=3, snr=30, noise_samples=64)


@pytest.fixture
def by_program(tmp_path):
    """The image of a scan by the program."""
    def image(scan, *options):
        scan_file, image_file = str(tmp_path / "scan.h5"), str(tmp_path / "image.h5")
        lsrecon.write(scan_file, scan)
        subprocess.run([PROGRAM, "recon", scan_file, "-o", image_file, "--quiet", *options],
                       check=True)
        with h5py.File(image_file) as file:
            return np.squeeze(file["image"][()])
    return image


def relative(a, b):
    """||a - b|| / ||b||"""
    return np.linalg.norm(np.asarray(a) - b) / np.linalg.norm(b)


def arrays_of(scan):
    """The arguments of recon() of a scan."""
    return {name: getattr(scan, name) for name in
            ("samples", "trajectory", "matrix", "maps", "field_map", "times", "noise", "fov_mm")}
